"""What shall be changed in a picture to see what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from mediaan.errors import UsageError
from mediaan.types.aoi import Point

Action = Literal["remove", "scale", "move", "grey", "blur", "contrast"]
ACTIONS: tuple[Action, ...] = get_args(Action)

_FACTORS = (0.05, 20.0)


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of one area of a picture.

    Attributes
    ----------
    action : {'remove', 'scale', 'move', 'grey', 'blur', 'contrast'}
    aoi : str
        Which area: its type (``branding``; ``product:2`` is the second by attention), its label, its id or the
        beginning of it, or a box ``x0,y0,x1,y1`` in unit coordinates.
    factor : float or None
        Of both sides for ``scale``, of the difference in lightness from the ground for ``contrast``; 0.05-20.
    to : (float, float) or None
        New centre in unit coordinates; for ``move`` only. What would stick out of the picture is shifted back into it.

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
    factor: float | None = None
    to: Point | None = None

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
        said = [self.action, self.aoi]
        if self.factor is not None:
            said.append(f"{self.factor:g}")
        if self.to is not None:
            said.append(",".join(f"{side:g}" for side in self.to))
        return " ".join(said)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON; what the action does not take is left out."""
        return {
            "action": self.action,
            "aoi": self.aoi,
            **({"factor": self.factor} if self.factor is not None else {}),
            **({"to": list(self.to)} if self.to is not None else {}),
        }
