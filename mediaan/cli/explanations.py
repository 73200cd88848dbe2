"""Explain names, from where that is written: specs, guide, glossary, maps, drivers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from mediaan.aoi.scoring.screen_time import AOI_SCREEN_TIMES, VIDEO_SCREEN_TIMES
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.checks.specs import ANY, CheckSpec, check_specs
from mediaan.errors import nearest
from mediaan.maps.catalogue import MAPS, MapSpec
from mediaan.metrics.catalogue import BUILT_INS
from mediaan.metrics.drivers.specs import DRIVER_SPECS, DriverSpec
from mediaan.metrics.guide import PURPOSES, Aim, Guide, guides
from mediaan.metrics.scores.pacing import PACING
from mediaan.types.glossary import GlossaryTerm, TermKind, glossary
from mediaan.types.metrics import DIRECTION_WORDS, MetricSpec, range_text

KINDS = {
    "metric": "Scores of a medium",
    "aoi_metric": "Numbers of an area of interest",
    "screen_time": "Times on screen, of films",
    "check": "Checks: what an ad of its purpose needs",
    "aoi_type": "Types of area",
    "basis": "How a number is known",
    "time": "Parts of the exposure",
    "category": "Categories: where a score stands in its population",
    "position": "Positions: where it stands to the recommended range",
    "map": "Maps",
    "driver": "Drivers: properties that move scores",
    "word": "Words",
    "problem": "Codes of what went wrong, or may have",
}
"""Kinds of name with their headings, in the order in which they are listed."""

_TABLES: dict[TermKind, str] = {
    "basis": "metrics, column basis",
    "time": "metrics and aoi_scores, column metric_time",
    "category": "benchmark_ranges, column category",
    "position": "benchmark_ranges, column position",
    "aoi_type": "aois, column type",
    "problem": "media, column error_code; or problems, column code",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation of one name.

    Attributes
    ----------
    name, kind, title, meaning : str
    facts : tuple of pairs of str
        What else is known: a label, and a text.
    tables : str
        Where it stands in the tables of a run; empty where it does not.
    page : str
        Page of the documentation that says more.
    """

    name: str
    kind: str
    title: str
    meaning: str
    facts: tuple[tuple[str, str], ...]
    tables: str
    page: str

    def to_dict(self) -> dict[str, Any]:
        """Return content for JSON."""
        return {**asdict(self), "facts": dict(self.facts)}


@cache
def explanations() -> tuple[Explanation, ...]:
    """List the explanations of all names, in the order of `KINDS`."""
    found = [
        *_of_metrics(),
        *map(_of_screen_time, (*AOI_SCREEN_TIMES, *VIDEO_SCREEN_TIMES)),
        *map(_of_check, check_specs()),
        *map(_of_term, glossary()),
        *map(_of_map, MAPS),
        *map(_of_driver, DRIVER_SPECS.values()),
    ]
    return tuple(sorted(found, key=lambda one: list(KINDS).index(one.kind)))


def find(typed: str) -> list[Explanation]:
    """Find those of a name or, where nothing is called so, of a title; a word may have several meanings.

    Examples
    --------
    >>> [one.name for one in find("Cognitive Demand")], find("clarty")
    (['cognitive_demand'], [])
    """
    called = [one for one in explanations() if _plain(one.name) == _plain(typed)]
    return called or [one for one in explanations() if _plain(one.title) == _plain(typed)]


def nearest_name(typed: str) -> str | None:
    """Return the name that was probably meant.

    Examples
    --------
    >>> nearest_name("clarty")
    'clarity'
    """
    titles = {_plain(one.title): one.name for one in reversed(explanations())}
    names = titles | {_plain(one.name): one.name for one in explanations()}
    close = nearest(typed, names)
    return names[close] if close else next((name for plain, name in names.items() if _plain(typed) in plain), None)


def _of_metrics() -> Iterator[Explanation]:
    for spec in (*(metric.spec for metric in BUILT_INS), PACING):
        yield _of_metric(spec, "metric", "metrics")
    for spec in AOI_METRICS:
        yield _of_metric(spec, "aoi_metric", "aoi_scores")


def _of_metric(spec: MetricSpec, kind: str, table: str) -> Explanation:
    guide = guides()[spec.name]
    basis = next(term for term in glossary() if (term.kind, term.name) == ("basis", spec.basis))
    facts = (
        ("Computed", guide.formula),
        ("Range", f"{range_text(spec.low, spec.high, spec.unit)}. {guide.ends}"),
        *_good(guide),
        ("Known as", f"{spec.basis}: {basis.meaning}"),
        ("Evidence", guide.evidence),
        ("Reference", spec.reference),
        ("Limits", guide.limits),
    )
    where = f"{table}, where metric = '{spec.name}': value, lo, hi"
    return Explanation(spec.name, kind, spec.title, guide.meaning, facts, where, f"metrics.md#{_anchor(spec.title)}")


def _good(guide: Guide) -> Iterator[tuple[str, str]]:
    """Say which way is good: for any objective, then for those that have an aim of their own."""
    yield "Good", _aim_text(guide.aims["any"])
    for purpose, words in PURPOSES.items():
        if purpose in guide.aims:
            yield f"Good for {words}", _aim_text(guide.aims[purpose])


def _aim_text(aim: Aim) -> str:
    return f"{DIRECTION_WORDS[aim.direction]}. {aim.reason}" + (f" {aim.source}." if aim.source else "")


def _of_screen_time(spec: MetricSpec) -> Explanation:
    facts = (
        ("Computed", spec.reference),
        ("Range", f"{range_text(spec.low, spec.high, spec.unit)}."),
        ("Good", f"{DIRECTION_WORDS[spec.direction]}."),
    )
    where = f"screen_times, where metric = '{spec.name}': value"
    return Explanation(spec.name, "screen_time", spec.title, spec.caption, facts, where, "rules.md")


def _of_check(spec: CheckSpec) -> Explanation:
    needed = "every purpose" if ANY in spec.required else ", ".join(spec.required).replace("_", " ")
    facts = [("Needed for", needed), ("Source", spec.source)]
    stated = tuple((label, text) for label, text in facts if text)
    where = f"checks, where name = '{spec.name}': status, text"
    return Explanation(spec.name, "check", spec.title, spec.why, stated, where, "checks.md#what-is-checked")


def _of_term(term: GlossaryTerm) -> Explanation:
    facts = [("Severity", term.severity), ("What to do", term.advice), ("Found by", term.found_by)]
    title = term.title or term.name.replace("_", " ").capitalize()
    stated = tuple((label, text) for label, text in facts if text)
    meaning = term.meaning[:1].upper() + term.meaning[1:]
    return Explanation(term.name, term.kind, title, meaning, stated, _TABLES.get(term.kind, ""), term.page)


def _of_map(spec: MapSpec) -> Explanation:
    facts = (("Scale", spec.scale_text),) if spec.scale_text else ()
    where = f"maps, where map = '{spec.name}'"
    return Explanation(spec.name, "map", spec.title, spec.caption, facts, where, "cli.md#mediaan-analyze")


def _of_driver(spec: DriverSpec) -> Explanation:
    measure = f"{spec.measure}{f', {spec.unit}' if spec.unit else ''}{spec.of}"
    meaning = f"{measure[:1].upper()}{measure[1:]}. Called '{spec.less}' or '{spec.more}'."
    title = spec.name.replace("_", " ").capitalize()
    return Explanation(
        spec.name, "driver", title, meaning, (), f"drivers, where driver = '{spec.name}'", "metrics.md#properties"
    )


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-")


def _plain(text: str) -> str:
    return "_".join(re.findall(r"\w+", text.lower().replace("_", " ")))
