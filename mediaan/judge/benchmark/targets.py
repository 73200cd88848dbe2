"""Targets: in which categories of its population a score should lie, and why."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import product
from typing import get_args

from mediaan.types.aoi import AOI_TYPES
from mediaan.types.benchmark import CATEGORIES, Category
from mediaan.types.media import Purpose

ANY = "any"
"""Purpose of a target that has no other of its own."""

_USER_TARGET = "Set in the objectives file."


@dataclass(frozen=True, slots=True)
class ScoreTarget:
    """Recommendation for a score."""

    categories: tuple[Category, ...]
    """Adjoining, from low to high; none where neither more nor less is better."""
    why: str
    """One sentence."""
    source: str = ""
    """Where that was shown; empty where it follows from what the number is, or from what the user wants."""
    ends: MeasuredTarget | None = None
    """Ends in the score's unit, where the norm set states them; `categories` are then those that they reach into."""


@dataclass(frozen=True, slots=True)
class MeasuredTarget:
    """Range of a score that a norm set recommends itself, such as that of its best media, in the score's unit."""

    lower: float | None
    upper: float | None
    """lower, upper: None: open on this side."""
    why: str
    """One sentence."""


def target_of(
    metric: str,
    aoi_type: str | None = None,
    purpose: str | None = None,
    categories: Mapping[str, Sequence[Category]] | None = None,
) -> ScoreTarget:
    """Return the part of its population in which a score should lie.

    `categories`: the user's targets, by `target_key`; they go before those that ship.
    Returns: without categories for a metric that nothing is known of.

    >>> target_of("cognitive_demand").categories, target_of("cognitive_demand", purpose="conversion").categories
    (('medium',), ('extreme_low', 'low'))
    >>> target_of("attention", "face").categories
    ()
    """
    key = target_key(metric, aoi_type)
    if categories and key in categories:
        return ScoreTarget(sort_categories(categories[key]), _USER_TARGET)
    shipped = targets()
    return (
        shipped.get((key, purpose or ANY))
        or shipped.get((key, ANY))
        or ScoreTarget((), "Nothing is recommended of it.")
    )


def widen_target(target: ScoreTarget, n_media: int) -> ScoreTarget:
    """Add the neighbouring categories to a target: in a population of few media, a score may lie in the wrong one.

    `target`: the user's own stays as it is.
    `n_media`: of the population; `why` names it.

    >>> [widen_target(target_of(name), 27).categories for name in ("focus", "cognitive_demand")]
    [('medium', 'high', 'extreme_high'), ('low', 'medium', 'high')]
    """
    if not target.categories or target.why == _USER_TARGET:
        return target
    first, last = (CATEGORIES.index(category) for category in (target.categories[0], target.categories[-1]))
    wider = CATEGORIES[max(0, first - 1) : last + 2]
    few = f"The benchmark has only {n_media} files, so the next category counts as within the target range, too."
    return replace(target, categories=wider, why=f"{target.why} {few}")


def target_key(metric: str, aoi_type: str | None = None) -> str:
    """Return the name of a score in the objectives file.

    >>> target_key("focus"), target_key("percentage_seen", "branding")
    ('focus', 'branding.percentage_seen')
    """
    return f"{aoi_type}.{metric}" if aoi_type else metric


def sort_categories(categories: Sequence[Category]) -> tuple[Category, ...]:
    """Sort categories from low to high, each once."""
    return tuple(category for category in CATEGORIES if category in categories)


def are_adjoining(categories: Sequence[Category]) -> bool:
    """Return True if categories follow each other without a gap.

    >>> are_adjoining(("extreme_high", "high")), are_adjoining(("low", "high")), are_adjoining(())
    (True, False, False)
    """
    places = sorted({CATEGORIES.index(category) for category in categories})
    return bool(places) and places[-1] - places[0] == len(places) - 1


@cache
def targets() -> Mapping[tuple[str, str], ScoreTarget]:
    """Read the targets that ship, by `target_key` and purpose or 'any'."""
    content = tomllib.loads(files("mediaan.judge.benchmark").joinpath("targets.toml").read_text(encoding="utf-8"))
    by_key: dict[tuple[str, str], ScoreTarget] = {}
    for entry in (*content["medium"], *content["area"]):
        categories, purpose = sort_categories(entry["target"]), entry.get("purpose", ANY)
        if list(categories) != entry["target"] or (categories and not are_adjoining(categories)):
            raise ValueError(f"targets.toml: {entry['target']} are no adjoining categories from low to high")
        if purpose not in (ANY, *get_args(Purpose)):
            raise ValueError(f"targets.toml: no purpose {purpose!r}")
        for aoi_type, metric in product(entry.get("types", (None,)), entry["metrics"]):
            if aoi_type not in (None, *AOI_TYPES):
                raise ValueError(f"targets.toml: no type of AOI {aoi_type!r}")
            key = target_key(metric, aoi_type)
            if (key, purpose) in by_key:
                raise ValueError(f"targets.toml speaks twice of {key} for {purpose}")
            by_key[key, purpose] = ScoreTarget(categories, entry["why"], entry["source"])
    return by_key


@cache
def target_keys() -> tuple[str, ...]:
    """List the scores that can have a target, as the objectives file calls them."""
    return tuple(dict.fromkeys(key for key, _ in targets()))
