"""Train the detector: `python train_detector.py --data DIR --synthetic DIR --teachers FILE --weights NPZ --out DIR`.

The schedule goes by time: the rate falls to nothing over `--minutes` of training. Every epoch is a fixed number of
pictures, drawn from what lies on disk by then, and ends with a checkpoint; the same command resumes from it.
"""

from __future__ import annotations

import argparse
import json
import math
import queue
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import torch
from architecture import Detector, grid
from examples import Example, drawn, is_dev, listed, modern, one, size_for, tiled, truth, with_zones, without
from loss import Truth, loss
from torch import Tensor

LABELS = Path(__file__).resolve().parents[1] / "labels"
AREAS = ((0.3, (90_112, 110_592)), (0.65, (110_592, 147_456)), (1.01, (147_456, 196_608, 245_760)))
"""Areas to train at, px², until a share of the time: coarse first, since that is cheap."""
SOURCES = ("drawn", "marketplace", "pages", "synthetic", "photographs")
ZOOM = {
    "drawn": (0.45, 1.25), "marketplace": (0.5, 1.4), "pages": (0.45, 1.2), "synthetic": (0.5, 1.25),
    "photographs": (0.4, 1.3),
}  # fmt: skip
FLIP = {"drawn": 0.4, "marketplace": 0.4, "pages": 0.3, "synthetic": 0.3, "photographs": 0.5}
TILED = 0.25  # share of the pictures that are four in one

Named = tuple[str, Example]  # an example and the source it is from
Sources = dict[str, list[Example]]
Batch = tuple[np.ndarray, Truth]  # (N, H, W, 3) uint8 RGB, and what is known of it


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with gaze/, complexity/ and unlabelled/")
    parser.add_argument("--synthetic", type=Path, nargs="+", required=True, help="folders of images/, boxes.jsonl")
    parser.add_argument("--teachers", type=Path, required=True, help="opinions on the photographs, from teachers.py")
    parser.add_argument("--weights", type=Path, required=True, help="mobilenet_v2_imagenet.npz")
    parser.add_argument("--encoder", type=Path, help="checkpoint of ../make.sh's member b, to start from")
    parser.add_argument("--start", type=Path, help="a checkpoint of the detector, whose average to start from")
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoint and log")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--pictures", type=int, default=1200, help="pictures per epoch")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--trunk-rate", type=float, default=0.25, help="the trunk's, as a share of --rate")
    parser.add_argument("--freeze", type=int, default=3, help="blocks of the trunk that stay as they are")
    parser.add_argument(
        "--shares", type=float, nargs=len(SOURCES), default=(0.48, 0.2, 0.1, 0.11, 0.11), help=", ".join(SOURCES)
    )
    parser.add_argument(
        "--keep-norms", action="store_true", help="keep means and variances of batch norms, as from_onnx.py sets them"
    )
    parser.add_argument("--warm", type=int, default=100, help="steps until the rate is at its peak")
    parser.add_argument("--ema", type=float, default=0.998)
    parser.add_argument("--begun", type=float, default=0.0, help="with --start: share of the schedule that is over")
    parser.add_argument("--use-dev", action="store_true", help="train on dev too: for the end of the final run")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Trainer:
    """Network, its moving average, optimiser, and how far it is."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.step, self.epoch, self.elapsed_s = args, 0, 0, 60 * args.minutes * args.begun
        self.net = Detector()
        if args.start:
            self.net.load_state_dict(torch.load(args.start, weights_only=True)["average"], strict=False)
        else:
            self._load_trunk(args)
        self.net.trunk.freeze(args.freeze)
        self.net.to(memory_format=torch.channels_last)
        self.average = {k: v.detach().clone() for k, v in self.net.state_dict().items()}
        trunk = [p for p in self.net.trunk.parameters() if p.requires_grad]
        rest = [p for n, p in self.net.named_parameters() if not n.startswith("trunk.")]
        self.optimiser = torch.optim.AdamW([{"params": trunk}, {"params": rest}], lr=args.rate, weight_decay=0.02)

    def _load_trunk(self, args: argparse.Namespace) -> None:
        if args.encoder:
            average = torch.load(args.encoder, weights_only=True)["average"]
            state = {k.removeprefix("encoder."): v for k, v in average.items() if k.startswith("encoder.")}
            self.net.trunk.load_state_dict({k: v for k, v in state.items() if not k.startswith("head.")})
        else:
            self.net.trunk.load_imagenet(args.weights)

    @property
    def progress(self) -> float:
        return min(1.0, self.elapsed_s / (60 * self.args.minutes))

    def update(self, rgb: np.ndarray, truth: Truth) -> dict[str, float]:
        self.step += 1
        cosine = 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * self.progress))
        rate = self.args.rate * min(1.0, self.step / self.args.warm) * cosine
        for group, share in zip(self.optimiser.param_groups, (self.args.trunk_rate, 1.0), strict=True):
            group["lr"] = rate * share
        x = torch.from_numpy(rgb).permute(0, 3, 1, 2).float()
        with torch.autocast("cpu", torch.bfloat16):
            output = self.net(x)
        parts = loss(output, truth, *grid(*rgb.shape[1:3]))
        value: Tensor = sum(parts.values())  # type: ignore[assignment]
        self.optimiser.zero_grad(set_to_none=True)
        value.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 10.0)
        self.optimiser.step()
        keep = min(self.args.ema, (1 + self.step) / (10 + self.step))
        for name, parameter in self.net.state_dict().items():
            if parameter.dtype.is_floating_point:
                self.average[name].lerp_(parameter.detach(), 1 - keep)
        return {name: float(part.detach()) for name, part in parts.items()}

    def save(self, path: Path) -> None:
        state = {"net": self.net.state_dict(), "average": self.average, "optimiser": self.optimiser.state_dict()}
        partial = path.with_suffix(".part")
        torch.save({**state, "step": self.step, "epoch": self.epoch, "elapsed_s": self.elapsed_s}, partial)
        partial.replace(path)

    def resume(self, path: Path) -> None:
        state = torch.load(path, weights_only=True)
        self.net.load_state_dict(state["net"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average = state["average"]
        self.step, self.epoch, self.elapsed_s = state["step"], state["epoch"], state["elapsed_s"]


def sources(args: argparse.Namespace) -> Sources:
    """What lies on disk now; advertisements of dev and of the check are not among it."""
    data: Path = args.data
    people = [
        e for e in drawn(sorted(LABELS.glob("train_*.json")), data / "complexity" / "images")
        if args.use_dev or not is_dev(e.path.name)
    ]  # fmt: skip
    people += modern(LABELS, data / "ads" / "images", ("train", "dev") if args.use_dev else ("train",))
    folders = {"saleci": data / "gaze" / "saleci" / "images", "web": data / "unlabelled" / "web" / "images"}
    marketplace, pages = (
        with_zones(LABELS / f"{name}.json", LABELS / f"{name}_undecided.json", folder)
        for name, folder in folders.items()
    )
    # hands and legs of models were drawn as persons there
    marketplace = [without(example, "person") for example in marketplace]
    # teachers looked at these, too; what was drawn by eye is better
    by_eye = {data / "ads" / "images", *folders.values()}
    photographs = [e for e in listed(args.teachers, data) if e.path.parent not in by_eye]
    return {
        "drawn": people,
        "marketplace": marketplace,
        "pages": pages,
        "synthetic": [e for folder in args.synthetic for e in listed(folder / "boxes.jsonl", folder / "images")],
        "photographs": photographs,
    }


def pick(
    examples: dict[str, list[Example]], args: argparse.Namespace, rng: np.random.Generator
) -> list[tuple[str, Example]]:
    """The pictures of an epoch: each source's share, no picture more than eight times."""
    chosen: list[Named] = []
    for (name, pool), share in zip(examples.items(), args.shares, strict=True):
        count = min(int(share * args.pictures), 8 * len(pool)) if pool else 0
        rounds = [rng.permutation(len(pool)) for _ in range(count // max(1, len(pool)) + 1)]
        chosen += [(name, pool[i]) for i in np.concatenate(rounds)[:count]] if count else []
    return chosen


def batches(examples: Sources, args: argparse.Namespace, progress: float, seed: int) -> Iterator[Batch]:
    """The batches of an epoch, each of one size."""
    rng = np.random.default_rng(seed)
    areas = next(a for until, a in AREAS if progress < until)
    groups: dict[tuple[int, int], list[Named]] = {}
    for name, example in pick(examples, args, rng):
        groups.setdefault(size_for(example.width, example.height, 196_608), []).append((name, example))
    jobs = []
    for group in groups.values():
        order = rng.permutation(len(group))
        jobs += [
            [group[i] for i in order[k : k + args.batch]] for k in range(0, len(order) - args.batch // 2, args.batch)
        ]
    rng.shuffle(jobs)
    everything = [(name, e) for name, pool in examples.items() for e in pool]
    for job in jobs:
        size = size_for(job[0][1].width, job[0][1].height, int(rng.choice(areas)))
        yield _collate(job, everything, size, rng)


def _collate(
    job: list[tuple[str, Example]],
    everything: list[tuple[str, Example]],
    size: tuple[int, int],
    rng: np.random.Generator,
) -> Batch:
    frames, kinds_of_frames = [], []
    for name, example in job:
        if rng.random() < TILED:
            others = [everything[i][1] for i in rng.integers(len(everything), size=3)]
            rgb, boxes, zones = tiled([example, *others], size, rng, FLIP[name])
        else:
            rgb, boxes, zones = one(example, size, rng, ZOOM[name], FLIP[name])
        frames.append(rgb)
        kinds_of_frames.append((boxes, zones))
    return np.stack(frames), truth(kinds_of_frames, size)


def ahead(items: Iterator[Batch], depth: int = 4) -> Iterator[Batch]:
    """The same batches, prepared in a background thread; an error there is raised here."""
    line: queue.Queue[object] = queue.Queue(depth)

    def work() -> None:
        try:
            for item in items:
                line.put(item)
            line.put(None)
        except Exception as error:
            line.put(error)

    threading.Thread(target=work, daemon=True).start()
    while (item := line.get()) is not None:
        if isinstance(item, Exception):
            raise item
        yield item  # type: ignore[misc]


def main() -> None:
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    torch.set_num_threads(2)
    torch.set_flush_denormal(True)
    cv2.setNumThreads(1)
    trainer = Trainer(args)
    checkpoint = args.out / "checkpoint.pt"
    if checkpoint.exists():
        trainer.resume(checkpoint)
    while trainer.progress < 1:
        examples, began, losses, seen = sources(args), time.perf_counter(), [], 0
        trainer.net.train()
        if args.keep_norms:
            for norm in (m for m in trainer.net.modules() if isinstance(m, torch.nn.BatchNorm2d)):
                norm.eval()
        for rgb, labels in ahead(batches(examples, args, trainer.progress, args.seed * 1000 + trainer.epoch)):
            step_began = time.perf_counter()
            losses.append(trainer.update(rgb, labels))
            seen += len(rgb)
            trainer.elapsed_s += time.perf_counter() - step_began
        trainer.epoch += 1
        trainer.save(checkpoint)
        line = {
            "epoch": trainer.epoch, "progress": round(trainer.progress, 3),
            **{k: round(float(np.mean([x[k] for x in losses])), 4) for k in losses[0]},
            "pictures_per_s": round(seen / (time.perf_counter() - began), 2),
            **{k: len(v) for k, v in examples.items()},
        }  # fmt: skip
        with (args.out / "log.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")
        print(json.dumps(line), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
