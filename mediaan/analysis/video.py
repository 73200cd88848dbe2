"""Analyze a video or animation: fold its samples into scores, scenes, densities and maps in one pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from mediaan.analysis.aoi_detection import AoiDetector
from mediaan.analysis.aoi_tracking import VideoAoiDetector
from mediaan.analysis.image import (
    available_maps,
    local_maps,
    missing_map_problem,
    novelty_distance,
    novelty_problem,
    novelty_share,
)
from mediaan.analysis.models import Models
from mediaan.analysis.plan import DISPLAY_VIEW, Plan
from mediaan.analysis.progress import StageTimer
from mediaan.analysis.timeline import TimelineAccumulator
from mediaan.analysis.video_maps import KeyFrameSelector, PreviewWriter, render_overlay_video
from mediaan.aoi.scoring.aoi_scores import DensitySample, score_moving
from mediaan.aoi.scoring.looks import NO_LOOKS
from mediaan.maps import MAPS, OverlayKind, SheetCell, contact_sheet, render_maps
from mediaan.media import Source
from mediaan.metrics import (
    DRIVER_VIEW,
    Drivers,
    built_in_scales,
    measure_drivers,
    score_all,
    with_intervals,
)
from mediaan.metrics.scales import video_scales
from mediaan.saliency import GazeState
from mediaan.saliency.density_storage import DensityTrack
from mediaan.types.aoi import FULL_FRAME, Aoi
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.densities import WINDOWS, Densities
from mediaan.types.media import Chunk, Problem, Shot
from mediaan.types.metrics import Scene, Score
from mediaan.types.result import Result

DRIVERS_EVERY_S = 1.5
"""Drivers are measured at each cut and this often between cuts, where the image changes at all; in between they hold.

They are averages over the whole frame (clutter, colour, contours), which change slowly within a shot, and only the
network costs more."""

_BRIGHTNESS_CHANGE, _GRADIENT_CHANGE = 12.0, 0.2
"""Drivers are measured at once when the mean of a frame moves by more code values, or its gradients by a larger share:
at a fade, a flash, a title that comes up."""


@dataclass(frozen=True, slots=True)
class VideoSample:
    """Time, duration and shot of a sample, and whether its pixels are new."""

    t: float
    weight: float
    shot: int
    fresh: bool


@dataclass(frozen=True, slots=True)
class FrameStats:
    """Cheap statistics that tell whether a frame has changed as a whole."""

    mean: float
    """Of the code values."""
    gradient: float
    """Mean absolute difference of neighbours, summed over both axes."""

    @classmethod
    def of(cls, rgb: UInt8) -> FrameStats:
        """Measure the green of one pixel in four."""
        green = rgb[::2, ::2, 1].astype(np.int16)
        steps = [np.abs(np.diff(green, axis=axis)) for axis in (0, 1) if green.shape[axis] > 1]
        return cls(float(green.mean(dtype=np.float64)), sum(float(step.mean(dtype=np.float64)) for step in steps))

    def differs(self, other: FrameStats) -> bool:
        """Return True if drivers must be measured again."""
        gradient_change = abs(self.gradient - other.gradient) / max(1.0, other.gradient)
        return abs(self.mean - other.mean) > _BRIGHTNESS_CHANGE or gradient_change > _GRADIENT_CHANGE


@dataclass(slots=True)
class HeldDrivers:
    """Drivers of a frame, and the samples for which they hold."""

    drivers: Drivers
    stats: FrameStats
    """Of the measured frame."""
    t: float
    """Of the measured frame, s."""
    shot: int
    seconds: float = 0.0
    """Duration for which they have held."""
    stale: bool = False
    """Whether the pixels have changed since."""


@dataclass(slots=True)
class LocalMapMeans:
    """Means over time of the maps of local drivers."""

    names: tuple[str, ...]
    sums: dict[str, Float64] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, held: HeldDrivers, density: Float32) -> None:
        """Add drivers that have held for some time; engagement depends on the density as well."""
        all_windows = Densities(dict.fromkeys(WINDOWS, density))
        for name, values in local_maps(held.drivers, all_windows, self.names).items():
            weighted = values.astype(np.float64) * held.seconds
            self.sums[name] = self.sums[name] + weighted if name in self.sums else weighted
        self.seconds += held.seconds

    def means(self) -> dict[str, Float32]:
        """Return the means by name of the map."""
        return {name: np.asarray(total / self.seconds, dtype=np.float32) for name, total in self.sums.items()}


class VideoAnalyzer:
    """Folds the samples of one video into its result.

    `scratch`: folder for rendered videos; without one none are made.
    """

    def __init__(
        self, plan: Plan, models: Models, timer: StageTimer, scratch: Path | None, detector: AoiDetector
    ) -> None:
        self._plan, self._model, self._appearance, self._timer = plan, models.moving, models.appearance, timer
        self._state: GazeState = self._model.start(plan.domain)
        self._timeline = TimelineAccumulator()
        self._key_frames = KeyFrameSelector()
        self._held: HeldDrivers | None = None
        self._density: Float32 | None = None
        self._distances: list[tuple[float, float]] = []
        self._local = LocalMapMeans(tuple(n for n in plan.pictures if MAPS[n].values is not None))
        self._preview = PreviewWriter(scratch) if scratch and plan.maps else None
        self._detector = detector
        self._video_detector = VideoAoiDetector(detector)
        keeps_track = bool(scratch and plan.films) or plan.densities or detector.has_areas
        self._track = DensityTrack() if keeps_track else None

    def add(self, chunk: Chunk) -> None:
        """Add the next chunk."""
        with self._timer("attention"):
            densities, self._state = self._model.advance(
                self._state, chunk.views[self._model.view.name], chunk.t, chunk.weight_s, chunk.shot, chunk.fresh
            )
        for (t, weight, shot, fresh, views), density in zip(chunk.samples(), densities, strict=True):
            self._add(VideoSample(t, weight, shot, fresh), views, density)

    def _add(self, sample: VideoSample, views: Mapping[str, UInt8], density: Float32) -> None:
        plan = self._plan
        scores: dict[str, Score] = {}
        if plan.scores or plan.maps:
            drivers = self._drivers_at(sample, views[DRIVER_VIEW.name])
            if plan.scores:
                with self._timer("scores"):
                    scores = _score_sample(drivers, density, plan)
        self._density = density
        self._timeline.add(sample.t, sample.weight, sample.shot, density, scores)
        if self._track is not None:
            self._track.add(sample.t, sample.weight, sample.shot, density)
        if self._detector.detects:
            with self._timer("aois"):
                self._video_detector.add(sample.t, sample.weight, sample.shot, sample.fresh, views)
        if not plan.maps:
            return
        with self._timer("maps"):
            self._key_frames.add(views[DISPLAY_VIEW.name], sample.t, sample.weight, sample.shot, density)
        if self._preview is not None:
            with self._timer("preview"):
                self._preview.add(views[DRIVER_VIEW.name], density, sample.t, sample.weight)

    def _drivers_at(self, sample: VideoSample, rgb: UInt8) -> Drivers:
        """Return the drivers of a sample: measured now, or not long ago in the same shot."""
        held = self._held
        stats = held.stats if held is not None and not sample.fresh else FrameStats.of(rgb)
        if (
            held is None
            or held.shot != sample.shot
            or stats.differs(held.stats)
            or ((held.stale or sample.fresh) and sample.t - held.t >= DRIVERS_EVERY_S - 1e-6)
        ):
            self._release_held_drivers()
            with self._timer("drivers"):
                content = held.drivers.content if held is not None else FULL_FRAME
                drivers = measure_drivers(rgb, self._appearance.read(rgb), content)
                held = self._held = HeldDrivers(drivers, stats, sample.t, sample.shot)
        held.stale |= sample.fresh and sample.t > held.t
        held.seconds += sample.weight
        return held.drivers

    def _release_held_drivers(self) -> None:
        """Count the drivers that held until now into novelty and the local maps."""
        if self._held is None:
            return
        self._distances.append((novelty_distance(self._held.drivers.appearance), self._held.seconds))
        if self._density is not None and self._local.names:
            with self._timer("maps"):
                self._local.add(self._held, self._density)

    def result(self, source: Source, path: Path) -> Result:
        """Return the result once all chunks are in, without facts of the file."""
        self._release_held_drivers()
        plan = self._plan
        densities = replace(self._timeline.densities(), domains=self._state.domains)
        scenes = self._timeline.scenes(source.shots)
        names = available_maps(plan.pictures, densities)
        aois: tuple[Aoi, ...] = ()
        problems: tuple[Problem, ...] = ()
        with self._timer("aois"):
            if self._track is not None and self._detector.has_areas:
                aois, problems = self._video_detector.aois()
                aois = self._detector.with_legibility(aois, densities)
                aois = score_moving(
                    aois,
                    map(DensitySample._make, self._track.samples()),
                    source.medium.duration_s or source.read_s,
                    model=plan.seen,
                    domain=densities.domain,
                )
        with self._timer("maps"):
            pictures = self._render_maps(densities, names, scenes)
        novelty = novelty_share(self._distances)
        missing = tuple(missing_map_problem(name, self._model.name) for name in plan.pictures if name not in names)
        missing += tuple(Problem("map_not_drawn", f"{name} was not drawn: {NO_LOOKS}") for name in plan.gaze_maps)
        search = self._detector.search_brand(aois)
        return Result(
            path=source.medium.name,
            medium=source.medium,
            scores=self._timeline.scores(source.shots),
            densities=densities,
            pictures=pictures,
            problems=problems + novelty_problem(novelty) + missing + (search.problems if search else ()),
            frames=self._timeline.frames(),
            scenes=scenes,
            videos=self._render_videos(path, source.shots),
            aois=aois if self._detector.has_areas else None,
            absent=self._detector.absent,
            series=self._track.arrays() if self._track is not None and plan.densities else {},
            novelty=novelty,
            brand_found=search.found if search else None,
        )

    def close(self) -> None:
        """Drop videos that are not finished."""
        if self._preview is not None:
            self._preview.abort()

    def _render_maps(self, densities: Densities, names: tuple[str, ...], scenes: tuple[Scene, ...]) -> dict[str, UInt8]:
        """Render maps, each on the key frame of its window."""
        if not self._plan.maps:
            return {}
        local = self._local.means()
        pictures = {"original": self._key_frames.frame("total").rgb}
        for name in names:
            frame = self._key_frames.frame(MAPS[name].window or "total")
            pictures |= render_maps(frame.rgb, densities, local, (name,))
        for name in self._plan.sheets:
            by_id = {scene.scene_id: scene for scene in scenes}
            cells = [
                SheetCell(key_frame.frame.rgb, key_frame.mean.density, by_id[key_frame.scene_id])
                for key_frame in self._key_frames.scenes()
                if key_frame.scene_id in by_id
            ]
            pictures[name] = contact_sheet(cells, total=len(scenes))
        return pictures

    def _render_videos(self, path: Path, shots: tuple[Shot, ...]) -> dict[str, Path]:
        if self._preview is None:
            return {}
        with self._timer("preview"):
            videos = self._preview.close()
        for name in self._plan.films:
            assert self._track is not None
            self._track.shots = shots
            target = self._preview.folder / f"{name}.mp4"
            kind: OverlayKind = "heat" if MAPS[name].palette else "fog"
            with self._timer("films"):
                render_overlay_video(path, target, self._track, kind, self._plan.limits(), threads=self._plan.threads)
            videos[name] = target
        return videos


def _score_sample(drivers: Drivers, density: Float32, plan: Plan) -> dict[str, Score]:
    """Score one sample, whose density is that of every window.

    The domain of a video is not known before its end, so that intervals are those of photographs unless it was stated.
    """
    scores = score_all(drivers, Densities(dict.fromkeys(WINDOWS, density)), video_scales(), place="frame")
    return {score.metric: score for score in with_intervals(scores, built_in_scales().of_domain(plan.domain))}
