"""Compare two runs over the same media."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mediaan.benchmark.norm_set import EXPOSURE_SCORES
from mediaan.errors import UsageError
from mediaan.run.metadata import RunMetadata
from mediaan.saliency.density_storage import read_densities
from mediaan.studies.drift.pairs import pair_area_scores, pair_areas, pair_scores
from mediaan.studies.drift.result import SAME, AreaJoin, Drift, MediaJoin, RunDifference
from mediaan.studies.drift.statistics import DensityDrift, MetricDrift, density_drifts, metric_drifts
from mediaan.studies.run_tables import RunTables, read_run_tables
from mediaan.types.densities import Densities
from mediaan.types.glossary import media_count

_IGNORED_RECIPE_KEYS = frozenset({"maps", "densities"})  # of a recipe: what is drawn and kept changes no number
_SEPARATE_KEYS = frozenset({"mediaan", "device", "recipe", "models", "versions", "metrics", "aoi_metrics"})
_IGNORED_KEYS = frozenset(
    {"created_at", "recipe_id", "maps", "unused_patterns", "briefing", "counts", "seconds", "media_per_s", "stages"}
)
_MEANING = ("unit", "low", "high", "direction", "basis")
_NOT_STATED = "not stated"  # by an older version, or nothing
_LONGEST = 60  # characters of a value that are shown

_VIDEO_KEYS = ("fps", "fast")
_AREA_KEYS = ("aois", "detector")

Facts = Mapping[str, Any]


def run_differences(old: Facts, new: Facts) -> tuple[RunDifference, ...]:
    """List differences of version, device, recipe, models, other metadata, libraries and metrics; in that order.

    Parameters
    ----------
    old, new : mapping
        Contents of ``run.json``.
    """
    parts = [{key: value for key, value in _part(facts).items() if value is not None} for facts in (old, new)]
    names = dict.fromkeys((*parts[0], *parts[1]))
    pairs = [(name, *(part.get(name, _NOT_STATED) for part in parts)) for name in names]
    return tuple(RunDifference(name, _short(a), _short(b)) for name, a, b in pairs if a != b)


def _part(facts: Facts) -> dict[str, Any]:
    """Return what is compared, by name."""
    recipe, models, versions = facts.get("recipe", {}), facts.get("models", ()), facts.get("versions", {})
    others = {key: value for key, value in facts.items() if key not in _SEPARATE_KEYS | _IGNORED_KEYS}
    return {
        "mediaan": facts.get("mediaan"),
        "device": facts.get("device"),
        **{f"recipe: {key}": value for key, value in recipe.items() if key not in _IGNORED_RECIPE_KEYS},
        **{f"model {model['name']}": (model.get("sha256") or "no weights")[:12] for model in models},
        **{key: _without_times(value) for key, value in others.items()},
        **{f"library {key}": value for key, value in versions.items()},
        **dict(_meanings(facts)),
    }


def _meanings(facts: Facts) -> Iterator[tuple[str, Any]]:
    for group in ("metrics", "aoi_metrics"):
        for spec in facts.get(group, ()):
            meaning = ", ".join(f"{key} {spec[key]}" for key in _MEANING if key in spec)
            yield f"metric {spec.get('name')}", meaning


def _without_times(value: Any) -> Any:
    """Drop when changes of areas were made, which is no difference."""
    if isinstance(value, list):
        return [_without_times(one) for one in value]
    return {key: one for key, one in value.items() if key != "at"} if isinstance(value, dict) else value


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def check_exposure(old: Facts, new: Facts) -> None:
    """Refuse runs over pictures of which no number means the same.

    Raises
    ------
    UsageError
        Pictures were looked at for different times.
    """
    exposures = [facts.get("recipe", {}).get("exposure_s") for facts in (old, new)]
    if exposures[0] != exposures[1]:
        raise UsageError(
            f"the runs ask what viewers do in {exposures[0]} s and in {exposures[1]} s (exposure_s): such numbers "
            "differ by their meaning; analyse the media again with one exposure",
            code="not_comparable",
        )


def cautions(old: Facts, new: Facts) -> Iterator[str]:
    """Say what differences of the recipes mean for the numbers."""
    recipes = [facts.get("recipe", {}) for facts in (old, new)]

    def differ(keys: tuple[str, ...]) -> bool:
        return any(recipes[0].get(key) != recipes[1].get(key) for key in keys)

    if differ(_VIDEO_KEYS):
        yield "Frames of videos were chosen differently (fps, fast): shifts of videos are not the model's alone."
    if differ(_AREA_KEYS):
        yield "Areas were looked for differently (aois, detector): only those in both runs are compared."


WrapProgress = Callable[[list[str]], Iterable[str]]

_FEW = 10  # media below which a rank correlation and a bootstrap are not worth much


def compare_runs(old: str | Path, new: str | Path, *, watch: WrapProgress = iter) -> Drift:
    """Compare two runs, such as of two versions of the program or of a model, over the same media.

    Parameters
    ----------
    old, new : path
        Run directories; media are told by their bytes, whatever they are called.
    watch : callable
        Wraps the media whose densities are read, for a progress bar.

    Returns
    -------
    Drift
        Shifts are new minus old.

    Raises
    ------
    UsageError
        No run; tables of an old version that cannot be read; no medium in common (``not_comparable``); pictures
        looked at for different times (``not_comparable``).
    """
    sides = read_run_tables(old), read_run_tables(new)
    join, names = _join_media(*sides)
    if _holds_pictures(sides[0], names):
        check_exposure(*(side.facts for side in sides))
    scores = pair_scores(*(_of(side.scores, names) for side in sides))
    areas = _join_areas(*sides, names)
    densities = _densities(*sides, names, watch)
    changed = run_differences(*(side.facts for side in sides))
    summaries = metric_drifts(scores)
    return Drift(
        old=sides[0].identity(),
        new=sides[1].identity(),
        differences=changed,
        media=join,
        scores=summaries,
        area_scores=metric_drifts(areas.scores),
        areas=areas.join,
        densities=densities,
        notes=(*_notes(*sides, names, len(densities)), *_unexplained(changed, summaries)),
        names=names,
        pairs=scores if areas.scores.empty else pd.concat([scores, areas.scores], ignore_index=True),
    )


def _join_media(old: RunTables, new: RunTables) -> tuple[MediaJoin, dict[str, str]]:
    """Return what the runs have in common, and the old paths of those media by id."""
    done_old, done_new = _done(old), _done(new)
    names = {medium_id: path for medium_id, path in done_old.items() if medium_id in done_new}
    if not names:
        raise UsageError(
            f"{old.path} and {new.path} have no analysed medium in common (files are told by their bytes): "
            "analyse the same files twice",
            code="not_comparable",
        )
    only_old = {medium_id: path for medium_id, path in done_old.items() if medium_id not in done_new}
    only_new = {medium_id: path for medium_id, path in done_new.items() if medium_id not in done_old}
    failures_old, failures_new = _failures(old), _failures(new)
    failed_in_new, absent_in_new = _split(only_old, failures_new)
    failed_in_old, absent_in_old = _split(only_new, failures_old)
    join = MediaJoin(
        both=len(names),
        only_old=absent_in_new,
        only_new=absent_in_old,
        failed_in_old=failed_in_old,
        failed_in_new=failed_in_new,
        failed_in_both=tuple(sorted(failures_old.paths & failures_new.paths)),
    )
    return join, names


def _done(side: RunTables) -> dict[str, str]:
    """Return the first path of each analyzed medium by its id."""
    done = side.media[side.media["status"] == "done"].drop_duplicates("medium_id")
    return dict(zip(done["medium_id"].astype(str), done["path"].astype(str), strict=True))


class _Failures(NamedTuple):
    """Files that failed; one that could not be read has no id and is known by its path."""

    ids: frozenset[str]
    paths: frozenset[str]


def _failures(side: RunTables) -> _Failures:
    failed = side.media[side.media["status"] != "done"]
    return _Failures(frozenset(failed["medium_id"].dropna()), frozenset(failed["path"]))


def _split(media: dict[str, str], failures: _Failures) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths of media that failed in the other run, and of those that it does not hold."""
    failed = {i for i, path in media.items() if i in failures.ids or path in failures.paths}
    return tuple(media[i] for i in media if i in failed), tuple(media[i] for i in media if i not in failed)


def _holds_pictures(side: RunTables, names: dict[str, str]) -> bool:
    """Tell whether exposure matters: videos have a length of their own."""
    return bool((_of(side.media, names)["type"] == "image").any())


def _of(rows: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    return rows[rows["medium_id"].isin(names)]


class _Areas(NamedTuple):
    join: AreaJoin | None
    scores: pd.DataFrame


def _join_areas(old: RunTables, new: RunTables, names: dict[str, str]) -> _Areas:
    if not (old.areas_wanted and new.areas_wanted):
        return _Areas(None, pair_scores(old.scores[:0], new.scores[:0]))
    areas = pair_areas(*(_of(side.areas, names) for side in (old, new)))
    both = len(areas.pairs)
    join = AreaJoin(both, areas.n_old - both, areas.n_new - both)
    other = _otherwise_exposed(old, new, names)
    tables = (old.area_scores, new.area_scores)
    before, now = (table[~(table["medium_id"].isin(other) & table["metric"].isin(EXPOSURE_SCORES))] for table in tables)
    return _Areas(join, pair_area_scores(before, now, areas))


def _densities(old: RunTables, new: RunTables, names: dict[str, str], watch: WrapProgress) -> tuple[DensityDrift, ...]:
    kept = [medium_id for medium_id in names if medium_id in old.densities and medium_id in new.densities]

    def pairs() -> Iterator[tuple[str, Densities, Densities]]:
        for medium_id in watch(kept):
            yield medium_id, _read(old.densities[medium_id]), _read(new.densities[medium_id])

    return density_drifts(pairs())


def _read(path: Path) -> Densities:
    try:
        return read_densities(path)[0]
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read ({error}); run the analysis again", code="no_run") from error


def _notes(old: RunTables, new: RunTables, names: dict[str, str], windows: int) -> Iterator[str]:
    yield from cautions(old.facts, new.facts)
    yield from _other_exposures(old, new, names)
    for who, side, other in (("old", old, new), ("new", new, old)):
        alone = _metrics(side) - _metrics(other)
        if alone:
            yield f"Only the {who} run has {', '.join(sorted(alone))}."
        if other.areas_wanted and not side.areas_wanted:
            yield f"The {who} run was not asked for areas of interest: they are not compared."
        if side.scores["lo"].isna().all():
            yield f"The {who} run has no intervals."
    if not windows:
        yield "Densities are not compared: the runs did not both keep them."
    if len(names) < _FEW:
        yield f"With {media_count(len(names))} in common, means and ranks say little; name a folder of {_FEW} or more."


def _other_exposures(old: RunTables, new: RunTables, names: dict[str, str]) -> Iterator[str]:
    n = len(_otherwise_exposed(old, new, names))
    if n:
        what, whose = ("picture is", "its") if n == 1 else ("pictures are", "their")
        yield (
            f"{n} {what} looked at for another time (exposure_s of the objectives): percentage seen, time spent and "
            f"first seen of {whose} areas mean something else and are left out. To compare them, analyse one run again "
            "with the exposure of the other, which scores areas again and looks at no medium."
        )


def _otherwise_exposed(old: RunTables, new: RunTables, names: dict[str, str]) -> set[str]:
    """Return images whose objectives say another exposure than they did."""
    paths, pictures = _done(new), set(old.media.loc[old.media["type"] == "image", "medium_id"])
    both = ((medium_id, path, paths[medium_id]) for medium_id, path in names.items() if medium_id in pictures)
    before, after = RunMetadata.parse(old.facts), RunMetadata.parse(new.facts)
    return {i for i, path, other in both if before.exposure_s(path) != after.exposure_s(other)}


def _metrics(side: RunTables) -> set[str]:
    """Name metrics with their units: a metric whose unit changed is another."""
    kinds = side.scores[["metric", "unit"]].drop_duplicates()
    return {f"{metric} ({unit})" for metric, unit in zip(kinds["metric"], kinds["unit"], strict=True)}


def _unexplained(changed: tuple[RunDifference, ...], scores: tuple[MetricDrift, ...]) -> Iterator[str]:
    if not changed and any(abs(one.largest or 0.0) >= SAME for one in scores):
        yield "The runs say that they were made in the same way, yet numbers moved: the program changed in between."
