"""The attention network: an EfficientNet-Lite0 or MobileNetV2 encoder, a feature-pyramid decoder, readouts by domain.

One forward pass gives the densities of the three windows of an exposure and the domain that the picture resembles.
Where people look depends on what a picture is: viewers of photographs agree on few places near the centre, readers of
pages begin at the upper left and follow lines. So sharpness, centre prior and smoothness are read out by domain, and a
small head weighs the domains by the picture itself. Every operation exists in ONNX opset 17 and works for any batch and
any height and width that are multiples of 32.

References
----------
Sandler et al. 2018, MobileNetV2. Tan & Le 2019, EfficientNet (the Lite variants have ReLU6 and no squeeze-excitation).
Lin et al. 2017, Feature Pyramid Networks. Kümmerer et al. 2016, DeepGaze II (a centre-bias prior added to the logits
before a softmax over space). Droste, Jiao & Noble 2020, UNISAL (domain-adaptive priors, fusion and smoothing).
Kümmerer et al. 2025, DeepGaze MSDB (few parameters by dataset).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

WINDOWS = ("start", "end", "total")
STRIDE = 4  # one density cell covers STRIDE x STRIDE input pixels

DOMAINS = ("osie", "crowd", "scene", "ad", "design", "page")
"""What the readouts are fitted to: three sets of photographs, e-commerce ads, designs and web pages."""

KINDS: Mapping[str, tuple[str, ...]] = {
    "photo": ("osie", "crowd", "scene"), "ad": ("ad",), "design": ("design",), "page": ("page",),
}  # fmt: skip
"""What users read: the sets of photographs are one kind."""

# kernel, expansion, channels, repeats, stride of each stage of inverted residuals
STAGES = {
    "mobilenet_v2": (
        (3, 1, 16, 1, 1), (3, 6, 24, 2, 2), (3, 6, 32, 3, 2), (3, 6, 64, 4, 2), (3, 6, 96, 3, 1), (3, 6, 160, 3, 2),
        (3, 6, 320, 1, 1),
    ),
    "efficientnet_lite0": (
        (3, 1, 16, 1, 1), (3, 6, 24, 2, 2), (5, 6, 40, 2, 2), (3, 6, 80, 3, 2), (5, 6, 112, 3, 1), (5, 6, 192, 4, 2),
        (3, 6, 320, 1, 1),
    ),
    "efficientnet_lite2": (
        (3, 1, 16, 1, 1), (3, 6, 24, 3, 2), (5, 6, 48, 3, 2), (3, 6, 88, 4, 2), (5, 6, 120, 4, 1), (5, 6, 208, 5, 2),
        (3, 6, 352, 1, 1),
    ),
}  # fmt: skip
OBJECTS = ("product", "branding", "face", "person", "button")
"""What an auxiliary output is taught to see, of `labels/`; unused at run time."""

TAPPED = (1, 2, 4)  # stages whose last block ends strides 4, 8 and 16
_BATCH_NORM_EPSILON = 1e-3  # EfficientNet's


class Conv(nn.Module):
    """Convolution, then ReLU6; stride 2 pads one less above and left, as the start weights were trained."""

    def __init__(self, cin: int, cout: int, kernel: int, *, stride: int = 1, groups: int = 1, act: bool = True) -> None:
        super().__init__()
        self.before = (kernel - 1) // 2 if stride == 1 else (kernel - 2) // 2
        self.after = kernel // 2
        padding = 0 if stride == 2 else kernel // 2
        self.conv = nn.Conv2d(cin, cout, kernel, stride, padding, groups=groups)
        self.act = act
        self.wide = groups > 1 and (kernel > 3 or stride > 1)

    def forward(self, x: Tensor) -> Tensor:
        if self.conv.stride[0] == 2:
            x = F.pad(x, (self.before, self.after, self.before, self.after))
        if self.wide and x.dtype == torch.bfloat16 and x.device.type == "cpu":
            # the backward pass of these takes three to five times as long in bfloat16 on a CPU (PyTorch 2.13)
            with torch.autocast("cpu", enabled=False):
                x = self.conv(x.float()).bfloat16()
        else:
            x = self.conv(x)
        return F.relu6(x) if self.act else x


class InvertedResidual(nn.Module):
    """Expand 1x1, depthwise, project 1x1; a residual when shape allows."""

    def __init__(self, cin: int, cout: int, kernel: int, expand: int, stride: int) -> None:
        super().__init__()
        mid = cin * expand
        layers = [] if expand == 1 else [Conv(cin, mid, 1)]
        layers += [Conv(mid, mid, kernel, stride=stride, groups=mid), Conv(mid, cout, 1, act=False)]
        self.layers = nn.Sequential(*layers)
        self.residual = stride == 1 and cin == cout

    def forward(self, x: Tensor) -> Tensor:
        y = self.layers(x)
        return x + y if self.residual else y


class Encoder(nn.Module):
    """An ImageNet network up to its 1280-channel head; returns features at strides 4, 8, 16 and 32."""

    def __init__(self, name: str = "efficientnet_lite0") -> None:
        super().__init__()
        stages = STAGES[name]
        self.stem = Conv(3, 32, 3, stride=2)
        blocks: list[InvertedResidual] = []
        cin, self.taps = 32, []
        for i, (kernel, expand, cout, repeat, stride) in enumerate(stages):
            for j in range(repeat):
                blocks.append(InvertedResidual(cin, cout, kernel, expand, stride if j == 0 else 1))
                cin = cout
            if i in TAPPED:
                self.taps.append(len(blocks) - 1)
        self.blocks = nn.ModuleList(blocks)
        self.head = Conv(cin, 1280, 1)
        self.channels = (*(stages[i][2] for i in TAPPED), 1280)

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
        """Load ImageNet weights in graph order: folded (.npz), or convolutions and batch norms to fold (.pth)."""
        convs = [m for m in self.modules() if isinstance(m, nn.Conv2d)]
        for conv, (weight, bias) in zip(convs, folded(path), strict=False):  # the classifier, last, is not used
            assert conv.weight.shape == weight.shape
            assert conv.bias is not None
            conv.weight.data, conv.bias.data = weight, bias


def folded(path: Path) -> list[tuple[Tensor, Tensor]]:
    """Weight and bias of each convolution in graph order."""
    if path.suffix == ".npz":
        with np.load(path) as file:
            stored = dict(file)
        names = sorted(n.removesuffix(".weight") for n in stored if n.endswith(".weight"))
        return [
            tuple(torch.from_numpy(stored[f"{n}.{p}"].astype(np.float32)) for p in ("weight", "bias")) for n in names
        ]
    state = torch.load(path, map_location="cpu", weights_only=True)
    weights = [(n, v) for n, v in state.items() if v.ndim == 4]
    norms = [n.removesuffix(".running_var") for n in state if n.endswith(".running_var")]
    folded = []
    for (_, weight), norm in zip(weights, norms, strict=True):
        gain = state[f"{norm}.weight"] / (state[f"{norm}.running_var"] + _BATCH_NORM_EPSILON).sqrt()
        bias = state[f"{norm}.bias"] - state[f"{norm}.running_mean"] * gain
        folded.append((weight * gain[:, None, None, None], bias))
    return folded


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


class Decoder(nn.Module):
    """Top-down pyramid over strides 32 to 4, wide where the map is small.

    Returns logits of the windows and of text at stride 4, and of `OBJECTS` at stride 8.
    """

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
        self.text = nn.Conv2d(w4, 1, 1)  # taught lines of text, so that features know them; unused at run time
        self.objects = nn.Conv2d(w8, len(OBJECTS), 1)  # likewise, taught boxes drawn by eye
        for head in (self.text, self.objects):
            assert head.bias is not None
            nn.init.constant_(head.bias, -2.0)

    def forward(self, features: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        x = self.top(self.drop(F.relu(self.lateral[3](features[3]))))
        logit = self.logit[3](x)
        for level in (2, 1, 0):
            x = F.interpolate(self.down[level](x), scale_factor=2.0, mode="bilinear", align_corners=False)
            x = F.relu(x + self.lateral[level](features[level]))
            x = self.stage[level](self.drop(x) if level == 2 else x)
            if level == 1:
                objects = self.objects(x)
            logit = F.interpolate(logit, scale_factor=2.0, mode="bilinear", align_corners=False) + self.logit[level](x)
        return logit, self.text(x), objects


class Readout(nn.Module):
    """From logits to log-densities: a sharpness, a centre prior and a blur for each domain, mixed by `share`.

    The prior is a sum of Gaussians in unit coordinates. Its weights and strength are those of the window plus those of
    the domain, so that a domain whose fixations have no times still has three windows.
    """

    means = ((0.5, 0.45), (0.5, 0.5), (0.4, 0.45), (0.6, 0.45), (0.3, 0.25))
    sigmas = ((0.25, 0.22), (0.12, 0.10), (0.15, 0.15), (0.15, 0.15), (0.25, 0.2))
    blurs = (2, 4, 8)  # cells that are averaged; all divide the sides of a map, which are multiples of 8

    def __init__(self) -> None:
        super().__init__()
        count = len(self.means)
        self.mean = nn.Parameter(torch.tensor(self.means))
        self.log_sigma = nn.Parameter(torch.tensor(self.sigmas).log())
        self.log_weight = nn.Parameter(torch.zeros(len(WINDOWS), count))
        self.domain_weight = nn.Parameter(torch.zeros(len(DOMAINS), count))
        self.strength = nn.Parameter(torch.full((len(WINDOWS),), 0.5))
        self.domain_strength = nn.Parameter(torch.zeros(len(DOMAINS)))
        self.log_sharpness = nn.Parameter(torch.zeros(len(DOMAINS)))
        self.blur = nn.Parameter(torch.tensor([[2.0, 0.0, -1.0, -2.0]]).repeat(len(DOMAINS), 1))

    def forward(self, logit: Tensor, share: Tensor) -> Tensor:
        """Log-densities (N, 3, h, w) from logits of that shape and the shares of the domains (N, D)."""
        return self.density(logit, share).clamp_min(1e-12).log()

    def density(self, logit: Tensor, share: Tensor) -> Tensor:
        """The same as densities, each of which sums to 1."""
        logit = logit * (share @ self.log_sharpness).exp()[:, None, None, None] + self.prior(logit, share)
        density = logit.flatten(2).softmax(2).reshape(logit.shape)
        mix = (share @ self.blur).softmax(1)[:, :, None, None, None]
        smooth = mix[:, 0] * density
        for i, cells in enumerate(self.blurs):
            coarse = F.avg_pool2d(density, cells)
            blurred = F.interpolate(coarse, scale_factor=float(cells), mode="bilinear", align_corners=False)
            smooth = smooth + mix[:, i + 1] * blurred
        return smooth / smooth.sum((2, 3), keepdim=True)

    def prior(self, like: Tensor, share: Tensor) -> Tensor:
        ones = torch.ones_like(like[:1, :1])
        x, y = ones.cumsum(3), ones.cumsum(2)
        x, y = (x - 0.5) / x[:, :, :, -1:], (y - 0.5) / y[:, :, -1:, :]
        mean, inv = self.mean[:, :, None, None], (-self.log_sigma).exp()[:, :, None, None]
        energy = -0.5 * (((x - mean[:, 0]) * inv[:, 0]) ** 2 + ((y - mean[:, 1]) * inv[:, 1]) ** 2)  # (1, K, h, w)
        weight = (self.log_weight[None] + (share @ self.domain_weight)[:, None]).exp()  # (N, 3, K)
        mix = weight @ energy[0].flatten(1).exp() + 1e-3
        strength = self.strength[None] + (share @ self.domain_strength)[:, None]
        shape = (like.shape[0], len(WINDOWS), like.shape[2], like.shape[3])
        return strength[:, :, None, None] * mix.log().reshape(shape)


class AttentionNet(nn.Module):
    """RGB in; log-densities of the three windows, domains and text out."""

    def __init__(self, encoder: str = "efficientnet_lite0") -> None:
        super().__init__()
        self.encoder = Encoder(encoder)
        self.decoder = Decoder(self.encoder.channels)
        self.domain = nn.Sequential(nn.Linear(2 * 1280, 64), nn.ReLU(), nn.Linear(64, len(DOMAINS)))
        self.readout = Readout()

    def features(self, rgb: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """From (N, 3, H, W) float in [0, 255]: logits (N, 3, h, w), logits of text (N, 1, h, w), of domains (N, D)."""
        logit, text, _, domain = self.taught(rgb)
        return logit, text, domain

    def taught(self, rgb: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """All that the network is taught: as `features`, with logits of objects (N, 5, h / 2, w / 2) before domains."""
        features = self.encoder(rgb / 127.5 - 1.0)
        logit, text, objects = self.decoder(features)
        top = features[-1].detach().float()  # telling domains apart does not shape the features
        domain = self.domain(torch.cat([top.mean((2, 3)), top.std((2, 3))], 1) - 0.5)
        return logit.float(), text.float(), objects.float(), domain.float()

    def forward(self, rgb: Tensor, share: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """From (N, 3, H, W): densities (N, 3, h, w) and shares of domains (N, D), stated or seen in the picture."""
        logit, _, domain = self.features(rgb)
        share = domain.softmax(1) if share is None else share
        return self.readout.density(logit, share), share
