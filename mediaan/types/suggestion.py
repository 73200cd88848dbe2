"""An edit of a picture that was tried and helps, in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from mediaan.types.edit import Edit


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An edit whose predicted gain holds on its whole interval.

    Attributes
    ----------
    aoi_id : UUID
        The area that is to be edited.
    gains_aoi_id : UUID
        The area that gains by it: the same, or one that it competes with.
    edits : tuple of Edit
        What was tried, in order; names are ids of areas, so that `mediaan.whatif` repeats it.
    text : str
        A sentence for people.
    metric : str
        What is gained, of the area that gains, over the whole exposure.
    before : float
        As the area scores now.
    after : float
        `before` with the gain.
    gain, lo, hi : float
        Predicted change and its 90 % interval over views of both pictures that should not matter: its repeatability,
        not a promise about people. 0 < lo <= gain <= hi.
    unit : str
        Of all five.
    purpose : str or None
        For which it was tried.
    """

    aoi_id: UUID
    gains_aoi_id: UUID
    edits: tuple[Edit, ...]
    text: str
    metric: str
    before: float
    after: float
    gain: float
    lo: float
    hi: float
    unit: str = "%"
    purpose: str | None = None

    @property
    def action(self) -> str:
        """Of its first edit: scale, contrast or move."""
        return self.edits[0].action

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON."""
        return {
            "action": self.action,
            "aoi_id": str(self.aoi_id),
            "gains_aoi_id": str(self.gains_aoi_id),
            "edits": [edit.to_dict() for edit in self.edits],
            **{key: getattr(self, key) for key in ("text", "metric", "before", "after", "gain", "lo", "hi", "unit")},
            "purpose": self.purpose,
        }
