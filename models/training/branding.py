"""Fit what tells marks from other things: the logistic model behind mediaan/aoi/word_marks.py.

    python models/training/branding.py ../shared/data/complexity/images models/training/labels

Reads the text of every labelled training picture, makes the guesses of `mediaan.aoi.word_marks.guesses`, fits on
train_1.json and train_2.json, writes mediaan/aoi/word_marks.json, and reports, by cross-validation on them and once on
check.json, how much of the branding is found without knowing the brand and without the object detector. The detector
has learned from the same pictures, so its opinion is weighed by rule and not by fit.
"""

from __future__ import annotations

import argparse
import json
import pickle
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image
from sklearn.linear_model import LogisticRegression

from mediaan.aoi.branding import LEAST_CONFIDENCE, MOST
from mediaan.aoi.word_marks import FEATURES, Guess, guesses
from mediaan.predictors.text import TextReader
from mediaan.types.aoi import Box, TextLine

WEIGHTS = Path(__file__).resolve().parents[2] / "mediaan" / "aoi" / "word_marks.json"
FOLDS = 5
PENALTY = 0.1


Model = tuple[np.ndarray, float]


class Ad(NamedTuple):
    name: str
    marks: list[Box]
    guesses: list[Guess]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("images", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--cache", type=Path, help="keep what was read here")
    arguments = parser.parse_args()
    train = [ad for part in ("train_1", "train_2") for ad in load(arguments, part)]
    order = np.random.default_rng(0).permutation(len(train))
    shown: dict[str, list[tuple[float, Box]]] = {}
    for fold in np.array_split(order, FOLDS):
        rest = [ad for i, ad in enumerate(train) if i not in set(fold)]
        models = fit(rest, rest), fit([versions(ad) for ad in rest], rest)
        shown |= {train[i].name: chosen(train[i], models) for i in fold}
    report("train, cross-validated", train, shown)
    models = fit(train, train), fit([versions(ad) for ad in train], train)
    text = {"mark": as_text(models[0]), "version": as_text(models[1])}
    WEIGHTS.write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")
    check = load(arguments, "check")
    report("check", check, {ad.name: chosen(ad, models) for ad in check})


def load(arguments: argparse.Namespace, part: str) -> list[Ad]:
    labels = json.loads((arguments.labels / f"{part}.json").read_text("utf-8"))
    read = text_of(arguments, sorted(name for name, boxes in labels.items() if boxes is not None))
    ads = []
    for name, lines in read.items():
        marks = [Box(*label["box"]) for label in labels[name] if label["type"] == "branding"]
        ads.append(Ad(name, marks, guesses(pixels(arguments.images / name), lines, ())))
    return ads


def text_of(arguments: argparse.Namespace, names: list[str]) -> dict[str, tuple[TextLine, ...]]:
    """Text of the pictures; it is slow to read, so it may be kept."""
    kept = pickle.loads(arguments.cache.read_bytes()) if arguments.cache and arguments.cache.exists() else {}
    reader = TextReader(threads=1)
    for name in (name for name in names if name not in kept):
        kept[name] = reader.read(pixels(arguments.images / name))
    if arguments.cache:
        arguments.cache.write_bytes(pickle.dumps(kept))
    return {name: kept[name] for name in names}


def pixels(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB"))


def versions(ad: Ad) -> Ad:
    """Only what is drawn around a mark, well or badly."""
    return ad._replace(guesses=[g for g in ad.guesses if any(around(g.box, mark) for mark in ad.marks)])


def around(guess: Box, mark: Box) -> bool:
    return guess.intersection(mark) > 0.5 * min(guess.area, mark.area) and mark.area / 7 < guess.area < 7 * mark.area


def fit(ads: list[Ad], standard: list[Ad]) -> Model:
    """Weights and constant for features as they are; the penalty is on those standardised as in `standard`."""
    features = np.array([guess.features for ad in ads for guess in ad.guesses])
    right = [any(g.box.iou(mark) >= 0.5 for mark in ad.marks) for ad in ads for g in ad.guesses]
    everything = np.array([guess.features for ad in standard for guess in ad.guesses])
    mean, spread = everything.mean(axis=0), np.maximum(everything.std(axis=0), 1e-6)
    model = LogisticRegression(C=PENALTY, max_iter=5000).fit((features - mean) / spread, right)
    weights = np.where(everything.std(axis=0) > 0, model.coef_[0] / spread, 0.0)
    return weights, float(model.intercept_[0] - weights @ mean)


def as_text(model: Model) -> dict[str, object]:
    weights, start = model
    named = {name: round(float(w), 4) for name, w in zip(FEATURES, weights, strict=True)}
    return {"start": round(start, 4), "weights": named}


def rate(model: Model, ad: Ad) -> np.ndarray:
    return np.array([1 / (1 + np.exp(-(model[1] + model[0] @ guess.features))) for guess in ad.guesses])


def chosen(ad: Ad, models: tuple[Model, Model]) -> list[tuple[float, Box]]:
    """What `find_branding` shows without a brand, by these weights."""
    marks, fits = (rate(model, ad) for model in models)
    kept: list[tuple[float, Box]] = []
    for i in np.argsort(-marks):
        of = ad.guesses[i].box
        same = [j for j, g in enumerate(ad.guesses) if same_mark(g.box, of)]
        box = ad.guesses[max(same, key=lambda j: fits[j])].box
        if marks[i] >= LEAST_CONFIDENCE and len(kept) < MOST and not any(overlaps(box, other) for _, other in kept):
            kept.append((float(marks[i]), box))
    return kept


def same_mark(guess: Box, mark: Box) -> bool:
    return guess.intersection(mark) > 0.5 * min(guess.area, mark.area) and guess.area < 7 * mark.area


def report(title: str, ads: list[Ad], shown: dict[str, list[tuple[float, Box]]]) -> None:
    print(title)
    marks = sum(len(ad.marks) for ad in ads)
    for least in (LEAST_CONFIDENCE, 0.2, 0.3, 0.5):
        boxes = {name: [box for sure, box in kept if sure >= least] for name, kept in shown.items()}
        hits = sum(found(ad.marks, boxes[ad.name]) for ad in ads)
        count = sum(len(b) for b in boxes.values())
        print(f"  from {least:.2f}: recall {hits / marks:.3f} precision {hits / max(1, count):.3f} of {marks}, {count}")


def overlaps(a: Box, b: Box) -> bool:
    return a.intersection(b) > 0.4 * min(a.area, b.area)


def found(marks: list[Box], boxes: list[Box]) -> int:
    """Marks that are matched, each by a box of its own."""
    rest, hits = list(marks), 0
    for box in boxes:
        best = max(rest, key=box.iou, default=None)
        if best is not None and box.iou(best) >= 0.5:
            rest.remove(best)
            hits += 1
    return hits


if __name__ == "__main__":
    main()
