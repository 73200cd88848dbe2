"""Judge what tells the roles and blocks of lines on brands that it was not fitted on.

    python models/training/gpu/layout.py --data DATA --cache LINES.pkl --out OUT
        [--feeds FEEDS] [--folds 5] [--recipes 0 1 2 3] [--seconds 3600]

Fits the networks of text_layout.py without a fold of the modern designs of train and dev, each brand on one side.
Prints for each, and for the mean of the networks: confusions of lines, pairs found and right, F1 of the areas that
mediaan's search makes of them. OUT keeps pages and every fitted network; a run that was stopped, or ran into --seconds
(status 3), goes on with the network that it was at, and comes to the same. With --errors it prints instead what each
error costs: F1 of areas if the truth were known of it alone, see `corrected`.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import pickle
import sys
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from unittest import mock
from uuid import UUID

import cv2
import numpy as np
import torch
from PIL import Image

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]
from text_layout import (  # noqa: E402
    INSIDE,
    LABELS,
    RECIPES,
    Network,
    OutOfTimeError,
    Page,
    Recipe,
    Scale,
    fit,
    pictures,
    predict,
    read_pages,
    show,
)

from mediaan.aoi.detection import frame_aois  # noqa: E402
from mediaan.aoi.detection.text_blocks import LINE_ROLES, LineRole, TextLayout  # noqa: E402
from mediaan.aoi.detection.text_layout import fuse_object_evidence, object_evidence, read_model  # noqa: E402
from mediaan.evaluation.aoi.scores import OFFER, PLATFORM, AoiMatches, match_areas  # noqa: E402
from mediaan.media import resize, view_size  # noqa: E402
from mediaan.types.aoi import Aoi, Box  # noqa: E402
from mediaan.vision.objects.detector import load_detector  # noqa: E402

AREAS = ("headline_text", "body_text", "call_to_action", OFFER, PLATFORM, "branding")
CORRECTED = AREAS[:4]
CERTAIN = 8.0  # log odds of a link that is known
Prediction = tuple[np.ndarray, np.ndarray]


def fold_of(brand: str, folds: int) -> int:
    return zlib.crc32(brand.encode()) % folds


def fitted(pages: Sequence[Page], recipe: Recipe, file: Path, until: float) -> tuple[Network, Scale]:
    """Fit a network, or read the one that an earlier run fitted."""
    if file.exists():
        state = torch.load(file, weights_only=True)
        network = Network(pages[0].lines.shape[1], recipe)
        network.load_state_dict(state["network"])
        return network.eval(), Scale(*(values.numpy() for values in state["scale"]))
    network, scale = fit(pages, recipe, until)
    part = file.with_suffix(".part")
    torch.save({"network": network.state_dict(), "scale": [torch.from_numpy(values) for values in scale]}, part)
    part.replace(file)
    return network, scale


def cross_validate(
    pages: Sequence[Page], folds: dict[str, int], recipes: Sequence[int], out: Path, until: float = math.inf
) -> dict[str, list[Prediction]]:
    """Judge networks on pages that they were not fitted on.

    `folds` holds the fold of each page, -1 of one that is always fitted on; pages without one are not judged. Returns
    by page what each recipe predicts, in the order of `recipes`.
    """
    out.mkdir(parents=True, exist_ok=True)
    predictions: dict[str, list[Prediction]] = {}
    for number in recipes:
        for fold in sorted({*folds.values()} - {-1}):
            start = time.monotonic()
            rest = [page for page in pages if folds[page.name] != fold]
            member = fitted(rest, RECIPES[number], out / f"shape_recipe{number}_fold{fold}.pt", until)
            for page in pages:
                if folds[page.name] == fold and not _is_post(page):
                    predictions.setdefault(page.name, []).append(predict([member], page))
            with (out / "log.jsonl").open("a") as log:
                row = {"recipe": number, "fold": fold, "seconds": round(time.monotonic() - start, 1)}
                log.write(json.dumps(row) + "\n")
    return predictions


def _is_post(page: Page) -> bool:
    return page.weight != 1.0


def mean_of(predictions: Sequence[Prediction]) -> Prediction:
    return np.mean([roles for roles, _ in predictions], axis=0), np.mean([links for _, links in predictions], axis=0)


def right(page: Page, roles: np.ndarray, links: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many lines, and pairs of them, are right, and of how many."""
    judged, pairs = page.roles >= 0, np.triu(page.links >= 0, 1)
    lines = (roles.argmax(1) == page.roles)[judged]
    of_pairs = ((links > 0) == page.links)[pairs]
    return np.array([lines.sum(), len(lines)]), np.array([of_pairs.sum(), len(of_pairs)])


def areas_of(
    data: Path, lines: dict[str, tuple], arms: dict[str, dict[str, Prediction]]
) -> dict[str, dict[str, list[AoiMatches]]]:
    """Match the areas that mediaan's search makes of what each arm says with those that people drew."""
    detector, objects = load_detector(threads=1), read_model().objects
    matches: dict[str, dict[str, list[AoiMatches]]] = {arm: {role: [] for role in AREAS} for arm in arms}

    def drawn(areas: list[dict], kind: str | None = None) -> tuple[Aoi, ...]:
        return tuple(
            Aoi(UUID(int=i), kind or area["type"], area.get("label", ""), Box(*area["box"]), None, "drawn")
            for i, area in enumerate(areas)
        )

    for name, path, areas, undecided, _, _ in pictures(data):
        if name not in next(iter(arms.values())):
            continue
        rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
        frame = resize(Image.fromarray(rgb), view_size(rgb.shape[1], rgb.shape[0], detector.view))
        seen = detector.detect(np.asarray(frame, np.uint8)[None])[0]
        others = drawn([a for a in areas if a.get("label", "").startswith("other mark")], "branding")
        for arm, of_pages in arms.items():
            roles, links = of_pages[name]

            def layout(rgb: np.ndarray, typed: Sequence, detections: Sequence, roles=roles, links=links) -> TextLayout:
                evidence = np.stack([object_evidence(line.box, detections) for line in typed])
                return TextLayout(fuse_object_evidence(roles, evidence, objects), links)

            with mock.patch.object(frame_aois, "predict_layout", layout):
                candidates = frame_aois.find_areas(rgb, lines[name], seen).areas
            for role in AREAS:
                doubtful = drawn(undecided) + (others if role == "branding" else ())
                matches[arm][role].append(match_areas(name, role, drawn(areas), candidates, undecided=doubtful))
    return matches


CONFUSED: tuple[tuple[LineRole, LineRole], ...] = (
    ("headline_text", "branding"), ("headline_text", "body_text"), ("body_text", "branding"), ("body_text", "offer"),
    ("body_text", "platform"), ("body_text", "call_to_action"), ("call_to_action", "branding"),
    ("call_to_action", "platform"),
)  # fmt: skip


def corrected(page: Page, prediction: Prediction) -> dict[str, Prediction]:
    """Return the prediction of a page with one kind of error put right: roles, links, both, or two roles confused."""
    roles, links = prediction
    judged, likeliest = page.roles >= 0, roles.argmax(1)
    true_links = np.where(page.links >= 0, np.where(page.links > 0, CERTAIN, -CERTAIN), links)

    def mended(lines: np.ndarray) -> np.ndarray:
        return np.where(lines[:, None], np.eye(len(LINE_ROLES))[page.roles], roles)

    arms = {"as predicted": prediction, "all roles of lines": (mended(judged), links), "all links": (roles, true_links)}
    arms["all roles and links"] = mended(judged), true_links
    for names in CONFUSED:
        pair = [LINE_ROLES.index(name) for name in names]
        confused = judged & np.isin(page.roles, pair) & np.isin(likeliest, pair)
        arms[" or ".join(names)] = mended(confused), links
    return arms


def show_errors(matches: dict[str, dict[str, list[AoiMatches]]], lines: dict[str, tuple]) -> None:
    """Print F1 of areas as predicted, and by how many points more it is with each correction."""
    print(f"| right in addition | {' | '.join(CORRECTED)} |\n|---|{'---|' * len(CORRECTED)}")
    base = {role: f1_counts(matches["as predicted"][role]).sum(0) for role in CORRECTED}
    print(f"| nothing | {' | '.join(f'{hits / total:.3f}' for hits, total in base.values())} |")
    rows = {arm: {role: f1_counts(of_roles[role]).sum(0) for role in CORRECTED} for arm, of_roles in matches.items()}
    del rows["as predicted"]
    rows["borders between IoU .3 and .5"], rows["areas in which no line was read"] = {}, {}
    for role, (hits, total) in base.items():
        some = matches["as predicted"][role]
        rows["borders between IoU .3 and .5"][role] = np.array([2 * sum(len(m.loose_pairs) for m in some), total])
        unread = sum(
            j not in m.pairs.values() and not any(area.box.intersection(line.box) >= INSIDE * line.box.area
                                                  for line in lines[m.image])
            for m in some for j, area in enumerate(m.drawn)
        )  # fmt: skip
        rows["areas in which no line was read"][role] = np.array([hits + 2 * unread, total + unread])
    for title, counts in rows.items():
        steps = [counts[role][0] / counts[role][1] - base[role][0] / base[role][1] for role in CORRECTED]
        print(f"| {title} | {' | '.join(f'{100 * step:+.1f}' for step in steps)} |")


def f1_counts(matches: Sequence[AoiMatches]) -> np.ndarray:
    """(pictures, 2): twice the areas that are right, and those drawn and found."""
    return np.array([(2 * len(m.pairs), len(m.drawn) + len(m.detected)) for m in matches])


def print_share(title: str, counts: np.ndarray) -> None:
    print(f"{title:18}{counts[:, 0].sum() / counts[:, 1].sum():.3f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="what the text reader says, as of text_layout.py")
    parser.add_argument("--feeds", type=Path, help="from feed_cards.py")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--recipes", type=int, nargs="+", default=list(range(len(RECIPES))))
    parser.add_argument("--seconds", type=float, default=math.inf, help="time limit of the run")
    parser.add_argument("--errors", action="store_true", help="print what each kind of error costs")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    until = time.monotonic() + args.seconds
    args.out.mkdir(parents=True, exist_ok=True)
    kept = args.out / "pages.pkl"
    if not kept.exists():
        kept.write_bytes(pickle.dumps(read_pages(args.data, args.feeds, args.cache, ("train", "dev", "feeds"))))
    pages = pickle.loads(kept.read_bytes())
    with (LABELS / "modern.csv").open(newline="", encoding="utf-8") as file:
        brands = {row["image"]: row["brand"] or row["image"] for row in csv.DictReader(file)}
    folds = {
        page.name: -1 if page.print_ad else fold_of(brands[page.name], args.folds)
        for page in (*pages["train"], *pages["dev"])
    }
    # a post is in the fold of the design that it shows
    folds |= {page.name: folds.get(page.name.partition("_")[2], -1) for page in pages["feeds"]}
    every = [page for side in pages.values() for page in side]
    try:
        predictions = cross_validate(every, folds, args.recipes, args.out, until)
    except OutOfTimeError:
        print(f"out of time; run it again to go on from {args.out}")
        return 3
    order = [page for page in every if page.name in predictions]
    lines = pickle.loads(args.cache.read_bytes())
    means = {name: mean_of(of_page) for name, of_page in predictions.items()}
    if args.errors:
        by_page = {page.name: corrected(page, means[page.name]) for page in order}
        by_arm = {arm: {name: of_arms[arm] for name, of_arms in by_page.items()} for arm in by_page[order[0].name]}
        show_errors(areas_of(args.data, lines, by_arm), lines)
        return 0
    for i, title in enumerate([*(str(RECIPES[number]) for number in args.recipes), "mean"]):
        chosen = [predictions[page.name][i] if i < len(args.recipes) else means[page.name] for page in order]
        show(title, order, chosen)
        for kind, name in enumerate(("lines right", "pairs right")):
            print_share(name, np.array([right(page, *each)[kind] for page, each in zip(order, chosen, strict=True)]))
    print("F1 of areas, of the mean; on most designs the object detector was fitted")
    for role, matches in areas_of(args.data, lines, {"mean": means})["mean"].items():
        print_share(role, f1_counts(matches))
    return 0


if __name__ == "__main__":
    sys.exit(main())
