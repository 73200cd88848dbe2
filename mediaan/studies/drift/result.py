"""Hold two compared runs, decide whether their numbers may stand side by side, and write them as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from mediaan.evaluation.saliency.tables import write_table
from mediaan.studies.drift.statistics import SCORE_UNIT, DensityDrift, MetricDrift
from mediaan.types.benchmark import CATEGORIES, EDGES

DriftVerdict = Literal["same", "small", "incomparable"]

SAME = 0.005
"""Shifts below this change no second decimal: the runs say the same."""

SMALL = 2.0
"""Points on scales of 0-100 within which 95 of 100 values must stay for a change to be called small."""

RARE = 0.05
"""Share of values that may leave the old intervals, appear or vanish, and of areas that may, in a small change."""

ALIKE_CC = 0.95
"""Mean correlation of densities from which on they are called alike."""

SAME_KLD = 1e-6
_POINTS = (SCORE_UNIT, "%")

VERDICT_SENTENCES: dict[DriftVerdict, str] = {
    "same": "Nothing changed.",
    "small": "Small changes: you can compare the new numbers with the old ones.",
    "incomparable": "Large changes: do not compare the new numbers with the old ones.",
}


@dataclass(frozen=True, slots=True)
class RunDifference:
    """Something about how two runs were made that is not the same."""

    what: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class MediaJoin:
    """Media that two runs have in common, told by their bytes; paths as the runs show them."""

    both: int
    """Media that both runs analyzed."""
    only_old: tuple[str, ...] = ()
    only_new: tuple[str, ...] = ()
    """Media that the other run does not hold."""
    failed_in_old: tuple[str, ...] = ()
    failed_in_new: tuple[str, ...] = ()
    """Media that failed in this run and not in the other."""
    failed_in_both: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AreaJoin:
    """Numbers of areas of interest that are in both runs, or in one of them, of the common media."""

    both: int
    only_old: int
    only_new: int


@dataclass(frozen=True)
class Drift:
    """Everything that changed from an old run to a new one."""

    old: dict[str, str]
    new: dict[str, str]
    """Who they are: ``run`` (its folder), ``mediaan``, ``created_at``, ``device``."""
    differences: tuple[RunDifference, ...]
    """Of recipe, models, versions and the like."""
    media: MediaJoin
    scores: tuple[MetricDrift, ...]
    area_scores: tuple[MetricDrift, ...]
    areas: AreaJoin | None
    """None where a run was not asked for areas."""
    densities: tuple[DensityDrift, ...]
    notes: tuple[str, ...]
    """What could not be compared, and what to bear in mind."""
    names: dict[str, str] = field(repr=False)
    """Path by medium id."""
    pairs: pd.DataFrame = field(repr=False)
    """The values themselves, see `mediaan.studies.drift.statistics`."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons why the change is more than small; empty where it is not."""
        reasons = [f"{drift.title}: {_how_far([drift])}" for drift in self.scores if not is_small(drift)]
        # of areas one reason for each metric, whatever the type of area and the time
        moved: dict[str, list[MetricDrift]] = {}
        for drift in self.area_scores:
            if not is_small(drift):
                moved.setdefault(drift.metric, []).append(drift)
        for metric, some in moved.items():
            types = ", ".join(dict.fromkeys(drift.subject for drift in some))
            reasons.append(f"{metric} of areas ({types}): {_how_far(some)}")
        if self.areas is not None:
            both, alone = self.areas.both, self.areas.only_old + self.areas.only_new
            if alone > RARE * (both + alone):
                reasons.append(f"{alone} of {both + alone} areas are in one run only")
        reasons += [
            f"densities ({density.window}) correlate by {density.cc:.3f} only"
            for density in self.densities
            if density.cc is not None and density.cc < ALIKE_CC
        ]
        return tuple(reasons)

    @property
    def verdict(self) -> DriftVerdict:
        """Verdict on whether the new numbers may stand beside the old ones."""
        if self.reasons:
            return "incomparable"
        is_same = (
            all(
                drift.n_lost == drift.n_gained == 0 and max(abs(drift.largest or 0.0), drift.bounds or 0.0) < SAME
                for drift in (*self.scores, *self.area_scores)
            )
            and (self.areas is None or self.areas.only_old == self.areas.only_new == 0)
            and not self.media.failed_in_new
            and not self.media.failed_in_old
            and all(density.largest_kld < SAME_KLD for density in self.densities)
        )
        return "same" if is_same else "small"

    @property
    def largest_shift(self) -> float:
        """Largest shift of all scores of 0-100 of media, points; infinite where a score or a medium was lost."""
        scores = [drift for drift in self.scores if drift.unit == SCORE_UNIT]
        if self.media.failed_in_new or any(drift.n_lost for drift in scores):
            return float("inf")
        return max((abs(drift.largest) for drift in scores if drift.largest is not None), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; without the values of each medium."""
        plain = ("old", "new", "verdict", "reasons", "notes")
        return {name: getattr(self, name) for name in plain} | {
            "differences": [asdict(difference) for difference in self.differences],
            "media": asdict(self.media),
            "areas": None if self.areas is None else asdict(self.areas),
            "scores": [self._metric_dict(drift) for drift in self.scores],
            "area_scores": [self._metric_dict(drift) for drift in self.area_scores],
            "densities": [
                asdict(density) | {"largest_path": self.names[density.largest_medium]} for density in self.densities
            ],
        }

    def _metric_dict(self, drift: MetricDrift) -> dict[str, Any]:
        path = None if drift.largest_medium is None else self.names[drift.largest_medium]
        return asdict(drift) | {"flipped": drift.flipped, "largest_path": path}


def is_small(drift: MetricDrift) -> bool:
    """Tell whether values of one metric may stand beside the old ones."""
    far = drift.unit in _POINTS and (drift.p95_size or 0.0) > SMALL
    alone = drift.n_lost + drift.n_gained
    return not (far or (drift.outside or 0.0) > RARE or alone > RARE * (drift.n + alone))


def _how_far(drifts: Sequence[MetricDrift]) -> str:
    """Say how far the worst of several is off."""
    sizes = [drift.p95_size for drift in drifts if drift.p95_size is not None and drift.unit in _POINTS]
    size = max(sizes, default=0.0)
    outside = max((drift.outside or 0.0 for drift in drifts), default=0.0)
    alone = sum(drift.n_lost + drift.n_gained for drift in drifts)
    parts = [
        f"95 of 100 values move by up to {size:.1f} points" if size > SMALL else "",
        f"{100 * outside:.0f} % leave the old intervals" if outside > RARE else "",
        f"{alone} of {alone + sum(drift.n for drift in drifts)} are defined in one run only" if alone else "",
    ]
    return ", ".join(part for part in parts if part)


_WORDS = {
    "medium_id": "UUID of the file",
    "path": "Where the old run found the file",
    "subject": "medium (a whole file), or the type of an area of interest",
    "aoi_id": "UUID of the area in the old run; null for scores of a whole file",
    "metric": "Name of the metric",
    "metric_time": "total, start (first 2 s) or end (last 2 s)",
    "unit": "Unit of the values",
}
_NUMBERS = {
    "value_old": "Value in the old run; null where undefined",
    "lo_old": "Lower end of its 90 % interval",
    "hi_old": "Upper end of its 90 % interval",
    "value_new": "Value in the new run; null where undefined",
    "lo_new": "Lower end of its 90 % interval",
    "hi_new": "Upper end of its 90 % interval",
    "shift": "New minus old; null where either is",
}
_CATEGORIES = {"category_old": "Category of the old value", "category_new": "Category of the new value"}


def drift_table(drift: Drift) -> pa.Table:
    """Make a row per medium (or area), metric and time: old and new value with intervals, shift, categories."""
    rows = drift.pairs.assign(path=drift.pairs["medium_id"].map(drift.names))
    rows["shift"] = rows["value_new"] - rows["value_old"]
    for side in ("old", "new"):
        values = rows[f"value_{side}"].to_numpy(np.float64)
        named = np.array(CATEGORIES, dtype=object)[np.searchsorted(EDGES, values, side="right").clip(max=4)]
        named[np.isnan(values) | (rows["unit"] != SCORE_UNIT).to_numpy(bool)] = None
        rows[f"category_{side}"] = named
    fields = [
        pa.field(name, kind, metadata={"caption": caption})
        for kind, captions in ((pa.string(), _WORDS), (pa.float64(), _NUMBERS), (pa.string(), _CATEGORIES))
        for name, caption in captions.items()
    ]
    about = {"old": drift.old["run"], "new": drift.new["run"], "verdict": drift.verdict}
    return pa.Table.from_pandas(rows, schema=pa.schema(fields, metadata=about), preserve_index=False)


def write_drift(drift: Drift, path: Path) -> None:
    """Write `drift_table` as Parquet.

    Raises UsageError: the file cannot be written.
    """
    write_table(drift_table(drift), path)
