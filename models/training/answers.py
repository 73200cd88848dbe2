"""Whether what people answered in some ads of a campaign makes the layout of its other ads better.

    python models/training/answers.py --folds OUT [--recipes 0 2] [--data DATA --cache LINES.pkl]

OUT is that of gpu/layout.py: networks that were fitted without the brands of a fold. Of each brand with three designs
or more on the sides train and dev, the first one, or the first half, is answered as a review asks: which lines are
headlines, calls to action and branding is known, and that the others are none of these. Learned from it are how sure
the network is to be (temperature), an offset of each role, and its last layer; how far each may go from where it starts
is chosen on the other campaigns. Printed on the lines of the designs that were not answered: share of right roles, F1
(mean of the roles), calibration error (10 bins), and log loss. With --data and --cache, those of gpu/layout.py, also F1
of the areas that mediaan's search makes of these designs, as it is and with the last layer that learned.
"""

from __future__ import annotations

import argparse
import csv
import pickle
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "gpu")]
from layout import AREAS, areas_of, f1_counts, fitted, fold_of, mean_of, report  # noqa: E402
from text_layout import LABELS, RECIPES, Network, Page, Scale, collate, predict  # noqa: E402

from mediaan.aoi.detection.text_layout import LINE_ROLES  # noqa: E402

WAYS = ("as it is", "temperature", "offsets", "last layer")
STRENGTHS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""How far parameters may go from where they start; 0 leaves them there."""
AREA_STRENGTH = 1.0
"""Of the last layer where areas are counted; with 10, areas are worse."""
ASKED = [LINE_ROLES.index(role) for role in ("headline_text", "call_to_action", "branding")]
"""Roles that a review asks about."""


class Lines(NamedTuple):
    """Lines of known roles in some designs, as one network sees them."""

    logits: Tensor
    hidden: Tensor
    roles: Tensor


def see(member: tuple[Network, Scale], pages: Sequence[Page]) -> Lines:
    """Run a network on pages up to its last layer."""
    network, scale = member
    seen: list[Tensor] = []
    handle = network.role.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0][0]))
    with torch.no_grad():
        logits = [network(*collate([page], scale)[:3])[0][0] for page in pages]
    handle.remove()
    roles = torch.from_numpy(np.concatenate([page.roles for page in pages]))
    return Lines(torch.cat(logits)[roles >= 0], torch.cat(seen)[roles >= 0], roles[roles >= 0])


def possible_share(logits: Tensor, roles: Tensor) -> Tensor:
    """Return the probability of what a review tells of each line: its role, or that it is none of the `ASKED`."""
    shares = logits.softmax(-1)
    asked = torch.isin(roles, torch.tensor(ASKED))
    others = [role for role in range(shares.shape[1]) if role not in ASKED]
    return torch.where(asked, shares.gather(1, roles[:, None])[:, 0], shares[:, others].sum(1)).clamp_min(1e-9)


def learn(way: str, answered: Lines, rest: Lines, strength: float) -> Tensor:
    """Return the logits of the rest after learning from the answered lines."""
    if way == "as it is" or not strength:
        return rest.logits
    shapes = {
        "temperature": (1,),
        "offsets": (rest.logits.shape[1],),
        "last layer": (rest.hidden.shape[1] + 1, rest.logits.shape[1]),
    }
    change = torch.zeros(shapes[way], requires_grad=True)

    def changed(lines: Lines) -> Tensor:
        if way == "temperature":
            return lines.logits * change.exp()
        if way == "offsets":
            return lines.logits + change
        return lines.logits + lines.hidden @ change[:-1] + change[-1]

    optimiser = torch.optim.LBFGS([change], max_iter=60)

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = -possible_share(changed(answered), answered.roles).log().mean() + change.square().sum() / (
            10 * strength
        )
        value.backward()
        return value

    optimiser.step(loss)
    with torch.no_grad():
        return changed(rest)


def figures(roles: np.ndarray, shares: np.ndarray) -> tuple[float, float, float, float]:
    """Return the share of right roles, mean F1, calibration error of the likeliest role, and log loss."""
    said, sure = shares.argmax(1), shares.max(1)
    right = said == roles
    f1 = [
        2 * (right & (roles == role)).sum() / max(1, (roles == role).sum() + (said == role).sum())
        for role in np.unique(roles)
    ]
    bins = np.minimum(9, (sure * 10).astype(int))
    error = sum(abs(right[bins == b].sum() - sure[bins == b].sum()) for b in range(10)) / len(roles)
    loss = -np.log(np.maximum(1e-9, shares[np.arange(len(roles)), roles])).mean()
    return float(right.mean()), float(np.mean(f1)), float(error), float(loss)


def print_areas(
    campaigns: dict[str, list[Page]], share: float, recipes: Sequence[int], folds: Path, data: Path, cache: Path
) -> None:
    """Print F1 of areas in the designs that were not answered, with the last layer of `AREA_STRENGTH`."""
    predictions: dict[str, dict[str, tuple[np.ndarray, np.ndarray]]] = {"as it is": {}, "last layer": {}}
    for brand, pages in campaigns.items():
        answered = max(1, int(share * len(pages)))
        members = [
            fitted(pages, RECIPES[number], folds / f"shape_recipe{number}_fold{fold_of(brand, 5)}.pt", 0.0)
            for number in recipes
        ]
        for page in pages[answered:]:
            every_line = page._replace(roles=np.zeros_like(page.roles))  # also those of unknown role
            before = [predict([member], page) for member in members]
            predictions["as it is"][page.name] = mean_of(before)
            predictions["last layer"][page.name] = mean_of(
                [
                    (
                        learn("last layer", see(member, pages[:answered]), see(member, [every_line]), AREA_STRENGTH)
                        .softmax(-1)
                        .numpy(),
                        links,
                    )
                    for member, (_, links) in zip(members, before, strict=True)
                ]
            )
    matches = areas_of(data, pickle.loads(cache.read_bytes()), predictions)
    for role in AREAS:
        report(role, {way: f1_counts(of_roles[role]) for way, of_roles in matches.items()})


def main() -> None:
    """Learn in each campaign, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=Path, required=True, help="OUT of gpu/layout.py")
    parser.add_argument("--recipes", type=int, nargs="+", default=[0, 2])
    parser.add_argument("--data", type=Path, help="count areas, too; with --cache")
    parser.add_argument("--cache", type=Path, help="lines of text, as of text_layout.py")
    args = parser.parse_args()
    torch.set_num_threads(1)
    pages = pickle.loads((args.folds / "pages.pkl").read_bytes())
    designs = {page.name: page for side in ("train", "dev") for page in pages[side] if not page.print_ad}
    of_brand: defaultdict[str, list[Page]] = defaultdict(list)
    with (LABELS / "modern.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["brand"] and row["image"] in designs and (designs[row["image"]].roles >= 0).any():
                of_brand[row["brand"]].append(designs[row["image"]])
    campaigns = {brand: some for brand, some in of_brand.items() if len(some) >= 3}
    print(f"{len(campaigns)} campaigns of {sum(map(len, campaigns.values()))} designs")
    for title, share in (("first design answered", 0.0), ("first half answered", 0.5)):
        shares: dict[tuple[str, str, float], np.ndarray] = {}
        roles: dict[str, np.ndarray] = {}
        for brand, some in campaigns.items():
            answered = max(1, int(share * len(some)))
            for number in args.recipes:
                file = args.folds / f"shape_recipe{number}_fold{fold_of(brand, 5)}.pt"
                if not file.exists():
                    raise SystemExit(f"{file} is missing; run gpu/layout.py")
                member = fitted(some, RECIPES[number], file, 0.0)
                known, rest = see(member, some[:answered]), see(member, some[answered:])
                roles[brand] = rest.roles.numpy()
                for way in WAYS:
                    for strength in STRENGTHS:
                        part = learn(way, known, rest, strength).softmax(-1).numpy() / len(args.recipes)
                        key = brand, way, strength
                        shares[key] = shares[key] + part if key in shares else part
        print(f"{title}: {sum(map(len, roles.values()))} lines of the others")
        for way in WAYS:
            chosen, strengths = [], []
            for brand in campaigns:
                others = [b for b in campaigns if b != brand]
                losses = {
                    s: figures(
                        np.concatenate([roles[b] for b in others]), np.concatenate([shares[b, way, s] for b in others])
                    )[3]
                    for s in STRENGTHS
                }
                strengths.append(min(losses, key=lambda s: losses[s]))
                chosen.append(shares[brand, way, strengths[-1]])
            right, f1, error, loss = figures(np.concatenate([roles[b] for b in campaigns]), np.concatenate(chosen))
            print(
                f"  {way:12} right {right:.3f}, F1 {f1:.3f}, calibration error {error:.3f}, log loss {loss:.3f} "
                f"(strength {np.median(strengths):g})"
            )
        if args.data and args.cache:
            print_areas(campaigns, share, args.recipes, args.folds, args.data, args.cache)


if __name__ == "__main__":
    main()
