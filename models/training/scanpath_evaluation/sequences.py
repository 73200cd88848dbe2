"""Compare scanpaths as strings of places: string-edit similarity and sequence score."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mediaan.saliency.scanpath import align
from mediaan.types.arrays import Float64

EDIT_GRID = (5, 5)
"""Rows and columns of the places of the string-edit similarity (Foulsham & Underwood 2008, Journal of Vision 8(2))."""

BANDWIDTH = 0.08
"""Radius of mean shift for the places of the sequence score, share of the long side."""

Labels = npt.NDArray[np.int64]


def edit_similarity(x: Float64, y: Float64, first: npt.ArrayLike, second: npt.ArrayLike) -> Float64:
    """Return 1 - Levenshtein distance / longer length of pairs of scanpaths on a 5 x 5 grid, (p,) float64.

    Successive fixations in one place count as one (Brandt & Stark 1997, Journal of Cognitive Neuroscience 9).

    Parameters
    ----------
    x, y : (n, k) float64
        Fixations of all scanpaths in order, unit coordinates; NaN after the last.
    first, second : (p,) array_like of int
        Rows of the scanpaths to compare.

    Examples
    --------
    >>> x = np.array([[0.1, 0.5, 0.5, 0.9], [0.1, 0.9, np.nan, np.nan]])
    >>> edit_similarity(x, x, [0, 0], [0, 1]).round(2).tolist()
    [1.0, 0.67]
    """
    rows, columns = EDIT_GRID
    labels = np.where(
        np.isfinite(x), np.floor(np.nan_to_num(y) * rows) * columns + np.floor(np.nan_to_num(x) * columns), -1
    )
    strings, lengths = collapsed(labels.astype(np.int64))
    a, b = np.asarray(first, np.int64), np.asarray(second, np.int64)
    return 1 - levenshtein(strings[a], lengths[a], strings[b], lengths[b]) / np.maximum(lengths[a], lengths[b])


def levenshtein(a: Labels, n_a: Labels, b: Labels, n_b: Labels) -> Float64:
    """Return the fewest insertions, deletions and substitutions between pairs of strings, (p,) float64.

    Parameters
    ----------
    a, b : (p, k), (p, l) int64
    n_a, n_b : (p,) int64
        Lengths of the strings.

    Examples
    --------
    >>> kitten, sitting = (np.array([[ord(c) for c in word]]) for word in ("kitten", "sitting"))
    >>> levenshtein(kitten, np.array([6]), sitting, np.array([7])).tolist()
    [3.0]
    """
    return -1.0 * align(np.where(a[:, :, None] == b[:, None, :], 0.0, -1.0), n_a, n_b, gap=-1.0)


def sequence_score(labels: Labels, first: npt.ArrayLike, second: npt.ArrayLike) -> Float64:
    """Return the sequence score of pairs of scanpaths (Yang et al. 2020, CVPR), (p,) float64, 0-1.

    The aligned sequences of labels have as many equal pairs as can be (Needleman & Wunsch 1970); their number divided
    by the length of the longer.

    Parameters
    ----------
    labels : (n, k) int64
        Place of each fixation, as of `mean_shift` over people's fixations; -1 after the last.
    first, second : (p,) array_like of int
        Rows of the scanpaths to compare.

    Examples
    --------
    >>> sequence_score(np.array([[0, 1, 2, 3], [0, 2, 3, -1]]), [0], [1]).tolist()
    [0.75]
    """
    a, b = np.asarray(first, np.int64), np.asarray(second, np.int64)
    lengths = (labels >= 0).sum(axis=1)
    same = (labels[a][:, :, None] == labels[b][:, None, :]).astype(np.float64)
    score = align(same, lengths[a], lengths[b]) / np.maximum(lengths[a], lengths[b])
    return np.asarray(score, np.float64)


def collapsed(labels: Labels) -> tuple[Labels, Labels]:
    """Drop repeats of the label before; strings, filled up with -1, and their lengths."""
    strings, lengths = np.full_like(labels, -1), np.zeros(len(labels), np.int64)
    for row, string in enumerate(labels):
        fixated = string[string >= 0]
        kept = fixated[np.concatenate([[True], fixated[1:] != fixated[:-1]])] if fixated.size else fixated
        strings[row, : kept.size], lengths[row] = kept, kept.size
    return strings, lengths


def mean_shift(points: Float64, bandwidth: float = BANDWIDTH) -> Float64:
    """Return the modes of points, (m, 2) float64: mean shift with a flat kernel (Comaniciu & Meer 2002, PAMI 24).

    Parameters
    ----------
    points : (n, 2) float64
    bandwidth : float
        Radius of the kernel; modes nearer than this are one.

    Examples
    --------
    >>> mean_shift(np.array([[0.0, 0.0], [0.02, 0.0], [1.0, 1.0]]), 0.1).round(2).tolist()
    [[0.01, 0.0], [1.0, 1.0]]
    """
    modes = points.copy()
    for _ in range(50):
        near = np.hypot(*(modes[:, None] - points[None]).transpose(2, 0, 1)) <= bandwidth
        moved = (near @ points) / near.sum(axis=1, keepdims=True)
        if np.allclose(moved, modes, atol=1e-4):
            break
        modes = moved
    weight = (np.hypot(*(modes[:, None] - points[None]).transpose(2, 0, 1)) <= bandwidth).sum(axis=1)
    kept: list[int] = []
    for i in np.argsort(-weight, kind="stable"):
        if all(np.hypot(*(modes[i] - modes[j])) > bandwidth for j in kept):
            kept.append(int(i))
    return np.asarray(modes[kept], np.float64)


def nearest(modes: Float64, x: Float64, y: Float64) -> Labels:
    """Return the nearest mode of each fixation, -1 where there is none, (n, k) int64; modes are (m, 2) as x, y."""
    distance = np.hypot(np.nan_to_num(x)[..., None] - modes[:, 0], np.nan_to_num(y)[..., None] - modes[:, 1])
    return np.where(np.isfinite(x), distance.argmin(axis=-1), -1)
