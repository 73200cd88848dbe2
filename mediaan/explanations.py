"""Explain names, from where that is written: specs, guide, glossary, maps, drivers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from mediaan.aoi.scoring.film_scores import AOI_FILM_SCORES, AOI_SCREEN_TIMES, FILM_SCORES, VIDEO_SCREEN_TIMES
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.config.aoi_formats.record import parse_aoi_type
from mediaan.errors import nearest
from mediaan.judge.benchmark.targets import ANY
from mediaan.judge.checks import check_specs
from mediaan.judge.rules.derived import PLACED_COLUMNS
from mediaan.judge.rules.rule import PLACEMENT_SCORES
from mediaan.maps.catalogue import MAPS
from mediaan.metrics.catalogue import metric_specs
from mediaan.metrics.contributions import DRIVER_SPECS
from mediaan.metrics.guide import PURPOSES, agreement_text, guides
from mediaan.studies.context.result import CONTEXT_METRICS
from mediaan.studies.trend.workflow import PRESENCE
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.glossary import TermKind, glossary
from mediaan.types.metrics import DIRECTION_WORDS, MetricSpec, range_text
from mediaan.types.placement import BUILT_IN_PLACEMENTS, Placement

KINDS = {
    "metric": "Scores of a file",
    "aoi_metric": "Numbers of an area of interest",
    "screen_time": "Times on screen, and videos as ads",
    "context": "An ad in a page",
    "placement": "Placements, and how they show an area",
    "check": "Checks: what an ad needs for its purpose",
    "aoi_type": "Types of area",
    "basis": "Basis of a number",
    "time": "Parts of the exposure",
    "category": "Categories: position in the benchmark",
    "position": "Positions relative to the target range",
    "map": "Maps",
    "driver": "Drivers: what raises or lowers scores",
    "word": "Words",
    "problem": "Codes of errors and warnings",
}
"""Kinds of name with their headings, in the order in which they are listed."""

_TABLES: dict[TermKind, str] = {
    "basis": "metrics, column basis",
    "time": "metrics and aoi_scores, column metric_time",
    "category": "benchmark_ranges, column category",
    "position": "benchmark_ranges, column position",
    "problem": "media, column error_code; or problems, column code",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation of one name."""

    name: str
    kind: str
    title: str
    meaning: str
    facts: Mapping[str, str]
    """What else is known: texts by their labels, empty where there is nothing to say."""
    tables: str
    """Where it stands in the tables of a run; empty where it does not."""
    page: str
    """Page of the documentation that says more."""

    def to_dict(self) -> dict[str, Any]:
        """Return content for JSON."""
        return {**asdict(self), "facts": {label: text for label, text in self.facts.items() if text}}


@cache
def explanations() -> tuple[Explanation, ...]:
    """List the explanations of all names, in the order of `KINDS`."""
    terms = glossary()
    bases = {term.name: f"{term.title}. {term.meaning}" for term in terms if term.kind == "basis"}
    entries = [_of_metric(spec, "metric", "metrics", bases) for spec in metric_specs()]
    entries += [_of_metric(spec, "aoi_metric", "aoi_scores", bases) for spec in AOI_METRICS]
    where = "trends, where metric = 'presence': value"
    entries.append(Explanation(PRESENCE.name, "aoi_metric", PRESENCE.title, PRESENCE.caption, {}, where, "trend.md"))
    for time in (*AOI_SCREEN_TIMES, *AOI_FILM_SCORES, *VIDEO_SCREEN_TIMES, *FILM_SCORES):
        facts = {
            "Computed": time.reference,
            "Range": f"{range_text(time.low, time.high, time.unit)}.",
            "Good": f"{DIRECTION_WORDS[time.direction].capitalize()}.",
        }
        of_film = time in FILM_SCORES
        where = f"film, column {time.name}" if of_film else f"screen_times, where metric = '{time.name}': value"
        page = "film.md" if of_film or time in AOI_FILM_SCORES else "rules.md"
        entries.append(Explanation(time.name, "screen_time", time.title, time.caption, facts, where, page))
    for spec in CONTEXT_METRICS:
        if any(spec.name == area_metric.name for area_metric in AOI_METRICS):
            continue  # said of areas
        facts = {"Computed": spec.reference, "Range": f"{range_text(spec.low, spec.high, spec.unit)}."}
        where, page = f"context, where metric = '{spec.name}': value, lo, hi", "context.md#what-the-numbers-say"
        entries.append(Explanation(spec.name, "context", spec.title, spec.caption, facts, where, page))
    for name, spec in PLACEMENT_SCORES.items():
        facts = {"Computed": spec.reference, "Range": f"{range_text(spec.low, spec.high, spec.unit)}."}
        where = f"placements, column {PLACED_COLUMNS[name]}"
        entries.append(Explanation(name, "placement", spec.title, spec.caption, facts, where, "placements.md#rules"))
    for placement in BUILT_IN_PLACEMENTS.values():
        entries.append(_of_placement(placement))
    for check in check_specs():
        needed = "every purpose" if ANY in check.required else ", ".join(check.required).replace("_", " ")
        facts = {"Needed for": needed, "Source": check.source}
        where, page = f"checks, where name = '{check.name}': status, text", "checks.md#what-is-checked"
        entries.append(Explanation(check.name, "check", check.title, check.why, facts, where, page))
    for term in terms:
        title = term.title or term.name.replace("_", " ").capitalize()
        facts = {"Severity": term.severity, "What to do": term.advice}
        meaning, where = term.meaning[:1].upper() + term.meaning[1:], _TABLES.get(term.kind, "")
        entries.append(Explanation(term.name, term.kind, title, meaning, facts, where, term.page))
    for area_type in AREA_TYPES.values():
        meaning, facts = area_type.meaning[:1].upper() + area_type.meaning[1:], {"Found by": area_type.found_by}
        where = "aois, column type"
        entries.append(Explanation(area_type.name, "aoi_type", area_type.title, meaning, facts, where, "aois.md"))
    for drawn in MAPS.values():
        where, page = f"maps, where map = '{drawn.name}'", "cli.md#run-directory"
        entries.append(
            Explanation(drawn.name, "map", drawn.title, drawn.caption, {"Scale": drawn.scale_text}, where, page)
        )
    for driver in DRIVER_SPECS.values():
        measure = f"{driver.measure}{f', {driver.unit}' if driver.unit else ''}{driver.of}"
        meaning = f"{measure[:1].upper()}{measure[1:]}. Called '{driver.less}' or '{driver.more}'."
        title, where = driver.name.replace("_", " ").capitalize(), f"drivers, where driver = '{driver.name}'"
        entries.append(Explanation(driver.name, "driver", title, meaning, {}, where, "metrics.md#properties"))
    return tuple(sorted(entries, key=lambda entry: list(KINDS).index(entry.kind)))


def _of_placement(placement: Placement) -> Explanation:
    css_px = placement.css_px
    size = f"{placement.width_mm:.0f} x {placement.height_mm:.0f} mm"
    size = size if css_px is None else f"{css_px[0]:.0f} x {css_px[1]:.0f} CSS px"
    seconds = "" if placement.exposure_s is None else f"{placement.exposure_s:g} s: {placement.exposure_source}"
    facts = {
        "Platform": placement.platform,
        "Covered by": ", ".join(zone.title for zone in placement.zones),
        "Looked at": seconds,
        "Source": f"{placement.source} ({placement.date})",
    }
    meaning = f"A slot of {size}, seen from {placement.distance_mm / 1000:g} m"
    where = f"placements, where placement = '{placement.name}'"
    page = "placements.md#built-in-placements"
    return Explanation(placement.name, "placement", placement.title, meaning, facts, where, page)


def explained_names() -> list[str]:
    """List all names, each once."""
    return list(dict.fromkeys(entry.name for entry in explanations()))


def find(typed: str) -> list[Explanation]:
    """Find those of a name or, where nothing is called so, of a title; a word may have several meanings.

    A type of area may have the name that other tools give it; ``TYPE.SCORE.TIME`` of rules is explained part by part.

    >>> [one.name for one in find("Cognitive Demand")], find("clarty")
    (['cognitive_demand'], [])
    >>> [one.name for one in find("logo")], [one.name for one in find("headline.percentage_seen.start")]
    (['branding'], ['headline_text', 'percentage_seen', 'start'])
    """
    called = [entry for entry in explanations() if _plain(entry.name) == _plain(typed)]
    called = called or [entry for entry in explanations() if _plain(entry.title) == _plain(typed)]
    if not called and (kind := parse_aoi_type(typed)) != "other":
        called = [entry for entry in explanations() if entry.kind == "aoi_type" and entry.name == kind]
    if not called and "." in typed:
        parts = [find(part) for part in typed.split(".")]
        called = [entry for part in parts for entry in part] if all(parts) else []
    return called


def nearest_name(typed: str) -> str | None:
    """Return the name that was probably meant.

    >>> nearest_name("clarty")
    'clarity'
    """
    titles = {_plain(entry.title): entry.name for entry in reversed(explanations())}
    names = titles | {_plain(entry.name): entry.name for entry in explanations()}
    close = nearest(typed, names)
    return names[close] if close else next((name for plain, name in names.items() if _plain(typed) in plain), None)


def _of_metric(spec: MetricSpec, kind: str, table: str, bases: Mapping[str, str]) -> Explanation:
    """Explain a score: which way is good for any objective, then for those that have an aim of their own."""
    guide = guides()[spec.name]
    good = {}
    for purpose, label in {"any": "Good", **{key: f"Good for {words}" for key, words in PURPOSES.items()}}.items():
        if aim := guide.aims.get(purpose):
            source = f" {aim.source}." if aim.source else ""
            good[label] = f"{DIRECTION_WORDS[aim.direction].capitalize()}. {aim.reason}{source}"
    facts = {
        "Computed": guide.formula,
        "Range": f"{range_text(spec.low, spec.high, spec.unit)}. {guide.ends}",
        **good,
        "Basis": bases[spec.basis],
        "Agreement": agreement_text(spec.name),
        "Evidence": guide.evidence,
        "Reference": spec.reference,
        "Limits": guide.limits,
    }
    anchor = re.sub(r"[^\w\- ]", "", spec.title).lower().replace(" ", "-")
    where = f"{table}, where metric = '{spec.name}': value, lo, hi"
    return Explanation(spec.name, kind, spec.title, guide.meaning, facts, where, f"metrics.md#{anchor}")


def _plain(text: str) -> str:
    return "_".join(re.findall(r"\w+", text.lower().replace("_", " ")))
