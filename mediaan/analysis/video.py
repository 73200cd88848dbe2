"""Analyze a video or animation: fold its samples into scores, scenes, densities and maps in one pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from mediaan.analysis.aoi_detection import AoiDetector, VideoAoiDetector
from mediaan.analysis.image import (
    Findings,
    StageTimer,
    available_maps,
    local_maps,
    missing_map_problem,
    novelty_distance,
    novelty_problem,
    novelty_share,
)
from mediaan.analysis.models import Models
from mediaan.analysis.plan import DISPLAY_VIEW, Plan
from mediaan.analysis.timeline import FRAME_METRICS, TimelineAccumulator
from mediaan.analysis.video_maps import KeyFrameSelector, PreviewWriter, render_overlay_video
from mediaan.aoi.scoring.aoi_scores import DensitySample, score_moving
from mediaan.maps import SheetCell, contact_sheet, map_spec, render_maps
from mediaan.media import Source
from mediaan.metrics import DRIVER_VIEW, Drivers, built_in_scales, measure_drivers, score_all, with_intervals
from mediaan.metrics.drivers.borders import FULL_FRAME
from mediaan.metrics.scales import video_scales
from mediaan.saliency import GazeState
from mediaan.saliency.density_storage import DensityTrack
from mediaan.types.aoi import Aoi, AoiScore
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.densities import WINDOWS, Densities
from mediaan.types.media import Chunk, Problem, Shot
from mediaan.types.metrics import Scene, Score

DRIVERS_EVERY_S = 1.5
"""Drivers are measured at each cut and this often between cuts, where the picture changes at all; in between they hold.

They are averages over the whole frame (clutter, colour, contours), which change slowly within a shot, and only the
network costs more."""

_BRIGHTNESS_CHANGE, _GRADIENT_CHANGE = 12.0, 0.2
"""A frame is measured at once when its mean has moved by more code values, or its gradients by a larger share: a fade,
a flash, a title that comes up."""

Tell = Callable[[float, float | None], None]


@dataclass(frozen=True, slots=True)
class VideoSample:
    """A sample: when, for how long, in which shot, and whether its pixels are new."""

    t: float
    weight: float
    shot: int
    fresh: bool


@dataclass(frozen=True, slots=True)
class FrameStats:
    """What tells cheaply that a frame has changed as a whole: mean of its code values, and of their steps."""

    mean: float
    gradient: float

    @classmethod
    def at(cls, rgb: UInt8) -> FrameStats:
        """Glance at the green of one pixel in four."""
        green = rgb[::2, ::2, 1].astype(np.int16)
        steps = [np.abs(np.diff(green, axis=axis)) for axis in (0, 1) if green.shape[axis] > 1]
        return cls(float(green.mean(dtype=np.float64)), sum(float(step.mean(dtype=np.float64)) for step in steps))

    def differs(self, other: FrameStats) -> bool:
        """Whether so much has changed that drivers should be measured."""
        richer = abs(self.gradient - other.gradient) / max(1.0, other.gradient)
        return abs(self.mean - other.mean) > _BRIGHTNESS_CHANGE or richer > _GRADIENT_CHANGE


@dataclass(slots=True)
class HeldDrivers:
    """Drivers, since when they hold and for how many seconds they have counted."""

    drivers: Drivers
    glance: FrameStats
    t: float
    shot: int
    seconds: float = 0.0
    stale: bool = False


@dataclass(slots=True)
class LocalMapMeans:
    """Means over time of the maps that show a metric's local driver."""

    names: tuple[str, ...]
    sums: dict[str, Float64] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, measured: HeldDrivers, density: Float32) -> None:
        """Take in drivers that have held for some time; engagement also depends on where one looks."""
        everywhen = Densities(dict.fromkeys(WINDOWS, density))
        for name, values in local_maps(measured.drivers, everywhen, self.names).items():
            weighted = values.astype(np.float64) * measured.seconds
            self.sums[name] = self.sums[name] + weighted if name in self.sums else weighted
        self.seconds += measured.seconds

    def means(self) -> dict[str, Float32]:
        """The means by name of the map."""
        return {name: np.asarray(total / self.seconds, dtype=np.float32) for name, total in self.sums.items()}


class VideoAnalyzer:
    """The folds over one medium.

    Parameters
    ----------
    plan : Plan
    models : Models
    watch : Stopwatch
    scratch : Path or None
        Folder for films; without one none are made.
    search : AoiSearch
    """

    def __init__(
        self, plan: Plan, models: Models, watch: StageTimer, scratch: Path | None, search: AoiDetector
    ) -> None:
        self._plan, self._model, self._appearance, self._watch = plan, models.moving, models.appearance, watch
        self._state: GazeState = self._model.start(plan.domain)
        self._timeline = TimelineAccumulator()
        self._key_frames = KeyFrameSelector()
        self._measured: HeldDrivers | None = None
        self._density: Float32 | None = None
        self._distances: list[tuple[float, float]] = []
        self._local = LocalMapMeans(tuple(n for n in plan.pictures if map_spec(n).kind == "local"))
        self._preview = PreviewWriter(scratch) if scratch and plan.maps else None
        self._search = search
        self._follower = VideoAoiDetector(search)
        keeps = bool(scratch and plan.films) or plan.densities or search.scores
        self._track = DensityTrack() if keeps else None

    def add(self, chunk: Chunk) -> None:
        """Take in the next chunk."""
        with self._watch("attention"):
            densities, self._state = self._model.advance(
                self._state, chunk.views[self._model.view.name], chunk.t, chunk.weight_s, chunk.shot, chunk.fresh
            )
        columns = zip(chunk.t.tolist(), chunk.weight_s.tolist(), chunk.shot.tolist(), chunk.fresh.tolist(), strict=True)
        for i, (row, density) in enumerate(zip(columns, densities, strict=True)):
            self._add(VideoSample(*row), {name: view[i] for name, view in chunk.views.items()}, density)

    def _add(self, moment: VideoSample, views: Mapping[str, UInt8], density: Float32) -> None:
        scores: dict[str, Score] = {}
        if self._plan.scores or self._plan.maps:
            drivers = self._drivers(moment, views[DRIVER_VIEW.name])
            with self._watch("scores"):
                scores = _frame_scores(drivers, density, self._plan) if self._plan.scores else {}
        self._density = density
        self._timeline.add(moment.t, moment.weight, moment.shot, density, scores)
        if self._track is not None:
            self._track.add(moment.t, moment.weight, moment.shot, density)
        if self._search.detects:
            with self._watch("aois"):
                self._follower.add(moment.t, moment.weight, moment.shot, moment.fresh, views)
        if not self._plan.maps:
            return
        with self._watch("maps"):
            self._key_frames.add(views[DISPLAY_VIEW.name], moment.t, moment.weight, moment.shot, density)
        if self._preview is not None:
            with self._watch("preview"):
                self._preview.add(views[DRIVER_VIEW.name], density, moment.t, moment.weight)

    def _drivers(self, moment: VideoSample, rgb: UInt8) -> Drivers:
        """Those of this moment: measured now, or not long ago in the same shot."""
        last = self._measured
        glance = last.glance if last is not None and not moment.fresh else FrameStats.at(rgb)
        if last is None or _needs_measurement(last, moment, glance):
            self._settle()
            with self._watch("drivers"):
                content = last.drivers.content if last is not None else FULL_FRAME
                drivers = measure_drivers(rgb, self._appearance.look(rgb), content)
                last = self._measured = HeldDrivers(drivers, glance, moment.t, moment.shot)
        last.stale |= moment.fresh and moment.t > last.t
        last.seconds += moment.weight
        return last.drivers

    def _settle(self) -> None:
        """Count the drivers that held until now into the local maps, and how unlike the training material they are."""
        if self._measured is not None:
            self._distances.append((novelty_distance(self._measured.drivers.appearance), self._measured.seconds))
        if self._measured is not None and self._density is not None and self._local.names:
            with self._watch("maps"):
                self._local.add(self._measured, self._density)

    def _aois(
        self, duration_s: float, domain: str | None
    ) -> tuple[tuple[Aoi, ...], tuple[AoiScore, ...], tuple[Problem, ...]]:
        """AOIs that were found or drawn, with their scores."""
        if self._track is None or not self._search.scores:
            return (), (), ()
        aois, problems = self._follower.aois()
        samples = map(DensitySample._make, self._track.samples())
        plan = self._plan
        scores = score_moving(aois, samples, duration_s, model=plan.seen, intervals=plan.wants_intervals, domain=domain)
        return aois, scores, problems

    def findings(self, source: Source, path: Path) -> Findings:
        """What was found, once all chunks are in."""
        self._settle()
        densities = replace(self._timeline.densities(), domains=self._state.domains)
        scenes = self._timeline.scenes(source.shots)
        names = available_maps(self._plan.pictures, densities)
        with self._watch("aois"):
            aois, aoi_scores, problems = self._aois(source.medium.duration_s or source.read_s, densities.domain)
        with self._watch("maps"):
            pictures = self._pictures(densities, names, scenes)
        novelty = novelty_share(self._distances)
        return Findings(
            densities=densities,
            scores=self._timeline.scores(source.shots),
            pictures=pictures,
            problems=problems
            + novelty_problem(novelty)
            + tuple(missing_map_problem(name, self._model.name) for name in self._plan.pictures if name not in names),
            frames=self._timeline.frames(),
            scenes=scenes,
            videos=self._videos(path, source.shots),
            aois=aois if self._search.scores else None,
            aoi_scores=aoi_scores,
            series=self._track.arrays() if self._track is not None and self._plan.densities else {},
            novelty=novelty,
            brand=self._search.brand_among(aois),
        )

    def close(self) -> None:
        """Let go of films that are not finished."""
        if self._preview is not None:
            self._preview.abort()

    def _pictures(self, densities: Densities, names: tuple[str, ...], scenes: tuple[Scene, ...]) -> dict[str, UInt8]:
        """Maps by window, each on the frame that stands for it."""
        if not self._plan.maps:
            return {}
        local = self._local.means()
        pictures = {"original": self._key_frames.still("total").rgb}
        for name in names:
            spec = map_spec(name)
            if spec.kind in ("heat", "fog", "local"):
                still = self._key_frames.still(spec.window or "total")
                pictures |= render_maps(still.rgb, densities, local, (name,))
        if "contact_sheet" in self._plan.maps:
            pictures["contact_sheet"] = contact_sheet(self._cells(scenes), total=len(scenes))
        return pictures

    def _cells(self, scenes: tuple[Scene, ...]) -> list[SheetCell]:
        by_id = {scene.scene_id: scene for scene in scenes}
        return [
            SheetCell(found.still.rgb, found.mean.density, by_id[found.scene_id])
            for found in self._key_frames.scenes()
            if found.scene_id in by_id
        ]

    def _videos(self, path: Path, shots: tuple[Shot, ...]) -> dict[str, Path]:
        if self._preview is None:
            return {}
        with self._watch("preview"):
            videos = self._preview.close()
        for name in self._plan.films:
            assert self._track is not None
            self._track.shots = shots
            with self._watch("films"):
                target = self._preview.folder / f"{name}.mp4"
                render_overlay_video(
                    path,
                    target,
                    self._track,
                    "fog" if name == "fog_video" else "heat",
                    self._plan.limits(),
                    threads=self._plan.threads,
                )
                videos[name] = target
        return videos


def _needs_measurement(last: HeldDrivers, moment: VideoSample, glance: FrameStats) -> bool:
    if last.shot != moment.shot or glance.differs(last.glance):
        return True
    return (last.stale or moment.fresh) and moment.t - last.t >= DRIVERS_EVERY_S - 1e-6


def _frame_scores(drivers: Drivers, density: Float32, plan: Plan) -> dict[str, Score]:
    """Scores of one moment: its density is that of every window.

    Moments are not looked at again for their intervals, which would double the time: the usual movement stands in. What
    domain a film is of is not known before its end, so that intervals are those of photographs unless it was stated.
    """
    wanted = {spec.name for spec in FRAME_METRICS}
    scores = score_all(drivers, Densities(dict.fromkeys(WINDOWS, density)), video_scales())
    scores = with_intervals(scores, built_in_scales().of_domain(plan.domain)) if plan.wants_intervals else scores
    return {score.metric: score for score in scores if score.metric in wanted}
