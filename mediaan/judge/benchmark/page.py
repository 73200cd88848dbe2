"""Describe a norm set for people: the page beside its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mediaan.judge.benchmark.norm import Norm
from mediaan.judge.benchmark.norm_set import LEAST_KEPT, LEAST_N, NormSet, segment_text

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
