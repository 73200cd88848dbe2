"""Fit `mediaan.aoi.scoring.fixation_hazard` to what viewers did: regions, likelihood, intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from hazard_truth import EXPOSURES_S, Looked
from scipy.optimize import minimize

from mediaan.aoi.scoring.fixation_hazard import (
    TRAINED_EXPOSURE_S,
    WINDOW_S,
    FixationHazardModel,
    PredictionBand,
    apply_center_bias,
    sharpen_density,
)
from mediaan.saliency.density import fixation_density
from mediaan.types.aoi import Box
from mediaan.types.densities import WINDOWS, Densities

SHARPNESS = np.arange(0.8, 2.01, 0.1)
CENTRE_SD = np.array([0.14, 0.17, 0.2, 0.23, 0.27, 0.32, 0.4, 0.6])
NO_BAND = PredictionBand((0.0, 1.0), (0.0, 1.0), (0.0, 1.0))
FIRST_GUESS = FixationHazardModel(4.0, 0.19, 0.8, 0.65, 1.4, 1.4, 0.6, 0.23, 0.76, NO_BAND, NO_BAND, NO_BAND, NO_BAND)
KNOTS = np.array([0.0, 0.005, 0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0])
FEWEST = 60  # rows that a quantile rests on
LEFT_OUT = 0.05


class Shares:
    """Shares of a density in regions, for any sharpness and any window around the middle.

    Tables hold them at the values above: (sharpness, region, 3) for start, total and end, and (sharpness, sd, region)
    for the start seen through the window; in between they are interpolated.
    """

    def __init__(self, pictures: Iterable[tuple[Densities, Sequence[Box]]]) -> None:
        parts = [self._tables(densities, boxes) for densities, boxes in pictures]
        self.windows = np.concatenate([windows for windows, _, _ in parts], axis=1)
        self.settling = np.concatenate([settling for _, settling, _ in parts], axis=2)
        self.raw = np.concatenate([raw for _, _, raw in parts])  # in the order of WINDOWS

    def at(self, sharpness: float, centre_sd: float, rows: np.ndarray) -> np.ndarray:
        """Shares while gaze settles, in the rest of start, in total and in end; (rows, 4)."""
        i, di = _between(sharpness, SHARPNESS)
        j, dj = _between(centre_sd, CENTRE_SD)
        # of all regions, each of which has several rows: far less than for the rows one by one
        windows = (1 - di) * self.windows[i] + di * self.windows[i + 1]
        near = (1 - dj) * self.settling[i, j] + dj * self.settling[i, j + 1]
        far = (1 - dj) * self.settling[i + 1, j] + dj * self.settling[i + 1, j + 1]
        return np.column_stack([(1 - di) * near + di * far, windows])[rows]

    @staticmethod
    def _tables(densities: Densities, boxes: Sequence[Box]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        shape = densities["total"].shape
        rows, columns = (overlaps(boxes, axis, cells) for axis, cells in ((1, shape[0]), (0, shape[1])))

        def share(density: np.ndarray) -> np.ndarray:
            return ((rows @ density.astype(np.float64)) * columns).sum(1)

        windows, settling = [], []
        for sharpness in SHARPNESS:
            start, total, end = (sharpen_density(densities[w], float(sharpness)) for w in ("start", "total", "end"))
            windows.append(np.column_stack([share(start), share(total), share(end)]))
            settling.append([share(apply_center_bias(start, float(sd))) for sd in CENTRE_SD])
        return np.array(windows), np.array(settling), np.column_stack([share(densities[w]) for w in WINDOWS])


def _between(value: float, grid: np.ndarray) -> tuple[int, float]:
    at = float(np.interp(value, grid, np.arange(len(grid))))
    i = min(int(at), len(grid) - 2)
    return i, at - i


def overlaps(boxes: Sequence[Box], axis: int, cells: int) -> np.ndarray:
    """Share of each row or column in each box, (n, cells); as in `mediaan.aoi.region`."""
    sides = np.array(boxes)[:, [axis, axis + 2]] * cells
    edges = np.arange(cells + 1)
    return np.maximum(0, np.minimum(sides[:, 1:], edges[1:]) - np.maximum(sides[:, :1], edges[:-1]))


def regions_table(pictures: Sequence[tuple[Looked, Sequence[tuple[str, Box]]]]) -> pd.DataFrame:
    """One row for each region and exposure that the viewers had; `region` numbers rows of `Shares`.

    Where exposure and viewers are not known a region has one row, whose share of the fixations is all that it tells.
    """
    parts, begin = [], 0
    for picture, regions in pictures:
        boxes = np.array([box for _, box in regions])
        inside = picture.inside(boxes)
        half = np.random.default_rng(begin).permutation(picture.viewers) < picture.viewers // 2
        end = picture.seen(inside, picture.onset_s >= TRAINED_EXPOSURE_S - WINDOW_S).mean(1)
        timed = np.isfinite(picture.viewing_s)
        for exposure in [t for t in EXPOSURES_S if t <= picture.viewing_s] if timed else [picture.viewing_s]:
            seen = picture.seen(inside, picture.onset_s < exposure)
            parts.append(
                pd.DataFrame(
                    {
                        "set": picture.set,
                        "picture": f"{picture.set}/{picture.name}",
                        "region": begin + np.arange(len(regions)),
                        "kind": [kind for kind, _ in regions],
                        "area": [box.area for _, box in regions],
                        "exposure": exposure,
                        "full": exposure == picture.viewing_s or not timed,
                        "viewers": picture.viewers,
                        "seen": seen.mean(1),
                        "seen_half": seen[:, half].mean(1) if timed else np.nan,
                        "seen_other": seen[:, ~half].mean(1) if timed else np.nan,
                        "seen_given": picture.seen(inside, picture.given_s < exposure).mean(1),
                        "gaze_s": picture.gaze_s(inside, exposure),
                        "fixations": inside.sum(1) / inside.shape[1],
                        "seen_end": end if exposure == TRAINED_EXPOSURE_S else np.nan,
                        "first_s": picture.first_s(inside) if exposure == picture.viewing_s else np.nan,
                        "mean_n": (picture.onset_s < exposure).sum() / picture.viewers,
                    }
                )
            )
        begin += len(regions)
    table = pd.concat(parts, ignore_index=True)
    # each kind counts the same, however many of it there are
    return table.assign(weight=len(table) / table.kind.nunique() / table.groupby("kind").seen.transform("size"))


def human_densities(picture: Looked, viewers: np.ndarray | None = None) -> Densities:
    """Density of people's own fixations by window, of all viewers or of some."""
    chosen = np.ones(len(picture.x), bool) if viewers is None else np.isin(picture.viewer, viewers)
    late = picture.onset_s >= TRAINED_EXPOSURE_S - WINDOW_S
    parts = {"start": picture.onset_s < WINDOW_S, "end": late if late.any() else late | True, "total": late | True}
    return Densities(
        {
            name: fixation_density(picture.x[chosen & part], picture.y[chosen & part], picture.densities["total"].shape)
            for name, part in parts.items()
        }
    )


class Fit:
    """A table, its shares, and the model that suits them best."""

    def __init__(self, table: pd.DataFrame, shares: Shares) -> None:
        self.table, self.shares = table, shares

    def hazard(self, model: FixationHazardModel, table: pd.DataFrame) -> np.ndarray:
        return sum(model.hazard(share, t0, t1) for share, t0, t1 in self._periods(model, table))

    def seen(self, model: FixationHazardModel, table: pd.DataFrame | None = None) -> np.ndarray:
        return model.share_seen(self.hazard(model, self.table if table is None else table))

    def seen_end(self, model: FixationHazardModel, table: pd.DataFrame) -> np.ndarray:
        """The same of the last two of five seconds."""
        share = self.shares.at(model.sharpness, model.centre_sd, table.region.to_numpy())[:, 3]
        return model.share_seen(model.hazard(share, TRAINED_EXPOSURE_S - WINDOW_S, TRAINED_EXPOSURE_S))

    def gaze(self, model: FixationHazardModel, table: pd.DataFrame) -> np.ndarray:
        """Share of the exposure that goes to each region, before it is held under the share of viewers."""
        seconds = sum(share * model.time_for_gaze(t0, t1) for share, t0, t1 in self._periods(model, table))
        return model.gaze * seconds / table.exposure.to_numpy()

    def spent(self, model: FixationHazardModel, table: pd.DataFrame) -> np.ndarray:
        return np.minimum(self.gaze(model, table), self.seen(model, table))

    def _periods(
        self, model: FixationHazardModel, table: pd.DataFrame
    ) -> Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        shares = self.shares.at(model.sharpness, model.centre_sd, table.region.to_numpy())
        until = table.exposure.to_numpy()
        edges = (0.0, model.center_bias_duration_s, WINDOW_S, TRAINED_EXPOSURE_S - WINDOW_S, TRAINED_EXPOSURE_S)
        for share, t0, t1 in zip(shares.T, edges[:-1], edges[1:], strict=True):
            yield share, np.minimum(t0, until), np.minimum(t1, until)

    def fit(
        self, table: pd.DataFrame, begin: FixationHazardModel = FIRST_GUESS, target: str = "seen"
    ) -> FixationHazardModel:
        """Largest likelihood of how many viewers saw each region, then least squares of the time they spent.

        Viewers who look at a region again in the window end count as well, in images where that is known.
        """
        names = ("rate", "latency_s", "late_pace", "frailty", "sharpness", "center_bias_duration_s", "centre_sd")
        late = table[table.seen_end.notna()]
        seen = np.concatenate([table[target], late.seen_end])
        weight = np.concatenate([table.weight * table.viewers, late.weight * late.viewers])

        def loss(logs: np.ndarray) -> float:
            model = replace(begin, **dict(zip(names, np.exp(logs), strict=True)))
            if not (0.25 <= model.center_bias_duration_s <= 1.9 and SHARPNESS[0] <= model.sharpness <= SHARPNESS[-1]):
                return np.inf
            p = np.clip(np.concatenate([self.seen(model, table), self.seen_end(model, late)]), 1e-6, 1 - 1e-6)
            return -float(np.sum(weight * (seen * np.log(p) + (1 - seen) * np.log(1 - p))) / weight.sum())

        start = np.log([getattr(begin, name) for name in names])
        best = minimize(loss, start, method="Nelder-Mead", options={"xatol": 2e-3, "fatol": 1e-6, "maxiter": 600})
        model = replace(begin, **{n: float(f"{v:.3g}") for n, v in zip(names, np.exp(best.x), strict=True)})
        share = self.gaze(replace(model, gaze=1.0), table) * table.exposure
        gaze = float((table.weight * share * table.gaze_s).sum() / (table.weight * share * share).sum())
        return replace(model, gaze=float(f"{gaze:.3g}"))


def folds(table: pd.DataFrame, number: int = 5) -> np.ndarray:
    """Fold of each row, by picture, in an order drawn once."""
    pictures = np.unique(table.picture)
    order = np.random.default_rng(4).permutation(len(pictures)) % number
    return order[np.searchsorted(pictures, table.picture)]


def fit_band(predicted: np.ndarray, truth: np.ndarray, weight: np.ndarray) -> PredictionBand:
    """Where 90 % of the truths lie around each of `KNOTS`, 5 % left out on either side.

    Where more than 5 % of the truths are 0, nothing can be left out below, and 10 % are above.
    """
    low, high, at = [], [], []
    for left, knot, right in zip([0.0, *KNOTS[:-1]], KNOTS, [*KNOTS[1:], 1.0], strict=True):
        near = (predicted >= (left + knot) / 2) & (predicted <= (knot + right) / 2)
        if near.sum() < FEWEST:
            continue
        (below,) = weighted_quantiles(truth[near], weight[near], [LEFT_OUT])
        lost = np.average(truth[near] < below - 1e-9, weights=weight[near])
        (above,) = weighted_quantiles(truth[near], weight[near], [min(1.0, lost + 1 - 2 * LEFT_OUT)])
        at.append(float(knot))
        low.append(round(min(float(knot), below), 4))
        high.append(round(max(float(knot), above), 4))
    return PredictionBand(
        tuple(at), tuple(np.maximum.accumulate(low).tolist()), tuple(np.maximum.accumulate(high).tolist())
    )


def widened(band: PredictionBand, factor: float) -> PredictionBand:
    """A band with half-widths multiplied."""
    low = tuple(max(0.0, round(at - factor * (at - low), 4)) for at, low in zip(band.at, band.low, strict=True))
    high = tuple(min(1.0, round(at + factor * (high - at), 4)) for at, high in zip(band.at, band.high, strict=True))
    return PredictionBand(band.at, low, high)


def limits(band: PredictionBand, predicted: np.ndarray) -> np.ndarray:
    """`PredictionBand.bounds` of predictions, (2, n)."""
    return np.array([band.bounds(float(value)) for value in predicted]).T


def weighted_quantiles(values: np.ndarray, weight: np.ndarray, shares: Sequence[float]) -> list[float]:
    order = np.argsort(values)
    at = np.cumsum(weight[order]) - weight[order] / 2
    return [float(q) for q in np.interp(np.asarray(shares) * weight.sum(), at, values[order])]
