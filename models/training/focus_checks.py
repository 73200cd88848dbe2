"""How well focus does: the figures of its section in docs/metrics.md.

    python models/training/focus_checks.py ../shared/data

reads what `models/training/focus.py` reads, and the scales that it made; takes some minutes on one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
from focus import DOMAINS, SETS, Seen, Viewed, held_densities, human_concentration, population, see, viewed_pictures
from scipy.stats import spearmanr

from mediaan.metrics.scales import FocusScale, FocusScales, built_in_focus_scales, fit_focus_scale, percentile
from mediaan.metrics.scores.concentration import concentration, hotspot_concentration, hotspots, resample_density
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.densities import WINDOWS

RESAMPLES, SPLITS = 1000, 200
PICTURES = 60  # that are changed in ways that should not matter
GREY, BLUE = (128, 128, 128), (160, 60, 20)  # BGR
Change = Callable[[UInt8], UInt8]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--with-dev", action="store_true", help="of a model that was trained without --use-dev")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    scales = built_in_focus_scales()
    paths = population(arguments.data)
    seen = [see(path) for path in paths]
    viewed = {
        domain: list(viewed_pictures(arguments.data / "gaze", domain, dev=arguments.with_dev)) for domain in DOMAINS
    }
    print_population(seen, scales.still)
    print_people(viewed["photo"])
    for domain, pictures in viewed.items():
        print_coverage(domain, pictures, scales.still)
    print_held(viewed["photo"], scales)
    print_changes([paths[i] for i in np.linspace(0, len(paths) - 1, PICTURES).astype(int)], scales.still)


# ---- population --------------------------------------------------------------------------------------------------


def print_population(seen: list[Seen], scale: FocusScale) -> None:
    groups = {
        "advertisements": [look for look in seen if look.path.name.startswith("advertisement_")],
        "web pages": [look for look in seen if not look.path.name.startswith("advertisement_")],
    }
    for name, group in groups.items():
        scores = [scale.score(concentration(look.densities["total"], look.content)) for look in group]
        counts = np.array([len(hotspots(look.densities["total"], look.content)) for look in group])
        low, middle, high = np.quantile(scores, [0.1, 0.5, 0.9])
        print(f"{name}: {len(group)}, focus P10 {low:.0f}, median {middle:.0f}, P90 {high:.0f};", end=" ")
        shares = ", ".join(f"{n}: {100 * (counts == n).mean():.0f} %" for n in range(1, 8))
        print(f"hotspots {shares}, more: {100 * (counts > 7).mean():.0f} %")
    for window in WINDOWS:
        scores = [scale.score(concentration(look.densities[window], look.content)) for look in seen]
        print(f"window {window}: median {np.median(scores):.0f}")


# ---- people ------------------------------------------------------------------------------------------------------


def plain_concentration(density: Float32) -> float:
    """Of the density as it is, without its places laid on each other."""
    cells = resample_density(density)
    return float(np.log(cells.size * (cells**2).sum()))


def print_people(viewed: list[Viewed]) -> None:
    measures = {"effective area alone": plain_concentration, "focus": concentration}
    sets = np.array([view.set for view in viewed])
    print(f"\n| held-out pictures, rank correlation with people | all | {' | '.join(SETS)} | start | end |")
    print("|---|---|---|---|---|---|---|")
    both = {}
    for name, measure in measures.items():
        pairs = {w: raw_pairs(viewed, measure, w) for w in WINDOWS}
        both[name] = pairs["total"]
        rows = [pairs["total"], *(pairs["total"][sets == name] for name in SETS), pairs["start"], pairs["end"]]
        print(f"| {name} | {' | '.join(f'{rho(row):.2f}' for row in rows)} |")
    first, other = both.values()
    picks = np.random.default_rng(0).integers(len(viewed), size=(RESAMPLES, len(viewed)))
    low, high = np.quantile([rho(other[pick]) - rho(first[pick]) for pick in picks], [0.025, 0.975])
    print(f"difference, 95 % interval: [{low:+.3f}, {high:+.3f}]; pictures: {len(viewed)}")
    shares = np.array(
        [[hotspot_concentration(d).share for d in (v.predicted.densities["total"], v.human["total"])] for v in viewed]
    )
    print(
        f"share at the three strongest places, model and people: rho {rho(shares):.2f}, means {shares.mean(0).round(2)}"
    )


def raw_pairs(viewed: list[Viewed], measure: Callable[[Float32], float], window: str) -> Float64:
    return np.array([(measure(v.predicted.densities.maps[window]), measure(v.human[window])) for v in viewed])


def rho(pairs: Float64) -> float:
    return float(spearmanr(pairs[:, 0], pairs[:, 1])[0])


def print_coverage(domain: str, viewed: list[Viewed], scale: FocusScale) -> None:
    """Rank correlation with people, and the interval fitted on one half of the pictures, checked on the other."""
    model = np.array([concentration(v.predicted.densities["total"]) for v in viewed])
    human = human_concentration(viewed)
    rng = np.random.default_rng(0)
    inside = [[] for _ in range(3)]
    for _ in range(SPLITS):
        fitted, checked = np.array_split(rng.permutation(len(viewed)), 2)
        half = fit_focus_scale(
            np.array(scale.knots), (scale.typical_share, scale.typical_area), model[fitted], human[fitted]
        )
        for score, truth in zip(*scored(half, model, human, fitted, checked), strict=True):
            low, high = half.spread.bounds(score)
            inside[min(2, int(3 * score / 100))].append(low <= truth <= high)
    everything = np.concatenate([np.array(part) for part in inside])
    thirds = ", ".join(f"{100 * np.mean(part):.0f} % (n {len(part) / SPLITS:.0f})" for part in inside if part)
    print(f"\n{domain}, {len(viewed)} pictures: rho {rho(np.column_stack([model, human])):.2f}")
    print(f"90 % interval fitted on half, checked on the other half, {SPLITS} times: {100 * everything.mean():.1f} %")
    print(f"by thirds of the score: {thirds}")
    whole = fit_focus_scale(np.array(scale.knots), (scale.typical_share, scale.typical_area), model, human).spread
    print(f"below {whole.below}, above {whole.above}")


def scored(
    scale: FocusScale, model: Float64, human: Float64, fitted: Float64, checked: Float64
) -> tuple[Float64, Float64]:
    """Scores of the checked pictures, and what people's would be; how theirs are put on the model's scale is fitted."""
    people, models = (
        np.quantile(human[fitted], np.linspace(0, 1, 101)),
        np.quantile(model[fitted], np.linspace(0, 1, 101)),
    )
    matched = [np.interp(percentile(float(h), tuple(people)), np.linspace(0, 100, 101), models) for h in human[checked]]
    return np.array([scale.score(m) for m in model[checked]]), np.array([scale.score(float(m)) for m in matched])


def print_held(viewed: list[Viewed], scales: FocusScales) -> None:
    pairs = []
    for view in viewed[:: len(viewed) // 40][:40]:
        still = scales.still.score(concentration(view.predicted.densities["total"], view.predicted.content))
        moments = [concentration(d, view.predicted.content) for d in held_densities(view.predicted.path)]
        pairs.append(
            (
                still,
                np.mean([scales.moving.score(m) for m in moments]),
                np.mean([scales.still.score(m) for m in moments]),
            )
        )
    still, predicted, other = np.array(pairs).T
    for name, moving in {"its own scale": predicted, "the scale of pictures": other}.items():
        apart = moving - still
        print(
            f"\nheld-out pictures as videos on {name}, less as pictures: n {len(apart)}, mean {apart.mean():+.1f},",
            end=" ",
        )
        print(f"sd {apart.std(ddof=1):.1f}, rho {rho(np.column_stack([still, moving])):.2f}")


# ---- changes that should not matter ------------------------------------------------------------------------------


def changes() -> Iterator[tuple[str, str, Change]]:
    """Name, suffix of the file, change."""
    yield "JPEG of quality 85", ".jpg", lambda bgr: bgr
    yield "half size, JPEG", ".jpg", lambda bgr: cv2.resize(bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    yield "twice the size", ".png", lambda bgr: cv2.resize(bgr, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    yield "mirrored", ".png", lambda bgr: np.ascontiguousarray(bgr[:, ::-1])
    for percent in (10, 20, 30):
        for name, sides in {"above and below": (1, 0), "left and right": (0, 1), "all around": (1, 1)}.items():
            yield f"bars of {percent} % {name}", ".jpg", with_bars(percent / 100, *sides)


def with_bars(share: float, down: int, across: int) -> Change:
    def change(bgr: UInt8) -> UInt8:
        y, x = round(share * bgr.shape[0] * down), round(share * bgr.shape[1] * across)
        colour = ((0, 0, 0), (255, 255, 255), GREY, BLUE)[int(bgr[0, 0, 0]) % 4]
        return np.asarray(cv2.copyMakeBorder(bgr, y, y, x, x, cv2.BORDER_CONSTANT, value=colour), np.uint8)

    return change


def print_changes(paths: list[Path], scale: FocusScale) -> None:
    plain = [see(path) for path in paths]
    before = np.array([scale.score(concentration(look.densities["total"], look.content)) for look in plain])
    fine = [cv2.resize(look.densities["total"], None, fx=3, fy=3, interpolation=cv2.INTER_LINEAR) for look in plain]
    after = np.array(
        [scale.score(concentration(d / d.sum(), look.content)) for d, look in zip(fine, plain, strict=True)]
    )
    print(f"\n{len(paths)} pictures changed, points of focus")
    print("| change | median | 95 % | mean, signed |\n|---|---|---|---|")
    print_change("density on a grid three times as fine", after - before)
    with TemporaryDirectory() as folder:
        for name, suffix, change in changes():
            changed = [see(saved(path, change, Path(folder) / f"{i}{suffix}")) for i, path in enumerate(paths)]
            moved = (
                np.array([scale.score(concentration(look.densities["total"], look.content)) for look in changed])
                - before
            )
            print_change(name, moved)
            if name.startswith("bars"):
                whole = np.array([scale.score(concentration(look.densities["total"])) for look in changed]) - before
                has_bars = np.array([look.content != was.content for look, was in zip(changed, plain, strict=True)])
                print_change(f"{name}, found ({has_bars.sum()})", moved[has_bars])
                kept = [own_blur(was, now) for was, now, yes in zip(plain, changed, has_bars, strict=True) if yes]
                print(f"| how far spots keep their size: {np.mean(kept):.2f} | | | |")
                print_change(f"{name}, found or not, counted as part of the picture", whole)


def own_blur(was: Seen, now: Seen) -> float:
    """0 if spots shrank with the picture within bars, 1 if they stayed; see `metrics.scores.concentration`."""
    before, after = (hotspot_concentration(seen.densities["total"], seen.content) for seen in (was, now))
    attended = [1 / (spot.cells * (spot.inside + spot.outside)) for spot in (before, after)]
    return float(np.log(attended[1] / attended[0]) / np.log(before.framed / after.framed))


def print_change(name: str, moved: Float64) -> None:
    median, most = np.quantile(np.abs(moved), [0.5, 0.95])
    print(f"| {name} | {median:.1f} | {most:.1f} | {moved.mean():+.1f} |", flush=True)


def saved(path: Path, change: Change, target: Path) -> Path:
    quality = [cv2.IMWRITE_JPEG_QUALITY, 85] if target.suffix == ".jpg" else []
    cv2.imwrite(str(target), change(cv2.imread(str(path), cv2.IMREAD_COLOR)), quality)
    return target


if __name__ == "__main__":
    main()
