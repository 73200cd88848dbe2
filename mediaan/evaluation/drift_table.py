"""Every value of two runs side by side, as a Parquet table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from mediaan.evaluation.drift import SCORE_UNIT
from mediaan.evaluation.drift_summary import Drift
from mediaan.evaluation.table import write_table
from mediaan.types.benchmark import CATEGORIES, EDGES

_WORDS = {
    "medium_id": "UUID of the medium",
    "path": "Where the old run found the file",
    "subject": "medium, or the type of an area of interest",
    "aoi_id": "UUID of the area in the old run; null for a medium's own scores",
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
    """One row per medium (or area), metric and time: old and new value with intervals, shift, categories."""
    rows = drift.pairs.assign(path=drift.pairs["medium_id"].map(drift.names))
    rows["shift"] = rows["value_new"] - rows["value_old"]
    for side in ("old", "new"):
        values = rows[f"value_{side}"].to_numpy(np.float64)
        named = np.array(CATEGORIES, dtype=object)[np.searchsorted(EDGES, values, side="right").clip(max=4)]
        named[np.isnan(values) | (rows["unit"] != SCORE_UNIT).to_numpy(bool)] = None
        rows[f"category_{side}"] = named
    fields = [
        *(_field(name, pa.string(), caption) for name, caption in _WORDS.items()),
        *(_field(name, pa.float64(), caption) for name, caption in _NUMBERS.items()),
        *(_field(name, pa.string(), caption) for name, caption in _CATEGORIES.items()),
    ]
    about = {"old": drift.old["run"], "new": drift.new["run"], "verdict": drift.verdict}
    return pa.Table.from_pandas(rows, schema=pa.schema(fields, metadata=about), preserve_index=False)


def write_drift(drift: Drift, path: Path) -> None:
    """Write `drift_table` as Parquet.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    write_table(drift_table(drift), path)


def _field(name: str, kind: pa.DataType, caption: str) -> pa.Field:
    return pa.field(name, kind, metadata={"caption": caption})
