"""What a comparison comes to, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from mediaan.analysis import video_specs
from mediaan.aoi.metrics import AOI_METRICS
from mediaan.comparison.ranking import Ranking
from mediaan.comparison.scored import NOTHING_IS_ZERO
from mediaan.metrics import BUILT_INS
from mediaan.types.comparison import Comparison
from mediaan.types.metrics import MetricSpec, Time

_TIMES: dict[Time, str] = {"total": "", "start": ", first 2 s", "end": ", last 2 s"}
_MOST_NAMED = 4


@cache
def _specs() -> dict[str, MetricSpec]:
    return {spec.name: spec for spec in (*(built_in.spec for built_in in BUILT_INS), *video_specs(), *AOI_METRICS)}


def metric_title(metric: str) -> str:
    """What people call a metric; its name where it is unknown."""
    spec = _specs().get(metric)
    return spec.title if spec else metric


def is_proxy(metric: str) -> bool:
    """Whether no people were asked about a metric."""
    spec = _specs().get(metric)
    return spec is not None and spec.basis == "proxy"


def row_title(row: Comparison) -> str:
    """What a row is about: ``branding: seen by, first 2 s``."""
    title = metric_title(row.metric)
    time = "" if row.metric.endswith("_two") else _TIMES[row.metric_time]
    return f"{row.aoi_type.replace('_', ' ')}: {title[0].lower()}{title[1:]}{time}" if row.aoi_type else title + time


def area_title(row: Comparison) -> str:
    """Which areas a row is about: ``branding "Acme"``."""
    kind = str(row.aoi_type).replace("_", " ")
    return f"{kind} “{row.aoi_label}”" if row.aoi_label and row.aoi_label != kind else kind


def alone(row: Comparison) -> bool:
    """Whether a row is about an area that only one side has."""
    return row.aoi_type is not None and (row.n_a == 0) != (row.n_b == 0)


def not_looked_for(row: Comparison) -> bool:
    """Whether the other side may have such an area as well: nobody looked."""
    return alone(row) and row.metric in NOTHING_IS_ZERO and None in (row.value_a, row.value_b)


def absence(row: Comparison) -> str:
    """Why a row is about one side alone."""
    if not_looked_for(row):
        return f"not looked for in {'B' if row.n_a else 'A'}"
    return f"only {'A' if row.n_a else 'B'} has one"


def lonely(rows: Sequence[Comparison]) -> list[Comparison]:
    """The first row of each area that only one side has."""
    found: dict[tuple[str | None, str | None], Comparison] = {}
    for row in rows:
        if alone(row):
            found.setdefault((row.aoi_type, row.aoi_label), row)
    return list(found.values())


def verdict_words(row: Comparison) -> str:
    """What can be told of one score.

    Where the interval leaves out 0, but not enough for so many comparisons, that is said.
    """
    if alone(row):
        return f"{absence(row)}: nothing to compare"
    if row.verdict == "undefined":
        return row.reason or "undefined"
    if row.verdict == "not_distinguishable":
        apart = row.lo is not None and row.hi is not None and not row.lo <= 0 <= row.hi
        return f"not distinguishable among {row.n_comparisons} comparisons" if apart else "not distinguishable"
    return f"{row.verdict[0].upper()} is higher"


def pair_sentence(rows: Sequence[Comparison]) -> str:
    """What can be told of two sides.

    Examples
    --------
    >>> pair_sentence([])
    'Nothing was compared.'
    """
    asked = [row for row in rows if row.verdict != "undefined"]
    if not asked:
        reason = rows[0].reason if rows else None
        return f"No difference can be told from chance: {reason[0].lower()}{reason[1:]}" if reason else _NOTHING
    told = {side: [row for row in asked if row.verdict == f"{side}_higher"] for side in ("a", "b")}
    rest = len(asked) - sum(map(len, told.values()))
    if rest == len(asked):
        return " ".join([_nothing_told(rest), *_alone(rows)])
    parts = [f"{side.upper()} is higher on {_listed(found)}" for side, found in told.items() if found]
    which = f"The other one of {len(asked)} scores" if rest == 1 else f"The other {rest} of {len(asked)} scores"
    others = [f"{which} cannot be told apart."] if rest else []
    return " ".join(["; ".join(parts) + ".", *others, *_alone(rows)])


def _nothing_told(count: int) -> str:
    if count == 1:
        return "A and B cannot be told apart."
    return f"A and B cannot be told apart on any of the {count} scores that were compared."


def _alone(rows: Sequence[Comparison]) -> Iterator[str]:
    """Types of areas that only one side has."""
    areas = [row for row in rows if alone(row) and not not_looked_for(row)]
    for side, other in (("A", "n_b"), ("B", "n_a")):
        found = dict.fromkeys(str(row.aoi_type).replace("_", " ") for row in areas if not getattr(row, other))
        if found:
            yield f"Only {side} has {', '.join(found)}."


def rankings_sentence(rankings: Sequence[Ranking]) -> str:
    """Who is first, of the scores on which something can be told."""
    if len(rankings) == 1:
        return ranking_sentence(rankings[0])
    telling = [one for one in rankings if len({place.letters for place in one.places}) > 1]
    rest = len(rankings) - len(telling)
    if not telling:
        return f"Nothing can be told apart on any of the {rest} scores."
    which = "the other score" if rest == 1 else f"the other {rest} scores"
    others = [f"On {which} nothing can be told apart."] if rest else []
    return " ".join([*map(ranking_sentence, telling), *others])


def ranking_sentence(ranking: Ranking) -> str:
    """Who is first, and with whom."""
    if not ranking.places:
        return "No variant has a value."
    first = ranking.places[0]
    title = metric_title(ranking.wanted.metric) + (" (a proxy)" if is_proxy(ranking.wanted.metric) else "")
    start = f"{title}: {first.name} is first"
    if not first.letters:
        return f"{start}, but without intervals nothing can be told from chance."
    others = [place for place in ranking.places[1:] if set(place.letters) & set(first.letters)]
    if not others:
        return f"{start}, and can be told from all others."
    rest = len(ranking.places) - 1
    who = (
        "the other one"
        if rest == 1
        else f"any of the {rest} others"
        if len(others) == rest
        else f"{len(others)} of the {rest}"
    )
    return f"{start}, but cannot be told from {who}" + (" others." if len(others) < rest else ".")


_NOTHING = "Nothing was compared."


def _listed(rows: Sequence[Comparison]) -> str:
    named = [_shown(row) for row in sorted(rows, key=lambda row: row.p or 0.0)[:_MOST_NAMED]]
    return ", ".join(named) + (f" and {len(rows) - len(named)} more" if len(rows) > len(named) else "")


def _shown(row: Comparison) -> str:
    title = row_title(row)
    kind = ", a proxy" if is_proxy(row.metric) else ""
    return f"{title[0].lower()}{title[1:]} ({signed(abs(row.difference or 0.0), row.unit)}{kind})"


def signed(value: float | None, unit: str) -> str:
    """A difference as tables show it, – for none.

    Examples
    --------
    >>> signed(3.14, "score"), signed(-0.004, "s"), signed(None, "%")
    ('+3.1', '0.00', '–')
    """
    if value is None:
        return "–"
    rounded = round(value, decimals(unit)) + 0.0  # no minus zero
    return f"{rounded:{'+' if rounded else ''}.{decimals(unit)}f}"


def decimals(unit: str) -> int:
    """Digits behind the point that tables show of a unit."""
    return 2 if unit in ("s", "ratio") else 1
