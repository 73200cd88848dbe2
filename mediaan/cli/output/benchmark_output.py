"""Write a norm set as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mediaan.benchmark.file import provenance_facts
from mediaan.benchmark.norm import PERCENTS, Norm
from mediaan.benchmark.norm_set import NormMatch, NormSet
from mediaan.benchmark.page import AOI_SCORES_SHOWN, format_edge
from mediaan.cli.output.table import table_lines
from mediaan.errors import UsageError, did_you_mean
from mediaan.types.glossary import media_count

_MARKS = ((10, "."), (30, "-"), (70, "="), (90, "-"), (99, "."))  # up to the percentile, of the five categories
_CELLS = 40
_STRIPS = (
    "Strips, from 0 to 100 (other units: to the 99th percentile): . extreme low, - low, = medium, - high, "
    ". extreme high, | the median."
)


def shown_norms(
    norm_set: NormSet, metric: str | None, values: Mapping[str, str], min_n: int | None = None
) -> tuple[NormMatch, ...]:
    """Return the norms of one metric, or of the main ones, from the parts for a medium that are large enough.

    Raises
    ------
    UsageError
        The set is not divided by such a key, holds no medium of such a value, or has no such metric.
    """
    for key, value in values.items():
        if key not in norm_set.keys:
            keys = ", ".join(norm_set.keys) or "nothing"
            raise UsageError(f"--segment: {norm_set.name} is divided by {keys}, not by {key}", code="unknown_key")
        there = [segment[0][1] for segment in norm_set.sizes if len(segment) == 1 and segment[0][0] == key]
        if value.partition("/")[0] not in there:
            guess = did_you_mean(value, there) or f"; choose from {', '.join(there)}"
            raise UsageError(f"--segment: {norm_set.name} has no {key} {value!r}{guess}", code="unknown_segment")
    metrics = list(dict.fromkeys(norm.metric for norm in norm_set.norms))
    if metric is not None and metric not in metrics:
        guess = did_you_mean(metric, metrics) or f"; choose from {', '.join(metrics)}"
        raise UsageError(f"--metric: {norm_set.name} has no {metric!r}{guess}", code="unknown_metric")
    found = []
    for norm in norm_set.norms:
        if metric is None:
            main = norm.aoi_type is None or (norm.metric in AOI_SCORES_SHOWN[:2] and norm.metric_time == "total")
        else:
            main = norm.metric == metric
        if main and not norm.segment:
            found.append(norm_set.find(norm.type, norm.metric, norm.metric_time, norm.aoi_type, values, min_n))
    return tuple(match for match in found if isinstance(match, NormMatch))


def norms_to_dict(norm_set: NormSet, shown: Sequence[NormMatch]) -> dict[str, Any]:
    """Return content for JSON: provenance, and every norm with its quantiles."""
    norms = []
    for match in shown:
        norm = match.norm
        plain = ("type", "metric", "metric_time", "aoi_type", "unit", "n", "n_media")
        facts = {name: getattr(norm, name) for name in plain}
        facts |= {"segment": match.segment, "fallback": match.fallback}
        facts |= {name: list(getattr(norm, name)) for name in ("edges", "edges_lo", "edges_hi")}
        facts |= {name: getattr(norm, name).tolist() for name in ("quantiles", "lo", "hi")}
        norms.append(facts)
    return {**provenance_facts(norm_set), "norms": norms}


def norms_as_text(norm_set: NormSet, shown: Sequence[NormMatch]) -> str:
    """Describe the set, then write a line for each norm: edges with their intervals, and a strip of the categories."""
    lines = [f"{norm_set.title} ({norm_set.name}), {norm_set.created}", norm_set.population, ""]
    rows = [["", "part", "n", "P10", "P30", "P70", "P90", ""]]
    for match in shown:
        norm = match.norm
        kind = "" if norm.type == "image" else f", {norm.type}s"
        unit = "" if norm.unit == "score" else f", {norm.unit}"
        area = f"{norm.aoi_type} " if norm.aoi_type else ""
        n = str(norm.n) if norm.n == norm.n_media else f"{norm.n} in {norm.n_media}"
        edges = zip(norm.edges, norm.edges_lo, norm.edges_hi, strict=True)
        ranges = [f"{format_edge(edge)} [{format_edge(lo)}-{format_edge(hi)}]" for edge, lo, hi in edges]
        name = f"{area}{norm.metric} ({norm.metric_time}{kind}{unit})"
        rows.append([name, match.segment, n, *ranges, strip(norm)])
    lines += table_lines(rows, left=range(len(rows[0])))
    reasons = list(dict.fromkeys(match.fallback for match in shown if match.fallback))
    lines += ["", *reasons] if reasons else []
    lines += [f"not compared: {metric}, because {why}" for metric, why in norm_set.without.items()]
    if norm_set.uncompared_areas:
        lines += [f"not compared: areas that too few files have: {', '.join(norm_set.uncompared_areas)}"]
    lines += ["", f"Edges in brackets: {norm_set.intervals}.", _STRIPS]
    return "\n".join(lines)


def strip(norm: Norm) -> str:
    """Draw where the five categories lie between 0 and the 99th percentile, or 100 for scores and shares.

    Examples
    --------
    >>> at = np.linspace(1, 99, 99)
    >>> strip(Norm("image", "focus", "total", None, "score", (), 500, 500, at, at, at))
    '|....--------========|=======--------....|'
    """
    top = 100.0 if norm.unit in ("score", "%") else float(norm.quantiles[-1]) or 1.0
    cells = []
    for place in range(_CELLS):
        value = (place + 0.5) * top / _CELLS
        share = float(np.interp(value, norm.quantiles, PERCENTS))
        inside = norm.quantiles[0] <= value <= norm.quantiles[-1]
        cells.append(next(mark for edge, mark in _MARKS if share <= edge) if inside else " ")
    middle = min(_CELLS - 1, int(norm.value_at(50) / top * _CELLS))
    return f"|{''.join(cells[:middle])}|{''.join(cells[middle + 1 :])}|"


def benchmark_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """Say what a run was compared with, and what could not be, from what `run.json` says of it.

    Examples
    --------
    >>> used = {"name": "ads", "title": "Print ads", "n": 198, "media": 12}
    >>> list(benchmark_lines({"norm_sets": [used], "refused": []}))
    ['12 files compared with Print ads (benchmark ads, 198 files)']
    """
    for one in facts["norm_sets"]:
        yield f"{media_count(one['media'])} compared with {one['title']} (benchmark {one['name']}, {one['n']} files)"
    for one in facts.get("rescored", ()):
        seen = f"for an exposure of {one['exposure_s']:g} s"
        yield f"areas of {media_count(one['media'])} compared with those of {one['norm_set']} {seen}"
    for one in facts["refused"]:
        what = "areas of " if one["what"] == "aois" else ""
        yield f"{what}{media_count(one['media'])} not compared with {one['norm_set']}: {one['reason']}"
