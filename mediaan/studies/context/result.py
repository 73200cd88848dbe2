"""Hold how an ad does among what surrounds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from mediaan.studies.context.statistics import Verdict, ratio_verdict
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8
from mediaan.types.display import html_card, text_card
from mediaan.types.media import Medium, Problem

ContextKind = Literal["page", "feed", "shelf"]

EVERYWHERE = "all positions"


@dataclass(frozen=True, slots=True)
class ContextScore:
    """One number of a position.

    Attributes
    ----------
    metric : str
        One of `mediaan.studies.context.specs.CONTEXT_METRICS`.
    value : float or None
    lo, hi : float or None
        90 % interval; None where there is none.
    unit : {'%', 's', 'ratio'}
    reason : str or None
        Why the value is None.
    """

    metric: str
    value: float | None
    lo: float | None
    hi: float | None
    unit: str
    reason: str | None = None

    @property
    def verdict(self) -> Verdict | None:
        """Of a ratio: more, less or no clear difference; None of other metrics, and without an interval."""
        return ratio_verdict(self.lo, self.hi) if self.unit == "ratio" and self.lo is not None else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        plain = {key: getattr(self, key) for key in ("value", "lo", "hi", "unit")}
        more = {"verdict": self.verdict, "reason": self.reason}
        return plain | {key: value for key, value in more.items() if value is not None}


@dataclass(frozen=True, slots=True)
class ContextPosition:
    """A picture at one position.

    Attributes
    ----------
    view : str
        ``phone`` or ``desktop`` of a feed; empty otherwise.
    name : str
        The position in words, or ``all positions``.
    item : str
        Path of the picture: the ad, or another pack of a planogram.
    box : Box or None
        Where it is on the composed picture; None of all positions together.
    draws : int
        Number of composed pictures behind the numbers.
    scores : tuple of ContextScore
    """

    view: str
    name: str
    item: str
    box: Box | None
    draws: int
    scores: tuple[ContextScore, ...]

    def __getitem__(self, metric: str) -> ContextScore:
        """Return a score.

        Raises
        ------
        KeyError
            There is no such metric; the message lists those there are.
        """
        found = self.get(metric)
        if found is None:
            raise KeyError(f"no metric {metric!r}; there are {', '.join(score.metric for score in self.scores)}")
        return found

    def __contains__(self, metric: object) -> bool:
        return any(score.metric == metric for score in self.scores)

    def get(self, metric: str) -> ContextScore | None:
        """Return a score; None where it was not computed."""
        return next((score for score in self.scores if score.metric == metric), None)


@dataclass(frozen=True, slots=True)
class ContextResult:
    """An ad among what surrounds it.

    Attributes
    ----------
    kind : {'page', 'feed', 'shelf'}
    path : str
        Of the ad.
    medium : Medium
        The ad as its file holds it.
    positions : tuple of ContextPosition
        By view, those of the ad first.
    exposure_s : float
        Seconds for which the composed picture is looked at.
    domain : str or None
        As what attention on it was predicted.
    model : str
    draws : int
        Number of draws of other pictures; 1 where nothing was drawn by lot.
    seed : int
    others : int
        Number of other pictures.
    summary : str
        The result in a few sentences.
    notes : tuple of str
        What to keep in mind.
    pictures : mapping of str to (H, W, 3) uint8
        Composed pictures and their heatmaps by name, such as ``phone_top`` and ``phone_top_heat``.
    problems : tuple of Problem
    """

    kind: ContextKind
    path: str
    medium: Medium
    positions: tuple[ContextPosition, ...]
    exposure_s: float
    domain: str | None
    model: str
    draws: int
    seed: int
    others: int
    summary: str
    notes: tuple[str, ...]
    pictures: Mapping[str, UInt8] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        return text_card(f"In context: {self.path}", self._rows())

    def _repr_html_(self) -> str:
        return html_card(f"In context: {self.path}", self._rows())

    def _rows(self) -> dict[str, str]:
        more = ".positions, .pictures, .notes, .to_dict()"
        return {"context": self.kind, "summary": self.summary, "more": more}

    def own(self, view: str | None = None) -> list[ContextPosition]:
        """Return the positions of the ad, without those of all together, in one view or in every one."""
        return [
            one for one in self.positions if one.item == self.path and one.box is not None and view in (None, one.view)
        ]

    def overall(self, view: str = "") -> ContextPosition | None:
        """Return the ad at all positions together, in one view; None where that was not computed."""
        found = (one for one in self.positions if one.item == self.path and one.box is None and one.view == view)
        return next(found, None)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the table ``context``."""
        for one in self.positions:
            box = one.box or (None, None, None, None)
            place = dict(zip(("x0", "y0", "x1", "y1"), box, strict=True))
            for score in one.scores:
                row = {"context": self.kind, "item": one.item, "view": one.view or None, "position": one.name}
                yield row | place | {"draws": one.draws} | asdict(score) | {"verdict": score.verdict}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON, without pixels."""
        medium = self.medium
        return {
            "context": self.kind,
            "path": self.path,
            "medium_id": str(medium.medium_id),
            "name": medium.name,
            "exposure_s": self.exposure_s,
            "domain": self.domain,
            "model": self.model,
            "draws": self.draws,
            "seed": self.seed,
            "others": self.others,
            "summary": self.summary,
            "notes": list(self.notes),
            "positions": [
                {
                    "view": one.view or None,
                    "position": one.name,
                    "item": one.item,
                    "box": None if one.box is None else list(one.box),
                    "draws": one.draws,
                    "scores": {score.metric: score.to_dict() for score in one.scores},
                }
                for one in self.positions
            ],
            "problems": [asdict(problem) for problem in self.problems],
        }
