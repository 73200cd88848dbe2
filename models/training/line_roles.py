"""Fit what tells the roles of lines of text: the perceptron behind mediaan/aoi/detection/line_roles.py.

    python models/training/line_roles.py --data DATA --cache LINES.pkl

Reads the text of every labelled picture (`labels/modern_*.json`, modern designs; `labels/train_*.json`, print ads,
whose offers count as body text), gives each line the role of the area that holds it, fits, writes
mediaan/aoi/detection/line_roles.json, and prints the confusion on pictures that were not fitted on. What detected
objects add is fitted to dev.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

from mediaan.aoi.detection.line_roles import (
    _OBJECT_ROLES,
    FEATURES,
    LINE_ROLES,
    _Model,
    forward,
    fuse_object_evidence,
    line_features,
    object_evidence,
)
from mediaan.aoi.detection.text_blocks import typeset_line
from mediaan.media import resize, view_size
from mediaan.types.aoi import Box, TextLine
from mediaan.vision.objects.detector import load_detector
from mediaan.vision.text.reader import TextReader

HERE = Path(__file__).parent
LABELS = HERE / "labels"
WEIGHTS = HERE.parents[1] / "mediaan" / "aoi" / "detection" / "line_roles.json"
INSIDE = 0.6  # share of a line inside an area from which on it is part of it
UNITS, EPOCHS, RATE, DECAY, DROP = 64, 200, 4e-3, 3e-2, 0.5
UNKNOWN_OFFERS = ("body_text", "offer", "platform")  # one in print ads, where nobody told them apart
RARE = {"none": 0.5}  # weight of a class, otherwise 1


class Page(NamedTuple):
    """The lines of one picture: features; index of the role, -1 where nobody can say; objects around them."""

    name: str
    features: np.ndarray
    roles: np.ndarray
    objects: np.ndarray
    print_ad: bool


def role_of(box: Box, areas: list[dict], undecided: list[dict]) -> int:
    """Role of a line by the smallest text area that holds it; -1 if that is in doubt."""

    def holding(found: list[dict]) -> list[dict]:
        inside = [a for a in found if Box(*a["box"]).intersection(box) >= INSIDE * box.area]
        return sorted(inside, key=lambda a: Box(*a["box"]).area)

    def role(area: dict) -> str | None:
        if area["type"] == "other":
            label = area.get("label", "")
            return label if label in ("offer", "platform") else "branding" if label.startswith("other mark") else None
        return area["type"] if area["type"] in LINE_ROLES else None

    decided = [r for a in holding(areas) if (r := role(a))]
    doubtful = [a for a in holding(undecided) if role(a) or a["type"] == "other"]
    if decided:
        return LINE_ROLES.index(decided[0])  # type: ignore[arg-type]
    return -1 if doubtful else LINE_ROLES.index("none")


def pictures(data: Path) -> Iterator[tuple[str, Path, list[dict], list[dict], str, bool]]:
    """Name, file, areas, undecided areas, side, and whether it is a print ad."""
    undecided = json.loads((LABELS / "modern_undecided.json").read_text())
    for side in ("train", "dev", "check"):
        for name, areas in json.loads((LABELS / f"modern_{side}.json").read_text()).items():
            yield name, data / "ads" / "images" / name, areas, undecided.get(name, []), side, False
    for file, side in (("train_1", "train"), ("train_2", "train"), ("check", "check")):
        for name, areas in json.loads((LABELS / f"{file}.json").read_text()).items():
            if areas is not None:
                yield name, data / "complexity" / "images" / name, areas, [], side, True


def read_pages(data: Path, cache: Path) -> dict[str, list[Page]]:
    """Pages by side; what the text reader says is kept in `cache`."""
    read: dict[str, tuple[TextLine, ...]] = pickle.loads(cache.read_bytes()) if cache.exists() else {}
    reader, pages = None, {"train": [], "dev": [], "check": []}
    detector = load_detector(threads=1)
    for name, path, areas, undecided, side, print_ad in pictures(data):
        rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
        if name not in read:
            reader = reader or TextReader(threads=1)
            read[name] = reader.read(rgb)
        lines = [typeset_line(rgb, line) for line in read[name]]
        if lines:
            roles = np.array([role_of(line.line.box, areas, undecided) for line in lines])
            frame = resize(Image.fromarray(rgb), view_size(rgb.shape[1], rgb.shape[0], detector.view))
            seen = detector.detect(np.asarray(frame, np.uint8)[None])[0] if side != "train" else ()
            objects = np.stack([object_evidence(line.line.box, seen) for line in lines])
            pages[side].append(Page(name, line_features(rgb, lines), roles, objects, print_ad))
    cache.write_bytes(pickle.dumps(read))
    return pages


def fit(pages: list[Page], seed: int = 0) -> _Model:
    """Fit to the lines of pages by maximum likelihood."""
    torch.manual_seed(seed)
    x = np.concatenate([p.features for p in pages])
    y = np.concatenate([p.roles for p in pages])
    print_ad = np.concatenate([np.full(len(p.roles), p.print_ad) for p in pages])
    # a page of a hundred lines teaches more than one of four, but not twenty-five times as much
    weight = np.concatenate([np.full(len(p.roles), len(p.roles) ** -0.5) for p in pages])
    keep = y >= 0
    x, y, print_ad, weight = x[keep], y[keep], print_ad[keep], weight[keep]
    weight = weight * np.array([RARE.get(role, 1.0) for role in LINE_ROLES])[y]
    weight = weight / weight.mean()
    mean, scale = x.mean(0), np.maximum(x.std(0), 0.05)
    inputs = torch.from_numpy(np.clip((x - mean) / scale, -4, 4)).float()
    targets, weights, merged = torch.from_numpy(y), torch.from_numpy(weight).float(), torch.from_numpy(print_ad)
    pooled = torch.tensor([LINE_ROLES.index(role) for role in UNKNOWN_OFFERS])  # type: ignore[arg-type]
    unclear = merged & torch.isin(targets, pooled)
    net = torch.nn.Sequential(
        torch.nn.Linear(len(FEATURES), UNITS),
        torch.nn.ReLU(),
        torch.nn.Dropout(DROP),
        torch.nn.Linear(UNITS, len(LINE_ROLES)),
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, EPOCHS)
    for _ in range(EPOCHS):
        noisy = inputs + 0.1 * torch.randn_like(inputs)
        log_p = F.log_softmax(net(noisy), 1)
        own = log_p.gather(1, targets[:, None])[:, 0]
        any_of = log_p[:, pooled].logsumexp(1)
        value = -(weights * torch.where(unclear, any_of, own)).mean()
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        schedule.step()
    first, last = net[0], net[3]

    def layer(linear: torch.nn.Module) -> np.ndarray:
        return np.concatenate([linear.weight.detach().numpy().T, linear.bias.detach().numpy()[None]]).astype(np.float64)

    return _Model(mean, scale, layer(first), layer(last), np.zeros((3, 2)))


def weigh_objects(pages: list[Page], model: _Model) -> _Model:
    """Fit what detected objects add, on pages that neither the perceptron nor the detector was fitted to."""
    weights = torch.zeros(3, 2, dtype=torch.float64, requires_grad=True)
    y = torch.from_numpy(np.concatenate([p.roles for p in pages]))
    roles = torch.from_numpy(np.concatenate([forward(p.features, model) for p in pages])).log()
    evidence = torch.from_numpy(np.concatenate([p.objects for p in pages]))
    columns = [LINE_ROLES.index(role) for role in _OBJECT_ROLES]
    optimiser = torch.optim.LBFGS([weights], max_iter=200)

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        odds = torch.zeros_like(roles)
        odds[:, columns] = torch.where(evidence > 0, weights[:, 0] * evidence + weights[:, 1], 0.0)
        value = F.cross_entropy((roles + odds)[y >= 0], y[y >= 0]) + 3e-3 * weights.square().sum()
        value.backward()
        return value

    optimiser.step(loss)
    return model._replace(objects=weights.detach().numpy())


def confusion(pages: list[Page], model: _Model) -> np.ndarray:
    """Counts of lines, true role by likeliest role."""
    counts = np.zeros((len(LINE_ROLES),) * 2, int)
    for page in pages:
        shares = fuse_object_evidence(forward(page.features, model), page.objects, model.objects)
        for true, said in zip(page.roles, shares.argmax(1), strict=True):
            if true >= 0:
                counts[true, said] += 1
    return counts


def show(title: str, counts: np.ndarray) -> None:
    """Print a confusion with recall and precision of each role."""
    print(f"{title}: {counts.trace() / counts.sum():.3f} of {counts.sum()} lines right")
    print(f"{'true / said':>16}" + "".join(f"{role[:8]:>10}" for role in LINE_ROLES) + "    recall precision")
    for i, role in enumerate(LINE_ROLES):
        recall, precision = counts[i, i] / max(1, counts[i].sum()), counts[i, i] / max(1, counts[:, i].sum())
        print(f"{role:>16}" + "".join(f"{n:10d}" for n in counts[i]) + f"    {recall:.2f}    {precision:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="what the text reader says, kept from run to run")
    args = parser.parse_args()
    torch.set_num_threads(1)
    pages = read_pages(args.data, args.cache)
    dev = [p for p in pages["dev"] if not p.print_ad]
    model = weigh_objects(dev, fit(pages["train"]))
    stored = {name: np.round(values, 4).tolist() for name, values in model._asdict().items()}
    WEIGHTS.write_text(json.dumps(stored, separators=(",", ":")))
    print("log odds of button, logo, product:", model.objects.round(2).tolist())
    show("dev", confusion(dev, model))
    show("check, modern", confusion([p for p in pages["check"] if not p.print_ad], model))
    show("check, print ads", confusion([p for p in pages["check"] if p.print_ad], model))


if __name__ == "__main__":
    main()
