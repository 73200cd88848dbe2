"""Hold what is asked of a comparison, and select the scores that users name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from mediaan.aoi.scoring.specs import AOI_METRICS, ATTENTION, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.errors import UsageError, did_you_mean
from mediaan.metrics import METRICS
from mediaan.studies.compare.scored_media import ScoreKey
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.densities import Window


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """Options of a comparison."""

    metrics: tuple[str, ...] = ()
    """Scores as users write them, such as ``focus``, ``branding.percentage_seen.start`` or ``all``; empty for the usual
    ones."""
    by: str | None = None
    """Key that groups them."""
    pair: str | None = None
    """Key that says which medium of a group belongs to which one of another."""
    cluster: str | None = None
    """Key of which each value counts once in a group, such as the campaign."""
    type: str | None = None
    """Only media of this type."""
    versions: bool = False
    """Whether they are versions of one design, so that errors that both share are left out."""
    attributes: str | Path | None = None
    """CSV with more keys."""
    objectives: str | Path | None = None
    """Objectives file that says what the media are for; by default that of their run does."""

    def check(self) -> None:
        """Refuse options that do not go together.

        Raises UsageError.
        """
        if self.pair and not self.by:
            raise UsageError("--pair needs --by, which defines the groups", code="bad_groups")
        if self.cluster and (self.pair or not self.by):
            raise UsageError("--cluster needs --by, and cannot be used with --pair", code="bad_groups")
        if self.versions and self.by:
            raise UsageError("--versions compares single images; it cannot be used with --by", code="bad_groups")


ALL = "all"
_TIMES: tuple[Window, ...] = get_args(Window)
_TIME_OF: dict[str, Window] = {name: metric.window for name, metric in METRICS.items() if metric.part_of}
"""The one time that a medium's own score is about, where that is not the whole."""
_OWN_NAMES = tuple(METRICS)
_AOI_NAMES = tuple(spec.name for spec in AOI_METRICS)
_USUAL_OF_AOIS = (ATTENTION.name, PERCENTAGE_SEEN.name, TIME_SPENT.name)


def select_scores(names: Sequence[str], *, pair_of_media: bool) -> list[ScoreKey]:
    """Select scores in the order in which they are asked for, or the usual ones.

    `names`: as users write them: ``focus``, ``branding.percentage_seen.start``, ``all``; empty for the usual ones.
    `pair_of_media`: whether two media are compared; then areas count too, and need no type.
    Raises UsageError: no score is called so.
    """
    of_media = [ScoreKey(name, _TIME_OF.get(name, "total")) for name in _OWN_NAMES]
    if not names:
        usual = [ScoreKey(name, "total", kind) for kind in AOI_TYPES for name in _USUAL_OF_AOIS]
        return of_media + (usual if pair_of_media else [])
    if ALL in names:
        kinds = (None, *AOI_TYPES) if pair_of_media else (None,)
        names_of = {kind: _AOI_NAMES if kind else _OWN_NAMES for kind in kinds}
        return [ScoreKey(name, time, kind) for kind in kinds for name in names_of[kind] for time in _TIMES]
    return list(dict.fromkeys(key for name in names for key in _parsed(name, pair_of_media=pair_of_media)))


def _parsed(name: str, *, pair_of_media: bool) -> Iterator[ScoreKey]:
    parts = name.strip().split(".")
    kinds = [kind for kind in AOI_TYPES if kind == parts[0]]
    metric, *times = parts[1:] if kinds else parts
    metrics = _AOI_NAMES if kinds else (*_OWN_NAMES, *_AOI_NAMES)
    if metric not in metrics:
        guess = did_you_mean(metric, metrics) or f"; there are {', '.join(metrics)}"
        raise UsageError(f"--metric {name}: no score is called {metric!r}{guess}", code="unknown_metric")
    if len(times) > 1 or any(time not in _TIMES for time in times):
        raise UsageError(f"--metric {name}: a time is one of {', '.join(_TIMES)}", code="unknown_metric")
    if metric in _OWN_NAMES:
        yield ScoreKey(metric, next((time for time in _TIMES if time in times), _TIME_OF.get(metric, "total")))
        return
    if not kinds and not pair_of_media:
        raise UsageError(
            f"--metric {name}: is a score of areas; say of which type, such as branding.{name}", code="unknown_metric"
        )
    for kind in kinds or AOI_TYPES:
        yield ScoreKey(metric, next((time for time in _TIMES if time in times), "total"), kind)
