"""Ensemble opinions for distillation: `python models/training/distil.py --data DIR --out FILE.npz CHECKPOINT...`.

The mean of several networks' densities, each of the picture at several sizes and mirrored, is a better teacher than
any of them; a single network that learns from it keeps most of the gain at the cost of one.

Nobody has looked at the designs and pages. There the opinion is read out as for ads, made as flat as importance maps of
designs and gaze on pages are (a power and a blur), and part of it is put on lines of text, by their height.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from batches import bucket
from corpus import Picture, read
from export import load
from network import DOMAINS, AttentionNet
from torch import Tensor
from train import device_and_precision

POWER = {"design": 0.6, "page": 0.8}
BLUR = {"design": 0.012, "page": 0.008}
TEXT = 0.15
"""Power of the density, its blur (share of the long side), and the share of its mass on lines of text.

On the web pages of dev these raise a member's CC from .688 to .717; powers of .75 to .9 and blurs of .006 to .02 are
within .004 of each other.
Nobody looked at designs: theirs raised the CC with importance maps in an earlier, independent measurement.
"""

TEXT_BLUR = 0.012


LOOKS = ((196_608, False), (110_592, True), (83_968, False))
"""Area, px², and whether it is the mirror image. On dev, sizes that differ much add most to each other."""


@torch.no_grad()
def opinion(nets: list[AttentionNet], picture: Picture, share: Tensor, *, pixels: int, mirrored: bool) -> np.ndarray:
    """Mean densities (3, h, w) float32 of the networks on a picture shown at `pixels` px².

    `share` (D,) are the domains that it is read out as.
    """
    device, precision = device_and_precision()
    h, w = bucket(picture.rgb.shape[1], picture.rgb.shape[0], pixels)
    rgb = cv2.resize(
        picture.rgb, (w, h), interpolation=cv2.INTER_AREA if h * w < picture.rgb.size / 3 else cv2.INTER_CUBIC
    )
    shown = np.ascontiguousarray(rgb[:, ::-1] if mirrored else rgb)
    x = torch.from_numpy(shown)[None].to(device).permute(0, 3, 1, 2).float()
    total = torch.zeros(())
    for net in nets:
        with torch.autocast(device.type, precision or torch.bfloat16, enabled=precision is not None):
            logit, _, _ = net.features(x.contiguous(memory_format=torch.channels_last))
        logit = logit.flip(3) if mirrored else logit  # the prior of pages is not symmetric: read out upright
        total = total + net.readout.density(logit, share.to(device)[None])[0].cpu()
    return (total / len(nets)).numpy().astype(np.float32)


def joint_opinion(nets: list[AttentionNet], picture: Picture) -> np.ndarray:
    """Mean over `LOOKS`, on the grid of the first; values are relative to the mean cell, to suit float16."""
    unseen = picture.domain[[DOMAINS.index("design"), DOMAINS.index("page")]].sum() > 0
    share = torch.from_numpy(np.eye(len(DOMAINS), dtype=np.float32)[DOMAINS.index("ad")] if unseen else picture.domain)
    views = [opinion(nets, picture, share, pixels=area, mirrored=turned) for area, turned in LOOKS]
    h, w = views[0].shape[1:]
    scaled = [np.stack([cv2.resize(m, (w, h), interpolation=cv2.INTER_LINEAR) for m in view]) for view in views]
    mean = np.mean([view / view.sum((1, 2), keepdims=True) for view in scaled], 0)
    if unseen:
        design, page = (float(picture.domain[DOMAINS.index(name)]) for name in ("design", "page"))
        name = "page" if page > design else "design"
        mean = np.stack([softened(density, picture.lines, POWER[name], BLUR[name]) for density in mean])
    return np.asarray(mean * h * w)


def softened(density: np.ndarray, lines: np.ndarray | None, power: float, blur: float) -> np.ndarray:
    """A density (h, w) made flatter, smoother, and partly laid on lines of text."""
    flat = cv2.GaussianBlur(density**power, (0, 0), blur * max(density.shape))
    flat /= flat.sum()
    if lines is None or not len(lines):
        return np.asarray(flat)
    text = text_density(lines, density.shape)
    return np.asarray((1 - TEXT) * flat + TEXT * text)


def text_density(lines: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Lines (n, 4, 2) of text as a density (h, w): each cell weighs as much as its line is high."""
    h, w = shape
    text = np.full((h, w), 1e-9, np.float32)
    for quad in lines * (w, h):
        height = min(np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(quad[1] - quad[0]))
        line = np.zeros((h, w), np.float32)
        cv2.fillConvexPoly(line, np.round((quad - 0.5) * 16).astype(np.int32), float(height), shift=4)
        text = np.maximum(text, line)
    text = cv2.GaussianBlur(text, (0, 0), TEXT_BLUR * max(h, w))
    return text / text.sum()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoints", type=Path, nargs="+")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lines", type=Path, help="lines of text, from appearance_lines.py")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    torch.set_flush_denormal(True)
    nets = [
        load(path).to(device_and_precision()[0], memory_format=torch.channels_last).eval() for path in args.checkpoints
    ]
    pictures, sides = read(args.data, args.lines)
    chosen = [p for p in pictures if sides[p.set, p.name] != "held_out"]
    np.savez(args.out, **{f"{p.set}/{p.name}": joint_opinion(nets, p).astype(np.float16) for p in chosen})


if __name__ == "__main__":
    main()
