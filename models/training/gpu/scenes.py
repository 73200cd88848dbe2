"""Training pictures composed on the device: a picture cut, zoomed and mirrored, with parts of others pasted onto it.

Everything of a batch is one tensor operation, so that a GPU is fed by itself: pictures lie in its memory at three
resolutions, and a batch is a few samplings of them. What is pasted covers what is below: boxes of which little is still
seen become zones in which nothing is learned, as does what cannot be told from its ground.

References
----------
Ghiasi et al. 2021, Simple Copy-Paste. Williams 1983, pyramidal parametrics (the layout of the resolutions).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from labelled import CELLS, TYPES, Labelled, read_rgb, source_shares
from torch import Tensor

sys.path.append(str(Path(__file__).resolve().parents[1] / "objects"))
from loss import Truth

LEVELS = 4  # resolutions of a picture, each half of the one before
LAYERS = 4  # things pasted onto a picture at most
LEAST_SEEN, LEAST_PX = 0.4, 3.0  # share and shorter side of a box that is still asked for
LEAST_CONTRAST = 14.0  # grey levels between a pasted thing and what it covers, from which on it can be seen

SHARES = {"drawn": 0.4, "marketplace": 0.24, "pages": 0.16, "photographs": 0.2}
"""How often a picture of each source is the ground."""
ZOOM = {"drawn": (0.45, 1.2), "marketplace": (0.5, 1.3), "pages": (0.45, 1.15), "photographs": (0.4, 1.2)}
"""Share of the picture that is seen, along its longer side."""
MIRRORED = {"drawn": 0.35, "marketplace": 0.4, "pages": 0.25, "photographs": 0.5}
CLOSE, CLOSE_SHARE = 0.2, (0.15, 0.9)  # how often one box is looked at closely, and its share of the frame
PASTED = {"product": 0.3, "logo": 0.28, "face": 0.08, "person": 0.06, "button": 0.12, "animal": 0.08, "picture": 0.08}
"""Shares of what is pasted; a picture is pasted whole, as an ad is into a page."""
EXTENT = {
    "product": (0.12, 0.6), "logo": (0.04, 0.35), "face": (0.05, 0.3), "person": (0.2, 0.7), "button": (0.06, 0.3),
    "animal": (0.12, 0.6), "picture": (0.3, 0.75),
}  # fmt: skip
"""Side of a square of the same area, as a share of that of the frame."""
LARGEST_ZOOM = 3.0  # of what is pasted
PASTE = 0.4  # probability of each layer

PICTURE = len(TYPES)  # the "type" of a part that is a whole picture


@dataclass(frozen=True)
class Stock:
    """All pictures and parts, on the device.

    Rows of boxes and zones are filled up with type -1. Sizes: P pictures, R parts, S the longest side in px.
    """

    atlas: Tensor  # (P, 3, S, 3 S / 2) uint8: level 0 at the left, the others beside it
    extent: Tensor  # (P, 2) width and height, px
    boxes: Tensor  # (P, B, 4) x0, y0, x1, y1 px
    types: Tensor  # (P, B) int64
    on_pack: Tensor  # (P, B)
    zones: Tensor  # (P, Z, 4) px
    zone_types: Tensor  # (P, Z) int64
    share: Tensor  # (P,) how often each is the ground
    zoom: Tensor  # (P, 2) natural logarithms of least and greatest
    mirrored: Tensor  # (P,) probability
    part_picture: Tensor  # (R,) int64
    part_box: Tensor  # (R, 4) px
    part_type: Tensor  # (R,) int64
    part_mask: Tensor  # (R, 1, CELLS, CELLS) uint8
    part_share: Tensor  # (R,) how often each is pasted

    @property
    def side(self) -> int:
        """S."""
        return int(self.atlas.shape[2])

    def to(self, device: torch.device) -> Stock:
        """The same on another device."""
        return Stock(**{f.name: getattr(self, f.name).to(device) for f in fields(self)})


def stock(data: Path, pictures: Sequence[Labelled], parts: np.ndarray, side: int) -> Stock:
    """Read pictures, and products that are parts alone, at a longest side of `side` px (a multiple of 8)."""
    paths = {picture.path for picture in pictures}
    everything = [*pictures, *(alone(row) for row in parts if str(row["picture"]) not in paths)]
    atlas = torch.zeros(len(everything), 3, side, side * 3 // 2, dtype=torch.uint8)
    extent = np.zeros((len(everything), 2), np.float32)
    for i, picture in enumerate(everything):
        rgb = read_rgb(data / picture.path)
        scale = min(1.0, side / max(rgb.shape[:2]))
        if scale < 1:
            rgb = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        extent[i] = rgb.shape[1], rgb.shape[0]
        lay_out(rgb, atlas[i])
    index = {picture.path: i for i, picture in enumerate(everything)}
    boxes, types, extra = _rows([(p.boxes, p.on_pack) for p in everything], extent)
    zones, zone_types, _ = _rows([(p.zones, np.zeros(len(p.zones))) for p in everything], extent)
    of_part = np.array([index[str(name)] for name in parts["picture"]], np.int64)
    whole = np.flatnonzero([p.source in ("drawn", "marketplace", "pages") and not p.dev for p in everything])
    part_type = np.concatenate([parts["type"].astype(np.int64), np.full(len(whole), PICTURE)])
    names = (*TYPES, "picture")
    part_share = np.array([PASTED[names[kind]] / (part_type == kind).sum() for kind in part_type])
    size = np.tile(extent, 2)
    unit = np.tile(np.array([0, 0, 1, 1], np.float32), (len(whole), 1))
    zoom = np.log([ZOOM.get(p.source, (1.0, 1.0)) for p in everything])
    shares = source_shares(pictures, SHARES)
    return Stock(
        atlas, torch.from_numpy(extent), boxes, types, extra, zones, zone_types,
        torch.from_numpy(np.pad(shares, (0, len(everything) - len(pictures)))).float(), torch.from_numpy(zoom).float(),
        torch.tensor([MIRRORED.get(p.source, 0.0) for p in everything]),
        torch.from_numpy(np.concatenate([of_part, whole])),
        torch.from_numpy(np.concatenate([parts["box"] * size[of_part], unit * size[whole]])).float(),
        torch.from_numpy(part_type),
        torch.from_numpy(np.concatenate([parts["mask"], np.full((len(whole), CELLS, CELLS), 255, np.uint8)])[:, None]),
        torch.from_numpy(part_share / part_share.sum()).float(),
    )  # fmt: skip


def alone(row: np.ndarray) -> Labelled:
    """The picture of a product by itself, of which nothing else is known."""
    kind = int(row["type"])
    doubtful = np.array([[other, 0.0, 0.0, 1.0, 1.0] for other in range(len(TYPES)) if other != kind])
    return Labelled(str(row["picture"]), "alone", True, np.array([[kind, *row["box"]]]), doubtful, np.array([-1.0]))


def lay_out(rgb: np.ndarray, canvas: Tensor) -> None:
    """A picture and its halves into a row of the atlas."""
    side = canvas.shape[1]
    x, y = 0, 0
    for level in range(LEVELS):
        canvas[:, y : y + rgb.shape[0], x : x + rgb.shape[1]] = torch.from_numpy(rgb).permute(2, 0, 1)
        x, y = side, side - (side >> level)
        half = (max(1, -(-rgb.shape[1] // 2)), max(1, -(-rgb.shape[0] // 2)))
        rgb = cv2.resize(rgb, half, interpolation=cv2.INTER_AREA)


def _rows(rows: list[tuple[np.ndarray, np.ndarray]], extent: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:
    """Corners in px (P, n, 4), types (P, n) and a value each (P, n), filled up with type -1."""
    most = max(1, *(len(r) for r, _ in rows))
    corners, types = np.zeros((len(rows), most, 4), np.float32), np.full((len(rows), most), -1)
    values = np.full((len(rows), most), -1.0, np.float32)
    for i, (r, extra) in enumerate(rows):
        corners[i, : len(r)] = r[:, 1:] * np.tile(extent[i], 2)
        types[i, : len(r)], values[i, : len(r)] = r[:, 0], extra
    return torch.from_numpy(corners), torch.from_numpy(types), torch.from_numpy(values)


@dataclass(frozen=True)
class Placing:
    """Where pictures lie in frames: x in the picture = start + step · x in the frame; the step is negative if mirrored.

    start, step: (N, 2) px of the picture.
    """

    start: Tensor
    step: Tensor

    def boxes(self, corners: Tensor) -> Tensor:
        """Boxes (N, n, 4) of the pictures, px, in the frames."""
        ends = (corners.unflatten(-1, (2, 2)) - self.start[:, None, None]) / self.step[:, None, None]
        return torch.cat([ends.amin(2), ends.amax(2)], -1)


def covered(boxes: Tensor, others: Tensor) -> Tensor:
    """Share of the boxes (N, n, 4) that is inside of others (N, 1, 4) or (N, n, 4)."""
    low, high = torch.maximum(boxes[..., :2], others[..., :2]), torch.minimum(boxes[..., 2:], others[..., 2:])
    return (high - low).clamp_min(0).prod(-1) / (boxes[..., 2:] - boxes[..., :2]).clamp_min(0).prod(-1).clamp_min(1e-6)


def clipped(boxes: Tensor, others: Tensor) -> Tensor:
    """The boxes, cut to the others."""
    low = torch.maximum(boxes[..., :2], others[..., :2])
    return torch.cat([low, torch.maximum(low, torch.minimum(boxes[..., 2:], others[..., 2:]))], -1)


def sample(atlas: Tensor, extent: Tensor, placing: Placing, size: tuple[int, int]) -> tuple[Tensor, Tensor, Tensor]:
    """Frames (N, 3, H, W) 0-255 of pictures, and where in them their columns (N, W) and rows (N, H) are, px."""
    side = atlas.shape[2]
    x, y = (
        placing.start[:, k, None] + placing.step[:, k, None] * (torch.arange(n, device=atlas.device) + 0.5)
        for k, n in ((0, size[1]), (1, size[0]))
    )
    level = placing.step.abs().amax(1).clamp_min(1.0).log2().round().clamp_max(LEVELS - 1)
    shrunk = 2.0 ** level[:, None]
    beside = (level[:, None] > 0).float()
    # half a pixel of the level from the edge, so that nothing of the neighbour in the atlas is seen
    ax = (x / shrunk).clamp_min(0.5).minimum(extent[:, :1] / shrunk - 0.5) + beside * side
    ay = (y / shrunk).clamp_min(0.5).minimum(extent[:, 1:] / shrunk - 0.5) + beside * (side - 2 * side / shrunk)
    grid = torch.stack(
        [
            (2 * ax / atlas.shape[3] - 1)[:, None].expand(-1, size[0], -1),
            (2 * ay / side - 1)[..., None].expand(-1, -1, size[1]),
        ],
        -1,
    )
    return F.grid_sample(atlas.float(), grid, align_corners=False, padding_mode="border"), x, y


class Composer:
    """Draws batches from a stock; a batch depends on the stock, the seed and its number alone."""

    def __init__(self, stock: Stock, seed: int) -> None:
        self.stock, self.seed = stock, seed
        self.rng = torch.Generator(stock.atlas.device)

    def batch(self, number: int, count: int, size: tuple[int, int]) -> tuple[Tensor, Truth]:
        """`count` frames of (height, width) px, (N, 3, H, W) 0-255, and what is in them."""
        self.rng.manual_seed(self.seed * 1_000_003 + number)
        s = self.stock
        chosen = torch.multinomial(s.share, count, replacement=True, generator=self.rng)
        placing = self.ground(chosen, size)
        rgb, x, y = sample(s.atlas[chosen], s.extent[chosen], placing, size)
        inside = (
            self._between(x, s.extent[chosen, :1])[:, None, None, :]
            * self._between(y, s.extent[chosen, 1:])[:, None, :, None]
        )
        rgb = rgb * inside + self.uniform(count, 3, 1, 1) * 255 * (1 - inside)
        frame = rgb.new_tensor([0, 0, size[1], size[0]])
        whole = torch.cat([torch.zeros_like(s.extent[chosen]), s.extent[chosen]], 1)[:, None]
        picture = clipped(placing.boxes(whole), frame)
        scene = _Scene.of(s, chosen, placing, picture, frame)
        for _ in range(LAYERS):
            rgb, scene = self.paste(rgb, scene, size, frame)
        return self.recoloured(rgb), scene.truth()

    def uniform(self, *shape: int) -> Tensor:
        """Numbers in [0, 1)."""
        return torch.rand(*shape, generator=self.rng, device=self.stock.atlas.device)

    @staticmethod
    def _between(values: Tensor, most: Tensor) -> Tensor:
        return ((values >= 0) & (values < most)).float()

    def ground(self, chosen: Tensor, size: tuple[int, int]) -> Placing:
        """What of each picture is seen: most of it, filling the frame, inside of it or between; or one box closely."""
        s, count = self.stock, len(chosen)
        extent, frame = s.extent[chosen], s.extent.new_tensor([size[1], size[0]])
        stretch = torch.randn(count, 1, generator=self.rng, device=frame.device).mul(0.08).exp() ** frame.new_tensor(
            [0.5, -0.5]
        )
        fits = (
            (extent / (frame * stretch)).amin(1),
            (extent / (frame * stretch)).amax(1),
        )  # px of the picture a px of the frame
        share = (s.zoom[chosen, 0] + self.uniform(count) * (s.zoom[chosen, 1] - s.zoom[chosen, 0])).exp()
        step = torch.lerp(*fits, self.uniform(count)) * share
        # a close look: one of the boxes takes a share of the frame
        there = (s.types[chosen] >= 0).float()
        row = torch.multinomial(there + (there.sum(1, keepdim=True) == 0), 1, generator=self.rng)[:, 0]
        box = s.boxes[chosen, row]
        low, high = (math.log(v) for v in CLOSE_SHARE)
        of_frame = (low + self.uniform(count) * (high - low)).exp()
        near = ((box[:, 2:] - box[:, :2]) / (frame * of_frame[:, None])).amax(1)
        near = near.maximum(fits[1] / 6).minimum(fits[1] * 1.3)
        close = (self.uniform(count) < CLOSE) & (there.sum(1) > 0)
        step = (torch.where(close, near, step)[:, None] * stretch).expand(-1, 2)
        window = step * frame
        room = extent - window
        at = self.uniform(count, 2)
        start = room.clamp_max(0) + at * (room.clamp_min(0) - room.clamp_max(0))
        slack = window - (box[:, 2:] - box[:, :2])
        start = torch.where(close[:, None], box[:, :2] - at * slack.clamp_min(0) - 0.5 * slack.clamp_max(0), start)
        flip = self.uniform(count) < s.mirrored[chosen]
        return self.mirrored(start, step, flip, frame)

    @staticmethod
    def mirrored(start: Tensor, step: Tensor, flip: Tensor, frame: Tensor) -> Placing:
        """The placing, left and right exchanged where `flip` says so."""
        across = torch.where(flip, -step[:, 0], step[:, 0])
        left = torch.where(flip, start[:, 0] + step[:, 0] * frame[0], start[:, 0])
        return Placing(torch.stack([left, start[:, 1]], 1), torch.stack([across, step[:, 1]], 1))

    def paste(self, rgb: Tensor, scene: _Scene, size: tuple[int, int], frame: Tensor) -> tuple[Tensor, _Scene]:
        """Put a part onto each frame, or onto some of them."""
        s, count = self.stock, len(rgb)
        part = torch.multinomial(s.part_share, count, replacement=True, generator=self.rng)
        box, kind, picture = s.part_box[part], s.part_type[part], s.part_picture[part]
        extent = box[:, 2:] - box[:, :2]
        limits = torch.tensor([EXTENT[name] for name in (*TYPES, "picture")], device=rgb.device).log()[kind]
        side = (limits[:, 0] + self.uniform(count) * (limits[:, 1] - limits[:, 0])).exp() * math.sqrt(size[0] * size[1])
        zoom = (side / extent.prod(1).sqrt()).clamp_max(LARGEST_ZOOM)
        zoom = zoom.minimum(0.95 * (frame[2:] / extent).amin(1))
        shown = extent * zoom[:, None]
        at = (frame[2:] + 0.2 * shown) * self.uniform(count, 2) - 0.1 * shown - shown * self.uniform(count, 2)
        at = at.maximum(-0.1 * shown).minimum(frame[2:] - 0.9 * shown)
        used = self.uniform(count) < PASTE
        step = (1 / zoom)[:, None].expand(-1, 2)
        start = box[:, :2] - at * step
        target = torch.cat([at, at + shown], 1)
        flip = (self.uniform(count) < 0.4) & (kind != TYPES.index("logo")) & (kind != TYPES.index("button"))
        # mirrored around the middle of where it lands
        left = torch.where(flip, box[:, 2] + at[:, 0] * step[:, 0], start[:, 0])
        across = torch.where(flip, -step[:, 0], step[:, 0])
        placing = Placing(torch.stack([left, start[:, 1]], 1), torch.stack([across, step[:, 1]], 1))
        layer, x, y = sample(s.atlas[picture], s.extent[picture], placing, size)
        alpha = self.mask(part, box, x, y) * used[:, None, None, None]
        layer = self.tinted(layer, kind)
        contrast = ((layer - rgb).abs().amax(1, keepdim=True) * alpha).sum((1, 2, 3)) / alpha.sum((1, 2, 3)).clamp_min(
            1e-6
        )
        opacity = s.part_mask[part].float().mean((1, 2, 3)) / 255
        placed = scene.with_layer(
            s, part, picture, box, placing, target, used, contrast >= LEAST_CONTRAST, opacity, frame
        )
        return torch.lerp(rgb, layer, alpha), placed

    def mask(self, part: Tensor, box: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """How much of each pixel is the part, (N, 1, H, W) 0-1."""
        extent = box[:, 2:] - box[:, :2]
        gx, gy = ((v - box[:, k, None]) / extent[:, k, None] * 2 - 1 for k, v in ((0, x), (1, y)))
        grid = torch.stack([gx[:, None].expand(-1, y.shape[1], -1), gy[..., None].expand(-1, -1, x.shape[1])], -1)
        soft = F.grid_sample(self.stock.part_mask[part].float() / 255, grid, align_corners=False, padding_mode="border")
        within = ((gx.abs() <= 1).float()[:, None, None, :]) * ((gy.abs() <= 1).float()[:, None, :, None])
        return soft * within

    def tinted(self, layer: Tensor, kind: Tensor) -> Tensor:
        """Parts in other light; some logos in other colours, or as their negative."""
        count = len(layer)
        logo = (kind == TYPES.index("logo"))[:, None, None, None].float()
        gain = 1 + (self.uniform(count, 3, 1, 1) - 0.5) * (0.2 + 0.5 * logo)
        negative = (self.uniform(count, 1, 1, 1) < 0.15).float() * logo
        return (torch.lerp(layer, 255 - layer, negative) * gain).clamp(0, 255)

    def recoloured(self, rgb: Tensor) -> Tensor:
        """Gain, offset, gamma and saturation of whole frames; some grey, some noisy, some blurred."""
        count = len(rgb)
        gain = 1 + (self.uniform(count, 3, 1, 1) - 0.5) * 0.16 + (self.uniform(count, 1, 1, 1) - 0.5) * 0.4
        offset = (self.uniform(count, 1, 1, 1) - 0.5) * 40
        gamma = ((self.uniform(count, 1, 1, 1) - 0.5) * 0.6).exp()
        rgb = ((rgb / 255).clamp_min(1e-4) ** gamma * 255 * gain + offset).clamp(0, 255)
        grey = (rgb * rgb.new_tensor([0.299, 0.587, 0.114])[:, None, None]).sum(1, keepdim=True)
        saturation = 0.5 + 0.9 * self.uniform(count, 1, 1, 1)
        rgb = grey + (rgb - grey) * saturation * (self.uniform(count, 1, 1, 1) < 0.92)
        blurred = F.interpolate(F.avg_pool2d(rgb, 2), scale_factor=2.0, mode="bilinear", align_corners=False)
        rgb = torch.lerp(rgb, blurred, (self.uniform(count, 1, 1, 1) < 0.08).float())
        noise = torch.randn(rgb.shape, generator=self.rng, device=rgb.device)
        return (rgb + noise * 8 * self.uniform(count, 1, 1, 1) * (self.uniform(count, 1, 1, 1) < 0.2)).clamp(0, 255)


@dataclass(frozen=True)
class _Scene:
    """What is in the frames while they are composed; `seen` (N, n) is the share of each box that is not hidden."""

    boxes: Tensor
    types: Tensor
    on_pack: Tensor
    seen: Tensor
    zones: Tensor
    zone_types: Tensor

    @classmethod
    def of(cls, s: Stock, chosen: Tensor, placing: Placing, picture: Tensor, frame: Tensor) -> _Scene:
        """What of the pictures `chosen` is seen in frames of which they take the boxes `picture` (N, 1, 4)."""
        boxes = placing.boxes(s.boxes[chosen])
        zones = placing.boxes(s.zones[chosen])
        zone_types = torch.where(covered(zones, picture) > 0, s.zone_types[chosen], -1)
        return cls(
            clipped(boxes, frame), s.types[chosen], s.on_pack[chosen], covered(boxes, frame),
            clipped(zones, picture), zone_types,
        )  # fmt: skip

    def with_layer(
        self, s: Stock, part: Tensor, picture: Tensor, box: Tensor, placing: Placing, target: Tensor, used: Tensor,
        visible: Tensor, opacity: Tensor, frame: Tensor,
    ) -> _Scene:  # fmt: skip
        """The scene with parts laid on it: they hide what they cover, and bring what of their picture they show."""
        hides = covered(self.boxes, clipped(target[:, None], frame)) * opacity[:, None] * used[:, None]
        shows = covered(s.boxes[picture], box[:, None])
        boxes = placing.boxes(clipped(s.boxes[picture], box[:, None]))
        share = covered(boxes, frame) * shows
        brings = used[:, None] & (shows >= 0.9)
        types = torch.where(brings, s.types[picture], -1)
        # a logo that was alone may now lie on a product, and nobody can say of those pasted before
        whole = (s.part_type[part] == PICTURE)[:, None]
        on_pack = torch.where(whole | (s.on_pack[picture] == 1), s.on_pack[picture], -1.0)
        share = torch.where(visible[:, None], share, share.clamp_max(LEAST_SEEN / 2))
        zones = placing.boxes(s.zones[picture])
        inside = clipped(target[:, None], frame)
        zone_types = torch.where(used[:, None] & (covered(zones, inside) > 0), s.zone_types[picture], -1)
        return _Scene(
            torch.cat([self.boxes, clipped(boxes, frame)], 1),
            torch.cat([self.types, types], 1),
            torch.cat([self.on_pack, on_pack], 1),
            torch.cat([self.seen * (1 - hides), share], 1),
            torch.cat([self.zones, clipped(zones, inside)], 1),
            torch.cat([self.zone_types, zone_types], 1),
        )

    def truth(self) -> Truth:
        """Boxes of which enough is seen; of which less is, zones."""
        there = self.types >= 0
        large = (self.boxes[..., 2:] - self.boxes[..., :2]).amin(-1) >= LEAST_PX
        asked = there & large & (self.seen >= LEAST_SEEN)
        doubtful = there & ~asked & (self.seen > 0)
        objects, types, on_pack = _front(self.boxes, torch.where(asked, self.types, -1), self.on_pack)
        zones = torch.cat([self.zones, self.boxes], 1)
        zone_types = torch.cat([self.zone_types, torch.where(doubtful, self.types, -1)], 1)
        zones, zone_types, _ = _front(zones, zone_types, torch.zeros_like(zone_types, dtype=torch.float32))
        return Truth(objects, types, zones, zone_types, on_pack)


def _front(boxes: Tensor, types: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The rows whose type is not -1, first; as many as the fullest picture has."""
    most = int((types >= 0).sum(1).max())
    order = (types < 0).to(torch.int8).argsort(dim=1, stable=True)[:, :most]
    return boxes.gather(1, order[..., None].expand(-1, -1, 4)), types.gather(1, order), values.gather(1, order)
