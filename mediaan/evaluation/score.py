"""Score a predictor on a set of gazed pictures, between what centre bias and what other people reach."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mediaan.errors import UsageError
from mediaan.evaluation.baselines import CentreBias, centre_bias, other_fixations
from mediaan.evaluation.ceiling import MIXTURES, Ceiling, CeilingOf, human_ceiling
from mediaan.evaluation.frames import read_frame
from mediaan.evaluation.gaze import GazedPicture, GazeSet
from mediaan.evaluation.summary import MetricSummary, Values, best_mixture, summarise
from mediaan.maps.compare import auc_judd, cc, information_gain, kld, nss, shuffled_auc, sim
from mediaan.maps.density import Cells, centre_prior, resize_density
from mediaan.predictors.port import AttentionPredictor
from mediaan.types.arrays import Float32
from mediaan.types.maps import Window

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
class PictureScores:
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
    model: Values
    centre: Values
    prior: Values
    ceiling: Ceiling


@dataclass(frozen=True, slots=True)
class Evaluation:
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
    pictures: tuple[PictureScores, ...]
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
    ceiling_of: CeilingOf = human_ceiling,
    progress: Callable[[list[GazedPicture]], Iterable[GazedPicture]] = iter,
) -> Evaluation:
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


def predict_density(predictor: AttentionPredictor, picture: GazedPicture, window: Window) -> Float32:
    """Prediction for a picture on its grid, (h, w) float32."""
    densities = predictor.predict(read_frame(picture.path, predictor.view))[0]
    if window not in densities.maps:
        known = ", ".join(densities.maps)
        raise UsageError(f"the model {predictor.name} does not predict the window {window!r}, only: {known}")
    return resize_density(densities[window], picture.shape)


def _score(
    picture: GazedPicture, prediction: Float32, bias: CentreBias, other_cells: Cells, ceiling_of: CeilingOf
) -> PictureScores:
    truth, cells = picture.truth(), picture.cells
    centre = bias.without(truth)
    densities = (prediction, centre, centre_prior(picture.shape))
    model, by_centre, by_prior = (compare(density, truth, centre, cells, other_cells) for density in densities)
    known = picture.gaze is not None
    return PictureScores(
        name=picture.name,
        n_viewers=picture.gaze.n_viewers if picture.gaze else None,
        n_fixations=cells.size if known else None,
        model=model,
        centre=by_centre,
        prior=by_prior,
        ceiling=ceiling_of(picture, centre, other_cells),
    )


def compare(density: Float32, truth: Float32, centre: Float32, cells: Cells, other_cells: Cells) -> Values:
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
    predictor: AttentionPredictor, gaze_set: GazeSet, scores: tuple[PictureScores, ...], centre_blur: float
) -> Evaluation:
    mixture = best_mixture(scores)
    return Evaluation(
        dataset=gaze_set.folder.resolve().name,
        predictor=predictor.name,
        sha256=predictor.sha256,
        device=predictor.device,
        window=gaze_set.window,
        metrics=tuple(summarise(metric, scores, mixture) for metric in METRICS),
        pictures=scores,
        centre_blur=centre_blur,
        centre_mixture=None if mixture is None else MIXTURES[mixture],
        notes=(*gaze_set.notes, *_unknown_people(scores)),
    )


def _unknown_people(scores: tuple[PictureScores, ...]) -> list[str]:
    """Why nothing is said of people, where nothing is."""
    if any(score.ceiling.nss is not None for score in scores):
        return []
    if all(score.n_viewers is None for score in scores):
        return ["what people reach is not known: there are densities in place of fixations"]
    return ["what people reach is not known: viewers are pooled, no picture has two who can be told apart"]
