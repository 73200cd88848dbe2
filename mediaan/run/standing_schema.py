"""Schemas of tables that follow from scores: where they stand, what rules say, how they compare and move over time."""

from __future__ import annotations

import pyarrow as pa

from mediaan.run.columns import ID, MEDIUM, PATH, column

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
