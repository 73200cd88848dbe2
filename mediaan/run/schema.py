"""Schemas of the tables of a run, declared once: types, units and captions."""

from __future__ import annotations

import pyarrow as pa

from mediaan.run.columns import ID, MEDIUM, PATH, column
from mediaan.run.standing_schema import BENCHMARK_RANGES, CHECKS, COMPARISONS, RULE_RESULTS, SCREEN_TIMES, TRENDS

MEDIA = pa.schema(
    [
        PATH,
        ID,
        column("name", pa.string(), "File name", nullable=False),
        column("type", pa.string(), "image, video (also animated pictures), or mixed where that was asked for"),
        column("status", pa.string(), "done or failed", nullable=False),
        column("error_code", pa.string(), "Stable name of what went wrong; null when done"),
        column("error_message", pa.string(), "What went wrong and what to do; null when done"),
        column("width", pa.int32(), "Width as displayed", "px"),
        column("height", pa.int32(), "Height as displayed", "px"),
        column("codec", pa.string(), "Format of the picture, or codec of the video"),
        column("duration_s", pa.float64(), "Duration as read; null for a still picture", "s"),
        column("frame_rate", pa.float64(), "Average frame rate as stated; null for a still picture", "1/s"),
        column("share_read", pa.float64(), "Share of the file that could be decoded; null when failed"),
        column(
            "novelty",
            pa.float64(),
            "Share of the training material that lies nearer to its own kind, 0-1; above "
            ".99 the medium is unlike all that the models know",
        ),
        column(
            "domain",
            pa.string(),
            "What attention was predicted for: the stated domain, else the most probable, such as photo, ad, design or "
            "page; null where the model tells no domains apart, and when failed",
        ),
        column(
            "domain_probability",
            pa.float64(),
            "How probable the model finds it, 0-1; a film's mean over its seconds; null where the domain was stated",
        ),
        column("domain_stated", pa.bool_(), "Whether the domain was stated, and not told by the model"),
        column(
            "brand_found",
            pa.bool_(),
            "Whether there is an AOI of the brand that was named; null where none was named or AOIs were not looked "
            "for, and when failed",
        ),
        column("size_bytes", pa.int64(), "Size of the file", "B"),
        # without a zone: DuckDB hands zoned times to Python only where pytz is installed
        column("created_at", pa.timestamp("ms"), "When it was analysed", "UTC", nullable=False),
        column("seconds", pa.float64(), "Time that the analysis took in its worker", "s", nullable=False),
    ],
    metadata={"caption": "One row per file. The same bytes under two paths are two rows with one medium_id."},
)

METRICS = pa.schema(
    [
        column("medium_id", pa.string(), "UUID of the medium", nullable=False),
        column("metric", pa.string(), "Name of the metric", nullable=False),
        column("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        column("value", pa.float64(), "The value; null when undefined, see reason"),
        column("lo", pa.float64(), "Lower end of the 90 % interval"),
        column("hi", pa.float64(), "Upper end of the 90 % interval"),
        column("basis", pa.string(), "measured, learned or proxy", nullable=False),
        column("unit", pa.string(), "Unit of value, lo and hi", nullable=False),
        column("reason", pa.string(), "Why the value is null"),
    ],
    metadata={"caption": "One row per medium, metric and time."},
)

DRIVERS = pa.schema(
    [
        column("medium_id", pa.string(), "UUID of the medium", nullable=False),
        column("metric", pa.string(), "Name of the metric that it moves", nullable=False),
        column("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        column("rank", pa.int32(), "1 for what moves the score most", nullable=False),
        column("driver", pa.string(), "Name of the measured property", nullable=False),
        column("value", pa.float64(), "The property as measured; null for what is not one number"),
        column(
            "points",
            pa.float64(),
            "The score less what it would be with this property as in the median picture of the reference population",
            "score",
            nullable=False,
        ),
        column("text", pa.string(), "The same in plain words", nullable=False),
    ],
    metadata={"caption": "Why: for each score the properties, five at most, that moved it most."},
)

MAPS = pa.schema(
    [
        column("medium_id", pa.string(), "UUID of the medium", nullable=False),
        column("map", pa.string(), "Name of the map", nullable=False),
        column("path", pa.string(), "File, relative to the run directory", nullable=False),
    ],
    metadata={"caption": "One row per map file."},
)

PROBLEMS = pa.schema(
    [
        PATH,
        ID,
        column("severity", pa.string(), "error (no result) or warning (a result, with this note)", nullable=False),
        column("code", pa.string(), "Stable name of the problem", nullable=False),
        column("message", pa.string(), "What happened and what to do", nullable=False),
    ],
    metadata={"caption": "Everything that did not go as it should, one row each."},
)

_SCORES = (
    column("focus", pa.float64(), "How concentrated attention is, 0-100", "score"),
    column("cognitive_demand", pa.float64(), "How complex it looks, 0-100", "score"),
    column("clarity", pa.float64(), "How simple rather than unclear it is found, 0-100", "score"),
    column("design", pa.float64(), "How good its design is found, 0-100", "score"),
    column("memory", pa.float64(), "Proxy of recognition, 0-100", "score"),
)

FRAMES = pa.schema(
    [
        MEDIUM,
        column("t_s", pa.float64(), "When, from the first frame", "s", nullable=False),
        column("weight_s", pa.float64(), "For how long this sample stands", "s", nullable=False),
        column("scene_id", pa.int32(), "Scene it belongs to, from 0", nullable=False),
        *_SCORES,
        column("engagement_frt", pa.float64(), "Frame-level engagement, 0-100", "score"),
        column("x", pa.float64(), "Point of largest attention, 0 left to 1 right", nullable=False),
        column("y", pa.float64(), "Point of largest attention, 0 top to 1 bottom", nullable=False),
    ],
    metadata={"caption": "One row per sampled frame of media that move."},
)

SCENES = pa.schema(
    [
        MEDIUM,
        column("scene_id", pa.int32(), "Number of the scene, from 0", nullable=False),
        column("start_s", pa.float64(), "Where it begins, from the first frame", "s", nullable=False),
        column("end_s", pa.float64(), "Where it ends; the next begins there", "s", nullable=False),
        column("cut_type", pa.string(), "How it begins: start, cut or fade", nullable=False),
        *_SCORES,
        column("engagement", pa.float64(), "Time-weighted mean of engagement_frt, a proxy", "score"),
    ],
    metadata={"caption": "One row per scene of media that move; scores are time-weighted means of its frames'."},
)

_AOI = column("aoi_id", pa.string(), "UUID of the AOI", nullable=False)


def _sides(nullable: bool) -> tuple[pa.Field, ...]:
    sides = (("x0", "Left"), ("y0", "Top"), ("x1", "Right"), ("y1", "Bottom"))
    return tuple(
        column(name, pa.float64(), f"{side} side as a share of the {'width' if name[0] == 'x' else 'height'}",
               nullable=nullable)
        for name, side in sides
    )  # fmt: skip


AOIS = pa.schema(
    [
        MEDIUM,
        _AOI,
        column("type", pa.string(), "branding, product, headline_text, body_text, call_to_action, face, person, other",
               nullable=False),
        column("label", pa.string(), "What people call it: the brand, the first words of a text, the kind of thing",
               nullable=False),
        column("source", pa.string(), "detected or drawn", nullable=False),
        column("method", pa.string(), "How it was found: text, wording, brand_name, logo_picture, word_mark, detector, "
               "drawn", nullable=False),
        column("confidence", pa.float64(), "How sure the detection is, 0-1; null when drawn"),
        *_sides(nullable=False),
        column("polygon", pa.list_(pa.list_(pa.float64(), 2)), "Corners (x, y) in unit coordinates; null for a box"),
        column("t0_s", pa.float64(), "When it is first there; null in a picture, or from the beginning", "s"),
        column("t1_s", pa.float64(), "When it is last there; null in a picture, or to the end", "s"),
        column("text", pa.string(), "What it says; null where it holds no text or was not read"),
        column("line_height_pct", pa.float64(), "Height of its typical line, % of the medium's height", "%"),
        column("contrast_ratio", pa.float64(), "WCAG contrast of letters and ground, 1-21"),
        column("legible", pa.bool_(), "Whether it can be read at the platform's usual display size"),
    ],
    metadata={"caption": "One row per area of interest."},
)  # fmt: skip

AOI_TRACKS = pa.schema(
    [
        MEDIUM,
        _AOI,
        column("t_s", pa.float64(), "Sampled instant, from the first frame", "s", nullable=False),
        *_sides(nullable=False),
        column("confidence", pa.float64(), "How sure the detection is that it rests on, 0-1", nullable=False),
    ],
    metadata={"caption": "Where AOIs of media that move are: one row per AOI and sample at which it is visible."},
)

AOI_SCORES = pa.schema(
    [
        MEDIUM,
        _AOI,
        column("metric", pa.string(), "Name of the metric", nullable=False),
        column("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        column("value", pa.float64(), "The value; null when undefined, see reason"),
        column("lo", pa.float64(), "Lower end of the 90 % interval"),
        column("hi", pa.float64(), "Upper end of the 90 % interval"),
        column("unit", pa.string(), "Unit of value, lo and hi", nullable=False),
        column("reason", pa.string(), "Why the value is null"),
    ],
    metadata={"caption": "One row per AOI, metric and time."},
)

SUGGESTIONS = pa.schema(
    [
        MEDIUM,
        column("purpose", pa.string(), "For which it was tried: brand_building, conversion; null: none stated"),
        column("rank", pa.int32(), "1 for the largest gain of the purpose", nullable=False),
        column("action", pa.string(), "What is done first: scale, contrast or move", nullable=False),
        column("aoi_id", pa.string(), "UUID of the AOI that is to be edited", nullable=False),
        column("gains_aoi_id", pa.string(), "UUID of the AOI that gains by it", nullable=False),
        column("edits", pa.string(), "What was tried, in order, as JSON: action, aoi, factor or to", nullable=False),
        column("metric", pa.string(), "Metric of the AOI that is gained, over the whole exposure", nullable=False),
        column("before", pa.float64(), "Its value now", nullable=False),
        column("after", pa.float64(), "Its value with the gain", nullable=False),
        column("gain", pa.float64(), "Predicted change", nullable=False),
        column("lo", pa.float64(), "Lower end of the 90 % interval of the change: its repeatability", nullable=False),
        column("hi", pa.float64(), "Upper end of that", nullable=False),
        column("unit", pa.string(), "Unit of before, after, gain, lo and hi", nullable=False),
        column("text", pa.string(), "The same in a sentence", nullable=False),
    ],
    metadata={"caption": "Edits of pictures that were tried and are predicted to help; three a purpose at most."},
)

TABLES: dict[str, pa.Schema] = {
    "media": MEDIA,
    "metrics": METRICS,
    "drivers": DRIVERS,
    "frames": FRAMES,
    "scenes": SCENES,
    "aois": AOIS,
    "aoi_tracks": AOI_TRACKS,
    "aoi_scores": AOI_SCORES,
    "suggestions": SUGGESTIONS,
    "maps": MAPS,
    "problems": PROBLEMS,
    "benchmark_ranges": BENCHMARK_RANGES,
    "rule_results": RULE_RESULTS,
    "checks": CHECKS,
    "screen_times": SCREEN_TIMES,
}
"""Tables that every run has."""

DERIVED = frozenset({"suggestions", "benchmark_ranges", "rule_results", "checks", "screen_times"})
"""Those that follow from others, or that came later: runs of versions that did not know them count as having none of
their rows."""

OTHER_TABLES: dict[str, pa.Schema] = {"comparisons": COMPARISONS, "trends": TRENDS}
"""Tables of several runs, or of pairs, which lie beside the page that shows them."""
