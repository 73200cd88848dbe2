"""Make mediaan/vision/appearance_heads.npz, or print the figures of models/appearance.md.

    python models/training/appearance.py DATA --lines LINES --teachers TEACHERS --check CHECK --synthetic ADS
    python models/training/appearance.py DATA --lines LINES --teachers TEACHERS --check CHECK --evaluate

DATA is the data beside the repository; LINES are written by `appearance_lines.py`, TEACHERS by `objects/teachers.py`;
ADS and CHECK are advertisements of two seeds, by `objects/ads.py`. To be run again when the attention model changes.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
from appearance_examples import KINDS, Example, read, read_synthetic
from appearance_loss import loss_of
from appearance_network import Heads
from appearance_score import evaluate, rgb_of
from appearance_targets import WHOLE, View, random_view, targets
from scipy.optimize import minimize
from torch import Tensor

from mediaan.vision.appearance import CELL_PX, ENCODER_PIXELS, AppearanceEncoder, CellPredictions, presence_evidence

HERE = Path(__file__).parent
WEIGHTS = HERE.parents[1] / "mediaan" / "vision" / "appearance_heads.npz"
SYNTHETIC = 2000
VIEWS = {
    "advertisement": 5, "ads": 3, "saleci": 3, "visualizations": 3, "web": 3, "osie": 2, "crowd": 2,
}  # fmt: skip
OFTEN = {
    "advertisement": 3.0, "ads": 3.0, "saleci": 2.0, "visualizations": 2.0, "web": 2.0, "art": 0.5, "suprematism": 0.5,
}  # fmt: skip
STEPS, BATCH, RATE, DECAY = 4000, 8, 3e-3, 1e-2
ADS, ADS_COUNT, RIDGE = ("advertisement", "ads", "saleci"), 4.0, 0.002  # presence: what scores are for, and few
MULTIPLE = 32


class Shown(NamedTuple):
    """One view of a picture: what the encoder sees (float16; the finest level halved), and what is true."""

    example: Example
    whole: bool
    levels: list[np.ndarray]
    truth: np.ndarray


def shows(example: Example, encoder: AppearanceEncoder, rng: np.random.Generator) -> Iterator[Shown]:
    """The picture as it is and, for training, other views of it."""
    rgb = rgb_of(example.path)
    for view in views_of(example, rng):
        part = seen(rgb, view)
        levels = encoder.encode(part if view is WHOLE else spoilt(part, rng))
        levels[0] = halved(levels[0])
        truth = targets(example, view, (part.shape[1], part.shape[0]), CELL_PX)
        yield Shown(example, view is WHOLE, [x.astype(np.float16) for x in levels], truth.astype(np.float16))


def views_of(example: Example, rng: np.random.Generator) -> list[View]:
    if example.side != "train":
        return [WHOLE]
    if example.set == "synthetic":
        return [random_view(rng)]
    return [WHOLE, *(random_view(rng) for _ in range(VIEWS.get(example.set, 2) - 1))]


def seen(rgb: np.ndarray, view: View) -> np.ndarray:
    """A view, as `mediaan.vision.appearance.resize_for_encoder` would give it."""
    height, width = rgb.shape[:2]
    x0, y0, w, h = view.window
    top, left = int(y0 * height), int(x0 * width)
    part = rgb[top : max(top + CELL_PX, int((y0 + h) * height)), left : max(left + CELL_PX, int((x0 + w) * width))]
    part = part[:, ::-1] if view.mirrored else part
    factor = (ENCODER_PIXELS * view.pixels / (part.shape[0] * part.shape[1])) ** 0.5
    size = [max(MULTIPLE, round(side * factor / MULTIPLE) * MULTIPLE) for side in (part.shape[1], part.shape[0])]
    return np.ascontiguousarray(
        cv2.resize(part, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR)
    )


def spoilt(rgb: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Half of the time compressed, blurred, or of other brightness."""
    kind = rng.integers(6)
    if kind == 0:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(40, 90))]
        return np.asarray(cv2.imdecode(cv2.imencode(".jpg", rgb, quality)[1], cv2.IMREAD_COLOR))
    if kind == 1:
        return np.asarray(cv2.GaussianBlur(rgb, (0, 0), float(rng.uniform(0.5, 1.5))))
    if kind == 2:
        return np.clip(rgb * rng.uniform(0.7, 1.3) + rng.uniform(-25, 25), 0, 255).astype(np.uint8)
    return rgb


def halved(level: np.ndarray) -> np.ndarray:
    channels, height, width = level.shape
    return np.asarray(level.reshape(channels, height // 2, 2, width // 2, 2).mean(axis=(2, 4)))


def spread_of(shown: list[Shown]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Mean and standard deviation of each channel."""
    means, deviations = [], []
    for i in range(len(shown[0].levels)):
        few = [s.levels[i].reshape(len(s.levels[i]), -1)[:, ::7] for s in shown[::9]]
        values = np.concatenate(few, 1).astype(np.float32)
        means.append(values.mean(1))
        deviations.append(values.std(1) + 1e-2)
    return means, deviations


def batches(shown: list[Shown], count: int) -> Iterator[tuple[list[Tensor], Tensor]]:
    """Pictures of one shape, drawn by how much their set counts."""
    rng = np.random.default_rng(0)
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for i, example in enumerate(shown):
        groups[example.truth.shape].append(i)
    often = np.array([OFTEN.get(example.example.set, 1.0) for example in shown])
    members = [np.array(group) for group in groups.values()]
    mass = np.array([often[group].sum() for group in members])
    for _ in range(count):
        group = members[rng.choice(len(members), p=mass / mass.sum())]
        size = min(BATCH, len(group))
        chosen = [shown[i] for i in rng.choice(group, size, p=often[group] / often[group].sum())]
        yield (
            [_stack(list(level)) for level in zip(*(s.levels for s in chosen), strict=True)],
            _stack([s.truth for s in chosen]),
        )


def _stack(arrays: Sequence[np.ndarray]) -> Tensor:
    return torch.tensor(np.stack(arrays)).float().contiguous(memory_format=torch.channels_last)


def train(shown: list[Shown], steps: int) -> Heads:
    torch.manual_seed(0)
    net = Heads(*spread_of(shown)).to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
    mean, start = 0.0, time.monotonic()
    for step, (levels, truth) in enumerate(batches(shown, steps)):
        loss = loss_of(net(levels), truth)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        mean += (loss.item() - mean) * max(0.02, 1 / (step + 1))
        if step % 500 == 0:
            print(f"step {step}: loss {mean:.3f}, {time.monotonic() - start:.0f} s", flush=True)
    return net.eval()


@torch.no_grad()
def presence(net: Heads, shown: list[Shown]) -> dict[str, np.ndarray]:
    """Weights by which `presence_evidence` becomes a probability, fitted on dev."""
    dev = [example for example in shown if example.example.side == "dev"]
    evidence = [
        presence_evidence(CellPredictions(*net([_stack([x]) for x in example.levels])[0].numpy())) for example in dev
    ]
    fitted = {}
    for kind in KINDS:
        labelled = [i for i, example in enumerate(dev) if example.example.has(kind) is not None]
        there = np.array([float(dev[i].example.has(kind) or 0) for i in labelled])
        weight = np.array([ADS_COUNT if dev[i].example.set in ADS else 1.0 for i in labelled])
        fitted[f"{kind}_presence"] = logistic(np.array([evidence[i] for i in labelled]), there, weight).astype(
            np.float32
        )
        print(f"{kind}: presence calibrated on {len(there)} pictures, {there.mean():.0%} with one")
    return fitted


def logistic(x: np.ndarray, there: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Slopes, none below 0, and intercept of a logistic regression with a ridge."""
    mean, deviation, weight = x.mean(0), x.std(0), weight / weight.sum()
    z = np.column_stack([(x - mean) / deviation, np.ones(len(x))])

    def loss(b: np.ndarray) -> float:
        return float(weight @ (np.logaddexp(0, z @ b) - there * (z @ b)) + RIDGE * (b[:-1] ** 2).sum())

    bounds = [(0.0, None)] * x.shape[1] + [(None, None)]
    b = minimize(loss, np.zeros(z.shape[1]), method="L-BFGS-B", bounds=bounds).x
    slopes = b[:-1] / deviation
    return np.append(slopes, b[-1] - slopes @ mean)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--lines", type=Path, nargs="+", required=True)
    parser.add_argument("--teachers", type=Path, required=True)
    parser.add_argument("--check", type=Path, required=True)
    parser.add_argument("--synthetic", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--evaluate", action="store_true", help="print figures of the weights that ship, train nothing")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    examples = read(args.data, args.lines, args.teachers, HERE / "labels", HERE / "split")
    if args.evaluate:
        evaluate([*examples, *read_synthetic(args.check, 200, "held_out")], args.data)
        return
    if args.synthetic is None:
        parser.error("--synthetic is needed for training")
    make([*examples, *read_synthetic(args.synthetic, SYNTHETIC)], args.steps, args.out)


def make(examples: list[Example], steps: int, out: Path) -> None:
    """Train, calibrate, write."""
    encoder, rng = AppearanceEncoder(device="cpu", threads=1), np.random.default_rng(0)
    shown = [example for e in examples if e.side != "held_out" for example in shows(e, encoder, rng)]
    print(f"{len(examples)} pictures, {len(shown)} views")
    net = train([example for example in shown if example.example.side == "train"], steps)
    weights = net.weights()
    # no animals until animals.py has fitted them
    animal = np.zeros(2 * sum(len(weights[f"level{i}"]) for i in range(4)) + 1, np.float32)
    np.savez(out, encoder_sha256=np.array(encoder.sha256), **weights, **presence(net, shown), animal=animal)


if __name__ == "__main__":
    main()
