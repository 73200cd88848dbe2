"""The media of a run as rules see them, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from mediaan.rules.expression import Expression
from mediaan.rules.rule import FOUND_BY, Area, Measured, Reading
from mediaan.run import Run
from mediaan.run.by_medium import ByMedium, Cells, copied_media, count_media, done_media
from mediaan.run.objectives import objective_of
from mediaan.types.aoi import AOI_TYPES, AoiType
from mediaan.types.metrics import Time

_SCORE = ["metric", "metric_time", "value", "lo", "hi", "reason"]

Scores = dict[tuple[str, Time], Reading]


class RuledMedium(NamedTuple):
    """A file of a run with what decides which rules are meant for it."""

    measured: Measured
    type: str
    objective: Mapping[str, Any]


def ruled_media(run: Run, expressions: Sequence[Expression]) -> Iterator[RuledMedium]:
    """Analysed files, in the order of the table media, with those of their scores that rules speak of."""
    wanted = {(e.metric, e.time) for e in expressions}
    copied = copied_media(run.path)
    known: dict[str, Measured] = {}  # of media with several paths, whose rows stand at the first
    looked_for = types_looked_for(run)
    with (
        ByMedium(run.path, "metrics", _SCORE) as metrics,
        ByMedium(run.path, "aois", ["aoi_id", "type", "label", "source"]) as aois,
        ByMedium(run.path, "aoi_scores", ["aoi_id", *_SCORE]) as aoi_scores,
    ):
        for path, medium_id, kind in done_media(run.path):
            measured = known.get(medium_id)
            if measured is None:
                areas, sources = _areas(aois.of(medium_id), aoi_scores.of(medium_id), wanted)
                scores = _scores(metrics.of(medium_id), wanted)
                measured = Measured(path, medium_id, scores, tuple(areas), looked_for(sources))
                if medium_id in copied:
                    known[medium_id] = measured
            yield RuledMedium(replace(measured, path=path), kind, objective_of(run.facts, path))


def _scores(rows: Iterable[Cells], wanted: Collection[tuple[str, str]]) -> Scores:
    """Scores that are wanted."""
    return {
        (metric, time): Reading(value, lo, hi, reason)
        for metric, time, value, lo, hi, reason in rows
        if (metric, time) in wanted
    }


def _areas(
    aois: Sequence[Cells], rows: Iterable[Cells], wanted: Collection[tuple[str, str]]
) -> tuple[list[Area], frozenset[str]]:
    """Areas of a medium with their scores, and where they come from: people, detectors."""
    scores: dict[str, list[Cells]] = {}
    for aoi_id, *score in rows:
        scores.setdefault(aoi_id, []).append(tuple(score))
    areas = [Area(aoi_id, kind, label, _scores(scores.get(aoi_id, ()), wanted)) for aoi_id, kind, label, _ in aois]
    return areas, frozenset(source for *_, source in aois)


def types_looked_for(run: Run) -> Callable[[frozenset[str]], frozenset[AoiType]]:
    """Return a function that tells which types of areas would be known of a medium, from the sources of its areas.

    Whoever draws areas on a medium says what there is. A later search may not have come by every file; then only where
    it found something it surely was.
    """
    everywhere = FOUND_BY[run.facts["recipe"].get("aois", "none")]
    somewhere: frozenset[AoiType] = frozenset()
    changes = run.facts.get("aoi_changes", ())
    media = count_media(run.path) if changes else 0
    for change in changes:
        found = FOUND_BY.get(change.get("detected", "none"), frozenset())
        if change["media"] >= media:
            everywhere |= found
        somewhere |= found
    all_types: frozenset[AoiType] = frozenset(AOI_TYPES)

    def looked_for(sources: frozenset[str]) -> frozenset[AoiType]:
        if "drawn" in sources:
            return all_types
        return everywhere | somewhere if "detected" in sources else everywhere

    return looked_for
