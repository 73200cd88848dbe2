"""Write a comparison of two runs as a table, and as one HTML page that opens from disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from mediaan.errors import UsageError
from mediaan.evaluation.saliency.tables import write_table
from mediaan.studies.drift.statistics import SCORE_UNIT, MetricDrift
from mediaan.studies.drift.workflow import VERDICT_SENTENCES, Drift, is_small
from mediaan.studies.page import Filters, render_study
from mediaan.types.benchmark import CATEGORIES, EDGES

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
    """Write `drift_table` as Parquet."""
    write_table(drift_table(drift), path)


_MOST_POINTS = 2000
"""Points that a figure draws: more say no more, and make the page heavy. Those that moved most are among them."""


def write_drift_page(drift: Drift, path: Path) -> None:
    """Write the page; it needs no network and no other file."""
    try:
        path.write_text(render_drift(drift), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"the page {path} cannot be written: {error}", code="bad_out") from error


def render_drift(drift: Drift) -> str:
    """Render the page as text."""
    groups = (
        ("Only in A", drift.media.only_old),
        ("Only in B", drift.media.only_new),
        ("Failed in A alone", drift.media.failed_in_old),
        ("Failed in B alone", drift.media.failed_in_new),
        ("Failed in both", drift.media.failed_in_both),
    )
    filters: Filters = {
        "small": is_small,
        "number": lambda value, form: "–" if value is None else format(value, form),
        "percent": lambda share: "–" if share is None else f"{100 * share:.0f} %",
    }
    return render_study(
        "drift",
        filters,
        drift=drift,
        verdict=VERDICT_SENTENCES[drift.verdict],
        names=[Path(side["run"]).resolve().name for side in (drift.old, drift.new)],
        figures=[
            _figure(moved, drift) for moved in drift.scores if moved.unit == SCORE_UNIT and moved.n and moved.is_whole
        ],
        edges=EDGES,
        categories=CATEGORIES,
        media=[(title, paths) for title, paths in groups if paths],
    )


def _figure(moved: MetricDrift, drift: Drift) -> dict[str, Any]:
    """Lay out old values across and new ones up, of one score: on the diagonal nothing moved; the most moved first."""
    rows = drift.pairs
    same = (rows["subject"] == moved.subject) & (rows["metric"] == moved.metric) & (rows["metric_time"] == moved.time)
    both = rows[same & rows["value_old"].notna() & rows["value_new"].notna()]
    old, new = (both[name].to_numpy(np.float64) for name in ("value_old", "value_new"))
    order = np.argsort(-np.abs(new - old), kind="stable")[:_MOST_POINTS]
    media = both["medium_id"].to_numpy(str)
    points = [(float(old[i]), float(new[i]), drift.names[media[i]]) for i in order]
    return {"drift": moved, "points": points, "left_out": old.size - len(points)}
