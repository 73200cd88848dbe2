"""Compare scanpaths by ScanMatch (Cristino, Mathôt, Theeuwes & Gilchrist 2010, Behavior Research Methods 42).

A scanpath becomes a sequence of places; two sequences are aligned with the smallest loss (Needleman & Wunsch 1970),
where putting two places against each other counts by their distance.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mediaan.types.arrays import Float64

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
