"""Find which measures of ads go with their results."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import NormalDist

import numpy as np

from mediaan.errors import UsageError
from mediaan.studies.results.measures import JoinedResults, Measure, join_results, measure_ads
from mediaan.studies.results.statistics import (
    FALSE_DISCOVERIES,
    LEAST_FOR_TARGETS,
    SEED,
    Association,
    LeftOut,
    Results,
    benjamini_hochberg,
    choose_folds,
    correlations,
    find_target,
    prediction,
)
from mediaan.studies.statistics import holm
from mediaan.types.arguments import check_items
from mediaan.types.arrays import Float64, Int64

LEAST_ADS = 10

_COSTS = ("cpa", "cpc", "cpl", "cpm", "cpv", "cost", "bounce")
"""Words in names of KPIs of which less is better."""

_POWER = 0.8


@dataclass(frozen=True)
class _Kpi:
    """The ads that have one KPI, with what they are held against."""

    name: str
    chosen: Int64
    """(n,) int64. Their places among the joined ads."""
    result: Float64
    """Higher is better."""
    weights: Float64
    groups: Int64
    labels: Sequence[str] | None

    @cached_property
    def rng(self) -> np.random.Generator:
        """Of its shufflings and resamples, the same whenever it is asked."""
        return np.random.default_rng(SEED)


def results(
    run: str | Path,
    table: str | Path,
    kpi: str | Sequence[str],
    *,
    lower_is_better: str | Sequence[str] = (),
    weight: str | None = None,
    group: str | None = None,
) -> Results:
    """Find which measures of ads go with their results.

    Parameters
    ----------
    run : path
        Run directory.
    table : path
        CSV with one row for each ad: a column that names it (file name, path or medium id), and its results.
    kpi : str or sequence of str
        Columns of numbers, such as ``ctr``. Targets are those of the first.
    lower_is_better : str or sequence of str
        Those of which less is better, such as ``cpa``.
    weight : str, optional
        Column of what each ad counts for, such as ``impressions``.
    group : str, optional
        Column, folder such as ``folder1``, or setting of objectives such as ``platform``: ads are held against ads of
        the same campaign or platform alone, and whole groups are left out to test the prediction.

    Returns
    -------
    Results
        Rank correlations of each measure with each KPI (Spearman 1904, with 90 % bootstrap intervals), of which 10 %
        of those that are claimed are expected to be false (Benjamini & Hochberg 1995), and whether all measures
        together predict results that were left out.

    Raises
    ------
    UsageError
        No run, a table that cannot be read or joined, a KPI that does not vary, or fewer than 10 ads with it.

    Examples
    --------
    >>> import mediaan as mn
    >>> found = mn.results("run", "results.csv", "ctr", weight="impressions")  # doctest: +SKIP
    >>> found.left_out[0].predicts, [claim.measure for claim in found.claims]  # doctest: +SKIP
    """
    kpis = tuple(dict.fromkeys([kpi] if isinstance(kpi, str) else check_items(kpi, str, "kpi")))
    names = [lower_is_better] if isinstance(lower_is_better, str) else lower_is_better
    lower = tuple(dict.fromkeys(check_items(names, str, "lower_is_better")))
    if not kpis:
        raise UsageError("name at least one column of results (--kpi)", code="bad_option")
    if strange := [name for name in lower if name not in kpis]:
        raise UsageError(f"--lower-is-better {strange[0]}: it is none of {', '.join(kpis)} (--kpi)", code="bad_option")
    joined = join_results(run, table, kpis, weight, group)
    return _study(joined, str(run), str(table), kpis, lower, weight, group)


def _study(
    joined: JoinedResults,
    run: str,
    table: str,
    kpis: tuple[str, ...],
    lower: tuple[str, ...],
    weight: str | None,
    group: str | None,
) -> Results:
    """Try all measures against each KPI, and hold what comes of it."""
    weights = _weights(joined, weight)
    asked = [_kpi(joined, name, weights, lower=name in lower) for name in kpis]
    measures = measure_ads(joined)
    associations: list[Association] = []
    left_out: list[LeftOut] = []
    untried: dict[str, str] = {}
    for each in asked:
        of_ads = [replace(measure, values=measure.values[each.chosen]) for measure in measures]
        tried = [measure for measure in of_ads if not measure.too_little]
        untried |= {measure.name: measure.too_little for measure in of_ads if measure.too_little}
        if not tried:
            raise UsageError(
                f"{joined.run.path}: none of its measures differs between the ads with a {each.name}", code="no_scores"
            )
        associations += _associations(each, tried)
        left_out.append(_left_out(each, tried))
    rates = benjamini_hochberg([association.p for association in associations])
    associations = [replace(association, q=q) for association, q in zip(associations, rates, strict=True)]
    associations.sort(key=lambda each: (kpis.index(each.kpi), each.p, -abs(each.value)))
    corrected = holm([each.p for each in left_out])
    return Results(
        run=run,
        table=table,
        kpis=kpis,
        lower_is_better=lower,
        weight=weight,
        group=group,
        groups=dict(Counter(ad.group for ad in joined.ads if ad.group is not None).most_common()),
        n=len(joined.ads),
        left_out=tuple(replace(each, p=p) for each, p in zip(left_out, corrected, strict=True)),
        associations=tuple(_with_targets(associations, asked[0], measures)),
        untried=tuple(untried.items()),
        rows_without_ad=joined.rows_without_ad,
        ads_without_row=joined.ads_without_row,
        notes=tuple(_notes(joined, asked, weights, lower, len(associations))),
    )


def _weights(joined: JoinedResults, weight: str | None) -> Float64:
    """Return what each ad counts for, 0 where that is not known."""
    if weight is None:
        return np.ones(len(joined.ads))
    weights = joined.numbers[weight]
    if (weights < 0).any():
        ad = joined.ads[int(np.argmin(np.where(np.isfinite(weights), weights, 0)))]
        raise UsageError(f"{joined.table}: the {weight} of {ad.name!r} is below 0", code="results_invalid")
    if not np.nansum(weights) > 0:
        raise UsageError(f"{joined.table}: no ad has a {weight} above 0", code="results_invalid")
    return np.nan_to_num(weights)


def _kpi(joined: JoinedResults, name: str, weights: Float64, *, lower: bool) -> _Kpi:
    values = joined.numbers[name]
    chosen = np.flatnonzero(np.isfinite(values) & (weights > 0))
    if len(chosen) < LEAST_ADS:
        raise UsageError(
            f"{joined.table}: {len(chosen)} ads of the run have a {name}; fewer than {LEAST_ADS} show nothing, and "
            "what is worth knowing takes about 100 (docs/howto/results.md)",
            code="too_few_ads",
        )
    if np.ptp(values[chosen]) == 0:
        raise UsageError(
            f"{joined.table}: {name} is {values[chosen[0]]:g} for all {len(chosen)} ads: nothing can go with it",
            code="results_invalid",
        )
    kinds = joined.run.media.drop_duplicates("medium_id").set_index("medium_id")["type"]
    strata = [f"{kinds[ad.medium_id]}\n{ad.group or ''}" for ad in joined.ads]
    labels = [str(joined.ads[place].group) for place in chosen] if joined.ads[0].group is not None else None
    return _Kpi(
        name,
        chosen,
        -values[chosen] if lower else values[chosen],
        weights[chosen] / weights[chosen].mean(),
        np.asarray(np.unique(np.array(strata)[chosen], return_inverse=True)[1], np.int64),
        labels,
    )


def _associations(kpi: _Kpi, tried: Sequence[Measure]) -> Iterator[Association]:
    values = np.stack([measure.values for measure in tried], axis=1)
    of_values = correlations(values, kpi.result, kpi.groups, kpi.weights, kpi.rng)
    for measure, correlation in zip(tried, of_values, strict=True):
        yield Association(
            correlation.value,
            correlation.lo,
            correlation.hi,
            kpi=kpi.name,
            measure=measure.name,
            title=measure.title,
            unit=measure.expression.spec.unit,
            n=int(np.isfinite(measure.values).sum()),
            p=correlation.p,
            q=1.0,
        )


def _left_out(kpi: _Kpi, tried: Sequence[Measure]) -> LeftOut:
    values = np.stack([measure.values for measure in tried], axis=1)
    folds = choose_folds(kpi.labels, len(kpi.chosen), kpi.rng)
    predicted = prediction(values, kpi.result, kpi.groups, kpi.weights, folds, kpi.rng)
    by_group = kpi.labels is not None and len(set(kpi.labels)) > 1
    words = f"{'whole groups' if by_group else 'ads at random'}, in {len(set(folds.tolist()))} parts"
    return LeftOut(
        predicted.value, predicted.lo, predicted.hi, kpi=kpi.name, n=len(kpi.chosen), p=predicted.p, folds=words
    )


def _with_targets(associations: Sequence[Association], kpi: _Kpi, measures: Sequence[Measure]) -> Iterator[Association]:
    """Add targets to the claims about the first KPI, where there are ads enough."""
    by_name = {measure.name: measure for measure in measures}
    for each in associations:
        if each.claimed and each.kpi == kpi.name and len(kpi.chosen) >= LEAST_FOR_TARGETS:
            values = by_name[each.measure].values[kpi.chosen]
            ads = kpi.result, kpi.groups, kpi.weights
            yield replace(each, target=find_target(values, *ads, minimum=each.value > 0, rng=kpi.rng))
        else:
            yield each


def smallest_found(n: int, tried: int) -> float:
    """Return the correlation that is found in eight of ten cases, where it is the only one among many measures.

    By Fisher's z, 1.06 / (n - 3) being the variance of a rank correlation (Fieller, Hartley & Pearson 1957).

    >>> round(smallest_found(100, 60), 2), round(smallest_found(400, 60), 2)
    (0.39, 0.2)
    """
    normal = NormalDist()
    reach = normal.inv_cdf(1 - FALSE_DISCOVERIES / 2 / tried) + normal.inv_cdf(_POWER)
    return math.tanh(reach * math.sqrt(1.06 / max(1, n - 3)))


def _notes(
    joined: JoinedResults, asked: Sequence[_Kpi], weights: Float64, lower: Sequence[str], tried: int
) -> Iterator[str]:
    """Say what to bear in mind."""
    fewest = min(len(kpi.chosen) for kpi in asked)
    yield (
        f"With {fewest} ads and {tried} measures, a correlation of {smallest_found(fewest, tried):.2f} is found in "
        "eight of ten cases. Smaller ones may be there, too."
    )
    for kpi in asked:
        if kpi.name not in lower and any(word in kpi.name.lower() for word in _COSTS):
            yield f"Higher {kpi.name} counts as better; if less is better, add --lower-is-better {kpi.name}."
        lone = int((np.bincount(kpi.groups)[kpi.groups] == 1).sum())
        if lone:
            yield f"{lone} ads with a {kpi.name} are the only one of their group and show nothing."
        if len(kpi.chosen) < len(joined.ads):
            missing = len(joined.ads) - len(kpi.chosen)
            yield f"{missing} ads have no {kpi.name}, or a weight of 0, and are left out of it."
        effective = kpi.weights.sum() ** 2 / (kpi.weights**2).sum()
        if effective < len(kpi.chosen) / 3:
            yield f"A few ads have most of the weight: it is as if there were {effective:.0f} ads with a {kpi.name}."
    if len(asked) > 1:
        yield f"Targets are those of {asked[0].name}, the first."
    if len(asked[0].chosen) < LEAST_FOR_TARGETS:
        yield f"No targets: they need {LEAST_FOR_TARGETS} ads."
    media = joined.run.media
    if media[media["medium_id"].isin([ad.medium_id for ad in joined.ads])]["type"].nunique() > 1:
        yield "Images are held against images alone, and videos against videos."
