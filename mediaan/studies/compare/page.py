"""Write a comparison to a folder: the table, JSON, and one HTML page: two side by side, or a ranking of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image

from mediaan.maps import heatmap
from mediaan.maps.heatmap import difference_map
from mediaan.media import resize, view_size
from mediaan.metrics.scales import ALPHA, LEAN
from mediaan.report.web.environment import area_type_rules, colour_bar, picture_uri
from mediaan.run.tables.writing import write_table
from mediaan.saliency.density_storage import read_densities
from mediaan.studies.compare.differences import Comparison, is_one_sided
from mediaan.studies.compare.media import RunMedium, read_results
from mediaan.studies.compare.ranking import VariantRanking
from mediaan.studies.compare.result import (
    CompareResult,
    absence_words,
    area_title,
    left_out_lines,
    metric_title,
    odds_words,
    one_sided_rows,
    ranking_title,
    row_title,
    verdict_words,
)
from mediaan.studies.page import render_study, write_study
from mediaan.studies.run_tables import RunTables
from mediaan.types.aoi import Aoi
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.media import ViewSpec
from mediaan.types.result import Result
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


def resample_density(density: Float32, shape: tuple[int, int]) -> Float32:
    """Resample a density to another number of cells, (h, w) float32, summing to 1."""
    if density.shape == shape:
        return density
    resized = cv2.resize(density, shape[::-1], interpolation=cv2.INTER_LINEAR).astype(np.float64)
    return np.asarray(resized / resized.sum(), np.float32)


_ROOM = 1.06  # a bar's reach beyond the longest interval
_WAYS = {"higher": "higher is better", "lower": "lower is better", "middle": "neither end is better: the highest first"}


def render_compare(compared: CompareResult, previews: Mapping[str, MediumPreview]) -> str:
    """Render the page."""
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
    return render_study(
        "compare",
        {"percent": _percent, "capitalized": lambda text: text[:1].upper() + text[1:]},
        styles=("areas/areas.css",),
        rules=f"{area_type_rules()}\n",
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
    )


# ---- two side by side --------------------------------------------------------------------------------------------


def _side_panel(letter: str, name: str, count: int, preview: MediumPreview | None) -> dict[str, Any]:
    """Lay out a side of two; without a preview nothing is shown of it but its name and count."""
    panel: dict[str, Any] = {"letter": letter, "name": name, "count": count}
    if preview is None:
        return panel | {"picture": None, "heat": None, "caveat": "", "aois": ()}
    caveat = "One moment of the video; attention below is that of the whole." if preview.moves else ""
    if preview.picture is None:
        caveat = "The image is not available: a run keeps one with its maps."
    heat = preview.heat
    return panel | {
        "picture": picture_uri(preview.ground),
        "heat": None if heat is None else picture_uri(heat),
        "caveat": caveat,
        "aois": () if preview.moves else sorted(preview.aois, key=lambda aoi: -aoi.box.area),
    }


def _percent(share: float) -> str:
    """Format a share without the certainty that rounding makes up."""
    rounded = round(100 * share)
    if rounded in (0, 100) and share not in (0.0, 1.0):
        return "< 1 %" if rounded == 0 else "> 99 %"
    return f"{rounded} %"


def _difference(a: MediumPreview, b: MediumPreview) -> tuple[str | None, str]:
    """Draw over A where it has more attention than B, or not; and what that says, or why it cannot be drawn."""
    if a.density is None or b.density is None:
        return None, "Not drawn: the run kept no densities."
    aspects = [side.size[0] / side.size[1] for side in (a, b)]
    if abs(aspects[0] / aspects[1] - 1) > _SAME_SHAPE:
        return None, "Not drawn: the images differ in shape, so their places do not correspond."
    drawn = difference_map(a.ground, resample_density(b.density, a.density.shape[:2]), a.density, legend=False)
    return picture_uri(drawn), "Drawn over A. Orange: more attention in A; blue: more in B; on one scale for all pairs."


def _rows(rows: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Lay out rows with places of their differences on bars, %: 50 is no difference; on one scale for each unit."""
    reach: dict[str, float] = {}
    for row in rows:
        ends = [abs(end) for end in (row.difference, row.lo, row.hi) if end is not None]
        reach[row.unit] = max([reach.get(row.unit, 0.0), *(_ROOM * end for end in ends)])

    def at(value: float | None, unit: str) -> float | None:
        return None if value is None else round(50 + 50 * value / (reach[unit] or 1.0), 2)

    return [
        {
            "row": row,
            "title": row_title(row) if row.aoi_type is None or row.headline else metric_title(row.metric),
            "proxy": METRIC_SPECS[row.metric].basis == "proxy",
            "words": verdict_words(row),
            "at": at(row.difference if row.p is not None else None, row.unit),
            "low": at(row.lo, row.unit),
            "high": at(row.hi, row.unit),
        }
        for row in rows
    ]


def _areas(rows: Sequence[Comparison]) -> dict[str, list[dict[str, Any]]]:
    """Lay out the rows of areas that both sides have, by the title of their area."""
    by_title: dict[str, list[dict[str, Any]]] = {}
    for laid_out in _rows([row for row in rows if not is_one_sided(row)]):
        by_title.setdefault(area_title(laid_out["row"]), []).append(laid_out)
    return by_title


# ---- rankings ----------------------------------------------------------------------------------------------------


def _plot(ranking: VariantRanking, previews: Mapping[str, MediumPreview]) -> dict[str, Any]:
    """Lay out a ranking with its axis, and places on it, %."""
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
            {
                "place": place,
                "number": number,
                "picture": None
                if preview is None or preview.picture is None
                else picture_uri(preview.picture, quality=70),
                "at": at(place.estimate.value) or 0.0,
                "low": at(place.estimate.lo),
                "high": at(place.estimate.hi),
                "dots": [at(value) or 0.0 for value in place.values],
            }
        )
    title = ranking_title(ranking)
    return {
        "ranking": ranking,
        "title": title[0].upper() + title[1:],
        "way": _WAYS[ranking.direction],
        "proxy": spec.basis == "proxy",
        "placed": rows,
        "ticks": [(25.0 * i, f"{low + (high - low) * i / 4:g}") for i in range(5)],
    }


FACTS_FILE, TABLE_FILE = "compare.json", "comparisons.parquet"

_MOST_ROWS = 2000
"""Pairs that ``compare.json`` holds beside the table."""

_LARGE = ViewSpec("page", long_side=900)
_SMALL = ViewSpec("thumbnail", long_side=160)
_MOST_SMALL = 120
"""Media of which a page shows a thumbnail: more make it heavy."""


def medium_previews(media: Sequence[RunMedium]) -> dict[str, MediumPreview]:
    """Collect what there is to show of each medium, by name; of two more than of many."""
    if len(media) > _MOST_SMALL:
        return {}
    two = len(media) == 2
    previews = {}
    for medium, result in zip(media, read_results(media, ("maps", "aois") if two else ("maps",)), strict=True):
        densities = RunTables(medium.run.path, medium.run.facts).densities if two else {}
        previews[medium.name] = MediumPreview(
            size=(result.medium.width, result.medium.height),
            picture=_read_picture(medium, result, _LARGE if two else _SMALL),
            density=_read_density(densities.get(medium.medium_id)),
            aois=result.aois or (),
            moves=result.moves,
        )
    return previews


def _read_picture(medium: RunMedium, result: Result, view: ViewSpec) -> UInt8 | None:
    """Read the image of a medium: from the run, from where the user named it, or from where the run found it.

    That it is gone or cannot be read is no reason not to show the numbers.
    """
    files = () if result.moves else (medium.file, Path(medium.path))
    for source in ("original", "thumb", *files):
        try:
            if isinstance(source, str):
                image = Image.fromarray(result.pictures[source])
            elif source is not None:
                with Image.open(source) as opened:
                    image = opened.convert("RGB")
            else:
                continue
        except (KeyError, OSError):
            continue
        size = view_size(result.medium.width, result.medium.height, view)
        return np.asarray(resize(image, size), np.uint8)
    return None


def _read_density(file: Path | None) -> Float32 | None:
    """Read the density of the whole exposure; None where the run did not keep it, or it cannot be read."""
    try:
        return None if file is None else read_densities(file)[0]["total"]
    except (OSError, ValueError):
        return None


def write_folder(compared: CompareResult, media: Sequence[RunMedium], folder: Path) -> Path:
    """Write ``index.html``, ``comparisons.parquet`` and ``compare.json``; errors as of `write_study`."""
    facts = compared.to_dict()
    if len(compared.rows) > _MOST_ROWS:
        del facts["comparisons"]  # they are in the table
    page = write_study(folder, FACTS_FILE, facts, render_compare(compared, medium_previews(media)))
    write_table(folder / TABLE_FILE, "comparisons", (row.to_dict() for row in compared.rows))
    return page
