"""Train the large detector by the clock: `python detector.py --data DATA --weights NPZ --out OUT --seconds 480`.

DATA is what `pack.py --unpack` made. Uses a GPU when there is one; pictures lie in its memory and are composed there.
OUT gets `weights.pt` (the averaged weights, float16) every minute and at the end, `log.jsonl`, and `checkpoint.pt`,
from which the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from labelled import TYPES, Labelled, labelled, read_rgb
from scenes import Composer, stock
from schedule import Schedule
from torch import Tensor

sys.path.append(str(Path(__file__).resolve().parents[1]))
from architecture import Config, Detector, grid, load
from assign import iou
from examples import size_for
from loss import Truth, loss
from precision import device_and_precision
from tally import Tally

ASPECTS = ((1.0, 1.0), (0.8, 1.28), (1.28, 0.8))
"""Height and width of frames, as shares of `--side`."""
DEV_AREA = 294_912  # px² at which dev is scored
MOST, SAME = 60, 0.6  # boxes of a type, and intersection over union from which two are one
SAVE_S, LOG_STEPS = 60.0, 50
SMALL = 4096  # numbers in a tensor, up to which it is kept as float32


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the data folder that pack.py unpacked")
    parser.add_argument("--weights", type=Path, help="ImageNet weights of the trunk")
    parser.add_argument("--start", type=Path, help="weights.pt of an earlier run to start from instead")
    parser.add_argument("--begun", type=float, default=0.0, help="with --start: share of the schedule that is over")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=480, help="after which all is written, reading included")
    parser.add_argument("--steps", type=int, help="end after so many steps instead")
    parser.add_argument("--side", type=int, default=640, help="of a square frame, px; a multiple of 32")
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--rate", type=float, default=1.2e-3)
    parser.add_argument("--trunk-rate", type=float, default=0.25, help="the trunk's, as a share of --rate")
    parser.add_argument("--freeze", type=int, default=2, help="blocks of the trunk that stay as they are")
    parser.add_argument("--ema", type=float, default=0.9995)
    parser.add_argument("--trunk", default="efficientnet_lite2")
    parser.add_argument("--width", type=int, default=192)
    parser.add_argument("--depth", type=int, nargs=4, default=(1, 3, 3, 3), help="blocks at strides 8, 16, 32, 64")
    parser.add_argument("--head", type=int, default=3, help="convolutions of each head")
    parser.add_argument("--use-dev", action="store_true", help="train on dev too")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    if not args.weights and not args.start:
        parser.error("give --weights or --start: a detector is not trained from nothing")
    return args


class Trainer:
    """Network, its moving average, optimiser, and its step."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.step = args, 0
        self.device, self.precision = device_and_precision()
        config = Config(args.trunk, args.width, tuple(args.depth), args.head, TYPES, on_pack=True)
        if args.start:
            self.net = load(args.start)
        else:
            self.net = Detector(config)
            self.net.trunk.load_imagenet(args.weights)
        self.net.trunk.freeze(args.freeze)
        self.net.to(self.device).train()
        self.format = torch.channels_last
        if self.device.type == "cuda":
            blank = torch.zeros(args.batch, 3, args.side, args.side, device=self.device)
            self.format = faster_format(self.net, blank, self.precision)
        self.net.to(memory_format=self.format)
        self.average = {k: v.detach().clone() for k, v in self.net.state_dict().items()}
        trunk = [p for p in self.net.trunk.parameters() if p.requires_grad]
        rest = [p for n, p in self.net.named_parameters() if not n.startswith("trunk.")]
        groups = [{"params": trunk, "share": args.trunk_rate}, {"params": rest, "share": 1.0}]
        self.optimiser = torch.optim.AdamW(groups, lr=args.rate, weight_decay=0.02, fused=self.device.type == "cuda")

    def update(self, rgb: Tensor, truth: Truth, rate: float) -> dict[str, Tensor]:
        """One step; its losses, on the device."""
        self.step += 1
        for group in self.optimiser.param_groups:
            group["lr"] = self.args.rate * rate * group["share"]
        with torch.autocast(self.device.type, self.precision or torch.bfloat16, enabled=self.precision is not None):
            output = self.net(rgb.contiguous(memory_format=self.format))
        parts = loss(output, truth, *grid(*rgb.shape[2:], rgb.device), logo=TYPES.index("logo"))
        self.optimiser.zero_grad(set_to_none=True)
        torch.stack(list(parts.values())).sum().backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 10.0)
        self.optimiser.step()
        keep = min(self.args.ema, (1 + self.step) / (10 + self.step))
        state = self.net.state_dict()
        names = [name for name, value in state.items() if value.dtype.is_floating_point]
        torch._foreach_lerp_([self.average[n] for n in names], [state[n].detach() for n in names], 1 - keep)
        return {name: part.detach() for name, part in parts.items()}

    def save(self, folder: Path, **facts: object) -> None:
        """The averaged weights as float16, and all that goes on from here."""
        average = {
            k: v.half() if v.dtype == torch.float32 and v.numel() > SMALL else v for k, v in self.average.items()
        }
        config = {
            **self.net.config._asdict(),
            "depth": list(self.net.config.depth),
            "types": list(self.net.config.types),
        }
        _write({"config": config, "average": average, "step": self.step, **facts}, folder / "weights.pt")
        state = {"net": self.net.state_dict(), "average": self.average, "optimiser": self.optimiser.state_dict()}
        _write({**state, "step": self.step, **facts}, folder / "checkpoint.pt")

    def resume(self, path: Path) -> float:
        """Go on from a checkpoint; how far it was."""
        state = torch.load(path, map_location=self.device, weights_only=True)
        self.net.load_state_dict(state["net"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average, self.step = state["average"], state["step"]
        return float(state["progress"])


def faster_format(net: Detector, rgb: Tensor, precision: torch.dtype | None) -> torch.memory_format:
    """Which layout of memory forward and backward take less time with; the network keeps its numbers."""
    kept = {name: value.clone() for name, value in net.state_dict().items()}
    seconds = {}
    for layout in (torch.channels_last, torch.contiguous_format):
        net.to(memory_format=layout)
        x = rgb.contiguous(memory_format=layout)
        for turn in range(4):  # the first finds kernels
            if rgb.is_cuda:
                torch.cuda.synchronize()
            began = time.perf_counter()
            with torch.autocast(rgb.device.type, precision or torch.bfloat16, enabled=precision is not None):
                output = net(x)
            (output.logits.mean() + output.boxes.mean()).backward()
            if rgb.is_cuda:
                torch.cuda.synchronize()
            if turn:
                seconds[layout] = min(seconds.get(layout, math.inf), time.perf_counter() - began)
    net.zero_grad(set_to_none=True)
    net.load_state_dict(kept)
    return min(seconds, key=lambda layout: seconds[layout])


def _write(state: dict, path: Path) -> None:
    partial = path.with_suffix(".part")
    torch.save(state, partial)
    partial.replace(path)


@torch.no_grad()
def dev_scores(net: Detector, data: Path, pictures: Sequence[Labelled], device: torch.device) -> dict[str, float]:
    """AP50 by type on pictures of dev, shown whole, and the share of logos rightly told to be on a product or not."""
    tallies = {name: Tally() for name in TYPES}
    places: list[bool] = []
    logo = TYPES.index("logo")
    for picture in pictures:
        rgb = read_rgb(data / picture.path)
        height, width = size_for(rgb.shape[1], rgb.shape[0], DEV_AREA)
        x = torch.from_numpy(rgb).to(device).permute(2, 0, 1)[None].float()
        x = torch.nn.functional.interpolate(x, (height, width), mode="bilinear", antialias=True)
        output = net(x)
        unit = torch.tensor([width, height] * 2, device=device)
        for kind, tally in enumerate(tallies.values()):
            there, doubtful = (
                torch.tensor(rows[rows[:, 0] == kind][:, 1:], dtype=torch.float32)
                for rows in (picture.boxes, picture.zones)
            )
            if (doubtful == torch.tensor([0.0, 0.0, 1.0, 1.0])).all(1).any():
                continue  # nothing is known of this type here
            score, at = output.logits[0, :, kind].topk(min(MOST, output.logits.shape[1]))
            boxes = (output.boxes[0, at, kind] / unit).cpu()
            chosen = suppressed(boxes)
            boxes, confidence = boxes[chosen], score.sigmoid().cpu().numpy()[chosen]
            overlap = iou(boxes[:, None], there).numpy()
            hidden = [bool((_inside(box, doubtful) >= 0.5).any()) for box in boxes]
            tally.add(confidence, overlap, np.array(hidden, bool))
            if kind == logo and output.on_pack is not None and len(there):
                on_pack = output.on_pack[0, at].cpu().numpy()[chosen] > 0
                logo_on_pack = picture.on_pack[picture.boxes[:, 0] == logo]
                best = overlap.argmax(0)
                hit = (overlap.max(0, initial=0) >= 0.5) & (logo_on_pack >= 0)
                places += (on_pack[best] == (logo_on_pack > 0.5))[hit].tolist()
    scores = {f"{name}_ap50": ap for name, tally in tallies.items() if (ap := tally.average_precision()) is not None}
    return {**scores, **({"on_pack": float(np.mean(places))} if places else {})}


def suppressed(boxes: Tensor) -> list[int]:
    """Indices of the boxes, surest first, that are not the same as a surer one."""
    overlap = iou(boxes[:, None], boxes).numpy()
    chosen: list[int] = []
    for i in range(len(boxes)):
        if not any(overlap[i, j] >= SAME for j in chosen):
            chosen.append(i)
    return chosen


def _inside(box: Tensor, others: Tensor) -> Tensor:
    shared = (torch.minimum(box[2:], others[:, 2:]) - torch.maximum(box[:2], others[:, :2])).clamp_min(0).prod(1)
    return shared / (box[2:] - box[:2]).prod().clamp_min(1e-9)


def main(argv: list[str] | None = None) -> None:
    schedule_from = time.monotonic()
    args = arguments(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    torch.backends.cudnn.benchmark = True
    trainer, begun = Trainer(args), args.begun
    if (args.out / "checkpoint.pt").exists():
        begun = trainer.resume(args.out / "checkpoint.pt")
    pictures = labelled(args.data, args.data / "teachers.jsonl", args.data / "labels")
    dev = [picture for picture in pictures if picture.dev]
    if args.use_dev:
        pictures = [Labelled(p.path, p.source, False, p.boxes, p.zones, p.on_pack) for p in pictures]
    held = stock(args.data, pictures, np.load(args.data / "parts.npy"), args.side).to(trainer.device)
    composer = Composer(held, args.seed)
    sizes = [tuple(max(64, round(args.side * share / 32) * 32) for share in aspect) for aspect in ASPECTS]
    reading_s = time.monotonic() - schedule_from
    schedule = Schedule(args.seconds - reading_s - closing_s(len(dev), trainer.device), steps=args.steps, begun=begun)
    losses: list[dict[str, Tensor]] = []
    saved = noted = time.monotonic()
    note(args.out, {"pictures": len(pictures), "parts": len(held.part_type), "reading_s": round(reading_s, 1),
                    "device": torch.cuda.get_device_name() if trainer.device.type == "cuda" else "cpu"})  # fmt: skip
    while (progress := schedule.progress(trainer.step)) < 1:
        size = sizes[trainer.step % len(sizes)]
        losses.append(trainer.update(*composer.batch(trainer.step, args.batch, size), schedule.rate(progress)))
        if len(losses) == LOG_STEPS or schedule.progress(trainer.step) >= 1:
            now = time.monotonic()
            means = {k: round(float(torch.stack([row[k] for row in losses]).mean()), 4) for k in losses[0]}
            speed = round(len(losses) * args.batch / (now - noted), 1)
            note(args.out, {"step": trainer.step, "progress": round(progress, 4), **means, "pictures_per_s": speed})
            losses, noted = [], now
        if time.monotonic() - saved > SAVE_S:
            trainer.save(args.out, progress=schedule.progress(trainer.step))
            saved = time.monotonic()
    trainer.save(args.out, progress=1.0)
    net = load(args.out / "weights.pt").to(trainer.device)
    scores = dev_scores(net, args.data, dev, trainer.device)
    note(
        args.out,
        {"dev": {k: round(v, 3) for k, v in scores.items()}, "seconds": round(time.monotonic() - schedule_from, 1)},
    )


def closing_s(dev: int, device: torch.device) -> float:
    """Seconds to leave for writing weights and scoring dev."""
    return 5 + dev * (0.03 if device.type == "cuda" else 0.5)


def note(out: Path, row: dict) -> None:
    """A line of the log."""
    with (out / "log.jsonl").open("a") as log:
        log.write(json.dumps(row) + "\n")
    print(json.dumps(row), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
