"""Hold how an ad does in a page, by the metrics of an ad in its context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from mediaan.aoi.scoring.specs import ATTENTION, FIRST_SEEN, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.run.tables.schema import CONTEXT
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8
from mediaan.types.display import html_card, text_card
from mediaan.types.media import Medium, Problem
from mediaan.types.metrics import MetricSpec, Score

_INF = float("inf")
_DRAWS = "Mean over draws; the interval of the ratio is a bootstrap over draws: docs/context.md."
_PREDICTED = "Integral of the predicted fixation density over the same area."


def _percent(name: str, title: str, caption: str, reference: str) -> MetricSpec:
    return MetricSpec(name, title, "%", 0, 100, "higher", "proxy", caption, reference)


def _ratio(name: str, title: str, caption: str, reference: str) -> MetricSpec:
    return MetricSpec(name, title, "ratio", 0, _INF, "higher", "proxy", caption, reference)


CONTEXT_METRICS: tuple[MetricSpec, ...] = (
    *(replace(spec, basis="proxy") for spec in (ATTENTION, PERCENTAGE_SEEN, TIME_SPENT, FIRST_SEEN)),
    MetricSpec(
        "area", "Area", "%", 0, 100, "middle", "measured", "Share of the image that the ad covers.", "Measured."
    ),
    _percent(
        "average_place",
        "Average page",
        "What an area of this size gets in this place on an average page, whatever is there.",
        "Mean predicted density of the first screens of 491 well-known sites.",
    ),
    _percent("page_before", "Page before", "What the page gets in this area without the ad.", _PREDICTED),
    _percent("others", "Others there", "What other images get in the same place.", _DRAWS),
    _ratio(
        "ratio_to_average",
        "Times average page",
        "How many times what an area of this size gets there on an average page.",
        "Attention over that of an average page; the interval is that of attention.",
    ),
    _ratio(
        "ratio_to_page_before",
        "Times page before",
        "How many times what the page gets there without the ad.",
        "Attention over that before; the interval is that of attention.",
    ),
    _ratio("ratio_to_others", "Times the others", "How many times what other images get in the same place.", _DRAWS),
)
"""In the order of the page."""

SPECS = {spec.name: spec for spec in CONTEXT_METRICS}


Verdict = Literal["more", "less", "no clear difference"]


class ContextScore(Score):
    """One of `mediaan.studies.context.result.CONTEXT_METRICS` at a position."""

    __slots__ = ()

    @property
    def verdict(self) -> Verdict | None:
        """Of a ratio: whether its interval lies above 1, below, or neither; None of others, and without an interval."""
        if self.unit != "ratio" or self.bounds is None:
            return None
        lo, hi = self.bounds
        if lo > 1:
            return "more"
        return "less" if hi < 1 else "no clear difference"

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        plain = {key: getattr(self, key) for key in ("value", "lo", "hi", "unit")}
        more = {"verdict": self.verdict, "reason": self.reason}
        return plain | {key: value for key, value in more.items() if value is not None}


@dataclass(frozen=True, slots=True)
class ContextPosition:
    """The ad at one position."""

    name: str
    """The position as it was stated, such as ``100,50,300,250``."""
    box: Box
    """Where the ad is on the page."""
    draws: int
    """Number of pictures behind the numbers."""
    scores: tuple[ContextScore, ...]

    def __getitem__(self, metric: str) -> ContextScore:
        """Return a score.

        Raises
        ------
        KeyError
            There is no such metric; the message lists those there are.
        """
        score = self.get(metric)
        if score is None:
            raise KeyError(f"no metric {metric!r}; there are {', '.join(score.metric for score in self.scores)}")
        return score

    def __contains__(self, metric: object) -> bool:
        return any(score.metric == metric for score in self.scores)

    def get(self, metric: str) -> ContextScore | None:
        """Return a score; None where it was not computed."""
        return next((score for score in self.scores if score.metric == metric), None)


@dataclass(frozen=True, slots=True)
class ContextResult:
    """An ad in a page."""

    path: str
    """Of the ad."""
    medium: Medium
    """The ad as its file holds it."""
    positions: tuple[ContextPosition, ...]
    exposure_s: float
    """Seconds for which the page is looked at."""
    domain: str | None
    """As what attention on it was predicted."""
    model: str
    draws: int
    """Number of other pictures that were shown in the ad's place; 1 without others."""
    seed: int
    summary: str
    """The result in a few sentences."""
    notes: tuple[str, ...]
    """What to keep in mind."""
    pictures: Mapping[str, UInt8] = field(default_factory=dict)
    """mapping of str to (H, W, 3) uint8. Composed pictures and their heatmaps by name, such as ``place_1`` and
    ``place_1_heat``."""
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        return text_card(f"In context: {self.path}", self._rows())

    def _repr_html_(self) -> str:
        return html_card(f"In context: {self.path}", self._rows())

    def _rows(self) -> dict[str, str]:
        return {"summary": self.summary, "more": ".positions, .pictures, .notes, .to_dict()"}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the table ``context``."""
        for position in self.positions:
            place = dict(zip(("x0", "y0", "x1", "y1"), position.box, strict=True))
            for score in position.scores:
                row = {"item": self.path, "position": position.name, **place, "draws": position.draws}
                yield row | {name: getattr(score, name) for name in CONTEXT.names if name not in row}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON, without pixels."""
        return {
            "path": self.path,
            "medium_id": str(self.medium.medium_id),
            "name": self.medium.name,
            "exposure_s": self.exposure_s,
            "domain": self.domain,
            "model": self.model,
            "draws": self.draws,
            "seed": self.seed,
            "summary": self.summary,
            "notes": list(self.notes),
            "positions": [
                {
                    "position": position.name,
                    "box": list(position.box),
                    "draws": position.draws,
                    "scores": {score.metric: score.to_dict() for score in position.scores},
                }
                for position in self.positions
            ],
            "problems": [asdict(problem) for problem in self.problems],
        }
