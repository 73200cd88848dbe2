"""Simulate the order in which viewers look at places of an image: a Markov model of saccades on the density.

The next fixation lands in a cell with odds that multiply: the attention that the cell draws, a kernel of saccade length
and direction from the present fixation (Boccignone & Ferraro 2004, Physica A 331; Le Meur & Liu 2015, Vision Research
116), and the history: places near earlier fixations are avoided, the places themselves are returned to (inhibition and
facilitation of return; Engbert et al. 2015, Journal of Vision 15(1); Smith & Henderson 2011, Journal of Vision 11(8)).
Kernel and history are a conditional logit model (McFadden 1974) fitted to people's fixations.

What the cells draw is not free: at every step it is solved such that all viewers together fixate by the density
(Sinkhorn & Knopp 1967, Pacific Journal of Mathematics 21). So paths never contradict the heatmap, and only order and
company of fixations are the model's. `models/training/scanpath.py` fits the numbers; `docs/order_of_looks.md` says how
well they agree with people.

Scanpaths are compared by ScanMatch (Cristino, Mathôt, Theeuwes & Gilchrist 2010, Behavior Research Methods 42): each
becomes a sequence of places; two sequences are aligned with the smallest loss (Needleman & Wunsch 1970), where putting
two places against each other counts by their distance.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from mediaan.errors import SetupError, UsageError
from mediaan.saliency.density import PRIOR_CENTRE, GridShape
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import Densities
from mediaan.types.scanpath import Scanpaths

LONG_SIDE = 24
"""Cells along the longer side of the grid on which saccades are drawn; within a cell the density itself decides."""

N_VIEWERS = 100

NARROW, WIDE = 0.05, 0.15
"""Standard deviations of the places that history favours and avoids, share of the long side."""

START_S, END_S = 2.0, 3.0
"""Until when fixations go by the window start, and from when by the window end, s."""

ANYWHERE = 0.2
"""Share of first fixations that keep to the density, not to the middle."""

_SECTORS = 16  # directions of the saccade before, so that its effect is a table
_TURNED = 0.03  # shorter saccades, share of the long side, have no direction
_SINKHORN_STEPS = 4  # each begins where the fixation before ended
_MIN_DURATION_S = 0.05

Cells = npt.NDArray[np.int64]
Displacement = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class ScanpathModel:
    """Fitted constants of the scanpath model. Lengths are shares of the image's long side."""

    knots: tuple[float, ...]
    length: tuple[float, ...]
    """Log odds of a saccade by its length, linear between knots; 0 at length 0."""
    horizontal: float
    horizontal_far: float
    cardinal: float
    """Weights of cos 2a, of cos 2a for lengths from .15 to .45, and of cos 4a, where a is the direction of the saccade:
    people move their eyes rather sideways, and along the axes. Left and right, up and down are alike."""
    onward: float
    """Weight of the cosine of the angle between a saccade and the one before."""
    back: tuple[float, float]
    earlier: tuple[float, float]
    """Log odds at the place of the fixation before the present one, and of those before it: narrow (facilitation) and
    wide (inhibition) Gaussian."""
    sharpness: tuple[float, ...]
    """Power of the density by index of the fixation, the last for all later ones: early fixations are more alike among
    viewers. That of later ones undoes the blur of the density, so that a heatmap of the fixations is the heatmap."""
    centre_sd: float
    """Width of the window around the middle for the first fixation, share of each side."""
    latency_s: float
    latency_log_sd: float
    """Median time of the first fixation, s, and standard deviation of its logarithm."""
    duration_log_mean: tuple[float, ...]
    """Mean log duration, log s, by index; the last holds for all later ones."""
    duration_log_sd: float
    gap_s: float
    """Between fixations, s."""

    @property
    def pace_s(self) -> float:
        """Mean time from a fixation to the next, s."""
        return math.exp(self.duration_log_mean[-1] + self.duration_log_sd**2 / 2) + self.gap_s


@cache
def built_in_scanpath_model() -> ScanpathModel:
    """Return the model that ships with the package.

    Raises SetupError: its file is missing or damaged.
    """
    path = files("mediaan.saliency").joinpath("scanpath.json")
    try:
        return scanpath_model_from_dict(json.loads(path.read_text(encoding="utf-8"))["constants"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupError(f"{path} cannot be read ({error!r}); reinstall mediaan.") from error


def scanpath_model_from_dict(constants: Mapping[str, Any]) -> ScanpathModel:
    """Read the model from the constants in its JSON file."""
    plain: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in constants.items()}
    return ScanpathModel(**plain)


@dataclass(frozen=True, slots=True)
class Grid:
    """Coarse cells over the cells of a density."""

    fine: GridShape
    """Rows and columns of the density."""
    shape: GridShape
    """Rows and columns of the coarse grid; each coarse cell is a block of whole fine ones."""

    @classmethod
    def over(cls, fine: GridShape, long_side: int = LONG_SIDE) -> Grid:
        """Return the grid with so many cells along the longer side of a density."""
        longest = max(fine)
        rows, columns = (max(1, min(n, round(n * long_side / longest))) for n in fine)
        return cls(fine, (rows, columns))

    @property
    def cell(self) -> tuple[float, float]:
        """Height and width of a coarse cell, share of the long side."""
        return tuple(n / max(self.fine) / m for n, m in zip(self.fine, self.shape, strict=True))  # type: ignore[return-value]

    def edges(self, axis: int) -> Cells:
        """Return the first fine row or column of each coarse one, and the end, (m + 1,) int64."""
        n, m = self.fine[axis], self.shape[axis]
        return np.asarray(-(-np.arange(m + 1) * n // m), np.int64)

    def sums(self, density: Float32) -> Float64:
        """Add a density up by coarse cell, (r, c) float64."""
        rows = np.add.reduceat(density.astype(np.float64), self.edges(0)[:-1], axis=0)
        return np.asarray(np.add.reduceat(rows, self.edges(1)[:-1], axis=1), np.float64)

    def cells(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Cells:
        """Return the row-major coarse cell of each point in unit coordinates, int64."""
        (h, w), (r, c) = self.fine, self.shape
        rows = np.floor(np.asarray(y, np.float64) * h).astype(np.int64) * r // h
        columns = np.floor(np.asarray(x, np.float64) * w).astype(np.int64) * c // w
        return rows * c + columns


class SaccadeKernel:
    """Odds of saccades and history on a grid, as tables of displacements."""

    def __init__(self, model: ScanpathModel, grid: Grid) -> None:
        self.grid = grid
        rows, columns = grid.shape
        height, width = grid.cell
        down, across = np.arange(1 - rows, rows)[:, None] * height, np.arange(1 - columns, columns)[None] * width
        features = saccade_features(model.knots, down, across)
        weights = np.array([*model.length[1:], model.horizontal, model.horizontal_far, model.cardinal])
        plain = np.tensordot(weights, features, 1)
        turns = [np.zeros_like(plain)]
        for sector in range(_SECTORS):
            angle = 2 * np.pi * sector / _SECTORS
            turns.append(model.onward * onward_feature(down, across, math.sin(angle), math.cos(angle)))
        squared = down**2 + across**2
        narrow, wide = (np.exp(-0.5 * squared / sd**2) for sd in (NARROW, WIDE))
        # window [R - 1 - row, C - 1 - column] of a table is the map of what it says around a cell
        self._saccade = _windows(np.exp(plain + np.array(turns)), grid.shape)
        self._back = _windows(np.exp(model.back[0] * narrow + model.back[1] * wide), grid.shape)
        self._earlier = _windows(np.exp(model.earlier[0] * narrow + model.earlier[1] * wide), grid.shape)

    def around(self, table: str, cells: Cells, sectors: Cells | None = None) -> Float64:
        """Return the maps of a table around cells, (n, r * c) float64."""
        windows: npt.NDArray[np.float64] = getattr(self, f"_{table}")
        rows, columns = self.grid.shape
        y, x = rows - 1 - cells // columns, columns - 1 - cells % columns
        maps = windows[y, x] if sectors is None else windows[sectors, y, x]
        return np.asarray(maps.reshape(cells.size, rows * columns), np.float64)

    def sectors(self, before: Cells, now: Cells) -> Cells:
        """Return the direction of saccades between cells: 0 for none, else 1 to 16, int64."""
        columns, (height, width) = self.grid.shape[1], self.grid.cell
        down, across = (now // columns - before // columns) * height, (now % columns - before % columns) * width
        sector = np.round(np.arctan2(down, across) / (2 * np.pi / _SECTORS)).astype(np.int64) % _SECTORS
        return np.where(np.hypot(down, across) > _TURNED, 1 + sector, 0)


def saccade_features(knots: Sequence[float], down: Displacement, across: Displacement) -> Float64:
    """Return what the log odds of a saccade are linear in, (f, ...) float64.

    `knots`: the first, at 0, has no feature.
    `down`, `across` (array): displacement, share of the long side; broadcast.
    """
    length, angle = np.hypot(down, across), np.arctan2(down, across)
    hats = [np.interp(length, knots, np.eye(len(knots))[i]) for i in range(1, len(knots))]
    moves, far = np.minimum(length / 0.1, 1), np.clip((length - 0.15) / 0.3, 0, 1)
    return np.array([*hats, np.cos(2 * angle) * moves, np.cos(2 * angle) * far, np.cos(4 * angle) * moves])


def onward_feature(down: Displacement, across: Displacement, before_down: float, before_across: float) -> Float64:
    """Return the cosine of the angle between saccades and a unit vector, less for those below .1 of the long side."""
    length = np.hypot(down, across)
    cosine = (down * before_down + across * before_across) / np.maximum(length, 1e-9)
    return np.asarray(cosine * np.minimum(length / 0.1, 1), np.float64)


def _windows(tables: Float64, shape: GridShape) -> npt.NDArray[np.float64]:
    return np.lib.stride_tricks.sliding_window_view(tables, shape, axis=(-2, -1))


class Histories:
    """Where each of some viewers has looked so far.

    `n`: viewers.
    """

    def __init__(self, kernel: SaccadeKernel, n: int) -> None:
        self._kernel, self._cells = kernel, list[Cells]()
        self._earlier = np.ones((n, math.prod(kernel.grid.shape)))

    def move(self, cells: Cells) -> None:
        """Add the next fixation of each viewer, (n,) int64."""
        if len(self._cells) >= 2:
            self._earlier *= self._kernel.around("earlier", self._cells[-2])
        self._cells.append(cells)

    def odds(self) -> Float64:
        """Return what saccade and history say of each cell, apart from the attention that it draws, (n, r * c)."""
        if not self._cells:
            return np.ones_like(self._earlier)
        now = self._cells[-1]
        if len(self._cells) == 1:
            return self._kernel.around("saccade", now, np.zeros_like(now))
        before = self._cells[-2]
        odds = self._kernel.around("saccade", now, self._kernel.sectors(before, now))
        odds *= self._kernel.around("back", before)
        odds *= self._earlier
        return odds


def step_densities(densities: Densities, count: int, model: ScanpathModel, grid: Grid) -> Float64:
    """Return the distribution of each fixation by its index, (k, r * c) float64; rows sum to 1.

    By the time at which the fixation is usually made it is the density of the window start (before 2 s), total, or end
    (from 3 s on), sharpened. The first fixation is nearer to the middle, but for a share that goes anywhere.
    """
    total = densities["total"]
    start, middle, end = (grid.sums(densities.maps.get(window, total)) for window in ("start", "total", "end"))
    times = model.latency_s + model.pace_s * np.arange(count)
    windows = [start if time < START_S else middle if time < END_S else end for time in times]
    powers = [*model.sharpness, *[model.sharpness[-1]] * count][:count]
    steps = [_share(window**power) for window, power in zip(windows, powers, strict=True)]
    rows, columns = ((np.arange(n) + 0.5) / n for n in grid.shape)
    squared = (rows - PRIOR_CENTRE[1])[:, None] ** 2 + (columns - PRIOR_CENTRE[0])[None] ** 2
    central = _share(steps[0] * np.exp(-0.5 * squared / model.centre_sd**2))
    steps[0] = (1 - ANYWHERE) * central + ANYWHERE * steps[0]
    return np.array([step.ravel() for step in steps])


def _share(values: Float64) -> Float64:
    return np.asarray(values / values.sum(), np.float64)


def balance(odds: Float64, target: Float64, gains: Float64) -> Float64:
    """Return what each cell draws such that viewers with these odds together fixate by a target, (m,) float64.

    `odds` (n, m) float64: positive.
    `target` (m,) float64: sums to 1.
    `gains` (m,) float64: to begin with.
    """
    for _ in range(_SINKHORN_STEPS):
        reached = (1 / (odds @ gains)) @ odds
        gains = target * odds.shape[0] / reached
    return gains


def draw(odds: Float64, shape: GridShape, chance: Float64) -> Cells:
    """Draw a cell for each viewer: the one at a share of the cumulative odds, row by row, (n,) int64.

    `odds` (n, r * c) float64: non-negative, not all 0.
    `shape` (int, int): rows and columns.
    `chance` (n,) float64: in [0, 1).
    """
    maps = odds.reshape(-1, *shape)
    up_to = np.cumsum(maps.sum(axis=2), axis=1)
    wanted = chance * up_to[:, -1]
    rows = np.minimum((up_to <= wanted[:, None]).sum(axis=1), shape[0] - 1)
    viewers = np.arange(len(maps))
    before = np.where(rows > 0, up_to[viewers, rows - 1], 0.0)
    within = np.cumsum(maps[viewers, rows], axis=1)
    columns = np.minimum((within <= (wanted - before)[:, None]).sum(axis=1), shape[1] - 1)
    return np.asarray(rows * shape[1] + columns, np.int64)


@dataclass(frozen=True, slots=True)
class Simulation:
    """Simulated scanpaths and what drew them."""

    paths: Scanpaths
    grid: Grid
    targets: Float64
    gains: Float64
    """(k, r * c) float64. Distribution of the fixations of an index, and what each cell draws for it to be so."""


def simulate_scanpaths(
    densities: Densities,
    exposure_s: float = 5.0,
    *,
    n_viewers: int = N_VIEWERS,
    seed: int = 0,
    model: ScanpathModel | None = None,
) -> Simulation:
    """Simulate the scanpaths of viewers of an image.

    `densities`: at least the window total, which stands in for the others.
    `exposure_s`: time for which the image is looked at, s.
    `n_viewers`: at least 1.
    `seed`: the same seed gives the same paths.
    `model`: by default the one that ships.
    Raises UsageError: the exposure or the number of viewers is not positive.
    """
    if not 0 < exposure_s < float("inf") or n_viewers < 1:
        raise UsageError(
            f"scanpaths need an exposure above 0 s and at least one viewer, not {exposure_s} s and {n_viewers} viewers"
        )
    model = model or built_in_scanpath_model()
    total = densities["total"]
    grid = Grid.over((total.shape[0], total.shape[1]))
    rng = np.random.default_rng(seed)
    onset, duration = _times(n_viewers, exposure_s, model, rng)
    steps = step_densities(densities, onset.shape[1], model, grid)
    histories = Histories(SaccadeKernel(model, grid), n_viewers)
    gains, cells = np.ones_like(steps), np.empty(onset.shape, np.int64)
    drawn = np.ones(steps.shape[1])
    for index, target in enumerate(steps):
        odds = histories.odds()
        gains[index] = drawn = balance(odds, target, drawn)
        odds *= drawn
        # one draw from each n-th of the distribution: less noise in what all viewers fixate together
        cells[:, index] = draw(odds, grid.shape, (rng.permutation(n_viewers) + rng.random(n_viewers)) / n_viewers)
        histories.move(cells[:, index])
    x, y = _places(cells, onset, densities, grid, rng)
    made = onset < exposure_s
    x, y, onset, duration = (np.where(made, values, np.nan) for values in (x, y, onset, duration))
    duration = np.minimum(duration, exposure_s - onset)
    aspect = (total.shape[0] / max(total.shape), total.shape[1] / max(total.shape))
    return Simulation(Scanpaths(x, y, onset, duration, exposure_s, medoid(x, y, aspect)), grid, steps, gains)


def _times(n: int, exposure_s: float, model: ScanpathModel, rng: np.random.Generator) -> tuple[Float64, Float64]:
    """Draw onsets and durations of fixations until the last viewer's exposure is over, s, each (n, k) float64.

    Everybody makes a fixation, however short the exposure.
    """
    first = np.minimum(model.latency_s * np.exp(model.latency_log_sd * rng.standard_normal(n)), exposure_s / 2)
    onsets, durations = [first], list[Float64]()
    while True:
        mean = model.duration_log_mean[min(len(durations), len(model.duration_log_mean) - 1)]
        drawn = np.exp(mean + model.duration_log_sd * rng.standard_normal(n))
        durations.append(drawn.clip(_MIN_DURATION_S))
        after = onsets[-1] + durations[-1] + model.gap_s
        if (after >= exposure_s).all():
            return np.column_stack(onsets), np.column_stack(durations)
        onsets.append(after)


def _places(
    cells: Cells, onset: Float64, densities: Densities, grid: Grid, rng: np.random.Generator
) -> tuple[Float64, Float64]:
    """Draw a point in each coarse cell by the density of the window, unit coordinates, each (n, k) float64."""
    total = densities["total"]
    windows = [densities.maps.get("start", total), total, densities.maps.get("end", total)]
    rows, columns = grid.edges(0), grid.edges(1)
    height, width = int(np.diff(rows).max()), int(np.diff(columns).max())
    y0, x0 = rows[cells // grid.shape[1]], columns[cells % grid.shape[1]]
    y1, x1 = rows[cells // grid.shape[1] + 1], columns[cells % grid.shape[1] + 1]
    inner_y, inner_x = y0[..., None] + np.arange(height), x0[..., None] + np.arange(width)
    inside = (inner_y < y1[..., None])[..., :, None] & (inner_x < x1[..., None])[..., None, :]
    window = np.digitize(onset, [START_S, END_S])
    mass = np.stack(windows).astype(np.float64)[
        window[..., None, None],
        np.minimum(inner_y, grid.fine[0] - 1)[..., :, None],
        np.minimum(inner_x, grid.fine[1] - 1)[..., None, :],
    ]
    cumulative = np.cumsum(((mass + 1e-12) * inside).reshape(*cells.shape, height * width), axis=-1)
    chance = rng.random(cells.shape) * cumulative[..., -1]
    chosen = np.minimum((cumulative < chance[..., None]).sum(axis=-1), height * width - 1)
    y = (y0 + chosen // width + rng.random(cells.shape)) / grid.fine[0]
    x = (x0 + chosen % width + rng.random(cells.shape)) / grid.fine[1]
    below_one = np.nextafter(1.0, 0.0)
    return np.minimum(x, below_one), np.minimum(y, below_one)


def next_fixation_odds(simulation: Simulation, model: ScanpathModel, cells: Cells) -> Float64:
    """Return the probability of each fixation of a viewer given those before, by coarse cell, (k,) float64.

    `simulation`: of the same image.
    `model`: the one that it was made with.
    `cells` (k,) int64: of the viewer's fixations, by `Grid.cells`.
    """
    histories = Histories(SaccadeKernel(model, simulation.grid), 1)
    probabilities = np.empty(len(cells))
    for index, cell in enumerate(cells):
        weights = histories.odds()[0] * simulation.gains[min(index, len(simulation.gains) - 1)]
        probabilities[index] = weights[cell] / weights.sum()
        histories.move(np.array([cell]))
    return probabilities


THRESHOLD = 3.5 * 2**0.5 / 12
"""Distance, share of the long side, at which two places count nothing for each other; below more, beyond less.

ScanMatch sets it to twice the standard deviation of saccade length, some 3 to 4 cells of a grid of 12 columns."""


def align(similarity: Float64, n_a: npt.NDArray[np.int64], n_b: npt.NDArray[np.int64], gap: float = 0.0) -> Float64:
    """Return the score of the best global alignment of pairs of sequences, (p,) float64.

    `similarity` (p, k, l) float64: of each element of the first sequence with each of the second; what lies past the
        ends is not read.
    `n_a`, `n_b` (p,) int64: lengths of the sequences.
    `gap`: score of an element left without a partner; not positive.

    >>> same = (np.array(list("ABCD"))[:, None] == np.array(list("ABD"))[None]).astype(float)
    >>> align(same[None], np.array([4]), np.array([3]), gap=-0.5).tolist()
    [2.5]
    """
    pairs, rows, columns = similarity.shape
    steps = gap * np.arange(columns + 1)
    best = np.empty((rows + 1, pairs, columns + 1))
    best[0] = steps
    for row in range(1, rows + 1):
        above = best[row - 1]
        reached = np.empty((pairs, columns + 1))
        reached[:, 0] = gap * row
        reached[:, 1:] = np.maximum(above[:, :-1] + similarity[:, row - 1], above[:, 1:] + gap)
        # gaps along the row: the maximum over where the gap began
        best[row] = np.maximum.accumulate(reached - steps, axis=1) + steps
    return np.asarray(best[n_a, np.arange(pairs), n_b], np.float64)


def scanmatch(
    x: Float64, y: Float64, aspect: tuple[float, float], first: npt.ArrayLike, second: npt.ArrayLike
) -> Float64:
    """Return the similarity of pairs of scanpaths, by places and their order, (p,) float64: 1 for equal ones.

    Two places count 1 - distance / THRESHOLD; an element without a partner counts 0. The sum is divided by the length
    of the longer sequence. Places are not put in bins: distances are those of the fixations themselves.

    `x`, `y` (n, k) float64: fixations of all scanpaths in order, unit coordinates; NaN after the last.
    `aspect` (float, float): height and width of the image, share of its long side.
    `first`, `second` (p,) array_like of int: rows of the scanpaths to compare.
    """
    a, b = np.asarray(first, np.int64), np.asarray(second, np.int64)
    lengths = np.isfinite(x).sum(axis=1)
    across, down = np.nan_to_num(x) * aspect[1], np.nan_to_num(y) * aspect[0]
    squared = (across[a][:, :, None] - across[b][:, None, :]) ** 2
    squared += (down[a][:, :, None] - down[b][:, None, :]) ** 2
    score = align(1 - np.sqrt(squared) / THRESHOLD, lengths[a], lengths[b])
    return np.asarray(score / np.maximum(lengths[a], lengths[b]), np.float64)


def medoid(x: Float64, y: Float64, aspect: tuple[float, float], compared: int = 24) -> int:
    """Return the row of the scanpath that is most like the others by `scanmatch`.

    `x`, `y`, `aspect`: as of `scanmatch`.
    `compared`: of more scanpaths only the first so many are compared with each other.
    """
    n = min(len(x), compared)
    first, second = np.triu_indices(n, 1)
    likeness = np.zeros((n, n))
    if first.size:
        likeness[first, second] = likeness[second, first] = scanmatch(x, y, aspect, first, second)
    return int(likeness.sum(axis=1).argmax())
