"""Choose which cells are to find which object: those inside it that already find it best.

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
    """Targets of a batch.

    score (N, cells, types): 0, or how sure the cell should be that it finds the object, 0-1.
    owner (N, cells, types): index of that object among the picture's, where the score is above 0.
    """

    score: Tensor
    owner: Tensor


def iou(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of (..., 4) boxes, broadcast."""
    shared = (torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])).clamp(min=0).prod(-1)
    area = (a[..., 2:] - a[..., :2]).prod(-1) + (b[..., 2:] - b[..., :2]).prod(-1)
    return shared / (area - shared).clamp(min=1e-6)


def may_learn(objects: Tensor, at: Tensor, strides: Tensor) -> Tensor:
    """Which cells lie in the middle of which object: (N, objects, cells); a tiny object has its nearest fine cell."""
    low, high = objects[:, :, None, :2], objects[:, :, None, 2:]
    offset = at - (low + high) / 2
    inside = ((at > low) & (at < high)).all(-1)
    allowed = inside & (offset.abs().amax(-1) < RADIUS * strides)
    nearest = torch.where(strides == strides.min(), offset.square().sum(-1), torch.inf).argmin(-1, keepdim=True)
    return allowed.scatter(2, nearest, allowed.gather(2, nearest) | ~allowed.any(-1, keepdim=True))


@torch.no_grad()
def assign(scores: Tensor, boxes: Tensor, objects: Tensor, types: Tensor, at: Tensor, strides: Tensor) -> Assigned:
    """Targets of the cells of a batch.

    Parameters
    ----------
    scores, boxes : (N, cells, types), (N, cells, types, 4)
        What the network says now, 0-1 and px.
    objects, types : (N, objects, 4), (N, objects)
        What is there, px; type -1 where there is none (rows are filled up to the longest).
    at, strides : (cells, 2), (cells,)
        The cells.
    """
    target = torch.zeros_like(scores)
    owner = torch.zeros(scores.shape, dtype=torch.long, device=scores.device)
    if not objects.shape[1]:
        return Assigned(target, owner)
    kind = types.clamp_min(0)[..., None].expand(-1, -1, scores.shape[1])
    predicted = scores.transpose(1, 2).gather(1, kind)  # (N, objects, cells), as the next
    overlap = iou(boxes.transpose(1, 2).gather(1, kind[..., None].expand(-1, -1, -1, 4)), objects[:, :, None])
    allowed = may_learn(objects, at, strides) & (types >= 0)[..., None]
    fit = torch.where(allowed, predicted.clamp(min=1e-4).sqrt() * overlap**SHARPNESS + 1e-9, 0.0)
    least = fit.topk(min(BEST, fit.shape[2]), 2).values[..., -1:]
    fit = torch.where(fit >= least, fit, 0.0)
    peak = fit.amax(2).clamp_min(1e-9)
    reach = torch.where(fit > 0, overlap, 0.0).amax(2).clamp(min=0.05)
    for index in range(scores.shape[2]):
        # a cell that two objects of a type want learns the one that it fits better
        best, won = torch.where((types == index)[..., None], fit, 0.0).max(1)
        target[..., index] = best * (reach / peak).gather(1, won)
        owner[..., index] = won
    return Assigned(target, owner)
