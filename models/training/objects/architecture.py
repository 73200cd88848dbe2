"""The detector's network: an ImageNet trunk, a light pyramid over strides 8 to 64, one shared head.

Every cell has a score and a box of its own for each type, so that a logo in the middle of a product, or a face in the
middle of a person, does not compete with it for a cell. Boxes are distances to the four sides.

References
----------
Sandler et al. 2018, MobileNetV2. Liu et al. 2018, PANet (the pyramid's way down and up again). Tian et al. 2019, FCOS
(distances to the sides). Lyu et al. 2022, RTMDet (a head whose convolutions are shared and whose norms are not).
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

sys.path.append(str(Path(__file__).resolve().parents[1]))
from network import STAGES, TAPPED, Encoder

TYPES = ("product", "logo", "face", "person", "button")
STRIDES = (8, 16, 32, 64)
_RARE = 0.01  # the score that everything starts with


class Config(NamedTuple):
    """What a network is made of.

    `trunk` is a name of `network.STAGES`; `width` the channels of pyramid and head; `depth` how many blocks the pyramid
    has at strides 8, 16, 32 and 64, each way; `head` how many convolutions scores and boxes have, each of their own;
    `on_pack` whether each cell also tells a logo on a product from one that stands alone.
    """

    trunk: str = "mobilenet_v2"
    width: int = 80
    depth: tuple[int, int, int, int] = (1, 1, 1, 1)
    head: int = 2
    types: tuple[str, ...] = TYPES
    on_pack: bool = False


class Output(NamedTuple):
    """What the network says of each cell.

    logits (N, cells, types); boxes (N, cells, types, 4), x0 y0 x1 y1 px; on_pack (N, cells), logit of a logo being on a
    product, or None.
    """

    logits: Tensor
    boxes: Tensor
    on_pack: Tensor | None


class Trunk(Encoder):
    """The encoder without its 1280-channel head: features at strides 4, 8, 16 and 32."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.channels = (*(STAGES[name][i][2] for i in TAPPED), STAGES[name][-1][2])
        del self.head

    def forward(self, x: Tensor) -> list[Tensor]:
        x = self.stem(x)
        features = []
        for i, block in enumerate(self.blocks):
            x = block(x)
            if i in self.taps:
                features.append(x)
        return [*features, x]


def point(cin: int, cout: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(cin, cout, 1, bias=False), nn.BatchNorm2d(cout), nn.ReLU())


class Mix(nn.Module):
    """Depthwise `kernel` x `kernel`, expand, project, around a residual."""

    def __init__(self, width: int, kernel: int, stride: int = 1) -> None:
        super().__init__()
        self.residual = stride == 1
        self.layers = nn.Sequential(
            nn.Conv2d(width, width, kernel, stride, kernel // 2, groups=width, bias=False),
            nn.BatchNorm2d(width),
            nn.Conv2d(width, 2 * width, 1, bias=False),
            nn.BatchNorm2d(2 * width),
            nn.ReLU(),
            nn.Conv2d(2 * width, width, 1, bias=False),
            nn.BatchNorm2d(width),
        )

    def forward(self, x: Tensor) -> Tensor:
        y = self.layers(x)
        return F.relu(x + y) if self.residual else F.relu(y)


class Pyramid(nn.Module):
    """What strides 8, 16, 32 and 64 know of each other: coarse to fine, then fine to coarse."""

    def __init__(self, channels: tuple[int, ...], width: int, depth: tuple[int, int, int, int]) -> None:
        super().__init__()

        def mixes(level: int, kernel: int) -> nn.Module:
            blocks = [Mix(width, kernel) for _ in range(depth[level])]
            return blocks[0] if len(blocks) == 1 else nn.Sequential(*blocks)

        # small marks and faces: what stride 4 knows, added to stride 8; nothing to begin with
        self.fine = nn.Conv2d(channels[0], width, 3, 2, 1, bias=False)
        nn.init.zeros_(self.fine.weight)
        self.lateral = nn.ModuleList(point(c, width) for c in channels[1:])
        self.coarsest = Mix(width, 5, stride=2)
        self.top = mixes(3, 5)
        self.down = nn.ModuleList(mixes(level, 5) for level in (2, 1, 0))  # to strides 32, 16, 8
        self.shrink = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(width, width, 3, 2, 1, groups=width, bias=False), nn.BatchNorm2d(width), point(width, width)
            )
            for _ in range(3)
        )
        self.up = nn.ModuleList(mixes(level, k) for level, k in ((1, 3), (2, 5), (3, 5)))  # at strides 16, 32, 64

    def forward(self, features: list[Tensor]) -> list[Tensor]:
        c8, c16, c32 = (lateral(f) for lateral, f in zip(self.lateral, features[1:], strict=True))
        c8 = c8 + self.fine(features[0])
        p = [self.top(self.coarsest(c32))]
        for mix, c in zip(self.down, (c32, c16, c8), strict=True):
            p.insert(0, mix(c + F.interpolate(p[0], size=c.shape[2:], mode="nearest")))
        out = [p[0]]
        for shrink, mix, finer in zip(self.shrink, self.up, p[1:], strict=True):
            out.append(mix(finer + shrink(out[-1])))
        return out


class SharedConv(nn.Module):
    """Depthwise 3x3 and 1x1, the same at every level, each level with a norm of its own."""

    def __init__(self, width: int, kernel: int = 3) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, kernel, padding=kernel // 2, groups=width, bias=False)
        self.point = nn.Conv2d(width, width, 1, bias=False)
        self.norm = nn.ModuleList(nn.BatchNorm2d(width) for _ in STRIDES)

    def forward(self, x: Tensor, level: int) -> Tensor:
        return F.relu(self.norm[level](self.point(self.depthwise(x))))


class Head(nn.Module):
    """Scores and boxes of every type at every cell."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.types = len(config.types)
        self.what = nn.ModuleList(SharedConv(config.width) for _ in range(config.head))
        self.where = nn.ModuleList(SharedConv(config.width) for _ in range(config.head))
        self.score = nn.Conv2d(config.width, self.types, 1)
        self.sides = nn.Conv2d(config.width, 4 * self.types, 1)
        self.on_pack = nn.Conv2d(config.width, 1, 1) if config.on_pack else None
        assert self.score.bias is not None
        assert self.sides.bias is not None
        nn.init.normal_(self.score.weight, std=0.01)
        nn.init.constant_(self.score.bias, math.log(_RARE / (1 - _RARE)))
        nn.init.normal_(self.sides.weight, std=0.001)
        nn.init.zeros_(self.sides.bias)

    def forward(self, x: Tensor, level: int) -> tuple[Tensor, Tensor, Tensor | None]:
        """Score logits (N, cells, types), distances to left, top, right, bottom (…, types, 4) px, on_pack."""
        what = where = x
        for a, b in zip(self.what, self.where, strict=True):
            what, where = a(what, level), b(where, level)
        score = self.score(what).permute(0, 2, 3, 1).flatten(1, 2)
        sides = self.sides(where).permute(0, 2, 3, 1).flatten(1, 2)
        # exp(0) puts each side two strides away: a box of four strides to begin with
        distances = sides.unflatten(2, (self.types, 4)).float().clamp(-4, 3).exp() * (2 * STRIDES[level])
        return score, distances, None if self.on_pack is None else self.on_pack(what).flatten(1)


class Detector(nn.Module):
    """RGB in; scores and boxes of every type at every cell out."""

    def __init__(self, config: Config = Config()) -> None:  # noqa: B008
        super().__init__()
        self.config = config
        self.trunk = Trunk(config.trunk)
        self.pyramid = Pyramid(self.trunk.channels, config.width, config.depth)
        self.head = Head(config)

    def forward(self, rgb: Tensor) -> Output:
        """(N, 3, H, W) float in [0, 255], sides multiples of 32, to what is seen at every cell."""
        levels = self.pyramid(self.trunk(rgb / 127.5 - 1.0))
        logits, boxes, on_pack = [], [], []
        for level, x in enumerate(levels):
            score, sides, pack = self.head(x, level)
            at = centres(x.shape[2], x.shape[3], STRIDES[level], x.device)[None, :, None]
            logits.append(score)
            boxes.append(torch.cat([at - sides[..., :2], at + sides[..., 2:]], -1))
            on_pack += [] if pack is None else [pack]
        return Output(
            torch.cat(logits, 1).float(), torch.cat(boxes, 1), torch.cat(on_pack, 1).float() if on_pack else None
        )


def load(*files: Path) -> Detector:
    """The network of a run's averaged weights; of several runs of one config their mean."""
    states = [torch.load(path, map_location="cpu", weights_only=True) for path in files]
    facts = states[0].get("config")  # not in checkpoints of train_detector.py, whose network is the plain one
    config = Config(**{**facts, "depth": tuple(facts["depth"]), "types": tuple(facts["types"])}) if facts else Config()
    averages = [state["average"] for state in states]
    mean = {
        name: torch.stack([average[name].float() for average in averages]).mean(0) if v.is_floating_point() else v
        for name, v in averages[0].items()
    }
    net = Detector(config)
    net.load_state_dict(mean)
    return net.eval()


def centres(rows: int, columns: int, stride: int, device: torch.device | str = "cpu") -> Tensor:
    """Middles of the cells of a grid, row by row: (cells, 2) x, y in px."""
    y, x = torch.meshgrid(torch.arange(rows, device=device), torch.arange(columns, device=device), indexing="ij")
    return (torch.stack([x, y], -1).reshape(-1, 2).float() + 0.5) * stride


def grid(height: int, width: int, device: torch.device | str = "cpu") -> tuple[Tensor, Tensor]:
    """Middle of every cell of every level, (cells, 2), and its stride, (cells,), px; in the order of the outputs."""
    at, strides = [], []
    rows, columns = height, width
    for stride in STRIDES:
        rows, columns = -(-height // stride), -(-width // stride)
        at.append(centres(rows, columns, stride, device))
        strides.append(torch.full((rows * columns,), float(stride), device=device))
    return torch.cat(at), torch.cat(strides)
