"""Fit an attention model to one's own viewers, and cross-validate the fit by image."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mediaan import __version__
from mediaan.aoi.scoring.fixation_hazard import built_in_hazard_model
from mediaan.errors import UsageError
from mediaan.evaluation.bootstrap import bootstrap_interval
from mediaan.evaluation.calibration.adjustment_grid import (
    NO_CHANGE,
    AdjustmentLikelihoods,
    GridPoint,
    adjustment_likelihoods,
)
from mediaan.evaluation.calibration.pace_grid import UNCHANGED_PACE, estimated_exposure, gaze_share, pace_likelihoods
from mediaan.evaluation.datasets.image_set import FixationTable, gaze_set_from_fixations, has_end_window
from mediaan.evaluation.datasets.stimulus import GazeSet, Stimulus, read_frame
from mediaan.evaluation.saliency.baselines import CentreBias, centre_bias
from mediaan.evaluation.saliency.metrics import cc, information_gain, kld, nss
from mediaan.saliency.density import resize_density
from mediaan.saliency.predictor import AttentionPredictor, adjust_density, calibrate_densities
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import Densities, Window
from mediaan.types.eye_tracking import Adjustment, Calibration, CalibrationEvidence, Pace

METRICS: Mapping[str, str] = {
    "information_gain": "information gain (bits/fixation)",
    "nss": "NSS",
    "cc": "CC",
    "kld": "KLD (nats)",
    "seen": "seen by whom (bits/viewer)",
}
"""Metrics of the evidence, with their titles; more is better except for KLD. `seen` judges the rate: how likely it is
that so many viewers fixate each tile of an image."""

MIN_IMAGES = 10
FOLDS = 5
_SEED = 20240229


@dataclass(frozen=True, slots=True)
class CrossValidationFolds:
    """Images in groups, each of which is held out once."""

    of: Mapping[str, int]
    """Mapping of str to int. Group of each image by its name."""
    number: int

    def rows(self, names: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the groups of some images, (n,) int64."""
        return np.array([self.of[name] for name in names], np.int64)


@dataclass(frozen=True, slots=True)
class WindowFit:
    """Fit of one window of the exposure: likelihoods on all its images, and adjustments without each group."""

    window: Window
    stimuli: tuple[Stimulus, ...]
    likely: AdjustmentLikelihoods
    """Row by row of the stimuli."""
    group: npt.NDArray[np.int64]
    """(images,) int64."""
    points: tuple[GridPoint, ...]
    """Fitted without each group."""

    def gains(self, over: tuple[GridPoint, ...] | None = None) -> Float64:
        """Return each image's gain from a fit without it over another fit, or over no change, bits per fixation."""
        at_points = np.stack([self.likely.at(point) for point in self.points])
        others = np.stack([self.likely.at(point) for point in over or (NO_CHANGE,) * len(self.points)])
        each = np.arange(len(self.group))
        return np.asarray(at_points[self.group, each] - others[self.group, each], np.float64)


def fit_calibration(
    predictor: AttentionPredictor,
    fixations: FixationTable,
    folder: Path,
    *,
    exposure_s: float | None = None,
    folds: int = FOLDS,
    progress: Callable[[list[Stimulus]], Iterable[Stimulus]] = iter,
) -> Calibration:
    """Fit a calibration, and cross-validate it by image.

    A part that does not surely help on held-out images is rejected: the whole exposure stays as the model predicts it,
    the first and the last two seconds stay as the whole exposure.

    `predictor`: not calibrated.
    `fixations`: on at least `MIN_IMAGES` images.
    `folder`: folder of the images.
    `exposure_s`: viewing time of the images, s; by default estimated from the fixations.
    `folds`: groups of images, each of which is held out once; at least 2.
    `progress`: wraps the images, to show progress.
    Raises UsageError: too few images, one that cannot be opened, or an impossible exposure.
    """
    total = gaze_set_from_fixations(fixations, folder)
    if len(total.stimuli) < max(MIN_IMAGES, folds):
        raise UsageError(
            f"{total.folder}: a calibration needs eye tracking on at least {max(MIN_IMAGES, folds)} images, "
            f"better on 50; found {len(total.stimuli)}"
        )
    if folds < 2:
        raise UsageError(f"folds must be at least 2, not {folds}: some images must be left out to see what is gained")
    if exposure_s is not None and not 0.5 <= exposure_s <= 60:
        raise UsageError(f"an exposure of {exposure_s:g} s cannot be: say for how many seconds an image was looked at")
    predicted = {
        stimulus.name: predictor.predict(read_frame(stimulus.path, predictor.view))[0]
        for stimulus in progress(list(total.stimuli))
    }
    names = [stimulus.name for stimulus in total.stimuli]
    order = np.random.default_rng(_SEED).permutation(len(names)) % folds
    groups = CrossValidationFolds({name: int(k) for name, k in zip(names, order, strict=True)}, folds)
    fits = _fits(fixations, folder, total, predicted, groups)
    chosen = {fit.window: adjustment for fit, adjustment in fits}
    calibration = Calibration(
        model=predictor.name,
        model_sha256=predictor.sha256 or "",
        source=total.folder.resolve().name,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        mediaan=__version__,
        pictures=len(total.stimuli),
        viewers=int(fixations.table["viewer"].nunique()),
        fixations=len(fixations.table),
        total=chosen["total"],
        start=chosen.get("start"),
        end=chosen.get("end"),
        evidence=tuple(evidence for fit, _ in fits for evidence in _evidence(fit, predicted)),
    )
    return _with_pace(calibration, fixations, predicted, groups, exposure_s)


def _fits(
    fixations: FixationTable,
    folder: Path,
    total: GazeSet,
    predicted: Mapping[str, Densities],
    groups: CrossValidationFolds,
) -> list[tuple[WindowFit, Adjustment]]:
    """Fit each window that the data and the model have; return the fits with the adjustments that are taken."""
    overall = _fit(total, predicted, groups, anchors=(NO_CHANGE,) * groups.number)
    kept = is_better(overall.gains())
    base = overall.likely.best(np.arange(len(overall.stimuli))) if kept else NO_CHANGE
    points = overall.points if kept else (NO_CHANGE,) * groups.number
    fits = [(overall, overall.likely.estimate() if kept else Adjustment())]
    timed = "onset_s" in fixations.table and not fixations.table["onset_s"].isna().any()
    further: list[Window] = ["start", "end"] if timed and has_end_window(fixations) else ["start"] if timed else []
    for window in further:
        if any(window not in densities.maps for densities in predicted.values()):
            continue
        fit = _fit(gaze_set_from_fixations(fixations, folder, window=window), predicted, groups, anchors=points)
        if is_better(fit.gains(points)):
            fits.append((fit, fit.likely.estimate(base)))
    return fits


def _fit(
    gazed: GazeSet, predicted: Mapping[str, Densities], groups: CrossValidationFolds, *, anchors: tuple[GridPoint, ...]
) -> WindowFit:
    """Fit a window with each group held out, each fit from its own anchor."""
    rows = [
        adjustment_likelihoods(predicted[stimulus.name][gazed.window], stimulus.gaze.x, stimulus.gaze.y)
        for stimulus in gazed.stimuli
        if stimulus.gaze is not None
    ]
    likely = AdjustmentLikelihoods(np.stack(rows))
    group = groups.rows(stimulus.name for stimulus in gazed.stimuli)
    points = tuple(likely.best(np.flatnonzero(group != k), anchors[k]) for k in range(groups.number))
    return WindowFit(gazed.window, gazed.stimuli, likely, group, points)


def is_better(gains: Float64) -> bool:
    """Return True if the 95 % interval of a mean gain lies above 0."""
    interval = bootstrap_interval(gains)
    return interval is not None and interval[0] > 0


def _evidence(fit: WindowFit, predicted: Mapping[str, Densities]) -> list[CalibrationEvidence]:
    """Return the metrics of held-out images before and after, also of a rejected fit."""
    bias = centre_bias(fit.stimuli)
    before, after = [], []
    for stimulus, group in zip(fit.stimuli, fit.group, strict=True):
        density = predicted[stimulus.name][fit.window]
        held_out = fit.points[group].adjustment
        before.append(_compare(density, stimulus, bias))
        after.append(_compare(adjust_density(density, held_out), stimulus, bias))
    return [
        _make_evidence(fit.window, metric, *(np.array([scores[metric] for scores in side]) for side in (before, after)))
        for metric in before[0]
    ]


def _compare(density: Float32, stimulus: Stimulus, bias: CentreBias) -> dict[str, float]:
    prediction, truth, cells = resize_density(density, stimulus.shape), stimulus.truth(), stimulus.cells
    scores = {
        "information_gain": information_gain(prediction, bias.without(truth), cells),
        "nss": nss(prediction, cells),
        "cc": cc(prediction, truth),
        "kld": kld(prediction, truth),
    }
    return {name: float(value) for name, value in scores.items() if value is not None}


def _make_evidence(window: Window, metric: str, before: Float64, after: Float64) -> CalibrationEvidence:
    lo, hi = bootstrap_interval(after - before) or (0.0, 0.0)
    numbers = (float(before.mean()), float(after.mean()), float((after - before).mean()), lo, hi)
    return CalibrationEvidence(window, metric, *(round(number, 4) + 0.0 for number in numbers))


def _with_pace(
    calibration: Calibration,
    fixations: FixationTable,
    predicted: Mapping[str, Densities],
    groups: CrossValidationFolds,
    exposure_s: float | None,
) -> Calibration:
    """Add rate and share of gaze to a calibration, as far as times are known."""
    table = fixations.table
    if "onset_s" not in table or table["onset_s"].isna().any():
        return calibration
    seconds = exposure_s or estimated_exposure(table)
    model = built_in_hazard_model()
    calibrated = {name: calibrate_densities(densities, calibration) for name, densities in predicted.items()}
    before = pace_likelihoods(predicted, table, seconds, model).at(UNCHANGED_PACE)
    likely = pace_likelihoods(calibrated, table, seconds, model)
    held_out = likely.held_out(groups.rows(calibrated))
    helps = is_better(held_out - likely.at(UNCHANGED_PACE))
    after = held_out if helps else likely.at(UNCHANGED_PACE)
    gaze, interval = gaze_share(table, seconds, model.latency_s) or (None, None)
    pace = replace(likely.estimate() if helps else Pace(), gaze=gaze, gaze_interval=interval)
    return replace(
        calibration, pace=pace, evidence=(*calibration.evidence, _make_evidence("total", "seen", before, after))
    )
