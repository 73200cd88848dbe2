"""Hold everything that was compared together, and say in words what it comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mediaan.aoi.scoring.specs import ZERO_IF_ABSENT
from mediaan.judge.rules.rule import usual_time
from mediaan.metrics.scales import LEAN
from mediaan.report.formatting import format_number
from mediaan.studies.compare.differences import Comparison, is_one_sided
from mediaan.studies.compare.pairs import Leader
from mediaan.studies.compare.ranking import VariantRanking
from mediaan.types.aoi import aoi_words
from mediaan.types.densities import Window
from mediaan.types.display import html_card, text_card
from mediaan.types.media import Purpose
from mediaan.workflow.populations import METRIC_SPECS

_TIMES: dict[Window, str] = {"total": "", "start": ", first 2 s", "end": ", last 2 s"}
_MOST_NAMED = 4
_MOST_LEFT_OUT = 20


def metric_title(metric: str) -> str:
    """Return what people call a metric; its name where it is unknown."""
    spec = METRIC_SPECS.get(metric)
    return spec.title if spec else metric


def is_proxy(metric: str) -> bool:
    """Tell whether no people were asked about a metric."""
    spec = METRIC_SPECS.get(metric)
    return spec is not None and spec.basis == "proxy"


def row_title(row: Comparison) -> str:
    """Name what a row is about: ``branding: seen by, first 2 s``."""
    title = metric_title(row.metric)
    time = "" if row.metric_time == usual_time(row.metric) else _TIMES[row.metric_time]
    return f"{aoi_words(row.aoi_type)}: {title[0].lower()}{title[1:]}{time}" if row.aoi_type else title + time


def area_title(row: Comparison) -> str:
    """Name the areas that a row is about: ``branding "Acme"``."""
    assert row.aoi_type is not None
    kind = aoi_words(row.aoi_type)
    if row.aoi_type == "other" and row.aoi_label:
        return row.aoi_label
    return f"{kind} “{row.aoi_label}”" if row.aoi_label and row.aoi_label != kind else kind


def not_looked_for(row: Comparison) -> bool:
    """Tell whether the other side may have such an area as well, since nobody looked."""
    return is_one_sided(row) and row.metric in ZERO_IF_ABSENT and None in (row.value_a, row.value_b)


def absence_words(row: Comparison) -> str:
    """Say why a row is about one side alone."""
    if not_looked_for(row):
        return f"not looked for in {'B' if row.n_a else 'A'}"
    return f"found only in {'A' if row.n_a else 'B'}"


def one_sided_rows(rows: Sequence[Comparison]) -> list[Comparison]:
    """Return the first row of each area that only one side has."""
    first: dict[tuple[str | None, str | None], Comparison] = {}
    for row in rows:
        if is_one_sided(row):
            first.setdefault((row.aoi_type, row.aoi_label), row)
    return list(first.values())


def odds_words(probability: float) -> str:
    """Say a probability as people do, rounded down, so that none sounds surer than it is.

    >>> [odds_words(probability) for probability in (0.55, 0.796, 0.9999)]
    ['55 in 100', '79 in 100', '99 in 100']
    """
    return f"{min(99, int(100 * probability + 1e-9))} in 100"


def verdict_words(row: Comparison) -> str:
    """Say what can be told of one score; where nothing is proven, to which side it leans, if to any."""
    if is_one_sided(row):
        return f"{absence_words(row)}: {_lean_words(row) if row.probability is not None else 'nothing to compare'}"
    if row.verdict == "undefined":
        return row.reason or "undefined"
    if row.verdict == "not_distinguishable":
        return _lean_words(row)
    return f"{row.verdict[0].upper()} is higher"


def _lean_words(row: Comparison) -> str:
    odds = max(row.probability or 0.5, 1 - (row.probability or 0.5))
    if odds < LEAN:
        return "a coin toss"
    higher = "a" if (row.probability or 0.5) > 0.5 else "b"
    if row.lean is None:
        return f"{higher.upper()} is probably higher, {odds_words(odds)}"
    lower = "" if row.lean == higher else ", which is probably lower"
    return f"leans to {row.lean.upper()}{lower}, {odds_words(odds)}"


NAMED = 0.6
"""Least probability with which a single score is named for the side that leads, or against it."""


def leader_sentence(leader: Leader, rows: Sequence[Comparison], *, repeats: bool = False) -> str:
    """Say who leads, how probably, and on which scores that rests.

    `repeats`: whether probabilities are those of one more look at versions of one design, and not those of people.
    """
    if leader.side is None:
        return f"A coin toss on {_counted(len(leader.better))} taken together."
    side = leader.side.upper()
    for_it = sorted((1 - p if leader.side == "b" else p, place) for place, p in leader.better.items())[::-1]
    share = odds_words(leader.probability).split(" ")[0]
    agree = f"one more look would agree {share} times in 100"
    if not repeats:
        agree = f"people would agree in {share} of 100 such pairs"
    if len(leader.better) == 1:
        return f"{side} leads on {_low(row_title(rows[for_it[0][1]]))}: {agree}."
    named = [f"{_low(row_title(rows[place]))} ({odds_words(p)})" for p, place in for_it if p >= NAMED]
    rests = f", above all on {_and(named[:_MOST_NAMED])}" if named else ""
    against = [f"{_low(row_title(rows[place]))} ({odds_words(1 - p)})" for p, place in for_it[::-1] if 1 - p >= NAMED]
    but = f"; {'AB'[leader.side == 'a']} is probably better on {_and(against[:_MOST_NAMED])}" if against else ""
    return f"{side} leads on {_counted(len(leader.better))} taken together: {agree}{rests}{but}."


def _counted(count: int) -> str:
    return "the one headline score" if count == 1 else f"{count} headline scores"


def _low(title: str) -> str:
    return f"{title[0].lower()}{title[1:]}"


def _and(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]])) if parts else ""


def pair_sentence(rows: Sequence[Comparison], leader: Leader | None = None, *, repeats: bool = False) -> str:
    """Say what can be told of two sides: who leads, what is proven, and what only one side has.

    >>> pair_sentence([])
    'Nothing was compared.'
    """
    defined = [row for row in rows if row.verdict != "undefined"]
    if not defined:
        reason = rows[0].reason if rows else None
        return f"No difference can be shown: {_low(reason)}" if reason else "Nothing was compared."
    sentences = [leader_sentence(leader, rows, repeats=repeats)] if leader else []
    proven = []
    for side in ("a", "b"):
        told = sorted((row for row in defined if row.verdict == f"{side}_higher"), key=lambda row: row.p or 0.0)
        named = []
        for row in told[:_MOST_NAMED]:
            proxy = ", an estimate" if is_proxy(row.metric) else ""
            named.append(
                f"{_low(row_title(row))} ({format_number(abs(row.difference or 0.0), row.unit, signed=True)}{proxy})"
            )
        more = f" and {len(told) - len(named)} more" if len(told) > len(named) else ""
        if named:
            proven.append(f"{side.upper()} is higher on {', '.join(named)}{more}")
    if proven:
        sentences.append(f"Proven: {'; '.join(proven)}.")
    elif len(defined) == 1:
        sentences.append("The difference is not proven.")
    else:
        sentences.append(f"No difference is proven on any of the {len(defined)} scores.")
    areas = [row for row in rows if is_one_sided(row) and not not_looked_for(row)]
    for side, other in (("A", "n_b"), ("B", "n_a")):
        types = dict.fromkeys(aoi_words(row.aoi_type) for row in areas if row.aoi_type and not getattr(row, other))
        if types:
            sentences.append(f"Found only in {side}: {', '.join(types)}.")
    return " ".join(sentences)


def rankings_sentence(rankings: Sequence[VariantRanking]) -> str:
    """Say who is first, of the scores on which something can be told."""
    if rankings and all(len(item.places) < 2 for item in rankings):
        names = sorted({place.name for item in rankings for place in item.places})
        return f"Nothing to rank: only {_and(names)} has a value with an interval." if names else "Nothing to rank."
    if len(rankings) == 1:
        return ranking_sentence(rankings[0])
    telling = [ranking for ranking in rankings if len({place.group for place in ranking.places}) > 1]
    rest = len(rankings) - len(telling)
    if not telling:
        return f"On all {rest} scores, who is ahead is little more than a coin toss."
    which = "the other score" if rest == 1 else f"the other {rest} scores"
    others = [f"On {which}, who is ahead is little more than a coin toss."] if rest else []
    return " ".join([*map(ranking_sentence, telling), *others])


def ranking_title(ranking: VariantRanking) -> str:
    """Name what a ranking is about: ``branding: Attention``."""
    key = ranking.score_key
    area = f"{aoi_words(key.aoi_type)}: " if key.aoi_type else ""
    return f"{area}{metric_title(key.metric)}"


def left_out_lines(rankings: Sequence[VariantRanking]) -> list[str]:
    """Say once who is missing from rankings, and why: variants with the same reason together, with the scores meant."""
    scores: dict[tuple[str, str], list[str]] = {}  # by reason and name
    for ranking in rankings:
        for name, reason in ranking.left_out.items():
            scores.setdefault((reason, name), []).append(ranking_title(ranking))
    names: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (reason, name), titles in scores.items():
        names.setdefault((reason, tuple(titles)), []).append(name)
    lines = []
    for (reason, affected), missing in names.items():
        who = ", ".join(missing[:_MOST_LEFT_OUT])
        more = f" and {len(missing) - _MOST_LEFT_OUT} more" if len(missing) > _MOST_LEFT_OUT else ""
        of = "" if len(affected) == len(rankings) else f" ({', '.join(affected)})"
        lines.append(f"{who}{more}: {_low(reason)}{of}")
    return lines


def ranking_sentence(ranking: VariantRanking) -> str:
    """Say who is first, and with whom."""
    if not ranking.places:
        return "No variant has a value."
    first = ranking.places[0]
    if len(ranking.places) == 1:
        return f"{ranking_title(ranking)}: only {first.name} can be ranked."
    title = metric_title(ranking.score_key.metric) + (" (an estimate)" if is_proxy(ranking.score_key.metric) else "")
    start = f"{title}: {first.name} is first"
    if first.group is None:
        return f"{start}, but without intervals it is not known how surely."
    others = sum(place.group == first.group for place in ranking.places[1:])
    if not others:
        return f"{start}, and ahead of every other in two of three such pairs or more."
    rest = len(ranking.places) - 1
    who = "the other one" if rest == 1 else f"all {rest} others" if others == rest else f"{others} of the {rest} others"
    return f"{start}; {who} may as well be."


_MOST_LISTED = 6
_REPEATS = "As versions of one design: this is how well differences repeat, not what people would say."


@dataclass(frozen=True, slots=True)
class CompareResult:
    """Media, or groups of media, compared with each other."""

    names: tuple[str, ...]
    """Paths of the media, or names of the groups, in the order in which they were given."""
    rows: tuple[Comparison, ...]
    """Of two: their own scores, then those of areas. Of more: all pairs, by score."""
    rankings: tuple[VariantRanking, ...]
    """One of each score; empty where two media are compared."""
    media: Mapping[str, tuple[str, ...]]
    """Mapping of str to tuple of str. Paths of the media of each group; of a medium its own."""
    by: str | None = None
    pair: str | None = None
    cluster: str | None = None
    """by, pair, cluster: Key that groups media, key that pairs them between groups, and key of which each value counts
    once in a group."""
    versions: bool = False
    """Whether they are versions of one design: intervals and probabilities then say how well differences repeat."""
    purpose: Purpose | None = None
    """What the media are for, which decides what is better."""
    notes: tuple[str, ...] = ()
    """What to keep in mind."""
    leader: Leader | None = None
    """Of two, which is ahead on the headline scores together, or that it is too close to call; None of more than two,
    and where nothing says it."""

    def __repr__(self) -> str:
        return text_card("Comparison", self._rows())

    def _repr_html_(self) -> str:
        return html_card("Comparison", self._rows())

    def _rows(self) -> dict[str, str]:
        more = f" and {len(self.names) - _MOST_LISTED} more" if len(self.names) > _MOST_LISTED else ""
        return {
            f"by {self.by}" if self.by else "files": ", ".join(self.names[:_MOST_LISTED]) + more,
            "summary": self.summary,
            "more": "compared['focus'], .rows, .rankings, .notes, .to_dict()"
            if self.two
            else ".rankings, .rows, .notes",
        }

    def __getitem__(self, name: str) -> Comparison:
        """Return one score of two media or groups: ``compared["focus"]``, ``compared["branding.attention"]``.

        Of areas the first one of the type counts, which is the main one; without a time the whole exposure does.
        """
        for row in self.rows if self.two else ():
            full_name = f"{row.aoi_type}.{row.metric}" if row.aoi_type else row.metric
            is_usual_time = row.metric_time == usual_time(row.metric)
            if name == f"{full_name}.{row.metric_time}" or (name == full_name and is_usual_time):
                return row
        raise KeyError(name)

    @property
    def two(self) -> bool:
        """True if there are just two sides."""
        return len(self.names) == 2

    @property
    def summary(self) -> str:
        """The result in a sentence or two."""
        if not self.two:
            sentence = rankings_sentence(self.rankings)
        else:
            sentence = pair_sentence(self.rows, self.leader, repeats=self.versions)
        return f"{sentence} {_REPEATS}" if self.versions else sentence

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        leader = None
        if self.leader is not None:
            leader = {
                "side": self.leader.side,
                "name": None if self.leader.side is None else self.names["ab".index(self.leader.side)],
                "probability": self.leader.probability,
                "ahead": self.leader.ahead,
                "scores": [
                    {
                        "metric": self.rows[place].metric,
                        "aoi_type": self.rows[place].aoi_type,
                        "metric_time": self.rows[place].metric_time,
                        "probability_a_better": probability,
                    }
                    for place, probability in self.leader.better.items()
                ],
            }
        return {
            "names": list(self.names),
            "media": {name: list(paths) for name, paths in self.media.items()},
            "by": self.by,
            "pair": self.pair,
            "cluster": self.cluster,
            "versions": self.versions,
            "purpose": self.purpose,
            "summary": self.summary,
            "notes": list(self.notes),
            "leader": leader,
            "comparisons": [row.to_dict() for row in self.rows],
            "rankings": [ranking.to_dict() for ranking in self.rankings],
        }
