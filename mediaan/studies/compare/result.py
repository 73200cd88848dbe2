"""Hold everything that was compared together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mediaan.judge.rules.rule import usual_time
from mediaan.studies.compare.comparison import Comparison
from mediaan.studies.compare.ranking import VariantRanking
from mediaan.studies.compare.sentences import pair_sentence, rankings_sentence
from mediaan.studies.compare.verdicts import Leader
from mediaan.types.display import html_card, text_card
from mediaan.types.media import Purpose

_MOST_NAMED = 6
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
        more = f" and {len(self.names) - _MOST_NAMED} more" if len(self.names) > _MOST_NAMED else ""
        return {
            f"by {self.by}" if self.by else "files": ", ".join(self.names[:_MOST_NAMED]) + more,
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
