"""What the heads are asked for."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

HEIGHT, PEAK = 0.15, 0.2  # weights of terms
RARE = {2: 1.5, 3: 1.0}  # by output: faces take few cells
MOSTLY_TEXT = 0.3  # a cell from which a height is asked
FEWEST_CELLS = 20


def loss_of(out: Tensor, truth: Tensor) -> Tensor:
    """Mean over a batch.

    Parameters
    ----------
    out : (N, 4, h, w)
        As `appearance_network.OUTPUTS`.
    truth : (N, 7, h, w)
        As `appearance_targets.targets`.
    """
    text = (F.binary_cross_entropy_with_logits(out[:, 0], truth[:, 0], reduction="none") * truth[:, 1]).mean()
    total = text + HEIGHT * _height(out[:, 1], truth)
    for output, weight in RARE.items():
        there, labelled = truth[:, 2 * output - 1], truth[:, 2 * output]
        by_cell = F.binary_cross_entropy_with_logits(out[:, output], there, reduction="none") * labelled
        total = total + weight * by_cell.mean() + PEAK * _peak(out[:, output], there, labelled)
    return total


def _height(predicted: Tensor, truth: Tensor) -> Tensor:
    covered = truth[:, 0] * (truth[:, 0] > MOSTLY_TEXT)
    apart = F.smooth_l1_loss(predicted, truth[:, 2], reduction="none", beta=0.2) * covered
    return apart.sum() / covered.sum().clamp(min=FEWEST_CELLS)


def _peak(predicted: Tensor, there: Tensor, labelled: Tensor) -> Tensor:
    """Whether a picture has any, by its strongest place, where that is known."""
    has = (there > 0.5).flatten(1).any(1)
    doubt = ((labelled == 0) & (there == 0)).flatten(1).any(1)
    chosen = (labelled.mean((1, 2)) > MOSTLY_TEXT) & (has | ~doubt)
    if not chosen.any():
        return predicted.sum() * 0
    smooth = F.avg_pool2d(F.pad(predicted[:, None], [1] * 4, mode="replicate"), 3, 1)
    return F.binary_cross_entropy_with_logits(smooth.flatten(1).amax(1)[chosen], has[chosen].float())
