"""Ensemble opinions for distillation: `python models/training/distil.py --data DIR --out FILE.npz CHECKPOINT...`.

The mean of several networks' densities, each seen plain and mirrored, is a better teacher than any of them; a single
network that learns from it keeps most of the gain at the cost of one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from batches import bucket
from corpus import Picture, read
from network import AttentionNet
from train import device_and_precision


@torch.no_grad()
def opinion(nets: list[AttentionNet], picture: Picture, pixels: int) -> np.ndarray:
    """Mean densities (3, h, w) float32 of the networks on a picture shown at `pixels` px², and on its mirror image."""
    device, precision = device_and_precision()
    h, w = bucket(picture.rgb.shape[1], picture.rgb.shape[0], pixels)
    rgb = cv2.resize(
        picture.rgb, (w, h), interpolation=cv2.INTER_AREA if h * w < picture.rgb.size / 3 else cv2.INTER_CUBIC
    )
    both = torch.from_numpy(np.stack([rgb, rgb[:, ::-1]])).to(device).permute(0, 3, 1, 2).float()
    total = 0.0
    for net in nets:
        with torch.autocast(device.type, precision or torch.bfloat16, enabled=precision is not None):
            logits = net.logits(both.contiguous(memory_format=torch.channels_last)).float()
        p = logits.flatten(2).softmax(2).reshape(logits.shape)
        total = total + (p[0] + p[1].flip(-1)) / 2
    return (total / len(nets)).cpu().numpy().astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoints", type=Path, nargs="+")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pixels", type=int, nargs="+", default=[147_456, 110_592], help="areas to show pictures at")
    args = parser.parse_args()
    torch.set_flush_denormal(True)
    nets = []
    for path in args.checkpoints:
        net = AttentionNet()
        net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True)["average"])
        nets.append(net.to(device_and_precision()[0], memory_format=torch.channels_last).eval())
    pictures, sides = read(args.data)
    chosen = [p for p in pictures if sides[p.set, p.name] != "held_out"]
    np.savez(args.out, **{f"{p.set}/{p.name}": joint_opinion(nets, p, args.pixels).astype(np.float16) for p in chosen})


def joint_opinion(nets: list[AttentionNet], picture: Picture, areas: list[int]) -> np.ndarray:
    """Mean over input sizes, on the grid of the first; values are relative to the mean cell, to suit float16."""
    views = [opinion(nets, picture, area) for area in areas]
    h, w = views[0].shape[1:]
    scaled = [np.stack([cv2.resize(m, (w, h), interpolation=cv2.INTER_LINEAR) for m in view]) for view in views]
    mean = np.mean([view / view.sum((1, 2), keepdims=True) for view in scaled], 0)
    return np.asarray(mean * h * w)


if __name__ == "__main__":
    main()
