"""Plan an analysis: a recipe with its execution, the options of one medium, and the views of frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

from mediaan.analysis.options import Device, Execution, Recipe
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel, built_in_hazard_model
from mediaan.maps import MAPS
from mediaan.media import MediaLimits, Sampling
from mediaan.metrics import DRIVER_VIEW
from mediaan.types.aoi import AoiLevel, Brand, Drawing
from mediaan.types.eye_tracking import Calibration
from mediaan.types.media import ViewSpec

DISPLAY_VIEW = ViewSpec("display", long_side=1024)
AOI_VIEW = ViewSpec("aoi", long_side=1024)
"""Large enough for small print; shared with the display view where maps are rendered."""


class Plan(Recipe):
    """A recipe with the device and threads of one machine, as the analysis takes it: by default scores alone.

    Of the recipe's inputs of the user only the domain is used here, as that of the medium.
    """

    maps: tuple[str, ...] = ()
    densities: bool = False
    aois: AoiLevel = "none"
    advice: Literal["tried", "none"] = "none"
    device: Device = "auto"
    threads: int = 0
    """Threads per prediction and of the decoder; 0 leaves it to them."""
    scores: bool = True
    """Compute the scores; without them only densities are predicted."""

    @classmethod
    def of(cls, recipe: Recipe, execution: Execution, **changes: Any) -> Self:
        """Plan a recipe with the device and threads of an execution; `changes` are fields that differ from both."""
        fields = {name: getattr(recipe, name) for name in Recipe.model_fields}
        execution_fields = {"device": execution.worker_device, "threads": execution.threads or 0}
        return cls(**{**fields, **execution_fields, **changes})

    @property
    def suggests_edits(self) -> bool:
        """True if edits of an image with areas are tried."""
        return self.advice == "tried"

    @property
    def models(self) -> tuple[str, str, int, str, Calibration | None]:
        """Arguments of `load_models`."""
        return self.model, self.device, self.threads, self.detector, self.calibration

    @property
    def seen(self) -> FixationHazardModel:
        """Model of who fixates an AOI, and for how long."""
        model = built_in_hazard_model()
        return model.paced(self.calibration.pace) if self.calibration else model

    @property
    def films(self) -> tuple[str, ...]:
        """Maps that are videos."""
        return tuple(name for name in self.maps if MAPS[name].kind == "video")

    @property
    def pictures(self) -> tuple[str, ...]:
        """Maps that are images of any medium."""
        return tuple(name for name in self.maps if MAPS[name].is_image)

    @property
    def sheets(self) -> tuple[str, ...]:
        """Maps that are one image of all scenes of a video."""
        return tuple(name for name in self.maps if MAPS[name].kind == "sheet")

    @property
    def gaze_maps(self) -> tuple[str, ...]:
        """Maps of a scanpath over an image."""
        return tuple(name for name in self.maps if MAPS[name].is_gaze)

    def views(self, attention: ViewSpec) -> tuple[ViewSpec, ...]:
        """Return the sizes to decode to, given the one that the model wants.

        Smaller views are made from the largest, which is therefore the same whatever is asked for beside the scores:
        otherwise these would depend on that.
        """
        drivers = (DRIVER_VIEW,) if self.scores or self.maps else ()
        display = (DISPLAY_VIEW,) if self.scores or self.maps or self.suggests_edits else ()
        aois = (AOI_VIEW,) if self.aois != "none" else ()
        return (*display, *aois, *drivers, attention)

    def limits(self) -> MediaLimits:
        """Return what is refused."""
        return MediaLimits(
            max_megapixels=self.max_megapixels,
            max_side=self.max_side,
            time_limit_s=self.time_limit_s,
            mixed=self.mixed,
        )

    def sampling(self) -> Sampling:
        """Return which frames of a video are analyzed."""
        return Sampling(fps=self.fps, key_frames_only=self.fast, exposure_s=self.exposure_s, threads=self.threads)


@dataclass(frozen=True, slots=True)
class MediumOptions:
    """Options of one medium beyond the plan that all media share."""

    brand: Brand | None = None
    """Brand whose marks are searched for; None: any."""
    platform: str | None = None
    """Where the medium is shown."""
    drawings: tuple[Drawing, ...] | None = None
    """AOIs that people drew on it; None where nobody drew any."""
    exposure_s: float | None = None
    """Viewing time of an image, s; None: as the plan says."""
    domain: str | None = None
    """One of the attention model's domains; None: as the plan says."""
    viewport: str | None = None
    """On which a tall page is judged; None: as the plan says."""


DEFAULT_OPTIONS: MediumOptions = MediumOptions()
