"""Score a predictor on images with gaze, between centre bias and inter-observer consistency."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from mediaan.errors import UsageError
from mediaan.evaluation.bootstrap import bootstrap_interval
from mediaan.evaluation.datasets.stimulus import GazeSet, Stimulus, read_frame
from mediaan.evaluation.saliency.baselines import CentreBias, centre_bias, other_fixations
from mediaan.evaluation.saliency.inter_observer import (
    MIXTURES,
    ConsistencyFunction,
    ObserverConsistency,
    observer_consistency,
)
from mediaan.evaluation.saliency_metrics import auc_judd, cc, information_gain, kld, nss, shuffled_auc, sim
from mediaan.saliency.density import CellIndices, centre_prior, resize_density
from mediaan.saliency.predictor import AttentionPredictor
from mediaan.types.arrays import Float32
from mediaan.types.densities import Window

MetricValues = Mapping[str, float | None]


class ScoredStimulus(Protocol):
    """What one picture or one clip came to; see `PictureScores`."""

    @property
    def model(self) -> MetricValues:
        """The predictor."""
        ...

    @property
    def centre(self) -> MetricValues:
        """The centre bias of the others."""
        ...

    @property
    def prior(self) -> MetricValues:
        """The fixed centre prior."""
        ...

    @property
    def ceiling(self) -> ObserverConsistency:
        """What people reach."""
        ...


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over all pictures, or all clips; None where it is undefined.

    Attributes
    ----------
    metric : str
        Key of `METRICS`.
    n : int
        Pictures or clips in the means.
    model, lo, hi : float or None
        Mean of the predictor and its 95 % bootstrap interval over them.
    centre, prior : float or None
        Means of the two baselines.
    one_vs_others, split_half : float or None
        Means of people against people.
    ceiling : float or None
        What the share is measured against: one viewer against the others; for CC √(2r / (1 + r)), r the split-half CC.
    share : float or None
        (model - centre) / (ceiling - centre): share of the explainable range. None where no ceiling is known.
    """

    metric: str
    n: int
    model: float | None
    lo: float | None
    hi: float | None
    centre: float | None
    prior: float | None
    one_vs_others: float | None
    split_half: float | None
    ceiling: float | None
    share: float | None


def best_mixture(scores: Sequence[ScoredStimulus]) -> int | None:
    """Index into `MIXTURES` of the largest mean gain of people over the centre bias."""
    gains = [score.ceiling.gains for score in scores if score.ceiling.gains is not None]
    return int(np.mean(gains, axis=0).argmax()) if gains else None


def summarize(metric: str, scores: Sequence[ScoredStimulus], mixture: int | None) -> MetricSummary:
    """Means of one metric; `mixture` is what `best_mixture` found."""
    model, centre = mean_defined(s.model[metric] for s in scores), mean_defined(s.centre[metric] for s in scores)
    people = [one_vs_others(s.ceiling, metric, mixture) for s in scores]
    one = mean_defined(people)
    ceiling = mean_defined(s.ceiling.attainable_cc for s in scores) if metric == "cc" else one
    lo, hi = bootstrap_interval(defined(s.model[metric] for s in scores)) or (None, None)
    return MetricSummary(
        metric=metric,
        n=len(defined(s.model[metric] for s in scores)),
        model=model,
        lo=lo,
        hi=hi,
        centre=centre,
        prior=mean_defined(s.prior[metric] for s in scores),
        one_vs_others=one,
        split_half=mean_defined(split_half(s.ceiling, metric) for s in scores),
        ceiling=ceiling,
        share=_share(model, centre, ceiling),
    )


def one_vs_others(ceiling: ObserverConsistency, metric: str, mixture: int | None) -> float | None:
    """One viewer against the others on one picture; None where the comparison means nothing for the metric."""
    if metric == "information_gain":
        return None if ceiling.gains is None or mixture is None else float(ceiling.gains[mixture])
    return {"nss": ceiling.nss, "auc_judd": ceiling.auc_judd, "shuffled_auc": ceiling.shuffled_auc}.get(metric)


def split_half(ceiling: ObserverConsistency, metric: str) -> float | None:
    """Two halves of the viewers on one picture; None where the comparison means nothing for the metric."""
    return {"cc": ceiling.split_cc, "sim": ceiling.split_sim}.get(metric)


def _share(model: float | None, centre: float | None, ceiling: float | None) -> float | None:
    """None, too, where people are no better than the centre bias: then there is nothing to explain."""
    if model is None or centre is None or ceiling is None or ceiling <= centre:
        return None
    return (model - centre) / (ceiling - centre)


def defined(values: Iterable[float | None]) -> list[float]:
    """Without what is undefined."""
    return [value for value in values if value is not None]


def mean_defined(values: Iterable[float | None]) -> float | None:
    """Mean of what is defined."""
    known = defined(values)
    return float(np.mean(known)) if known else None


METRICS: Mapping[str, str] = {
    "nss": "NSS",
    "cc": "CC",
    "sim": "SIM",
    "kld": "KLD (nats)",
    "auc_judd": "AUC-Judd",
    "shuffled_auc": "shuffled AUC",
    "information_gain": "information gain (bits/fixation)",
}
"""Metrics by name in tables, with their titles; more is better except for KLD."""


@dataclass(frozen=True, slots=True)
class ImageScores:
    """Scores of one picture; a metric that the human data leave undefined is None.

    Attributes
    ----------
    model, centre, prior : mapping of metric to float or None
        The predictor, the centre bias of the other pictures, the fixed centre prior.
    ceiling : Ceiling
        What people reach.
    """

    name: str
    n_viewers: int | None
    n_fixations: int | None
    model: MetricValues
    centre: MetricValues
    prior: MetricValues
    ceiling: ObserverConsistency


@dataclass(frozen=True, slots=True)
class ImageEvaluation:
    """How a predictor did on a set.

    Attributes
    ----------
    dataset : str
        Name of the set's folder.
    centre_blur : float
        Further blur of the centre bias, as a share of the side, that makes it the strongest baseline.
    centre_mixture : float or None
        Share of the centre bias in the human density for which people's information gain is best.
    """

    dataset: str
    predictor: str
    sha256: str | None
    device: str
    window: Window
    metrics: tuple[MetricSummary, ...]
    pictures: tuple[ImageScores, ...]
    centre_blur: float
    centre_mixture: float | None
    notes: tuple[str, ...]

    def __getitem__(self, metric: str) -> MetricSummary:
        return next(summary for summary in self.metrics if summary.metric == metric)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the pictures, ready for JSON."""
        return {
            "dataset": self.dataset,
            "predictor": self.predictor,
            "sha256": self.sha256,
            "device": self.device,
            "window": self.window,
            "n_pictures": len(self.pictures),
            "metrics": {summary.metric: asdict(summary) for summary in self.metrics},
            "centre_blur": self.centre_blur,
            "centre_mixture": self.centre_mixture,
            "notes": list(self.notes),
        }


def evaluate_predictor(
    predictor: AttentionPredictor,
    gaze_set: GazeSet,
    *,
    ceiling_of: ConsistencyFunction = observer_consistency,
    progress: Callable[[list[Stimulus]], Iterable[Stimulus]] = iter,
) -> ImageEvaluation:
    """Score a predictor on the selected pictures of a set.

    Parameters
    ----------
    predictor : AttentionPredictor
    gaze_set : GazeSet
        Its window says which of the predictor's densities is scored.
    ceiling_of : callable, optional
        What people reach on a picture; a `CeilingCache` spares the time where it is known.
    progress : callable, optional
        Wraps the pictures, to watch them go by.

    Returns
    -------
    Evaluation

    Raises
    ------
    UsageError
        The predictor has no density for the window, or a picture cannot be opened.
    """
    centre, others = centre_bias(gaze_set.pictures), other_fixations(gaze_set.pictures)
    index = {picture.name: i for i, picture in enumerate(gaze_set.pictures)}
    chosen = [picture for picture in gaze_set.pictures if picture.name in gaze_set.selected]
    scores = []
    for picture in progress(chosen):
        prediction = predict_density(predictor, picture, gaze_set.window)
        elsewhere = others.without(index[picture.name], picture.shape)
        scores.append(_score(picture, prediction, centre, elsewhere, ceiling_of))
    return _evaluation(predictor, gaze_set, tuple(scores), centre.extra_blur)


def predict_density(predictor: AttentionPredictor, picture: Stimulus, window: Window) -> Float32:
    """Prediction for a picture on its grid, (h, w) float32."""
    densities = predictor.predict(read_frame(picture.path, predictor.view))[0]
    if window not in densities.maps:
        known = ", ".join(densities.maps)
        raise UsageError(f"the model {predictor.name} does not predict the window {window!r}, only: {known}")
    return resize_density(densities[window], picture.shape)


def _score(
    picture: Stimulus, prediction: Float32, bias: CentreBias, other_cells: CellIndices, ceiling_of: ConsistencyFunction
) -> ImageScores:
    truth, cells = picture.truth(), picture.cells
    centre = bias.without(truth)
    densities = (prediction, centre, centre_prior(picture.shape))
    model, by_centre, by_prior = (score_density(density, truth, centre, cells, other_cells) for density in densities)
    known = picture.gaze is not None
    return ImageScores(
        name=picture.name,
        n_viewers=picture.gaze.n_viewers if picture.gaze else None,
        n_fixations=cells.size if known else None,
        model=model,
        centre=by_centre,
        prior=by_prior,
        ceiling=ceiling_of(picture, centre, other_cells),
    )


def score_density(
    density: Float32, truth: Float32, centre: Float32, cells: CellIndices, other_cells: CellIndices
) -> MetricValues:
    """All `METRICS` of a density on one picture, or at one instant.

    Parameters
    ----------
    density, truth, centre : (h, w) float32
        What is scored; what people looked at; the centre bias, over which information gain is counted.
    cells, other_cells : (n,), (m,) int64
        Cells fixated here, and elsewhere in the set.
    """
    return {
        "nss": nss(density, cells),
        "cc": cc(density, truth),
        "sim": sim(density, truth),
        "kld": kld(density, truth),
        "auc_judd": auc_judd(density, cells),
        "shuffled_auc": shuffled_auc(density, cells, other_cells),
        "information_gain": information_gain(density, centre, cells),
    }


def _evaluation(
    predictor: AttentionPredictor, gaze_set: GazeSet, scores: tuple[ImageScores, ...], centre_blur: float
) -> ImageEvaluation:
    mixture = best_mixture(scores)
    return ImageEvaluation(
        dataset=gaze_set.folder.resolve().name,
        predictor=predictor.name,
        sha256=predictor.sha256,
        device=predictor.device,
        window=gaze_set.window,
        metrics=tuple(summarize(metric, scores, mixture) for metric in METRICS),
        pictures=scores,
        centre_blur=centre_blur,
        centre_mixture=None if mixture is None else MIXTURES[mixture],
        notes=(*gaze_set.notes, *_unknown_people(scores)),
    )


def _unknown_people(scores: tuple[ImageScores, ...]) -> list[str]:
    """Why nothing is said of people, where nothing is."""
    if any(score.ceiling.nss is not None for score in scores):
        return []
    if all(score.n_viewers is None for score in scores):
        return ["what people reach is not known: there are densities in place of fixations"]
    return ["what people reach is not known: viewers are pooled, no picture has two who can be told apart"]
