"""Fit an attention model to one's own viewers, and cross-validate the fit by image.

Likelihoods are computed on a grid, which has no local optimum to be caught in, no start and no tolerance; and holding
images out, or resampling them, costs a mean over rows: of gaze under every adjustment of densities, and of who sees
what under every pace, the rate and agreement of fixations.

A fixation counts neither as a point, as information gain has it, nor as the Gaussian of KLD and CC, but as one of half
that variance: its maximum gains in all of them, where either alone is bought at the cost of the other
(`docs/calibration.md` has figures).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt
import pandas as pd

from mediaan import __version__
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel, built_in_hazard_model
from mediaan.errors import UsageError
from mediaan.evaluation.bootstrap import bootstrap_interval
from mediaan.evaluation.datasets.image_set import FixationTable, gaze_set_from_fixations, has_end_window
from mediaan.evaluation.datasets.stimulus import GazeSet, Stimulus, read_frame
from mediaan.evaluation.saliency.metrics import CentreBias, cc, centre_bias, information_gain, kld, nss
from mediaan.saliency.density import SIGMA, blur, centre_prior, fixation_cells, normalise, resize_density
from mediaan.saliency.predictor import AttentionPredictor, adjust_density, calibrate_densities
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import Densities, Window
from mediaan.types.eye_tracking import Adjustment, Calibration, CalibrationEvidence, Interval, Pace

SHARPNESS: Float64 = np.round(2.0 ** (np.arange(-18, 19) / 12), 3)
"""Powers tried: 0.354 to 2.828 in steps of 6 %."""

SPREAD: Float64 = np.array([0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.13, 0.16])
"""Blurs tried, as a share of the long side; .025 is about a degree of visual angle in the usual set-ups."""

CENTRE: Float64 = np.round(np.concatenate([[0, 0.02], np.arange(0.05, 0.61, 0.05), [0.7, 0.8, 0.9]]), 2)
"""Shares of the centre prior tried."""

SCALES = (1.0, 0.05, 0.3)
"""Changes that are equally unlikely a priori: a doubling of the power, a blur by two degrees, three tenths of the gaze
in the centre."""

PENALTY = 0.1
"""Cost of a change by one of `SCALES`, bits per fixation times images. With 50 images it is 0.002 bits, and moves
nothing that matters; with five it keeps the fit near no change."""

LEVEL = 0.9
RESAMPLES = 1000
SEED = 20240229

KERNEL = SIGMA / 2**0.5
"""Standard deviation of a fixation, as a share of the long side."""

_FLOOR = 2.2204e-16  # as in information gain
_MAX_PLACES = 30_000  # OpenCV takes fewer than 32,767 in one go


class GridPoint(NamedTuple):
    """A point of the grid: indices into `SHARPNESS`, `SPREAD` and `CENTRE`."""

    sharpness: int
    spread: int
    centre: int

    @property
    def values(self) -> tuple[float, float, float]:
        """Power, blur, share of the centre prior."""
        return float(SHARPNESS[self.sharpness]), float(SPREAD[self.spread]), float(CENTRE[self.centre])

    @property
    def adjustment(self) -> Adjustment:
        """Adjustment at this point, without intervals."""
        sharpness, spread, centre = self.values
        return Adjustment(sharpness=sharpness, spread=spread, centre=centre)


NO_CHANGE = GridPoint(int(np.flatnonzero(SHARPNESS == 1.0)[0]), 0, 0)


@dataclass(frozen=True, slots=True)
class AdjustmentLikelihoods:
    """Mean log-likelihood of a fixation, for each image and adjustment."""

    bits: Float64
    """(images, sharpness, spread, centre) float64. Differences between adjustments are information gains."""

    def best(self, rows: npt.NDArray[np.int64], anchor: GridPoint = NO_CHANGE) -> GridPoint:
        """Return the adjustment of maximum likelihood on some images, which may repeat.

        Distance from `anchor` costs `PENALTY`.
        """
        counts = np.bincount(rows, minlength=len(self.bits)) / len(rows)
        steps = (
            np.log2(SHARPNESS / SHARPNESS[anchor.sharpness]),
            SPREAD - SPREAD[anchor.spread],
            CENTRE - CENTRE[anchor.centre],
        )
        a, b, c = (np.square(step / scale) for step, scale in zip(steps, SCALES, strict=True))
        distance = a[:, None, None] + b[None, :, None] + c[None, None, :]
        mean = np.tensordot(counts, self.bits, axes=1) - PENALTY / len(rows) * distance
        return GridPoint(*(int(i) for i in np.unravel_index(int(mean.argmax()), mean.shape)))

    def at(self, point: GridPoint) -> Float64:
        """Return the bits of each image, (images,) float64."""
        return np.asarray(self.bits[:, point.sharpness, point.spread, point.centre], np.float64)

    def estimate(self, anchor: GridPoint = NO_CHANGE) -> Adjustment:
        """Return the best adjustment, each number with its 90 % bootstrap interval over images."""
        n = len(self.bits)
        draws = np.random.default_rng(SEED).integers(n, size=(RESAMPLES, n))
        drawn = np.array([self.best(rows, anchor).values for rows in draws])
        low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0).round(4)
        intervals: list[Interval] = [(float(a), float(b)) for a, b in zip(low, high, strict=True)]
        sharpness, spread, centre = self.best(np.arange(n), anchor).values
        return Adjustment(sharpness, intervals[0], spread, intervals[1], centre, intervals[2])


def adjustment_likelihoods(density: Float32, x: Float64, y: Float64, kernel: float = KERNEL) -> Float64:
    """Return the mean log-likelihood of the fixations on one image under each adjustment.

    `density` (h, w) float32: predicted; sums to 1.
    `x`, `y` (n,) float64: fixations in unit coordinates, at least one.
    `kernel`: standard deviation of the Gaussian of a fixation, as a share of the long side.
    Returns (sharpness, spread, centre) float64: bits.
    """
    shape = rows, columns = (density.shape[0], density.shape[1])
    # four places around each fixation have the mean and the variance of its Gaussian
    reach = kernel * 2**0.5 * max(shape)
    across = np.concatenate([x * columns + step for step in (-reach, reach, 0, 0)]) - 0.5
    down = np.concatenate([y * rows + step for step in (0, 0, -reach, reach)]) - 0.5
    places = (across.astype(np.float32), down.astype(np.float32))
    prior = _interpolate(centre_prior(shape), *places)
    share = CENTRE[:, None]
    bits = np.empty((len(SHARPNESS), len(SPREAD), len(CENTRE)))
    for i, sharpness in enumerate(SHARPNESS):
        sharp = adjust_density(density, Adjustment(sharpness=float(sharpness)))
        for j, spread in enumerate(SPREAD):
            spreaded = _interpolate(normalise(blur(sharp, float(spread))) if spread else sharp, *places)
            bits[i, j] = np.log2(_FLOOR + (1 - share) * spreaded + share * prior).mean(axis=1)
    return bits


def _interpolate(density: Float32, across: Float32, down: Float32) -> Float64:
    """Interpolate a density between the centres of its cells; beyond its edges it is reflected."""
    parts = [
        cv2.remap(density, x[:, None], y[:, None], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)[:, 0]
        for x, y in zip(
            *(np.split(values, range(_MAX_PLACES, len(values), _MAX_PLACES)) for values in (across, down)), strict=True
        )
    ]
    return np.concatenate(parts).astype(np.float64)


RATES: Float64 = np.round(2.0 ** (np.arange(-24, 25) / 12), 3)
"""Factors of the rate tried: 1/4 to 4 in steps of 6 %."""

AGREEMENTS: Float64 = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.4, 1.6])
"""Factors of the power tried."""

TILES = (2, 3, 4, 6)
"""Grids of tiles on which viewers are counted, tiles per side: boxes of several sizes everywhere."""

MIN_EXPOSURE_S = 0.5

_MIN_SHARE = 1e-6  # predicted shares of viewers are kept within this and 1 minus this


class PaceGridPoint(NamedTuple):
    """A point of the grid: indices into `AGREEMENTS` and `RATES`."""

    agreement: int
    rate: int

    @property
    def values(self) -> tuple[float, float]:
        """Factors of the power and of the rate."""
        return float(AGREEMENTS[self.agreement]), float(RATES[self.rate])


UNCHANGED_PACE = PaceGridPoint(int(np.flatnonzero(AGREEMENTS == 1.0)[0]), int(np.flatnonzero(RATES == 1.0)[0]))


@dataclass(frozen=True, slots=True)
class PaceLikelihoods:
    """Log-likelihood that so many viewers see each tile, for each image and point of the grid."""

    bits: Float64
    """(images, agreements, rates) float64. Per viewer and tile."""

    def best(self, rows: npt.NDArray[np.int64]) -> PaceGridPoint:
        """Return the factors of maximum likelihood on some images, which may repeat."""
        changes = np.square(np.log2(AGREEMENTS))[:, None] + np.square(np.log2(RATES))
        mean = self.bits[rows].mean(axis=0, dtype=np.float64) - PENALTY / len(rows) * changes
        return PaceGridPoint(*(int(i) for i in np.unravel_index(int(mean.argmax()), mean.shape)))

    def at(self, place: PaceGridPoint) -> Float64:
        """Return the bits of each image, (images,) float64."""
        return np.asarray(self.bits[:, place.agreement, place.rate], np.float64)

    def held_out(self, group: npt.NDArray[np.int64]) -> Float64:
        """Return the bits of each image under the fit without its group, (images,) float64."""
        fitted = [self.at(self.best(np.flatnonzero(group != k))) for k in range(int(group.max()) + 1)]
        return np.asarray(np.stack(fitted)[group, np.arange(len(group))], np.float64)

    def estimate(self) -> Pace:
        """Return the best factors, with their 90 % bootstrap intervals over images."""
        n = len(self.bits)
        draws = np.random.default_rng(SEED).integers(n, size=(RESAMPLES, n))
        drawn = np.array([self.best(rows).values for rows in draws])
        (low, least), (high, most) = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0).round(4)
        agreement, rate = self.best(np.arange(n)).values
        return Pace(rate, (float(least), float(most)), agreement, (float(low), float(high)))


def pace_likelihoods(
    densities: Mapping[str, Densities], fixations: pd.DataFrame, exposure_s: float, model: FixationHazardModel
) -> PaceLikelihoods:
    """Return the likelihoods of the tiles that viewers saw on each image.

    `densities`: by name of the image; calibrated.
    `fixations`: image, viewer, x, y, onset_s.
    `exposure_s`: viewing time of the images, s.
    """
    groups = dict(iter(fixations.groupby("image")))
    rows = []
    for name, predicted in densities.items():
        seen = _share_seen(groups[name], exposure_s)
        bits = []
        for agreement in AGREEMENTS:
            hazard = _hazards(predicted, exposure_s, replace(model, sharpness=model.sharpness * float(agreement)))
            share = np.clip(model.share_seen(RATES[:, None] * hazard), _MIN_SHARE, 1 - _MIN_SHARE)
            bits.append((seen * np.log2(share) + (1 - seen) * np.log2(1 - share)).mean(axis=1))
        rows.append(np.stack(bits))
    return PaceLikelihoods(np.stack(rows))


def gaze_share(fixations: pd.DataFrame, exposure_s: float, latency_s: float) -> tuple[float, Interval | None] | None:
    """Return the share of the time after the latency that viewers fixate the image, and its interval.

    Return None where durations or onsets are unknown.
    """
    if not {"onset_s", "duration_s"} <= set(fixations) or fixations[["onset_s", "duration_s"]].isna().any(axis=None):
        return None
    onset = fixations["onset_s"].to_numpy(np.float64)
    ends = np.minimum(onset + fixations["duration_s"].to_numpy(np.float64), exposure_s)
    spent = np.clip(ends - np.maximum(onset, latency_s), 0, None)
    seconds = pd.Series(spent, fixations.index).groupby(fixations["image"]).sum()
    viewers = fixations.groupby("image")["viewer"].nunique()
    shares = (seconds / viewers / (exposure_s - latency_s)).clip(0.01, 1.0)
    low, high = bootstrap_interval(shares, level=LEVEL) or (None, None)
    interval = None if low is None or high is None else (round(low, 3), round(high, 3))
    return round(float(shares.mean()), 3), interval


def estimated_exposure(fixations: pd.DataFrame) -> float:
    """Estimate the viewing time, s: by then, nearly all last fixations had ended, or begun."""
    ends = fixations["onset_s"] + (fixations["duration_s"].fillna(0.0) if "duration_s" in fixations else 0.0)
    last = ends.groupby([fixations["image"], fixations["viewer"]]).max()
    return max(MIN_EXPOSURE_S, round(float(last.quantile(0.95)), 1))


def _hazards(densities: Densities, exposure_s: float, model: FixationHazardModel) -> Float64:
    """Return the cumulative hazard of each tile by the end of the exposure, (tiles,)."""
    total = np.zeros(sum(n * n for n in TILES))
    spans, maps = model.period_spans(exposure_s), model.period_densities(densities)
    for (t0_s, t1_s), density in zip(spans, maps, strict=False):
        shares = np.concatenate([resize_density(density, (n, n)).ravel() for n in TILES])
        total += model.hazard(shares, t0_s, t1_s)
    return total


def _share_seen(fixations: pd.DataFrame, exposure_s: float) -> Float64:
    """Return the share of the viewers of an image who fixate each tile in time, (tiles,)."""
    viewer = np.unique(fixations["viewer"], return_inverse=True)[1]
    early = (fixations["onset_s"] < exposure_s).to_numpy()
    x, y = (fixations[axis].to_numpy(np.float64)[early] for axis in ("x", "y"))
    shares = []
    for n in TILES:
        seen = np.zeros((int(viewer.max()) + 1, n * n))
        seen[viewer[early], fixation_cells(x, y, (n, n))] = 1
        shares.append(seen.mean(axis=0))
    return np.concatenate(shares)


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
    order = np.random.default_rng(SEED).permutation(len(names)) % folds
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
    total: GazeSet[Stimulus],
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
    gazed: GazeSet[Stimulus],
    predicted: Mapping[str, Densities],
    groups: CrossValidationFolds,
    *,
    anchors: tuple[GridPoint, ...],
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
