"""Analyze a tall page fold by fold: each screen as it is seen, weighted by how long viewers are there.

The densities of all screens make one density of the page. The page's own scores are those of its first screen, which
all viewers see and of which benchmarks of pages consist; each fold has scores of its own. Areas are detected screen by
screen, at a size at which their text can be read, and scored on the density of the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from mediaan.analysis.aoi_detection import AoiDetector
from mediaan.analysis.image import analyze_image, available_maps, local_maps, missing_map_problem
from mediaan.analysis.models import Models
from mediaan.analysis.plan import AOI_VIEW, DEFAULT_OPTIONS, MediumOptions, Plan
from mediaan.analysis.progress import StageTimer
from mediaan.aoi.detection.frame_aois import as_aoi
from mediaan.aoi.medium_coordinates import to_medium_coordinates, with_drawn
from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.aoi.scoring.looks import NO_LOOKS
from mediaan.aoi.scoring.main_area import brand_attention
from mediaan.maps import render_maps
from mediaan.media import open_image, resize
from mediaan.media.views import resize_to_view
from mediaan.metrics import DRIVER_VIEW, measure_drivers, metrics_of, score_all
from mediaan.saliency.folds import (
    AUTO,
    MAX_SCREENS,
    WHOLE,
    Viewport,
    fold_edges,
    fold_shares,
    page_densities,
    share_reaching,
    window_tops,
)
from mediaan.types.aoi import TEXT_TYPES, Aoi, Box, Candidate
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Densities
from mediaan.types.media import Chunk, Medium, Problem, ViewSpec
from mediaan.types.metrics import Fold
from mediaan.types.placement import PAGE_DOMAIN
from mediaan.types.result import Result

MIN_STATED_SCREENS, MIN_SCREENS = 1.75, 2.0
"""From how many screens on an image is judged fold by fold: one that is stated to be a page, and one that looks like
one."""
MIN_PROBABILITY = 0.6
"""That the first screen is a page. In `data/ads` 3 of 141 tall designs that are no page, e-mail or app screen reach
it, and 35 of 41 first screens of well-known sites; `models/training/page_checks.py domains`."""
MIN_WHOLE_PROBABILITY = 0.2
"""That a tall image as a whole is a page; below it, its first screen is not looked at. Of 28 stacks of 3 to 9 web
pages (FiWI) whose first screen is a page, each has at least 0.74."""
MIN_WIDTH_PX = 320
"""Narrower images are thumbnails or banners: no screen is so narrow, and no text could be read."""

_DISPLAY_WIDTH, _MAX_DISPLAY_HEIGHT = 640, 16_000  # px; of the maps
_CUT = 0.02
"""Share of a window's height: an area that ends so near to its edge is cut by it."""
_ALIGNED = 0.6
"""Overlap of two areas across, as a share of their union, from which on they are parts of one."""


@dataclass(frozen=True, slots=True)
class Page:
    """A tall page, decoded."""

    rgb: UInt8
    """(H, W, 3) uint8. One screen of it is at most 1024 px long."""
    screens: float
    """Height of the page in screens."""
    viewport: Viewport
    probability: float | None = None
    """That its first screen is a page, by the model; None where a user stated it."""

    @property
    def screen_px(self) -> int:
        """Height of one screen in `rgb`, px."""
        rows: int = self.rgb.shape[0]
        return round(rows / self.screens)

    def part(self, top: float, bottom: float) -> UInt8:
        """Return what lies between two depths in screens."""
        height = self.rgb.shape[0] / self.screens
        return np.ascontiguousarray(
            self.rgb[round(top * height) : max(round(bottom * height), round(top * height) + 1)]
        )


def find_page(path: Path, medium: Medium, plan: Plan, models: Models, whole: Densities) -> Page | None:
    """Return an image as a page if it is a tall one: by what the user states, or by how its first screen looks.

    `plan`: its `viewport` and `domain`. A stated page is folded from 1.75 screens on; without a stated domain, an image
        from 2 screens on whose first screen is a page with a probability of at least 0.6. Nothing else is folded, but
        that a model which tells no domains apart takes a stated viewport for the statement of a page.
    `whole`: of the image looked at as a whole.
    Returns: none: the image is looked at as a whole.
    """
    if plan.viewport == WHOLE or plan.domain not in (None, PAGE_DOMAIN):
        return None
    viewport = Viewport.usual(medium.width) if plan.viewport == AUTO else Viewport.parse(plan.viewport)
    screens = viewport.screens(medium.width, medium.height)
    knows_pages = PAGE_DOMAIN in models.still.domains
    is_stated = plan.domain == PAGE_DOMAIN or (not knows_pages and plan.viewport != AUTO)
    if screens <= (MIN_STATED_SCREENS if is_stated else MIN_SCREENS):
        return None
    if not is_stated:
        if not knows_pages or medium.width < MIN_WIDTH_PX:
            return None
        if (whole.domains or {}).get(PAGE_DOMAIN, 0.0) < MIN_WHOLE_PROBABILITY:
            return None
    page = Page(_decode(path, medium, screens, plan), screens, viewport)
    if is_stated:
        return page
    first = page.part(0, 1)
    (densities,) = models.still.predict(resize_to_view(first, models.still.view)[None])
    probability = (densities.domains or {}).get(PAGE_DOMAIN, 0.0)
    return replace(page, probability=probability) if probability >= MIN_PROBABILITY else None


def reopen_page(path: Path, medium: Medium, screen: float, plan: Plan) -> Page:
    """Open a page that was judged fold by fold before; `screen` is that of its densities."""
    screens = 1 / screen
    viewport = Viewport(medium.width, max(1, round(medium.height / screens)))
    return Page(_decode(path, medium, screens, plan), screens, viewport)


def analyze_page(
    page: Page, plan: Plan, models: Models, timer: StageTimer, medium: Medium, options: MediumOptions = DEFAULT_OPTIONS
) -> Result:
    """Analyze a tall page.

    `plan`: edits are not tried: one would have to be judged on all screens that it moves.
    `timer`: takes the time of each stage.
    Returns: without facts of the file. Scores, novelty and domains are those of the first screen.
    """
    first = _analyze_first_screen(page, plan, models, timer, medium)
    visible = min(page.screens, MAX_SCREENS)
    with timer("attention"):
        densities = _predict_windows(page, visible, first.densities, plan, models)
    folds, local = _folds(page.screens, densities), dict[str, Float32]()
    if plan.scores or plan.pictures:
        folds, local = _measure_folds(page, folds, first, plan, models, timer)
    no_looks = [Problem("map_not_drawn", f"{name} was not drawn: {NO_LOOKS}") for name in plan.gaze_maps]
    problems = (*first.problems, _note(page, folds), *no_looks)
    result = replace(first, densities=densities, folds=folds, problems=problems)
    if plan.pictures:
        names = available_maps(plan.pictures, densities)
        missing = tuple(missing_map_problem(name, models.still.name) for name in plan.pictures if name not in names)
        with timer("maps"):
            rgb = _display(page)
            first_screen = np.ascontiguousarray(rgb[: round(rgb.shape[0] / page.screens)])
            pictures = {"original": rgb, "thumb": first_screen, **render_maps(rgb, densities, local, names)}
        result = replace(result, pictures=pictures, problems=(*result.problems, *missing))
    detector = AoiDetector(plan.aois, models, options, medium)
    if not detector.has_areas:
        return result
    with timer("aois"):
        aois, problems = detect_page_aois(page, detector)
        aois = detector.with_legibility(aois, densities)
        aois = score_still(aois, densities, plan.exposure_s, model=plan.seen)
    search = detector.search_brand(aois)
    return replace(
        result,
        aois=aois,
        absent=detector.absent,
        problems=result.problems + problems + (search.problems if search else ()),
        brand_found=search.found if search else None,
        brand_attention=brand_attention(aois, search.spellings if search else ()),
    )


def detect_page_aois(page: Page, detector: AoiDetector) -> tuple[tuple[Aoi, ...], tuple[Problem, ...]]:
    """Return the areas of a page, detected screen by screen, and drawn; with problems of the drawings.

    Windows overlap. An area in two of them is taken from the one in whose middle it lies; an object that reaches
    through both is one area, a text that does so two.
    """
    candidates: list[Candidate] = []
    if detector.detects:
        height, window = page.rgb.shape[0], page.screen_px
        visible = min(page.screens, MAX_SCREENS)
        tops = window_tops(visible, window)
        cut_above: list[Candidate] = []
        for i, top in enumerate(tops):
            begins = (tops[i - 1] + window + top) / 2 if i else 0
            ends = (top + window + tops[i + 1]) / 2 if i + 1 < len(tops) else height
            place = Box(0.0, top / height, 1.0, min(1.0, (top + window) / height))
            cut: list[Candidate] = []
            for candidate in detector.detect(np.ascontiguousarray(page.rgb[top : top + window])):
                area = to_medium_coordinates(candidate, place)
                above = None
                if i and candidate.box.y0 < _CUT:
                    above = next((piece for piece in cut_above if _is_continued(piece, area)), None)
                if above is not None and area.type not in TEXT_TYPES:
                    area = replace(above, box=Box.around([above.box, area.box]), polygon=None)
                    candidates[candidates.index(above)] = area
                elif above is not None and area.box.y1 > above.box.y1:
                    area = replace(area, box=area.box._replace(y0=above.box.y1), polygon=None)
                    candidates.append(area)
                elif above is None and begins <= height * area.box.centre[1] < ends:
                    candidates.append(area)
                else:
                    continue
                if i + 1 < len(tops) and candidate.box.y1 > 1 - _CUT:
                    cut.append(area)
            cut_above = cut
    aois = tuple(as_aoi(candidate, detector.medium.medium_id, i) for i, candidate in enumerate(candidates))
    drawn, problems = detector.drawn()
    return with_drawn(aois, drawn, detector.absent), problems


def _is_continued(upper: Candidate, lower: Candidate) -> bool:
    """Tell whether an area that a window cuts at its bottom goes on as one that the next window cuts at its top."""
    across = min(upper.box.x1, lower.box.x1) - max(upper.box.x0, lower.box.x0)
    union = max(upper.box.x1, lower.box.x1) - min(upper.box.x0, lower.box.x0)
    return upper.type == lower.type and across > _ALIGNED * union


def _decode(path: Path, medium: Medium, screens: float, plan: Plan) -> UInt8:
    """Decode a page so large that one screen of it is as long as the view of AOIs, never enlarged."""
    screen = max(medium.width, medium.height / screens)
    long_side = round(max(medium.width, medium.height) * min(1.0, (AOI_VIEW.long_side or 1024) / screen))
    view = ViewSpec(PAGE_DOMAIN, long_side=long_side)
    opened = open_image(path, [view], max_megapixels=plan.max_megapixels, max_side=plan.max_side)
    return np.asarray(opened.chunks[0].views[view.name][0], np.uint8)


def _analyze_first_screen(page: Page, plan: Plan, models: Models, timer: StageTimer, medium: Medium) -> Result:
    """Analyze the first screen as an image of its own, without maps and areas."""
    bare = plan.model_copy(update={"maps": (), "advice": "none", "aois": "none"})
    rgb = page.part(0, 1)
    views = {view.name: resize_to_view(rgb, view)[None] for view in bare.views(models.still.view)}
    times = np.array([plan.exposure_s])
    chunk = Chunk(t=np.zeros(1), weight_s=times, views=views, shot=np.zeros(1, np.int32), fresh=np.ones(1, np.bool_))
    return analyze_image(chunk, bare, models, timer, AoiDetector("none", models, DEFAULT_OPTIONS, medium))


def _predict_windows(page: Page, visible: float, first: Densities, plan: Plan, models: Models) -> Densities:
    """Predict the density of the page from its overlapping windows, of which the first one is known."""
    predictor = models.still
    rows = first["total"].shape[0]
    windows = [first]
    for top in window_tops(visible, rows)[1:]:
        rgb = page.part(top / rows, top / rows + 1)
        (densities,) = predictor.predict(resize_to_view(rgb, predictor.view)[None], domain=plan.domain)
        windows.append(densities)
    seen = page_densities(windows, visible)
    if visible == page.screens:
        return seen
    return _below_nothing(seen, page.screens / visible)


def _below_nothing(densities: Densities, factor: float) -> Densities:
    """Extend a page downwards, to `factor` times its height, by a part to which no attention goes."""

    def extended(values: Float32) -> Float32:
        below = round(values.shape[0] * factor) - values.shape[0]
        return np.pad(values, ((0, below), (0, 0)))

    return Densities(
        {window: extended(density) for window, density in densities.maps.items()},
        densities.domains,
        None if densities.screen is None else densities.screen / factor,
    )


def _folds(screens: float, densities: Densities) -> tuple[Fold, ...]:
    """Return the folds of a page, without scores."""
    shares = fold_shares(densities["total"], screens)
    return tuple(
        Fold(i + 1, top / screens, bottom / screens, 100 * float(share_reaching((top + bottom) / 2)), 100 * share)
        for i, ((top, bottom), share) in enumerate(zip(fold_edges(screens), shares, strict=True))
    )


def _measure_folds(
    page: Page, folds: Sequence[Fold], first: Result, plan: Plan, models: Models, timer: StageTimer
) -> tuple[tuple[Fold, ...], dict[str, Float32]]:
    """Score each fold alone, and make the local maps of the page from those of its folds."""
    names = available_maps(plan.pictures, first.densities)
    screen_metrics = [metric.spec.name for metric in metrics_of("screen")]
    scored: list[Fold] = []
    parts: dict[str, list[Float32]] = {}
    for fold in folds:
        rgb = page.part(fold.y0 * page.screens, fold.y1 * page.screens)
        small = resize_to_view(rgb, DRIVER_VIEW)
        with timer("drivers"):
            drivers = measure_drivers(small, models.appearance.read(small))
        scores, densities = first.scores, first.densities
        if fold.fold > 1:
            with timer("attention"):
                (densities,) = models.still.predict(resize_to_view(rgb, models.still.view)[None], domain=plan.domain)
            scores = score_all(drivers, densities, place="screen") if plan.scores else ()
        values = {score.metric: score.value for score in scores}
        scored.append(replace(fold, scores={name: values.get(name) for name in screen_metrics}))
        for name, local in local_maps(drivers, densities, names).items():
            pieces = parts.setdefault(name, [])
            across = pieces[0].shape[1] if pieces else local.shape[1]
            size = (across, max(1, round(rgb.shape[0] / rgb.shape[1] * across)))
            pieces.append(np.asarray(cv2.resize(local, size, interpolation=cv2.INTER_LINEAR), np.float32))
    return tuple(scored), {name: np.concatenate(pieces) for name, pieces in parts.items()}


def _display(page: Page) -> UInt8:
    """Return the page as its maps are drawn on it: 640 px wide where that is not too tall for an image file."""
    height, width = page.rgb.shape[:2]
    scale = min(1.0, _DISPLAY_WIDTH / width, _MAX_DISPLAY_HEIGHT / height)
    return np.asarray(resize(Image.fromarray(page.rgb), (round(width * scale), round(height * scale))), np.uint8)


def _note(page: Page, folds: Sequence[Fold]) -> Problem:
    """Say how the page was judged, and how to have it otherwise."""
    reason = "stated as a page" if page.probability is None else f"looks like a page ({page.probability:.0%})"
    screen = f"{page.viewport.width} x {page.viewport.height} CSS px"
    message = (
        f"{reason}, {page.screens:.1f} screens of {screen} tall: judged in {len(folds)} folds, weighted by published "
        "viewing times; scores are those of the first screen; no edits were tried, no order of looks was estimated. "
        "To change this, state another viewport, or whole to look at it as one image"
    )
    if page.screens > MAX_SCREENS:
        message += f"; below screen {MAX_SCREENS:.0f} no attention was predicted"
    return Problem("tall_page", message)
