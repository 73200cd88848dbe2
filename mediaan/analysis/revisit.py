"""AOIs of a medium that was analysed before: its densities are at hand, only its frames are looked at again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from mediaan.advice import PURPOSES
from mediaan.analysis.advised import suggest
from mediaan.analysis.aois import AoiFollower, AoiSearch, Wishes
from mediaan.analysis.models import Models, load_models
from mediaan.analysis.plan import AOI_VIEW, Plan
from mediaan.aoi.score import Sample, score_moving, score_still
from mediaan.aoi.seen import SeenModel
from mediaan.errors import AnalysisError, MediumError
from mediaan.maps.store import read_densities
from mediaan.maps.track import DensityTrack
from mediaan.media import open_medium
from mediaan.metrics import DRIVER_VIEW
from mediaan.types.aoi import Aoi, AoiScore
from mediaan.types.arrays import UInt8
from mediaan.types.brand_search import BrandSearch
from mediaan.types.maps import Densities
from mediaan.types.media import Medium
from mediaan.types.outcome import Problem
from mediaan.types.suggestion import Suggestion


class FoundAgain(NamedTuple):
    """AOIs of a file, what went wrong on the way, and the picture (H, W, 3) uint8 of a still in the view of AOIs."""

    aois: tuple[Aoi, ...]
    problems: tuple[Problem, ...]
    rgb: UInt8 | None = None


def find_again(path: Path, plan: Plan, models: Models, wishes: Wishes) -> FoundAgain:
    """Look for AOIs in a file whose attention is known.

    Parameters
    ----------
    path : Path
    plan : Plan
        `plan.aois` says what is looked for.
    models : Models
    wishes : Wishes

    Raises
    ------
    MediumError
        The file is bad.
    """
    with open_medium(path, (AOI_VIEW, DRIVER_VIEW), plan.limits(), plan.sampling()) as source:
        search = AoiSearch(plan.aois, models, wishes, source.medium)
        if source.medium.kind == "image":
            (chunk,) = source.chunks()
            rgb = chunk.views[AOI_VIEW.name][0]
            return FoundAgain(*search.still(rgb), rgb)
        follower = AoiFollower(search)
        for chunk in source.chunks():
            columns = zip(
                chunk.t.tolist(), chunk.weight_s.tolist(), chunk.shot.tolist(), chunk.fresh.tolist(), strict=True
            )
            for i, (t_s, weight_s, shot, fresh) in enumerate(columns):
                views = {name: view[i] for name, view in chunk.views.items()}
                follower.add(t_s, weight_s, shot, fresh, views)
        return FoundAgain(*follower.aois())


def score_again(
    aois: Sequence[Aoi],
    medium: Medium,
    densities: Densities,
    track: DensityTrack | None,
    exposure_s: float,
    seen: SeenModel | None = None,
    *,
    intervals: bool = True,
) -> tuple[AoiScore, ...]:
    """Scores of AOIs of a medium whose densities are known; `seen` is of viewers of one's own."""
    if track is None:
        return score_still(aois, densities, exposure_s, model=seen, intervals=intervals)
    samples, duration_s = map(Sample._make, track.samples()), medium.duration_s or 0.0
    return score_moving(aois, samples, duration_s, model=seen, intervals=intervals, domain=densities.domain)


@dataclass(frozen=True, slots=True)
class Visit:
    """A medium that was analysed before: its file, its densities, what is asked of it, and what was drawn on it.

    Attributes
    ----------
    exposure_s : float
        How long a picture was looked at then, s; it still is.
    domain : str or None
        What a user said that it is.
    """

    medium: Medium
    shown: str
    file: Path
    densities: Path
    wishes: Wishes
    exposure_s: float
    drawn: tuple[Aoi, ...] = ()
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class Revisited:
    """AOIs of a medium with their scores, what went wrong on the way, whether the brand was found, and tried advice."""

    aois: tuple[Aoi, ...]
    scores: tuple[AoiScore, ...]
    problems: tuple[Problem, ...]
    brand: BrandSearch | None = None
    suggestions: tuple[Suggestion, ...] = ()


@dataclass(frozen=True, slots=True)
class Revisit:
    """Callable and picklable: looks for AOIs in a visit's file again and scores them with those that were drawn."""

    plan: Plan

    def __call__(self, visit: Visit) -> Revisited:
        """A file that is bad now keeps what was drawn on it."""
        densities, track = read_densities(visit.densities)
        models = load_models(*self.plan.models)
        searched = False
        try:
            found = find_again(visit.file, self.plan, models, visit.wishes)
            searched = True
        except (MediumError, AnalysisError) as error:
            found = FoundAgain((), (Problem(error.code, error.message),))
        aois = found.aois + visit.drawn
        plan = self.plan
        scores = score_again(
            aois, visit.medium, densities, track, visit.exposure_s, plan.seen, intervals=plan.intervals
        )
        suggestions: tuple[Suggestion, ...] = ()
        if plan.advice and aois and found.rgb is not None:
            looked = replace(plan, exposure_s=visit.exposure_s, domain=visit.domain)
            suggestions = suggest(found.rgb, aois, scores, densities, PURPOSES, looked, models)
        named = visit.wishes.brand.name if visit.wishes.brand else None
        brand = BrandSearch.among(named, aois, searched=searched)
        return Revisited(aois, scores, found.problems, brand, suggestions)
