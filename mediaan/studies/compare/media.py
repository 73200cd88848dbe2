"""Find the media to compare in runs, and read their scores."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from uuid import UUID

from mediaan.analysis import Execution, Recipe
from mediaan.analysis.execution import Device
from mediaan.errors import MediumError, UsageError, did_you_mean
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.media import file_medium_id
from mediaan.run import Run, read_run
from mediaan.run.aois.searches import types_looked_for
from mediaan.studies.compare.differences import Estimate
from mediaan.studies.compare.scored_media import MetricTime, ScoredArea, ScoredMedium
from mediaan.workflow.folder.analyze import analyze_folder

_LEAST_ID = 6  # characters by which a medium may be named
_MOST_LISTED = 6

TYPE_NAMES = {"image": "images", "video": "videos", "mixed": "mixed media"}
MIXED_TYPES = (
    "scores of images and videos cannot be compared (an image is seen for some seconds, a video for its length)"
)


@dataclass(frozen=True, slots=True)
class RunMedium:
    """A medium of a run."""

    run: Run
    medium_id: str
    path: str
    """As the run's tables show it."""
    name: str
    """What the comparison calls it: the path, with the run's where two would be called alike."""
    type: str
    """image, video or mixed."""
    duration_s: float | None = None
    """Of a medium that moves."""
    file: Path | None = None
    """The file itself, where it is known."""


@contextmanager
def find_media(
    names: Sequence[str | Path], runs: Sequence[str | Path], device: Device = "auto"
) -> Iterator[list[RunMedium]]:
    """Find media by what users call them.

    Parameters
    ----------
    names : sequence of str or Path
        Paths as tables show them or an ending of one, with or without the run's directory before it; ids or their
        beginning; files, which are analyzed on the spot where no run holds them. Without any, all media of the runs.
    runs : sequence of path
        Run directories.
    device : {'auto', 'cpu', 'cuda'}
        Where files are analyzed.

    Yields
    ------
    list of RunMedium
        In the order of the names, all different. What was analyzed on the spot is gone afterwards.

    Raises
    ------
    UsageError
        A name means none or several media; a file fails; there is no run; two are the same.
    """
    with ExitStack() as stack:
        opened = [read_run(run) for run in runs]
        known = [one for run in opened for one in _media_of(run)]
        if not names:
            yield _with_unique_names(
                list({(one.run.path, one.medium_id): one for one in reversed(known)}.values())[::-1]
            )
            return
        found = [_find_medium(str(name), known) for name in names]
        files = [Path(name) for name, one in zip(names, found, strict=True) if one is None]
        if files:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mediaan-compare-"))
            recipe, execution = Recipe(maps=(), advice="none"), Execution(device=device, workers=1)
            fresh = analyze_folder(files, Path(folder) / "run", recipe, execution)
            for row in fresh.media[fresh.media["status"] != "done"].itertuples():
                raise MediumError(str(row.error_message), code=str(row.error_code))
            by_id = {one.medium_id: one for one in _media_of(fresh)}
            analyzed = iter([replace(by_id[str(file_medium_id(file))], name=str(file), file=file) for file in files])
            found = [one or next(analyzed) for one in found]
        yield _with_unique_names([one for one in found if one is not None])


def check_comparable(media: Sequence[RunMedium], *, aois: bool) -> None:
    """Refuse media whose numbers do not mean the same.

    Raises
    ------
    UsageError
        Runs of other models, scales, exposures or the like (``not_comparable``), or pictures and videos mixed.
    """
    types = sorted({one.type for one in media})
    if len(types) > 1:
        raise UsageError(f"{MIXED_TYPES}: choose one type, {' or '.join(types)}", code="not_comparable")
    first, *others = {one.run.path: one.run for one in media}.values()
    for other in others:
        a, b = (ComparabilityKey.of(run.facts) for run in (first, other))
        names = str(first.path), str(other.path)
        reasons = a.mismatches(b, aois=aois, videos=types != ["image"], names=names)
        if reasons:
            said = "; ".join(reasons)
            raise UsageError(f"{first.path} and {other.path} cannot be compared: {said}", code="not_comparable")


def read_scores(media: Sequence[RunMedium]) -> list[ScoredMedium]:
    """Read the scores and areas of media, in the same order."""
    found: dict[tuple[Path, str], ScoredMedium] = {}
    for run in {one.run.path: one.run for one in media}.values():
        own = [one for one in media if one.run.path == run.path]
        ids = {one.medium_id for one in own}
        scores: dict[str, dict[MetricTime, Estimate]] = {}  # by the id of a medium or of an area
        for table, key in ((run.metrics, "medium_id"), (run.aoi_scores, "aoi_id")):
            for row in table[table["medium_id"].isin(ids)].to_dict("records"):
                value, lo, hi = (None if row[end] != row[end] else float(row[end]) for end in ("value", "lo", "hi"))
                scores.setdefault(row[key], {})[row["metric"], row["metric_time"]] = Estimate(
                    value, lo, hi, row["reason"] if value is None else None
                )
        areas: dict[str, list[ScoredArea]] = {}
        sources: dict[str, set[str]] = {}
        for row in run.aois[run.aois["medium_id"].isin(ids)].to_dict("records"):
            confidence = row["confidence"]
            drawn = confidence is None or confidence != confidence
            area = ScoredArea(
                row["type"],
                str(row["label"]),
                scores.get(row["aoi_id"], {}),
                UUID(row["aoi_id"]),
                None if drawn else float(confidence),
            )
            areas.setdefault(row["medium_id"], []).append(area)
            sources.setdefault(row["medium_id"], set()).add(row["source"])
        units = {spec["name"]: str(spec["unit"]) for spec in (*run.metadata.metrics, *run.metadata.aoi_metrics)}
        if unknown := {metric for of_medium in scores.values() for metric, _ in of_medium} - units.keys():
            message = f"{run.path / 'run.json'} does not say what {min(unknown)} means; run the analysis again"
            raise UsageError(message, code="old_run")
        looked_for = types_looked_for(run)
        for one in own:
            found[run.path, one.medium_id] = ScoredMedium(
                one.name,
                scores.get(one.medium_id, {}),
                units,
                tuple(areas.get(one.medium_id, ())),
                looked_for(frozenset(sources.get(one.medium_id, ()))),
            )
    return [found[one.run.path, one.medium_id] for one in media]


def _media_of(run: Run) -> Iterator[RunMedium]:
    done = run.media[run.media["status"] == "done"]
    for row in done.astype({"duration_s": object}).where(done.notna(), None).to_dict("records"):
        yield RunMedium(run, row["medium_id"], row["path"], row["path"], row["type"], row["duration_s"])


def _find_medium(name: str, known: Sequence[RunMedium]) -> RunMedium | None:
    """Find the medium that a name means; None for a file that no run holds."""
    file = Path(name)
    if file.is_file():
        medium_id = str(file_medium_id(file))
        same = sorted((one for one in known if one.medium_id == medium_id), key=lambda one: one.path != name)
        return replace(same[0], name=name, file=file) if same else None

    def is_path(one: RunMedium) -> bool:
        return name in (one.path, f"{one.run.path}/{one.path}")

    def is_id(one: RunMedium) -> bool:
        return len(name) >= _LEAST_ID and one.medium_id.startswith(name.lower())

    def is_ending(one: RunMedium) -> bool:  # with or without the folders before it and the suffix after it
        bare = str(PurePosixPath(one.path).with_suffix(""))
        return any(f"{one.run.path}/{path}".endswith(f"/{name}") for path in (one.path, bare))

    for fits in (is_path, is_id, is_ending):
        found = [one for one in known if fits(one)]
        if len({one.medium_id for one in found}) > 1:
            listed = ", ".join(f"{one.run.path}/{one.path}" for one in found[:_MOST_LISTED])
            raise UsageError(f"{name}: matches several files; name one of them: {listed}", code="unknown_medium")
        if found:
            return found[0]
    if file.is_dir():
        raise UsageError(
            f"{name}: is a folder, not a file; analyze it with `mediaan analyze {file.name}`, and "
            "name the run here (--by folder compares its folders)",
            code="unknown_medium",
        )
    if not known:
        raise UsageError(f"{name}: no such file, and no run was given that could hold it", code="unknown_medium")
    runs = ", ".join(sorted({str(one.run.path) for one in known}))
    guess = did_you_mean(name, {one.path for one in known})
    raise UsageError(f"{name}: no such file, and none of this name in {runs}{guess}", code="unknown_medium")


def _with_unique_names(media: Sequence[RunMedium]) -> list[RunMedium]:
    """Give each medium a name of its own."""
    often = Counter(one.name for one in media)
    found = [replace(one, name=f"{one.run.path.name}/{one.path}") if often[one.name] > 1 else one for one in media]
    twice = [name for name, count in Counter(one.name for one in found).items() if count > 1]
    if twice:
        raise UsageError(f"{twice[0]} is named twice: name different files", code="not_comparable")
    return found
