"""Make mediaan/metrics/opinions.json again, and its scales: what people say of advertisements, from what is seen.

    python models/training/opinions.py --data ../shared/data [--cache FILE]

reads `rated_ads`, whose people said of each advertisement what applies to it, and pictures of `ads`, `complexity`,
`unlabelled/web` and `gaze`, that the features' covariance and the scales come from. Prints the figures of
docs/metrics.md. To be run again after `scales.py`, whenever the attention model or its heads change.

Each score is a ridge regression on features that are whitened by half: principal components of pictures that nobody
rated, each divided by the root of its standard deviation, so that fine differences count more than their size says and
less than the large ones. An opinion of ten people is noisy; others that go with it are added to what is learned, and
what is predicted is compared with the opinion alone.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from errors import errors_of, finished, halves_trials, spread_of
from population import MODELS, files_of, views
from scipy.stats import spearmanr

from mediaan.metrics.drivers import inside_text
from mediaan.metrics.features import luma
from mediaan.metrics.scales import Scales, Spread, built_in_scales, percentile, quantiles
from mediaan.metrics.scores.ratings import OPINION_DRIVER, RatingModel, opinion_features
from mediaan.saliency import list_cards
from mediaan.types.arrays import Bool, Float64, UInt8

METRICS = Path(__file__).parents[2] / "mediaan/metrics"

# The opinion that a score stands for, and what is learned for it: shares of people, each standardised, and weights.
SAID: dict[str, tuple[str, str]] = {
    "clarity": ("simple", "unclear"),
    "engagement": ("entertaining", "boring"),
    "design": ("good_design", "bad_design"),
}
RELATED: dict[str, dict[str, float]] = {
    "clarity": {"overall_rating": 0.5},
    "engagement": {"entertaining": 1.0},
    "design": {"overall_rating": 0.5, "clarity": 0.5},
}
RELIABILITY = {"clarity": 0.58, "engagement": 0.43, "design": 0.73}
"""Of the opinions: what two halves of the people have in common, corrected to all of them (Spearman-Brown)."""

BARS = {"clarity": 0.35, "engagement": 0.35, "design": 0.45}

# Weight of the ridge; the features of a picture have a mean square length of one per block.
RIDGE = {"clarity": 1.0, "engagement": 1.0, "design": 2.0}
RIDGES = (0.1, 0.3, 1.0, 3.0)
LIGHTNESS_SCALE = 2.0
"""Of the rank of `OPINION_DRIVER`, -.5 to .5, beside blocks of features: about .6 in the mean square."""

FOLDS, REPEATED, INNER = 10, 10, 5
ALIKE = 10
"""Bits of 63 in which the perceptual hashes of near-duplicates differ at most; they lie in the same fold."""


class Seen(NamedTuple):
    """What the scores need of one picture."""

    features: Float64
    lightness: float | None


@dataclass(frozen=True, slots=True)
class Block:
    """A group of features, brought to components whose mean square length is one over the pictures it was fitted to.

    Attributes
    ----------
    columns : slice
        Of `opinion_features`.
    centre : (f,) float64
    axes : (f, k) float64
        Whitened by half.
    """

    columns: slice
    centre: Float64
    axes: Float64

    def project(self, features: Float64) -> Float64:
        """Components of features (n, F), (n, k)."""
        return np.asarray((features[:, self.columns] - self.centre) @ self.axes, np.float64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="file that keeps what was seen in the pictures")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    rows = ratings(arguments.data)
    looks = look_at_all(arguments.data, [row["image"] for row in rows], arguments.cache)
    opinions = standardised(rows)
    rated = [picture(arguments.data, row["image"]) for row in rows]
    together = near_duplicates([*rated, *advertisements(arguments.data)])
    groups, others = together[: len(rows)], together[len(rows) :]
    strangers = [look for look, group in zip(looks["advertisements"], others, strict=True) if group not in groups]
    basis = [*looks["advertisements"], *looks["others"]]
    print(f"{len(rows)} advertisements, {len(np.unique(groups))} after near-duplicates; basis of {len(basis)}, "
          f"scale of these and {len(strangers)} others")  # fmt: skip
    scales = built_in_scales()
    blocks = fit_blocks(matrix(basis))
    parts = {name: block.project(matrix(looks["rated"])) for name, block in blocks.items()}
    parts[OPINION_DRIVER] = LIGHTNESS_SCALE * lightness_ranks(looks["rated"], scales)[:, None]
    report_groups(parts, opinions, groups)
    cross = {name: nested(name, parts, opinions, groups) for name in SAID}
    content = {name: fit(name, parts, blocks, opinions, strangers, scales) for name in SAID}
    intervals, knots = {}, {}
    for name, model in content.items():
        unseen = held_out(name, model, parts, opinions, groups, looks["rated"], scales)
        knots[name] = quantiles(np.concatenate([unseen, raw_of(model, strangers, scales)]))
        errors = errors_of(unseen, opinions[name], RELIABILITY[name])
        slope = errors.line()[1]
        trials = halves_trials(name, errors, knots[name], slope)
        spread = spread_of(errors, knots[name], slope)
        intervals[name] = finished(name, spread, trials, {name: errors}, knots[name])
        report_intervals(name, intervals[name], unseen, knots[name])
    write(content, cross, knots, intervals, rows)


def ratings(data: Path) -> list[dict[str, str]]:
    with (data / "rated_ads/ratings.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def picture(data: Path, name: str) -> Path:
    return data / "rated_ads/images" / f"{name}.jpg"


def advertisements(data: Path) -> list[Path]:
    """Advertisements that nobody rated, but for a few that are among the rated as well."""
    return [*files_of(data, "ads"), *files_of(data, "advertisement")]


def standardised(rows: Sequence[Mapping[str, str]]) -> dict[str, Float64]:
    """Shares of people who said something, the overall rating, and the opinion behind each score."""
    opinions = {key: np.array([float(row[key]) for row in rows]) for key in rows[0] if key not in ("image", "people")}
    opinions |= {name: opinions[more] - opinions[less] for name, (more, less) in SAID.items()}
    return {key: (values - values.mean()) / values.std() for key, values in opinions.items()}


def look_at_all(data: Path, names: Sequence[str], cache: Path | None) -> dict[str, list[Any]]:
    """What is seen in the rated pictures, in other advertisements, and in pictures beside these."""
    if cache is not None and cache.exists():
        kept: dict[str, list[Any]] = pickle.loads(cache.read_bytes())
        return kept
    others = [*files_of(data, "saleci")[::2], *files_of(data, "web")[::3]]
    pictures = {
        "rated": [look(views(picture(data, name))[0]) for name in names],
        "advertisements": [look(views(path)[0]) for path in advertisements(data)],
        "others": [look(views(path)[0]) for path in others],
    }
    if cache is not None:
        cache.write_bytes(pickle.dumps(pictures))
    return pictures


def look(rgb: UInt8) -> Seen:
    appearance = MODELS.appearance.read(rgb)
    return Seen(opinion_features(appearance), inside_text(luma(rgb), appearance))


def matrix(looks: Sequence[Seen]) -> Float64:
    return np.array([look.features for look in looks])


def lightness_ranks(looks: Sequence[Seen], scales: Scales) -> Float64:
    """Ranks in the reference population less that of the median picture; 0 without text."""
    return np.array(
        [0.0 if look.lightness is None else scales.rank(OPINION_DRIVER, look.lightness) - 0.5 for look in looks]
    )


def near_duplicates(paths: Sequence[Path]) -> np.ndarray:
    """Group of each picture, by the low frequencies of its cosine transform."""
    hashes = np.array([perceptual_hash(path) for path in paths])
    groups = np.arange(len(paths))
    for i, j in itertools.combinations(range(len(paths)), 2):
        if (hashes[i] != hashes[j]).sum() <= ALIKE:
            groups[groups == groups[j]] = groups[i]
    return groups


def perceptual_hash(path: Path) -> Bool:
    grey = cv2.resize(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE), (32, 32), interpolation=cv2.INTER_AREA)
    low = cv2.dct(grey.astype(np.float32))[:8, :8].ravel()[1:]
    return np.asarray(low > np.median(low), np.bool_)


def fit_blocks(features: Float64) -> dict[str, Block]:
    """Blocks of features: what the picture is like on the whole, what is strongest in it, and what its text is like."""
    third = features.shape[1] // 4  # channels: two quarters are means and deviations
    columns = {"means": slice(0, 2 * third), "peaks": slice(2 * third, 3 * third), "text": slice(3 * third, None)}
    return {name: fit_block(features, part) for name, part in columns.items()}


def fit_block(features: Float64, columns: slice) -> Block:
    rows = features[:, columns]
    centre, sd = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    _, singular, axes = np.linalg.svd((rows - centre) / sd, full_matrices=False)
    spread = singular / np.sqrt(len(rows))
    kept = spread > 1e-3 * spread[0]
    whitened = axes[kept].T / np.sqrt(spread[kept])
    return Block(columns, centre, whitened / sd[:, None] / np.sqrt(spread[kept].sum()))


def target(name: str, opinions: Mapping[str, Float64], share: float = 1.0) -> Float64:
    """What is learned for a score: its opinion, with a share of what goes with it."""
    return np.asarray(
        opinions[name] + share * sum(weight * opinions[other] for other, weight in RELATED[name].items()), np.float64
    )


def folds(groups: np.ndarray, number: int, seed: int) -> np.ndarray:
    """Fold of each picture; near-duplicates share one."""
    distinct = np.unique(groups)
    drawn = np.random.default_rng(seed).permutation(len(distinct)) % number
    return np.asarray(drawn[np.searchsorted(distinct, groups)])


def ridge(kernel: Float64, wanted: Float64, train: Bool, test: Bool, weight: float) -> Float64:
    """Predictions of a ridge regression with an intercept, from the products of all rows of features, (n, n)."""
    within, across = kernel[np.ix_(train, train)], kernel[np.ix_(test, train)]
    mean = within.mean(axis=0)
    centred = within - mean - mean[:, None] + mean.mean()
    dual = np.linalg.solve(centred + weight * np.eye(len(centred)), wanted[train] - wanted[train].mean())
    return np.asarray((across - mean) @ dual + wanted[train].mean(), np.float64)


def cross_validated(x: Float64, wanted: Float64, groups: np.ndarray, weight: float, repeats: int = REPEATED) -> Float64:
    """Predictions for pictures that the fit has not seen, (repeats, n)."""
    kernel, predictions = x @ x.T, np.zeros((repeats, len(x)))
    for seed in range(repeats):
        fold = folds(groups, FOLDS, seed)
        for k in range(FOLDS):
            predictions[seed, fold == k] = ridge(kernel, wanted, fold != k, fold == k, weight)
    return predictions


def correlation(predicted: Float64, ratings: Float64) -> float:
    """Spearman's, the mean over repeats."""
    return float(np.mean([spearmanr(row, ratings)[0] for row in np.atleast_2d(predicted)]))


def bootstrap(predicted: Float64, ratings: Float64) -> tuple[float, float]:
    """95 % interval of `correlation` over advertisements."""
    rng = np.random.default_rng(0)
    drawn = (rng.integers(0, len(ratings), len(ratings)) for _ in range(1000))
    low, high = np.quantile([correlation(predicted[:3, rows], ratings[rows]) for rows in drawn], [0.025, 0.975])
    return float(low), float(high)


def report_groups(parts: Mapping[str, Float64], opinions: Mapping[str, Float64], groups: np.ndarray) -> None:
    """Print what each group of features gives alone, and what is left without it."""
    print(f"Spearman's rho, {FOLDS}-fold cross-validated, mean of 4 repeats:")
    names = list(parts)
    sets = {"all": names} | {f"only {name}": [name] for name in names}
    sets |= {f"without {name}": [other for other in names if other != name] for name in names}
    for title, used in sets.items():
        x = np.concatenate([parts[part] for part in used], axis=1)
        scores = [
            correlation(cross_validated(x, target(name, opinions), groups, RIDGE[name], 4), opinions[name])
            for name in SAID
        ]
        print(f"  {title:24s}" + "".join(f"  {name} {rho:+.3f}" for name, rho in zip(SAID, scores, strict=True)))
    x = np.concatenate(list(parts.values()), axis=1)
    alone = [correlation(cross_validated(x, opinions[name], groups, RIDGE[name], 4), opinions[name]) for name in SAID]
    print("  all, without related    " + "".join(f"  {name} {rho:+.3f}" for name, rho in zip(SAID, alone, strict=True)))


def nested(
    name: str, parts: Mapping[str, Float64], opinions: Mapping[str, Float64], groups: np.ndarray
) -> dict[str, Any]:
    """Cross-validate the score as it ships, and with all that was chosen chosen again without the tested fold."""
    ratings = opinions[name]
    x = np.concatenate(list(parts.values()), axis=1)
    plain = cross_validated(x, target(name, opinions), groups, RIDGE[name])
    names = list(parts)
    subsets = [names, [name for name in names if name != "text"], [name for name in names if name != "peaks"]]
    subsets += [["means"], ["means", OPINION_DRIVER]]
    products = {part: values @ values.T for part, values in parts.items()}
    kernels = [np.sum([products[part] for part in used], axis=0) for used in subsets]
    choices = list(itertools.product(kernels, (0.0, 0.5, 1.0), RIDGES))
    predictions = np.zeros((REPEATED, len(ratings)))
    for seed in range(REPEATED):
        fold = folds(groups, FOLDS, seed)
        for k in range(FOLDS):
            rest = fold != k
            inner = np.full(len(ratings), -1)
            inner[rest] = folds(groups[rest], INNER, seed)
            kernel, share, weight = max(choices, key=lambda choice: _inner(choice, name, opinions, inner))
            predictions[seed, ~rest] = ridge(kernel, target(name, opinions, share), rest, ~rest, weight)
    figures = {
        "rho": round(correlation(plain, ratings), 3),
        "rho_95": [round(end, 3) for end in bootstrap(plain, ratings)],
        "rho_nested": round(correlation(predictions, ratings), 3),
        "rho_nested_95": [round(end, 3) for end in bootstrap(predictions, ratings)],
    }
    kernel = (x - x.mean(axis=0)) @ (x - x.mean(axis=0)).T
    ridged = kernel + RIDGE[name] * np.eye(len(x))
    figures["degrees_of_freedom"] = round(float(np.trace(np.linalg.solve(ridged, kernel))))
    print(f"{name} with {' - '.join(SAID[name])}: {figures}; bar {BARS[name]}; nested over {len(choices)} choices")
    return figures


def _inner(
    choice: tuple[Float64, float, float], name: str, opinions: Mapping[str, Float64], inner: np.ndarray
) -> float:
    """Cross-validate a choice in the pictures that have a fold, which is at least 0."""
    kernel, share, weight = choice
    rest, wanted, predicted = inner >= 0, target(name, opinions, share), np.zeros(len(inner))
    for k in range(INNER):
        predicted[inner == k] = ridge(kernel, wanted, rest & (inner != k), inner == k, weight)
    return correlation(predicted[rest], opinions[name][rest])


def fit(
    name: str,
    parts: Mapping[str, Float64],
    blocks: Mapping[str, Block],
    opinions: Mapping[str, Float64],
    people: Sequence[Seen],
    scales: Scales,
) -> RatingModel:
    """Fit a score to all advertisements, as weights of the features themselves."""
    x = np.concatenate(list(parts.values()), axis=1)
    centred = x - x.mean(axis=0)
    wanted = target(name, opinions)
    weights = centred.T @ np.linalg.solve(centred @ centred.T + RIDGE[name] * np.eye(len(x)), wanted - wanted.mean())
    ends = np.cumsum([part.shape[1] for part in parts.values()])
    by_part = dict(zip(parts, np.split(weights, ends[:-1]), strict=True))
    features = np.concatenate([block.axes @ by_part[key] for key, block in blocks.items()])
    features = np.array([float(f"{weight:.5g}") for weight in features])
    model = RatingModel(
        list_cards()["attention"].sha256,
        {OPINION_DRIVER: round(float(LIGHTNESS_SCALE * by_part[OPINION_DRIVER][0]), 4)},
        features,
        0.0,
    )
    return replace(model, offset=round(float(np.median(matrix(people) @ features)), 4))


def raw_of(model: RatingModel, looks: Sequence[Seen], scales: Scales) -> Float64:
    """What the score is the percentile of."""
    measured = model.drivers[OPINION_DRIVER] * lightness_ranks(looks, scales)
    return np.asarray(matrix(looks) @ model.features - model.offset + measured, np.float64)


def held_out(
    name: str,
    model: RatingModel,
    parts: Mapping[str, Float64],
    opinions: Mapping[str, Float64],
    groups: np.ndarray,
    rated: Sequence[Seen],
    scales: Scales,
) -> Float64:
    """What the rated advertisements have as strangers: of one cross-validation, on the scale of the model."""
    x = np.concatenate(list(parts.values()), axis=1)
    predicted = cross_validated(x, target(name, opinions), groups, RIDGE[name], 1)[0]
    return np.asarray(predicted - predicted.mean() + raw_of(model, rated, scales).mean(), np.float64)


def report_intervals(name: str, spread: Spread, unseen: Float64, knots: tuple[float, ...]) -> None:
    """Print where the rated advertisements lie, and how wide their intervals are."""
    scores = [percentile(value, knots) for value in unseen]
    low, middle, high = np.quantile(scores, [0.1, 0.5, 0.9])
    width = np.mean([np.subtract(*spread.bounds(score)[::-1]) for score in scores])
    print(f"{name}: the rated advertisements lie at {low:.0f}, {middle:.0f}, {high:.0f} (10, 50, 90 %), "
          f"intervals are {width:.1f} wide on average")  # fmt: skip


def write(
    content: Mapping[str, RatingModel],
    cross: Mapping[str, Mapping[str, Any]],
    knots: Mapping[str, tuple[float, ...]],
    intervals: Mapping[str, Spread],
    rows: Sequence[Mapping[str, str]],
) -> None:
    stored = {
        "provenance": {
            "command": "python models/training/opinions.py --data DATA",
            "date": date.today().isoformat(),
            "model_sha256": list_cards()["attention"].sha256,
            "data": f"rated_ads: {len(rows)} advertisements, 10 to 12 people each",
            "cross_validated": cross,
        },
        "scores": {
            name: {"driver": model.drivers[OPINION_DRIVER], "offset": model.offset, "features": model.features.tolist()}
            for name, model in content.items()
        },
    }
    path = METRICS / "opinions.json"
    path.write_text(json.dumps(stored) + "\n", encoding="utf-8")
    path = METRICS / "scales.json"
    scales = json.loads(path.read_text(encoding="utf-8"))
    scales["scores"] |= knots
    scales["uncertainty"] |= {name: asdict(spread) for name, spread in intervals.items()}
    path.write_text(json.dumps(scales, indent=1) + "\n", encoding="utf-8")
    print("wrote opinions.json and scales.json")


if __name__ == "__main__":
    main()
