"""The heads as a torch network, as `mediaan/vision/appearance.py` computes them in numpy."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

HIDDEN, MIXED = 64, 48
OUTPUTS = ("text", "height", "face", "person")


class Heads(nn.Module):
    """Each level projected, brought to stride 8 and summed; then cells see their surroundings at two scales.

    Levels are those of the encoder at strides 4, 8, 16 and 32; the first comes as means over 2 x 2, at stride 8. How
    many channels each has follows from `mean` and `spread`, (C,) of each level's channels.
    """

    def __init__(self, mean: list[np.ndarray], spread: list[np.ndarray]) -> None:
        super().__init__()
        for i, (m, s) in enumerate(zip(mean, spread, strict=True)):
            self.register_buffer(f"mean{i}", torch.tensor(m, dtype=torch.float32)[:, None, None])
            self.register_buffer(f"spread{i}", torch.tensor(s, dtype=torch.float32)[:, None, None])
        self.project = nn.ModuleList(nn.Conv2d(len(m), HIDDEN, 1, bias=i == 0) for i, m in enumerate(mean))
        self.mix = nn.Conv2d(3 * HIDDEN, MIXED, 1)
        self.out = nn.Conv2d(MIXED, len(OUTPUTS), 1)
        nn.init.constant_(self.out.bias, -3.0)
        self.out.bias.data[1] = np.log(12.0)

    def forward(self, levels: list[Tensor]) -> Tensor:
        grid = levels[1].shape[-2:]
        total: Tensor | None = None
        for i, (level, project) in enumerate(zip(levels, self.project, strict=True)):
            level = (level - getattr(self, f"mean{i}")) / getattr(self, f"spread{i}")
            part = project(level)
            if i > 1:
                part = F.interpolate(part, grid, mode="bilinear", align_corners=False)
            total = part if total is None else total + part
        hidden = F.relu(total)
        near = torch.cat([hidden, _around(hidden, 3), _around(hidden, 9)], 1)
        return self.out(F.relu(self.mix(near)))

    def weights(self) -> dict[str, np.ndarray]:
        """Arrays of the weight file; mean and spread are folded in."""
        state = {}
        bias = self.project[0].bias.detach().double()
        for i, project in enumerate(self.project):
            w = project.weight.detach()[:, :, 0, 0].double() / getattr(self, f"spread{i}")[:, 0, 0].double()
            bias = bias - w @ getattr(self, f"mean{i}")[:, 0, 0].double()
            state[f"level{i}"] = w.T.contiguous().float().numpy()
        state["bias"] = bias.float().numpy()
        for name, layer in (("mix", self.mix), ("out", self.out)):
            state[name] = layer.weight.detach()[:, :, 0, 0].T.contiguous().numpy()
            state[f"{name}_bias"] = layer.bias.detach().numpy()
        return state


def _around(x: Tensor, side: int) -> Tensor:
    """Mean over a square of cells, borders repeated."""
    padded = F.pad(x, [side // 2] * 4, mode="replicate")
    return F.avg_pool2d(F.avg_pool2d(padded, (side, 1), stride=1), (1, side), stride=1)
