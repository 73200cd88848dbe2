"""Validate norm sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import get_args

import numpy as np

from mediaan.aoi.scoring.specs import AOI_METRICS, PERCENTAGE_SEEN
from mediaan.judge.benchmark.norm import PERCENTS, MediumType, Norm
from mediaan.judge.benchmark.norm_set import LEAST_KEPT, MOST_KEYS, NormSet, segment_text
from mediaan.metrics.catalogue import metric_specs
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.densities import Window

_OF_MEDIA = {spec.name: spec for spec in metric_specs()}
_OF_AOIS = {spec.name: spec for spec in AOI_METRICS}
_COUNTED = PERCENTAGE_SEEN.name  # of which every area has a value
_SLACK = 1e-5  # of a range; quantiles are kept to 6 digits


def norm_set_problems(norm_set: NormSet) -> tuple[str, ...]:
    """Return what is wrong with a norm set, one sentence for each problem.

    Quantiles never fall and lie inside their metric's range, intervals lie around them, metrics and units are known,
    numbers of media agree with each other, every part has a norm of the whole benchmark, and the metadata is complete.
    """
    of_norms = (text for norm in norm_set.norms for text in _of_norm(norm))
    return (*_of_metadata(norm_set), *_of_keys(norm_set), *of_norms, *_of_areas(norm_set))


def _of_metadata(norm_set: NormSet) -> Iterator[str]:
    for name in ("name", "title", "population", "intervals"):
        if not getattr(norm_set, name).strip():
            yield f"it does not state its {name}"
    try:
        date.fromisoformat(norm_set.created)
    except ValueError:
        yield f"created is no date: {norm_set.created!r}"
    if norm_set.min_n < 1:
        yield f"min_n must be at least 1; found {norm_set.min_n}"
    if norm_set.comparability_key.scores_id is None:
        yield "it does not say which scores it holds (scores_id)"
    if len(norm_set.keys) > MOST_KEYS or len(set(norm_set.keys)) < len(norm_set.keys):
        yield f"its keys must be at most {MOST_KEYS} different ones; found {', '.join(norm_set.keys)}"
    for key, target in norm_set.targets.items():
        ends = [end for end in (target.lower, target.upper) if end is not None]
        if not ends or not np.isfinite(ends).all() or ends != sorted(ends):
            yield f"the target of {key} has the ends {target.lower} and {target.upper}"
    if not norm_set.norms:
        yield "it holds no norms"


def _of_keys(norm_set: NormSet) -> Iterator[str]:
    """Check norms against each other and against the numbers of media."""
    count = Counter((n.type, n.metric, n.metric_time, n.aoi_type, n.segment) for n in norm_set.norms)
    for norm in norm_set.norms:
        key = (norm.type, norm.metric, norm.metric_time, norm.aoi_type)
        if count[*key, norm.segment] > 1:
            yield f"{_name(norm)}: is there {count[*key, norm.segment]} times"
        if not count[*key, ()]:
            yield f"{_name(norm)}: the whole benchmark is missing"
        if not set(dict(norm.segment)) <= set(norm_set.keys):
            yield f"{_name(norm)}: the set is divided by {', '.join(norm_set.keys) or 'nothing'}"
        if norm.n_media > norm_set.sizes.get(norm.segment, 0):
            yield f"{_name(norm)}: {norm.n_media} media of {norm_set.sizes.get(norm.segment, 0)}"


def _of_areas(norm_set: NormSet) -> Iterator[str]:
    """Check areas against the norms that were made of them."""
    norms = {n.aoi_type: n for n in norm_set.norms if n.type == "image" and not n.segment and n.metric == _COUNTED}
    for aoi_type, areas in norm_set.areas.items():
        shares = np.array([[*row[:4], *row.periods] for row in areas.shares], np.float64)
        if not ((shares >= -_SLACK) & (shares <= 1 + _SLACK) | np.isnan(shares)).all():
            yield f"{aoi_type}: shares of attention of its areas lie outside 0 to 1"
        if any(len(values) != len(norm_set.keys) for values in areas.values):
            yield f"{aoi_type}: its areas do not say what the set is divided by"
        norm = norms.get(aoi_type)
        if norm is not None and (norm.n, norm.n_media) != (len(areas.shares), len(set(areas.media.tolist()))):
            yield f"{aoi_type}: holds {len(areas.shares)} areas, and its norms are of {norm.n}"


def _of_norm(norm: Norm) -> Iterator[str]:
    """Check a norm by itself."""
    spec = (_OF_AOIS if norm.aoi_type else _OF_MEDIA).get(norm.metric)
    if spec is None:
        yield f"{_name(norm)}: no metric of {'AOIs' if norm.aoi_type else 'media'} is called so"
    else:
        if norm.unit != spec.unit:
            yield f"{_name(norm)}: is in {norm.unit!r}; the metric is in {spec.unit!r}"
        slack = _SLACK * max(1.0, abs(spec.low), spec.high if np.isfinite(spec.high) else 1.0)
        if (norm.lo < spec.low - slack).any() or (norm.hi > spec.high + slack).any():
            yield f"{_name(norm)}: lies outside the metric's range, {spec.low:g} to {spec.high:g}"
    if norm.type not in get_args(MediumType) or norm.metric_time not in get_args(Window):
        yield f"{_name(norm)}: {norm.type} or {norm.metric_time} is unknown"
    if norm.aoi_type is not None and norm.aoi_type not in AOI_TYPES:
        yield f"{_name(norm)}: no AOI is of type {norm.aoi_type!r}"
    if norm.n_media < LEAST_KEPT or norm.n < norm.n_media or (norm.aoi_type is None and norm.n != norm.n_media):
        yield f"{_name(norm)}: {norm.n} values of {norm.n_media} media cannot be"
    for name, values in (("quantiles", norm.quantiles), ("lo", norm.lo), ("hi", norm.hi)):
        if values.shape != (len(PERCENTS),) or not np.isfinite(values).all():
            yield f"{_name(norm)}: {name} must be {len(PERCENTS)} numbers"
            return
        if (np.diff(values) < 0).any():
            yield f"{_name(norm)}: {name} fall after {PERCENTS[int(np.argmax(np.diff(values) < 0))]} %"
    if ((norm.lo > norm.quantiles) | (norm.quantiles > norm.hi)).any():
        yield f"{_name(norm)}: an interval does not lie around its quantile"


def _name(norm: Norm) -> str:
    of = f" of {norm.aoi_type}" if norm.aoi_type else ""
    return f"{norm.metric} ({norm.metric_time}){of}, {norm.type}s, {segment_text(norm.segment)}"
