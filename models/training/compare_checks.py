"""Is P(A > B) right? The figures of docs/compare.md, from people.

    python models/training/compare_checks.py ../shared/data ../shared/weights

Pairs of pictures of one kind, of which people said which is more complex, or of which viewers showed where their gaze
gathers, and pairs of regions of one kind in two pictures: how often is truly higher what is said to be, and how often
does the interval of the difference hold the difference of the truths? Then the same of who leads, where people say
several things of one pair. Scores are of pictures that neither the score nor the attention model was fitted to, and
intervals of focus are fitted to the other half of the pictures, or to the other domains. What few viewers showed is
noisy by a known amount, which is added to what is stated. Takes some ten minutes on one core; `--cache FILE` is that of
`scales.py`, `--regions FILE` that of `fixation_hazard.py`, `--opinions FILE` that of `opinions.py`: they save most of
them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path

import cv2
import demand
import numpy as np
import opinions
from errors import Errors, errors_of, halves_trials, narrowest, spread_of, together
from focus import DOMAINS
from hazard_fit import Fit, Shares, regions_table
from hazard_truth import AOI_LIKE, Looked, Regions, looked_at
from population import Measured, rated_pictures
from scales import cached, focus_errors, measure_all
from scipy.special import ndtr
from viewers import unseen_domain, viewers

from mediaan.aoi.scoring.fixation_hazard import PredictionBand, built_in_hazard_model
from mediaan.metrics.scales import WIDENED, Spread, built_in_scales, percentile
from mediaan.studies.compare.differences import Estimate, subtract, subtract_means
from mediaan.studies.compare.pairs import ERROR_CORRELATION, combine_probabilities
from mediaan.types.aoi import Box
from mediaan.types.arrays import Bool, Float64
from mediaan.types.densities import BASE_DOMAIN
from mediaan.types.metrics import Z90

EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
SPLITS = 40
MOST_PAIRS = 6000  # of a kind and half: more say no more
FACTORS = np.arange(0.5, 1.51, 0.01)
GROUP_SIZES = (3, 5, 10)
GROUP_DRAWS = 400
LEADER_PAIRS = 20_000
SHARED = (0.0, 0.15, 0.3, 0.45)  # correlations of errors that are tried


@dataclass(frozen=True)
class Sample:
    """Scores and what people did; only rows of one `kind` are compared, and never two of one `picture`.

    `noise`: standard deviation of each truth by which people were asked, where that is known and not in the interval.
    """

    name: str
    estimates: list[Estimate]
    truth: Float64
    kind: Float64
    picture: Float64
    from_middles: bool = False
    noise: Float64 = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if not len(self.noise):
            object.__setattr__(self, "noise", np.zeros(len(self.truth)))

    def pairs(self, rows: Float64, rng: np.random.Generator) -> Float64:
        """Pairs of some of the rows, (n, 2); the first of each is drawn, so that neither side is the higher one."""
        pairs_of_kind = []
        for kind in np.unique(self.kind[rows]):
            of_kind = rows[self.kind[rows] == kind]
            drawn = of_kind[rng.integers(len(of_kind), size=(min(MOST_PAIRS, len(of_kind) ** 2), 2))]
            pairs_of_kind.append(drawn[self.picture[drawn[:, 0]] != self.picture[drawn[:, 1]]])
        return np.concatenate(pairs_of_kind)

    def halves(self, rng: np.random.Generator) -> tuple[Float64, Float64]:
        """Rows of each half of the pictures."""
        pictures = np.unique(self.picture)
        chosen = rng.permutation(pictures)[: len(pictures) // 2]
        first = np.isin(self.picture, chosen)
        return np.flatnonzero(first), np.flatnonzero(~first)


@dataclass(frozen=True)
class Compared:
    """Pairs with their stated difference, its arms, and the difference of the truths.

    `centre` is where the truth is expected, which is `value` but where truths lie in the middle of intervals; `noise`
    the standard deviation of the difference of the truths by which people were asked.
    """

    value: Float64
    centre: Float64
    below: Float64
    above: Float64
    truth: Float64
    noise: Float64

    def coverage(self, factor: float = 1.0) -> float:
        """Share of truths inside."""
        below, above = (np.hypot(factor * arm, Z90 * self.noise) for arm in (self.below, self.above))
        low, high = np.minimum(self.value, self.centre - below), np.maximum(self.value, self.centre + above)
        return float(np.mean((self.truth >= low - 1e-9) & (self.truth <= high + 1e-9)))

    def higher(self, factor: float = 1.0) -> Float64:
        """Probability that the first one is higher, 0-1."""
        arm = np.hypot(factor * np.where(self.centre > 0, self.below, self.above), Z90 * self.noise)
        return np.where(self.centre * self.value > 0, normal_cdf(Z90 * self.centre / np.maximum(arm, 1e-12)), 0.5)

    def stated(self, factor: float = 1.0) -> Float64:
        """Probability that the one that is stated to be higher is, .5-1."""
        return np.abs(self.higher(factor) - 0.5) + 0.5

    def right(self) -> Float64:
        """Whether it is; 1, 0, and .5 where people see no difference."""
        return 0.5 + 0.5 * np.sign(self.value) * np.sign(self.truth)

    def standardised(self, factor: float = 1.0) -> Float64:
        """Error of the difference in standard deviations of it."""
        apart = self.truth - self.centre
        arm = np.hypot(factor * np.where(apart > 0, self.above, self.below), Z90 * self.noise)
        return Z90 * apart / np.maximum(arm, 1e-12)

    def deviation(self, factor: float = 1.0) -> Float64:
        """Standard deviation of the difference, from both arms."""
        return np.hypot(factor * (self.below + self.above) / 2, Z90 * self.noise) / Z90

    def best_factor(self) -> float:
        """The smallest with which 90 % lie inside."""
        return next((float(f) for f in FACTORS if self.coverage(float(f)) >= 0.9), float(FACTORS[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path, help="folder with yunet_n_dynamic.onnx and yolox_nano.onnx")
    parser.add_argument("--cache", type=Path, help="file that keeps what was measured of the pictures")
    parser.add_argument("--regions", type=Path, help="file that keeps the regions found in the pictures")
    parser.add_argument("--opinions", type=Path, help="file that keeps what was seen in rated advertisements")
    parser.add_argument("--with-dev", action="store_true", help="of a model that was trained without --use-dev")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    dev = arguments.with_dev
    measured = cached(arguments.cache, lambda: measure_all(arguments.data, dev=dev))
    demanding = demand_sample(measured, arguments.data)
    report(demanding, 1.0)
    report_groups(demanding)
    focus = {sample.name: sample for sample in focus_samples(measured, arguments.data, dev=dev)}
    for sample in focus.values():
        report(sample, 1.0)
    report_groups(focus[f"focus, {BASE_DOMAIN}"])
    opinions_of_people = list(opinion_samples(arguments.data, arguments.opinions))
    for sample in opinions_of_people:
        report(sample, 1.0)
    report_leader("advertisements with opinions", opinions_of_people)
    regions = Regions(arguments.weights, arguments.regions)
    for domain in DOMAINS:
        pictures = [(picture, regions.of(picture)) for picture in looked_at(arguments.data, domain, dev=dev)]
        samples = list(aoi_samples(pictures, domain))
        for sample in samples:
            report(sample, used_factor(sample))
        seen = next((sample for sample in samples if sample.name.startswith("percentage_seen")), samples[0])
        report_leader(domain, [focus[f"focus, {domain}"], *main_regions(seen)])


def used_factor(sample: Sample) -> float:
    return WIDENED.get(sample.name.split(",")[0], 1.0)


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
    error = scales.uncertainty["cognitive_demand"]
    estimates = [Estimate(score, *error.bounds(score)) for score in scores.tolist()]
    return Sample("cognitive_demand, ratings", estimates, truth, categories, np.arange(len(truth)), from_middles=True)


def focus_samples(measured: dict[str, list], data: Path, *, dev: bool) -> Iterator[Sample]:
    """Of each domain, its intervals fitted to one half of the pictures and used on the other; and to other domains."""
    scales = built_in_scales()
    panels = {domain: viewers(data / "gaze", domain, dev=dev) for domain in DOMAINS}
    errors = focus_errors(measured, panels)
    knots, slope = scales.focus.knots, together(list(errors.values())).line()[1]
    of_others = {domain: unseen_domain(domain, errors, knots) for domain in errors}
    widening = narrowest(list(of_others.values()), errors, knots)
    unseen = []
    for domain, of_domain in errors.items():
        names = np.array([f"{domain}/{i}" for i in range(len(of_domain.predicted))])
        trials = both_halves(domain, of_domain, knots, slope)
        yield scored_sample(f"focus, {domain}", of_domain, trials, knots, panels[domain].sets, names)
        spread, _, everything = of_others[domain]
        trials = [(everything, widening.of(spread))]
        unseen.append(scored_sample(domain, of_domain, trials, knots, panels[domain].sets, names))
    estimates = [estimate for sample in unseen for estimate in sample.estimates]
    truth, kind, picture, noise = (
        np.concatenate([getattr(sample, name) for sample in unseen]) for name in ("truth", "kind", "picture", "noise")
    )
    yield Sample("focus, a domain that had no part in it", estimates, truth, kind, picture, True, noise)


def both_halves(name: str, errors: Errors, knots: tuple[float, ...], slope_beyond: float) -> list[tuple[Bool, Spread]]:
    """Each half of the pictures, with intervals that were fitted to the other one, as wide as random halves need."""
    widening = narrowest(halves_trials(name, errors, knots, slope_beyond), {name: errors}, knots)
    first = np.random.default_rng(0).permutation(len(errors.predicted)) % 2 == 0
    return [(half, widening.of(spread_of(errors.of(~half), knots, slope_beyond))) for half in (first, ~first)]


def scored_sample(
    name: str,
    errors: Errors,
    trials: Sequence[tuple[Bool, Spread]],
    knots: tuple[float, ...],
    kinds: Float64,
    pictures: Float64,
) -> Sample:
    estimates: list[Estimate] = [Estimate(None)] * len(pictures)
    for rows, spread in trials:
        for i in np.flatnonzero(rows):
            score = percentile(float(errors.predicted[i]), knots)
            estimates[i] = Estimate(score, *spread.bounds(score))
    deviation = np.sqrt(errors.noise)
    low, truth, high = (
        np.array([percentile(float(raw), knots) for raw in errors.seen + side * deviation]) for side in (-1, 0, 1)
    )
    return Sample(name, estimates, truth, kinds, pictures, from_middles=True, noise=(high - low) / 2)


def opinion_samples(data: Path, cache: Path | None) -> Iterator[Sample]:
    """Clarity, engagement and design of advertisements that they were not fitted to; intervals fitted to one half."""
    rows = opinions.ratings(data)
    looks = opinions.look_at_all(data, [row["image"] for row in rows], cache)
    ratings = opinions.standardised(rows)
    scales = built_in_scales()
    rated = [opinions.picture(data, row["image"]) for row in rows]
    groups = opinions.near_duplicates(rated)
    blocks = opinions.fit_blocks(opinions.matrix([*looks["advertisements"], *looks["others"]]))
    parts = {name: block.project(opinions.matrix(looks["rated"])) for name, block in blocks.items()}
    ranks = opinions.lightness_ranks(looks["rated"], scales)[:, None]
    parts[opinions.OPINION_DRIVER] = opinions.LIGHTNESS_SCALE * ranks
    names = np.array([f"rated/{i}" for i in range(len(rows))])
    for name in opinions.SAID:
        knots = scales.scores[name]
        model = opinions.fit(name, parts, blocks, ratings, looks["advertisements"], scales)
        unseen = opinions.held_out(name, model, parts, ratings, groups, looks["rated"], scales)
        errors = errors_of(unseen, ratings[name], opinions.RELIABILITY[name])
        trials = both_halves(name, errors, knots, errors.line()[1])
        yield scored_sample(f"{name}, opinions", errors, trials, knots, np.full(len(rows), "rated"), names)


def aoi_samples(pictures: list[tuple[Looked, list[tuple[str, Box]]]], domain: str) -> Iterator[Sample]:
    """Regions like AOIs over the whole of the viewing time; of viewers who were pooled their attention alone."""
    table, model = regions_table(pictures), built_in_hazard_model().of_domain(domain)
    fit = Fit(table, Shares((picture.densities, [box for _, box in boxes]) for picture, boxes in pictures))
    raw = fit.shares.raw[table.region, 2]
    sources: dict[str, tuple[PredictionBand, Float64, Float64]] = {
        "attention": (model.attention, raw, table.fixations.to_numpy())
    }
    if np.isfinite(table.exposure).all():
        sources["percentage_seen"] = (model.seen, fit.seen(model), table.seen.to_numpy())
        sources["time_spent"] = (model.spent, fit.spent(model, table), (table.gaze_s / table.exposure).to_numpy())
    rows = (table.full & (table.kind != "grid")).to_numpy()
    kind = (table.set + "/" + table.kind).to_numpy(str)[rows]
    numbers = {f"{picture.set}/{picture.name}": f"{domain}/{i}" for i, (picture, _) in enumerate(pictures)}
    picture = table.picture.map(numbers).to_numpy(str)[rows]
    for name, (band, predicted, truth) in sources.items():
        estimates = [scaled(value, *band.bounds(value)) for value in predicted[rows].tolist()]
        yield Sample(f"{name}, {domain}", estimates, 100 * truth[rows], kind, picture)


def main_regions(sample: Sample) -> Iterator[Sample]:
    """Of each kind of region the one of a picture that has the highest score, as comparisons take the main area."""
    kinds = np.array([kind.rsplit("/", 1)[-1] for kind in sample.kind])
    score = np.array([estimate.value for estimate in sample.estimates])
    for kind in (kind for kind in AOI_LIKE if kind != "block"):  # a block holds lines of text
        of_kind = np.flatnonzero(kinds == kind)
        first = {}
        for i in of_kind[np.argsort(-score[of_kind])]:
            first.setdefault(sample.picture[i], int(i))
        rows = sorted(first.values())
        if len(rows) >= 20:
            estimates = [sample.estimates[i] for i in rows]
            sets = np.array([str(sample.kind[i]).rsplit("/", 1)[0] for i in rows])
            name = f"{sample.name.split(',')[0]}, {kind}"
            yield Sample(name, estimates, sample.truth[rows], sets, sample.picture[rows])


def scaled(value: float, low: float, high: float) -> Estimate:
    return Estimate(100 * value, 100 * low, 100 * high)


# ---- pairs -------------------------------------------------------------------------------------------------------


def compare(sample: Sample, pairs: Float64) -> Compared:
    differences = [subtract(sample.estimates[i], sample.estimates[j], 1.0) for i, j in pairs]
    value, low, high = (
        np.array([getattr(difference, end) for difference in differences]) for end in ("value", "lo", "hi")
    )
    centre = value
    if sample.from_middles:
        middles = [estimate.expected() for estimate in sample.estimates]
        differences = [subtract(middles[i], middles[j], 1.0) for i, j in pairs]
        centre, low, high = (
            np.array([getattr(difference, end) for difference in differences]) for end in ("value", "lo", "hi")
        )
    truth, noise = sample.truth[pairs[:, 0]] - sample.truth[pairs[:, 1]], sample.noise[pairs]
    return Compared(value, centre, centre - low, high - centre, truth, np.hypot(*noise.T))


def report(sample: Sample, used: float) -> None:
    """`used`: the factor that `mediaan.metrics.scales.WIDENED` holds."""
    rng = np.random.default_rng(0)
    everything = compare(sample, sample.pairs(np.arange(len(sample.truth)), rng))
    held: list[tuple[float, float, float]] = []
    for _ in range(SPLITS if len(sample.truth) < 1000 else 8):
        first, other = (compare(sample, sample.pairs(rows, rng)) for rows in sample.halves(rng))
        factor = first.best_factor()
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
        print(f"| {low:g}-{high:g} | {line(everything, used, low, 1.01 if high == 1 else high)} |")
    print(f"| all | {line(everything, used, 0.5, 1.01)} |")


def line(pairs: Compared, factor: float, low: float, high: float) -> str:
    stated = pairs.stated(factor)
    inside = (stated >= low) & (stated < high)
    if not inside.any():
        return "0 | - | -"
    return f"{inside.sum()} | {stated[inside].mean():.3f} | {pairs.right()[inside].mean():.3f}"


def report_leader(name: str, samples: Sequence[Sample]) -> None:
    """Who is ahead on the scores of one pair taken together, and how far the errors of these scores go together.

    A pair takes the scores that both pictures have; two at least. Ahead is who has the larger sum of true differences,
    in units of their stated errors.
    """
    places = [{picture: i for i, picture in enumerate(sample.picture)} for sample in samples]
    sets = dict(zip(samples[0].picture, samples[0].kind, strict=True))
    pictures = sorted(sets)
    rng = np.random.default_rng(2)
    drawn = [(pictures[i], pictures[j]) for i, j in rng.integers(len(pictures), size=(LEADER_PAIRS, 2))]
    pairs = [pair for pair in drawn if pair[0] != pair[1] and sets[pair[0]] == sets[pair[1]]]
    higher, truth, error = (np.full((len(pairs), len(samples)), np.nan) for _ in range(3))
    for k, (sample, place) in enumerate(zip(samples, places, strict=True)):
        rows = [r for r, pair in enumerate(pairs) if pair[0] in place and pair[1] in place]
        compared = compare(sample, np.array([[place[compared] for compared in pairs[r]] for r in rows]))
        factor = used_factor(sample)
        higher[rows, k], truth[rows, k] = compared.higher(factor), compared.truth / compared.deviation(factor)
        error[rows, k] = compared.standardised(factor)
    print(f"\n{name}, several scores of a pair: {', '.join(sample.name for sample in samples)}")
    for a, b in combinations(range(len(samples)), 2):
        both = np.isfinite(error[:, a]) & np.isfinite(error[:, b])
        if both.sum() > 100:
            r = np.corrcoef(error[both, a], error[both, b])[0, 1]
            print(f"errors of {samples[a].name} and {samples[b].name} correlate {r:+.2f} ({both.sum()} pairs)")
    enough = np.isfinite(higher).sum(axis=1) >= 2
    ahead = 0.5 + 0.5 * np.sign(np.nansum(truth[enough], axis=1))
    for common in SHARED:
        defined = [row[np.isfinite(row)].tolist() for row in higher[enough]]
        stated = np.array([combine_probabilities(row, [1.0] * len(row), common) for row in defined])
        right = np.where(stated >= 0.5, ahead, 1 - ahead)
        stated = np.maximum(stated, 1 - stated)
        mark = " (in use)" if common == ERROR_CORRELATION else ""
        print(f"errors in common {common:g}{mark}: mean stated {stated.mean():.3f}, truly ahead {right.mean():.3f}")
        if common == ERROR_CORRELATION:
            print("| stated P of the leader | pairs | mean stated | truly ahead |\n|---|---|---|---|")
            for low, high in pairwise(EDGES):
                inside = (stated >= low) & (stated < (1.01 if high == 1 else high))
                if inside.any():
                    shown = f"{stated[inside].mean():.3f} | {right[inside].mean():.3f}"
                    print(f"| {low:g}-{high:g} | {inside.sum()} | {shown} |")


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
    of_kind = np.flatnonzero(sample.kind == kind)
    leaning = sample.truth[of_kind].argsort().argsort() / len(of_kind)
    rows = []
    for _ in range(GROUP_DRAWS):
        chances = [np.exp(lean * leaning) for lean in rng.normal(0, 1.5, size=2)]
        groups = [rng.choice(of_kind, size=size, p=chance / chance.sum()) for chance in chances]
        differences = subtract_means(*([sample.estimates[i] for i in group] for group in groups))
        assert differences.lo is not None
        assert differences.hi is not None
        assert differences.probability is not None
        kinds = np.subtract(*(np.average(sample.truth[of_kind], weights=chance) for chance in chances))
        these = np.subtract(*(sample.truth[group].mean() for group in groups))
        inside = [differences.lo <= truth <= differences.hi for truth in (kinds, these)]
        rows.append(
            (*inside, (differences.probability > 0.5) == (kinds > 0), abs(differences.probability - 0.5) > 0.45)
        )
    return tuple(np.array(rows, dtype=bool).T)


def normal_cdf(z: Float64) -> Float64:
    return np.asarray(ndtr(z))


if __name__ == "__main__":
    main()
