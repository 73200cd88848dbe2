"""How often the advertiser of a folder is proposed rightly, from the names that recur in it.

    python -m bench.campaigns DATA/ads/images --out RUN [--fit]

Folders are made of the 434 modern ads: several of one advertiser (models/training/labels/brands.csv), one ad alone, ads
of different advertisers, where there is none to propose, and halves of two. ``--fit`` fits the weights to the sides
train and dev and prints them; the side check is apart. A run that is there is used again; no brand is named in it.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

import mediaan as mn
from mediaan.aoi.detection.brand_names import name_similarity, normalize_name
from mediaan.brand.campaign import NameCandidate, ReadText, name_candidates, propose_name, read_texts
from mediaan.run import is_run
from mediaan.types.arrays import Float64

LABELS = Path(__file__).resolve().parents[1] / "models" / "training" / "labels" / "brands.csv"
SIZES = (1, 2, 3, 4, 6, 9)
MIXES = (2, 3, 5, 10, 20)
EVIDENCE_FOR = 4
"""The first features speak for a name, the others against it."""
DRAWS = 6
"""Folders of one size that are drawn of one advertiser, at most."""


class Label(NamedTuple):
    """Whose ad an image is."""

    image: str
    side: str
    brand: str
    """Empty where nobody can tell."""
    names: tuple[str, ...]
    """All names that are right."""


class Folder(NamedTuple):
    """A folder that is made up, and the names that may be proposed for it."""

    kind: str
    images: tuple[str, ...]
    names: tuple[str, ...]


def labels() -> list[Label]:
    """Read whose ads the images are."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    seen = {row["brand"] for row in rows if row["brand"] and row["side"] != "check"}
    return [
        Label(
            row["image"],
            "dev" if row["brand"] in seen and row["side"] == "check" else row["side"],
            row["brand"],
            tuple(filter(None, (row["brand"], *row["aliases"].split("|")))),
        )
        for row in rows
    ]


def is_right(name: str, names: Sequence[str]) -> bool:
    """Tell whether a proposal is one of the names: read with a mistake, with a word more, or without its last words."""
    ours = normalize_name(name)
    for right in names:
        theirs = normalize_name(right)
        if name_similarity(ours, theirs) or name_similarity(theirs, ours):
            return True
        if len(theirs) >= 4 and (ours.startswith(theirs) or (theirs in ours and len(ours) <= 2 * len(theirs))):
            return True
        if len(ours) >= 5 and theirs.startswith(ours):
            return True
    return False


def folders(rows: Sequence[Label], seed: int = 0) -> Iterator[Folder]:
    """Make folders of the images of a side."""
    rng = random.Random(seed)
    of_brand: defaultdict[str, list[Label]] = defaultdict(list)
    for row in rows:
        of_brand[row.brand or row.image].append(row)
    brands = {brand: ads for brand, ads in of_brand.items() if ads[0].brand}
    for ads in brands.values():
        names = tuple({name for ad in ads for name in ad.names})
        for size in SIZES:
            if size <= len(ads):
                drawn = {tuple(sorted(rng.sample(range(len(ads)), size))) for _ in range(DRAWS)}
                for places in sorted(drawn):
                    chosen = tuple(ads[place].image for place in places)
                    yield Folder(f"of one advertiser, {size}", chosen, ads[places[0]].names if size == 1 else names)
    for row in rows:
        if not row.brand:
            yield Folder("of no advertiser, 1", (row.image,), ())
    for size in MIXES:
        for _ in range(max(10, 120 // size)):
            mixed = tuple(rng.choice(of_brand[brand]).image for brand in rng.sample(sorted(of_brand), size))
            yield Folder(f"of different advertisers, {size}", mixed, ())
    for half in (2, 4, 8):
        several = sorted(brand for brand, ads in brands.items() if len(ads) >= half)
        pairs = list(combinations(several, 2))
        for first, second in rng.sample(pairs, min(150, len(pairs))):
            images = (*rng.sample(of_brand[first], half), *rng.sample(of_brand[second], half))
            yield Folder(f"halves of two, {2 * half}", tuple(row.image for row in images), ())


def outcomes(
    made: Sequence[Folder], texts: Mapping[str, Sequence[ReadText]]
) -> Iterator[tuple[Folder, NameCandidate | None, str]]:
    """Yield the proposal for each folder, and what it is: right, wrong or none."""
    for folder in made:
        name = propose_name({image: texts[image] for image in folder.images})
        outcome = "none" if name is None else "right" if is_right(name.name, folder.names) else "wrong"
        yield folder, name, outcome


def fit(made: Sequence[Folder], texts: Mapping[str, Sequence[ReadText]]) -> None:
    """Fit the weights of the features to the candidates of folders, of single ads and of several, and print them.

    Logistic regression, in which evidence for a name cannot speak against it, nor the other way round.
    """
    for group in ("single", "several"):
        rows, right = [], []
        for folder in made:
            if (len(folder.images) == 1) == (group == "single"):
                for candidate in name_candidates({image: texts[image] for image in folder.images})[:15]:
                    rows.append((1.0, *candidate.features))
                    right.append(is_right(candidate.name, folder.names))
        x, y = np.array(rows), np.where(right, 1.0, -1.0)

        def loss(weights: Float64, x: Float64 = x, y: Float64 = y) -> float:
            return float(np.logaddexp(0, -y * (x @ weights)).sum() + 0.5 * (weights[1:] ** 2).sum())

        bounds = [(None, None), *[(0, None)] * EVIDENCE_FOR, *[(None, 0)] * (x.shape[1] - 1 - EVIDENCE_FOR)]
        fitted = minimize(loss, np.zeros(x.shape[1]), method="L-BFGS-B", bounds=bounds)
        print(f"{group}=({', '.join(f'{weight:.2f}' for weight in fitted.x)}),")


def main() -> None:
    """Analyse, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", type=Path, help="folder with the ads")
    parser.add_argument("--out", type=Path, required=True, help="run directory")
    parser.add_argument("--fit", action="store_true", help="fit the weights")
    arguments = parser.parse_args()
    run = (
        mn.read_run(arguments.out) if is_run(arguments.out) else mn.analyze_folder([arguments.pictures], arguments.out)
    )
    texts = {path.rsplit("/", 1)[-1]: of_file for path, of_file in read_texts(run).items()}
    sides = {
        side: list(folders([row for row in labels() if (row.side == "check") == (side == "check")]))
        for side in ("train and dev", "check")
    }
    if arguments.fit:
        fit(sides["train and dev"], texts)
    for side, made in sides.items():
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        sure: list[tuple[float, bool]] = []
        for folder, name, outcome in outcomes(made, texts):
            counts[folder.kind][outcome] += 1
            if name:
                sure.append((name.confidence, outcome == "right"))
            if name and outcome == "wrong":
                print(f"wrong: {name.name}, {name.confidence:.2f}, {folder.kind}: {', '.join(folder.images[:3])}")
        print(side)
        for kind, count in counts.items():
            print(f"  {kind:32} right {count['right']:4}  wrong {count['wrong']:4}  none {count['none']:4}")
        confidence, right = np.mean(sure, axis=0)
        print(f"  {len(sure)} proposals: {right:.3f} right, mean confidence {confidence:.3f}")


if __name__ == "__main__":
    main()
