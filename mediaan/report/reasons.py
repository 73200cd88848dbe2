"""Why a medium works or does not, in plain words: its rules, its scores with what moved them, its areas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.report.aois import TITLES, Area
from mediaan.report.benchmarks import Benchmarks
from mediaan.report.contents import Row
from mediaan.report.entries import Entry
from mediaan.report.figures import digits
from mediaan.report.packed_ranges import CATEGORY_TITLES
from mediaan.report.remarks import advice
from mediaan.report.summaries import Standing
from mediaan.report.tally import surely_placed
from mediaan.report.verdicts import surely_ahead, surely_behind
from mediaan.types.benchmark import CATEGORIES
from mediaan.types.metrics import MetricSpec, Score

Kind = Literal["rule", "score", "area", "text", "proxy"]

_SEEN = ("percentage_seen", "total")
_TEXTS = ("headline_text", "call_to_action", "body_text")


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for a verdict.

    Attributes
    ----------
    key : str
        What media that have the same reason share.
    short : str
        The reason without its numbers, as many media share it.
    text : str
        With them.
    why : str or None
        What moved the score most, in words.
    sure : bool
        Whether the interval leaves nothing else open.
    todo : str or None
        What designers usually do about it: practice, not a measurement.
    of : str or None
        Title of the score.
    phrase : str or None
        `why` without its number.
    """

    kind: Kind
    key: str
    short: str
    text: str
    why: str | None = None
    sure: bool = True
    todo: str | None = None
    of: str | None = None
    phrase: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A score that has a recommended range, or a rank: whether it is on the good side of it, and how surely.

    `high` says which end of the scale speaks; where it lies well in the `middle`, no push to an end explains it.
    """

    spec: MetricSpec
    score: Score
    good: bool
    sure: bool
    high: bool
    text: str
    middle: bool = False


Decimals = Callable[[str], int]
Seen = Mapping[tuple[str, str], tuple[Row, str | None]]
"""By medium and AOI: its range, and where the whole interval lies to it."""


def flaws(judged: Sequence[Judged], areas: Sequence[Area], rules: Sequence[Row], seen: Seen) -> list[Reason]:
    """What speaks against a medium: what weighs most comes first.

    Failed rules, then measured and learned scores that surely miss, areas that few see, text that is hard to read,
    proxies that surely miss, and last scores that miss by their value alone.
    """
    bad = [one for one in judged if not one.good]
    scores = [(one, _score_reason(one)) for one in bad]
    firm = [reason for one, reason in scores if one.spec.basis != "proxy" and one.sure]
    proxies = [reason for one, reason in scores if one.spec.basis == "proxy" and one.sure]
    unsure = [reason for one, reason in scores if not one.sure]
    return [*_rule_reasons(rules), *firm, *_unseen(areas, seen), *_hard_to_read(areas), *proxies, *unsure]


def strengths(judged: Sequence[Judged], areas: Sequence[Area], seen: Seen) -> list[Reason]:
    """What speaks for a medium: scores that surely meet their range, areas that many see, then the others."""
    good = [(one, _score_reason(one)) for one in judged if one.good]
    firm = [reason for one, reason in good if one.spec.basis != "proxy"]
    proxies = [reason for one, reason in good if one.spec.basis == "proxy"]
    return [*sorted(firm, key=lambda reason: not reason.sure), *_well_seen(areas, seen), *proxies]


def against_population(
    entries: Sequence[Entry], specs: Sequence[MetricSpec], ranges: Benchmarks, decimals: Decimals, *, intervals: bool
) -> dict[str, list[Judged]]:
    """Scores of the whole beside their recommended ranges, by medium; those close to their range are left out."""
    found = [
        (entry.medium_id or "", spec, entry.scores[spec.name], row)
        for entry in entries
        for spec in specs
        if spec.name in entry.scores
        and (row := ranges.of_score(entry.medium_id, spec.name, "total")) is not None
        and row["position"] not in (None, "close_to")
    ]
    judged: dict[str, list[Judged]] = {}
    for (key, spec, score, row), place in zip(found, _places([row for *_, row in found]), strict=True):
        good = row["position"] == "within"
        sure = place is not None if intervals else not good
        middle = good and not {CATEGORIES[0], CATEGORIES[-1]} & set(row["target"])
        text = _against(spec, row, decimals(spec.name))
        judged.setdefault(key, []).append(Judged(spec, score, good, sure, _is_high(row), text, middle))
    return judged


def within_run(entry: Entry, standings: Sequence[tuple[MetricSpec, Standing]]) -> list[Judged]:
    """Scores that are surely in the better or in the other half of the run."""
    found = []
    for spec, standing in standings:
        ahead = surely_ahead(standing)
        if not ahead and not surely_behind(standing):
            continue
        half = "better" if ahead else "weaker"
        text = f"{_title(spec)} is surely in the {half} half of this run"
        high = ahead == (spec.direction != "lower")
        found.append(Judged(spec, entry.scores[spec.name], ahead, sure=True, high=high, text=text))
    return found


def _places(rows: Sequence[Row]) -> Sequence[str | None]:
    keys = ("lo", "hi", "lower", "upper")
    columns = {key: pa.array([row[key] for row in rows], pa.float64()) for key in keys}
    targets = pa.array([list(row["target"]) for row in rows], pa.list_(pa.string()))
    return surely_placed(pa.table(columns | {"target": targets}))


def _against(spec: MetricSpec, row: Row, decimals: int) -> str:
    category, value = CATEGORY_TITLES[row["category"]].lower(), digits(row["value"], decimals)
    return f"{_title(spec)}: {category} at {value}, recommended {_range(row, decimals)}"


def _range(row: Row, decimals: int) -> str:
    """A recommended range; one that goes to an end of the population has no end there.

    >>> _range({"lower": 67.2, "upper": 100.0, "target": ["high", "extreme_high"]}, 0)
    '67 or more'
    """
    lower, upper = digits(row["lower"], decimals), digits(row["upper"], decimals)
    if CATEGORIES[-1] in row["target"]:
        return f"{lower} or more"
    return f"{upper} or less" if CATEGORIES[0] in row["target"] else f"{lower} to {upper}"


def _is_high(row: Row) -> bool:
    """Whether a score that misses lies above; one that is within lies on the side that is recommended."""
    if row["position"] == "within":
        return CATEGORIES[0] not in row["target"]
    return bool(row["position"] == "above")


def _title(spec: MetricSpec) -> str:
    return f"{spec.title} (proxy)" if spec.basis == "proxy" else spec.title


def _score_reason(judged: Judged) -> Reason:
    spec, kind = judged.spec, "proxy" if judged.spec.basis == "proxy" else "score"
    moved = next((one for one in judged.score.drivers if (one.points > 0) == judged.high), None)
    why = moved.text.partition(":")[0] if moved and not judged.middle else None
    phrase = re.sub(r"^\d+ ", "", why) if why else None
    end: Literal["low", "high"] = "high" if judged.high else "low"
    short = f"{_title(spec)} {end}" + (f": {phrase}" if phrase else "")
    todo = None if judged.good else advice(spec.name, end)
    key = f"{spec.name} {end} {phrase or ''}"
    return Reason(
        "proxy" if kind == "proxy" else "score", key, short, judged.text, why, judged.sure, todo, spec.title, phrase
    )


def _rule_reasons(rows: Sequence[Row]) -> list[Reason]:
    failed = [row for row in rows if row["status"] == "failed" and row["severity"] == "error"]
    return [
        Reason("rule", f"rule {name}", f"Fails the rule “{name}”", row["message"], sure=row["sure"] is not False)
        for row in failed
        for name in (row["name"],)
    ]


def _by_type(areas: Sequence[Area]) -> Mapping[str, list[Area]]:
    found: dict[str, list[Area]] = {}
    for area in areas:
        found.setdefault(area.row["type"], []).append(area)
    return found


def seen_ranges(ranges: pa.Table) -> Seen:
    """Shares of viewers that see each area, beside what is recommended, from the table of ranges."""
    metric, time = _SEEN
    named = pc.and_(pc.equal(ranges["metric"], metric), pc.equal(ranges["metric_time"], time))
    recommended = pc.and_(pc.is_valid(ranges["aoi_id"]), pc.is_valid(ranges["position"]))
    keys = ("medium_id", "aoi_id", "value", "lo", "hi", "lower", "upper", "target", "position")
    rows = ranges.filter(pc.and_(named, recommended)).select(keys).to_pylist()
    return {(row["medium_id"], row["aoi_id"]): (row, place) for row, place in zip(rows, _places(rows), strict=True)}


def _seen_areas(areas: Sequence[Area], seen: Seen) -> Iterator[tuple[str, Row, bool]]:
    """By type of which all areas have such a range: that of the most seen one, and whether all are surely below it."""
    for of_type, found in _by_type(areas).items():
        known = [one for area in found if (one := seen.get((area.row["medium_id"], area.row["aoi_id"]))) is not None]
        if len(known) == len(found):
            yield of_type, max(known, key=lambda one: one[0]["value"])[0], all(place == "below" for _, place in known)


def _unseen(areas: Sequence[Area], seen: Seen) -> Iterator[Reason]:
    for of_type, row, below in _seen_areas(areas, seen):
        if below:
            title = _area_title(of_type)
            text = f"Too few see the {title}: {_seen_by(row)} at best, recommended {_range(row, 0)}"
            yield Reason("area", f"unseen {of_type}", f"Too few see the {title}", text, todo=_SEEN_TODO)


def _well_seen(areas: Sequence[Area], seen: Seen) -> Iterator[Reason]:
    for of_type, row, _ in _seen_areas(areas, seen):
        if row["position"] == "within":
            title = _area_title(of_type)
            text = f"As many see the {title} as recommended: {_seen_by(row)}"
            yield Reason("area", f"seen {of_type}", f"Many see the {title}", text)


def _seen_by(row: Row) -> str:
    interval = "" if row["lo"] is None else f" ({digits(row['lo'], 0)}–{digits(row['hi'], 0)})"
    return f"{digits(row['value'], 0)} %{interval} of viewers"


_SEEN_TODO = "Give it more size or contrast, or move it nearer to where attention gathers."
_READ_TODO = "Larger type and stronger contrast between text and ground; fewer words leave room for both."


def _hard_to_read(areas: Sequence[Area]) -> Iterator[Reason]:
    """A headline or call to action of which none is legible; else most of the text."""
    by_type = _by_type(areas)
    told = {of_type: [area.row["legible"] for area in by_type.get(of_type, ())] for of_type in _TEXTS}
    for of_type in _TEXTS[:2]:
        if told[of_type] and not any(legible is not False for legible in told[of_type]):
            short = f"The {_area_title(of_type)} is hard to read"
            yield Reason("text", f"hard {of_type}", short, short, todo=_READ_TODO)
    body = [legible for legible in told["body_text"] if legible is not None]
    hard = body.count(False)
    if 2 * hard > len(body):
        text = f"{hard} of {len(body)} pieces of body text {'is' if hard == 1 else 'are'} hard to read"
        yield Reason("text", "hard body_text", "Most body text is hard to read", text, todo=_READ_TODO)


def _area_title(of_type: str) -> str:
    return next((title.lower() for name, title in TITLES.items() if name == of_type), of_type)
