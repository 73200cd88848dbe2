"""Judge what tells the roles and blocks of lines, with and without vectors of their words, on brands not fitted on.

    python models/training/gpu/layout.py --data DATA --cache LINES.pkl --words OUT/words.npz --out OUT
        [--teacher OUT/vectors.pkl] [--feeds FEEDS] [--folds 5] [--recipes 0 1 2 3] [--seconds 3600]

Fits the networks of text_layout.py without a fold of the modern designs of train and dev, each brand on one side, on
the same pages with and without what `words.py` says of each line, and with what its teacher says. Prints for each, and
for the mean of the networks: confusions of lines, pairs found and right, F1 of the areas that mediaan's search makes of
them, and 90 % intervals of the differences, from resampled pictures. OUT keeps pages and every fitted network; a run
that was stopped, or ran into --seconds (status 3), goes on with the network that it was at, and comes to the same.
With --errors it prints instead what each error costs: F1 of areas if the truth were known of it alone, see `corrected`.
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
from collections.abc import Callable, Sequence
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
from word_vectors import read_vectors  # noqa: E402

from mediaan.aoi.detection import frame_aois  # noqa: E402
from mediaan.aoi.detection.text_layout import (  # noqa: E402
    LINE_ROLES,
    LineRole,
    TextLayout,
    fuse_object_evidence,
    object_evidence,
    read_model,
)
from mediaan.evaluation.aoi.matching import OFFER, PLATFORM, AoiMatches, match_areas  # noqa: E402
from mediaan.evaluation.bootstrap import RESAMPLES  # noqa: E402
from mediaan.media import resize, view_size  # noqa: E402
from mediaan.types.aoi import Aoi, Box  # noqa: E402
from mediaan.vision.objects.detector import load_detector  # noqa: E402

AREAS = ("headline_text", "body_text", "call_to_action", OFFER, PLATFORM, "branding")
CORRECTED = AREAS[:4]
LEVEL = 0.9  # of intervals
CERTAIN = 8.0  # log odds of a link that is known
TAUGHT = 32  # components of the teacher's vectors
Prediction = tuple[np.ndarray, np.ndarray]
Vectors = Callable[[Sequence[str]], np.ndarray]


def with_words(pages: Sequence[Page], vectors: Vectors) -> list[Page]:
    """Put the vectors of its words beside what is known of each line."""
    return [page._replace(lines=np.concatenate([page.lines, vectors(page.texts)], axis=1)) for page in pages]


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
    arms: dict[str, Sequence[Page]], folds: dict[str, int], recipes: Sequence[int], out: Path, until: float = math.inf
) -> dict[str, dict[str, list[Prediction]]]:
    """Judge each arm on pages that it was not fitted on.

    `folds` holds the fold of each page, -1 of one that is always fitted on; pages without one are not judged. Returns
    by arm and page what each recipe says of it, in the order of `recipes`.
    """
    out.mkdir(parents=True, exist_ok=True)
    said: dict[str, dict[str, list[Prediction]]] = {arm: {} for arm in arms}
    for number in recipes:
        for fold in sorted({*folds.values()} - {-1}):
            for arm, pages in arms.items():
                start = time.monotonic()
                rest = [page for page in pages if folds[page.name] != fold]
                member = fitted(rest, RECIPES[number], out / f"{arm}_recipe{number}_fold{fold}.pt", until)
                for page in pages:
                    if folds[page.name] == fold and not _is_post(page):
                        said[arm].setdefault(page.name, []).append(predict([member], page))
                with (out / "log.jsonl").open("a") as log:
                    row = {"arm": arm, "recipe": number, "fold": fold, "seconds": round(time.monotonic() - start, 1)}
                    log.write(json.dumps(row) + "\n")
    return said


def _is_post(page: Page) -> bool:
    return page.weight != 1.0


def mean_of(said: Sequence[Prediction]) -> Prediction:
    return np.mean([roles for roles, _ in said], axis=0), np.mean([links for _, links in said], axis=0)


def right(page: Page, roles: np.ndarray, links: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many lines, and pairs of them, are right, and of how many."""
    known, pairs = page.roles >= 0, np.triu(page.links >= 0, 1)
    lines = (roles.argmax(1) == page.roles)[known]
    of_pairs = ((links > 0) == page.links)[pairs]
    return np.array([lines.sum(), len(lines)]), np.array([of_pairs.sum(), len(of_pairs)])


def difference(first: np.ndarray, second: np.ndarray) -> tuple[float, float, float]:
    """Return the second share less the first, from counts (pictures, 2), and its interval over resampled pictures."""
    picks = np.random.default_rng(0).integers(len(first), size=(RESAMPLES, len(first)))

    def share(counts: np.ndarray) -> np.ndarray:
        return counts[..., 0] / np.maximum(counts[..., 1], 1)

    steps = share(second[picks].sum(1)) - share(first[picks].sum(1))
    low, high = np.quantile(steps, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(share(second.sum(0)) - share(first.sum(0))), float(low), float(high)


def areas_of(
    data: Path, lines: dict[str, tuple], said: dict[str, dict[str, Prediction]]
) -> dict[str, dict[str, list[AoiMatches]]]:
    """Match the areas that mediaan's search makes of what each arm says with those that people drew."""
    detector, objects = load_detector(threads=1), read_model().objects
    matches: dict[str, dict[str, list[AoiMatches]]] = {arm: {role: [] for role in AREAS} for arm in said}

    def drawn(areas: list[dict], kind: str | None = None) -> tuple[Aoi, ...]:
        return tuple(
            Aoi(UUID(int=i), kind or area["type"], area.get("label", ""), Box(*area["box"]), None, "drawn")
            for i, area in enumerate(areas)
        )

    for name, path, areas, undecided, _, _ in pictures(data):
        if name not in next(iter(said.values())):
            continue
        rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
        frame = resize(Image.fromarray(rgb), view_size(rgb.shape[1], rgb.shape[0], detector.view))
        seen = detector.detect(np.asarray(frame, np.uint8)[None])[0]
        others = drawn([a for a in areas if a.get("label", "").startswith("other mark")], "branding")
        for arm, of_pages in said.items():
            roles, links = of_pages[name]

            def layout(rgb: np.ndarray, typed: Sequence, detections: Sequence, roles=roles, links=links) -> TextLayout:
                evidence = np.stack([object_evidence(line.line.box, detections) for line in typed])
                return TextLayout(fuse_object_evidence(roles, evidence, objects), links)

            with mock.patch.object(frame_aois, "predict_layout", layout):
                found = frame_aois.find_areas(rgb, lines[name], seen).areas
            for role in AREAS:
                doubtful = drawn(undecided) + (others if role == "branding" else ())
                matches[arm][role].append(match_areas(name, role, drawn(areas), found, undecided=doubtful))
    return matches


CONFUSED: tuple[tuple[LineRole, LineRole], ...] = (
    ("headline_text", "branding"), ("headline_text", "body_text"), ("body_text", "branding"), ("body_text", "offer"),
    ("body_text", "platform"), ("body_text", "call_to_action"), ("call_to_action", "branding"),
    ("call_to_action", "platform"),
)  # fmt: skip


def corrected(page: Page, said: Prediction) -> dict[str, Prediction]:
    """What is said of a page with one kind of error put right: roles, links, both, or lines of two roles confused."""
    roles, links = said
    known, likeliest = page.roles >= 0, roles.argmax(1)
    true_links = np.where(page.links >= 0, np.where(page.links > 0, CERTAIN, -CERTAIN), links)

    def mended(lines: np.ndarray) -> np.ndarray:
        return np.where(lines[:, None], np.eye(len(LINE_ROLES))[page.roles], roles)

    arms = {"as predicted": said, "all roles of lines": (mended(known), links), "all links": (roles, true_links)}
    arms["all roles and links"] = mended(known), true_links
    for names in CONFUSED:
        pair = [LINE_ROLES.index(name) for name in names]
        confused = known & np.isin(page.roles, pair) & np.isin(likeliest, pair)
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


def report(title: str, counts: dict[str, np.ndarray]) -> None:
    """Print the share of each arm, and its difference from the first."""
    first, *others = counts
    print(f"{title:18}{first} {counts[first][:, 0].sum() / counts[first][:, 1].sum():.3f}")
    for arm in others:
        step, low, high = difference(counts[first], counts[arm])
        share = counts[arm][:, 0].sum() / counts[arm][:, 1].sum()
        print(f"{'':18}{arm} {share:.3f}   {step:+.3f} [{low:+.3f}, {high:+.3f}]")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="what the text reader says, as of text_layout.py")
    parser.add_argument("--feeds", type=Path, help="from feed_cards.py")
    parser.add_argument("--words", type=Path, help="words.npz of words.py")
    parser.add_argument("--teacher", type=Path, help="vectors.pkl of words.py, from a run with --pages")
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
    arms: dict[str, Sequence[Page]] = {"shape": [page for side in pages.values() for page in side]}
    if args.words:
        arms["words"] = with_words(arms["shape"], read_vectors(args.words))
    if args.teacher:
        taught: dict[str, np.ndarray] = pickle.loads(args.teacher.read_bytes())
        axes = np.linalg.svd(np.stack(list(taught.values())).astype(np.float32), full_matrices=False)[2][:TAUGHT]
        arms["teacher"] = with_words(arms["shape"], lambda texts: np.stack([taught[t] for t in texts]) @ axes.T)
    try:
        said = cross_validate(arms, folds, args.recipes, args.out, until)
    except OutOfTimeError:
        print(f"out of time; run it again to go on from {args.out}")
        return 3
    order = [page for page in arms["shape"] if page.name in said["shape"]]
    lines = pickle.loads(args.cache.read_bytes())
    if args.errors:
        by_page = {page.name: corrected(page, mean_of(said["shape"][page.name])) for page in order}
        by_arm = {arm: {name: of_arms[arm] for name, of_arms in by_page.items()} for arm in by_page[order[0].name]}
        show_errors(areas_of(args.data, lines, by_arm), lines)
        return 0
    for i, title in enumerate([*(str(RECIPES[number]) for number in args.recipes), "mean"]):
        chosen = {
            arm: [of_pages[page.name][i] if i < len(args.recipes) else mean_of(of_pages[page.name]) for page in order]
            for arm, of_pages in said.items()
        }
        for arm, predictions in chosen.items():
            show(f"{arm}, {title}", order, predictions)
        for kind, name in enumerate(("lines right", "pairs right")):
            report(name, {
                arm: np.array([right(page, *one)[kind] for page, one in zip(order, predictions, strict=True)])
                for arm, predictions in chosen.items()
            })  # fmt: skip
    means = {arm: {name: mean_of(one) for name, one in of_pages.items()} for arm, of_pages in said.items()}
    matches = areas_of(args.data, lines, means)
    print("F1 of areas, of the mean; on most designs the object detector was fitted")
    for role in AREAS:
        report(role, {arm: f1_counts(of_roles[role]) for arm, of_roles in matches.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
