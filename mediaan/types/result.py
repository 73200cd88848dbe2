"""The outcome of one file: a result or a failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

from mediaan.errors import UsageError
from mediaan.types.aoi import Aoi, AoiType, Brand, Candidate
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.arrays import UInt8
from mediaan.types.benchmark import BenchmarkRange
from mediaan.types.checks import VERDICT_COLOURS, VERDICT_WORDS, CheckResult, RuleResult, Verdict
from mediaan.types.densities import Densities, Window
from mediaan.types.display import Outline, Tile, figure, html_card, html_picture, text_card
from mediaan.types.edits import Suggestion
from mediaan.types.media import Medium, Problem
from mediaan.types.metrics import Fold, FrameScores, Scene, Score, repeatability
from mediaan.types.placement import PlacementView, usual_platform
from mediaan.types.scanpath import OrderOfLooks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TALLEST = 3
"""Height over width from which a gallery shows the upper part only, of tall pages say."""

MEASURED_WITH = ("mediaan", "recipe", "recipe_id", "models", "scores_id", "calibration")
"""Entries of ``run.json`` that say what numbers were measured with."""


@dataclass(frozen=True, slots=True)
class Result:
    """An analyzed medium."""

    path: str
    """Of the file, as shown to the user."""
    medium: Medium
    scores: tuple[Score, ...]
    densities: Densities
    """By window of the exposure."""
    pictures: Mapping[str, UInt8] = field(default_factory=dict)
    """Mapping of str to (H, W, 3) uint8. Requested maps, by name; ``original`` is the image that they are drawn on."""
    problems: tuple[Problem, ...] = ()
    """Notes and warnings that do not spoil the result."""
    size_bytes: int = 0
    """Of the file."""
    stages: Mapping[str, float] = field(default_factory=dict)
    """Mapping of str to float. Seconds spent in each stage."""
    frames: tuple[FrameScores, ...] = ()
    """Scores over time; empty for an image."""
    scenes: tuple[Scene, ...] = ()
    """Scores by shot; empty for an image."""
    share_read: float = 1.0
    """Share of the medium that could be decoded, 0.9-1."""
    videos: Mapping[str, Path] = field(default_factory=dict)
    """Mapping of str to Path. Encoded videos by name: temporary files, to be moved to where they are kept."""
    aois: tuple[Aoi, ...] | None = None
    """Areas of interest with their scores; None where they were not requested."""
    series: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    """Mapping of str to array. Densities over time in a compact form, `saliency.density_storage.TRACK_ARRAYS`; empty
    for an image."""
    novelty: float | None = None
    """Share of the training images that are less of an outlier than this medium, 0-1; None without scores."""
    measured_with: Mapping[str, Any] = field(default_factory=dict)
    """Recipe, models and scales behind the numbers, as in ``run.json``; may be empty."""
    stated_domain: str | None = None
    """Domain of the attention model that the user stated; None: none was stated."""
    brand_found: bool | None = None
    """Whether there is an AOI of the named brand; None where none was named or AOIs were not detected."""
    brand_attention: float | None = None
    """Share of attention that goes to any area of the brand of an image, %; None of a video, and without such areas."""
    checks: tuple[CheckResult, ...] = ()
    """Results of its checks; empty where none were made."""
    verdict: Verdict = "unknown"
    """Of the checks."""
    suggestions: tuple[Suggestion, ...] = ()
    """Edits of an image that are predicted to help, by purpose, the largest gain first."""
    folds: tuple[Fold, ...] = ()
    """Screens of a tall page that was judged fold by fold; empty for any other medium."""
    looks: OrderOfLooks | None = None
    """Estimated order in which areas of an image are looked at; None for a video, and where neither areas nor the map
    ``gaze_plot`` were requested."""
    objective: Mapping[str, Any] = field(default_factory=dict)
    """What the user said of it, as ``run.json`` holds it: purpose, brand, platform; may be empty."""
    looked_for: frozenset[AoiType] = frozenset()
    """Types of areas that would have been found, or drawn, if they were there."""
    absent: frozenset[AoiType] = frozenset()
    """Types of areas of which a person answered that it has none."""
    proposals: tuple[Candidate, ...] = ()
    """What might be areas of an image, but is too unsure to be spoken of: a review asks about it."""
    ranges: tuple[BenchmarkRange, ...] = ()
    """Where its scores and those of its areas stand in their population."""
    rules: tuple[RuleResult, ...] = ()
    """Results of the user's rules."""
    placements: tuple[PlacementView, ...] = ()
    """How placements show it and its areas."""

    @property
    def domains(self) -> Mapping[str, float] | None:
        """Probability of each domain; None for a model without domains."""
        return self.densities.domains

    @property
    def domain(self) -> str | None:
        """Stated domain, else the most probable one; None for a model without domains."""
        return self.densities.domain

    @property
    def domain_probability(self) -> float | None:
        """Probability of the domain, 0-1; None where it was stated, or for a model without domains."""
        if self.stated_domain is not None or not self.domains:
            return None
        return max(self.domains.values())

    @property
    def moves(self) -> bool:
        """True for a video or animation."""
        return self.medium.kind != "image"

    @property
    def purpose(self) -> str | None:
        """What its objective says the medium is for."""
        return self.objective.get("purpose")

    @property
    def platform(self) -> str | None:
        """Platform on which it is seen: as its objective states it, otherwise as `usual_platform` assumes it."""
        screen = self.folds[0].y1 - self.folds[0].y0 if self.folds else None
        return self.objective.get("platform") or usual_platform(self.medium, self.domain, screen)

    @property
    def brand(self) -> Brand | None:
        """Brand that its objective names."""
        return Brand.of_objective(self.objective)

    @property
    def brand_known(self) -> bool:
        """True if a mark that was not found is hardly there: its brand was named legibly, or people say so."""
        brand = self.brand
        if (brand is not None and brand.is_recognizable) or "branding" in self.absent:
            return True
        return any(aoi.source == "drawn" or (aoi.confirmed and aoi.type == "branding") for aoi in self.aois or ())

    def score(self, metric: str, time: Window = "total") -> Score | None:
        """Return the score of a metric in a window; None where the medium has no such score."""
        return next((score for score in self.scores if score.metric == metric and score.time == time), None)

    def repeatability(self, score: Score) -> float | None:
        """Return how far one of its scores moves when the image is mirrored, cropped or resized: the ± beside it.

        In the score's unit; nine in ten views stay within. None for a score without a value, for a metric of which it
        was not measured, and for a video. Whether people agree with the score is another question:
        `mediaan.metrics.guide`.
        """
        return None if self.moves or score.value is None else repeatability(score.metric, score.value)

    def range(self, metric: str, aoi: Aoi | None = None, time: Window = "total") -> BenchmarkRange | None:
        """Return where a score of the medium, or of one of its areas, stands in its population; None: not compared."""
        aoi_id = None if aoi is None else str(aoi.aoi_id)
        matches = (row for row in self.ranges if row.metric == metric and row.metric_time == time)
        return next((row for row in matches if row.aoi_id == aoi_id), None)

    def __getitem__(self, metric: str) -> Score:
        """Return the score of a metric by name, such as ``focus``; that of the whole exposure where there are several.

        Raises
        ------
        KeyError
            There is no such metric.
        """
        for score in self.scores:
            if score.metric == metric:
                return score
        metrics = dict.fromkeys(score.metric for score in self.scores)
        raise KeyError(f"no metric {metric!r}; there are {', '.join(metrics)}")

    def __repr__(self) -> str:
        return text_card(f"Result: {self.path}", self._rows())

    def _repr_html_(self) -> str:
        card = html_card(f"Result: {self.path}", self._rows())
        name = self._shown_picture()
        return card if name is None else html_picture(self.pictures[name], self._outlines(name)) + card

    def plot(self, map: str | None = None, *, areas: bool = True) -> Figure:
        """Draw the picture with a map and its areas, as a matplotlib figure: a notebook shows it, `savefig` keeps it.

        Parameters
        ----------
        map : str, optional
            One of ``pictures``, such as ``heat``, ``fog`` or ``original``; by default the first that was requested.
        areas : bool
            Whether to outline the areas of an image, with the share of attention that each gets, %.

        Raises
        ------
        UsageError
            ``no_picture``: the result does not hold it; ``mediaan.analyze(path, maps="heat")`` does.
        SetupError
            ``no_matplotlib``: matplotlib is not installed.

        Examples
        --------
        >>> import mediaan as mn
        >>> mn.analyze("ad.png", maps="heat").plot().savefig("ad_heat.png")  # doctest: +SKIP
        """
        name = map or self._shown_picture()
        if name is None or name not in self.pictures:
            held = f"it holds {', '.join(self.pictures)}" if self.pictures else "it holds no picture"
            message = f"{self.path}: {held}; to plot a map, analyze the file with it: maps={name or 'heat'!r}"
            raise UsageError(message, code="no_picture")
        return figure(self.pictures[name], self._outlines(name) if areas else (), f"{self.medium.name}: {name}")

    def _shown_picture(self) -> str | None:
        """Name the heatmap, else the first map that was requested, else the picture itself; None without pictures."""
        names = ("heat", *(name for name in self.pictures if name not in ("original", "thumb")), "original")
        return next((name for name in names if name in self.pictures), None)

    def tile(self) -> Tile:
        """Return what a gallery shows of it: name, verdict, and its picture without the legend."""
        picture = None if (name := self._shown_picture()) is None else self.pictures[name]
        if picture is not None:
            height, width = picture.shape[:2]
            picture = picture[: min(round(height * self._picture_share(picture)), _TALLEST * width)]
        return Tile(self.path, VERDICT_WORDS[self.verdict], VERDICT_COLOURS[self.verdict], picture)

    def _picture_share(self, drawn: UInt8) -> float:
        """Return the share of the height of a map that the medium takes; below it is the legend."""
        return min(1.0, float(self.medium.height * drawn.shape[1] / (self.medium.width * drawn.shape[0])))

    def _outlines(self, name: str) -> list[Outline]:
        """Return the outlines of the areas of an image on one of its pictures; those of a video come and go."""
        share = self._picture_share(self.pictures[name])
        outlines = []
        for aoi in () if self.moves else self.aois or ():
            values = [score.value for score in aoi.scores if (score.metric, score.time) == ("attention", "total")]
            attention = f" {values[0]:.0f} %" if values and values[0] is not None else ""
            x0, y0, x1, y1 = aoi.box
            kind = AREA_TYPES[aoi.type]
            outlines.append(Outline((x0, y0 * share, x1, y1 * share), kind.colour, f"{kind.title}{attention}"))
        return outlines

    def _rows(self) -> dict[str, str]:
        """Return what a reader looks for first, by label."""
        medium = self.medium
        facts = [medium.kind, f"{medium.width} x {medium.height} px"]
        facts += [] if medium.duration_s is None else [f"{medium.duration_s:.1f} s"]
        facts += [] if self.domain is None or self.stated_domain else [f"looks like: {self.domain}"]
        checks = Counter(check.status for check in self.checks)
        passed = ", ".join(f"{checks[status]} {status}" for status in ("passed", "failed") if checks[status])
        facts += [f"tall page of {len(self.folds)} folds"] if self.folds else []
        scores = [f"{score.metric} {self._shown(score)}" for score in self.scores if score is self[score.metric]]
        areas = Counter(aoi.type for aoi in self.aois or ())
        return {
            "file": ", ".join(facts),
            "verdict": VERDICT_WORDS[self.verdict] + (f" (checks: {passed})" if passed else "") if self.checks else "",
            "scores": "; ".join(scores),
            "areas": ", ".join(kind if n == 1 else f"{n} x {kind}" for kind, n in areas.items()),
            "problems": "; ".join(problem.message for problem in self.problems),
            "more": "result['focus'], .aois, .checks, .suggestions, .densities, .to_dict()",
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON: the medium and its scores, without pixels and frames."""
        medium = self.medium
        moves = self.moves
        domain = (
            {}
            if self.domains is None
            else {
                "domain": self.domain,
                "domain_probability": self.domain_probability,
                "domain_stated": self.stated_domain is not None,
                "domains": dict(self.domains),
            }
        )
        return {
            "path": self.path,
            "medium_id": str(medium.medium_id),
            "name": medium.name,
            "type": medium.kind,
            "status": "done",
            "width": medium.width,
            "height": medium.height,
            "codec": medium.codec,
            "novelty": self.novelty,
            "brand_found": self.brand_found,
            "brand_attention": self.brand_attention,
            **domain,
            **({"duration_s": medium.duration_s, "share_read": self.share_read} if moves else {}),
            "metrics": {s.metric: self._score_dict(s) for s in self.scores if s is self[s.metric]},
            **({"windows": self._windows(), "scenes": [asdict(scene) for scene in self.scenes]} if moves else {}),
            **({} if self.aois is None else {"aois": [self._aoi_dict(aoi) for aoi in self.aois]}),
            **({"verdict": self.verdict, "checks": [check.to_dict() for check in self.checks]} if self.checks else {}),
            **({"suggestions": [suggestion.to_dict() for suggestion in self.suggestions]} if self.suggestions else {}),
            **({"folds": [asdict(fold) for fold in self.folds]} if self.folds else {}),
            **({"order_of_looks": self.looks.to_dict()} if self.looks else {}),
            "problems": [{"code": p.code, "message": p.message} for p in self.problems],
        }

    def _aoi_dict(self, aoi: Aoi) -> dict[str, Any]:
        """Return an AOI with its scores: metric → window → value, lo, hi …; tracks are left to the tables."""
        scores: dict[str, dict[str, Any]] = {}
        for score in aoi.scores:
            scores.setdefault(score.metric, {})[score.time] = {
                "value": score.value,
                "repeatability": self.repeatability(score),
                **{key: getattr(score, key) for key in ("lo", "hi", "unit")},
            } | ({"reason": score.reason} if score.reason else {})
        moving = {} if aoi.t0_s is None else {"t0_s": aoi.t0_s, "t1_s": aoi.t1_s}
        return {
            "aoi_id": str(aoi.aoi_id),
            "type": aoi.type,
            "label": aoi.label,
            "box": list(aoi.box),
            **({"polygon": [list(point) for point in aoi.polygon]} if aoi.polygon else {}),
            "source": aoi.source,
            "method": aoi.method,
            "confidence": aoi.confidence,
            **moving,
            **({"text": asdict(aoi.text)} if aoi.text else {}),
            "scores": scores,
        }

    def _windows(self) -> dict[str, dict[str, Any]]:
        """Return the scores of the first and last two seconds of metrics that have them beside their own."""
        others = [score for score in self.scores if score is not self[score.metric]]
        return {time: {s.metric: self._score_dict(s) for s in others if s.time == time} for time in ("start", "end")}

    def _score_dict(self, score: Score) -> dict[str, Any]:
        plain: dict[str, Any] = {"value": score.value, "repeatability": self.repeatability(score)}
        plain |= {key: getattr(score, key) for key in ("lo", "hi", "time", "unit", "basis")}
        drivers = {"drivers": [asdict(driver) for driver in score.drivers]} if score.drivers else {}
        return plain | ({"reason": score.reason} if score.reason else {}) | drivers

    def _shown(self, score: Score) -> str:
        """Write a score and how far it moves, as in ``44 ± 12``."""
        if score.value is None:
            return "–"
        digits, moves = 0 if score.unit == "score" else 1, self.repeatability(score)
        return f"{round(score.value, digits):g}" + ("" if moves is None else f" ± {moves:.{digits}f}")


@dataclass(frozen=True, slots=True)
class Failed:
    """A file that could not be analyzed.

    `trace` is the program's own traceback where the fault is ours; None where it is the file's.
    """

    path: str
    name: str
    code: str
    message: str
    size_bytes: int = 0
    medium_id: str | None = None
    trace: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain strings, ready for JSON."""
        return {
            "path": self.path,
            "medium_id": self.medium_id,
            "name": self.name,
            "status": "failed",
            "error_code": self.code,
            "error_message": self.message,
        }


Outcome: TypeAlias = Result | Failed
