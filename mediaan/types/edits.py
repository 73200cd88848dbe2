"""Edits of an image, suggestions of such edits, and the changes of scores that they cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args
from uuid import UUID

from mediaan.errors import UsageError
from mediaan.types.aoi import Aoi, Point
from mediaan.types.densities import Densities, Window
from mediaan.types.display import html_card, text_card
from mediaan.types.media import Medium, Problem
from mediaan.types.metrics import Interval

if TYPE_CHECKING:  # the command line names edits without loading NumPy
    from mediaan.types.arrays import UInt8

Action = Literal["remove", "scale", "move", "grey", "blur", "contrast"]
ACTIONS: tuple[Action, ...] = get_args(Action)

_FACTORS = (0.05, 20.0)


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of one area of an image.

    Raises
    ------
    UsageError
        An argument is missing, superfluous, or out of its range.

    Examples
    --------
    >>> str(Edit("scale", "branding", factor=1.3)), str(Edit("move", "product:2", to=(0.8, 0.25)))
    ('scale branding 1.3', 'move product:2 0.8,0.25')
    """

    action: Action
    aoi: str
    """Name of the area: its type (``branding``; ``product:2`` is the second by attention), its label, its id or the
    beginning of it, or a box ``x0,y0,x1,y1`` in unit coordinates."""
    factor: float | None = None
    """Of both sides for ``scale``, of the difference in lightness from the background for ``contrast``; 0.05-20."""
    to: Point | None = None
    """(float, float) or None. New centre in unit coordinates; for ``move`` only. An area that would stick out of the
    image is shifted back."""

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise UsageError(f"no edit is called {self.action!r}; there are {', '.join(ACTIONS)}", code="bad_edit")
        takes_factor = self.action in ("scale", "contrast")
        if (self.factor is not None) != takes_factor or (self.to is not None) != (self.action == "move"):
            message = (
                f"{self.action} {self.aoi}: scale and contrast need a factor, move needs a place, and no other edit "
                "takes either"
            )
            raise UsageError(message, code="bad_edit")
        if self.factor is not None and not _FACTORS[0] <= self.factor <= _FACTORS[1]:
            low, high = _FACTORS
            raise UsageError(f"{self}: the factor must be within {low:g} and {high:g}", code="bad_edit")
        if self.to is not None and not all(0 <= side <= 1 for side in self.to):
            message = f"{self}: the new centre must be x,y in unit coordinates, 0-1 from the top-left corner"
            raise UsageError(message, code="bad_edit")

    def __str__(self) -> str:
        parts = [self.action, self.aoi]
        if self.factor is not None:
            parts.append(f"{self.factor:g}")
        if self.to is not None:
            parts.append(",".join(f"{side:g}" for side in self.to))
        return " ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON, without what the action does not take."""
        return {
            "action": self.action,
            "aoi": self.aoi,
            **({"factor": self.factor} if self.factor is not None else {}),
            **({"to": list(self.to)} if self.to is not None else {}),
        }


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An edit whose predicted gain holds on its whole interval."""

    aoi_id: UUID
    """Area to edit."""
    gains_aoi_id: UUID
    """Area that gains: the same, or one that it competes with."""
    edits: tuple[Edit, ...]
    """In order; areas are named by id, so that `mediaan.whatif` can repeat them."""
    text: str
    """A sentence for people."""
    metric: str
    """Metric of the area that gains, over the whole exposure."""
    before: float
    """Score of that area now."""
    after: float
    """`before` with the gain."""
    gain: float
    lo: float
    hi: float
    """gain, lo, hi: Predicted change and its 90 % interval: its repeatability, not a promise about people.
    0 < lo <= gain <= hi."""
    unit: str = "%"
    """Of all five."""
    purpose: str | None = None
    """Purpose for which it was tried."""

    @property
    def action(self) -> str:
        """Action of its first edit: scale, contrast or move."""
        return self.edits[0].action

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        return {
            "action": self.action,
            "aoi_id": str(self.aoi_id),
            "gains_aoi_id": str(self.gains_aoi_id),
            "edits": [edit.to_dict() for edit in self.edits],
            **{key: getattr(self, key) for key in ("text", "metric", "before", "after", "gain", "lo", "hi", "unit")},
            "purpose": self.purpose,
        }


ChangeVerdict = Literal["rises", "falls", "no clear change", "undefined"]
"""``no clear change`` where the interval holds 0, or where the change is too small to be shown."""

_SMALLEST = {"s": 0.005, "ratio": 0.005}
_SMALLEST_OTHERWISE = 0.05
"""Changes by unit that tables round to 0: smaller ones are not reported, however well they repeat."""


@dataclass(frozen=True, slots=True)
class Change(Interval):
    """One metric of an image, or of one of its areas, before and after an edit.

    `value` is after minus before; its interval, over augmented copies of both images, is its repeatability and not a
    promise about people. It holds the value.
    """

    _: KW_ONLY
    aoi_id: UUID | None
    """Of the area; None for the image's own scores."""
    metric: str
    time: Window
    before: float | None
    after: float | None
    """before, after: Values; None where the metric is undefined."""
    unit: str
    reason: str | None = None
    """Why a value is None."""

    @property
    def change(self) -> float | None:
        """After minus before."""
        return self.value

    @property
    def verdict(self) -> ChangeVerdict:
        """Direction of the change, where it can be told from chance."""
        if self.value is None or self.bounds is None:
            return "undefined"
        lo, hi = self.bounds
        if abs(self.value) < _SMALLEST.get(self.unit, _SMALLEST_OTHERWISE) or lo <= 0 <= hi:
            return "no clear change"
        return "rises" if lo > 0 else "falls"

    @property
    def is_told(self) -> bool:
        """True if it rises or falls by more than chance."""
        return self.verdict in ("rises", "falls")

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        keys = ("before", "after", "change", "lo", "hi", "unit")
        plain = {key: getattr(self, key) for key in keys} | {"verdict": self.verdict}
        return plain | ({"reason": self.reason} if self.reason else {})


@dataclass(frozen=True, slots=True)
class WhatIf:
    """An image before and after edits."""

    path: str
    medium: Medium
    """The image as its file holds it."""
    edits: tuple[tuple[Edit, UUID], ...]
    """Tuple of (Edit, UUID). In the order of application, with the area that each named."""
    aois: tuple[Aoi, ...]
    """Areas before."""
    aois_after: tuple[Aoi, ...]
    """Areas after, without those that were removed."""
    changes: tuple[Change, ...]
    """Of the image's scores, then of each area's."""
    densities: Densities
    densities_after: Densities
    pictures: Mapping[str, UInt8] = field(default_factory=dict)
    """Mapping of str to (H, W, 3) uint8. ``before``, ``after``, ``before_heat``, ``after_heat``, ``difference``."""
    problems: tuple[Problem, ...] = ()
    """Notes for readers of the numbers."""
    views: int = 1
    """Number of pairs of images behind the intervals."""
    purpose: str | None = None
    """Of the image, where it is known."""
    lost: tuple[str, ...] = ()
    """Things that the purpose requires and the edits removed, in sentences; no rising score makes up for them."""

    def __repr__(self) -> str:
        return text_card(f"What if: {self.path}", self._rows())

    def _repr_html_(self) -> str:
        return html_card(f"What if: {self.path}", self._rows())

    def _rows(self) -> dict[str, str]:
        of_image = [change for change in self.changes if change.aoi_id is None and change.is_told]
        told = [f"{change.metric} {change.verdict} ({change.before:.1f} to {change.after:.1f})" for change in of_image]
        of_areas = sum(change.is_told for change in self.changes) - len(of_image)
        return {
            "edits": ", then ".join(str(edit) for edit, _ in self.edits),
            "lost": " ".join(self.lost),
            "image": "; ".join(told) or "no clear change",
            "areas": f"{of_areas} scores of areas change" if of_areas else "",
            "more": "result['focus'], .changes, .pictures, .to_dict()",
        }

    def __getitem__(self, metric: str) -> Change:
        """Return the change of one of the image's own scores, such as ``focus``.

        Raises
        ------
        KeyError
            There is no such metric.
        """
        of_image = [change for change in self.changes if change.aoi_id is None]
        for change in of_image:
            if change.metric == metric:
                return change
        raise KeyError(f"no metric {metric!r}; there are {', '.join(change.metric for change in of_image)}")

    def of(self, aoi_id: UUID) -> dict[tuple[str, Window], Change]:
        """Return the changes of an area by metric and time."""
        return {(c.metric, c.time): c for c in self.changes if c.aoi_id == aoi_id}

    @property
    def touched(self) -> frozenset[UUID]:
        """Areas that an edit named."""
        return frozenset(aoi_id for _, aoi_id in self.edits)

    def removed(self, aoi_id: UUID) -> bool:
        """Return True if an edit removed an area."""
        return all(aoi.aoi_id != aoi_id for aoi in self.aois_after)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON, without pixels."""
        medium = self.medium
        return {
            "path": self.path,
            "medium_id": str(medium.medium_id),
            "name": medium.name,
            "width": medium.width,
            "height": medium.height,
            "edits": [edit.to_dict() | {"aoi_id": str(aoi_id)} for edit, aoi_id in self.edits],
            "purpose": self.purpose,
            "lost": list(self.lost),
            "views": self.views,
            "metrics": {change.metric: change.to_dict() for change in self.changes if change.aoi_id is None},
            "aois": [self._aoi_dict(aoi) for aoi in self.aois],
            "problems": [asdict(problem) for problem in self.problems],
        }

    def _aoi_dict(self, aoi: Aoi) -> dict[str, Any]:
        after = next((other for other in self.aois_after if other.aoi_id == aoi.aoi_id), None)
        scores: dict[str, dict[str, Any]] = {}
        for (metric, time), change in self.of(aoi.aoi_id).items():
            scores.setdefault(metric, {})[time] = change.to_dict()
        return {
            "aoi_id": str(aoi.aoi_id),
            "type": aoi.type,
            "label": aoi.label,
            "source": aoi.source,
            "box": list(aoi.box),
            "box_after": list(after.box) if after else None,
            "removed": self.removed(aoi.aoi_id),
            "scores": scores,
        }
