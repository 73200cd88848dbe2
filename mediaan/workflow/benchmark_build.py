"""Build a norm set from media of the user's own."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from mediaan.analysis import Execution, Plan, Recipe
from mediaan.aoi.scoring.aoi_scores import attention_shares
from mediaan.config.attributes import OBJECTIVE_KEYS, load_attributes
from mediaan.errors import UsageError, did_you_mean
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.judge.benchmark.file import norm_set_file, norm_set_page
from mediaan.judge.benchmark.norm_set import MIN_N, AreaRow, NormSet, Provenance, ScoreRow, build_norm_set
from mediaan.run import Run, is_run, read_run
from mediaan.run.changes import density_path, read_areas
from mediaan.run.files import write_atomic
from mediaan.saliency.density_storage import read_densities
from mediaan.types.arguments import check_type
from mediaan.workflow.folder.analyze import analyze_folder
from mediaan.workflow.populations import NONE
from mediaan.workflow.ranges import comparability_key_of, media_attributes

_MOST_LISTED = 10
_COLUMNS = ["medium_id", "metric", "metric_time", "aoi_type", "unit", "value"]


@dataclass(frozen=True)
class NormSettings:
    """Settings of a norm set to build."""

    name: str
    title: str = ""
    population: str = ""
    """`name`, `title`, `population`: What it is called in tables and in the report, and whose scores it holds, in a
    sentence."""
    by: tuple[str, ...] = ()
    """What it is divided by: columns of `attributes`, settings of objectives, or folders; see `media_attributes`."""
    attributes: Path | None = None
    """CSV that says more of each file."""
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Media are left out whose value of a key is none of these."""
    suits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What the set is meant for: by key of objectives, the values."""
    without: Mapping[str, str] = field(default_factory=dict)
    """Metrics that are left out, and why these media are no population of them."""
    min_n: int = MIN_N
    """Media that a part needs to be used."""
    notes: tuple[str, ...] = ()
    """What else to know, a paragraph each."""
    command: str = ""
    """What made it."""


def build_benchmark(
    sources: Sequence[str | Path],
    settings: NormSettings,
    *,
    run_dir: Path | None = None,
    objectives: Path | None = None,
    workers: int | None = None,
    analyze: Callable[..., Run] = analyze_folder,
) -> NormSet:
    """Make a norm set of runs, and of files and folders, which are analyzed first: all AOIs, no maps.

    Parameters
    ----------
    sources : sequence of path
        Run directories, which were made alike, or files and folders.
    settings : NormSettings
    run_dir : Path, optional
        Where the run of files and folders is kept; by default it is not.
    objectives : Path, optional
        Objectives file of those files.
    workers : int, optional
        Processes.
    analyze : callable, optional
        In the place of `analyze_folder`, such as one that shows progress.

    Returns
    -------
    NormSet
        Every medium once, also where several runs hold it.

    Raises
    ------
    UsageError
        The runs were measured differently, a key is unknown or says nothing, no media are what `only`
        asks for, or there are too few.
    """
    check_type(settings, NormSettings, "settings")
    if settings.attributes:
        load_attributes(settings.attributes)  # refused before anything is analyzed
    repeated = [key for key, count in Counter(settings.by).items() if count > 1]
    if repeated:
        raise UsageError(f"the set cannot be divided by {repeated[0]} twice", code="bad_by")
    strange = [key for key in settings.suits if key not in OBJECTIVE_KEYS]
    if strange:
        guess = did_you_mean(strange[0], OBJECTIVE_KEYS) or f"; there are {', '.join(OBJECTIVE_KEYS)}"
        raise UsageError(f"--suits: objectives have no {strange[0]!r}{guess}", code="unknown_key")
    runs = [read_run(source) for source in sources if is_run(Path(source))]
    files = [source for source in sources if not is_run(Path(source))]
    with tempfile.TemporaryDirectory() as scratch:
        if files:
            recipe = Recipe(maps=(), advice="none", objectives=objectives, benchmark=NONE)
            runs.append(analyze(files, run_dir or Path(scratch) / "run", recipe, Execution(workers=workers)))
        return norm_set_of_runs(runs, settings)


def write_norm_set(norm_set: NormSet, path: Path) -> None:
    """Write a norm set, and what people should know of it, to a file and a page beside it.

    Raises SetupError: the disk is full or may not be written to.
    """
    write_atomic(path, norm_set_file(norm_set))
    write_atomic(path.with_suffix(".md"), norm_set_page(norm_set).encode())


def norm_set_of_runs(runs: Sequence[Run], settings: NormSettings) -> NormSet:
    """Make a norm set of runs; errors as of `build_benchmark`."""
    comparability_key = _common_comparability_key(runs)
    values: dict[str, dict[str, str | None]] = {}
    counts: Counter[str] = Counter()
    chosen: list[tuple[Run, frozenset[str]]] = []
    everything: list[Mapping[str, str | None]] = []
    keys = tuple(dict.fromkeys((*settings.by, *settings.only)))
    for run in runs:
        words_of = media_attributes(run, keys, settings.attributes)
        everything += words_of.values()
        fit = {
            medium_id
            for medium_id, words in words_of.items()
            if all(words[key] in allowed for key, allowed in settings.only.items())
        }
        new = frozenset(fit - values.keys())
        chosen.append((run, new))
        values |= {medium_id: words_of[medium_id] for medium_id in new}
        counts.update(_counted(run, left_out=len(words_of) - len(fit), again=len(fit) - len(new)))
    for key, allowed in settings.only.items():
        there = sorted({word for words in everything if (word := words[key])})
        strange = [word for word in allowed if word not in there]
        if strange and everything:
            guess = did_you_mean(strange[0], there) or f"; there are {', '.join(there[:_MOST_LISTED])}"
            what = guess if there else "; check the table's names of files"
            raise UsageError(f"--only: no file has the {key} {strange[0]!r}{what}", code="bad_only")
    silent = [key for key in settings.by if not any(words[key] for words in values.values())]
    if silent:
        raise UsageError(
            f"no file has a known {silent[0]}; check the table's names of files, or leave it out of --by",
            code="bad_by",
        )
    calibration = runs[0].metadata.recipe.calibration
    about = Provenance(
        name=settings.name,
        title=settings.title or settings.name,
        population=settings.population or f"{len(values)} files of your own.",
        created=datetime.now(UTC).date().isoformat(),
        comparability_key=comparability_key,
        keys=settings.by,
        min_n=settings.min_n,
        applies_to=settings.suits,
        without=settings.without,
        counts=dict(counts),
        notes=settings.notes,
        command=settings.command,
        pace=calibration.pace if calibration else None,
    )
    rows = (row for run, media in chosen for row in _rows(run, media))
    return build_norm_set(rows, values, about, _area_rows(chosen))


def _common_comparability_key(runs: Sequence[Run]) -> ComparabilityKey:
    """Return the key of the first run; refuse others that were measured differently."""
    first = comparability_key_of(runs[0].metadata)
    for run in runs:
        reasons = first.mismatches(comparability_key_of(run.metadata), aois=True)
        if reasons:
            what = f"cannot be put together with {runs[0].path}" if run is not runs[0] else "cannot be used"
            raise UsageError(f"{run.path}: {what}: {'; '.join(reasons)}", code="norms_mismatch")
    return first


def _counted(run: Run, *, left_out: int, again: int) -> dict[str, int]:
    done = run.media[run.media.status == "done"]
    counts = {
        "files": len(run.media),
        "failed": len(run.media) - len(done),
        "same_bytes": len(done) - done.medium_id.nunique() + again,
        "left_out": left_out,
        "other_exposure": len(_otherwise_exposed(run)),
    }
    return {name: n for name, n in counts.items() if n}


def _otherwise_exposed(run: Run) -> set[str]:
    """Return images that were looked at for another time than the run's: their AOIs do not belong to its population."""
    usual = run.metadata.recipe.exposure_s
    pictures = run.media[(run.media.status == "done") & (run.media.type == "image")].drop_duplicates("medium_id")
    return {str(m.medium_id) for m in pictures.itertuples() if run.exposure_s(str(m.path)) != usual}


def _area_rows(chosen: Sequence[tuple[Run, frozenset[str]]]) -> list[AreaRow]:
    """Yield what areas of images need to be scored for any exposure; nothing where a run kept no densities."""
    rows: list[AreaRow] = []
    for run, media in chosen:
        images = run.media[(run.media.status == "done") & (run.media.type == "image")]
        wanted = (media - _otherwise_exposed(run)) & set(images.medium_id)
        model = Plan(calibration=run.metadata.recipe.calibration).seen
        for medium_id, areas in read_areas(run).items():
            normed = [aoi for aoi in areas.aois if aoi.type != "other" or aoi.source == "drawn"]  # as in `_rows`
            if str(medium_id) not in wanted or not normed:
                continue
            try:
                densities, _ = read_densities(density_path(run, medium_id))
            except UsageError:
                return []
            shares = attention_shares(normed, densities, model)
            rows += [AreaRow(str(medium_id), aoi.type, share) for aoi, share in zip(normed, shares, strict=True)]
    return rows


def _rows(run: Run, media: frozenset[str]) -> Iterator[ScoreRow]:
    """Yield the scores of some media of a run, then those of their AOIs."""
    done = run.media[run.media.medium_id.isin(media)].drop_duplicates("medium_id")
    types = dict(zip(done.medium_id, done.type, strict=True))
    # what is found of type other, offers and the platform's interface, are no one kind of area to compare with
    normed = run.aois[(run.aois["type"] != "other") | (run.aois["source"] == "drawn")]
    kinds = normed[["medium_id", "aoi_id", "type"]].rename(columns={"type": "aoi_type"})
    scores = run.aoi_scores.merge(kinds, on=["medium_id", "aoi_id"])
    of_media = run.metrics.assign(aoi_type=None)
    for table, wanted in ((of_media, media), (scores, media - _otherwise_exposed(run))):
        rows = table[table.medium_id.isin(wanted)][_COLUMNS]
        for medium_id, metric, time, aoi_type, unit, value in rows.itertuples(index=False, name=None):
            number = None if math.isnan(value) else value
            yield ScoreRow(medium_id, types[medium_id], metric, time, aoi_type, unit, number)
