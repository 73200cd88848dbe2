"""Score densities on a stimulus and a predictor on images, between centre bias and inter-observer consistency."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from mediaan.errors import UsageError
from mediaan.evaluation.bootstrap import bootstrap_interval
from mediaan.evaluation.datasets.stimulus import GazeSet, Stimulus, read_frame
from mediaan.evaluation.saliency.inter_observer import (
    MIXTURES,
    ConsistencyFunction,
    ObserverConsistency,
    observer_consistency,
)
from mediaan.evaluation.saliency.metrics import (
    auc_judd,
    cc,
    centre_bias,
    defined,
    information_gain,
    kld,
    mean_defined,
    nss,
    other_fixations,
    shuffled_auc,
    sim,
)
from mediaan.saliency.density import CellIndices, centre_prior, resize_density
from mediaan.saliency.predictor import AttentionPredictor
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Window

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

MetricValues = Mapping[str, float | None]
"""Scores by key of `METRICS`; a metric that the human data leave undefined is None."""


@dataclass(frozen=True, slots=True)
class StimulusScores:
    """Scores of one image or video."""

    name: str
    n_viewers: int | None
    """None where only a density is known."""
    model: MetricValues
    centre: MetricValues
    prior: MetricValues
    """model, centre, prior: Mapping of metric to float or None. Of the predictor, the centre bias of the other stimuli,
    the fixed centre prior."""
    consistency: ObserverConsistency
    """Inter-observer consistency."""


def score_densities(
    stimulus: Stimulus, densities: Mapping[str, Float32], centre: Float32, other_cells: CellIndices
) -> dict[str, MetricValues]:
    """Score densities by all `METRICS` on one stimulus.

    `densities` (mapping of str to (h, w) float32): scored densities by name, on the grid of the stimulus.
    `centre` (h, w) float32: centre bias, over which information gain is measured.
    `other_cells` (m,) int64: cells fixated elsewhere in the set.
    """
    truth, cells = stimulus.truth(), stimulus.cells
    return {
        name: {
            "nss": nss(density, cells),
            "cc": cc(density, truth),
            "sim": sim(density, truth),
            "kld": kld(density, truth),
            "auc_judd": auc_judd(density, cells),
            "shuffled_auc": shuffled_auc(density, cells, other_cells),
            "information_gain": information_gain(density, centre, cells),
        }
        for name, density in densities.items()
    }


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over all stimuli; None where it is undefined."""

    metric: str
    """Key of `METRICS`."""
    n: int
    """Stimuli in the means."""
    model: float | None
    lo: float | None
    hi: float | None
    """model, lo, hi: Mean of the predictor and its 95 % bootstrap interval over them."""
    centre: float | None
    prior: float | None
    """centre, prior: Means of the two baselines."""
    one_vs_others: float | None
    split_half: float | None
    """one_vs_others, split_half: Means of viewers against viewers."""
    ceiling: float | None
    """Upper bound for the share: one viewer against the others; for CC √(2r / (1 + r)), r the split-half CC."""
    share: float | None
    """(model - centre) / (ceiling - centre): share of the explainable range. None without a ceiling."""


def best_mixture(scores: Sequence[StimulusScores]) -> int | None:
    """Return the index into `MIXTURES` of the largest mean gain of viewers over the centre bias."""
    gains = [score.consistency.gains for score in scores if score.consistency.gains is not None]
    return int(np.mean(gains, axis=0).argmax()) if gains else None


def summarize(metric: str, scores: Sequence[StimulusScores], mixture: int | None) -> MetricSummary:
    """Summarize one metric; `mixture` is that of `best_mixture`."""
    model, centre = mean_defined(s.model[metric] for s in scores), mean_defined(s.centre[metric] for s in scores)
    people = [one_vs_others(s.consistency, metric, mixture) for s in scores]
    viewer = mean_defined(people)
    ceiling = mean_defined(s.consistency.attainable_cc for s in scores) if metric == "cc" else viewer
    lo, hi = bootstrap_interval(defined(s.model[metric] for s in scores)) or (None, None)
    return MetricSummary(
        metric=metric,
        n=len(defined(s.model[metric] for s in scores)),
        model=model,
        lo=lo,
        hi=hi,
        centre=centre,
        prior=mean_defined(s.prior[metric] for s in scores),
        one_vs_others=viewer,
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


SummaryT = TypeVar("SummaryT", bound=MetricSummary)


@dataclass(frozen=True, slots=True)
class SaliencyEvaluation(Generic[SummaryT]):
    """Evaluation of a predictor on a set of images or videos."""

    dataset: str
    """Name of the set's folder."""
    predictor: str
    sha256: str | None
    device: str
    window: Window
    metrics: tuple[SummaryT, ...]
    """Means over stimuli, each of which counts the same."""
    centre_blur: float | None
    """Further blur of the centre bias, as a share of the side, that makes it the strongest baseline; None for a lone
    video, whose centre bias is the fixed prior."""
    centre_mixture: float | None
    """Share of the centre bias in the human density that maximizes the viewers' information gain."""
    notes: tuple[str, ...]

    def __getitem__(self, metric: str) -> SummaryT:
        return next(summary for summary in self.metrics if summary.metric == metric)

    def about(self) -> dict[str, Any]:
        """Return everything but the stimuli, ready for JSON."""
        return {
            "dataset": self.dataset,
            "predictor": self.predictor,
            "sha256": self.sha256,
            "device": self.device,
            "window": self.window,
            "metrics": {summary.metric: asdict(summary) for summary in self.metrics},
            "centre_blur": self.centre_blur,
            "centre_mixture": self.centre_mixture,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class ImageScores(StimulusScores):
    """Scores of one image; `n_fixations` is None where only a density is known."""

    n_fixations: int | None


@dataclass(frozen=True, slots=True)
class ImageEvaluation(SaliencyEvaluation[MetricSummary]):
    """Evaluation of a predictor on a set of images."""

    pictures: tuple[ImageScores, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the images, ready for JSON."""
        return self.about() | {"n_pictures": len(self.pictures)}


def evaluate_predictor(
    predictor: AttentionPredictor,
    gaze_set: GazeSet[Stimulus],
    *,
    consistency_of: ConsistencyFunction = observer_consistency,
    progress: Callable[[list[Stimulus]], Iterable[Stimulus]] = iter,
) -> ImageEvaluation:
    """Score a predictor on the selected images of a set.

    `gaze_set`: its window says which of the predictor's densities is scored.
    `consistency_of`: inter-observer consistency on an image; a `ConsistencyCache` spares the time where it is known.
    `progress`: wraps the images, to show progress.
    Raises UsageError: the predictor has no density for the window, or an image cannot be opened.
    """
    bias, others = centre_bias(gaze_set.stimuli), other_fixations(gaze_set.stimuli)
    index = {stimulus.name: i for i, stimulus in enumerate(gaze_set.stimuli)}
    chosen = [stimulus for stimulus in gaze_set.stimuli if stimulus.name in gaze_set.selected]
    scores = []
    for stimulus in progress(chosen):
        other_cells = others.without(index[stimulus.name], stimulus.shape)
        centre = bias.without(stimulus.truth())
        prediction = predict_density(predictor, stimulus, gaze_set.window)
        densities = {"model": prediction, "centre": centre, "prior": centre_prior(stimulus.shape)}
        scores.append(
            ImageScores(
                name=stimulus.name,
                n_viewers=stimulus.gaze.n_viewers if stimulus.gaze else None,
                n_fixations=stimulus.cells.size if stimulus.gaze else None,
                consistency=consistency_of(stimulus, centre, other_cells),
                **score_densities(stimulus, densities, centre, other_cells),
            )
        )
    notes = list(gaze_set.notes)
    if all(score.n_viewers is None for score in scores):
        notes.append("what people reach is not known: there are densities in place of fixations")
    elif all(score.consistency.nss is None for score in scores):
        notes.append("what people reach is not known: viewers are pooled, so no image has two separate viewers")
    mixture = best_mixture(scores)
    return ImageEvaluation(
        dataset=gaze_set.folder.resolve().name,
        predictor=predictor.name,
        sha256=predictor.sha256,
        device=predictor.device,
        window=gaze_set.window,
        metrics=tuple(summarize(metric, scores, mixture) for metric in METRICS),
        pictures=tuple(scores),
        centre_blur=bias.extra_blur,
        centre_mixture=None if mixture is None else MIXTURES[mixture],
        notes=tuple(notes),
    )


def predict_density(predictor: AttentionPredictor, stimulus: Stimulus, window: Window) -> Float32:
    """Predict an image on its grid, (h, w) float32."""
    return resize_density(predict_window(predictor, read_frame(stimulus.path, predictor.view), window), stimulus.shape)


def predict_window(predictor: AttentionPredictor, frame: UInt8, window: Window) -> Float32:
    """Predict the density of one frame (1, H, W, 3) in a window, (h, w) float32.

    Raises UsageError: the predictor has no density for the window.
    """
    densities = predictor.predict(frame)[0]
    if window not in densities.maps:
        windows = ", ".join(densities.maps)
        raise UsageError(f"the model {predictor.name} does not predict the window {window!r}, only: {windows}")
    return densities[window]
