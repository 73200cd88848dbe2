"""What the network is told: scores that say how well a box fits, and boxes that fit.

References
----------
Zhang et al. 2021, VarifocalNet (the loss of the scores). Rezatofighi et al. 2019, GIoU (the loss of the boxes).
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from architecture import Output
from assign import assign
from torch import Tensor

BOX = 2.0  # weight of the boxes beside the scores
ON_PACK = 0.2  # weight of telling logos on products from others
CALM, FOCUS = 0.75, 2.0  # weight of cells without an object, and how much the surer of them count more


class Truth(NamedTuple):
    """What is known of a batch of pictures; rows are filled up with type -1.

    objects (N, n, 4) px and types (N, n): what is there. zones (N, m, 4) px and zone_types (N, m): where a type may or
    may not be, so that no cell is told that it is not there. on_pack (N, n): of a logo 1 if it is on a product, 0 if it
    stands alone, -1 where nobody knows, as of other types.
    """

    objects: Tensor
    types: Tensor
    zones: Tensor
    zone_types: Tensor
    on_pack: Tensor


def unknown(truth: Truth, at: Tensor, types: int) -> Tensor:
    """Cells in a zone: (N, cells, types) bool."""
    inside = ((at >= truth.zones[:, :, None, :2]) & (at <= truth.zones[:, :, None, 2:])).all(-1)  # (N, zones, cells)
    of_type = [(inside & (truth.zone_types == kind)[..., None]).any(1) for kind in range(types)]
    return torch.stack(of_type, -1)


def giou(a: Tensor, b: Tensor) -> Tensor:
    shared = (torch.minimum(a[:, 2:], b[:, 2:]) - torch.maximum(a[:, :2], b[:, :2])).clamp(min=0).prod(-1)
    union = (a[:, 2:] - a[:, :2]).prod(-1) + (b[:, 2:] - b[:, :2]).prod(-1) - shared
    hull = (torch.maximum(a[:, 2:], b[:, 2:]) - torch.minimum(a[:, :2], b[:, :2])).prod(-1)
    return shared / union.clamp(min=1e-6) - (hull - union) / hull.clamp(min=1e-6)


def loss(output: Output, truth: Truth, at: Tensor, strides: Tensor, logo: int = 1) -> dict[str, Tensor]:
    """Losses of a batch, each per unit of what there is to learn; `logo` is the index of that type."""
    logits, boxes = output.logits, output.boxes
    scores = logits.detach().sigmoid()
    assigned = assign(scores, boxes.detach(), truth.objects, truth.types, at, strides)
    target = assigned.score
    silent = unknown(truth, at, logits.shape[2]) & (target == 0)
    weight = torch.where(target > 0, target, CALM * scores**FOCUS).masked_fill(silent, 0)
    amount = target.sum().clamp(min=1)
    told = F.binary_cross_entropy_with_logits(logits, target, weight, reduction="sum") / amount
    picture, cell, kind = (target > 0).nonzero(as_tuple=True)
    owner = assigned.owner[picture, cell, kind]
    learned = target[picture, cell, kind]
    fit = (1 - giou(boxes[picture, cell, kind], truth.objects[picture, owner])) * learned
    parts = {"score": told, "box": BOX * fit.sum() / amount}
    if output.on_pack is not None:
        place = truth.on_pack[picture, owner]
        is_mark = (kind == logo) & (place >= 0)
        entropy = F.binary_cross_entropy_with_logits(
            output.on_pack[picture, cell], place.clamp_min(0), learned * is_mark, reduction="sum"
        )
        parts["on_pack"] = ON_PACK * entropy / (learned * is_mark).sum().clamp_min(1.0)
    return parts
