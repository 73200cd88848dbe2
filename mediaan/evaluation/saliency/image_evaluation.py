"""Score a predictor on images with gaze, between centre bias and inter-observer consistency."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from mediaan.errors import UsageError
from mediaan.evaluation.datasets.stimulus import GazeSet, Stimulus, read_frame
from mediaan.evaluation.saliency.baselines import centre_bias, other_fixations
from mediaan.evaluation.saliency.inter_observer import MIXTURES, ConsistencyFunction, observer_consistency
from mediaan.evaluation.saliency.summary import (
    METRICS,
    MetricSummary,
    SaliencyEvaluation,
    StimulusScores,
    best_mixture,
    score_densities,
    summarize,
)
from mediaan.saliency.density import centre_prior, resize_density
from mediaan.saliency.predictor import AttentionPredictor
from mediaan.types.arrays import Float32
from mediaan.types.densities import Window


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
    gaze_set: GazeSet,
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
    densities = predictor.predict(read_frame(stimulus.path, predictor.view))[0]
    if window not in densities.maps:
        windows = ", ".join(densities.maps)
        raise UsageError(f"the model {predictor.name} does not predict the window {window!r}, only: {windows}")
    return resize_density(densities[window], stimulus.shape)
