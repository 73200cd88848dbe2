"""A comparison as one HTML page that opens from disk: two side by side, or a ranking of many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from markupsafe import Markup

from mediaan import __version__
from mediaan.analysis import video_specs
from mediaan.aoi.metrics import AOI_METRICS
from mediaan.comparison.compared import Compared
from mediaan.comparison.multiplicity import ALPHA
from mediaan.comparison.ranking import Place, Ranking
from mediaan.comparison.scored import alone
from mediaan.comparison.sentences import absence, area_title, lonely, metric_title, odds_words, row_title, verdict_words
from mediaan.metrics import BUILT_INS
from mediaan.report.compare_side import Side, difference
from mediaan.report.environment import page_environment, picture_uri, sources
from mediaan.report.legends import colour_bar
from mediaan.types.aoi import Aoi
from mediaan.types.comparison import LEAN, Comparison
from mediaan.types.metrics import MetricSpec

_STYLES = ("page.css", "areas.css", "compare.css")
_SPECS: dict[str, MetricSpec] = {
    spec.name: spec for spec in (*(metric.spec for metric in BUILT_INS), *video_specs(), *AOI_METRICS)
}
_ROOM = 1.06  # a bar's reach beyond the longest interval
_MOST_LETTERS = 12  # groups that have a column each
_WAYS = {
    "higher": "higher is better",
    "lower": "lower is better",
    "middle": "neither end is best: the highest stands first",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A score of two sides, with places of its difference on a bar, %: 50 is no difference."""

    row: Comparison
    title: str
    proxy: bool
    words: str
    at: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Area:
    """Rows of one pair of areas."""

    title: str
    type: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """A variant of a ranking, with places on the axis, %."""

    place: Place
    number: int
    picture: str | None
    letters: tuple[str | None, ...]
    at: float
    low: float | None
    high: float | None
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A ranking, its axis and its letters."""

    ranking: Ranking
    title: str
    way: str
    proxy: bool
    placed: tuple[Placed, ...]
    letters: tuple[str, ...]
    ticks: tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A side of two as the page shows it."""

    letter: str
    name: str
    count: int
    picture: str | None
    heat: str | None
    caveat: str
    aois: tuple[Aoi, ...]


def render_compare(compared: Compared, sides: Mapping[str, Side]) -> str:
    """Render the page.

    Parameters
    ----------
    compared : Compared
    sides : mapping of medium to Side
        What there is to show; may be empty.

    Returns
    -------
    str
        A complete HTML document that needs no network and no other file.
    """
    environment = page_environment()
    environment.filters["percent"] = _percent
    environment.filters["capitalized"] = lambda text: text[:1].upper() + text[1:]
    split = len({row.headline for row in compared.rows}) > 1
    shown = [row for row in compared.rows if split and row.headline and (not alone(row) or row.probability is not None)]
    rest = [row for row in compared.rows if not split or not row.headline or alone(row)]
    own = [row for row in rest if row.aoi_type is None or compared.by]
    both = compared.two and not compared.by
    of_areas = [row for row in rest if row.aoi_type is not None and both]
    return environment.get_template("compare.html.j2").render(
        compared=compared,
        heading=_heading(compared),
        shown=[_shown(letter, name, compared, sides) for letter, name in zip("AB", compared.names, strict=False)],
        difference=_difference([sides[name] for name in compared.names]) if both and sides else None,
        headlines=_rows(shown) if compared.two else [],
        rows=_rows(own) if compared.two else [],
        areas=list(_areas(of_areas)),
        alone=[(row, row_title(row).split(": ", 1)[1]) for row in lonely(of_areas)],
        plots=[_plot(ranking, compared, sides) for ranking in compared.rankings],
        comparisons=sorted({row.n_comparisons for row in compared.rows if row.n_comparisons}),
        lean=odds_words(LEAN),
        alpha=ALPHA,
        area_title=area_title,
        absence=absence,
        heat=colour_bar("heat"),
        mains={aoi_id for side in sides.values() for aoi_id in _mains(side)},
        version=__version__,
        style=Markup(sources(environment, _STYLES)),
    )


def _heading(compared: Compared) -> str:
    names = [name.rsplit("/", 1)[-1] for name in compared.names]
    if compared.two:
        kind = f"{compared.by}: " if compared.by else ""
        return f"{kind}{names[0]} and {names[1]}"
    what = f"groups by {compared.by}" if compared.by else "variants"
    return f"{len(names)} {what}"


# ---- two side by side --------------------------------------------------------------------------------------------


def _shown(letter: str, name: str, compared: Compared, sides: Mapping[str, Side]) -> Shown:
    side = sides.get(name) if not compared.by else None
    count = len(compared.media[name])
    if side is None:
        return Shown(letter, name, count, None, None, "", ())
    heat = side.heat
    found = () if side.moves else tuple(sorted(side.aois, key=lambda aoi: -aoi.box.area))
    return Shown(
        letter,
        name,
        count,
        picture_uri(side.ground),
        None if heat is None else picture_uri(heat),
        _caveat(side),
        found,
    )


def _caveat(side: Side) -> str:
    if side.picture is None:
        return "The picture is not at hand: a run keeps one with its maps."
    return "One moment of the video; attention below is that of the whole." if side.moves else ""


def _mains(side: Side) -> Iterator[UUID]:
    """The largest area of each type, which alone is named in the picture."""
    for aoi_type in dict.fromkeys(aoi.type for aoi in side.aois):
        yield max((aoi for aoi in side.aois if aoi.type == aoi_type), key=lambda aoi: aoi.box.area).aoi_id


def _percent(share: float) -> str:
    """Without certainty that rounding makes up."""
    rounded = round(100 * share)
    if rounded in (0, 100) and share not in (0.0, 1.0):
        return "< 1 %" if rounded == 0 else "> 99 %"
    return f"{rounded} %"


def _difference(sides: Sequence[Side]) -> tuple[str | None, str]:
    """The picture of the difference, or None, and what it says or why there is none."""
    if len(sides) != 2:
        return None, ""
    drawn = difference(*sides)
    if isinstance(drawn, str):
        return None, drawn
    return picture_uri(drawn), "Drawn over A. Orange: more attention in A; blue: more in B; on one scale for all pairs."


def _rows(rows: Sequence[Comparison]) -> list[Row]:
    """With bars on one scale for each unit."""
    reach: dict[str, float] = {}
    for row in rows:
        ends = [abs(end) for end in (row.difference, row.lo, row.hi) if end is not None]
        reach[row.unit] = max([reach.get(row.unit, 0.0), *(_ROOM * end for end in ends)])

    def at(value: float | None, unit: str) -> float | None:
        return None if value is None else round(50 + 50 * value / (reach[unit] or 1.0), 2)

    return [
        Row(
            row,
            row_title(row) if row.aoi_type is None or row.headline else metric_title(row.metric),
            _SPECS[row.metric].basis == "proxy",
            verdict_words(row),
            *(at(value, row.unit) for value in (row.difference if row.p is not None else None, row.lo, row.hi)),
        )
        for row in rows
    ]


def _areas(rows: Sequence[Comparison]) -> Iterator[Area]:
    both = [row for row in rows if not alone(row)]
    drawn = dict(zip(both, _rows(both), strict=True))
    for key in dict.fromkeys((row.aoi_type, row.aoi_label) for row in both):
        own = [row for row in both if (row.aoi_type, row.aoi_label) == key]
        yield Area(area_title(own[0]), str(key[0]), tuple(drawn[row] for row in own))


# ---- rankings ----------------------------------------------------------------------------------------------------


def _plot(ranking: Ranking, compared: Compared, sides: Mapping[str, Side]) -> Plot:
    low, high = _span(ranking)

    def at(value: float | None) -> float | None:
        return None if value is None else round(100 * (min(max(value, low), high) - low) / (high - low), 2)

    letters = tuple(dict.fromkeys(letter for place in ranking.places for letter in place.letters))
    columns = letters if len(letters) <= _MOST_LETTERS else ()
    placed = tuple(
        Placed(
            place,
            number,
            _thumbnail(place.name, compared, sides),
            tuple(letter if letter in place.letters else None for letter in columns),
            at(place.estimate.value) or 0.0,
            at(place.estimate.lo),
            at(place.estimate.hi),
            tuple(at(value) or 0.0 for value in place.values),
        )
        for number, place in enumerate(ranking.places, start=1)
    )
    kind = f"{ranking.wanted.aoi_type}: ".replace("_", " ") if ranking.wanted.aoi_type else ""
    title = kind + metric_title(ranking.wanted.metric)
    ticks = tuple((25.0 * i, f"{low + (high - low) * i / 4:g}") for i in range(5))
    proxy = _SPECS[ranking.wanted.metric].basis == "proxy"
    return Plot(ranking, title[0].upper() + title[1:], _WAYS[ranking.direction], proxy, placed, columns, ticks)


def _span(ranking: Ranking) -> tuple[float, float]:
    """The axis: the whole scale where it ends, else from 0 to a round number past the highest."""
    spec = _SPECS[ranking.wanted.metric]
    if spec.unit in ("score", "%"):
        return float(spec.low), float(spec.high)
    ends = [end for place in ranking.places for end in (place.estimate.hi, place.estimate.value, *place.values)]
    highest = max((end for end in ends if end is not None), default=1.0)
    step = 10 ** len(str(int(highest))) / 10
    return 0.0, max(1.0, (highest // step + 1) * step)


def _thumbnail(name: str, compared: Compared, sides: Mapping[str, Side]) -> str | None:
    side = sides.get(name) if not compared.by else None
    return None if side is None or side.picture is None else picture_uri(side.picture, quality=70)
