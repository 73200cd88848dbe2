"""What stands out about a medium within its run, and what designers usually do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from mediaan.report.figures import digits
from mediaan.report.summaries import Standing
from mediaan.types.metrics import Direction, MetricSpec, Score

MIN_MEDIA = 8  # quarters of fewer media are one picture each

# General design practice, keyed by metric and by the end of the scale that it speaks to.
_ADVICE: Mapping[tuple[str, str], str] = {
    ("focus", "low"): "Attention is spread over many places. Give one element more size, contrast or space, "
    "and quieten what competes with it.",
    ("focus_first_two", "low"): "The first look finds no clear entry point. Make the element that must be seen first "
    "larger, or set it apart from its surroundings.",
    ("focus_last_two", "low"): "Later looks scatter. Lead the eye onward, for example from the headline to the call "
    "to action, with alignment or gaze direction.",
    ("hotspot_count", "high"): "Several places compete. Decide which one leads, and quieten or join the others.",
    ("cognitive_demand", "high"): "There is much to take in. Remove or group elements, and use fewer colours and "
    "type sizes.",
    ("cognitive_demand", "low"): "There is little to take in. If a longer look should be rewarded, there is room "
    "for detail.",
    ("clarity", "low"): "It looks like ads that people call unclear. Fewer words, one message and less clutter "
    "usually help.",
    ("engagement", "low"): "It looks like ads that people call boring. A picture that tells something, and type set on "
    "it rather than on white, usually help.",
    ("design", "low"): "It looks like ads whose design people call bad. Fewer words, a ground of its own colour, and "
    "type set with the picture rather than below it usually help.",
    ("memory", "low"): "Little sets it apart. A distinct subject, such as a person, a face or the product in "
    "use, is usually recognised better than scenery.",
}


def advice(metric: str, end: Literal["low", "high"]) -> str | None:
    """What designers usually do about a score at one end of its scale; None where nothing general can be said."""
    return _ADVICE.get((metric, end))


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence on one score; `advice` is general practice, not a measurement."""

    metric: str
    kind: Literal["strength", "weakness", "extreme"]
    sentence: str
    advice: str | None


def remark(spec: MetricSpec, standing: Standing, good: Direction) -> Remark | None:
    """Say what stands out about a score, or None when nothing does.

    A medium stands out when it is in the outer quarter of at least `MIN_MEDIA` media and even its most
    unfavourable rank within the intervals is in that half.

    Parameters
    ----------
    spec : MetricSpec
    standing : Standing
        By the direction of `spec`.
    good : {'higher', 'lower', 'middle'}
        Which way is good for what the medium is for.
    """
    if standing.of < MIN_MEDIA:
        return None
    ranked_low_first = spec.direction == "lower"
    if standing.rank <= standing.of / 4 and standing.last <= standing.of / 2:
        return _remark(spec, good, high=not ranked_low_first)
    if standing.rank > standing.of * 3 / 4 and standing.first > standing.of / 2:
        return _remark(spec, good, high=ranked_low_first)
    return None


def _remark(spec: MetricSpec, good: Direction, *, high: bool) -> Remark:
    end: Literal["low", "high"] = "high" if high else "low"
    title = f"{spec.title} (a proxy)" if spec.basis == "proxy" else spec.title
    where = f"{title} is in the {end}est quarter of this run"
    if good == "middle":
        return Remark(spec.name, "extreme", f"{where}; neither extreme is best.", advice(spec.name, end))
    if high == (good == "higher"):
        return Remark(spec.name, "strength", f"{where}.", None)
    return Remark(spec.name, "weakness", f"{where}.", advice(spec.name, end))


def window_remark(start: Score | None, end: Score | None) -> str | None:
    """Compare the focus of the first two seconds with that of the last two, in one sentence; None if unknown."""
    if start is None or end is None or start.value is None or end.value is None:
        return None
    before, after = digits(start.value, 0), digits(end.value, 0)
    if _overlap(start, end):
        return (
            f"Focus is {before} in the first two seconds and {after} in the last two; "
            "the intervals overlap, so this is no clear change."
        )
    verb, meaning = ("rises", "attention gathers") if end.value > start.value else ("falls", "attention spreads out")
    return f"Focus {verb} from {before} to {after} between the first and the last two seconds: {meaning}."


def calibration_remark(run: Mapping[str, Any]) -> str | None:
    """Say whose viewers a run foretells; None where they are those that the model was trained on.

    Parameters
    ----------
    run : mapping
        Content of ``run.json``.
    """
    facts = run.get("calibration")
    if not facts:
        return None
    scores = (
        "Focus is counted on the scale of the model as it ships, so that only runs with the same calibration compare."
    )
    despite = f" It was fitted to another model; the reason given: {facts['despite']}." if facts["despite"] else ""
    return f"{' '.join(facts['says'])} {scores}{despite}"


def _overlap(one: Score, other: Score) -> bool:
    bounds = [bound for score in (one, other) for bound in (score.lo, score.hi)]
    if None in bounds:
        return one.value == other.value
    one_lo, one_hi, other_lo, other_hi = (float(bound) for bound in bounds if bound is not None)
    return one_lo <= other_hi and other_lo <= one_hi
