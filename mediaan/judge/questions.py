"""Ask about the areas of a medium: which questions are open, and which answers are proposed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from mediaan.aoi.detection.brand_names import names_brand
from mediaan.aoi.detection.call_to_action import call_to_action_confidence
from mediaan.aoi.scoring.main_area import main_area
from mediaan.judge.checks import TYPE_WORDS, CheckSpec, check_specs
from mediaan.judge.rules.rule import MESSAGE_SEEN
from mediaan.judge.verdict import verdict_of
from mediaan.types.aoi import Aoi, AoiMethod, AoiType, Box
from mediaan.types.checks import VERDICT_WORDS, CheckResult, CheckStatus, Verdict
from mediaan.types.result import Result

ASKED_TYPES: tuple[AoiType, ...] = ("branding", "product", "call_to_action", "headline_text")
"""Types that are asked about: those that checks rest on."""

SURE = 0.8
"""Confidence from which on an area is not asked about."""

MOST_PROPOSALS = 5

_MOST_UNSURE = 3
_LEAST_CONFIDENCE = 0.06
"""_MOST_UNSURE, _LEAST_CONFIDENCE: Of proposals that are no area of the type. Where a right one is among the proposals
of a question, one stays in 38 of 39 cases on the designs of modern_dev.json, and in 68 of 70 on those of
modern_check.json, without one of seven unsure ones (``python -m bench.review ... --proposals``). A higher confidence
loses more: it hardly tells the right ones."""

_LEAST_PHRASE = 0.35
"""Least `call_to_action_confidence` of a text that is proposed as a call to action."""

_SAME = 0.6
"""IoU from which on two proposals are one."""

_MISSING = 0.5
"""How unsure an area is that was not found."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One of the numbered answers of a question."""

    box: Box
    type: AoiType
    """Of the area as it stands, or as it would be."""
    label: str
    confidence: float | None
    """Of being what is asked for, 0-1; None where nothing says."""
    method: AoiMethod
    area: Aoi | None = None
    """Area that it is; None for something that was too unsure to be spoken of."""

    @classmethod
    def of(cls, aoi: Aoi, confidence: float | None) -> Proposal:
        """Propose an area."""
        return cls(aoi.box, aoi.type, aoi.label, confidence, aoi.method, aoi)

    def to_dict(self, number: int) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        return {
            "number": number,
            "box": [round(side, 5) for side in (self.box.x0, self.box.y0, self.box.width, self.box.height)],
            "type": self.type,
            "label": self.label,
            "confidence": None if self.confidence is None else round(self.confidence, 3),
            "area_id": None if self.area is None else str(self.area.aoi_id),
        }


@dataclass(frozen=True, slots=True)
class Question:
    """A question about the areas of one type in one medium."""

    medium_id: str
    path: str
    type: AoiType
    text: str
    why: str
    proposals: tuple[Proposal, ...]
    rank: tuple[int, float]
    """Smaller is more valuable: 0 where a required check waits for it and the answer could change the verdict, 1 where
    it could change the verdict, 2 for any other; then how sure the area is."""

    @property
    def id(self) -> str:
        """Id, the same in every session."""
        return f"{self.medium_id}.{self.type}"

    @property
    def data(self) -> dict[str, Any]:
        """As a page reads it; what it shows of the medium comes beside it."""
        return {
            "id": self.id,
            "type": self.type,
            "text": self.text,
            "why": self.why,
            "proposals": [proposal.to_dict(number) for number, proposal in enumerate(self.proposals, 1)],
        }


def ask(result: Result) -> tuple[Question, ...]:
    """Return the open questions about a medium, in the order of `ASKED_TYPES`.

    `result`: with its areas, proposals, checks, rules and objective. Nothing is asked of what moves: its areas are at
        other places and times than one picture shows.
    """
    if result.moves:
        return ()
    return tuple(question_about(result, aoi_type) for aoi_type in ASKED_TYPES if _is_open(result, aoi_type))


def is_answered(result: Result, aoi_type: AoiType) -> bool:
    """Return whether a person said which areas of a type there are."""
    return aoi_type in result.absent or any(aoi.by_person and aoi.type == aoi_type for aoi in result.aois or ())


def area_dicts(result: Result) -> list[dict[str, Any]]:
    """Return the areas of a medium, numbered, ready for JSON."""
    return [Proposal.of(aoi, aoi.confidence).to_dict(number) for number, aoi in enumerate(result.aois or (), 1)]


def verdict_dict(result: Result) -> dict[str, str]:
    """Return the verdict and its words, ready for JSON."""
    return {"status": result.verdict, "text": VERDICT_WORDS[result.verdict]}


def proposals(result: Result, aoi_type: AoiType) -> tuple[Proposal, ...]:
    """Return what may be areas of a type, the areas that there are first, then the likeliest."""
    chosen: list[Proposal] = []
    for proposal in _candidates(result, aoi_type):
        unsure = sum(not _is_area(other, aoi_type) for other in chosen)
        if not _is_area(proposal, aoi_type):
            noise = proposal.confidence is not None and proposal.confidence < _LEAST_CONFIDENCE
            if noise or unsure == _MOST_UNSURE:
                continue
        if len(chosen) < MOST_PROPOSALS and all(proposal.box.iou(other.box) < _SAME for other in chosen):
            chosen.append(proposal)
    return tuple(chosen)


def _is_area(proposal: Proposal, aoi_type: AoiType) -> bool:
    return proposal.area is not None and proposal.type == aoi_type


def _candidates(result: Result, aoi_type: AoiType) -> Iterator[Proposal]:
    areas = sorted(result.aois or (), key=lambda aoi: -(aoi.confidence or 1.0))
    for aoi in areas:
        if aoi.type == aoi_type:
            yield Proposal.of(aoi, aoi.confidence)
    unspoken = [
        Proposal(candidate.box, aoi_type, candidate.label, candidate.confidence, candidate.method)
        for candidate in result.proposals
        if candidate.type == aoi_type
    ]
    others = [Proposal.of(aoi, confidence) for aoi in areas if (confidence := _says(result, aoi, aoi_type)) is not None]
    yield from sorted([*unspoken, *others], key=lambda proposal: -(proposal.confidence or 0.0))
    if aoi_type == "headline_text":
        texts = [aoi for aoi in areas if aoi.text and aoi.words and aoi.type not in (aoi_type, "call_to_action")]
        for aoi in sorted(texts, key=lambda aoi: -(aoi.text.line_height_pct if aoi.text else 0.0)):
            yield Proposal.of(aoi, None)


def _says(result: Result, aoi: Aoi, aoi_type: AoiType) -> float | None:
    """Return how surely the words of a text of another type are what is asked for; None where they are not."""
    words = aoi.words
    if aoi.type == aoi_type or not words:
        return None
    if aoi_type == "call_to_action":
        confidence = call_to_action_confidence(words.splitlines()[0])
        return confidence if confidence >= _LEAST_PHRASE else None
    brand = result.brand
    if aoi_type == "branding" and brand and _names(words, tuple(brand.spellings)):
        return aoi.confidence
    return None


def question_about(result: Result, aoi_type: AoiType) -> Question:
    """Return the question about the areas of one type, whether it is open or not.

    `result`: of a still image.
    `aoi_type`: one of `ASKED_TYPES`.
    """
    area = main_area(result.aois or (), aoi_type)
    names = _checks_on(result, aoi_type)
    waiting = [check for check in result.checks if check.name in names and check.status in ("unknown", "failed")]
    offered = proposals(result, aoi_type)
    moves = _could_change(result, names)
    if moves and any(check.required for check in waiting):
        tier = 0
    elif moves:
        tier = 1
    else:
        tier = 2
    return Question(
        str(result.medium.medium_id),
        result.path,
        aoi_type,
        _question(result, aoi_type, offered),
        "You said so." if is_answered(result, aoi_type) else _why(aoi_type, area, waiting),
        offered,
        (tier, _MISSING if area is None else area.confidence or 0.0),
    )


@lru_cache(maxsize=65536)
def _names(words: str, spellings: tuple[str, ...]) -> bool:
    """Return `names_brand`, which takes a millisecond and is asked again at every answer."""
    return names_brand(words, spellings)


def _is_open(result: Result, aoi_type: AoiType) -> bool:
    """Return whether it is unclear which areas of a type there are."""
    if is_answered(result, aoi_type):
        return False
    area = main_area(result.aois or (), aoi_type)
    names = _checks_on(result, aoi_type)
    checks = [check for check in result.checks if check.name in names]
    if area is not None:
        return area.confidence is None or area.confidence < SURE
    if any(check.aoi_id and check.status != "unknown" and _is_sure(result, check) for check in checks):
        return False  # another area will do: a text that names the brand, or an offer
    waits = any(check.status in ("unknown", "failed") for check in checks)
    return waits or next(_candidates(result, aoi_type), None) is not None


def _checks_on(result: Result, aoi_type: AoiType) -> dict[str, CheckSpec]:
    """Return the checks of an image that rest on areas of a type, by name."""
    specs = (spec for spec in check_specs() if spec.is_asked(result.purpose, moves=False))
    return {spec.name: spec for spec in specs if _type_of(spec) == aoi_type}


@cache
def _type_of(spec: CheckSpec) -> AoiType | None:
    """Return the type of area that a check rests on first; the headline stands for the message."""
    if spec.aoi_type:
        return spec.aoi_type
    return "headline_text" if spec.expressions[0].metric == MESSAGE_SEEN.name else None


def _is_sure(result: Result, check: CheckResult) -> bool:
    area = next((aoi for aoi in result.aois or () if str(aoi.aoi_id) == check.aoi_id), None)
    return area is not None and (area.confidence is None or area.confidence >= SURE)


def _could_change(result: Result, names: dict[str, CheckSpec]) -> bool:
    """Return whether another outcome of some checks would be another verdict."""
    others = [check for check in result.checks if check.name not in names]
    required = {name: spec.is_required(result.purpose) for name, spec in names.items()}

    def verdict_if(status: CheckStatus) -> Verdict:
        supposed = [
            CheckResult(None, name=name, status=status, title="", required=required[name], text="") for name in names
        ]
        return verdict_of([*others, *supposed], result.rules)

    return bool(names) and any(verdict_if(status) != result.verdict for status in ("passed", "failed"))


def _question(result: Result, aoi_type: AoiType, offered: Sequence[Proposal]) -> str:
    brand = result.brand
    what = TYPE_WORDS[aoi_type]
    if aoi_type == "branding":
        what = f"the brand {brand.name}" if brand else "the advertiser’s logo or name"
    if not offered:
        return f"Where is {what}?"
    return f"Is this {what}?" if len(offered) == 1 else f"Which of these is {what}?"


def _why(aoi_type: AoiType, area: Aoi | None, waiting: Sequence[CheckResult]) -> str:
    if waiting:
        return min(waiting, key=lambda check: not check.required).text
    if area is None:
        return f"{TYPE_WORDS[aoi_type].capitalize()} was not found."
    return f"It was found with a confidence of {100 * (area.confidence or 0.0):.0f} %."
