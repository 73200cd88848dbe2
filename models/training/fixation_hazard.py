"""Fit mediaan/aoi/scoring/fixation_hazard.json and print the figures of docs/aoi_scores.md.

    python models/training/fixation_hazard.py ../shared/data ../shared/weights

reads the eye tracking and its pictures there, of the pictures that the attention model was not trained on, and two
published detectors; takes some minutes. To be run again whenever the attention model changes.

Constants are fitted to photographs. Web pages, of which there are few and no licence to train on them, check these and
give intervals; advertisements, whose viewers were pooled, give those of attention.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import pandas as pd
from focus import DOMAINS
from hazard_fit import Fit, Shares, fit_band, folds, human_densities, limits, regions_table, widened
from hazard_still_clips import fit_moving
from hazard_truth import AOI_LIKE, EXPOSURES_S, KINDS, MEASURED, Looked, Regions, looked_at
from scipy.optimize import minimize_scalar

from mediaan.aoi.scoring.fixation_hazard import BAND_NAMES, MIN_SHARE_SEEN, FixationHazardModel, PredictionBand
from mediaan.saliency import load_predictor
from mediaan.types.aoi import Box

ROOT = Path(__file__).parents[2]
RESAMPLES = 1000
Numbers = np.ndarray
Pictures = list[tuple[Looked, list[tuple[str, Box]]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path, help="folder with yunet_n_dynamic.onnx and yolox_nano.onnx")
    parser.add_argument("--out", type=Path, default=ROOT / "mediaan/aoi/scoring/fixation_hazard.json")
    parser.add_argument("--regions", type=Path, help="file that keeps the regions found in the pictures")
    parser.add_argument(
        "--only-regions", action="store_true", help="find them, which no attention model changes, and stop"
    )
    parser.add_argument("--with-dev", action="store_true", help="of a model that was trained without --use-dev")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    regions = Regions(arguments.weights, arguments.regions)

    def pictures(domain: str) -> Pictures:
        looked = looked_at(arguments.data, domain, dev=arguments.with_dev)
        return [(picture, regions.of(picture)) for picture in looked]

    if arguments.only_regions:
        print({domain: len(pictures(domain)) for domain in DOMAINS})
        return
    model, table = fit_and_report(pictures("photo"))
    by_domain = {"ad": ads_report(pictures("ad")), "page": pages_report(model, pictures("page"))}
    constants = {name: value for name, value in asdict(model).items() if not isinstance(value, dict)}
    print("\nConstants:", ", ".join(f"{name} {value}" for name, value in constants.items()))
    content = {
        "provenance": provenance(table),
        "constants": constants,
        "bands": {name: asdict(getattr(model, name)) for name in BAND_NAMES},
        "bands_by_domain": {
            domain: {name: asdict(band) for name, band in bands.items()} for domain, bands in by_domain.items()
        },
    }
    arguments.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def fit_and_report(pictures: Pictures) -> tuple[FixationHazardModel, pd.DataFrame]:
    """Fit everything to photographs and print the figures; the model and the table that it was fitted to."""
    table = regions_table(pictures)
    fit = Fit(table, Shares((picture.densities, [box for _, box in regions]) for picture, regions in pictures))
    print_counts(table)
    model = fit.fit(table)
    fold = folds(table)
    without = {k: fit.fit(table[fold != k], model) for k in np.unique(fold)}
    held, spent, end = (left_out(without, fold, fit, predict) for predict in (fit.seen, fit.spent, fit.seen_end))
    first = first_seen(fit, model)
    sets = pd.factorize(table.set)[0]
    by_set = left_out({k: fit.fit(table[sets != k], model) for k in np.unique(sets)}, sets, fit, fit.seen)
    human = Fit(table, Shares((human_densities(p), [box for _, box in regions]) for p, regions in pictures))
    print_seen(table, {"fitted": held, "fitted on the other sets": by_set, **rivals(fit, human)}, held)
    print_halves(fit, pictures, held)
    print_calibration(table, held)
    print_end(table, end)
    print_spent(table, spent)
    print_first(table, first)
    print_attention(fit)
    model = replace(model, **fit_bands(all_sources(fit, held, spent, first)))
    return replace(model, sharpness_moving=fit_moving(fit, model, pictures)), table


def pages_report(model: FixationHazardModel, pictures: Pictures) -> dict[str, PredictionBand]:
    """Check a model on web pages, whose viewers and times are known, and fit its intervals to them."""
    print("\nWeb pages, constants of photographs unless said otherwise")
    table = regions_table(pictures)
    fit = Fit(table, Shares((picture.densities, [box for _, box in regions]) for picture, regions in pictures))
    print_counts(table)
    seen, spent, first = fit.seen(model), fit.spent(model, table), first_seen(fit, model)
    human = Fit(table, Shares((human_densities(p), [box for _, box in regions]) for p, regions in pictures))
    print_seen(table, {"fitted to photographs": seen, **rivals(fit, human)}, seen)
    print_refitted(fit, model, seen)
    print_halves(fit, pictures, seen)
    print_calibration(table, seen)
    print_end(table, fit.seen_end(model, table))
    print_spent(table, spent)
    print_first(table, first)
    print_attention(fit)
    return fit_bands(all_sources(fit, seen, spent, first))


def ads_report(pictures: Pictures) -> dict[str, PredictionBand]:
    """Fit the interval of attention to advertisements, whose viewers were pooled: nobody knows who saw what when."""
    print("\nAdvertisements")
    table = regions_table(pictures)
    fit = Fit(table, Shares((picture.densities, [box for _, box in regions]) for picture, regions in pictures))
    print_counts(table)
    print_attention(fit)
    return fit_bands({"attention": attention_source(fit)})


def provenance(table: pd.DataFrame) -> dict[str, object]:
    return {
        "command": "python models/training/fixation_hazard.py DATA WEIGHTS",
        "date": date.today().isoformat(),
        "model": "attention",
        "model_sha256": load_predictor("attention", "cpu").sha256,
        "data": "pictures held out from training of the free-viewing sets OSIE, Crowd and Scene",
        "pictures": int(table.picture.nunique()),
        "viewers": int(table.groupby("set").viewers.max().sum()),
        "regions": int(table.region.nunique()),
        "rows": len(table),
    }


def left_out(
    without: Mapping[int, FixationHazardModel],
    fold: Numbers,
    fit: Fit,
    predict: Callable[[FixationHazardModel, pd.DataFrame], Numbers],
) -> Numbers:
    """Predictions for the rows of each fold by the model that was fitted without it."""
    predicted = np.empty(len(fold))
    for k, model in without.items():
        predicted[fold == k] = predict(model, fit.table[fold == k])
    return predicted


def rivals(fit: Fit, human: Fit) -> dict[str, Numbers]:
    """What else could be said: naive, constant; and people's own density in place of the model's."""
    table, naive, constant = fit.table, np.empty(len(fit.table)), np.empty(len(fit.table))
    share = fit.shares.raw[table.region, 2]
    for exposure in EXPOSURES_S:
        rows = (table.exposure == exposure).to_numpy()
        shares, seen = share[rows], table.seen[rows]
        n = minimize_scalar(lambda n, s=shares, t=seen: float(np.abs(1 - (1 - s) ** n - t).mean()), bounds=(0, 40)).x
        print(f"naive: n = {n:.2f} at {exposure} s, where viewers had made {table.mean_n[rows].mean():.2f} fixations")
        naive[rows], constant[rows] = 1 - (1 - shares) ** n, seen.median()
    return {
        "naive, 1 - (1 - s)^n": naive,
        "constant (median)": constant,
        "formula on people's density": human.seen(human.fit(table)),
    }


def first_seen(fit: Fit, model: FixationHazardModel) -> Numbers:
    """Predicted median time of first fixations, in full exposures, s; NaN elsewhere and where hardly anybody looks."""
    rows = fit.table[fit.table.first_s.notna()]
    times = np.linspace(0, 1, 101)
    hazards = np.stack([fit.hazard(model, rows.assign(exposure=rows.exposure * t)) for t in times], axis=1)
    predicted = np.full(len(fit.table), np.nan)
    times_seen = [model.first_seen_s(times * t, h) for t, h in zip(rows.exposure, hazards, strict=True)]
    predicted[rows.index] = [np.nan if value is None else value for value in times_seen]
    return predicted


class Source(NamedTuple):
    """What an interval is fitted to, by row: prediction, truth, and the rows."""

    predicted: Numbers
    truth: Numbers
    rows: pd.DataFrame


def attention_source(fit: Fit) -> Source:
    """Shares of attention over the full exposure, against shares of the fixations."""
    rows = fit.table[fit.table.full]
    return Source(fit.shares.raw[rows.region, 2], rows.fixations.to_numpy(), rows)


def all_sources(fit: Fit, seen: Numbers, spent: Numbers, first: Numbers) -> dict[str, Source]:
    """Those of all four intervals."""
    table = fit.table
    exposure, timed = table.exposure.to_numpy(), ~np.isnan(first)
    first_truth = table.first_s.to_numpy() / exposure
    return {
        "attention": attention_source(fit),
        "seen": Source(seen, table.seen.to_numpy(), table),
        "spent": Source(spent, table.gaze_s.to_numpy() / exposure, table),
        "first": Source((first / exposure)[timed], first_truth[timed], table[timed]),
    }


def fit_bands(sources: Mapping[str, Source]) -> dict[str, PredictionBand]:
    """Intervals, each with its share of truths inside when pictures are left out, and its mean width."""
    kinds = kinds_of(sources["attention"].rows)
    print(
        f"\n| 90 % interval of | truths inside | mean width | {' | '.join(kinds)} |\n|---|{'---|' * (len(kinds) + 2)}"
    )
    bands = {}
    for name, source in sources.items():
        predicted, truth, rows = source
        weight = rows.weight.to_numpy()
        for factor in np.arange(1.0, 1.5, 0.01):
            inside = inside_left_out(source, factor)
            if np.average(inside, weights=weight) >= 0.9:
                break
        by_kind = [f"{100 * inside[(rows.kind == kind).to_numpy()].mean():.0f} %" for kind in kinds]
        bands[name] = widened(fit_band(predicted, truth, weight), factor)
        low, high = limits(bands[name], predicted)
        width = np.average(high - low, weights=weight)
        print(f"| {name} | {100 * np.average(inside, weights=weight):.1f} % | {width:.3f} | {' | '.join(by_kind)} |")
    return bands


def inside_left_out(source: Source, factor: float) -> Numbers:
    """Which truths lie in the intervals that were fitted without their fold and then widened, (n,) bool."""
    predicted, truth, rows = source
    weight, fold = rows.weight.to_numpy(), folds(rows)
    inside = np.empty(len(truth), bool)
    for k in np.unique(fold):
        rest, test = fold != k, fold == k
        band = widened(fit_band(predicted[rest], truth[rest], weight[rest]), factor)
        low, high = limits(band, predicted[test])
        inside[test] = (truth[test] >= low - 1e-9) & (truth[test] <= high + 1e-9)
    return inside


# ---- tables ------------------------------------------------------------------------------------------------------


def kinds_of(table: pd.DataFrame) -> list[str]:
    """Kinds of regions that a table has, in the order of `KINDS`."""
    return [kind for kind in KINDS if (table.kind == kind).any()]


def print_counts(table: pd.DataFrame) -> None:
    regions = table.drop_duplicates("region")
    pictures = ", ".join(f"{name} {n}" for name, n in table.groupby("set").picture.nunique().items())
    kinds = ", ".join(f"{kind} {(regions.kind == kind).sum()}" for kind in kinds_of(table))
    print(f"pictures: {pictures}; regions: {kinds}; rows: {len(table)}")


def print_seen(table: pd.DataFrame, predictions: Mapping[str, Numbers], best: Numbers) -> None:
    """Mean absolute error in points, by kind and by exposure; the last row is what few viewers alone cost."""
    columns = (*kinds_of(table), "AOI-like", "mean of kinds", "all regions", *(f"{t} s" for t in EXPOSURES_S))
    print(f"\n| percentage_seen, MAE in points | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for name, predicted in predictions.items():
        print_errors(table, name, np.abs(predicted - table.seen.to_numpy()))
    drawn = np.random.default_rng(0).binomial(table.viewers, np.clip(best, 0, 1)) / table.viewers
    print_errors(table, "only drawing so few viewers", np.abs(drawn - best).to_numpy())
    error = best - table.seen
    noise = (table.seen * (1 - table.seen) / (table.viewers - 1)).mean()
    rms = np.sqrt((error**2).mean())
    print(f"\nRMSE {100 * rms:.1f} points, of which sampling of viewers {100 * np.sqrt(noise):.1f},", end=" ")
    large = np.sqrt(rms**2 - noise)
    print(f"so against a large panel {100 * large:.1f}; bias {100 * error.mean():+.1f}")
    by_kind = ", ".join(f"{kind} {100 * error[table.kind == kind].mean():+.1f}" for kind in kinds_of(table))
    print(f"bias by kind: {by_kind}; by set:", end=" ")
    print(", ".join(f"{name} {100 * value:+.1f}" for name, value in error.groupby(table.set).mean().items()))
    print(f"MAE against a large panel, if errors keep their shape: {100 * np.abs(error).mean() * large / rms:.1f}")
    if (estimated := ~table.set.isin(MEASURED)).any():
        given, ours = np.abs(best - table.seen_given)[estimated].mean(), np.abs(error)[estimated].mean()
        print(f"OSIE and Crowd with onsets as filed: MAE {100 * given:.2f}; retimed: {100 * ours:.2f}")


def print_errors(table: pd.DataFrame, name: str, error: Numbers) -> None:
    kinds = kinds_of(table)
    by_kind = [error[(table.kind == kind).to_numpy()].mean() for kind in kinds]
    likes = [value for kind, value in zip(kinds, by_kind, strict=True) if kind in AOI_LIKE]
    by_time = [error[(table.exposure == t).to_numpy()].mean() for t in EXPOSURES_S]
    low, high = bootstrap(table, error)
    cells = [f"{100 * v:.1f}" for v in (*by_kind, np.mean(likes), np.mean(by_kind))]
    cells += [f"{100 * error.mean():.1f} [{100 * low:.1f}, {100 * high:.1f}]", *(f"{100 * v:.1f}" for v in by_time)]
    print(f"| {name} | {' | '.join(cells)} |")


def bootstrap(table: pd.DataFrame, values: Numbers) -> tuple[float, float]:
    """95 % interval of a mean over rows when pictures are drawn again."""
    grouped = pd.Series(values, table.index).groupby(table.picture)
    sums, counts = grouped.sum().to_numpy(), grouped.size().to_numpy()
    picks = np.random.default_rng(2).integers(len(sums), size=(RESAMPLES, len(sums)))
    low, high = np.quantile(sums[picks].sum(1) / counts[picks].sum(1), [0.025, 0.975])
    return float(low), float(high)


def print_halves(fit: Fit, pictures: Pictures, held: Numbers) -> None:
    """Print how well half of the viewers are predicted: by us, by the share of the others, by their density."""
    table = fit.table
    halves = []
    for i, (picture, regions) in enumerate(pictures):
        begin = sum(len(r) for _, r in pictures[:i])
        half = np.random.default_rng(begin).permutation(picture.viewers) < picture.viewers // 2
        halves.append((human_densities(picture, np.flatnonzero(half)), [box for _, box in regions]))
    density = Fit(table, Shares(halves))
    by_density = cross_validated_half(density)
    truth = table.seen_other.to_numpy()
    columns = (*kinds_of(table), "AOI-like", "mean of kinds", "all regions", *(f"{t} s" for t in EXPOSURES_S))
    print(f"\n| one half of the viewers, predicted by | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    print_errors(table, "the fitted model", np.abs(held - truth))
    print_errors(table, "the share of the other half that saw it", np.abs(table.seen_half.to_numpy() - truth))
    print_errors(table, "the formula on the other half's density", np.abs(by_density - truth))


def cross_validated_half(fit: Fit) -> Numbers:
    fold, predicted = folds(fit.table), np.empty(len(fit.table))
    for k in np.unique(fold):
        model = fit.fit(fit.table[fold != k], target="seen_other")
        predicted[fold == k] = fit.seen(model, fit.table[fold == k])
    return predicted


def print_calibration(table: pd.DataFrame, predicted: Numbers) -> None:
    """Tenths of the prediction, and bias by size of the region."""
    print("\n| tenth of predictions | predicted, % | truth, % [95 %] | text, face, object: predicted, truth |")
    print("|---|---|---|---|")
    tenth = pd.qcut(predicted, 10, labels=False)
    like = table.kind.isin(AOI_LIKE).to_numpy()
    for k in range(10):
        rows = tenth == k
        low, high = bootstrap(table[rows], table.seen[rows].to_numpy())
        means = [100 * x.mean() for x in (predicted[rows], table.seen[rows])]
        of_like = [100 * x.mean() for x in (predicted[rows & like], table.seen[rows & like])]
        print(f"| {k + 1} | {means[0]:.1f} | {means[1]:.1f} [{100 * low:.1f}, {100 * high:.1f}] |", end=" ")
        print(f"{of_like[0]:.1f}, {of_like[1]:.1f} |")
    print("\n| area of the region, % | predicted, % | truth, % | bias, points [95 %] | MAE |\n|---|---|---|---|---|")
    edges = [0, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 1]
    for left, right in pairwise(edges):
        rows = ((table.area > left) & (table.area <= right)).to_numpy()
        bias = predicted[rows] - table.seen[rows].to_numpy()
        low, high = bootstrap(table[rows], bias)
        print(f"| {100 * left:g} to {100 * right:g} | {100 * predicted[rows].mean():.1f} |", end=" ")
        print(f"{100 * table.seen[rows].mean():.1f} | {100 * bias.mean():+.1f}", end=" ")
        print(f"[{100 * low:+.1f}, {100 * high:+.1f}] | {100 * np.abs(bias).mean():.1f} |")


def print_end(table: pd.DataFrame, predicted: Numbers) -> None:
    """The last two of five seconds, in which another fixation must begin."""
    late = table[table.seen_end.notna()]
    error = 100 * (predicted[late.index] - late.seen_end)
    by_kind = ", ".join(
        f"{k} {error[late.kind == k].abs().mean():.1f} ({error[late.kind == k].mean():+.1f})" for k in kinds_of(late)
    )
    print(f"\nWindow end, exposures of five seconds: percentage_seen MAE {error.abs().mean():.1f} points,", end=" ")
    print(f"bias {error.mean():+.1f}, mean truth {100 * late.seen_end.mean():.1f} %, {len(late)} regions;", end=" ")
    print(f"by kind (bias): {by_kind}")


def print_refitted(fit: Fit, model: FixationHazardModel, seen: Numbers) -> None:
    """What constants fitted to this domain would bring, pictures left out of the fit: each alone, and all of them."""
    table, fold, now = fit.table, folds(fit.table), np.abs(seen - fit.table.seen.to_numpy())
    truth, weight = table.seen.to_numpy(), (table.weight * table.viewers).to_numpy()

    def refitted(name: str, rows: Numbers) -> FixationHazardModel:
        def loss(log: float) -> float:
            tried = replace(model, **{name: getattr(model, name) * float(np.exp(log))})
            p = np.clip(fit.seen(tried, table[rows]), 1e-6, 1 - 1e-6)
            return -float(np.sum(weight[rows] * (truth[rows] * np.log(p) + (1 - truth[rows]) * np.log(1 - p))))

        best = minimize_scalar(loss, bounds=(-0.7, 0.7), method="bounded", options={"xatol": 0.01}).x
        return replace(model, **{name: getattr(model, name) * float(np.exp(best))})

    print("\n| constant fitted to this domain | value | MAE | less than as it is [95 %] |\n|---|---|---|---|")
    for name in ("rate", "late_pace", "frailty", "sharpness", "center_bias_duration_s", "centre_sd", "all"):
        whole = fit.fit(table, model) if name == "all" else refitted(name, np.ones(len(table), bool))
        without = {
            k: fit.fit(table[fold != k], model) if name == "all" else refitted(name, fold != k) for k in np.unique(fold)
        }
        better = now - np.abs(left_out(without, fold, fit, fit.seen) - truth)
        low, high = bootstrap(table, better)
        value = "" if name == "all" else f"{getattr(whole, name):.3g}"
        print(f"| {name} | {value} | {100 * (now - better).mean():.2f} |", end=" ")
        print(f"{100 * better.mean():+.2f} [{100 * low:+.2f}, {100 * high:+.2f}] |")


def print_attention(fit: Fit) -> None:
    """Shares of attention over the full exposure against shares of the fixations."""
    rows = fit.table[fit.table.full]
    error = 100 * (fit.shares.raw[rows.region, 2] - rows.fixations.to_numpy())
    kinds = [(kind, (rows.kind == kind).to_numpy()) for kind in kinds_of(rows)]
    kinds.append(("all regions", np.ones(len(rows), bool)))
    print("\n| attention, points | regions | mean truth | MAE [95 %] | bias | r |\n|---|---|---|---|---|---|")
    for kind, rows_of_kind in kinds:
        low, high = bootstrap(rows[rows_of_kind], np.abs(error[rows_of_kind]))
        truth = 100 * rows.fixations.to_numpy()[rows_of_kind]
        r = np.corrcoef(truth + error[rows_of_kind], truth)[0, 1]
        print(
            f"| {kind} | {rows_of_kind.sum()} | {truth.mean():.1f} | {np.abs(error[rows_of_kind]).mean():.2f}", end=" "
        )
        print(f"[{low:.2f}, {high:.2f}] | {error[rows_of_kind].mean():+.2f} | {r:.2f} |")


def print_spent(table: pd.DataFrame, spent: Numbers) -> None:
    print("\n| time_spent | mean truth, s | MAE, s | bias, s | r | MAE of a constant, s |\n|---|---|---|---|---|---|")
    predicted, truth = spent * table.exposure.to_numpy(), table.gaze_s.to_numpy()
    groups = [(f"{t} s", (table.exposure == t).to_numpy()) for t in EXPOSURES_S]
    groups += [(kind, (table.kind == kind).to_numpy()) for kind in kinds_of(table)]
    for name, rows in groups:
        p, t = predicted[rows], truth[rows]
        flat = np.abs(t - np.median(t)).mean()
        print(f"| {name} | {t.mean():.3f} | {np.abs(p - t).mean():.3f} | {(p - t).mean():+.3f} |", end=" ")
        print(f"{np.corrcoef(p, t)[0, 1]:.2f} | {flat:.3f} |")


def print_first(table: pd.DataFrame, first: Numbers) -> None:
    timed = ~np.isnan(first)
    p, t = first[timed], table.first_s[timed].to_numpy()
    print(f"\nfirst_seen_s: {timed.sum()} regions with at least 4 viewers and {MIN_SHARE_SEEN:.0%} predicted;", end=" ")
    print(f"MAE {np.abs(p - t).mean():.2f} s, bias {(p - t).mean():+.2f} s, r {np.corrcoef(p, t)[0, 1]:.2f};", end=" ")
    print(f"a constant: {np.abs(t - np.median(t)).mean():.2f} s")


if __name__ == "__main__":
    main()
