"""How well pages are judged fold by fold: the figures of docs/pages.md.

    python models/training/page_checks.py curve
    python models/training/page_checks.py stacks DATA     # eye-tracked first screens stacked two by two
    python models/training/page_checks.py domains DATA    # which tall designs look like a page

`curve` fits the exponent of attention by depth to published viewing times, and compares both curves with other
sources. `stacks` reads `DATA/gaze/dev/fiwi`, `domains` `DATA/ads`, `DATA/gaze/osie` and
`DATA/unlabelled/web`; a minute each on one core.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from mediaan.analysis import Plan, load_models
from mediaan.analysis.models import Models
from mediaan.analysis.page import MIN_PROBABILITY, analyze_page, find_page
from mediaan.analysis.progress import StageTimer
from mediaan.evaluation.bootstrap import bootstrap_interval
from mediaan.evaluation.datasets.image_set import read_gaze_set
from mediaan.evaluation.datasets.stimulus import Stimulus, read_frame
from mediaan.evaluation.saliency.metrics import cc, nss
from mediaan.media import open_image
from mediaan.saliency.density import normalise, resize_density
from mediaan.saliency.folds import DECAY, share_reaching, time_below
from mediaan.types.arrays import Float32
from mediaan.types.densities import Densities
from mediaan.types.placement import PAGE_DOMAIN

VIEWING_TIME = (57.0, 17.0, 7.0, 5.0, 3.0, 2.0)
"""% of viewing time by screen of 1080 px, 120 people: Fessenden 2018, Nielsen Norman Group."""

SCREEN = (1360, 768)
"""px on which the pages were shown."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("curve")
    for name in ("stacks", "domains"):
        commands.add_parser(name).add_argument("data", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "curve":
        print_curve()
    elif arguments.command == "stacks":
        print_stacks(arguments.data / "gaze" / "dev" / "fiwi")
    else:
        print_domains(arguments.data)


# ---- attention by depth ------------------------------------------------------------------------------------------


def print_curve() -> None:
    below = 1 - np.cumsum(VIEWING_TIME) / 100
    depths = np.arange(1, len(VIEWING_TIME) + 1)
    exponents = np.arange(0.8, 1.8, 0.001)
    errors = [float((((1 + depths) ** -exponent - below) ** 2).sum()) for exponent in exponents]
    best = float(exponents[int(np.argmin(errors))])
    print(f"exponent fitted to the viewing time below each of {len(depths)} screens: {best:.3f}; in use {DECAY}")
    edges = np.arange(len(VIEWING_TIME) + 1)
    for screen, (published, share) in enumerate(zip(VIEWING_TIME, -np.diff(time_below(edges)), strict=True), 1):
        print(f"screen {screen}: {published:.0f} % of viewing time published, {100 * share:.1f} % by the curve")
    reach = ", ".join(f"{screen}: {100 * share_reaching(screen - 0.5):.0f} %" for screen in range(1, 9))
    print(f"viewers who reach the middle of a screen, by the curve: {reach}")
    upper = (1 - time_below(0.5)) / (1 - time_below(1.0))
    print(f"upper half of the first screen: 65 % of its time published, {100 * upper:.0f} % by the curve alone")
    print(f"scroll at all: 65 % published, {100 * share_reaching(1.5):.0f} % see the middle of the second screen")
    half = 0.5 ** (-1 / DECAY)
    print(f"half of the viewers see what lies {half:.2f} screens down: {700 * half:.0f} px with a fold at 700 px;")
    print("published: 1,000 px of home pages, 1,500 px of articles")


# ---- eye-tracked screens, stacked -----------------------------------------------------------------------------------


def print_stacks(folder: Path) -> None:
    plan = Plan(domain=PAGE_DOMAIN, viewport=f"{SCREEN[0]}x{SCREEN[1]}", scores=False)
    models = load_models(*plan.models)
    stimuli = list(read_gaze_set(folder).stimuli)
    order = np.random.default_rng(1).permutation(len(stimuli))
    scores: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    with TemporaryDirectory() as temporary:
        for first, second in zip(order, np.roll(order, -1), strict=True):  # each page is the upper one once
            upper, lower = stimuli[first], stimuli[second]
            singly = models.still.predict(read_frame(upper.path, models.still.view), domain=PAGE_DOMAIN)[0]
            path = Path(temporary) / "stack.png"
            stack(upper.path, lower.path).save(path)
            folded = predict_folded(path, plan, models)
            whole = models.still.predict(read_frame(path, models.still.view), domain=PAGE_DOMAIN)[0]
            for fold, page in (("upper", upper), ("lower", lower)):
                scores["folded", fold].append(score(half(folded["total"], fold), page))
                scores["whole", fold].append(score(half(whole["total"], fold), page))
            scores["singly", "upper"].append(score(singly["total"], upper))
            scores["first 2 s", "upper"].append(score(half(folded["start"], "upper"), upper))
        scores["singly", "lower"] = list(np.roll(np.array(scores["singly", "upper"]), -1, axis=0))
    print(f"{len(order)} stacks of two of {len(stimuli)} pages; CC and NSS of a fold's density against its viewers")
    for (way, fold), values in scores.items():
        alone = np.array(scores["singly", fold])
        for metric, name in enumerate(("CC", "NSS")):
            of_metric = np.array(values)[:, metric]
            low, high = bootstrap_interval(of_metric) or (np.nan, np.nan)
            line = f"{fold} {way:9} {name:3} {of_metric.mean():.3f} [{low:.3f}, {high:.3f}]"
            if way != "singly":
                change = of_metric - alone[:, metric]
                low, high = bootstrap_interval(change) or (np.nan, np.nan)
                line += f"; minus singly {change.mean():+.3f} [{low:+.3f}, {high:+.3f}]"
            print(line)


def stack(upper: Path, lower: Path) -> Image.Image:
    """Return two screens as one page, each 1360 x 768 px."""
    page = Image.new("RGB", (SCREEN[0], 2 * SCREEN[1]))
    for i, path in enumerate((upper, lower)):
        with Image.open(path) as image:
            page.paste(image.convert("RGB").resize(SCREEN, Image.Resampling.BICUBIC), (0, i * SCREEN[1]))
    return page


def predict_folded(path: Path, plan: Plan, models: Models) -> Densities:
    opened = open_image(path, [models.still.view])
    medium = opened.medium
    (whole,) = models.still.predict(opened.chunks[0].views[models.still.view.name], domain=plan.domain)
    page = find_page(path, medium, plan, models, whole)
    if page is None:
        raise SystemExit(f"{path} is not taken for a page")
    return analyze_page(page, plan, models, StageTimer(), medium).densities


def half(density: Float32, fold: str) -> Float32:
    """Return the upper or the lower half of a density of two screens, as a density of its own."""
    rows = density.shape[0] // 2
    return normalise(density[:rows] if fold == "upper" else density[-rows:])


def score(density: Float32, page: Stimulus) -> tuple[float, float]:
    on_grid = resize_density(density, page.shape)
    return float(cc(on_grid, page.truth()) or 0.0), float(nss(on_grid, page.cells) or 0.0)


# ---- what looks like a page -----------------------------------------------------------------------------------------


def print_domains(data: Path) -> None:
    models = load_models("attention")
    with (data / "ads" / "ads.csv").open(encoding="utf-8") as file:
        kinds = {row["image"]: row["kind"] for row in csv.DictReader(file)}
    by_name: dict[str, list[float]] = defaultdict(list)
    for path in sorted((data / "ads" / "images").iterdir()):
        probability = first_screen_probability(path, models)
        if probability is not None:
            by_name[kinds.get(path.stem, "other")].append(probability)
    print("designs of data/ads at least 1.25 times as tall as wide, by their uppermost screen of 1440 x 900:")
    for kind, values in sorted(by_name.items()):
        print(f"{kind:16} {len(values):3}, page with a probability of {MIN_PROBABILITY}: {count(values)}")
    photographs = sorted((data / "gaze" / "osie" / "images").iterdir())[::6]
    print(f"photographs (OSIE) {len(photographs)}, page: {count(probabilities(photographs, models))}")
    screens = sorted((data / "unlabelled" / "web" / "images").iterdir())[::12]
    print(f"first screens of well-known sites {len(screens)}, page: {count(probabilities(screens, models))}")


def probabilities(paths: Sequence[Path], models: Models) -> list[float]:
    predictions = (models.still.predict(read_frame(path, models.still.view))[0] for path in paths)
    return [(densities.domains or {}).get(PAGE_DOMAIN, 0.0) for densities in predictions]


def first_screen_probability(path: Path, models: Models) -> float | None:
    with Image.open(path) as image:
        width, height = image.size
        if height < 1.25 * width:
            return None
        with TemporaryDirectory() as temporary:
            top = Path(temporary) / "top.png"
            image.convert("RGB").crop((0, 0, width, round(width * 900 / 1440))).save(top)
            (densities,) = models.still.predict(read_frame(top, models.still.view))
    return (densities.domains or {}).get(PAGE_DOMAIN)


def count(values: list[float]) -> int:
    return sum(value >= MIN_PROBABILITY for value in values)


if __name__ == "__main__":
    main()
