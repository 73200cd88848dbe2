"""Train the attention network by the clock: `python attention.py --data DATA --out OUT --seconds 480`.

DATA is what `pack.py --unpack` made. Teachers with a larger encoder are trained by folds, each without a part of the
pictures that people looked at; their opinion on what they have not seen, and people, teach the network that ships. With
`--stage teachers` the first half is done alone; `--stage student --teachers FILE ...` does the second from its files.

OUT gets `teacher-N.pt`, `student.pt` (averaged weights, float16; what `../export.py` and `../distil.py` read) and
`log.jsonl`; the same command goes on from the last checkpoint.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from schedule import Schedule
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

sys.path.append(str(Path(__file__).resolve().parents[1]))
from batches import Batch, bucket, epoch
from corpus import Picture, read, stored_split
from distil import BATCH, LOOKS, joint_opinions, networks_by_fold
from export import load
from train import Trainer, arguments, teaches, validate

SPLIT = Path(__file__).resolve().parents[1] / "split"
FOLDS = 3
TEACHERS = (("efficientnet_lite2", 4), ("efficientnet_lite0", 1))
"""Encoder and seed of the teachers, each trained once a fold."""
TEACHERS_S, OPINIONS_S = 0.52, 0.1
"""Shares of the time; the student has the rest."""
SAVE_S, LOG_S = 60.0, 15.0
TEACHER = ("--pixels", "196608", "147456", "--crop", "0.6", "--soft-share", "0.3", "--drop", "0.2")
STUDENT = (
    "--pixels", "147456", "110592", "196608", "83968", "--crop", "0.5", "--soft-share", "0.35", "--cc", "1.0",
    "--soft-weight", "0.4", "--opinion", "0.5",
)  # fmt: skip
"""As in `../make.sh`."""


class Job(NamedTuple):
    """One network to train: its name, its options for `../train.py`, and the fold that it leaves out, if any."""

    name: str
    options: tuple[str, ...]
    fold: int | None


class TimedTrainer(Trainer):
    """A training whose rate goes by a schedule."""

    def __init__(self, args: argparse.Namespace, schedule: Schedule) -> None:
        super().__init__(args, steps=0)
        self.schedule = schedule

    def rate(self) -> float:
        return float(self.args.rate * self.schedule.rate(self.schedule.progress(self.step - 1)))


class Endless(IterableDataset[Batch]):
    """Batches without end, other ones from each worker."""

    def __init__(self, pictures: list[Picture], seed: int, options: dict) -> None:
        self.pictures, self.seed, self.options = pictures, seed, options

    def __iter__(self) -> Iterator[Batch]:
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        for turn in count():
            for batch in epoch(self.pictures, (self.seed * 100_000 + turn) * workers + number, **self.options):
                yield Batch(**{f.name: torch.from_numpy(getattr(batch, f.name)) for f in fields(batch)})


def parsed(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the data folder that pack.py unpacked")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=480, help="after which all is written, reading included")
    parser.add_argument("--steps", type=int, help="end each network after so many steps instead")
    parser.add_argument("--stage", choices=("all", "teachers", "student"), default="all")
    parser.add_argument("--teachers", type=Path, nargs="*", default=[], help="for --stage student: their files")
    parser.add_argument("--encoder", default="efficientnet_lite0", help="the student's")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--pixels", type=int, help="area of all pictures, px², instead of the recipes'")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--use-dev", action="store_true", help="train on dev too")
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args(argv)
    if args.stage == "student" and not args.teachers:
        parser.error("--stage student needs --teachers FILE ...")
    return args


def train(job: Job, pictures: list[Picture], dev: list[Picture], args: argparse.Namespace, seconds: float) -> Path:
    """Train one network for so long, or go on with it; the file of its averaged weights."""
    path, folder = args.out / f"{job.name}.pt", args.out / job.name
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    pixels = ("--pixels", str(args.pixels)) if args.pixels else ()
    fold = ("--folds", str(FOLDS), "--fold", str(job.fold)) if job.fold is not None else ()
    flags = ("--use-dev",) if args.use_dev else ()
    options = [
        *job.options,
        *pixels,
        *fold,
        *flags,
        "--batch",
        str(args.batch),
        "--data",
        str(args.data),
        "--out",
        str(folder),
    ]
    recipe = arguments([str(option) for option in options])
    checkpoint = folder / "checkpoint.pt"
    begun = (
        float(torch.load(checkpoint, map_location="cpu", weights_only=True)["progress"]) if checkpoint.exists() else 0.0
    )
    schedule = Schedule(seconds * (1 - begun), steps=args.steps, begun=begun)
    torch.manual_seed(recipe.seed)
    trainer = TimedTrainer(recipe, schedule)
    if checkpoint.exists():
        trainer.resume(checkpoint)
    chosen = [p for p in pictures if job.fold is None or p.fixations is None or p.fold(FOLDS) != job.fold]
    batches = Endless(chosen, recipe.seed, batch_options(recipe, args.batch))
    loader = DataLoader(batches, batch_size=None, num_workers=args.workers, prefetch_factor=4 if args.workers else None)
    losses: list[Tensor] = []
    saved = noted = time.monotonic()
    for batch in loader:
        losses.append(trainer.update(batch))
        progress, now = schedule.progress(trainer.step), time.monotonic()
        if now - noted > LOG_S or progress >= 1:
            speed = round(len(losses) * args.batch / (now - noted), 1)
            mean = round(float(torch.stack(losses).mean()), 4)
            note(
                args.out,
                {
                    "network": job.name,
                    "step": trainer.step,
                    "progress": round(progress, 4),
                    "loss": mean,
                    "pictures_per_s": speed,
                },
            )
            losses, noted = [], now
        if progress >= 1:
            break
        if now - saved > SAVE_S:
            trainer.save(checkpoint, progress=progress)
            saved = now
    del loader
    note(args.out, {"network": job.name, "dev": validate(trainer, [p for p in dev if p.fixations is not None])})
    write_half(trainer, recipe, path)
    return path


def batch_options(recipe: argparse.Namespace, batch: int) -> dict:
    """What `../batches.py` is told."""
    return {
        "size": batch, "pixels": tuple(recipe.pixels), "soft_share": recipe.soft_share, "crop": recipe.crop,
        "soft_weight": recipe.soft_weight, "opinion": recipe.opinion,
    }  # fmt: skip


def write_half(trainer: Trainer, recipe: argparse.Namespace, path: Path) -> None:
    """The averaged weights as float16, with what `../distil.py` asks of a network."""
    average = {name: v.half() if v.dtype == torch.float32 else v for name, v in trainer.average.items()}
    facts = {"encoder": recipe.encoder, "fold": recipe.fold, "folds": recipe.folds, "dev": recipe.use_dev}
    torch.save({"average": average, **facts}, path)


def with_opinions_of(teachers: list[Path], pictures: list[Picture], sides: dict[tuple[str, str], str]) -> list[Picture]:
    """The pictures with the opinion of those teachers that were not trained on them."""
    states = [torch.load(path, map_location="cpu", weights_only=True) for path in teachers]
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    nets = [load(path).to(device, memory_format=torch.channels_last).eval() for path in teachers]
    folds, asked = networks_by_fold([(int(state["fold"]), int(state["folds"])) for state in states])
    by_all = not any(state["dev"] for state in states)
    groups: dict[tuple[object, ...], list[int]] = {}
    for i, p in enumerate(pictures):
        everyone = p.fixations is None or (by_all and sides[p.set, p.name] == "dev")
        size = bucket(p.rgb.shape[1], p.rgb.shape[0], LOOKS[0][0])
        groups.setdefault((size, None if everyone else p.fold(folds)), []).append(i)
    opinions: dict[int, np.ndarray] = {}
    for (_, fold), members in groups.items():
        chosen = nets if fold is None else [nets[k] for k in asked[fold]]
        for k in range(0, len(members), BATCH):
            rows = members[k : k + BATCH]
            for i, opinion in zip(rows, joint_opinions(chosen, [], [pictures[j] for j in rows]), strict=True):
                opinions[i] = opinion.astype(np.float16)
    return [replace(p, opinion=opinions[i]) for i, p in enumerate(pictures)]


def note(out: Path, row: dict) -> None:
    """A line of the log."""
    with (out / "log.jsonl").open("a") as log:
        log.write(json.dumps(row) + "\n")
    print(json.dumps(row), file=sys.stderr, flush=True)


def main(argv: list[str] | None = None) -> None:
    started = time.monotonic()
    args = parsed(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    torch.backends.cudnn.benchmark = True
    pictures, _ = read(args.data, args.data / "lines.jsonl")
    sides = stored_split(pictures, SPLIT)
    dev = [p for p in pictures if sides[p.set, p.name] == "dev"]
    taught = [p for p in pictures if sides[p.set, p.name] == "train" or args.use_dev]
    closing = 5 + len(dev) * (0.02 if torch.cuda.is_available() else 0.3)
    note(args.out, {"pictures": len(taught), "reading_s": round(time.monotonic() - started, 1)})

    def left() -> float:
        return max(1.0, args.seconds - (time.monotonic() - started))

    jobs = [
        Job(f"teacher-{i * FOLDS + fold}", (*TEACHER, *weights(args.data, encoder), "--seed", str(seed)), fold)
        for i, (encoder, seed) in enumerate(TEACHERS) for fold in range(FOLDS)
    ]  # fmt: skip
    files = list(args.teachers)
    if args.stage != "student":
        share = TEACHERS_S * left() if args.stage == "all" else left()
        soft = [p for p in taught if teaches(p)]
        files = [train(job, soft, dev, args, share / len(jobs) - closing) for job in jobs]
    if args.stage != "teachers":
        taught = with_opinions_of(files, taught, sides)
        note(args.out, {"opinions": len(taught), "seconds": round(time.monotonic() - started, 1)})
        student = Job("student", (*STUDENT, *weights(args.data, args.encoder), "--seed", str(args.seed)), None)
        train(student, taught, dev, args, left() - closing)
    note(args.out, {"seconds": round(time.monotonic() - started, 1)})


def weights(data: Path, encoder: str) -> tuple[str, ...]:
    """Options that say what an encoder starts from."""
    return "--encoder", encoder, "--weights", str(data / "weights" / f"{encoder}.npz")


if __name__ == "__main__":
    main()
