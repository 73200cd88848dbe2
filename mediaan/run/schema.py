"""Schemas of the tables of a run, declared once: types, units and captions."""

from __future__ import annotations

import pyarrow as pa


def _field(name: str, kind: pa.DataType, caption: str, unit: str = "", *, nullable: bool = True) -> pa.Field:
    metadata = {"caption": caption} | ({"unit": unit} if unit else {})
    return pa.field(name, kind, nullable=nullable, metadata=metadata)


_ID = _field("medium_id", pa.string(), "UUID of the medium, derived from the sha256 of its bytes")
_PATH = _field("path", pa.string(), "Where the file was found, as shown to the user", nullable=False)

MEDIA = pa.schema(
    [
        _PATH,
        _ID,
        _field("name", pa.string(), "File name", nullable=False),
        _field("type", pa.string(), "image, video (also animated pictures), or mixed where that was asked for"),
        _field("status", pa.string(), "done or failed", nullable=False),
        _field("error_code", pa.string(), "Stable name of what went wrong; null when done"),
        _field("error_message", pa.string(), "What went wrong and what to do; null when done"),
        _field("width", pa.int32(), "Width as displayed", "px"),
        _field("height", pa.int32(), "Height as displayed", "px"),
        _field("codec", pa.string(), "Format of the picture, or codec of the video"),
        _field("duration_s", pa.float64(), "Duration as read; null for a still picture", "s"),
        _field("frame_rate", pa.float64(), "Average frame rate as stated; null for a still picture", "1/s"),
        _field("share_read", pa.float64(), "Share of the file that could be decoded; null when failed"),
        _field(
            "novelty",
            pa.float64(),
            "Share of the training material that lies nearer to its own kind, 0-1; above "
            ".99 the medium is unlike all that the models know",
        ),
        _field("size_bytes", pa.int64(), "Size of the file", "B"),
        # without a zone: DuckDB hands zoned times to Python only where pytz is installed
        _field("created_at", pa.timestamp("ms"), "When it was analysed", "UTC", nullable=False),
        _field("seconds", pa.float64(), "Time that the analysis took in its worker", "s", nullable=False),
    ],
    metadata={"caption": "One row per file. The same bytes under two paths are two rows with one medium_id."},
)

METRICS = pa.schema(
    [
        _field("medium_id", pa.string(), "UUID of the medium", nullable=False),
        _field("metric", pa.string(), "Name of the metric", nullable=False),
        _field("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        _field("value", pa.float64(), "The value; null when undefined, see reason"),
        _field("lo", pa.float64(), "Lower end of the 90 % interval"),
        _field("hi", pa.float64(), "Upper end of the 90 % interval"),
        _field("basis", pa.string(), "measured, learned or proxy", nullable=False),
        _field("unit", pa.string(), "Unit of value, lo and hi", nullable=False),
        _field("reason", pa.string(), "Why the value is null"),
    ],
    metadata={"caption": "One row per medium, metric and time."},
)

DRIVERS = pa.schema(
    [
        _field("medium_id", pa.string(), "UUID of the medium", nullable=False),
        _field("metric", pa.string(), "Name of the metric that it moves", nullable=False),
        _field("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        _field("rank", pa.int32(), "1 for what moves the score most", nullable=False),
        _field("driver", pa.string(), "Name of the measured property", nullable=False),
        _field("value", pa.float64(), "The property as measured; null for what is not one number"),
        _field(
            "points",
            pa.float64(),
            "The score less what it would be with this property as in the median picture of the reference population",
            "score",
            nullable=False,
        ),
        _field("text", pa.string(), "The same in plain words", nullable=False),
    ],
    metadata={"caption": "Why: for each score the properties, five at most, that moved it most."},
)

MAPS = pa.schema(
    [
        _field("medium_id", pa.string(), "UUID of the medium", nullable=False),
        _field("map", pa.string(), "Name of the map", nullable=False),
        _field("path", pa.string(), "File, relative to the run directory", nullable=False),
    ],
    metadata={"caption": "One row per map file."},
)

PROBLEMS = pa.schema(
    [
        _PATH,
        _ID,
        _field("severity", pa.string(), "error (no result) or warning (a result, with this note)", nullable=False),
        _field("code", pa.string(), "Stable name of the problem", nullable=False),
        _field("message", pa.string(), "What happened and what to do", nullable=False),
    ],
    metadata={"caption": "Everything that did not go as it should, one row each."},
)

_MEDIUM = _field("medium_id", pa.string(), "UUID of the medium", nullable=False)
_SCORES = (
    _field("focus", pa.float64(), "How concentrated attention is, 0-100", "score"),
    _field("cognitive_demand", pa.float64(), "How complex it looks, 0-100", "score"),
    _field("clarity", pa.float64(), "How easily it is taken in, 0-100, a proxy", "score"),
    _field("memory", pa.float64(), "Proxy of recognition, 0-100", "score"),
)

FRAMES = pa.schema(
    [
        _MEDIUM,
        _field("t_s", pa.float64(), "When, from the first frame", "s", nullable=False),
        _field("weight_s", pa.float64(), "For how long this sample stands", "s", nullable=False),
        _field("scene_id", pa.int32(), "Scene it belongs to, from 0", nullable=False),
        *_SCORES,
        _field("engagement_frt", pa.float64(), "Frame-level engagement, 0-100, a proxy", "score"),
        _field("x", pa.float64(), "Point of largest attention, 0 left to 1 right", nullable=False),
        _field("y", pa.float64(), "Point of largest attention, 0 top to 1 bottom", nullable=False),
    ],
    metadata={"caption": "One row per sampled frame of media that move."},
)

SCENES = pa.schema(
    [
        _MEDIUM,
        _field("scene_id", pa.int32(), "Number of the scene, from 0", nullable=False),
        _field("start_s", pa.float64(), "Where it begins, from the first frame", "s", nullable=False),
        _field("end_s", pa.float64(), "Where it ends; the next begins there", "s", nullable=False),
        _field("cut_type", pa.string(), "How it begins: start, cut or fade", nullable=False),
        *_SCORES,
        _field("engagement", pa.float64(), "Time-weighted mean of engagement_frt, a proxy", "score"),
    ],
    metadata={"caption": "One row per scene of media that move; scores are time-weighted means of its frames'."},
)

_AOI = _field("aoi_id", pa.string(), "UUID of the AOI", nullable=False)


def _sides(nullable: bool) -> tuple[pa.Field, ...]:
    sides = (("x0", "Left"), ("y0", "Top"), ("x1", "Right"), ("y1", "Bottom"))
    return tuple(
        _field(name, pa.float64(), f"{side} side as a share of the {'width' if name[0] == 'x' else 'height'}",
               nullable=nullable)
        for name, side in sides
    )  # fmt: skip


AOIS = pa.schema(
    [
        _MEDIUM,
        _AOI,
        _field("type", pa.string(), "branding, product, headline_text, body_text, call_to_action, face, person, other",
               nullable=False),
        _field("label", pa.string(), "What people call it: the brand, the first words of a text, the kind of thing",
               nullable=False),
        _field("source", pa.string(), "detected or drawn", nullable=False),
        _field("method", pa.string(), "How it was found: text, wording, brand_name, logo_picture, word_mark, detector, "
               "drawn", nullable=False),
        _field("confidence", pa.float64(), "How sure the detection is, 0-1; null when drawn"),
        *_sides(nullable=False),
        _field("polygon", pa.list_(pa.list_(pa.float64(), 2)), "Corners (x, y) in unit coordinates; null for a box"),
        _field("t0_s", pa.float64(), "When it is first there; null in a picture, or from the beginning", "s"),
        _field("t1_s", pa.float64(), "When it is last there; null in a picture, or to the end", "s"),
        _field("text", pa.string(), "What it says; null where it holds no text or was not read"),
        _field("line_height_pct", pa.float64(), "Height of its typical line, % of the medium's height", "%"),
        _field("contrast_ratio", pa.float64(), "WCAG contrast of letters and ground, 1-21"),
        _field("legible", pa.bool_(), "Whether it can be read at the platform's usual display size"),
    ],
    metadata={"caption": "One row per area of interest."},
)  # fmt: skip

AOI_TRACKS = pa.schema(
    [
        _MEDIUM,
        _AOI,
        _field("t_s", pa.float64(), "Sampled instant, from the first frame", "s", nullable=False),
        *_sides(nullable=False),
        _field("confidence", pa.float64(), "How sure the detection is that it rests on, 0-1", nullable=False),
    ],
    metadata={"caption": "Where AOIs of media that move are: one row per AOI and sample at which it is visible."},
)

AOI_SCORES = pa.schema(
    [
        _MEDIUM,
        _AOI,
        _field("metric", pa.string(), "Name of the metric", nullable=False),
        _field("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        _field("value", pa.float64(), "The value; null when undefined, see reason"),
        _field("lo", pa.float64(), "Lower end of the 90 % interval"),
        _field("hi", pa.float64(), "Upper end of the 90 % interval"),
        _field("unit", pa.string(), "Unit of value, lo and hi", nullable=False),
        _field("reason", pa.string(), "Why the value is null"),
    ],
    metadata={"caption": "One row per AOI, metric and time."},
)

_NUMBER_LIST = pa.list_(pa.float64())

BENCHMARK_RANGES = pa.schema(
    [
        _MEDIUM,
        _field("aoi_id", pa.string(), "UUID of the AOI; null for a score of the medium"),
        _field("aoi_type", pa.string(), "Type of the AOI; null for a score of the medium"),
        _field("metric", pa.string(), "Name of the metric", nullable=False),
        _field("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        _field("value", pa.float64(), "The score; null when undefined"),
        _field("lo", pa.float64(), "Lower end of its 90 % interval"),
        _field("hi", pa.float64(), "Upper end of its 90 % interval"),
        _field("percentile", pa.float64(), "Share of the population with a lower score", "%"),
        _field("percentile_lo", pa.float64(), "The same of lo", "%"),
        _field("percentile_hi", pa.float64(), "The same of hi", "%"),
        _field("category", pa.string(), "extreme_low, low, medium, high or extreme_high"),
        _field("category_lo", pa.string(), "Category of lo"),
        _field("category_hi", pa.string(), "Category of hi"),
        _field("sure", pa.bool_(), "Whether the interval lies in one category; null without an interval"),
        _field("lower", pa.float64(), "Lower end of the recommended range, in the metric's unit"),
        _field("upper", pa.float64(), "Upper end of the recommended range, in the metric's unit"),
        _field("target", pa.list_(pa.string()), "Categories that are recommended for the objective, from low to high"),
        _field("position", pa.string(), "within, close_to, above or below the recommended range"),
        _field("score_title", pa.string(), "One sentence that holds the score and its position"),
        _field("why", pa.string(), "Why that range is recommended"),
        _field("norm_set", pa.string(), "Name of the population", nullable=False),
        _field("segment", pa.string(), "Part of the population that was used, such as industry=food; all: the whole",
               nullable=False),
        _field("fallback", pa.string(), "Which part was asked for instead, and why it was not used"),
        _field("n", pa.int64(), "Media, or AOIs, in that part"),
        _field("edges", _NUMBER_LIST, "Scores at the 10th, 30th, 70th and 90th percentile, in the metric's unit"),
        _field("edges_lo", _NUMBER_LIST, "Lower ends of the edges' 90 % bootstrap intervals"),
        _field("edges_hi", _NUMBER_LIST, "Upper ends of the edges' 90 % bootstrap intervals"),
        _field("reason", pa.string(), "Why there is no range"),
    ],
    metadata={"caption": "Where scores stand in their population: one row per score of a medium or of an AOI."},
)  # fmt: skip

RULE_RESULTS = pa.schema(
    [
        _PATH,
        _ID,
        _field("rule", pa.string(), "The rule as it was written", nullable=False),
        _field("name", pa.string(), "What people call it", nullable=False),
        _field("severity", pa.string(), "error or warning", nullable=False),
        _field("status", pa.string(), "passed, failed or skipped", nullable=False),
        _field("value", pa.float64(), "The score that was looked at, in the metric's unit"),
        _field("lo", pa.float64(), "Lower end of its 90 % interval"),
        _field("hi", pa.float64(), "Upper end of its 90 % interval"),
        _field("limit", pa.float64(), "What it is compared with, in the metric's unit"),
        _field("margin", pa.float64(), "How far it is on the right side of the limit; negative: by how much it fails"),
        _field("sure", pa.bool_(), "Whether the interval is on one side of the limit; null without an interval"),
        _field("aoi_id", pa.string(), "UUID of the AOI that was looked at"),
        _field("message", pa.string(), "What was asked and what was found, in one sentence", nullable=False),
    ],
    metadata={"caption": "One row per medium and rule that is meant for it."},
)

COMPARISONS = pa.schema(
    [
        _field("a", pa.string(), "Path of a medium, or name of a group", nullable=False),
        _field("b", pa.string(), "Path of a medium, or name of a group", nullable=False),
        _field("aoi_type", pa.string(), "Type of the AOI that both have; null for a score of the media"),
        _field("aoi_label", pa.string(), "What people call that AOI"),
        _field("metric", pa.string(), "Name of the metric", nullable=False),
        _field("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        _field("unit", pa.string(), "Unit of values and difference", nullable=False),
        _field("value_a", pa.float64(), "Score of A; of a group its mean"),
        _field("value_b", pa.float64(), "Score of B; of a group its mean"),
        _field("n_a", pa.int64(), "Media with a value in A", nullable=False),
        _field("n_b", pa.int64(), "Media with a value in B", nullable=False),
        _field("difference", pa.float64(), "A minus B"),
        _field("lo", pa.float64(), "Lower end of its 90 % interval"),
        _field("hi", pa.float64(), "Upper end of its 90 % interval"),
        _field("probability", pa.float64(), "That A's true score is the higher one, 0-1"),
        _field("p", pa.float64(), "Two-sided probability of such a difference by chance where there is none, 0-1"),
        _field("p_corrected", pa.float64(), "The same, corrected for the number of comparisons"),
        _field("n_comparisons", pa.int64(), "How many comparisons were made together", nullable=False),
        _field("verdict", pa.string(), "a_higher, b_higher, not_distinguishable or undefined", nullable=False),
        _field("better", pa.string(), "a or b; null where it cannot be told, or neither end is good"),
        _field("reason", pa.string(), "Why it is undefined, or what to know of it"),
    ],
    metadata={"caption": "One row per pair of media or groups and score. Written by mediaan compare, beside its page."},
)

TRENDS = pa.schema(
    [
        _field("group", pa.string(), "Group of media; null where they are not grouped"),
        _field("aoi_type", pa.string(), "Type of AOI, each medium's best one counts; null for scores of media"),
        _field("metric", pa.string(), "Name of the metric; presence: media that have such an AOI", nullable=False),
        _field("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        _field("unit", pa.string(), "Unit of mean, line, slope and change", nullable=False),
        _field("period", pa.string(), "Such as 2024-05-17, 2024-W20, 2024-05, 2024-Q2 or 2024", nullable=False),
        _field("first_day", pa.date32(), "First day of the period", nullable=False),
        _field("last_day", pa.date32(), "Last day of the period", nullable=False),
        _field("at", pa.date32(), "Mean date of its media", nullable=False),
        _field("n", pa.int64(), "Media with a value in the period", nullable=False),
        _field("mean", pa.float64(), "Mean of their scores", nullable=False),
        _field("lo", pa.float64(), "Lower end of the mean's 90 % interval"),
        _field("hi", pa.float64(), "Upper end of the mean's 90 % interval"),
        _field("line", pa.float64(), "Height of the straight line, or the step, through the means"),
        _field("per", pa.string(), "What slopes are per: year, month, week or day", nullable=False),
        _field("split", pa.date32(), "Day from which on a step is looked for; null where slopes are"),
        _field("slope", pa.float64(), "Slope of the line, the same in all rows of a trend; null for a step"),
        _field("slope_lo", pa.float64(), "Lower end of its 90 % interval"),
        _field("slope_hi", pa.float64(), "Upper end of its 90 % interval"),
        _field("change", pa.float64(), "Rise of the line from the first period to the last one, or height of the step"),
        _field("change_lo", pa.float64(), "Lower end of its 90 % interval"),
        _field("change_hi", pa.float64(), "Upper end of its 90 % interval"),
        _field("p", pa.float64(), "Two-sided probability of such a slope by chance where there is none, 0-1"),
        _field("p_corrected", pa.float64(), "The same, corrected for the number of trends"),
        _field("n_trends", pa.int64(), "How many trends were looked at together", nullable=False),
        _field("verdict", pa.string(), "rises, falls, no_trend (none can be told) or undefined", nullable=False),
        _field("reason", pa.string(), "Why there is no line"),
    ],
    metadata={"caption": "One row per score, group and period with media. Written by mediaan trend, beside its page."},
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
    "maps": MAPS,
    "problems": PROBLEMS,
    "benchmark_ranges": BENCHMARK_RANGES,
    "rule_results": RULE_RESULTS,
}
"""Tables that every run has."""

OTHER_TABLES: dict[str, pa.Schema] = {"comparisons": COMPARISONS, "trends": TRENDS}
"""Tables of several runs, or of pairs, which lie beside the page that shows them."""
