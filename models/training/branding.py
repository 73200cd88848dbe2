"""Fit what speaks for a mark: the weights of mediaan/aoi/detection/branding.py.

    python models/training/branding.py --data DATA --cache FOLDER

Fits to the modern designs of train and dev. FOLDER keeps what the networks return, as of detection_steps.py. Roles of
lines come from small networks of one hidden layer that were not fitted to the brand of a design. As the object detector
was fitted to the designs of train, logos there have a weight and a constant of their own, which are left out of what
ships. Prints the weights, and precision and recall from several confidences on, by folds of brand; and of marks whose
lettering only resembles the brand's name how many are right.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from detection_steps import Design, designs
from text_layout import DECAY, INSIDE, LABELS, LEAST_SD, NOISE, RARE, WARM, area_of
from torch import Tensor, nn

from mediaan.analysis import load_models
from mediaan.aoi.detection.brand_names import find_names, resembles_name
from mediaan.aoi.detection.branding import (
    EVIDENCE,
    LEAST_RIVAL,
    SETTINGS,
    BrandMark,
    mark_probabilities,
    possible_marks,
    rivals,
)
from mediaan.aoi.detection.line_features import line_features
from mediaan.aoi.detection.text_blocks import LINE_ROLES, TypesetLine, typeset_line
from mediaan.aoi.detection.text_layout import fuse_object_evidence, object_evidence, read_model
from mediaan.types.aoi import Box

RIGHT, HIDDEN = 0.5, 0.5  # IoU with a drawn mark; share in an undecided area from which on a find counts neither way
LEVELS = (0.3, 0.4, 0.5, 0.58, 0.6, 0.7)
FOLDS_OF_ROLES, FOLDS = 5, 10
UNITS, DROP, EPOCHS, RATE, LINES = 64, 0.5, 80, 4e-3, 320  # of a network of roles; lines of a batch
PENALTY = 1.0  # on the squares of standardised weights


class Lines(NamedTuple):
    """A design, its lines, their features and the roles that people gave them, -1 where nobody can say."""

    design: Design
    typed: tuple[TypesetLine, ...]
    features: np.ndarray
    roles: np.ndarray
    side: str
    areas: list[dict]
    undecided: list[dict]

    @property
    def brand(self) -> str:
        brand = self.design.image.facts.brand
        return brand.name if brand else self.design.image.name


class Judged(NamedTuple):
    """A possible mark; of which design; whether people drew one there; whether it counts neither way."""

    mark: BrandMark
    page: int
    drawn: int
    """Which drawn mark of the design it is; -1 for none."""
    ignored: bool
    resembles: bool
    """Whether it resembles the brand's name and does not say it."""


def read_lines(data: Path, cache: Path) -> list[Lines]:
    models, pages = load_models("attention", "cpu"), []
    undecided = json.loads((LABELS / "modern_undecided.json").read_text())
    for side in ("train", "dev"):
        labels = json.loads((LABELS / f"modern_{side}.json").read_text())
        for design in designs(data, cache, side, models):
            name = design.image.name
            typed = tuple(typeset_line(design.rgb, line) for line in design.lines)
            doubtful = undecided.get(name, [])
            roles = np.array([area_of(line.box, labels[name], doubtful)[0] for line in typed], int)
            features = line_features(design.rgb, typed) if typed else np.zeros((0, 0))
            pages.append(Lines(design, typed, features, roles, side, labels[name], doubtful))
    return pages


def roles_by_folds(pages: Sequence[Lines]) -> list[np.ndarray]:
    """Probabilities of roles of the lines of each design, from networks that were not fitted to its brand."""
    read = [page for page in pages if page.typed]
    fold = np.concatenate([[zlib.crc32(page.brand.encode()) % FOLDS_OF_ROLES] * len(page.roles) for page in read])
    x, roles = np.concatenate([page.features for page in read]), np.concatenate([page.roles for page in read])
    weight = np.concatenate([np.full(len(page.roles), len(page.roles) ** -0.5) for page in read])
    weight *= np.array([RARE.get(name, 1.0) for name in LINE_ROLES])[roles]
    predicted = np.zeros((len(x), len(LINE_ROLES)))
    for number in range(FOLDS_OF_ROLES):
        rest = np.flatnonzero((fold != number) & (roles >= 0))
        mean, scale = x[rest].mean(0), np.maximum(x[rest].std(0), LEAST_SD)
        z = torch.from_numpy(np.clip((x - mean) / scale, -4, 4).astype(np.float32))
        for seed in (0, 1):
            network = fit_roles(z[rest], torch.from_numpy(roles[rest]), torch.from_numpy(weight[rest]).float(), seed)
            with torch.no_grad():
                predicted[fold == number] += F.softmax(network(z[fold == number]), -1).numpy() / 2
    by_page = iter(np.split(predicted, np.cumsum([len(page.roles) for page in read])))
    return [next(by_page) if page.typed else np.zeros((0, len(LINE_ROLES))) for page in pages]


def fit_roles(z: Tensor, roles: Tensor, weight: Tensor, seed: int) -> nn.Module:
    """Fit a network of one hidden layer to standardised features of lines."""
    torch.manual_seed(seed)
    network = nn.Sequential(
        nn.Linear(z.shape[1], UNITS), nn.ReLU(), nn.Dropout(DROP), nn.Linear(UNITS, len(LINE_ROLES))
    )
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    batches = -(-len(z) // LINES)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=EPOCHS * batches, pct_start=WARM)
    for _ in range(EPOCHS):
        for some in torch.randperm(len(z)).split(LINES):
            noisy = z[some] + NOISE * torch.randn(len(some), z.shape[1])
            losses = F.cross_entropy(network(noisy), roles[some], reduction="none")
            value = (weight[some] * losses).sum() / weight[some].sum()
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
            schedule.step()
    return network.eval()


def judge(pages: Sequence[Lines]) -> list[Judged]:
    """Return the possible marks of the designs, and what people say of them."""
    judged, objects = [], read_model().objects
    for number, (page, roles) in enumerate(zip(pages, roles_by_folds(pages), strict=True)):
        detections, lines = page.design.detections, page.typed
        if lines:
            evidence = np.stack([object_evidence(line.box, detections) for line in lines])
            roles = fuse_object_evidence(roles, evidence, objects)
        drawn = [Box(*area["box"]) for area in page.areas if area["type"] == "branding"]
        doubtful = [
            Box(*area["box"])
            for area in page.undecided
            if area["type"] == "branding" or (area["type"] == "other" and not area.get("label"))
        ]
        doubtful += [Box(*a["box"]) for a in page.areas if a.get("label", "").startswith("other mark")]
        brand = page.design.image.facts.brand
        says = [match.box for match in find_names([line.line for line in lines], brand)] if brand else []
        marks = possible_marks(lines, roles, detections)
        for mark, sure in zip(marks, mark_probabilities(marks), strict=True):
            overlaps = [mark.box.iou(box) for box in drawn]
            right = max(overlaps, default=0.0) >= RIGHT
            ignored = not right and any(box.intersection(mark.box) >= HIDDEN * mark.box.area for box in doubtful)
            inside = [line.line for line in lines if line.box.intersection(mark.box) >= INSIDE * line.box.area]
            unsaid = brand is not None and not any(mark.box.intersection(box) >= INSIDE * box.area for box in says)
            alike = unsaid and sure >= SETTINGS.like_name and resembles_name(inside, brand)
            judged.append(Judged(mark, number, int(np.argmax(overlaps)) if right else -1, ignored, alike))
    return judged


def logistic(x: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return weights and, last, the constant of a logistic model."""
    mean, scale = x.mean(0), x.std(0) + 1e-6
    z, y = torch.from_numpy((x - mean) / scale), torch.from_numpy(right.astype(np.float64))
    weights = torch.zeros(x.shape[1] + 1, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=200, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = F.binary_cross_entropy_with_logits(z @ weights[:-1] + weights[-1], y, reduction="sum")
        value = value + PENALTY * weights[:-1].square().sum()
        value.backward()
        return value

    optimiser.step(loss)
    fitted = weights.detach().numpy()
    return np.append(fitted[:-1] / scale, fitted[-1] - fitted[:-1] @ (mean / scale))


class Fitted(NamedTuple):
    """Weights of the evidence with their constant, and those of a mark's own log odds and of its rival's."""

    evidence: np.ndarray
    together: np.ndarray


def odds_of(judged: Sequence[Judged], weights: np.ndarray) -> np.ndarray:
    """(marks, 2): log odds of each mark by its evidence alone, and those of the likeliest other one of its design."""
    own = np.array([[mark.mark.evidence[name] for name in EVIDENCE] for mark in judged]) @ weights[:-1] + weights[-1]
    other = np.full(len(own), LEAST_RIVAL)
    page = np.array([mark.page for mark in judged])
    for number in np.unique(page):
        some = np.flatnonzero(page == number)
        other[some] = rivals([judged[i].mark for i in some], list(own[some]))
    return np.column_stack([own, other])


def fit(judged: Sequence[Judged], is_train: np.ndarray) -> Fitted:
    """Fit both models; what the detector says of designs of train has a slope and constants of its own."""
    kept = np.array([not mark.ignored for mark in judged])
    right = np.array([mark.drawn >= 0 for mark in judged])
    x = np.array([[mark.mark.evidence[name] for name in EVIDENCE] for mark in judged])
    detected = x[:, [list(EVIDENCE).index(name) for name in ("logo", "no_logo")]]
    of_train = is_train[:, None] * np.column_stack([detected, np.ones(len(x))])
    weights = logistic(np.column_stack([x, of_train])[kept], right[kept])
    evidence = np.append(weights[: len(EVIDENCE)], weights[-1])
    return Fitted(evidence, logistic(odds_of(judged, evidence)[kept], right[kept]))


def show(title: str, judged: Sequence[Judged], chance: np.ndarray, drawn: int) -> None:
    """Print precision and recall from several confidences on; of marks at one place the surest counts."""
    chosen: list[int] = []
    for i in np.argsort(-chance):
        box, page = judged[i].mark.box, judged[i].page
        beside = [judged[j].mark.box for j in chosen if judged[j].page == page]
        if all(max(box.share_in(other), other.share_in(box)) < SETTINGS.same for other in beside):
            chosen.append(i)
    for level in LEVELS:
        some = [i for i in chosen if chance[i] >= level and not judged[i].ignored]
        right = len({(judged[i].page, judged[i].drawn) for i in some if judged[i].drawn >= 0})
        print(
            f"{title} from {level}: precision {right / len(some):.2f}, recall {right / drawn:.2f} ({len(some)} shown)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="of detection_steps.py")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    pages = read_lines(args.data, args.cache)
    judged = judge(pages)
    is_train = np.array([pages[mark.page].side == "train" for mark in judged])
    fold = np.array([zlib.crc32(("x" + pages[mark.page].brand).encode()) % FOLDS for mark in judged])
    chance = np.zeros(len(judged))
    for number in range(FOLDS):
        rest, some = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        fitted = fit([judged[i] for i in rest], is_train[rest])
        odds = odds_of([judged[i] for i in some], fitted.evidence)
        chance[some] = 1 / (1 + np.exp(-odds @ fitted.together[:2] - fitted.together[2]))
    for side in ("train", "dev"):
        some = np.flatnonzero(is_train == (side == "train"))
        drawn = sum(area["type"] == "branding" for page in pages if page.side == side for area in page.areas)
        show(side, [judged[i] for i in some], chance[some], drawn)
    fitted = fit(judged, is_train)
    for name, weight in zip((*EVIDENCE, "intercept"), fitted.evidence, strict=True):
        print(f"{name}: {weight:.2f}")
    print("OWN, RIVAL, CONSTANT = {:.2f}, {:.2f}, {:.2f}".format(*fitted.together))
    alike = [mark.drawn >= 0 for mark in judged if mark.resembles]
    print(f"lettering that resembles the name: {sum(alike)} of {len(alike)} right")


if __name__ == "__main__":
    main()
