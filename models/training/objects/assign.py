"""Which cells shall find which object: those inside it that already find it best.

Reference: Feng et al. 2021, TOOD (task alignment: a cell is measured by score and overlap at once).
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

BEST = 10  # cells that learn one object
RADIUS = 2.5  # strides from the object's middle, within which a cell may learn it
SHARPNESS = 5.0  # how much overlap counts more than score


class Assigned(NamedTuple):
    """Targets of one picture.

    score (cells, types): 0, or how well the cell shall say that it finds the object, 0-1.
    box (cells, types, 4): the object's corners, px, where the score is above 0.
    """

    score: Tensor
    box: Tensor


def iou(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of (..., 4) boxes, broadcast."""
    shared = (torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])).clamp(min=0).prod(-1)
    area = (a[..., 2:] - a[..., :2]).prod(-1) + (b[..., 2:] - b[..., :2]).prod(-1)
    return shared / (area - shared).clamp(min=1e-6)


def may_learn(objects: Tensor, at: Tensor, strides: Tensor) -> Tensor:
    """Which cells lie in the middle of which object: (objects, cells); a tiny object has its nearest fine cell."""
    middle = (objects[:, None, :2] + objects[:, None, 2:]) / 2
    far = (at[None] - middle).abs().amax(-1)
    inside = ((at[None] > objects[:, None, :2]) & (at[None] < objects[:, None, 2:])).all(-1)
    allowed = inside & (far < RADIUS * strides)
    none = ~allowed.any(1)
    if none.any():
        finest = torch.where(strides == strides.min(), (at[None] - middle).square().sum(-1), torch.inf)
        nearest = finest.argmin(1)
        allowed[none, nearest[none]] = True
    return allowed


@torch.no_grad()
def assign(scores: Tensor, boxes: Tensor, objects: Tensor, types: Tensor, at: Tensor, strides: Tensor) -> Assigned:
    """Targets of the cells of one picture.

    Parameters
    ----------
    scores, boxes : (cells, types), (cells, types, 4)
        What the network says now, 0-1 and px.
    objects, types : (objects, 4), (objects,)
        What is there.
    at, strides : (cells, 2), (cells,)
        The cells.
    """
    target, corners = torch.zeros_like(scores), torch.zeros_like(boxes)
    if not len(objects):
        return Assigned(target, corners)
    overlap = iou(boxes[:, types].transpose(0, 1), objects[:, None])  # (objects, cells)
    fit = scores[:, types].T.clamp(min=1e-4).sqrt() * overlap**SHARPNESS
    allowed = may_learn(objects, at, strides)
    fit = torch.where(allowed, fit + 1e-9, 0.0)
    least = fit.topk(min(BEST, fit.shape[1]), 1).values[:, -1:]
    fit = torch.where(fit >= least, fit, 0.0)
    for kind in types.unique():
        rows = (types == kind).nonzero()[:, 0]
        best, owner = fit[rows].max(0)  # a cell that two objects of a type want learns the one that it fits better
        cells = (best > 0).nonzero()[:, 0]
        won = rows[owner[cells]]
        peak = fit[won].amax(1)
        reach = torch.where(fit > 0, overlap, 0.0)[won].amax(1)
        target[cells, kind] = best[cells] / peak * reach.clamp(min=0.05)
        corners[cells, kind] = objects[won]
    return Assigned(target, corners)
