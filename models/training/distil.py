"""Ensemble opinions for distillation: `python models/training/distil.py --data DIR --out FILE.npz MODEL...`.

The mean of several networks' densities, each of the picture at several sizes and mirrored, is a better teacher than
any of them; a single network that learns from it keeps most of the gain at the cost of one. A network that was trained
on a picture repeats what it was told about it. So on pictures that people looked at, networks that were trained by
folds (train.py --folds) give an opinion only on the fold that they were not trained on, and all of them on dev, if
none was trained with it. MODEL is a checkpoint, or a model that was exported (export.py --twice), such as the one that
ships: it is told the kind of picture, and is not asked about pictures that people looked at where others were trained
by folds.

Nobody has looked at the designs and pages. There the opinion is read out as for ads, made as flat as importance maps of
designs and gaze on pages are (a power and a blur), and part of it is put on lines of text, by their height.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
import torch
import torch.nn.functional as F
from batches import bucket
from corpus import Picture, read
from export import load
from network import DOMAINS, KINDS, AttentionNet
from precision import device_and_precision
from torch import Tensor

POWER = {"design": 0.6, "page": 0.8}
BLUR = {"design": 0.012, "page": 0.008}
TEXT = 0.15
"""Power of the density, its blur (share of the long side), and the share of its mass on lines of text.

On the web pages of dev these raise a member's CC from .688 to .717; powers of .75 to .9 and blurs of .006 to .02 are
within .004 of each other.
Nobody looked at designs: theirs raised the CC with importance maps in an earlier, independent measurement.
"""

TEXT_BLUR = 0.012

BATCH = 8
DEV = -1  # stands for dev among the folds
LOOKS = ((196_608, False), (83_968, True))
"""Area, px², and whether it is the mirror image. On dev, sizes that differ much add most to each other."""


def resized(pictures: list[Picture], pixels: int) -> np.ndarray:
    """Pictures of one aspect as (N, H, W, 3) of about `pixels` px²."""
    height, width = pictures[0].rgb.shape[:2]
    h, w = bucket(width, height, pixels)
    methods = [cv2.INTER_AREA if h * w < p.rgb.size / 3 else cv2.INTER_CUBIC for p in pictures]
    return np.stack([cv2.resize(p.rgb, (w, h), interpolation=m) for p, m in zip(pictures, methods, strict=True)])


@torch.no_grad()
def look(nets: list[AttentionNet], pictures: list[Picture], share: Tensor, pixels: int, *, mirrored: bool) -> Tensor:
    """Mean densities (N, 3, h, w) of the networks on pictures of one aspect shown at `pixels` px².

    `share` (N, D) are the domains that they are read out as.
    """
    device, precision = device_and_precision()
    rgb = resized(pictures, pixels)
    x = torch.from_numpy(np.ascontiguousarray(rgb[:, :, ::-1] if mirrored else rgb))
    x = x.to(device).permute(0, 3, 1, 2).float()
    total = torch.zeros(())
    for net in nets:
        with torch.autocast(device.type, precision or torch.bfloat16, enabled=precision is not None):
            logit, _, _ = net.features(x.contiguous(memory_format=torch.channels_last))
        logit = logit.flip(3) if mirrored else logit  # the prior of pages is not symmetric: read out upright
        total = total + net.readout.density(logit, share.to(device)).cpu()
    return total / len(nets)


def opinion_of_exported(model: ort.InferenceSession, pictures: list[Picture], share: Tensor) -> Tensor:
    """Densities (N, 3, h, w) of an exported model on pictures of one aspect, each stated to be what `share` says."""
    predictions = []
    for rgb, row in zip(resized(pictures, LOOKS[0][0]), share.numpy(), strict=True):
        kinds = [max(float(row[DOMAINS.index(domain)]) for domain in names) for names in KINDS.values()]
        weight = np.array([kinds], np.float32) / max(kinds)
        predictions.append(model.run(["density"], {"rgb": rgb[None], "domain_weight": weight})[0][0])
    return torch.from_numpy(np.stack(predictions))


def joint_opinions(
    nets: list[AttentionNet], exported: list[ort.InferenceSession], pictures: list[Picture]
) -> list[np.ndarray]:
    """Opinions (3, h, w) on pictures of one aspect: the mean over models and `LOOKS`, on the grid of the first look.

    Values are relative to the mean cell, to suit float16.
    """
    stated = torch.eye(len(DOMAINS))
    of_designs = [bool(p.domain[[DOMAINS.index("design"), DOMAINS.index("page")]].sum() > 0) for p in pictures]
    share = torch.stack(
        [
            stated[DOMAINS.index("ad")] if unseen else torch.from_numpy(p.domain)
            for p, unseen in zip(pictures, of_designs, strict=True)
        ]
    )
    views = [look(nets, pictures, share, pixels, mirrored=mirrored) for pixels, mirrored in LOOKS]
    scaled = [F.interpolate(view, size=views[0].shape[2:], mode="bilinear", align_corners=False) for view in views]
    total = len(nets) * torch.stack([view / view.sum((2, 3), keepdim=True) for view in scaled]).mean(0)
    for model in exported:
        total = total + opinion_of_exported(model, pictures, share)
    means = (total / (len(nets) + len(exported))).numpy()
    predictions = []
    for picture, unseen, mean in zip(pictures, of_designs, means, strict=True):
        if unseen:
            design, page = (float(picture.domain[DOMAINS.index(name)]) for name in ("design", "page"))
            name = "page" if page > design else "design"
            mean = np.stack([softened(density, picture.lines, POWER[name], BLUR[name]) for density in mean])
        predictions.append(np.asarray(mean * mean[0].size))
    return predictions


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
    parser.add_argument("models", type=Path, nargs="+", help="checkpoints, and models as ONNX")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lines", type=Path, help="lines of text, from appearance_lines.py")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    torch.set_flush_denormal(True)
    device = device_and_precision()[0]
    trained = [path for path in args.models if path.suffix != ".onnx"]
    nets = [load(path).to(device, memory_format=torch.channels_last).eval() for path in trained]
    folds, asked = networks_by_fold([fold_left_out(path) for path in trained])
    exported = [ort.InferenceSession(path) for path in args.models if path.suffix == ".onnx"]
    pictures, sides = read(args.data, args.lines)
    chosen = [p for p in pictures if sides[p.set, p.name] != "held_out"]
    groups: dict[tuple[int, int, int | None], list[Picture]] = {}
    by_all = not any(trained_on_dev(path) for path in trained)
    for p in chosen:
        fold: int | None = None
        if folds and p.fixations is not None:
            fold = DEV if by_all and sides[p.set, p.name] == "dev" else p.fold(folds)
        groups.setdefault((*bucket(p.rgb.shape[1], p.rgb.shape[0], LOOKS[0][0]), fold), []).append(p)

    opinions: dict[str, np.ndarray] = {}
    for (*_, fold), group in groups.items():
        chosen_nets = nets if fold in (None, DEV) else [nets[i] for i in asked[fold]]
        chosen_exported = exported if fold is None else []
        for i in range(0, len(group), BATCH):
            batch = group[i : i + BATCH]
            for p, opinion in zip(batch, joint_opinions(chosen_nets, chosen_exported, batch), strict=True):
                opinions[f"{p.set}/{p.name}"] = opinion.astype(np.float16)
    np.savez(args.out, **opinions)


def networks_by_fold(left_out: list[tuple[int, int]]) -> tuple[int, list[list[int]]]:
    """Return how many folds there are, and for each fold which networks (indices) were not trained on it.

    `left_out` has the fold that each network was not trained on, and its number of folds; 0, 0 for one that was trained
    on all pictures, which is asked about no fold. Raises ValueError where numbers differ or nobody left a fold out.
    """
    counts = {count for _, count in left_out if count}
    if len(counts) > 1:
        raise ValueError(f"networks were trained with different --folds: {sorted(counts)}")
    folds = max(counts, default=0)
    asked = [[i for i, (fold, count) in enumerate(left_out) if count and fold == k] for k in range(folds)]
    if missing := [k for k, networks in enumerate(asked) if not networks]:
        raise ValueError(f"no network was trained without fold {missing} of {folds}; train one with --fold")
    return folds, asked


def trained_on_dev(checkpoint: Path) -> bool:
    """Tell whether a network may have been trained on dev: older checkpoints do not say."""
    return bool(torch.load(checkpoint, map_location="cpu", weights_only=True).get("dev", True))


def fold_left_out(checkpoint: Path) -> tuple[int, int]:
    """Return the fold that a network was not trained on, and how many there are; 0, 0 if it was trained on all."""
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)
    return int(state.get("fold", 0)), int(state.get("folds", 0))


if __name__ == "__main__":
    main()
