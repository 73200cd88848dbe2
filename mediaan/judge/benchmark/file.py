"""Norm sets in files: one Parquet table, with what is known of the set in its metadata, and a page for people."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mediaan.aoi.scoring.aoi_scores import AttentionShares
from mediaan.aoi.scoring.specs import AOI_METRICS, PERCENTAGE_SEEN
from mediaan.errors import UsageError
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.judge.benchmark.norm import PERCENTS, MediumType, Norm
from mediaan.judge.benchmark.norm_set import (
    LEAST_KEPT,
    LEAST_N,
    MOST_KEYS,
    NormAreas,
    NormSet,
    Provenance,
    segment_text,
)
from mediaan.judge.benchmark.targets import MeasuredTarget
from mediaan.metrics.catalogue import metric_specs
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.densities import Window
from mediaan.types.eye_tracking import Pace

_METADATA = b"mediaan_norm_set"

FORMAT = 2
"""Version of the file's layout. 1, of mediaan 0.9 and before, has no column `areas`."""

_PERCENT_LIST, _WORDS = pa.list_(pa.float32(), len(PERCENTS)), pa.list_(pa.string())


def _field(name: str, kind: pa.DataType, caption: str, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"caption": caption})


_HOLDS_AREAS = ("image", PERCENTAGE_SEEN.name, "total", ())

_SHARES = ("area", "total", "start", "end", "period_1", "period_2", "period_3", "period_4")

_AREA = pa.struct(
    [
        pa.field("medium", pa.int64(), nullable=False),
        pa.field("values", pa.list_(pa.string()), nullable=False),
        *(pa.field(name, pa.float64(), nullable=name in ("total", "start", "end")) for name in _SHARES),
    ]
)

NORMS = pa.schema(
    [
        _field("type", pa.string(), "Of the media: image, video or mixed"),
        _field("metric", pa.string(), "Name of the metric"),
        _field("metric_time", pa.string(), "total, start (first 2 s) or end (last 2 s)"),
        _field("aoi_type", pa.string(), "Type of the AOIs; null for scores of the media", nullable=True),
        _field("unit", pa.string(), "Unit of quantiles, lo and hi"),
        _field("segment", pa.string(), "Part of the benchmark, such as industry=food; all: the whole"),
        _field("segment_keys", _WORDS, "Keys of the segment; empty for the whole"),
        _field("segment_values", _WORDS, "Their values"),
        _field("n", pa.int64(), "Values: media, or AOIs"),
        _field("n_media", pa.int64(), "Media that they are of"),
        _field("quantiles", _PERCENT_LIST, "At 1, 2, ... 99 %, in the unit; 10, 30, 70 and 90 % are the edges"),
        _field("lo", _PERCENT_LIST, "Lower ends of their 90 % bootstrap intervals, in the unit"),
        _field("hi", _PERCENT_LIST, "Upper ends of their 90 % bootstrap intervals, in the unit"),
        _field(
            "areas",
            pa.list_(_AREA),
            "In one row of each type: the shares of AOIs of images",
            nullable=True,
        ),
    ],
    metadata={"caption": "A norm set: one row per type of medium, metric, time, type of AOI and segment."},
)


def norm_set_file(norm_set: NormSet) -> bytes:
    """Write a norm set as the contents of a Parquet file."""
    metadata = {**NORMS.metadata, _METADATA: json.dumps(provenance_facts(norm_set), ensure_ascii=False).encode()}
    rows = [_row(norm) | {"areas": _area_rows(norm_set, norm)} for norm in norm_set.norms]
    table = pa.Table.from_pylist(rows, schema=NORMS.with_metadata(metadata))
    sink = pa.BufferOutputStream()
    # numbers of one magnitude share their first bytes, which lie together then
    streams = [f"{name}.list.element" for name in ("quantiles", "lo", "hi")]
    streams += [f"areas.list.element.{name}" for name in _SHARES]
    words = [name for name in NORMS.names if name not in ("n", "n_media", "quantiles", "lo", "hi", "areas")]
    words += ["areas.list.element.medium", "areas.list.element.values.list.element"]
    pq.write_table(
        table,
        sink,
        compression="zstd",
        compression_level=19,
        use_dictionary=words,
        use_byte_stream_split=streams,
        write_page_checksum=True,
    )
    return bytes(sink.getvalue().to_pybytes())


def read_norm_set(path: Path) -> NormSet:
    """Read a norm set.

    Raises UsageError: there is no file, it is no norm set, or it does not hold together (code norms_invalid).
    """
    norm_set = parse_norm_set(path)
    problems = norm_set_problems(norm_set)
    if problems:
        more = f", and {len(problems) - 1} more; mediaan benchmark validate lists them" if len(problems) > 1 else ""
        raise _refusal(path, f"does not hold together: {problems[0]}{more}")
    return norm_set


def parse_norm_set(path: Path) -> NormSet:
    """Read a norm set without asking whether its numbers hold together; errors as of `read_norm_set`."""
    about = read_provenance(path)
    try:
        table = pq.read_table(path, page_checksum_verification=True)
        if "areas" not in table.schema.names:  # format 1
            table = table.append_column(NORMS.field("areas"), pa.nulls(len(table), NORMS.field("areas").type))
        missing = [name for name in NORMS.names if name not in table.schema.names]
        if missing:
            raise _refusal(path, f"is no norm set: it has no column {missing[0]!r}")
        table = table.select(NORMS.names).cast(NORMS)
        return NormSet.of(about, _norms(table.drop_columns("areas")), _areas(table))
    except (OSError, pa.ArrowException, ValueError, TypeError) as error:
        raise _refusal(path, f"is damaged: {error}") from error


def read_provenance(path: Path) -> Provenance:
    """Read what a norm set is made of, without its numbers; errors as of `read_norm_set`."""
    if not path.is_file():
        what = "there is no such file; if the norm set was moved, say where it is now"
        raise _refusal(path, f"{what} (of a finished run: mediaan benchmark apply RUN --benchmark FILE)")
    try:
        metadata = pq.read_schema(path).metadata or {}
        types = sorted(set(pq.read_table(path, columns=["type"])["type"].to_pylist())) if _METADATA in metadata else []
    except (OSError, pa.ArrowException, ValueError) as error:
        raise _refusal(path, f"is no Parquet file: {error}") from error
    if _METADATA not in metadata:
        raise _refusal(path, "is no norm set; mediaan benchmark build makes one")
    try:
        return replace(_provenance(json.loads(metadata[_METADATA]), path), types=tuple(types))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise _refusal(path, f"is damaged: its metadata cannot be read ({error!r})") from error


def _refusal(path: Path, what: str) -> UsageError:
    return UsageError(f"{path}: {what}", code="norms_invalid")


def _row(norm: Norm) -> dict[str, Any]:
    names = ("type", "metric", "metric_time", "aoi_type", "unit", "n", "n_media", "quantiles", "lo", "hi")
    return {name: getattr(norm, name) for name in names} | {
        "segment": segment_text(norm.segment),
        "segment_keys": [key for key, _ in norm.segment],
        "segment_values": [value for _, value in norm.segment],
    }


def _area_rows(norm_set: NormSet, norm: Norm) -> list[dict[str, Any]] | None:
    """Return the areas of a type, which stand in one row alone: one that is there for every type that has a norm."""
    kind = (norm.type, norm.metric, norm.metric_time, norm.segment)
    areas = norm_set.areas.get(norm.aoi_type or "")
    if areas is None or kind != _HOLDS_AREAS:
        return None
    return [
        {"medium": medium, "values": list(values), **dict(zip(_SHARES, (*shares[:4], *shares.periods), strict=True))}
        for medium, values, shares in zip(areas.media.tolist(), areas.values, areas.shares, strict=True)
    ]


def _areas(table: pa.Table) -> dict[str, NormAreas]:
    rows = table.filter(pc.is_valid(table["areas"])).select(["aoi_type", "areas"]).to_pylist()
    return {
        row["aoi_type"]: NormAreas(
            np.array([area["medium"] for area in row["areas"]], np.int64),
            tuple(tuple(area["values"]) for area in row["areas"]),
            tuple(
                AttentionShares(
                    **{name: area[name] for name in _SHARES[:4]}, periods=tuple(area[name] for name in _SHARES[4:])
                )
                for area in row["areas"]
            ),
        )
        for row in rows
    }


def _norms(table: pa.Table) -> Iterable[Norm]:
    """Turn rows into norms; lists are taken as one array each, which is ten times as fast."""
    lists = {}
    for name in ("quantiles", "lo", "hi"):
        column = table.column(name)
        if column.null_count:
            raise ValueError("a list of quantiles is missing")
        flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
        lists[name] = np.asarray(flat, np.float64).reshape(-1, len(PERCENTS))
    plain = table.drop_columns(["segment", *lists]).to_pylist()
    for i, row in enumerate(plain):
        segment = tuple(zip(row.pop("segment_keys"), row.pop("segment_values"), strict=True))
        yield Norm(**row, segment=segment, **{name: square[i] for name, square in lists.items()})


def provenance_facts(about: Provenance) -> dict[str, Any]:
    """Return what a norm set is made of, as content for JSON."""
    return {
        "format": FORMAT,
        "name": about.name,
        "title": about.title,
        "population": about.population,
        "created": about.created,
        "yardstick": asdict(about.comparability_key),
        "keys": about.keys,
        "min_n": about.min_n,
        "suits": {key: list(values) for key, values in about.applies_to.items()},
        "targets": {key: asdict(target) for key, target in about.targets.items()},
        "types": about.types,
        "without": dict(about.without),
        "sizes": [{"segment": [list(pair) for pair in segment], "media": n} for segment, n in about.sizes.items()],
        "counts": dict(about.counts),
        "intervals": about.intervals,
        "notes": about.notes,
        "command": about.command,
        "pace": about.pace and {name: getattr(about.pace, name) for name in ("rate", "agreement", "gaze")},
    }


def _provenance(facts: Mapping[str, Any], path: Path) -> Provenance:
    if int(facts.get("format", 1)) > FORMAT:
        raise _refusal(path, f"was made by a newer mediaan ({facts['yardstick']['mediaan']}); update this one")
    return Provenance(
        name=str(facts["name"]),
        title=str(facts["title"]),
        population=str(facts["population"]),
        created=str(facts["created"]),
        comparability_key=ComparabilityKey.from_dict(facts["yardstick"]),
        keys=tuple(map(str, facts["keys"])),
        min_n=int(facts["min_n"]),
        applies_to={str(key): tuple(map(str, values)) for key, values in facts["suits"].items()},
        targets={str(key): MeasuredTarget(**target) for key, target in facts.get("targets", {}).items()},
        without={str(metric): str(why) for metric, why in facts.get("without", {}).items()},
        sizes={
            tuple((str(key), str(value)) for key, value in size["segment"]): int(size["media"])
            for size in facts["sizes"]
        },
        counts={str(key): int(n) for key, n in facts["counts"].items()},
        intervals=str(facts["intervals"]),
        notes=tuple(map(str, facts["notes"])),
        command=str(facts["command"]),
        path=path,
        pace=Pace(**facts["pace"]) if facts.get("pace") else None,
    )


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


AOI_SCORES_SHOWN = ("attention", "percentage_seen", "time_spent")

_COUNTS = {
    "files": "files were read",
    "failed": "could not be analyzed and are left out",
    "same_bytes": "were copies of others and count once",
    "left_out": "were left out on purpose",
    "other_exposure": "have another exposure, so their areas are left out",
    "media": "are in the benchmark",
    "areas": "areas of images are kept as shares of attention, so scores for any other exposure follow from them",
    "undefined": "scores were undefined and left out, mostly the time until an area is seen that almost nobody sees",
}


def norm_set_page(norm_set: NormSet) -> str:
    """Write provenance, limits, edges of the main scores and sizes of the parts, as Markdown."""
    meant = ["videos and animations"] if norm_set.types == ("video",) else []
    meant += [f"{key}: {', '.join(values)}" for key, values in norm_set.applies_to.items()]
    meant_for = f" Used for {'; '.join(meant)}." if meant else ""
    counts = [f"- {norm_set.counts[name]} {text}" for name, text in _COUNTS.items() if norm_set.counts.get(name)]
    left_out = [f"- {metric}: {why}" for metric, why in norm_set.without.items()]
    if norm_set.uncompared_areas:
        left_out += [f"- areas that fewer than {LEAST_N} of the files have: {', '.join(norm_set.uncompared_areas)}"]
    explanation = (
        "Scores below which 10, 30, 70 and 90 % of the benchmark lie; in brackets, the range of each with other\n"
        f"files in its place ({norm_set.intervals})."
    )
    norms = [norm for norm in norm_set.norms if not norm.segment]
    of_media = [norm for norm in norms if norm.aoi_type is None]
    of_aois = [
        norm for norm in norms if norm.aoi_type and norm.metric_time == "total" and norm.metric in AOI_SCORES_SHOWN
    ]
    of_aois.sort(key=lambda norm: (AOI_SCORES_SHOWN.index(norm.metric), str(norm.aoi_type)))
    blocks = [
        f"# {norm_set.title}\n\nNorm set `{norm_set.name}`: {norm_set.population}{meant_for}",
        "\n\n".join(norm_set.notes),
        "## What went in\n\n" + "\n".join([f"Made on {norm_set.created}.", "", *counts]),
        "## Measured with\n\n" + "\n".join(_measured_with(norm_set)),
        "## Not compared\n\n" + "\n".join(left_out) if left_out else "",
        "## Targets\n\n" + "\n".join(_targets(norm_set)) if norm_set.targets else "",
        "## Edges of scores\n\n" + explanation + "\n\n" + "\n".join(_edges(of_media)),
        "## Edges of areas' scores\n\n" + "\n".join(_edges(of_aois)) if of_aois else "",
        "## Parts\n\n" + "\n".join(_parts(norm_set)) if norm_set.keys else "",
        f"## Made by\n\n    {norm_set.command}" if norm_set.command else "",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _measured_with(norm_set: NormSet) -> Iterator[str]:
    key = norm_set.comparability_key
    yield f"- attention model {key.model}, sha256 {key.model_sha256 or 'none: it has no weights'}"
    yield f"- scales and definitions {key.scores_id}, mediaan {key.mediaan}, recipe {key.recipe_id}"
    yield f"- images looked at for {key.exposure_s:g} s"
    if key.calibration_sha256:
        yield f"- calibrated to viewers of one's own, sha256 {key.calibration_sha256}"
    if "video" in {norm.type for norm in norm_set.norms}:
        yield f"- videos sampled {'at key frames' if key.fast else f'{key.fps:g} times a second'}"
    for name, sha256 in key.finders:
        yield f"- AOIs found by {name}, sha256 {sha256}"


def _targets(norm_set: NormSet) -> Iterator[str]:
    yield "| score | at least | at most | why |"
    yield "|---|---|---|---|"
    for key, target in norm_set.targets.items():
        ends = ("" if end is None else format_edge(end) for end in (target.lower, target.upper))
        yield f"| {key} | {' | '.join(ends)} | {target.why} |"


def _edges(norms: Iterable[Norm]) -> Iterator[str]:
    yield "| score | unit | n | media | P10 | P30 | P70 | P90 |"
    yield "|---|---|---|---|---|---|---|---|"
    for norm in norms:
        name = f"{norm.metric} of {norm.aoi_type}" if norm.aoi_type else f"{norm.metric} ({norm.metric_time})"
        edges = zip(norm.edges, norm.edges_lo, norm.edges_hi, strict=True)
        cells = [f"{format_edge(edge)} [{format_edge(lo)}, {format_edge(hi)}]" for edge, lo, hi in edges]
        kind = "" if norm.type == "image" else f", {norm.type}s"
        yield f"| {name}{kind} | {norm.unit} | {norm.n} | {norm.n_media} | {' | '.join(cells)} |"


def _parts(norm_set: NormSet) -> Iterator[str]:
    yield f"Divided by {', '.join(norm_set.keys)}. In the place of a part with fewer than {norm_set.min_n} media the"
    yield f"next coarser one is used, down to the whole; parts with fewer than {LEAST_KEPT} have no numbers here."
    yield ""
    yield "| part | media | used |"
    yield "|---|---|---|"
    for segment, n in sorted(norm_set.sizes.items(), key=lambda pair: (len(pair[0]), -pair[1], pair[0])):
        used = "yes" if n >= norm_set.min_n else "too small" if n >= LEAST_KEPT else "no numbers"
        yield f"| {segment_text(segment)} | {n} | {used} |"


def format_edge(value: float) -> str:
    """Format three significant digits, as far as they tell something of a score."""
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
