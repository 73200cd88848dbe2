"""Evaluate the checks that ship on the result of one medium, and word the outcomes."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Literal

from pydantic import TypeAdapter

from mediaan.aoi.detection.call_to_action import call_to_action_confidence
from mediaan.aoi.legibility import MIN_CONTRAST, is_pale
from mediaan.aoi.scoring.film_scores import Film
from mediaan.aoi.scoring.main_area import lies_on_object, main_area, may_ask_nothing
from mediaan.aoi.scoring.specs import PERCENTAGE_SEEN
from mediaan.aoi.words import DOUBT, SURE_CONFIDENCE, mentions_date, mentions_offer, quote_area, shorten
from mediaan.judge.benchmark.targets import ANY
from mediaan.judge.rules.derived import (
    EVIDENCE_OF,
    brand_areas,
    film_of,
    is_sure,
    is_too_small,
    share_of_small_letters,
    texts_with_name,
    with_derived_scores,
)
from mediaan.judge.rules.evaluate import Evidence, LimitComparison, compare, is_meant, joint_score
from mediaan.judge.rules.parse import parse_rule
from mediaan.judge.rules.rule import LEGIBLE, MESSAGE_SEEN, Expression, Limit
from mediaan.types.aoi import TEXT_TYPES, Aoi, AoiType, unread_script
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.checks import CheckResult, CheckStatus
from mediaan.types.metrics import Score, repeatability
from mediaan.types.placement import SEEN_ON
from mediaan.types.result import Result


@dataclass(frozen=True)
class CheckSpec:
    """One check; ``checks.toml`` says what each field is."""

    name: str
    title: str
    flaw: str
    rules: tuple[str, ...]
    asked: tuple[str, ...]
    required: tuple[str, ...]
    media: tuple[str, ...]
    why: str
    source: str = ""
    least: float = 0.0
    """Least confidence of a detected area, 0-1."""
    needs_area: bool = False

    @cached_property
    def expressions(self) -> tuple[Expression, ...]:
        """The rules, understood."""
        return tuple(map(parse_rule, self.rules))

    @property
    def aoi_type(self) -> AoiType | None:
        """Type of the area that it is about; None: of the medium."""
        return self.expressions[0].aoi_type

    def is_asked(self, purpose: str | None, *, moves: bool) -> bool:
        """Return True if the check applies to a medium."""
        return ("film" if moves else "image") in self.media and (ANY in self.asked or purpose in self.asked)

    def is_required(self, purpose: str | None) -> bool:
        """Return True if a medium of this purpose requires the check."""
        return ANY in self.required or purpose in self.required


@dataclass(frozen=True, slots=True)
class ScoreWording:
    """What checks say of a score, and how they compare it; ``checks.toml`` says what each field is."""

    finding: str = ""
    text: str = ""
    passed: str = ""
    close: str = ""
    failed: str = ""
    unknown: str = ""
    settle: str = ""
    todo: str = ""
    tolerance: float = 0.0
    """In the score's unit."""

    def sentence(self, status: CheckStatus) -> str:
        """Return the sentence of an outcome; empty where the finding is told with its target."""
        of_status = {"passed": self.passed, "close": self.close, "failed": self.failed}
        return self.text or of_status.get(status, "")

    @property
    def tells_value(self) -> bool:
        """True if the sentence holds the value, and so the table does."""
        return "{value}" in self.finding + self.text + self.passed


@dataclass(frozen=True, slots=True)
class MissingAreaWording:
    """What checks say if the area that they need is missing."""

    text: str
    settle: str
    todo: str = ""
    status: CheckStatus = "unknown"


@cache
def check_specs() -> tuple[CheckSpec, ...]:
    """Return the checks that ship, in the order in which they are shown."""
    return TypeAdapter(tuple[CheckSpec, ...]).validate_python(_contents()["check"])


@cache
def score_wordings() -> Mapping[str, ScoreWording]:
    """Return what checks say of scores, by metric."""
    return TypeAdapter(dict[str, ScoreWording]).validate_python(_contents()["score"])


@cache
def missing_area_wording(aoi_type: AoiType, case: str) -> MissingAreaWording:
    """Return what checks say if an area of a type is missing, in a case such as ``doubtful``."""
    missing = _contents()["missing"]
    return MissingAreaWording(**(missing["any"] | missing.get(aoi_type, {}))[case])


@cache
def _contents() -> dict[str, Any]:
    return tomllib.loads(files("mediaan.judge").joinpath("checks.toml").read_text(encoding="utf-8"))


TYPE_WORDS: Mapping[str, str] = {
    **{name: area_type.words for name, area_type in AREA_TYPES.items()},
    "offer": "the offer",
}


def area_name(area: Aoi) -> str:
    """Return the name of an area in a sentence: its type, its words, and a doubt where there is one.

    >>> from uuid import UUID
    >>> from mediaan.types.aoi import Box, TextFacts
    >>> text = TextFacts("Shop now", 4.0, 8.0, True)
    >>> area_name(Aoi(UUID(int=1), "call_to_action", "Shop now", Box(0, 0, 1, 1), 0.95, "text", text=text))
    'the call to action “Shop now”'
    >>> area_name(Aoi(UUID(int=2), "product", "", Box(0, 0, 1, 1), 0.6, "detector"))
    'what looks like the product'
    """
    kind: str = area.type
    if area.type == "other" and area.words:  # dates and codes are found with prices
        kind = "offer" if area.label == "offer" and mentions_offer(area.words) else "body_text"
    words = area.label if area.type == "branding" else area.words or ""
    sure = kind == "body_text" or area.confidence is None or area.confidence >= SURE_CONFIDENCE
    return quote_area(TYPE_WORDS[kind], words, sure=sure)


def place_words(platform: str | None, *, assumed: bool) -> str:
    """Return where a medium is seen, for the end of a sentence.

    >>> place_words("instagram_story", assumed=False), place_words("email", assumed=True)
    ('in an Instagram story', 'on a desktop')
    """
    if platform and not assumed:
        return SEEN_ON.get(platform, f"on {platform.replace('_', ' ')}")
    return _ASSUMED_PLACES.get(platform, "on a phone")


_ASSUMED_PLACES: Mapping[str | None, str] = {
    "website": "on a desktop",
    "email": "on a desktop",
    "display": SEEN_ON["display"],
}


def legibility_words(area: Aoi) -> dict[str, str]:
    """Return what makes a text hard to read, its {flaw}, and the {change} that would mend it."""
    if area.text is None:
        return {}
    contrast = area.text.contrast_ratio
    if contrast is not None and contrast < MIN_CONTRAST and (area.legible is None or is_pale(area)):
        flaw = f"its contrast with the background is {contrast:.1f} to 1"
        return {"flaw": flaw, "change": "darker or lighter than its background"}
    return {"flaw": "its letters are small", "change": "larger"}


def capitalize(words: str) -> str:
    """Return words with an upper-case first letter, the others as they are."""
    return words[:1].upper() + words[1:]


def format_value(value: float, unit: str, moves: float = 0.0) -> str:
    """Format a number with its unit, which a ratio has none of, and with how far it moves.

    >>> format_value(41.6, "%"), format_value(1.84, "s"), format_value(3.0, "count"), format_value(2.84, "")
    ('42 %', '1.8 s', '3', '2.8')
    >>> format_value(41.6, "%", 5.8), format_value(99.6, "%", 0.3)
    ('42 ± 6 %', '100 %')
    """
    digits = 1 if unit in ("s", "") else 0
    plus_minus = f" ± {moves:.0f}" if round(moves) else ""
    return f"{value:.{digits}f}{plus_minus}" + (f" {unit}" if unit in ("%", "s") else "")


UNREAD = 50.0
"""Share of letters that are too small to read from which on a request may have been overlooked, %."""

MIN_PHRASE_SCORE, MAX_PHRASE_WORDS = 0.35, 8
"""Least `call_to_action_confidence` of the beginning of a line that may ask viewers to act, and most words of it."""


def evaluate_checks(result: Result) -> tuple[CheckResult, ...]:
    """Evaluate all checks that apply to a medium.

    `result`: with its objective, ranges, and what was looked for.
    Returns: in the order of `check_specs`. A check of an area that was not searched for is unknown and says how to
        know.
    """
    specs = [spec for spec in check_specs() if spec.is_asked(result.purpose, moves=result.moves)]
    expressions = derived_expressions(specs)
    film = film_of(result, expressions)
    result = with_derived_scores(result, film, expressions)
    return tuple(check for spec in specs if (check := _evaluate_check(spec, result, film)) is not None)


def derived_expressions(specs: Iterable[CheckSpec]) -> list[Expression]:
    """Return the rules of checks, without those for which `EVIDENCE_OF` finds the score."""
    return [rule for spec in specs for rule in spec.expressions if rule.metric not in EVIDENCE_OF]


def _evaluate_check(spec: CheckSpec, result: Result, film: Film | None) -> CheckResult | None:
    """Return the result of the first rule that does not pass, or of the last; None where nothing can be said."""
    check = None
    for expression in spec.expressions:
        check_of_rule = _evaluate_rule(spec, expression, result, film)
        if check_of_rule is None:
            break
        check = check_of_rule
        if check.status != "passed":
            break
    return check


def _evaluate_rule(spec: CheckSpec, expression: Expression, result: Result, film: Film | None) -> CheckResult | None:
    wording = score_wordings()[expression.metric]
    evidence = _find_evidence(spec, expression, result, film)
    if not isinstance(evidence, Evidence):
        return _result_without_area(spec, result, evidence) if spec.needs_area else None
    if expression.metric == MESSAGE_SEEN.name and evidence.area is None:
        return _result_without_area(spec, result, "small")
    area, score = evidence.area, evidence.score
    words = _words(evidence, expression, result)
    if expression.metric == LEGIBLE.name and area is not None and area.text is not None:
        status = _readability(area)
        text = wording.unknown if status == "unknown" else wording.sentence(status)
        return _result(
            spec,
            result,
            status,
            text.format_map(words),
            area,
            settle=wording.settle if status == "unknown" else "",
            todo=wording.todo.format_map(words),
        )
    if score is None or score.value is None:
        if not wording.unknown:
            return None
        text = wording.unknown.format_map(words)
        return _result(spec, result, "unknown", text, area, settle=wording.settle)
    told = score if wording.tells_value else None
    assert expression.limit is not None
    comparison = compare(score, expression, Limit(expression.limit))
    status = comparison.check_status(0.0 if result.moves else _exact_to(score), wording.tolerance)
    text = wording.sentence(status).format_map(words)
    if not text:
        bound = "minimum" if expression.is_minimum else "maximum"  # "target range" is the recommended one
        limit = format_value(expression.limit, score.unit)
        too_few = status == "failed" and expression.is_minimum and wording.finding.startswith("{value}")
        finding = f"{'Only ' if too_few else ''}{wording.finding.format_map(words)}"
        text = f"{finding} ({bound}: {limit})."
    todo = wording.todo.format_map(words | {"area": words.get("area", "").removeprefix(DOUBT)})
    detected = area is not None and area.confidence is not None
    if detected and expression.aoi_type == "branding" and result.brand is None and status in ("failed", "close"):
        # a mark that few see may be another's, or an icon
        return _result_without_area(spec, result, "doubtful") if spec.needs_area else None
    return _result(spec, result, status, text, area, told, comparison, todo=todo)


def _readability(area: Aoi) -> CheckStatus:
    """Return the outcome of whether a text can be read, as `mediaan.aoi.legibility` tells it for all who say so."""
    if area.legible is None:
        return "unknown" if area.text is None or area.text.contrast_ratio is None else "close"
    return "passed" if area.legible else "failed"


def _exact_to(score: Score) -> float:
    """Return how far a score of a still image moves when it is mirrored, cropped or resized."""
    metric = PERCENTAGE_SEEN.name if score.metric == MESSAGE_SEEN.name else score.metric
    assert score.value is not None
    return repeatability(metric, score.value) or 0.0


def _find_evidence(
    spec: CheckSpec, expression: Expression, result: Result, film: Film | None
) -> Evidence | Literal["absent", "doubtful"]:
    """Return the score that a rule of a check is held against, or why there is none: no such area, or a doubtful one.

    Of areas, the main one of the type counts.
    """
    if find := EVIDENCE_OF.get(expression.metric):
        return find(result, expression.aoi_type, spec.least) or "absent"
    if expression.aoi_type is None:
        return Evidence(result.score(expression.metric, expression.time))
    if expression.is_joint:
        areas = [aoi for aoi in result.aois or () if is_meant(aoi, expression, film) and is_sure(aoi, spec.least)]
        return Evidence(joint_score(expression, areas, film)) if areas else "absent"
    if expression.aoi_type == "branding":
        areas = [area for area in brand_areas(result, spec.least) if area.type == "branding" or not is_too_small(area)]
        best = max(areas, key=lambda area: area.value(PERCENTAGE_SEEN.name, expression.time) or 0.0, default=None)
        if best is not None:
            return Evidence(best.score(expression.key, expression.time), best)
    certain = [area for area in result.aois or () if not may_ask_nothing(area)]
    area = main_area(certain, expression.aoi_type)
    if area is not None and is_sure(area, spec.least):
        return Evidence(area.score(expression.key, expression.time), area)
    return "doubtful" if main_area(result.aois or (), expression.aoi_type) is not None else "absent"


def _words(evidence: Evidence, expression: Expression, result: Result) -> dict[str, str]:
    """Return what stands in the place of the words in braces of a sentence."""
    area, score = evidence.area, evidence.score
    words = {
        "place": place_words(result.platform, assumed=not result.objective.get("platform")),
        "reason": (score and score.reason) or "it was not computed",
    }
    if score is not None and score.value is not None:
        moves = 0.0 if result.moves else _exact_to(score)
        words["value"] = format_value(score.value, score.unit, moves if score.unit == "%" else 0.0)
    if area is not None:
        name, about_brand = area_name(area), expression.aoi_type == "branding"
        if about_brand and result.brand is None and area.confidence is not None:
            name = DOUBT + name.removeprefix(DOUBT)  # it may be another's
        words["area"] = ("the brand’s name in " if about_brand and area.type != "branding" else "") + name
        words["chosen"] = "" if area.type == "headline_text" else ", the most seen readable text"
        words |= legibility_words(area)
    return words


def _result_without_area(spec: CheckSpec, result: Result, why: Literal["absent", "doubtful", "small"]) -> CheckResult:
    """Return the result of a check whose area was not searched for, is too doubtful or small, or was not found."""
    aoi_type, brand = spec.aoi_type or "headline_text", result.brand
    case, area, phrase = str(why), None, None
    if aoi_type not in result.looked_for:
        case = "unsearched"
    elif spec.aoi_type is None and why == "absent":
        area = next((area for area in result.aois or () if area.words and area.label != "platform"), None)
        case = "absent" if area is None else "numbers"
    elif aoi_type in result.absent and why == "absent":
        case = "none" if aoi_type != "branding" or brand is not None else "none_of_any"
    elif aoi_type == "branding" and brand is None:
        case = "unnamed"
    elif aoi_type == "branding" and brand is not None and not brand.is_recognizable:
        case = "unreadable"
    elif aoi_type == "branding" and why == "absent":
        names = texts_with_name(result)
        area = max(names, key=lambda area: area.attention, default=None)
        case = "absent" if area is None else "small" if all(map(is_too_small, names)) else "in_text"
    elif aoi_type == "call_to_action" and why == "absent" and (phrase := _call_to_action_phrase(result)):
        case = "worded"
    elif aoi_type == "call_to_action" and why == "absent" and (phrase := _date_phrase(result)):
        case = "dated"
    elif aoi_type == "call_to_action" and why == "absent" and share_of_small_letters(result) > UNREAD:
        case = "unread"
    elif aoi_type == "call_to_action" and why == "absent" and _is_unread(result):
        case = "unreadable"
    title = TYPE_WORDS[spec.aoi_type] if spec.aoi_type else "the text"
    words = {
        "title": title,
        "place": place_words(result.platform, assumed=not result.objective.get("platform")),
        "noun": title.removeprefix("the "),
        "brand": brand.name if brand else "",
        "script": unread_script(brand.name) if brand else "",
        "phrase": phrase,
        "something": "Something",
        "area": area_name(area) if area else "",
    }
    doubtful = main_area(result.aois or (), aoi_type)
    if area is not None and area.words:
        words["something"] = f"“{shorten(area.words)}”"
    if why == "doubtful" and doubtful is not None and doubtful.words:
        words["something"] = f"“{shorten(doubtful.words)}”"
    wording = missing_area_wording(spec.aoi_type or "", case)
    text, todo = wording.text.format_map(words), wording.todo.format_map(words)
    return _result(spec, result, wording.status, text, area, settle=wording.settle, todo=todo)


def _is_unread(result: Result) -> bool:
    """Tell whether most texts have letters that cannot be read, such as those of other scripts."""
    texts = [area for area in result.aois or () if area.type in TEXT_TYPES]
    return sum(not area.words for area in texts) > len(texts) / 2


def _date_phrase(result: Result) -> str | None:
    """Return the first line of text with a date: an ad of an event says when to come."""
    lines = (line.strip() for area in result.aois or () for line in (area.words or "").splitlines())
    return next((shorten(line) for line in lines if mentions_date(line)), None)


def _call_to_action_phrase(result: Result) -> str | None:
    """Return the first short line of text that begins like a call to action."""
    for area in result.aois or ():
        for line in (area.words or "").splitlines():
            words = line.split()
            if len(words) <= MAX_PHRASE_WORDS:
                beginnings = (" ".join(words[:count]) for count in range(1, len(words) + 1))
                if any(call_to_action_confidence(beginning) >= MIN_PHRASE_SCORE for beginning in beginnings):
                    return line.strip()
    return None


def _result(
    spec: CheckSpec,
    result: Result,
    status: CheckStatus,
    text: str,
    area: Aoi | None = None,
    score: Score | None = None,
    comparison: LimitComparison | None = None,
    settle: str = "",
    todo: str = "",
) -> CheckResult:
    if todo and area is not None and lies_on_object(area, result.aois or ()):
        todo = f"Make {area_name(area).removeprefix(DOUBT)}, with the object that it is on, larger or more prominent."
    return CheckResult(
        value=score.value if score else None,
        lo=score.lo if score else None,
        hi=score.hi if score else None,
        name=spec.name,
        title=spec.title,
        status=status,
        required=spec.is_required(result.purpose),
        text=capitalize(text),
        target=comparison.limit if score and comparison else None,
        unit=score.unit if score else "",
        probability=comparison.probability if comparison else None,
        aoi_id=str(area.aoi_id) if area else None,
        settle=(settle or None) if status != "passed" else None,
        todo=(todo or None) if status == "failed" else None,
        why=spec.why,
        source=spec.source,
    )
