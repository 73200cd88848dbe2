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
from mediaan.evaluation.saliency.metrics import auc_judd, cc, information_gain, kld, nss, shuffled_auc, sim
from mediaan.saliency.density import CellIndices, centre_prior, resize_density
from mediaan.saliency.predictor import AttentionPredictor
from mediaan.types.arrays import Float32
from mediaan.types.densities import Window

MetricValues = Mapping[str, float | None]


class ScoredStimulus(Protocol):
    """Scores of one stimulus; see `ImageScores`."""

    @property
    def model(self) -> MetricValues:
        """Scores of the predictor."""
        ...

    @property
    def centre(self) -> MetricValues:
        """Scores of the centre bias of the other stimuli."""
        ...

    @property
    def prior(self) -> MetricValues:
        """Scores of the fixed centre prior."""
        ...

    @property
    def consistency(self) -> ObserverConsistency:
        """Inter-observer consistency."""
        ...


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over all stimuli; None where it is undefined.

    Attributes
    ----------
    metric : str
        Key of `METRICS`.
    n : int
        Stimuli in the means.
    model, lo, hi : float or None
        Mean of the predictor and its 95 % bootstrap interval over them.
    centre, prior : float or None
        Means of the two baselines.
    one_vs_others, split_half : float or None
        Means of viewers against viewers.
    ceiling : float or None
        Upper bound for the share: one viewer against the others; for CC √(2r / (1 + r)), r the split-half CC.
    share : float or None
        (model - centre) / (ceiling - centre): share of the explainable range. None without a ceiling.
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
    """Return the index into `MIXTURES` of the largest mean gain of viewers over the centre bias."""
    gains = [score.consistency.gains for score in scores if score.consistency.gains is not None]
    return int(np.mean(gains, axis=0).argmax()) if gains else None


def summarize(metric: str, scores: Sequence[ScoredStimulus], mixture: int | None) -> MetricSummary:
    """Summarize one metric; `mixture` is that of `best_mixture`."""
    model, centre = mean_defined(s.model[metric] for s in scores), mean_defined(s.centre[metric] for s in scores)
    people = [one_vs_others(s.consistency, metric, mixture) for s in scores]
    one = mean_defined(people)
    ceiling = mean_defined(s.consistency.attainable_cc for s in scores) if metric == "cc" else one
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
        split_half=mean_defined(split_half(s.consistency, metric) for s in scores),
        ceiling=ceiling,
        share=explained_share(model, centre, ceiling),
    )


def one_vs_others(consistency: ObserverConsistency, metric: str, mixture: int | None) -> float | None:
    """Return the score of one viewer against the others; None where it means nothing for the metric."""
    if metric == "information_gain":
        return None if consistency.gains is None or mixture is None else float(consistency.gains[mixture])
    return {"nss": consistency.nss, "auc_judd": consistency.auc_judd, "shuffled_auc": consistency.shuffled_auc}.get(
        metric
    )


def split_half(consistency: ObserverConsistency, metric: str) -> float | None:
    """Return the score of two halves of the viewers; None where it means nothing for the metric."""
    return {"cc": consistency.split_cc, "sim": consistency.split_sim}.get(metric)


def explained_share(model: float | None, centre: float | None, ceiling: float | None) -> float | None:
    """Return the share of the explainable range; None where viewers are no better than the centre bias."""
    if model is None or centre is None or ceiling is None or ceiling <= centre:
        return None
    return (model - centre) / (ceiling - centre)


def defined(values: Iterable[float | None]) -> list[float]:
    """Drop undefined values."""
    return [value for value in values if value is not None]


def mean_defined(values: Iterable[float | None]) -> float | None:
    """Average what is defined; None without any."""
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
    """Scores of one image; a metric that the human data leave undefined is None.

    Attributes
    ----------
    model, centre, prior : mapping of metric to float or None
        Of the predictor, the centre bias of the other images, the fixed centre prior.
    consistency : ObserverConsistency
        Inter-observer consistency.
    """

    name: str
    n_viewers: int | None
    n_fixations: int | None
    model: MetricValues
    centre: MetricValues
    prior: MetricValues
    consistency: ObserverConsistency


@dataclass(frozen=True, slots=True)
class ImageEvaluation:
    """Evaluation of a predictor on a set of images.

    Attributes
    ----------
    dataset : str
        Name of the set's folder.
    centre_blur : float
        Further blur of the centre bias, as a share of the side, that makes it the strongest baseline.
    centre_mixture : float or None
        Share of the centre bias in the human density that maximizes the viewers' information gain.
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
        """Return everything but the images, ready for JSON."""
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
    consistency_of: ConsistencyFunction = observer_consistency,
    progress: Callable[[list[Stimulus]], Iterable[Stimulus]] = iter,
) -> ImageEvaluation:
    """Score a predictor on the selected images of a set.

    Parameters
    ----------
    predictor : AttentionPredictor
    gaze_set : GazeSet
        Its window says which of the predictor's densities is scored.
    consistency_of : callable, optional
        Inter-observer consistency on an image; a `ConsistencyCache` spares the time where it is known.
    progress : callable, optional
        Wraps the images, to show progress.

    Returns
    -------
    Evaluation

    Raises
    ------
    UsageError
        The predictor has no density for the window, or an image cannot be opened.
    """
    centre, others = centre_bias(gaze_set.stimuli), other_fixations(gaze_set.stimuli)
    index = {stimulus.name: i for i, stimulus in enumerate(gaze_set.stimuli)}
    chosen = [stimulus for stimulus in gaze_set.stimuli if stimulus.name in gaze_set.selected]
    scores = []
    for stimulus in progress(chosen):
        prediction = predict_density(predictor, stimulus, gaze_set.window)
        elsewhere = others.without(index[stimulus.name], stimulus.shape)
        scores.append(_score(stimulus, prediction, centre, elsewhere, consistency_of))
    return _evaluation(predictor, gaze_set, tuple(scores), centre.extra_blur)


def predict_density(predictor: AttentionPredictor, stimulus: Stimulus, window: Window) -> Float32:
    """Predict an image on its grid, (h, w) float32."""
    densities = predictor.predict(read_frame(stimulus.path, predictor.view))[0]
    if window not in densities.maps:
        known = ", ".join(densities.maps)
        raise UsageError(f"the model {predictor.name} does not predict the window {window!r}, only: {known}")
    return resize_density(densities[window], stimulus.shape)


def _score(
    stimulus: Stimulus,
    prediction: Float32,
    bias: CentreBias,
    other_cells: CellIndices,
    consistency_of: ConsistencyFunction,
) -> ImageScores:
    truth, cells = stimulus.truth(), stimulus.cells
    centre = bias.without(truth)
    densities = (prediction, centre, centre_prior(stimulus.shape))
    model, by_centre, by_prior = (score_density(density, truth, centre, cells, other_cells) for density in densities)
    known = stimulus.gaze is not None
    return ImageScores(
        name=stimulus.name,
        n_viewers=stimulus.gaze.n_viewers if stimulus.gaze else None,
        n_fixations=cells.size if known else None,
        model=model,
        centre=by_centre,
        prior=by_prior,
        consistency=consistency_of(stimulus, centre, other_cells),
    )


def score_density(
    density: Float32, truth: Float32, centre: Float32, cells: CellIndices, other_cells: CellIndices
) -> MetricValues:
    """Score a density by all `METRICS` on one stimulus.

    Parameters
    ----------
    density, truth, centre : (h, w) float32
        The scored density; the density of the gaze; the centre bias, over which information gain is measured.
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
    """Explain why there is no inter-observer consistency, where there is none."""
    if any(score.consistency.nss is not None for score in scores):
        return []
    if all(score.n_viewers is None for score in scores):
        return ["what people reach is not known: there are densities in place of fixations"]
    return ["what people reach is not known: viewers are pooled, no picture has two who can be told apart"]
