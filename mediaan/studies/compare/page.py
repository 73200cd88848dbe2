"""Render a comparison as one HTML page that opens from disk: two side by side, or a ranking of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from markupsafe import Markup

from mediaan import __version__
from mediaan.maps import heatmap
from mediaan.maps.difference import difference_map
from mediaan.metrics.intervals import ALPHA, LEAN
from mediaan.report.web.environment import area_type_rules, page_environment, picture_uri, sources
from mediaan.report.web.legends import colour_bar
from mediaan.studies.compare.comparison import Comparison
from mediaan.studies.compare.ranking import RankedVariant, VariantRanking
from mediaan.studies.compare.result import CompareResult
from mediaan.studies.compare.scored_media import is_one_sided
from mediaan.studies.compare.sentences import (
    absence_words,
    area_title,
    left_out_lines,
    metric_title,
    odds_words,
    one_sided_rows,
    row_title,
    verdict_words,
)
from mediaan.types.aoi import Aoi, aoi_words
from mediaan.types.arrays import Float32, UInt8
from mediaan.workflow.populations import METRIC_SPECS

_SAME_SHAPE = 0.05
"""Most relative difference of the aspect ratios of two pictures that are laid on each other."""

_GREY_SIDE = 900  # px


@dataclass(frozen=True, slots=True)
class MediumPreview:
    """Preview of a medium."""

    size: tuple[int, int]
    """(int, int). Width and height as displayed, px."""
    picture: UInt8 | None
    """(H, W, 3) uint8 or None. sRGB; None where it is not at hand."""
    density: Float32 | None
    """(h, w) float32 or None. Of the whole exposure; None where the run did not keep it."""
    aois: tuple[Aoi, ...] = ()
    moves: bool = False
    """Whether the picture is one moment of a video."""

    @property
    def ground(self) -> UInt8:
        """The picture, or plain grey of its shape."""
        if self.picture is not None:
            return self.picture
        scale = _GREY_SIDE / max(self.size)
        width, height = (max(1, round(side * scale)) for side in self.size)
        return np.full((height, width, 3), 128, np.uint8)

    @property
    def heat(self) -> UInt8 | None:
        """Attention on the scale that all pictures share."""
        return None if self.density is None else heatmap(self.ground, self.density, legend=False)


def difference_image(a: MediumPreview, b: MediumPreview) -> UInt8 | str:
    """Draw over A where it has more attention than B; or say why that cannot be drawn."""
    if a.density is None or b.density is None:
        return "Not drawn: the run kept no densities."
    aspects = [side.size[0] / side.size[1] for side in (a, b)]
    if abs(aspects[0] / aspects[1] - 1) > _SAME_SHAPE:
        return "Not drawn: the images differ in shape, so their places do not correspond."
    return difference_map(a.ground, resample_density(b.density, a.density.shape[:2]), a.density, legend=False)


def resample_density(density: Float32, shape: tuple[int, int]) -> Float32:
    """Resample a density to another number of cells, (h, w) float32, summing to 1."""
    if density.shape == shape:
        return density
    resized = cv2.resize(density, shape[::-1], interpolation=cv2.INTER_LINEAR).astype(np.float64)
    return np.asarray(resized / resized.sum(), np.float32)


_STYLES = ("core/page.css", "areas/areas.css", "studies/compare.css")
_ROOM = 1.06  # a bar's reach beyond the longest interval
_WAYS = {
    "higher": "higher is better",
    "lower": "lower is better",
    "middle": "neither end is better: the highest first",
}


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """A score of two sides, with places of its difference on a bar, %: 50 is no difference."""

    row: Comparison
    title: str
    proxy: bool
    words: str
    at: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class RankingRow:
    """A variant of a ranking, with places on the axis, %."""

    place: RankedVariant
    number: int
    picture: str | None
    at: float
    low: float | None
    high: float | None
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RankingPlot:
    """A ranking and its axis."""

    ranking: VariantRanking
    title: str
    way: str
    proxy: bool
    placed: tuple[RankingRow, ...]
    ticks: tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True)
class SidePanel:
    """A side of two as the page shows it."""

    letter: str
    name: str
    count: int
    picture: str | None
    heat: str | None
    caveat: str
    aois: tuple[Aoi, ...]


def render_compare(compared: CompareResult, previews: Mapping[str, MediumPreview]) -> str:
    """Render the page.

    `previews` (mapping of medium to MediumPreview): what there is to show; may be empty.
    Returns: a complete HTML document that needs no network and no other file.
    """
    environment = page_environment()
    environment.filters["percent"] = _percent
    environment.filters["capitalized"] = lambda text: text[:1].upper() + text[1:]
    names = [name.rsplit("/", 1)[-1] for name in compared.names]
    if compared.two:
        heading = (f"{compared.by}: " if compared.by else "") + f"{names[0]} and {names[1]}"
    else:
        heading = f"{len(names)} {f'groups by {compared.by}' if compared.by else 'variants'}"
    if compared.by:  # groups have no image
        previews = {}
    split = len({row.headline for row in compared.rows}) > 1
    headlines = [
        row
        for row in compared.rows
        if split and row.headline and (not is_one_sided(row) or row.probability is not None)
    ]
    rest = [row for row in compared.rows if not split or not row.headline or is_one_sided(row)]
    of_media = [row for row in rest if row.aoi_type is None or compared.by]
    both = compared.two and not compared.by
    of_areas = [row for row in rest if row.aoi_type is not None and both]
    return environment.get_template("studies/compare.html.j2").render(
        compared=compared,
        heading=heading,
        sides=[
            _side_panel(letter, name, len(compared.media[name]), previews.get(name))
            for letter, name in zip("AB", compared.names, strict=False)
        ],
        difference=_difference(*(previews[name] for name in compared.names)) if both and previews else None,
        headlines=_rows(headlines) if compared.two else [],
        rows=_rows(of_media) if compared.two else [],
        areas=_areas(of_areas),
        alone=[(row, row_title(row).split(": ", 1)[1]) for row in one_sided_rows(of_areas)],
        plots=[_plot(ranking, previews) for ranking in compared.rankings],
        left_out=left_out_lines(compared.rankings),
        comparisons=sorted({row.n_comparisons for row in compared.rows if row.n_comparisons}),
        lean=odds_words(LEAN),
        alpha=ALPHA,
        area_title=area_title,
        absence=absence_words,
        heat=colour_bar("heat"),
        mains={
            max((aoi for aoi in preview.aois if aoi.type == aoi_type), key=lambda aoi: aoi.box.area).aoi_id
            for preview in previews.values()
            for aoi_type in {aoi.type for aoi in preview.aois}
        },
        version=__version__,
        style=Markup(f"{area_type_rules()}\n{sources(environment, _STYLES)}"),
    )


# ---- two side by side --------------------------------------------------------------------------------------------


def _side_panel(letter: str, name: str, count: int, preview: MediumPreview | None) -> SidePanel:
    if preview is None:
        return SidePanel(letter, name, count, None, None, "", ())
    caveat = "One moment of the video; attention below is that of the whole." if preview.moves else ""
    if preview.picture is None:
        caveat = "The image is not available: a run keeps one with its maps."
    heat = preview.heat
    return SidePanel(
        letter,
        name,
        count,
        picture_uri(preview.ground),
        None if heat is None else picture_uri(heat),
        caveat,
        () if preview.moves else tuple(sorted(preview.aois, key=lambda aoi: -aoi.box.area)),
    )


def _percent(share: float) -> str:
    """Format a share without the certainty that rounding makes up."""
    rounded = round(100 * share)
    if rounded in (0, 100) and share not in (0.0, 1.0):
        return "< 1 %" if rounded == 0 else "> 99 %"
    return f"{rounded} %"


def _difference(a: MediumPreview, b: MediumPreview) -> tuple[str | None, str]:
    """Return the image of the difference, or None, and what it says or why there is none."""
    drawn = difference_image(a, b)
    if isinstance(drawn, str):
        return None, drawn
    return picture_uri(drawn), "Drawn over A. Orange: more attention in A; blue: more in B; on one scale for all pairs."


def _rows(rows: Sequence[Comparison]) -> list[DifferenceRow]:
    """Lay out rows with bars on one scale for each unit."""
    reach: dict[str, float] = {}
    for row in rows:
        ends = [abs(end) for end in (row.difference, row.lo, row.hi) if end is not None]
        reach[row.unit] = max([reach.get(row.unit, 0.0), *(_ROOM * end for end in ends)])

    def at(value: float | None, unit: str) -> float | None:
        return None if value is None else round(50 + 50 * value / (reach[unit] or 1.0), 2)

    return [
        DifferenceRow(
            row,
            row_title(row) if row.aoi_type is None or row.headline else metric_title(row.metric),
            METRIC_SPECS[row.metric].basis == "proxy",
            verdict_words(row),
            *(at(value, row.unit) for value in (row.difference if row.p is not None else None, row.lo, row.hi)),
        )
        for row in rows
    ]


def _areas(rows: Sequence[Comparison]) -> dict[str, list[DifferenceRow]]:
    """Lay out the rows of areas that both sides have, by the title of their area."""
    by_title: dict[str, list[DifferenceRow]] = {}
    for laid_out in _rows([row for row in rows if not is_one_sided(row)]):
        by_title.setdefault(area_title(laid_out.row), []).append(laid_out)
    return by_title


# ---- rankings ----------------------------------------------------------------------------------------------------


def _plot(ranking: VariantRanking, previews: Mapping[str, MediumPreview]) -> RankingPlot:
    spec = METRIC_SPECS[ranking.score_key.metric]
    low, high = float(spec.low), float(spec.high)
    if spec.unit not in ("score", "%"):  # the scale has no end: a round number past the highest is that of the axis
        ends = [end for place in ranking.places for end in (place.estimate.hi, place.estimate.value, *place.values)]
        highest = max((end for end in ends if end is not None), default=1.0)
        step = 10 ** len(str(int(highest))) / 10
        low, high = 0.0, max(1.0, (highest // step + 1) * step)

    def at(value: float | None) -> float | None:
        return None if value is None else round(100 * (min(max(value, low), high) - low) / (high - low), 2)

    rows = []
    for number, place in enumerate(ranking.places, start=1):
        preview = previews.get(place.name)
        rows.append(
            RankingRow(
                place,
                number,
                None if preview is None or preview.picture is None else picture_uri(preview.picture, quality=70),
                at(place.estimate.value) or 0.0,
                at(place.estimate.lo),
                at(place.estimate.hi),
                tuple(at(value) or 0.0 for value in place.values),
            )
        )
    area = f"{aoi_words(ranking.score_key.aoi_type)}: " if ranking.score_key.aoi_type else ""
    title = area + metric_title(ranking.score_key.metric)
    ticks = tuple((25.0 * i, f"{low + (high - low) * i / 4:g}") for i in range(5))
    proxy = spec.basis == "proxy"
    return RankingPlot(ranking, title[0].upper() + title[1:], _WAYS[ranking.direction], proxy, tuple(rows), ticks)
