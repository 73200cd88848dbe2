"""Declare the schemas of all tables: types, units and captions."""

from __future__ import annotations

import pyarrow as pa

from mediaan.aoi.scoring.film_scores import FILM_SCORES
from mediaan.metrics.catalogue import metrics_of
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.metrics import MetricSpec


def column(name: str, kind: pa.DataType, caption: str, unit: str = "", *, nullable: bool = True) -> pa.Field:
    """Declare a column with its caption and unit as metadata."""
    metadata = {"caption": caption} | ({"unit": unit} if unit else {})
    return pa.field(name, kind, nullable=nullable, metadata=metadata)


def _table(caption: str, *columns: pa.Field) -> pa.Schema:
    return pa.schema(columns, metadata={"caption": caption})


PATH = column("path", pa.string(), "Path of the file, as shown to the user", nullable=False)
ID = column("medium_id", pa.string(), "UUID of the file, derived from the sha256 of its bytes")
MEDIUM = column("medium_id", pa.string(), "UUID of the file", nullable=False)


_METRIC_TIME = column("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)", nullable=False)
_METRIC_AND_TIME = (column("metric", pa.string(), "Name of the metric", nullable=False), _METRIC_TIME)
_INTERVAL = (
    column("lo", pa.float64(), "Lower end of its 90 % interval"),
    column("hi", pa.float64(), "Upper end of its 90 % interval"),
)
_NUMBER_LIST = pa.list_(pa.float64())

BENCHMARK_RANGES = _table(
    "Scores compared with their benchmark: one row per score of a file or of an AOI.",
    MEDIUM,
    column("aoi_id", pa.string(), "UUID of the AOI; null for a score of the whole file"),
    column("aoi_type", pa.string(), "Type of the AOI; null for a score of the whole file"),
    *_METRIC_AND_TIME,
    column("value", pa.float64(), "The score; null when undefined"),
    *_INTERVAL,
    column("percentile", pa.float64(), "Share of the benchmark with a lower score", "%"),
    column("percentile_lo", pa.float64(), "The same for lo", "%"),
    column("percentile_hi", pa.float64(), "The same for hi", "%"),
    column("category", pa.string(), "extreme_low, low, medium, high or extreme_high"),
    column("category_lo", pa.string(), "Category of lo"),
    column("category_hi", pa.string(), "Category of hi"),
    column("sure", pa.bool_(), "Whether the interval lies in one category; null without an interval"),
    column("lower", pa.float64(), "Lower end of the target range, in the metric's unit"),
    column("upper", pa.float64(), "Upper end of the target range, in the metric's unit"),
    column("target", pa.list_(pa.string()), "Categories recommended for the objective, from low to high"),
    column("position", pa.string(), "within, close_to, above or below the target range"),
    column("score_title", pa.string(), "The score and its position in one sentence"),
    column("why", pa.string(), "Reason for the target range"),
    column("norm_set", pa.string(), "Name of the benchmark", nullable=False),
    column("segment", pa.string(), "Part of the benchmark that was used, such as industry=food; all: the whole",
           nullable=False),
    column("fallback", pa.string(), "Part that would have been used first, and why it was not"),
    column("n", pa.int64(), "Number of files, or AOIs, in that part"),
    column("edges", _NUMBER_LIST, "Scores at the 10th, 30th, 70th and 90th percentile, in the metric's unit"),
    column("edges_lo", _NUMBER_LIST, "Lower ends of the edges' 90 % bootstrap intervals"),
    column("edges_hi", _NUMBER_LIST, "Upper ends of the edges' 90 % bootstrap intervals"),
    column("reason", pa.string(), "Why there is no range"),
)  # fmt: skip

RULE_RESULTS = _table(
    "One row per file and rule that applies to it.",
    PATH,
    ID,
    column("rule", pa.string(), "The rule as it was written", nullable=False),
    column("name", pa.string(), "Name of the rule", nullable=False),
    column("severity", pa.string(), "error or warning", nullable=False),
    column("status", pa.string(), "passed, failed or skipped", nullable=False),
    column("value", pa.float64(), "The score that was checked, in the metric's unit"),
    *_INTERVAL,
    column("limit", pa.float64(), "The limit, in the metric's unit"),
    column("margin", pa.float64(), "Distance from the limit; positive if it passes, negative if it fails"),
    column("sure", pa.bool_(), "Whether the whole interval is on one side of the limit and of its interval; null "
           "without an interval"),
    column("aoi_id", pa.string(), "UUID of the AOI that was checked"),
    column("message", pa.string(), "The condition and the result, in one sentence", nullable=False),
)  # fmt: skip

CHECKS = _table(
    "One row per file and check that applies to it.",
    MEDIUM,
    column("name", pa.string(), "Name of the check, such as brand_seen", nullable=False),
    column("title", pa.string(), "What should be true, in words", nullable=False),
    column("status", pa.string(), "passed, failed, close (too close to call) or unknown", nullable=False),
    column("required", pa.bool_(), "Whether the purpose of the file requires it", nullable=False),
    column("sure", pa.bool_(), "Whether it passed or failed with odds of nine in ten or more", nullable=False),
    column("probability", pa.float64(), "Probability that the target is met, from the interval, 0-1"),
    column("value", pa.float64(), "The number that was checked"),
    *_INTERVAL,
    column("target", pa.float64(), "The target, in the unit of the value"),
    column("unit", pa.string(), "Unit of value, lo, hi and target; empty without a number"),
    column("aoi_id", pa.string(), "UUID of the AOI that was checked"),
    column("text", pa.string(), "What was found, in one sentence", nullable=False),
    column("settle", pa.string(), "What would settle it, if unknown"),
    column("todo", pa.string(), "What to change, if it failed and a change is known"),
    column("why", pa.string(), "Reason for the check", nullable=False),
    column("source", pa.string(), "Source of the reason; empty for an opinion", nullable=False),
)

SCREEN_TIMES = _table(
    "Times on screen in videos and animations: one row per file, type or AOI, and metric.",
    MEDIUM,
    column("aoi_id", pa.string(), "UUID of the AOI; null for a whole file, and for all AOIs of a type together"),
    column("aoi_type", pa.string(), "Type of the AOIs; null for a whole file"),
    column("metric", pa.string(), "appears_s, on_screen_s, characters_per_s, words, words_per_s, long_enough, "
           "end_card_s or opening_shots", nullable=False),
    _METRIC_TIME,
    column("value", pa.float64(), "The value; null when undefined, see reason"),
    column("unit", pa.string(), "Unit of value", nullable=False),
    column("reason", pa.string(), "Why the value is null"),
)  # fmt: skip

FILM = _table(
    "One row per video or animation: its brand, texts, faces and pace.",
    MEDIUM,
    column("duration_s", pa.float64(), "Duration as sampled", "s"),
    column("end_card_start_s", pa.float64(), "Begin of the end card: the last shot if it lasts 1 to 10 s and is "
           "not the only one, otherwise the last 3 s", "s"),
    *(
        column(spec.name, pa.bool_() if spec.high == 1 else pa.float64(), spec.caption,
               "" if spec.unit == "count" else spec.unit)
        for spec in FILM_SCORES
    ),
    column("brand_seen_lo", pa.float64(), "Lower end of the 90 % interval of brand_seen", "%"),
    column("brand_seen_hi", pa.float64(), "Upper end of it", "%"),
    column("reasons", pa.string(), "Why columns are null: a JSON object of reasons by column"),
)  # fmt: skip

PLACEMENTS = _table(
    "Files in their placements: one row per file and placement, and one per AOI in it.",
    MEDIUM,
    column("placement", pa.string(), "Name of the placement, such as instagram_story", nullable=False),
    column("aoi_id", pa.string(), "UUID of the AOI; null for the whole file"),
    column("aoi_type", pa.string(), "Type of the AOI; null for the whole file"),
    column("cropped", pa.float64(), "Share of its area that is cut off", "%", nullable=False),
    column("covered", pa.float64(), "Share of its area that the platform's interface covers", "%", nullable=False),
    column("covered_by", pa.list_(pa.string()), "Zones that cover it, the largest share first", nullable=False),
    column("covered_by_pct", pa.list_(pa.float64()), "Share that each of them covers", "%", nullable=False),
    column("worst_s", pa.float64(), "In a video, when most of it is hidden; the shares are those of then", "s"),
    column("hidden_time", pa.float64(), "In a video, share of its time on screen during which a part is hidden",
           "%"),
    column("shown_width_px", pa.float64(), "Width of the shown file in CSS pixels; null for an AOI and in print",
           "px"),
    column("shown_height_px", pa.float64(), "The same for its height", "px"),
    column("shown_width_mm", pa.float64(), "Width of the shown file; null for an AOI", "mm"),
    column("shown_height_mm", pa.float64(), "The same for its height", "mm"),
    column("shown_width_deg", pa.float64(), "Width of the shown file as a visual angle", "deg"),
    column("text_px", pa.float64(), "Type size of its text as shown, in CSS pixels; null in print", "px"),
    column("x_height_arcmin", pa.float64(), "Height of an x of its text at the usual distance", "arc minutes"),
    column("readable", pa.bool_(), "Whether its text is large and clear enough there; null if contrast is unknown"),
    column("exposure_s", pa.float64(), "How long it is looked at", "s", nullable=False),
    column("attention", pa.float64(), "Estimate of its share of attention as shown", "%"),
    column("attention_lo", pa.float64(), "Lower end of its 90 % interval", "%"),
    column("attention_hi", pa.float64(), "Upper end of its 90 % interval", "%"),
    column("percentage_seen", pa.float64(), "Estimate of the share of viewers who see it as shown", "%"),
    column("percentage_seen_lo", pa.float64(), "Lower end of its 90 % interval", "%"),
    column("percentage_seen_hi", pa.float64(), "Upper end of its 90 % interval", "%"),
    column("time_spent", pa.float64(), "Estimate of the gaze on it as shown", "s"),
    column("first_seen_s", pa.float64(), "Estimate of when it is first seen as shown; null if few see it", "s"),
    column("reason", pa.string(), "Why there are no scores"),
)  # fmt: skip

COMPARISONS = _table(
    "One row per pair of files or groups and score. Written by mediaan compare, next to its page.",
    column("a", pa.string(), "Path of a file, or name of a group", nullable=False),
    column("b", pa.string(), "Path of a file, or name of a group", nullable=False),
    column("aoi_type", pa.string(), "Type of the AOI that both have; null for a score of whole files"),
    column("aoi_label", pa.string(), "Label of that AOI"),
    *_METRIC_AND_TIME,
    column("unit", pa.string(), "Unit of values and difference", nullable=False),
    column("value_a", pa.float64(), "Score of A; for a group, its mean"),
    column("value_b", pa.float64(), "Score of B; for a group, its mean"),
    column("n_a", pa.int64(), "Number of files with a value in A", nullable=False),
    column("n_b", pa.int64(), "Number of files with a value in B", nullable=False),
    column("difference", pa.float64(), "A minus B"),
    *_INTERVAL,
    column("probability", pa.float64(), "Probability that A's true score is higher, 0-1"),
    column("p", pa.float64(), "Two-sided probability of such a difference by chance alone, 0-1"),
    column("p_corrected", pa.float64(), "The same, corrected for the number of comparisons"),
    column("n_comparisons", pa.int64(), "Number of comparisons made together", nullable=False),
    column("headline", pa.bool_(), "Whether the score decides the comparison; others are detail", nullable=False),
    column("verdict", pa.string(), "a_higher, b_higher, not_distinguishable or undefined", nullable=False),
    column("better", pa.string(), "a or b; null if undecided or if neither end of the scale is better"),
    column("lean", pa.string(), "a or b: which is probably better if nothing is proven; null if neither is"),
    column("reason", pa.string(), "Why it is undefined, or a note"),
)

TRENDS = _table(
    "One row per score, group and period with files. Written by mediaan trend, next to its page.",
    column("group", pa.string(), "Group of files; null without groups"),
    column("aoi_type", pa.string(), "Type of AOI (the main one of each file counts); null for scores of whole files"),
    column("metric", pa.string(), "Name of the metric; presence: share of files with such an AOI", nullable=False),
    _METRIC_TIME,
    column("unit", pa.string(), "Unit of mean, line, slope and change", nullable=False),
    column("period", pa.string(), "Such as 2024-05-17, 2024-W20, 2024-05, 2024-Q2 or 2024", nullable=False),
    column("first_day", pa.date32(), "First day of the period", nullable=False),
    column("last_day", pa.date32(), "Last day of the period", nullable=False),
    column("at", pa.date32(), "Mean date of its files", nullable=False),
    column("n", pa.int64(), "Number of files with a value in the period", nullable=False),
    column("mean", pa.float64(), "Mean of their scores", nullable=False),
    column("lo", pa.float64(), "Lower end of the mean's 90 % interval"),
    column("hi", pa.float64(), "Upper end of the mean's 90 % interval"),
    column("line", pa.float64(), "Height of the line, or of the step, through the means"),
    column("per", pa.string(), "Unit of time of slopes: year, month, week or day", nullable=False),
    column("split", pa.date32(), "First day after the step; null for slopes"),
    column("slope", pa.float64(), "Slope of the line, the same in all rows of a trend; null for a step"),
    column("slope_lo", pa.float64(), "Lower end of its 90 % interval"),
    column("slope_hi", pa.float64(), "Upper end of its 90 % interval"),
    column("change", pa.float64(), "Rise of the line from the first to the last period, or height of the step"),
    column("change_lo", pa.float64(), "Lower end of its 90 % interval"),
    column("change_hi", pa.float64(), "Upper end of its 90 % interval"),
    column("p", pa.float64(), "Two-sided probability of such a slope by chance alone, 0-1"),
    column("p_corrected", pa.float64(), "The same, corrected for the number of trends"),
    column("n_trends", pa.int64(), "Number of trends tested together", nullable=False),
    column("verdict", pa.string(), "rises, falls, no_trend (no clear trend) or undefined", nullable=False),
    column("reason", pa.string(), "Why there is no line"),
)


RESULTS = _table(
    "One row per KPI and measure that was tried. Written by mediaan results, next to its page.",
    column("kpi", pa.string(), "Column of the table of results", nullable=False),
    column("measure", pa.string(), "Name of the measure, as in rules", nullable=False),
    column("title", pa.string(), "The same in words", nullable=False),
    column("unit", pa.string(), "Unit of the measure and its target", nullable=False),
    column("n", pa.int64(), "Number of ads with both", nullable=False),
    column("correlation", pa.float64(), "Rank correlation, above 0 where more goes with better results",
           nullable=False),
    column("lo", pa.float64(), "Lower end of its 90 % interval", nullable=False),
    column("hi", pa.float64(), "Upper end of its 90 % interval", nullable=False),
    column("p", pa.float64(), "Two-sided probability of such a correlation by chance alone, 0-1", nullable=False),
    column("q", pa.float64(), "False discovery rate at which it would be claimed, 0-1", nullable=False),
    column("claimed", pa.bool_(), "Whether the measure is said to go with the KPI: q is at most 0.1",
           nullable=False),
    column("target", pa.string(), "at least or at most; null without a target"),
    column("target_value", pa.float64(), "What three quarters of the best fifth of ads reach"),
    column("target_lo", pa.float64(), "Lower end of its 90 % interval"),
    column("target_hi", pa.float64(), "Upper end of its 90 % interval"),
    column("target_n", pa.int64(), "Number of ads in the best fifth"),
)  # fmt: skip


MEDIA = _table(
    "One row per file. The same bytes under two paths are two rows with one medium_id.",
    PATH,
    ID,
    column("name", pa.string(), "File name", nullable=False),
    column("type", pa.string(), "image, video (also animated images), or mixed where the recipe says so"),
    column("status", pa.string(), "done or failed", nullable=False),
    column("error_code", pa.string(), "Stable name of what went wrong; null when done"),
    column("error_message", pa.string(), "What went wrong and what to do; null when done"),
    column("width", pa.int32(), "Width as displayed", "px"),
    column("height", pa.int32(), "Height as displayed", "px"),
    column("codec", pa.string(), "Format of the image, or codec of the video"),
    column("duration_s", pa.float64(), "Duration as read; null for a still image", "s"),
    column("frame_rate", pa.float64(), "Average frame rate as stated; null for a still image", "1/s"),
    column("share_read", pa.float64(), "Share of the file that could be decoded; null when failed"),
    column("novelty", pa.float64(), "Share of the training images that lie nearer to their own type, 0-1; above .99 "
           "the file is unusual"),
    column("domain", pa.string(), "Domain that attention was predicted for: the stated one, otherwise the most "
           "probable, such as photo, ad, design or page; null if the model knows no domains, and when failed"),
    column("domain_probability", pa.float64(), "Its probability by the model, 0-1; for a video, the mean over its "
           "seconds; null if the domain was stated"),
    column("domain_stated", pa.bool_(), "Whether the domain was stated, not estimated by the model"),
    column("brand_found", pa.bool_(), "Whether there is an AOI of the named brand; null if no brand was named, AOIs "
           "were not looked for, or the file failed"),
    column("brand_attention", pa.float64(), "Share of attention that goes to any area of the brand, what they share "
           "counted once; null of a video (see film), without such an area, and when failed", "%"),
    column("size_bytes", pa.int64(), "Size of the file", "B"),
    # without a zone: DuckDB hands zoned times to Python only where pytz is installed
    column("created_at", pa.timestamp("ms"), "When it was analyzed", "UTC", nullable=False),
    column("seconds", pa.float64(), "Duration of the analysis in its worker", "s", nullable=False),
)  # fmt: skip

METRICS = _table(
    "One row per file, metric and time.",
    MEDIUM,
    *_METRIC_AND_TIME,
    column("value", pa.float64(), "The value; null when undefined, see reason"),
    column("lo", pa.float64(), "Lower end of the 90 % interval"),
    column("hi", pa.float64(), "Upper end of the 90 % interval"),
    column("basis", pa.string(), "measured, learned or proxy (an estimate)", nullable=False),
    column("unit", pa.string(), "Unit of value, lo and hi", nullable=False),
    column("reason", pa.string(), "Why the value is null"),
)

DRIVERS = _table(
    "For each score, the properties that moved it most, five at most.",
    MEDIUM,
    column("metric", pa.string(), "Name of the metric that it moves", nullable=False),
    _METRIC_TIME,
    column("rank", pa.int32(), "1 for the property that moves the score most", nullable=False),
    column("driver", pa.string(), "Name of the measured property", nullable=False),
    column("value", pa.float64(), "The property as measured; null if it is not one number"),
    column("points", pa.float64(), "The score minus what it would be with this property of the median reference image",
           "score", nullable=False),
    column("text", pa.string(), "The same in plain words", nullable=False),
)  # fmt: skip

MAPS = _table(
    "One row per map file.",
    MEDIUM,
    column("map", pa.string(), "Name of the map", nullable=False),
    column("path", pa.string(), "File, relative to the run directory", nullable=False),
)

PROBLEMS = _table(
    "One row per problem.",
    PATH,
    ID,
    column("severity", pa.string(), "error (no result) or warning (a result, with this note)", nullable=False),
    column("code", pa.string(), "Stable name of the problem", nullable=False),
    column("message", pa.string(), "What happened and what to do", nullable=False),
)

FRAME_COLUMNS = {metric.spec.name: metric.spec.frame_name or metric.spec.name for metric in metrics_of("frame")}
"""Column of the table ``frames`` that holds each metric."""
SCENE_METRICS = tuple(metric.spec.name for metric in metrics_of("scene"))
"""Metrics that the table ``scenes`` has a column for."""
SCREEN_METRICS = tuple(metric.spec.name for metric in metrics_of("screen"))
"""Metrics that the table ``folds`` has a column for."""


def _score_column(spec: MetricSpec, name: str) -> pa.Field:
    return column(name, pa.float64(), spec.caption, spec.unit)


FRAMES = _table(
    "One row per sampled frame of videos and animations.",
    MEDIUM,
    column("t_s", pa.float64(), "Time from the first frame", "s", nullable=False),
    column("weight_s", pa.float64(), "How long this sample counts", "s", nullable=False),
    column("scene_id", pa.int32(), "Scene it belongs to, from 0", nullable=False),
    *(_score_column(metric.spec, FRAME_COLUMNS[metric.spec.name]) for metric in metrics_of("frame")),
    column("x", pa.float64(), "Point of largest attention, 0 left to 1 right", nullable=False),
    column("y", pa.float64(), "Point of largest attention, 0 top to 1 bottom", nullable=False),
)

SCENES = _table(
    "One row per scene of videos and animations; scores are time-weighted means over its frames.",
    MEDIUM,
    column("scene_id", pa.int32(), "Number of the scene, from 0", nullable=False),
    column("start_s", pa.float64(), "Start, from the first frame", "s", nullable=False),
    column("end_s", pa.float64(), "End; the next scene begins there", "s", nullable=False),
    column("cut_type", pa.string(), "How it begins: start, cut or fade", nullable=False),
    *(_score_column(metric.spec, metric.spec.name) for metric in metrics_of("scene")),
)

_AOI = column("aoi_id", pa.string(), "UUID of the AOI", nullable=False)


def _sides(nullable: bool) -> tuple[pa.Field, ...]:
    sides = (("x0", "Left"), ("y0", "Top"), ("x1", "Right"), ("y1", "Bottom"))
    return tuple(
        column(name, pa.float64(), f"{side} side as a share of the {'width' if name[0] == 'x' else 'height'}",
               nullable=nullable)
        for name, side in sides
    )  # fmt: skip


AOIS = _table(
    "One row per area of interest.",
    MEDIUM,
    _AOI,
    column("type", pa.string(), ", ".join(AREA_TYPES), nullable=False),
    column("label", pa.string(), "Label: the brand, the first words of a text, the type of object",
           nullable=False),
    column("source", pa.string(), "detected, drawn or confirmed (in a review)", nullable=False),
    column("method", pa.string(), "How it was found: text, wording, brand_name, logo_picture, pack_picture, "
           "word_mark, detector, drawn", nullable=False),
    column("confidence", pa.float64(), "Confidence of the detection, 0-1; null when drawn or confirmed"),
    *_sides(nullable=False),
    column("polygon", pa.list_(pa.list_(pa.float64(), 2)), "Corners (x, y) in unit coordinates; null for a box"),
    column("t0_s", pa.float64(), "When it is first there; null in an image, or from the beginning", "s"),
    column("t1_s", pa.float64(), "When it is last there; null in an image, or to the end", "s"),
    column("text", pa.string(), "Its text; null if it has none or was not read"),
    column("line_height_pct", pa.float64(), "Height of its typical line, % of the file's height", "%"),
    column("contrast_ratio", pa.float64(), "WCAG contrast of text and background, 1-21"),
    column("legible", pa.bool_(), "Whether it can be read at the platform's usual display size"),
)  # fmt: skip

AOI_TRACKS = _table(
    "Positions of AOIs in videos and animations: one row per AOI and sample at which it is visible.",
    MEDIUM,
    _AOI,
    column("t_s", pa.float64(), "Sampled instant, from the first frame", "s", nullable=False),
    *_sides(nullable=False),
    column("confidence", pa.float64(), "Confidence of the detection behind the box, 0-1", nullable=False),
)

AOI_SCORES = _table(
    "One row per AOI, metric and time.",
    MEDIUM,
    _AOI,
    *_METRIC_AND_TIME,
    column("value", pa.float64(), "The value; null when undefined, see reason"),
    column("lo", pa.float64(), "Lower end of the 90 % interval"),
    column("hi", pa.float64(), "Upper end of the 90 % interval"),
    column("unit", pa.string(), "Unit of value, lo and hi", nullable=False),
    column("reason", pa.string(), "Why the value is null"),
)

ABSENT_AOIS = _table(
    "Answers of people that a file has no area of a type: one row per file and type.",
    MEDIUM,
    column("type", pa.string(), "Type of area that it has none of", nullable=False),
)

PROPOSALS = _table(
    "What might be areas of an image, but is too unsure to be one; a review asks about it. Three of a type at most.",
    MEDIUM,
    column("rank", pa.int32(), "1 for the surest of its type", nullable=False),
    column("type", pa.string(), "branding, product or call_to_action", nullable=False),
    column("label", pa.string(), "What it says, or the class of the object; may be empty", nullable=False),
    column("method", pa.string(), "How it was found: detector or word_mark", nullable=False),
    column("confidence", pa.float64(), "Confidence of the detection, 0-1", nullable=False),
    *_sides(nullable=False),
)

SUGGESTIONS = _table(
    "Edits of images that were tried and are predicted to help; three for each purpose at most.",
    MEDIUM,
    column("purpose", pa.string(), "Purpose that it was tried for: brand_building, conversion; null: none stated"),
    column("rank", pa.int32(), "1 for the largest gain of the purpose", nullable=False),
    column("action", pa.string(), "First edit: scale, contrast or move", nullable=False),
    column("aoi_id", pa.string(), "UUID of the AOI to edit", nullable=False),
    column("gains_aoi_id", pa.string(), "UUID of the AOI that gains", nullable=False),
    column("edits", pa.string(), "The edits, in order, as JSON: action, aoi, factor or to", nullable=False),
    column("metric", pa.string(), "Metric that gains, over the whole exposure", nullable=False),
    column("before", pa.float64(), "Its value now", nullable=False),
    column("after", pa.float64(), "Its value with the gain", nullable=False),
    column("gain", pa.float64(), "Predicted change", nullable=False),
    column("lo", pa.float64(), "Lower end of the 90 % interval of the change: its repeatability", nullable=False),
    column("hi", pa.float64(), "Upper end of it", nullable=False),
    column("unit", pa.string(), "Unit of before, after, gain, lo and hi", nullable=False),
    column("text", pa.string(), "The same in a sentence", nullable=False),
)

FOLDS = _table(
    "One row per fold of each tall page that was judged fold by fold.",
    MEDIUM,
    column("fold", pa.int32(), "Number of the fold, from 1: the first screen", nullable=False),
    column("y0", pa.float64(), "Upper edge, as a share of the page's height, 0-1", nullable=False),
    column("y1", pa.float64(), "Lower edge, 0-1", nullable=False),
    column("viewers", pa.float64(), "Estimated share of viewers who scroll to its middle", "%", nullable=False),
    column("attention", pa.float64(), "Share of the page's attention that lies in it", "%", nullable=False),
    *(
        column(spec.name, pa.float64(), f"{spec.title} of the fold alone, 0-100; null without scores")
        for spec in (metric.spec for metric in metrics_of("screen"))
    ),
)

CONTEXT = _table(
    "One row per position and metric of an ad in context. Written by mediaan context, next to its page.",
    column("item", pa.string(), "Path of the ad", nullable=False),
    column("position", pa.string(), "Where it is, as it was stated", nullable=False),
    column("x0", pa.float64(), "Left edge on the composed image, 0-1"),
    column("y0", pa.float64(), "Top edge, 0-1"),
    column("x1", pa.float64(), "Right edge, 0-1"),
    column("y1", pa.float64(), "Bottom edge, 0-1"),
    column("draws", pa.int64(), "Number of composed images behind the value", nullable=False),
    column("metric", pa.string(), "Name of the metric, such as attention or ratio_to_others", nullable=False),
    column("value", pa.float64(), "The value; null when undefined, see reason"),
    *_INTERVAL,
    column("unit", pa.string(), "Unit of value, lo and hi", nullable=False),
    column("verdict", pa.string(), "Of a ratio with an interval: more, less or no clear difference"),
    column("reason", pa.string(), "Why the value is null"),
)

LOOKS = _table(
    "Estimated order in which areas of an image are looked at: one row per AOI.",
    MEDIUM,
    _AOI,
    column("rank", pa.int32(), "Place in the typical order of first looks, from 1; null if fewer than 5 % of the "
           "simulated viewers look at it"),
    column("share", pa.float64(), "Share of the simulated viewers who look at it before any area that comes later, "
           "of those who look at any of these; 100 for the last", "%"),
)  # fmt: skip

SCANPATHS = _table(
    "Typical path over an image, an estimate: one row per fixation of the simulated viewer who is most "
    "like the others.",
    MEDIUM,
    column("index", pa.int32(), "Number of the fixation, from 1", nullable=False),
    column("x", pa.float64(), "Place, 0 left to 1 right", nullable=False),
    column("y", pa.float64(), "Place, 0 top to 1 bottom", nullable=False),
    column("onset_s", pa.float64(), "Beginning, since the image came on", "s", nullable=False),
    column("duration_s", pa.float64(), "Length", "s", nullable=False),
    column("aoi_id", pa.string(), "UUID of the smallest AOI that it is in; null for none"),
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
    "absent_aois": ABSENT_AOIS,
    "proposals": PROPOSALS,
    "suggestions": SUGGESTIONS,
    "looks": LOOKS,
    "scanpaths": SCANPATHS,
    "folds": FOLDS,
    "maps": MAPS,
    "problems": PROBLEMS,
    "benchmark_ranges": BENCHMARK_RANGES,
    "rule_results": RULE_RESULTS,
    "checks": CHECKS,
    "screen_times": SCREEN_TIMES,
    "film": FILM,
    "placements": PLACEMENTS,
}
"""Tables that every run has."""

DERIVED = frozenset(
    {
        *("suggestions", "folds", "looks", "scanpaths", "benchmark_ranges", "rule_results", "checks", "screen_times"),
        *("film", "placements", "absent_aois", "proposals"),
    }
)
"""Those that follow from others, or that came later: runs of versions that did not know them count as having none of
their rows."""

OTHER_TABLES: dict[str, pa.Schema] = {
    "comparisons": COMPARISONS,
    "trends": TRENDS,
    "results": RESULTS,
    "context": CONTEXT,
}
"""Tables of several runs, or of pairs, which lie beside the page that shows them."""
