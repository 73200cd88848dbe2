"""Two runs over the same media, compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mediaan.benchmark.areas import EXPOSED
from mediaan.errors import UsageError
from mediaan.evaluation.density_drift import DensityDrift, density_drifts
from mediaan.evaluation.drift import MetricDrift, drifts
from mediaan.evaluation.drift_pairs import pair_area_scores, pair_areas, pair_scores
from mediaan.evaluation.drift_summary import SAME, AreaJoin, Difference, Drift, MediaJoin
from mediaan.maps.store import read_densities
from mediaan.run.reader import exposure_s
from mediaan.types.counts import media_count
from mediaan.types.maps import Densities
from mediaan.workflow.drift_differences import cautions, check_exposure, differences
from mediaan.workflow.drift_side import Side, read_side

Watch = Callable[[list[str]], Iterable[str]]

_FEW = 10  # media below which a rank correlation and a bootstrap are not worth much


def compare_runs(old: str | Path, new: str | Path, *, watch: Watch = iter) -> Drift:
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
    sides = read_side(old), read_side(new)
    join, names = _join_media(*sides)
    if _holds_pictures(sides[0], names):
        check_exposure(*(side.facts for side in sides))
    scores = pair_scores(*(_of(side.scores, names) for side in sides))
    areas = _join_areas(*sides, names)
    densities = _densities(*sides, names, watch)
    changed = differences(*(side.facts for side in sides))
    summaries = drifts(scores)
    return Drift(
        old=sides[0].identity(),
        new=sides[1].identity(),
        differences=changed,
        media=join,
        scores=summaries,
        area_scores=drifts(areas.scores),
        areas=areas.join,
        densities=densities,
        notes=(*_notes(*sides, names, len(densities)), *_unexplained(changed, summaries)),
        names=names,
        pairs=scores if areas.scores.empty else pd.concat([scores, areas.scores], ignore_index=True),
    )


def _join_media(old: Side, new: Side) -> tuple[MediaJoin, dict[str, str]]:
    """What the runs have in common, and the old paths of those media by id."""
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


def _done(side: Side) -> dict[str, str]:
    """First path of each analysed medium by its id."""
    done = side.media[side.media["status"] == "done"].drop_duplicates("medium_id")
    return dict(zip(done["medium_id"].astype(str), done["path"].astype(str), strict=True))


class _Failures(NamedTuple):
    """Files that failed; one that could not be read has no id and is known by its path."""

    ids: frozenset[str]
    paths: frozenset[str]


def _failures(side: Side) -> _Failures:
    failed = side.media[side.media["status"] != "done"]
    return _Failures(frozenset(failed["medium_id"].dropna()), frozenset(failed["path"]))


def _split(media: dict[str, str], failures: _Failures) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Paths of media that failed in the other run, and of those that it does not hold."""
    failed = {i for i, path in media.items() if i in failures.ids or path in failures.paths}
    return tuple(media[i] for i in media if i in failed), tuple(media[i] for i in media if i not in failed)


def _holds_pictures(side: Side, names: dict[str, str]) -> bool:
    """Videos have a length of their own, whatever the exposure of pictures is."""
    return bool((_of(side.media, names)["type"] == "image").any())


def _of(rows: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    return rows[rows["medium_id"].isin(names)]


class _Areas(NamedTuple):
    join: AreaJoin | None
    scores: pd.DataFrame


def _join_areas(old: Side, new: Side, names: dict[str, str]) -> _Areas:
    if not (old.areas_wanted and new.areas_wanted):
        return _Areas(None, pair_scores(old.scores[:0], new.scores[:0]))
    areas = pair_areas(*(_of(side.areas, names) for side in (old, new)))
    both = len(areas.pairs)
    join = AreaJoin(both, areas.n_old - both, areas.n_new - both)
    other = _otherwise_exposed(old, new, names)
    tables = (old.area_scores, new.area_scores)
    before, now = (table[~(table["medium_id"].isin(other) & table["metric"].isin(EXPOSED))] for table in tables)
    return _Areas(join, pair_area_scores(before, now, areas))


def _densities(old: Side, new: Side, names: dict[str, str], watch: Watch) -> tuple[DensityDrift, ...]:
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


def _notes(old: Side, new: Side, names: dict[str, str], windows: int) -> Iterator[str]:
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


def _other_exposures(old: Side, new: Side, names: dict[str, str]) -> Iterator[str]:
    n = len(_otherwise_exposed(old, new, names))
    if n:
        what, whose = ("picture is", "its") if n == 1 else ("pictures are", "their")
        yield (
            f"{n} {what} looked at for another time (exposure_s of the objectives): percentage seen, time spent and "
            f"first seen of {whose} areas mean something else and are left out. To compare them, analyse one run again "
            "with the exposure of the other, which scores areas again and looks at no medium."
        )


def _otherwise_exposed(old: Side, new: Side, names: dict[str, str]) -> set[str]:
    """Pictures whose objectives say another exposure than they did."""
    paths, pictures = _done(new), set(old.media.loc[old.media["type"] == "image", "medium_id"])
    both = ((medium_id, path, paths[medium_id]) for medium_id, path in names.items() if medium_id in pictures)
    return {i for i, path, other in both if exposure_s(old.facts, path) != exposure_s(new.facts, other)}


def _metrics(side: Side) -> set[str]:
    """Names with units: a metric whose unit changed is another."""
    kinds = side.scores[["metric", "unit"]].drop_duplicates()
    return {f"{metric} ({unit})" for metric, unit in zip(kinds["metric"], kinds["unit"], strict=True)}


def _unexplained(changed: tuple[Difference, ...], scores: tuple[MetricDrift, ...]) -> Iterator[str]:
    if not changed and any(abs(one.largest or 0.0) >= SAME for one in scores):
        yield "The runs say that they were made in the same way, yet numbers moved: the program changed in between."
