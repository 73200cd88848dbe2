"""Several boxes around one thing become one: the less confident are dropped, or they fade and lend their sides.

References
----------
Bodla et al. 2017, Soft-NMS. Gidaris & Komodakis 2015 (bounding-box voting).
"""

from __future__ import annotations

import numpy as np

from mediaan.types.arrays import Float64

_FADING = 0.5
"""A score is multiplied by exp(-IoU² / this) for each surer box over it."""

_SAME = 0.6
"""IoU from which boxes have a say in where the surest of them lies."""


def drop_overlaps(boxes: Float64, scores: Float64, most: float) -> tuple[list[int], Float64, Float64]:
    """Of boxes that overlap by more than `most`, keep the most confident.

    Parameters
    ----------
    boxes : (K, 4) float64
        x0, y0, x1, y1, all of one type.
    scores : (K,) float64
        0-1.
    most : float
        Intersection over union, 0-1.

    Returns
    -------
    kept : list of int
        Which of the boxes stay, by falling score.
    boxes : (kept, 4) float64
    scores : (kept,) float64
    """
    overlap, left = overlaps(boxes), np.ones(len(boxes), bool)
    kept: list[int] = []
    for surest in np.argsort(-scores, kind="stable"):
        if left[surest]:
            kept.append(int(surest))
            left &= overlap[surest] <= most
    return kept, boxes[kept], scores[kept]


def merge_overlaps(boxes: Float64, scores: Float64, most: float) -> tuple[list[int], Float64, Float64]:
    """As `drop_overlaps`; but what overlaps by less only fades, and near-same boxes are averaged, weighted by score.

    Parameters and results are those of `drop_overlaps`.
    """
    overlap = overlaps(boxes)
    left, faded = np.ones(len(boxes), bool), scores.copy()
    kept: list[int] = []
    while left.any():
        surest = int(np.where(left, faded, -1.0).argmax())
        kept.append(surest)
        left[surest] = False
        faded = np.where(left, faded * np.exp(-(overlap[surest] ** 2) / _FADING), faded)
        left &= overlap[surest] <= most
    says = np.where(overlap[kept] >= _SAME, overlap[kept] * scores, 0.0)
    says[np.arange(len(kept)), kept] = np.maximum(scores[kept], 1e-9)  # its own say, even where it has no area
    return kept, says @ boxes / says.sum(1, keepdims=True), faded[kept]


def overlaps(boxes: Float64) -> Float64:
    """Intersection over union of every two boxes, (K, K); 0 with a box without area.

    Examples
    --------
    >>> import numpy as np
    >>> overlaps(np.array([[0, 0, 2, 1], [1, 0, 3, 1]], float)).round(3).tolist()
    [[1.0, 0.333], [0.333, 1.0]]
    """
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    shared = (high - low).clip(0).prod(2)
    area = (boxes[:, 2:] - boxes[:, :2]).clip(0).prod(1)
    union = area[:, None] + area[None] - shared
    shares: Float64 = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return shares
