"""Eye tracking of one's own viewers: the columns of its tables, and the calibration that was fitted to it.

`mediaan calibrate` fits a calibration; `docs/calibration.md` says how."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from mediaan.types.densities import Window

Interval = tuple[float, float]

CALIBRATION_FORMAT = 1
"""Version of the file's layout."""

MIN_SHARPNESS, MAX_SHARPNESS = 0.1, 10.0
MAX_SPREAD = 0.5


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Adjustment of a predicted density: a power of it, then a blur, then a mixture with the centre prior.

    >>> Adjustment().changes_nothing, Adjustment(centre=0.1).changes_nothing
    (True, False)
    """

    sharpness: float = 1.0
    """Power of the density; below 1 viewers look at more of the image than the model predicts."""
    sharpness_interval: Interval | None = None
    spread: float = 0.0
    """Standard deviation of the Gaussian blur, as a share of the density's long side."""
    spread_interval: Interval | None = None
    centre: float = 0.0
    """Share of the centre prior in the result, 0-1."""
    centre_interval: Interval | None = None
    """sharpness_interval, spread_interval, centre_interval: (float, float) or None. 90 % bootstrap intervals over
    images."""

    def __post_init__(self) -> None:
        _check_range("sharpness", self.sharpness, MIN_SHARPNESS, MAX_SHARPNESS)
        _check_range("spread", self.spread, 0.0, MAX_SPREAD)
        _check_range("centre", self.centre, 0.0, 1.0)

    @property
    def changes_nothing(self) -> bool:
        """True if a density stays as it is."""
        return (self.sharpness, self.spread, self.centre) == (1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Pace:
    """Fixation rate of a group of viewers."""

    rate: float = 1.0
    """Factor of the rate of fixations behind percentage_seen."""
    rate_interval: Interval | None = None
    agreement: float = 1.0
    """Factor of the power of the density behind percentage_seen: above 1, viewers agree more on where to look."""
    agreement_interval: Interval | None = None
    gaze: float | None = None
    """Share of the time spent in fixations on the image, 0-1; None where durations are unknown."""
    gaze_interval: Interval | None = None
    """rate_interval, agreement_interval, gaze_interval: (float, float) or None. As of `Adjustment`."""

    def __post_init__(self) -> None:
        _check_range("rate", self.rate, 0.05, 20.0)
        _check_range("agreement", self.agreement, MIN_SHARPNESS, MAX_SHARPNESS)
        if self.gaze is not None:
            _check_range("gaze", self.gaze, 0.01, 1.0)


@dataclass(frozen=True, slots=True)
class CalibrationEvidence:
    """One metric on images held out of the fit, before and after it; also of a rejected fit."""

    window: Window
    metric: str
    """Key of `mediaan.evaluation.calibration.METRICS`."""
    before: float
    after: float
    gain: float
    """before, after, gain: Means over images: without the adjustment, with it, and of their differences."""
    lo: float
    hi: float
    """lo, hi: 95 % bootstrap interval of the gain."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A calibration of the attention model to one's own viewers."""

    model: str
    model_sha256: str
    """model, model_sha256: Attention model that it was fitted to; the hash of a model without weights is empty."""
    source: str
    """Name of the folder of eye tracking."""
    made_at: str
    mediaan: str
    """made_at, mediaan: Date and time, and the program's version."""
    pictures: int
    viewers: int
    fixations: int
    """pictures, viewers, fixations: Numbers that it was fitted to."""
    total: Adjustment
    start: Adjustment | None = None
    end: Adjustment | None = None
    """start, end: Of the first and last two seconds; None: as of the whole exposure."""
    pace: Pace = field(default_factory=Pace)
    evidence: tuple[CalibrationEvidence, ...] = ()
    sha256: str = ""
    """Of the file that it was read from; empty without a file."""
    despite: str = ""
    """Why it is used with another model than it was fitted to; otherwise empty."""
    format: int = CALIBRATION_FORMAT
    """Version of the file's layout."""

    def __post_init__(self) -> None:
        if self.format != CALIBRATION_FORMAT:
            raise ValueError(
                f"format {self.format} is not known; this version of mediaan reads format {CALIBRATION_FORMAT}"
            )

    def adjustment(self, window: Window) -> Adjustment:
        """Return the adjustment of the density of a window."""
        return {"start": self.start, "end": self.end}.get(window) or self.total


def _check_range(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least:g} to {most:g}, not {value}")


@dataclass(frozen=True, slots=True)
class GazeColumns:
    """Names of the columns of a table with a row for each fixation, or for each sample of gaze."""

    image: str
    viewer: str
    """image, viewer: Image (file name, with or without extension and folders) and person."""
    x: str
    y: str
    """x, y: Place, from the left and from the top."""
    unit: Literal["unit", "percent", "px"] = "px"
    """Of places: 0-1 of the image, 0-100 of it, or px: of the image file, or of the screen where `width` and `height`
    say how large the image was shown there."""
    onset: str | None = None
    duration: str | None = None
    """onset, duration: Time since the image came on, and length; None where unknown."""
    time_unit: Literal["s", "ms", "us"] = "ms"
    left: str | None = None
    top: str | None = None
    width: str | None = None
    height: str | None = None
    """left, top, width, height: Place of the image on the screen, px: its corner (0 where None) and its size."""
    rows: Literal["fixations", "samples"] = "fixations"
    """Meaning of a row; samples are merged to fixations (`mediaan.evaluation.datasets.exports`), which needs their
    onset."""

    @property
    def seconds(self) -> float:
        """Length of the unit of time, s."""
        return {"s": 1.0, "ms": 1e-3, "us": 1e-6}[self.time_unit]

    @property
    def named(self) -> dict[str, str]:
        """Columns by meaning, of those that are there."""
        meanings = ("image", "viewer", "x", "y", "onset", "duration", "left", "top", "width", "height")
        return {meaning: name for meaning in meanings if (name := getattr(self, meaning)) is not None}
