"""Fit what tells animals among detected persons.

    python animals.py DATA IMAGENET.npz [--out appearance_heads.npz]
    python animals.py DATA

The first fits a logistic regression on pooled features of the attention model's encoder. It learns from cut-outs of
pictures, what an ImageNet network (MobileNetV2, Apache-2.0) says of each: the sum of its 398 animals; and from
`labels/animals.csv`, detected persons without a sure face, judged by eye. Prints, by folds of pictures and by set left
out, how many animals and people among the latter are taken for animals.

The second fits, with the regression that ships, how its log odds of a person's body and head and the confidence of the
face weigh: the constants of mediaan/vision/objects/animals.py. It learns from `labels/animal_faces.csv`, detected
persons with a face, judged by eye, and from close-ups of these faces. Prints the weights, and by folds of pictures how
many animals and people are taken for animals.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from network import Encoder, folded

from mediaan.analysis import load_models
from mediaan.analysis.models import Models
from mediaan.media.views import resize_to_view
from mediaan.types.aoi import Box
from mediaan.vision.appearance import AppearanceEncoder, pool_features
from mediaan.vision.objects.animals import BODY, FACELESS, HEAD, SETTINGS, cut_out

HERE = Path(__file__).resolve().parent
SETS = {
    "osie": "gaze/osie/images", "complexity": "complexity/images", "ads": "ads/images", "saleci": "gaze/saleci/images",
    "scene": "gaze/scene/images",
}  # fmt: skip
"""To learn from; other sets of `labels/animals.csv` judge only."""
ABSTRACT = ("suprematism", "visualizations", "interior")
PICTURES, CUT_OUTS, MORE = 1100, 4, 8
"""So many pictures, cut-outs of each, and more of one in which there may be an animal."""
TEACHER_PX, LARGEST = 192, 1024
ANIMALS = slice(1, 399)  # of the 1001 classes
PENALTY, FOLDS = 0.005, 4
CLOSE_UPS, SMALLEST_FACE_PX, SHARE_OF_PEOPLE = (1.2, 1.6, 2.2), 40, 0.22
"""Sides of close-ups in those of the face; faces from this size; of people only so many."""
FACE_FOLDS, RIDGE = 5, 0.05


class Rows(NamedTuple):
    """Cut-outs: features (n, F), probability of an animal (n,), picture and set of each (n,)."""

    features: np.ndarray
    animal: np.ndarray
    picture: np.ndarray
    source: np.ndarray

    def take(self, chosen: np.ndarray) -> Rows:
        return Rows(*(values[chosen] for values in self))


def read(path: Path) -> np.ndarray:
    rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
    scale = LARGEST / max(rgb.shape[:2])
    return cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else rgb


def source_of(image: str) -> str:
    return next((name for name, folder in SETS.items() if image.startswith(folder)), image.split("/")[0])


def pictures(data: Path, rng: np.random.Generator) -> list[str]:
    """Paths of the pictures to learn from, in DATA, without those that judge other parts."""
    checks = {
        Path(n).stem
        for side in ("modern_check", "check")
        for n in json.loads((HERE / "labels" / f"{side}.json").read_text())
    }
    names = []
    for source, folder in SETS.items():
        file = HERE / "split" / "held_out" / f"{source}.txt"
        apart = checks | set(file.read_text().split() if file.exists() else ())
        names += [
            path.relative_to(data).as_posix()
            for path in sorted((data / folder).iterdir())
            if path.stem not in apart and not path.stem.startswith(ABSTRACT)
        ]
    return [str(name) for name in rng.permutation(names)[:PICTURES]]


def random_box(rgb: np.ndarray, rng: np.random.Generator) -> Box:
    height, width = rgb.shape[:2]
    side, aspect = min(height, width) * np.exp(rng.uniform(*np.log([0.25, 0.9]))), np.exp(rng.normal(-0.1, 0.18))
    w, h = min(1.0, max(24, side * aspect) / width), min(1.0, max(24, side / aspect) / height)
    x, y = rng.uniform(0, 1 - w), rng.uniform(0, 1 - h)
    return Box(x, y, x + w, y + h)


class Teacher:
    """ImageNet's MobileNetV2."""

    def __init__(self, weights: Path) -> None:
        self._net = Encoder("mobilenet_v2").eval()
        self._net.load_imagenet(weights)
        self._weight, self._bias = folded(weights)[-1]

    @torch.no_grad()
    def animal(self, part: np.ndarray) -> float:
        rgb = torch.from_numpy(cv2.resize(part, (TEACHER_PX,) * 2, interpolation=cv2.INTER_AREA))
        pooled = self._net(rgb.permute(2, 0, 1)[None].float() / 127.5 - 1)[-1].mean((2, 3))
        logits = pooled @ self._weight.reshape(len(self._bias), -1).T + self._bias
        return float(torch.softmax(logits, 1)[0, ANIMALS].sum())


def taught(data: Path, teacher: Teacher, encoder: AppearanceEncoder, rng: np.random.Generator) -> Rows:
    rows = []
    for name in pictures(data, rng):
        rgb, likeliest, wanted = read(data / name), 0.0, CUT_OUTS
        while wanted > 0:
            wanted -= 1
            box = random_box(rgb, rng)
            x0, y0, x1, y1 = (round(v) for v in np.array(box) * np.tile(rgb.shape[1::-1], 2))
            animal = teacher.animal(rgb[y0:y1, x0:x1])
            rows.append((pool_features(encoder.encode(cut_out(rgb, box, FACELESS))), animal, name, source_of(name)))
            likeliest = max(likeliest, animal)
            if wanted == 0 and likeliest > 0.5:
                wanted, likeliest = MORE, -1.0
    return Rows(*(np.array(column) for column in zip(*rows, strict=True)))


def judged(data: Path, encoder: AppearanceEncoder) -> Rows:
    rows = []
    with (HERE / "labels" / "animals.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            box = Box(*(float(row[side]) for side in ("x0", "y0", "x1", "y1")))
            features = pool_features(encoder.encode(cut_out(read(data / row["image"]), box, FACELESS)))
            rows.append((features, float(row["animal"]), row["image"], source_of(row["image"])))
    return Rows(*(np.array(column) for column in zip(*rows, strict=True)))


def fitted(*parts: Rows) -> np.ndarray:
    """A weight for each feature, and the constant, by maximum likelihood with a ridge."""
    x, y = (np.concatenate([getattr(part, name) for part in parts]) for name in ("features", "animal"))
    mean, sd = x.mean(0), x.std(0) + 1e-3
    z, target = torch.from_numpy((x - mean) / sd).float(), torch.from_numpy(y).float()
    weight, constant = torch.zeros(x.shape[1], requires_grad=True), torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, constant], max_iter=40, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(z @ weight + constant, target) + PENALTY * (weight**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    weights = weight.detach().numpy() / sd
    return np.append(weights, float(constant.detach()) - weights @ mean).astype(np.float32)


def auc(score: np.ndarray, animal: np.ndarray) -> float:
    higher = score[animal > 0.5][:, None] - score[animal < 0.5]
    return float(((higher > 0) + 0.5 * (higher == 0)).mean()) if higher.size else float("nan")


def told(logits: np.ndarray, animal: np.ndarray) -> str:
    """How many animals and people are taken for animals."""
    taken, is_animal = logits >= np.log(SETTINGS.least / (1 - SETTINGS.least)), animal > 0.5
    return (
        f"animals {taken[is_animal].sum()} of {is_animal.sum()}, "
        f"people {taken[~is_animal].sum()} of {(~is_animal).sum()}, AUC {auc(logits, animal):.3f}"
    )


def evaluate(lessons: Rows, persons: Rows, rng: np.random.Generator) -> None:
    learnable = np.isin(persons.source, list(SETS))

    def logits(test: np.ndarray, apart: np.ndarray) -> np.ndarray:
        weights = fitted(lessons.take(~apart), persons.take(learnable & ~test))
        return persons.features[test] @ weights[:-1] + weights[-1]

    for name in np.unique(persons.source):
        test = persons.source == name
        print(f"{name} left out: {told(logits(test, lessons.source == name), persons.animal[test])}")
    names = np.unique(np.concatenate([lessons.picture, persons.picture]))
    fold = dict(zip(names, rng.integers(0, FOLDS, len(names)), strict=True))
    scores = np.zeros(len(persons.animal))
    for k in range(FOLDS):
        test, apart = (np.array([fold[name] == k for name in rows.picture]) for rows in (persons, lessons))
        scores[test] = logits(test, apart)
    samples = (rng.integers(0, len(scores), len(scores)) for _ in range(1000))
    low, high = np.quantile([auc(scores[i], persons.animal[i]) for i in samples], [0.05, 0.95])
    print(f"folds of pictures: {told(scores, persons.animal)} [{low:.3f}, {high:.3f}]")


class Faces(NamedTuple):
    """Persons with a face: terms (n, 3), in the order of the weights of `SETTINGS`; animal, picture, close-up (n,)."""

    terms: np.ndarray
    animal: np.ndarray
    picture: np.ndarray
    close_up: np.ndarray


def face_terms(rgb: np.ndarray, person: Box | None, models: Models) -> tuple[Box, list[float]] | None:
    """The face and the terms of the detected person that is meant, of the surest for None; None without a face."""
    (detections,) = models.objects.detect(resize_to_view(rgb, models.objects.view)[None])
    people = [d for d in detections if d.type == "person" and d.confidence >= SETTINGS.person]
    if not people:
        return None
    body = max(people, key=lambda d: d.box.iou(person) if person else d.confidence).box
    inside = [d for d in detections if d.type == "face" and d.box.share_in(body) >= SETTINGS.inside]
    face = max(inside, key=lambda d: d.confidence, default=None)
    if face is None or face.confidence < SETTINGS.face:
        return None
    odds = models.appearance.animal_log_odds
    looks = [odds(cut_out(rgb, body, BODY)), odds(cut_out(rgb, face.box, HEAD))]
    return face.box, [*looks, float(np.log(face.confidence / (1 - face.confidence)))]


def close_ups(rgb: np.ndarray, face: Box) -> list[np.ndarray]:
    height, width = rgb.shape[:2]
    longer = max(face.width * width, face.height * height)
    if min(face.width * width, face.height * height) < SMALLEST_FACE_PX:
        return []
    (x, y), parts = face.centre, []
    for scale in CLOSE_UPS:
        half = scale * longer / 2
        x0, y0 = (int(max(0, centre - half)) for centre in (x * width, y * height))
        parts.append(np.ascontiguousarray(rgb[y0 : int(y * height + half), x0 : int(x * width + half)]))
    return parts


def persons_with_faces(data: Path, models: Models, rng: np.random.Generator) -> Faces:
    rows = []
    with (HERE / "labels" / "animal_faces.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            rgb, animal = read(data / row["image"]), row["animal"] == "1"
            box = Box(*(float(row[side]) for side in ("x0", "y0", "x1", "y1")))
            if (whole := face_terms(rgb, box, models)) is None:
                continue
            rows.append((whole[1], animal, row["image"], False))
            if animal or rng.random() < SHARE_OF_PEOPLE:
                parts = (face_terms(part, None, models) for part in close_ups(rgb, whole[0]))
                rows += [(part[1], animal, row["image"], True) for part in parts if part]
    return Faces(*(np.array(column) for column in zip(*rows, strict=True)))


def face_weights(terms: np.ndarray, animal: np.ndarray) -> np.ndarray:
    """A weight for each term, and the constant."""
    x, y = torch.from_numpy(terms).double(), torch.from_numpy(animal).double()
    weights = torch.zeros(x.shape[1] + 1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=500)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(x @ weights[:-1] + weights[-1], y, reduction="sum")
        loss = loss + RIDGE * weights[:-1].square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return weights.detach().numpy()


def fit_faces(data: Path, rng: np.random.Generator) -> None:
    faces = persons_with_faces(data, load_models("attention", "cpu", 1), rng)
    names = np.unique(faces.picture)
    fold_of = dict(zip(names, rng.integers(0, FACE_FOLDS, len(names)), strict=True))
    fold, logits = np.array([fold_of[name] for name in faces.picture]), np.zeros(len(faces.animal))
    for k in range(FACE_FOLDS):
        weights = face_weights(faces.terms[fold != k], faces.animal[fold != k])
        logits[fold == k] = faces.terms[fold == k] @ weights[:-1] + weights[-1]
    print("body, head, face, constant:", face_weights(faces.terms, faces.animal).round(2).tolist())
    confidence = 1 / (1 + np.exp(-faces.terms[:, 2]))
    for title, chosen in (
        ("as detected", ~faces.close_up), ("close-ups", faces.close_up),
        ("as detected, face below .6", ~faces.close_up & (confidence < 0.6)),
    ):  # fmt: skip
        print(f"{title}: {told(logits[chosen], faces.animal[chosen])}")
    print(f"surest face of an animal: {confidence[faces.animal & ~faces.close_up].max():.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("imagenet", type=Path, nargs="?")
    parser.add_argument("--out", type=Path, help="appearance_heads.npz, to which the weights are added")
    args = parser.parse_args()
    torch.set_num_threads(1)
    if args.imagenet is None:
        fit_faces(args.data, np.random.default_rng(0))
        return
    encoder, rng = AppearanceEncoder(device="cpu", threads=1), np.random.default_rng(0)
    lessons, persons = taught(args.data, Teacher(args.imagenet), encoder, rng), judged(args.data, encoder)
    evaluate(lessons, persons, rng)
    if args.out:
        with np.load(args.out) as file:
            kept = dict(file)
        kept["animal"] = fitted(lessons, persons.take(np.isin(persons.source, list(SETS))))
        np.savez(args.out, **kept)


if __name__ == "__main__":
    main()
