"""The attention network: a MobileNetV2 encoder and a small feature-pyramid decoder.

One forward pass gives log-densities for the three windows of an exposure. About 3 M parameters; every
operation exists in ONNX opset 17 and works for any batch and any height and width that are multiples of 32.

References
----------
Sandler et al. 2018, MobileNetV2. Lin et al. 2017, Feature Pyramid Networks. Kümmerer et al. 2016, DeepGaze II
(a centre-bias prior added to the logits before a softmax over space).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

WINDOWS = ("start", "end", "total")
STRIDE = 4  # one density cell covers STRIDE x STRIDE input pixels
_BLOCKS = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


class Conv(nn.Module):
    """Convolution, then ReLU6; stride 2 pads bottom and right only, as the start weights were trained."""

    def __init__(self, cin: int, cout: int, kernel: int, *, stride: int = 1, groups: int = 1, act: bool = True) -> None:
        super().__init__()
        self.pad = kernel == 3 and stride == 2
        padding = 0 if self.pad else kernel // 2
        self.conv = nn.Conv2d(cin, cout, kernel, stride, padding, groups=groups)
        self.act = act

    def forward(self, x: Tensor) -> Tensor:
        if self.pad:
            x = F.pad(x, (0, 1, 0, 1))
        x = self.conv(x)
        return F.relu6(x) if self.act else x


class InvertedResidual(nn.Module):
    """Expand 1x1, depthwise 3x3, project 1x1; a residual when shape allows."""

    def __init__(self, cin: int, cout: int, expand: int, stride: int) -> None:
        super().__init__()
        mid = cin * expand
        layers = [] if expand == 1 else [Conv(cin, mid, 1)]
        layers += [Conv(mid, mid, 3, stride=stride, groups=mid), Conv(mid, cout, 1, act=False)]
        self.layers = nn.Sequential(*layers)
        self.residual = stride == 1 and cin == cout

    def forward(self, x: Tensor) -> Tensor:
        y = self.layers(x)
        return x + y if self.residual else y


class Encoder(nn.Module):
    """MobileNetV2 up to its 1280-channel head; returns features at strides 4, 8, 16 and 32."""

    channels = (24, 32, 96, 1280)

    def __init__(self) -> None:
        super().__init__()
        self.stem = Conv(3, 32, 3, stride=2)
        blocks, cin = [], 32
        self.taps: list[int] = []
        for expand, cout, repeat, stride in _BLOCKS:
            for i in range(repeat):
                blocks.append(InvertedResidual(cin, cout, expand, stride if i == 0 else 1))
                cin = cout
            if cout in (24, 32, 96):
                self.taps.append(len(blocks) - 1)
        self.blocks = nn.ModuleList(blocks)
        self.head = Conv(320, 1280, 1)

    def forward(self, x: Tensor) -> list[Tensor]:
        x = self.stem(x)
        features = []
        for i, block in enumerate(self.blocks):
            x = block(x)
            if i in self.taps:
                features.append(x)
        return [*features, self.head(x)]

    def freeze(self, blocks: int) -> None:
        """Keep the stem and the first `blocks` blocks as they are: edges and colours need no new learning."""
        for module in (self.stem, *self.blocks[:blocks]) if blocks else ():
            module.requires_grad_(False)

    def load_imagenet(self, path: Path) -> None:
        """Load the folded ImageNet weights: 53 convolutions in graph order, the classifier last and unused."""
        stored = np.load(path)
        convs = [m for m in self.modules() if isinstance(m, nn.Conv2d)]
        for i, conv in enumerate(convs):
            conv.weight.data = torch.from_numpy(stored[f"{i:02d}.weight"].astype(np.float32))
            assert conv.bias is not None
            conv.bias.data = torch.from_numpy(stored[f"{i:02d}.bias"].astype(np.float32))


class Separable(nn.Module):
    """Depthwise `kernel` x `kernel`, then 1x1 with ReLU, around a residual."""

    def __init__(self, width: int, kernel: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, kernel, padding=kernel // 2, groups=width)
        self.expand = nn.Conv2d(width, 2 * width, 1)
        self.project = nn.Conv2d(2 * width, width, 1)
        nn.init.zeros_(self.project.weight)
        assert self.project.bias is not None
        nn.init.zeros_(self.project.bias)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.project(F.relu(self.expand(self.depthwise(x))))


class Context(nn.Module):
    """What the whole picture holds, offered to every cell: pooled features gate and shift the channels."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(2 * width, width, 1)
        self.excite = nn.Conv2d(width, 2 * width, 1)
        nn.init.zeros_(self.excite.weight)
        assert self.excite.bias is not None
        nn.init.zeros_(self.excite.bias)

    def forward(self, x: Tensor) -> Tensor:
        pooled = torch.cat([x.mean((2, 3), keepdim=True), x.amax((2, 3), keepdim=True)], 1)
        gate, shift = self.excite(F.relu(self.squeeze(pooled))).chunk(2, 1)
        return x * (1 + gate) + shift


class CentrePrior(nn.Module):
    """Log of a sum of Gaussians in unit coordinates: where people look before they know what is there."""

    def __init__(self, count: int = 4) -> None:
        super().__init__()
        self.mean = nn.Parameter(torch.tensor([[0.5, 0.45], [0.5, 0.5], [0.4, 0.45], [0.6, 0.45]][:count]))
        self.log_sigma = nn.Parameter(
            torch.tensor([[0.25, 0.22], [0.12, 0.10], [0.15, 0.15], [0.15, 0.15]][:count]).log()
        )
        self.log_weight = nn.Parameter(torch.zeros(len(WINDOWS), count))
        self.strength = nn.Parameter(torch.full((len(WINDOWS),), 0.5))

    def forward(self, like: Tensor) -> Tensor:
        ones = torch.ones_like(like[:1, :1])
        x, y = ones.cumsum(3), ones.cumsum(2)
        x, y = (x - 0.5) / x[:, :, :, -1:], (y - 0.5) / y[:, :, -1:, :]
        mean, inv = self.mean[:, :, None, None], (-self.log_sigma).exp()[:, :, None, None]
        energy = -0.5 * (((x - mean[:, 0]) * inv[:, 0]) ** 2 + ((y - mean[:, 1]) * inv[:, 1]) ** 2)  # (1, K, h, w)
        mix = self.log_weight.exp() @ energy[0].flatten(1).exp() + 1e-3
        shape = (1, len(WINDOWS), like.shape[2], like.shape[3])
        return self.strength[None, :, None, None] * mix.log().reshape(shape)


class Decoder(nn.Module):
    """Top-down pyramid over strides 32 to 4, wide where the map is small."""

    widths = (24, 48, 96, 128)  # at strides 4, 8, 16, 32

    def __init__(self, channels: tuple[int, ...]) -> None:
        super().__init__()
        self.drop = nn.Dropout2d(0.0)  # whole channels of the two coarse levels; set by the training recipe
        w4, w8, w16, w32 = self.widths
        self.lateral = nn.ModuleList(nn.Conv2d(c, w, 1) for c, w in zip(channels, self.widths, strict=True))
        self.down = nn.ModuleList([nn.Conv2d(w8, w4, 1), nn.Conv2d(w16, w8, 1), nn.Conv2d(w32, w16, 1)])
        self.top = nn.Sequential(Separable(w32, 5), Context(w32), Separable(w32, 7))
        self.stage = nn.ModuleList(
            [Separable(w4, 3), Separable(w8, 5), nn.Sequential(Separable(w16, 5), Context(w16), Separable(w16, 5))]
        )
        self.logit = nn.ModuleList(nn.Conv2d(w, len(WINDOWS), 1) for w in self.widths)
        for head in self.logit:
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)

    def forward(self, features: list[Tensor]) -> Tensor:
        x = self.top(self.drop(F.relu(self.lateral[3](features[3]))))
        logit = self.logit[3](x)
        for level in (2, 1, 0):
            x = F.interpolate(self.down[level](x), scale_factor=2.0, mode="bilinear", align_corners=False)
            x = F.relu(x + self.lateral[level](features[level]))
            x = self.stage[level](self.drop(x) if level == 2 else x)
            logit = F.interpolate(logit, scale_factor=2.0, mode="bilinear", align_corners=False) + self.logit[level](x)
        return logit


class AttentionNet(nn.Module):
    """RGB in, log-densities of the three windows out."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder(self.encoder.channels)
        self.prior = CentrePrior()
        self.teacher_sharpness = nn.Parameter(
            torch.zeros(())
        )  # soft labels are blurrier than eyes: learned, unused at run time

    def logits(self, rgb: Tensor) -> Tensor:
        """(N, 3, H, W) float in [0, 255] to (N, 3 windows, H/4, W/4) unnormalised log-densities."""
        logit = self.decoder(self.encoder(rgb / 127.5 - 1.0)).float()
        return logit + self.prior(logit)

    def forward(self, rgb: Tensor) -> Tensor:
        """(N, H, W, 3) uint8 to (N, 3 windows, H/4, W/4) float32 densities; each sums to 1."""
        logit = self.logits(rgb.permute(0, 3, 1, 2).float())
        return logit.flatten(2).softmax(2).reshape(logit.shape)
