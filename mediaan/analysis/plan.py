"""What an analysis computes, and the sizes in which it must see the frames for that."""

from __future__ import annotations

from dataclasses import dataclass

from mediaan.metrics import DRIVER_VIEW
from mediaan.types.media import ViewSpec

DISPLAY_VIEW = ViewSpec("display", long_side=1024)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of an analysis.

    Attributes
    ----------
    model : str
        Name of the attention model, or path of its card.
    device : {'auto', 'cpu', 'cuda'}
    maps : tuple of str
        Names of the maps to render; see `mediaan.maps.MAPS`.
    scores : bool
        Whether to compute the scores; without them only densities are predicted.
    exposure_s : float
        How long a picture is looked at, s.
    max_megapixels : float
        Larger pictures are refused.
    threads : int
        Threads per prediction; 0 leaves it to the runtime.
    """

    model: str = "attention"
    device: str = "auto"
    maps: tuple[str, ...] = ()
    scores: bool = True
    exposure_s: float = 5.0
    max_megapixels: float = 100.0
    threads: int = 0

    def views(self, attention: ViewSpec) -> tuple[ViewSpec, ...]:
        """The sizes to decode to, given the one that the model wants."""
        drivers = (DRIVER_VIEW,) if self.scores or self.maps else ()
        display = (DISPLAY_VIEW,) if self.maps else ()
        return (*display, *drivers, attention)
