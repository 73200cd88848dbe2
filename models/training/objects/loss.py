"""What the network is told: scores that say how well a box fits, and boxes that fit.

References
----------
Zhang et al. 2021, VarifocalNet (the loss of the scores). Rezatofighi et al. 2019, GIoU (the loss of the boxes).
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from assign import assign
from detector import TYPES
from torch import Tensor

BOX = 2.0  # weight of the boxes beside the scores
CALM, FOCUS = 0.75, 2.0  # weight of cells without an object, and how much the surer of them count more


class Truth(NamedTuple):
    """What is known of one picture.

    objects (n, 4) px and types (n,): what is there. zones (m, 4) px and zone_types (m,): where a type may or may not
    be, so that no cell is told that it is not there.
    """

    objects: Tensor
    types: Tensor
    zones: Tensor
    zone_types: Tensor


def unknown(truth: Truth, at: Tensor) -> Tensor:
    """Cells in a zone: (cells, types) bool."""
    held = torch.zeros(len(at), len(TYPES), dtype=torch.bool, device=at.device)
    inside = ((at[None] >= truth.zones[:, None, :2]) & (at[None] <= truth.zones[:, None, 2:])).all(-1)
    for kind in range(len(TYPES)):
        held[:, kind] = inside[truth.zone_types == kind].any(0)
    return held


def giou(a: Tensor, b: Tensor) -> Tensor:
    shared = (torch.minimum(a[:, 2:], b[:, 2:]) - torch.maximum(a[:, :2], b[:, :2])).clamp(min=0).prod(-1)
    union = (a[:, 2:] - a[:, :2]).prod(-1) + (b[:, 2:] - b[:, :2]).prod(-1) - shared
    hull = (torch.maximum(a[:, 2:], b[:, 2:]) - torch.minimum(a[:, :2], b[:, :2])).prod(-1)
    return shared / union.clamp(min=1e-6) - (hull - union) / hull.clamp(min=1e-6)


def loss(logits: Tensor, boxes: Tensor, truths: list[Truth], at: Tensor, strides: Tensor) -> dict[str, Tensor]:
    """Losses of a batch, each per unit of what there is to learn."""
    scores = logits.detach().sigmoid()
    assigned = [
        assign(s, b, t.objects, t.types, at, strides) for s, b, t in zip(scores, boxes.detach(), truths, strict=True)
    ]
    target = torch.stack([a.score for a in assigned])
    silent = torch.stack([unknown(t, at) for t in truths]) & (target == 0)
    weight = torch.where(target > 0, target, CALM * scores**FOCUS).masked_fill(silent, 0)
    amount = target.sum().clamp(min=1)
    told = F.binary_cross_entropy_with_logits(logits, target, weight, reduction="sum") / amount
    there = target > 0
    corners = torch.stack([a.box for a in assigned])[there]
    fit = (1 - giou(boxes[there], corners)) * target[there]
    return {"score": told, "box": BOX * fit.sum() / amount}
