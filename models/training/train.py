"""Train the attention network: `python models/training/train.py --data DIR --weights NPZ --out DIR`.

Uses a GPU when there is one. On a CPU with bfloat16 (AVX-512 BF16, AMX) it trains in mixed precision, two to three
times faster. Every epoch ends with a checkpoint; the same command resumes from it.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from batches import Batch, ahead, bucket, collate, epoch
from corpus import Picture, read, with_opinions, write_split
from losses import attention_loss, correlation, domain_loss, kld, nss, object_loss, text_loss
from network import DOMAINS, KINDS, STAGES, WINDOWS, AttentionNet
from precision import device_and_precision
from torch import Tensor

HERE = Path(__file__).parent
PHOTO = [DOMAINS.index(domain) for domain in KINDS["photo"]]


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with gaze/, complexity/ and unlabelled/")
    parser.add_argument(
        "--weights",
        type=Path,
        required=True,
        help="ImageNet weights of the encoder: mobilenet_v2_imagenet.npz, or efficientnet-lite0-*.pth",
    )
    parser.add_argument("--encoder", choices=tuple(STAGES), default="efficientnet_lite0")
    parser.add_argument("--lines", type=Path, help="lines of text, from appearance_lines.py")
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoint and log")
    parser.add_argument("--start", type=Path, help="a checkpoint whose weights to start from")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--stop-after", type=int, help="end after so many epochs of the schedule")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1e-3, help="peak learning rate of the decoder")
    parser.add_argument("--encoder-rate", type=float, default=0.2, help="the encoder's, as a share of --rate")
    parser.add_argument(
        "--pixels", type=int, nargs="+", default=[110_592], help="areas to train at, the first for validation"
    )
    parser.add_argument("--soft-share", type=float, default=0.4, help="share of the soft-labelled pictures per epoch")
    parser.add_argument("--soft-weight", type=float, default=0.3)
    parser.add_argument("--text", type=float, default=0.3, help="weight of the lines of text")
    parser.add_argument("--objects", type=float, default=0.3, help="weight of the boxes drawn by eye")
    parser.add_argument("--domain", type=float, default=0.1, help="weight of telling domains apart")
    parser.add_argument("--without", nargs="+", default=[], help="sets to leave out, to be tested on")
    parser.add_argument("--teacher", type=Path, help="an ensemble's opinions, from distil.py")
    parser.add_argument("--opinion", type=float, default=0.4, help="their share in the targets")
    parser.add_argument("--crop", type=float, default=0.5, help="share of the pictures that are cropped")
    parser.add_argument("--cc", type=float, default=0.5)
    parser.add_argument("--nss", type=float, default=0.1)
    parser.add_argument("--freeze", type=int, default=3, help="encoder blocks that stay as they are")
    parser.add_argument("--drop", type=float, default=0.15, help="share of the decoder's coarse channels dropped")
    parser.add_argument("--ema", type=float, default=0.998)
    parser.add_argument("--decay", type=float, default=1e-2)
    parser.add_argument("--use-dev", action="store_true", help="train on dev too: for the final run")
    parser.add_argument("--folds", type=int, default=0, help="parts to cut the pictures into")
    parser.add_argument("--fold", type=int, default=0, help="which of them to leave out, for its opinion on them")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    if not 0 <= args.fold < max(1, args.folds):
        parser.error(f"--fold {args.fold} is none of the {args.folds} parts, which count from 0")
    return args


class Trainer:
    """State of one training run: network, its moving average, optimiser, step."""

    def __init__(self, args: argparse.Namespace, steps: int) -> None:
        self.args, self.steps, self.step, self.epoch = args, steps, 0, 0
        self.device, self.precision = device_and_precision()
        self.net = AttentionNet(args.encoder)
        self.net.encoder.load_imagenet(args.weights)
        if args.start:
            self.net.load_state_dict(torch.load(args.start, map_location="cpu", weights_only=True)["average"])
        self.net.encoder.freeze(args.freeze)
        self.net.decoder.drop.p = args.drop
        self.net.to(self.device, memory_format=torch.channels_last)
        self.average = {k: v.detach().clone() for k, v in self.net.state_dict().items()}
        encoder = [p for p in self.net.encoder.parameters() if p.requires_grad]
        readout = list(self.net.readout.parameters())  # few numbers, that start at guesses: fast, and without decay
        rest = [p for n, p in self.net.named_parameters() if not n.startswith(("encoder.", "readout."))]
        self.shares = (args.encoder_rate, 1.0, 10.0)
        groups = [{"params": encoder}, {"params": rest}, {"params": readout, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, lr=args.rate, weight_decay=args.decay)

    def rate(self) -> float:
        """Warm up over 3 % of the steps, then a cosine to 1 % of the peak."""
        warm = max(1, self.steps * 0.03)
        done = min(1.0, max(0.0, (self.step - warm) / max(1.0, self.steps - warm)))
        return float(self.args.rate * min(1.0, self.step / warm) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * done))))

    def taught(self, rgb: np.ndarray | Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        x = torch.as_tensor(rgb).to(self.device, non_blocking=True).permute(0, 3, 1, 2).float()
        with torch.autocast(self.device.type, self.precision or torch.bfloat16, enabled=self.precision is not None):
            return self.net.taught(x)

    def update(self, batch: Batch) -> Tensor:
        """One step; its loss, on the device."""
        self.step += 1
        for group, share in zip(self.optimiser.param_groups, self.shares, strict=True):
            group["lr"] = self.rate() * share
        logits, text_logits, object_logits, domain_logits = self.taught(batch.rgb)
        target, counts, weight, text, objects, domain = (
            torch.as_tensor(x).to(self.device, non_blocking=True)
            for x in (batch.target, batch.counts, batch.weight, batch.text, batch.objects, batch.domain)
        )
        log_p = self.net.readout(logits, domain)
        value = attention_loss(log_p, target, counts, weight, cc=self.args.cc, nss=self.args.nss)
        value = value + self.args.text * text_loss(text_logits, text)
        value = value + self.args.objects * object_loss(object_logits, objects)
        value = value + self.args.domain * domain_loss(domain_logits, domain)
        self.optimiser.zero_grad(set_to_none=True)
        value.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimiser.step()
        keep = min(self.args.ema, (1 + self.step) / (10 + self.step))
        for name, parameter in self.net.state_dict().items():
            self.average[name].lerp_(parameter.detach(), 1 - keep)
        return value.detach()

    def save(self, path: Path, **facts: object) -> None:
        state = {"net": self.net.state_dict(), "average": self.average, "optimiser": self.optimiser.state_dict()}
        state |= {"encoder": self.args.encoder, "fold": self.args.fold, "folds": self.args.folds}
        state |= {"dev": self.args.use_dev}
        partial = path.with_suffix(".part")
        torch.save({**state, "step": self.step, "epoch": self.epoch, **facts}, partial)
        partial.replace(path)

    def resume(self, path: Path) -> dict[str, Any]:
        """Go on from a checkpoint; all that it holds."""
        state: dict[str, Any] = torch.load(path, map_location=self.device, weights_only=True)
        self.net.load_state_dict(state["net"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average, self.step, self.epoch = state["average"], state["step"], state["epoch"]
        return state


@torch.no_grad()
def validate(trainer: Trainer, pictures: list[Picture]) -> dict[str, float]:
    """Mean scores of the averaged weights by set and window, on whole pictures, on the output grid."""
    current = {k: v.clone() for k, v in trainer.net.state_dict().items()}
    trainer.net.load_state_dict(trainer.average)
    trainer.net.eval()
    rows: dict[str, list[float]] = defaultdict(list)
    for p in pictures:
        size = bucket(p.rgb.shape[1], p.rgb.shape[0], trainer.args.pixels[0])
        batch = collate([p], size, None, crop=0.0, soft_weight=1.0)
        logits, _, _, domain = trainer.taught(batch.rgb)
        density = trainer.net.readout(logits, domain.softmax(1)).exp()[0].cpu()
        rows[f"{p.set}/domain"].append(float((domain.softmax(1).cpu()[0] * torch.from_numpy(p.domain)).sum()))
        if p.fixations is None:
            continue
        target, counts = torch.from_numpy(batch.target[0]), torch.from_numpy(batch.counts[0])
        cc, divergence = correlation(density, target), kld(density, target)
        for i, window in enumerate(WINDOWS):
            if batch.weight[0, i]:
                rows[f"{p.set}/{window}/cc"].append(float(cc[i]))
                rows[f"{p.set}/{window}/kld"].append(float(divergence[i]))
                rows[f"{p.set}/{window}/nss"].append(float(nss(density[i], counts[i])))
    trainer.net.load_state_dict(current)
    trainer.net.train()
    return {k: round(float(np.mean(v)), 4) for k, v in sorted(rows.items())}


def teaches(picture: Picture) -> bool:
    """Is there something to learn? Published models' soft labels are too blurred for photographs."""
    if picture.fixations is not None or picture.opinion is not None:
        return True
    return bool(picture.domain[PHOTO].sum() == 0)


def main() -> None:
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    torch.set_flush_denormal(True)  # a softmax over space makes denormals, which slow a step several times over
    pictures, sides = read(args.data, args.lines)
    if args.teacher:
        pictures = with_opinions(pictures, args.teacher)
    write_split(sides, HERE / "split")
    by_side: dict[str, list[Picture]] = defaultdict(list)
    for p in pictures:
        by_side[sides[p.set, p.name]].append(p)
    train = by_side["train"] + (by_side["dev"] if args.use_dev else [])
    train = [p for p in train if p.set not in args.without and teaches(p)]
    if args.folds:
        train = [p for p in train if p.fixations is None or p.fold(args.folds) != args.fold]
    options = {
        "size": args.batch, "pixels": tuple(args.pixels), "soft_share": args.soft_share,
        "crop": args.crop, "soft_weight": args.soft_weight,
        "opinion": args.opinion if args.teacher else 0.0,
    }  # fmt: skip
    per_epoch = sum(1.0 if p.fixations is not None else args.soft_share for p in train) / args.batch
    trainer = Trainer(args, int(args.epochs * per_epoch * 1.01))
    checkpoint = args.out / "checkpoint.pt"
    if checkpoint.exists():
        trainer.resume(checkpoint)
    last = min(args.epochs, args.stop_after or args.epochs)
    while trainer.epoch < last:
        began, values, seen = time.perf_counter(), [], 0
        for batch in ahead(epoch(train, args.seed * 1000 + trainer.epoch, **options)):
            values.append(float(trainer.update(batch)))
            seen += len(batch.rgb)
        trainer.epoch += 1
        trainer.save(checkpoint)
        line = {
            "epoch": trainer.epoch,
            "loss": round(float(np.mean(values)), 4),
            "pictures_per_s": round(seen / (time.perf_counter() - began), 2),
        }
        if trainer.epoch % 2 == 0 or trainer.epoch == last:
            line |= validate(trainer, by_side["dev"])
        with (args.out / "log.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")
        print(json.dumps(line), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
