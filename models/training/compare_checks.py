"""Is P(A > B) right? The figures of docs/compare.md, from people.

    python models/training/compare_checks.py ../shared/data ../shared/weights

Pairs of pictures of one kind, of which people said which is more complex, or of which viewers showed where their gaze
gathers, and pairs of regions of one kind in two pictures: how often is truly higher what is said to be, and how often
does the interval of the difference hold the difference of the truths? Scores are of pictures that the score (cognitive
demand) or the attention model (all others) was not fitted to. Takes some ten minutes on one core; `--cache FILE` is
that of `scales.py`, and saves half of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import demand
import numpy as np
from human import SETS
from population import HELD_OUT, Measured, rated_pictures
from scales import cached, measure_all
from scipy.special import ndtr
from seen_fit import Fit, Shares, regions_table
from seen_truth import Looked, Regions, looked_at
from seen_wobble import moved_shares

from mediaan.aoi.seen import Band, built_in_seen_model
from mediaan.comparison.difference import WIDENED, Estimate, subtract
from mediaan.comparison.groups import subtract_means
from mediaan.metrics.cognitive_demand import demand_model
from mediaan.metrics.focus_scale import human_focus
from mediaan.metrics.scales import Scales, built_in_scales
from mediaan.types.aoi import Box
from mediaan.types.arrays import Float64

EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
SPLITS = 40
MOST_PAIRS = 6000  # of a kind and half: more say no more
FACTORS = np.arange(0.5, 1.51, 0.01)
GROUP_SIZES = (3, 5, 10)
GROUP_DRAWS = 400


@dataclass(frozen=True)
class Sample:
    """Scores and what people did; only rows of one `kind` are compared, and never two of one `picture`."""

    name: str
    estimates: list[Estimate]
    truth: Float64
    kind: Float64
    picture: Float64

    def pairs(self, rows: Float64, rng: np.random.Generator) -> Float64:
        """Pairs of some of the rows, (n, 2); the first of each is drawn, so that neither side is the higher one."""
        found = []
        for kind in np.unique(self.kind[rows]):
            own = rows[self.kind[rows] == kind]
            drawn = own[rng.integers(len(own), size=(min(MOST_PAIRS, len(own) ** 2), 2))]
            found.append(drawn[self.picture[drawn[:, 0]] != self.picture[drawn[:, 1]]])
        return np.concatenate(found)

    def halves(self, rng: np.random.Generator) -> tuple[Float64, Float64]:
        """Rows of each half of the pictures."""
        pictures = np.unique(self.picture)
        chosen = rng.permutation(pictures)[: len(pictures) // 2]
        first = np.isin(self.picture, chosen)
        return np.flatnonzero(first), np.flatnonzero(~first)


@dataclass(frozen=True)
class Compared:
    """Pairs with their stated difference, its arms, and the difference of the truths."""

    value: Float64
    below: Float64
    above: Float64
    truth: Float64

    def coverage(self, factor: float = 1.0) -> float:
        """Share of truths inside."""
        low, high = self.value - factor * self.below, self.value + factor * self.above
        return float(np.mean((self.truth >= low - 1e-9) & (self.truth <= high + 1e-9)))

    def stated(self, factor: float = 1.0) -> Float64:
        """Probability that the one that is stated to be higher is, .5-1."""
        arm = factor * np.where(self.value > 0, self.below, self.above)
        return normal_cdf(1.6448536 * np.abs(self.value) / np.maximum(arm, 1e-12))

    def right(self) -> Float64:
        """Whether it is; 1, 0, and .5 where people see no difference."""
        return 0.5 + 0.5 * np.sign(self.value) * np.sign(self.truth)

    def best_factor(self) -> float:
        """The smallest with which 90 % lie inside."""
        return next((float(f) for f in FACTORS if self.coverage(float(f)) >= 0.9), float(FACTORS[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path, help="folder with yunet_n_dynamic.onnx and yolox_nano.onnx")
    parser.add_argument("--cache", type=Path, help="file that keeps what was measured of the pictures")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    measured = cached(arguments.cache, lambda: measure_all(arguments.data))
    samples = [demand_sample(measured, arguments.data), focus_sample(measured)]
    for sample in samples:
        report(sample, 1.0)
        report_groups(sample)
    for sample in aoi_samples(arguments.data, arguments.weights):
        report(sample, WIDENED.get(sample.name.split(",")[0], 1.0))


# ---- what is compared --------------------------------------------------------------------------------------------


def demand_sample(measured: dict[str, list], data: Path) -> Sample:
    """Ten-fold cross-validated scores of the rated pictures, in points of the ratings around their category's mean."""
    rated: list[Measured] = measured["rated"]
    scales = built_in_scales()
    _, names, ratings = rated_pictures(data / "complexity")
    categories = np.array(names)
    everybody = np.array([m.features for m in (*measured["population"], *rated)], dtype=np.float64)
    features = (np.array([m.features for m in rated]) - everybody.mean(axis=0)) / (everybody.std(axis=0) + 1e-9)
    target = demand.within(ratings, categories, demand.standardised)
    spread = float(np.sqrt(np.mean(demand.within(ratings, categories, demand.centred) ** 2)))
    predicted = demand.cross_validated(demand.rank_table(rated, scales), features, categories, target)
    scores = np.clip(50 + spread * demand.within(predicted, categories, demand.centred), 0, 100)
    truth = np.clip(50 + demand.within(ratings, categories, demand.centred), 0, 100)
    moved = wobbles(measured["rated_varied"], scales)
    error = scales.uncertainty["cognitive_demand"]
    estimates = [Estimate(s, *error.bounds(float(s), m)) for s, m in zip(scores.tolist(), moved, strict=True)]
    return Sample("cognitive_demand, ratings", estimates, truth, categories, np.arange(len(truth)))


def wobbles(varied: list[list[Measured]], scales: Scales) -> list[list[float]]:
    """The score of each changed picture."""
    model = demand_model()
    return [[model.rating(m.values, m.features, scales) for m in repeats] for repeats in varied]


def focus_sample(measured: dict[str, list]) -> Sample:
    scales = built_in_scales()
    predicted = np.array([m.values["concentration"] for m in measured["viewed"]])
    truth = human_focus(predicted, np.array(measured["human_concentration"]), scales.focus.knots)
    error = scales.uncertainty["focus"]
    estimates = []
    for raw, repeats in zip(predicted, measured["viewed_varied"], strict=True):
        score = scales.focus.score(float(raw))
        moved = [scales.focus.score(m.values["concentration"]) for m in repeats]
        estimates.append(Estimate(score, *error.bounds(score, moved)))
    kinds = [name for name in SETS for _ in (HELD_OUT / f"{name}.txt").read_text(encoding="utf-8").split()]
    return Sample("focus, gaze", estimates, np.asarray(truth), np.array(kinds), np.arange(len(kinds)))


def aoi_samples(data: Path, weights: Path) -> Iterator[Sample]:
    """Regions like AOIs over the whole of the viewing time."""
    regions = Regions(weights)
    pictures: list[tuple[Looked, list[tuple[str, Box]]]] = [(one, regions.of(one)) for one in looked_at(data)]
    table, model = regions_table(pictures), built_in_seen_model()
    fit = Fit(table, Shares((one.densities, [box for _, box in own]) for one, own in pictures))
    wobble = np.array([model.wobble(row) for row in moved_shares(pictures)])[table.region]
    hazard = fit.hazard(model, table)
    seen, spent, raw = fit.seen(model), fit.spent(model, table), fit.shares.raw[table.region, 2]
    seen_moved = (model.share_seen(hazard * np.exp(wobble)) - model.share_seen(hazard * np.exp(-wobble))) / 2
    rows = ((table.exposure == np.where(table.set == "crowd", 5.0, 3.0)) & (table.kind != "grid")).to_numpy()
    kind = (table.set + "/" + table.kind).to_numpy(str)[rows]
    picture = table.picture.to_numpy(str)[rows]
    sources: dict[str, tuple[Band, Float64, Float64, Float64]] = {
        "attention, gaze": (model.attention, raw, raw * wobble, table.fixations.to_numpy()),
        "percentage_seen, gaze": (model.seen, seen, seen_moved, table.seen.to_numpy()),
        "time_spent, gaze": (model.spent, spent, spent * wobble, (table.gaze_s / table.exposure).to_numpy()),
    }
    for name, (band, predicted, moved, truth) in sources.items():
        values = zip(predicted[rows].tolist(), moved[rows].tolist(), strict=True)
        estimates = [scaled(value, *band.bounds(value, m)) for value, m in values]
        yield Sample(name, estimates, 100 * truth[rows], kind, picture)


def scaled(value: float, low: float, high: float) -> Estimate:
    return Estimate(100 * value, 100 * low, 100 * high)


# ---- pairs -------------------------------------------------------------------------------------------------------


def compare(sample: Sample, pairs: Float64) -> Compared:
    found = [subtract(sample.estimates[i], sample.estimates[j], 1.0) for i, j in pairs]
    value, low, high = (np.array([getattr(one, end) for one in found]) for end in ("value", "lo", "hi"))
    return Compared(value, value - low, high - value, sample.truth[pairs[:, 0]] - sample.truth[pairs[:, 1]])


def report(sample: Sample, used: float) -> None:
    """`used`: the factor that `mediaan.comparison.difference.WIDENED` holds."""
    rng = np.random.default_rng(0)
    everything = compare(sample, sample.pairs(np.arange(len(sample.truth)), rng))
    held: list[tuple[float, float, float]] = []
    for _ in range(SPLITS if len(sample.truth) < 1000 else 8):
        one, other = (compare(sample, sample.pairs(rows, rng)) for rows in sample.halves(rng))
        factor = one.best_factor()
        held.append((factor, other.coverage(), other.coverage(factor)))
    factor, plain, corrected = np.mean(held, axis=0)
    print(f"\n{sample.name}: {len(sample.truth)} rows, {len(np.unique(sample.picture))} pictures")
    print(f"interval of the difference holds the truth: {everything.coverage():.1%};", end=" ")
    spread = f"{factor:.2f} (sd over splits {np.std([h[0] for h in held]):.2f})"
    print(f"factor fitted on half {spread}: on the other half {plain:.1%} without, {corrected:.1%} with it")
    print(f"with the factor in use, {used:g}: {everything.coverage(used):.1%};", end=" ")
    kinds = np.array([str(kind).rsplit("/", 1)[-1] for kind in sample.kind])
    by_kind = {kind: np.flatnonzero(kinds == kind) for kind in np.unique(kinds)}
    parts = {kind: compare(sample, sample.pairs(rows, rng)).coverage(used) for kind, rows in by_kind.items()}
    print(", ".join(f"{kind} {share:.0%}" for kind, share in parts.items()))
    print("| stated P | pairs | mean stated | truly higher |\n|---|---|---|---|")
    for low, high in pairwise(EDGES):
        print(f"| {low:g}-{high:g} | {line(everything, used, low, high)} |")
    print(f"| all | {line(everything, used, 0.5, 1.01)} |")


def line(pairs: Compared, factor: float, low: float, high: float) -> str:
    stated = pairs.stated(factor)
    inside = (stated >= low) & (stated < high)
    if not inside.any():
        return "0 | - | -"
    return f"{inside.sum()} | {stated[inside].mean():.3f} | {pairs.right()[inside].mean():.3f}"


def report_groups(sample: Sample) -> None:
    """Groups drawn from two populations, of which one leans to what people say more of."""
    rng = np.random.default_rng(1)
    for size in GROUP_SIZES:
        of_kinds, of_these, right, told = (
            np.concatenate(column)
            for column in zip(*(group_checks(sample, kind, size, rng) for kind in np.unique(sample.kind)), strict=True)
        )
        wrong = f"{np.mean(~right[told]):.1%}" if told.any() else "-"
        print(
            f"groups of {size}: interval holds the difference of the populations {of_kinds.mean():.1%}, of these",
            end=" ",
        )
        print(
            f"very pictures {of_these.mean():.1%}; side right {right.mean():.1%}, told apart {told.mean():.1%},",
            end=" ",
        )
        print(f"of these wrongly {wrong}")


def group_checks(sample: Sample, kind: str, size: int, rng: np.random.Generator) -> tuple[Float64, ...]:
    """Of draws from one kind: whether the interval holds both truths, whether the side is right, whether it is told."""
    own = np.flatnonzero(sample.kind == kind)
    leaning = sample.truth[own].argsort().argsort() / len(own)
    rows = []
    for _ in range(GROUP_DRAWS):
        chances = [np.exp(lean * leaning) for lean in rng.normal(0, 1.5, size=2)]
        groups = [rng.choice(own, size=size, p=chance / chance.sum()) for chance in chances]
        found = subtract_means(*([sample.estimates[i] for i in group] for group in groups))
        assert found.lo is not None
        assert found.hi is not None
        assert found.probability is not None
        kinds = np.subtract(*(np.average(sample.truth[own], weights=chance) for chance in chances))
        these = np.subtract(*(sample.truth[group].mean() for group in groups))
        inside = [found.lo <= truth <= found.hi for truth in (kinds, these)]
        rows.append((*inside, (found.probability > 0.5) == (kinds > 0), abs(found.probability - 0.5) > 0.45))
    return tuple(np.array(rows, dtype=bool).T)


def normal_cdf(z: Float64) -> Float64:
    return np.asarray(ndtr(z))


if __name__ == "__main__":
    main()
