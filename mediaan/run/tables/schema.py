"""Declare the schemas of all tables: types, units and captions."""

from __future__ import annotations

import pyarrow as pa


def column(name: str, kind: pa.DataType, caption: str, unit: str = "", *, nullable: bool = True) -> pa.Field:
    """Declare a column with its caption and unit as metadata."""
    metadata = {"caption": caption} | ({"unit": unit} if unit else {})
    return pa.field(name, kind, nullable=nullable, metadata=metadata)


PATH = column("path", pa.string(), "Where the file was found, as shown to the user", nullable=False)
ID = column("medium_id", pa.string(), "UUID of the medium, derived from the sha256 of its bytes")
MEDIUM = column("medium_id", pa.string(), "UUID of the medium", nullable=False)


_NUMBER_LIST = pa.list_(pa.float64())

BENCHMARK_RANGES = pa.schema(
    [
        MEDIUM,
        column("aoi_id", pa.string(), "UUID of the AOI; null for a score of the medium"),
        column("aoi_type", pa.string(), "Type of the AOI; null for a score of the medium"),
        column("metric", pa.string(), "Name of the metric", nullable=False),
        column("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        column("value", pa.float64(), "The score; null when undefined"),
        column("lo", pa.float64(), "Lower end of its 90 % interval"),
        column("hi", pa.float64(), "Upper end of its 90 % interval"),
        column("percentile", pa.float64(), "Share of the population with a lower score", "%"),
        column("percentile_lo", pa.float64(), "The same of lo", "%"),
        column("percentile_hi", pa.float64(), "The same of hi", "%"),
        column("category", pa.string(), "extreme_low, low, medium, high or extreme_high"),
        column("category_lo", pa.string(), "Category of lo"),
        column("category_hi", pa.string(), "Category of hi"),
        column("sure", pa.bool_(), "Whether the interval lies in one category; null without an interval"),
        column("lower", pa.float64(), "Lower end of the recommended range, in the metric's unit"),
        column("upper", pa.float64(), "Upper end of the recommended range, in the metric's unit"),
        column("target", pa.list_(pa.string()), "Categories that are recommended for the objective, from low to high"),
        column("position", pa.string(), "within, close_to, above or below the recommended range"),
        column("score_title", pa.string(), "One sentence that holds the score and its position"),
        column("why", pa.string(), "Why that range is recommended"),
        column("norm_set", pa.string(), "Name of the population", nullable=False),
        column("segment", pa.string(), "Part of the population that was used, such as industry=food; all: the whole",
               nullable=False),
        column("fallback", pa.string(), "Which part was asked for instead, and why it was not used"),
        column("n", pa.int64(), "Media, or AOIs, in that part"),
        column("edges", _NUMBER_LIST, "Scores at the 10th, 30th, 70th and 90th percentile, in the metric's unit"),
        column("edges_lo", _NUMBER_LIST, "Lower ends of the edges' 90 % bootstrap intervals"),
        column("edges_hi", _NUMBER_LIST, "Upper ends of the edges' 90 % bootstrap intervals"),
        column("reason", pa.string(), "Why there is no range"),
    ],
    metadata={"caption": "Where scores stand in their population: one row per score of a medium or of an AOI."},
)  # fmt: skip

RULE_RESULTS = pa.schema(
    [
        PATH,
        ID,
        column("rule", pa.string(), "The rule as it was written", nullable=False),
        column("name", pa.string(), "What people call it", nullable=False),
        column("severity", pa.string(), "error or warning", nullable=False),
        column("status", pa.string(), "passed, failed or skipped", nullable=False),
        column("value", pa.float64(), "The score that was looked at, in the metric's unit"),
        column("lo", pa.float64(), "Lower end of its 90 % interval"),
        column("hi", pa.float64(), "Upper end of its 90 % interval"),
        column("limit", pa.float64(), "What it is compared with, in the metric's unit"),
        column("margin", pa.float64(), "How far it is on the right side of the limit; negative: by how much it fails"),
        column(
            "sure",
            pa.bool_(),
            "Whether the interval is on one side of the limit and of its own interval; null without an interval",
        ),
        column("aoi_id", pa.string(), "UUID of the AOI that was looked at"),
        column("message", pa.string(), "What was asked and what was found, in one sentence", nullable=False),
    ],
    metadata={"caption": "One row per medium and rule that is meant for it."},
)

CHECKS = pa.schema(
    [
        MEDIUM,
        column("name", pa.string(), "Name of the check, such as brand_seen", nullable=False),
        column("title", pa.string(), "What should be true, in words", nullable=False),
        column("status", pa.string(), "passed, failed, close (too close to call) or unknown", nullable=False),
        column("required", pa.bool_(), "Whether the purpose of the medium requires it", nullable=False),
        column("sure", pa.bool_(), "Whether it passed or failed at nine in ten or more", nullable=False),
        column("probability", pa.float64(), "That the target is met, by the interval, 0-1"),
        column("value", pa.float64(), "The number that was looked at"),
        column("lo", pa.float64(), "Lower end of its 90 % interval"),
        column("hi", pa.float64(), "Upper end of its 90 % interval"),
        column("target", pa.float64(), "What it is held against, in the unit of the value"),
        column("unit", pa.string(), "Unit of value, lo, hi and target; empty without a number"),
        column("aoi_id", pa.string(), "UUID of the AOI that it rests on"),
        column("text", pa.string(), "What was found, in one sentence", nullable=False),
        column("settle", pa.string(), "What would settle it, where it is not known"),
        column("todo", pa.string(), "What to change, where it failed and that can be told"),
        column("why", pa.string(), "Why it is asked for", nullable=False),
        column("source", pa.string(), "Where that was shown; empty for an opinion", nullable=False),
    ],
    metadata={"caption": "One row per medium and check that is asked of it."},
)

SCREEN_TIMES = pa.schema(
    [
        MEDIUM,
        column("aoi_id", pa.string(), "UUID of the AOI; null for a medium, and for all AOIs of a type together"),
        column("aoi_type", pa.string(), "Type of the AOIs; null for a medium"),
        column("metric", pa.string(), "appears_s, on_screen_s, characters_per_s, end_card_s or opening_shots",
               nullable=False),
        column("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        column("value", pa.float64(), "The value; null when undefined, see reason"),
        column("unit", pa.string(), "Unit of value", nullable=False),
        column("reason", pa.string(), "Why the value is null"),
    ],
    metadata={"caption": "When what is on screen, of media that move: one row per medium, type or AOI, and metric."},
)  # fmt: skip

COMPARISONS = pa.schema(
    [
        column("a", pa.string(), "Path of a medium, or name of a group", nullable=False),
        column("b", pa.string(), "Path of a medium, or name of a group", nullable=False),
        column("aoi_type", pa.string(), "Type of the AOI that both have; null for a score of the media"),
        column("aoi_label", pa.string(), "What people call that AOI"),
        column("metric", pa.string(), "Name of the metric", nullable=False),
        column("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        column("unit", pa.string(), "Unit of values and difference", nullable=False),
        column("value_a", pa.float64(), "Score of A; of a group its mean"),
        column("value_b", pa.float64(), "Score of B; of a group its mean"),
        column("n_a", pa.int64(), "Media with a value in A", nullable=False),
        column("n_b", pa.int64(), "Media with a value in B", nullable=False),
        column("difference", pa.float64(), "A minus B"),
        column("lo", pa.float64(), "Lower end of its 90 % interval"),
        column("hi", pa.float64(), "Upper end of its 90 % interval"),
        column("probability", pa.float64(), "That A's true score is the higher one, 0-1"),
        column("p", pa.float64(), "Two-sided probability of such a difference by chance where there is none, 0-1"),
        column("p_corrected", pa.float64(), "The same, corrected for the number of comparisons"),
        column("n_comparisons", pa.int64(), "How many comparisons were made together", nullable=False),
        column("headline", pa.bool_(), "Whether the comparison is decided by it; others are detail", nullable=False),
        column("verdict", pa.string(), "a_higher, b_higher, not_distinguishable or undefined", nullable=False),
        column("better", pa.string(), "a or b; null where it cannot be told, or neither end is good"),
        column("lean", pa.string(), "a or b: which is probably better where nothing is proven; null where neither is"),
        column("reason", pa.string(), "Why it is undefined, or what to know of it"),
    ],
    metadata={"caption": "One row per pair of media or groups and score. Written by mediaan compare, beside its page."},
)

TRENDS = pa.schema(
    [
        column("group", pa.string(), "Group of media; null where they are not grouped"),
        column("aoi_type", pa.string(), "Type of AOI, each medium's main one counts; null for scores of media"),
        column("metric", pa.string(), "Name of the metric; presence: media that have such an AOI", nullable=False),
        column("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False),
        column("unit", pa.string(), "Unit of mean, line, slope and change", nullable=False),
        column("period", pa.string(), "Such as 2024-05-17, 2024-W20, 2024-05, 2024-Q2 or 2024", nullable=False),
        column("first_day", pa.date32(), "First day of the period", nullable=False),
        column("last_day", pa.date32(), "Last day of the period", nullable=False),
        column("at", pa.date32(), "Mean date of its media", nullable=False),
        column("n", pa.int64(), "Media with a value in the period", nullable=False),
        column("mean", pa.float64(), "Mean of their scores", nullable=False),
        column("lo", pa.float64(), "Lower end of the mean's 90 % interval"),
        column("hi", pa.float64(), "Upper end of the mean's 90 % interval"),
        column("line", pa.float64(), "Height of the straight line, or the step, through the means"),
        column("per", pa.string(), "What slopes are per: year, month, week or day", nullable=False),
        column("split", pa.date32(), "Day from which on a step is looked for; null where slopes are"),
        column("slope", pa.float64(), "Slope of the line, the same in all rows of a trend; null for a step"),
        column("slope_lo", pa.float64(), "Lower end of its 90 % interval"),
        column("slope_hi", pa.float64(), "Upper end of its 90 % interval"),
        column("change", pa.float64(), "Rise of the line from the first period to the last one, or height of the step"),
        column("change_lo", pa.float64(), "Lower end of its 90 % interval"),
        column("change_hi", pa.float64(), "Upper end of its 90 % interval"),
        column("p", pa.float64(), "Two-sided probability of such a slope by chance where there is none, 0-1"),
        column("p_corrected", pa.float64(), "The same, corrected for the number of trends"),
        column("n_trends", pa.int64(), "How many trends were looked at together", nullable=False),
        column("verdict", pa.string(), "rises, falls, no_trend (none can be told) or undefined", nullable=False),
        column("reason", pa.string(), "Why there is no line"),
    ],
    metadata={"caption": "One row per score, group and period with media. Written by mediaan trend, beside its page."},
)


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
