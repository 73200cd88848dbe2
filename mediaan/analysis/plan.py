"""What an analysis computes, and the sizes in which it must see the frames for that."""

from __future__ import annotations

from dataclasses import dataclass

from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel, built_in_hazard_model
from mediaan.maps import map_spec
from mediaan.media import MediaLimits, Sampling
from mediaan.metrics import DRIVER_VIEW
from mediaan.types.aoi import AoiLevel
from mediaan.types.eye_tracking import Calibration
from mediaan.types.media import ViewSpec

DISPLAY_VIEW = ViewSpec("display", long_side=1024)
AOI_VIEW = ViewSpec("aoi", long_side=1024)
"""Small print can be read here; where maps are drawn too, it costs nothing more."""


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
    intervals : bool
        Whether scores get 90 % intervals, for which a picture is looked at again under changes that should not matter.
    exposure_s : float
        How long a picture is looked at, s.
    max_megapixels : float
        Larger pictures are refused.
    threads : int
        Threads per prediction and of the decoder; 0 leaves it to them.
    fps : float
        Samples per second of a video.
    fast : bool
        Look at key frames only.
    mixed : bool
        Take only what the v2 service takes as mixed media.
    max_side : int or None
        Longest side of a frame that is accepted, px.
    time_limit_s : float
        Wall time for one medium, s.
    aois : {'none', 'text', 'objects', 'all'}
        Which areas of interest are looked for.
    detector : str
        Name of the object detector, or path of its card.
    series : bool
        Whether densities over time are part of the result of a medium that moves.
    calibration : Calibration or None
        Of the viewers whose attention is predicted; None: those that the model was trained on.
    domain : str or None
        What the medium is, one of the domains that the attention model tells apart; None: the model tells by itself.
    advice : bool
        Whether edits of a picture with AOIs are tried.
    """

    model: str = "attention"
    device: str = "auto"
    maps: tuple[str, ...] = ()
    scores: bool = True
    intervals: bool = True
    exposure_s: float = 5.0
    max_megapixels: float = 100.0
    threads: int = 0
    fps: float = 5.0
    fast: bool = False
    mixed: bool = False
    max_side: int | None = None
    time_limit_s: float = 900.0
    aois: AoiLevel = "none"
    detector: str = "objects"
    series: bool = False
    calibration: Calibration | None = None
    domain: str | None = None
    advice: bool = False

    @property
    def models(self) -> tuple[str, str, int, str, Calibration | None]:
        """What `load_models` takes."""
        return self.model, self.device, self.threads, self.detector, self.calibration

    @property
    def seen(self) -> FixationHazardModel:
        """What says who sees an AOI, and for how long."""
        model = built_in_hazard_model()
        return model.paced(self.calibration.pace) if self.calibration else model

    @property
    def films(self) -> tuple[str, ...]:
        """Those of the maps that are videos."""
        return tuple(name for name in self.maps if map_spec(name).kind == "video")

    @property
    def pictures(self) -> tuple[str, ...]:
        """Those of the maps that are pictures of any medium."""
        return tuple(name for name in self.maps if map_spec(name).kind in ("heat", "fog", "local"))

    def views(self, attention: ViewSpec) -> tuple[ViewSpec, ...]:
        """The sizes to decode to, given the one that the model wants.

        Smaller views are made from the largest, which is therefore the same whatever is asked for beside the scores:
        otherwise these would depend on that.
        """
        drivers = (DRIVER_VIEW,) if self.scores or self.maps else ()
        display = (DISPLAY_VIEW,) if self.scores or self.maps or self.advice else ()
        aois = (AOI_VIEW,) if self.aois != "none" else ()
        return (*display, *aois, *drivers, attention)

    def limits(self) -> MediaLimits:
        """What is refused."""
        return MediaLimits(
            max_megapixels=self.max_megapixels,
            max_side=self.max_side,
            time_limit_s=self.time_limit_s,
            mixed=self.mixed,
        )

    def sampling(self) -> Sampling:
        """Which frames of a video are looked at."""
        return Sampling(fps=self.fps, key_frames_only=self.fast, exposure_s=self.exposure_s, threads=self.threads)
