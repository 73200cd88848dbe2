"""Whether `mediaan results` claims what is true: ``python -m bench.results``.

Without arguments, on simulated ads whose truth is known: how many claims are false, and how many true ones are found.
With a run and a table, on real ones: claims of one half of the ads are held against the other half, which they have
not seen.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mediaan.studies.results import statistics
from mediaan.studies.results.statistics import benjamini_hochberg, choose_folds, permutation_p, prediction

ADS = (25, 50, 100, 200, 400)
TRUE = (0.0, 0.2, 0.3, 0.4, 0.5)
BLOCKS = (10, *[6] * 7, *[1] * 8)
"""Measures that resemble each other: scores of the whole ad, seven types of area with six each, and eight others."""

ALIKE = {10: 0.3, 6: 0.7, 1: 0.0}
"""Correlation of two measures of a block."""

FALSE = 0.10


def simulated(n: int, rho: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return measures, results, and the correlation of each measure with the results.

    Results go with one area: `rho` with one of its measures, `rho` times 0.7 with the five others, 0 with all the rest.
    """
    columns = []
    for size in BLOCKS:
        shared, separate = rng.normal(size=(n, 1)), rng.normal(size=(n, size))
        columns.append(np.sqrt(ALIKE[size]) * shared + np.sqrt(1 - ALIKE[size]) * separate)
    measures = np.concatenate(columns, axis=1)
    truth = np.zeros(measures.shape[1])
    truth[10:16] = 0.7 * rho
    truth[10] = rho
    return measures, rho * measures[:, 10] + np.sqrt(1 - rho**2) * rng.normal(size=n), truth


def benjamini_yekutieli(p: Sequence[float]) -> list[float]:
    """Return the same rates under any dependence of the measures (Benjamini & Yekutieli 2001)."""
    harmonic = sum(1 / i for i in range(1, len(p) + 1))
    return [min(1.0, q * harmonic) for q in benjamini_hochberg(p)]


def simulate(draws: int, refits: int) -> None:
    """Print the share of claims that are false, the share of true ones that are found, and that of predictions."""
    statistics.PERMUTATIONS, statistics.REFITS = 1999, 99
    print("true r | ads | false claims, BH | BY | draws with a false claim, BH | found, BH | BY | predicts")
    for rho in TRUE:
        for n in ADS:
            rng = np.random.default_rng(n)
            groups, weights = np.zeros(n, np.int64), np.ones(n)
            rates: dict[str, list[tuple[float, bool, bool]]] = {"BH": [], "BY": []}
            predicts = []
            for draw in range(draws):
                measures, result, truth = simulated(n, rho, rng)
                p = permutation_p(measures, result, groups, weights, rng)
                for name, corrected in (("BH", benjamini_hochberg(p)), ("BY", benjamini_yekutieli(p))):
                    claimed = np.array(corrected) <= FALSE
                    wrong = (claimed & (truth == 0)).sum()
                    rates[name].append((wrong / max(1, claimed.sum()), wrong > 0, bool(claimed[10])))
                if draw < refits:
                    predicted = prediction(measures, result, groups, weights, choose_folds(None, n, rng), rng)
                    predicts.append(predicted.p < FALSE)
            bh, by = (np.mean(rates[name], axis=0) for name in ("BH", "BY"))
            print(
                f"{rho:.1f} | {n} | {bh[0]:.3f} | {by[0]:.3f} | {bh[1]:.2f} | {bh[2]:.2f} | {by[2]:.2f} | "
                f"{np.mean(predicts):.2f}",
                flush=True,
            )


def halves(run: Path, table: Path, kpis: Sequence[str], without: Sequence[str], splits: int) -> None:
    """Print how many claims of one half the other half shows: the same sign, and p below 5 % one-sided."""
    from mediaan.studies.results.measures import join_results, measure_ads

    statistics.RESAMPLES, statistics.REFITS = 2, 99  # intervals are not looked at
    joined = join_results(run, table, kpis)
    columns = [column for column in measure_ads(joined) if not column.too_little and column.name not in without]
    values = np.stack([column.values for column in columns], axis=1)
    print(f"{len(columns)} measures, {splits} ways to halve {len(joined.ads)} ads, each half in turn")
    print("KPI | claims of a half | same sign in the other | and p < .05 there | other sign, mean of halves | ", end="")
    print("halves that predict | shuffled halves with a claim")
    for kpi in kpis:
        result = joined.numbers[kpi]
        rng = np.random.default_rng(0)
        claims, same_sign, shown, false, skills = 0, 0, 0, [], []
        turned: list[float] = []
        for _ in range(splits):
            mixed = rng.permutation(len(result))
            for first, second in ((mixed[::2], mixed[1::2]), (mixed[1::2], mixed[::2])):
                claimed, other = (_claims(values[part], result[part], rng) for part in (first, second))
                pairs = [pair for pair in zip(claimed, other, strict=True) if pair[0][1] <= FALSE]
                signs = [here[0] == there[0] for here, there in pairs]
                claims, same_sign = claims + len(signs), same_sign + sum(signs)
                shown += sum(same and there[2] < 2 * 0.05 for same, (_, there) in zip(signs, pairs, strict=True))
                turned.append(1 - float(np.mean(signs)) if signs else 0.0)
                noise = rng.permutation(result[first])
                false.append(any(q <= FALSE for _, q, _ in _claims(values[first], noise, rng)))
                zeros, ones = np.zeros(len(first), np.int64), np.ones(len(first))
                folds = choose_folds(None, len(first), rng)
                skills.append(prediction(values[first], result[first], zeros, ones, folds, rng).p < FALSE)
        print(
            f"{kpi} | {claims / 2 / splits:.1f} | {same_sign / max(1, claims):.2f} | "
            f"{shown / max(1, claims):.2f} | {np.mean(turned):.2f} | {np.mean(skills):.2f} | {np.mean(false):.2f}",
            flush=True,
        )


def _claims(values: np.ndarray, result: np.ndarray, rng: np.random.Generator) -> list[tuple[int, float, float]]:
    """Return sign, false discovery rate and p value of each measure."""
    zeros, ones = np.zeros(len(result), np.int64), np.ones(len(result))
    correlations = statistics.correlations(values, result, zeros, ones, rng)
    rates = benjamini_hochberg([each.p for each in correlations])
    return [(int(np.sign(each.value)), q, each.p) for each, q in zip(correlations, rates, strict=True)]


def main() -> None:
    """Simulate, or hold halves of real ads against each other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", type=Path, help="run of real ads")
    parser.add_argument("table", nargs="?", type=Path, help="their results")
    parser.add_argument("--kpi", action="append", help="column of the table")
    parser.add_argument("--without", action="append", default=[], help="measure to leave out")
    parser.add_argument("--draws", type=int, default=200, help="simulated sets of ads for each row")
    parser.add_argument("--refits", type=int, default=100, help="of these, sets whose prediction is tested, too")
    parser.add_argument("--splits", type=int, default=20, help="ways to halve real ads")
    given = parser.parse_args()
    if given.run and given.table and given.kpi:
        halves(given.run, given.table, given.kpi, given.without, given.splits)
    else:
        simulate(given.draws, given.refits)


if __name__ == "__main__":
    main()
