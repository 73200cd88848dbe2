"""Which norm set a medium asks for, and whether it may be compared with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from mediaan.benchmark.norm_set import NormSet, Provenance
from mediaan.benchmark.shelf import find_norm_set
from mediaan.benchmark.yardstick import Yardstick
from mediaan.errors import UsageError
from mediaan.run.objectives import distinct_objectives
from mediaan.workflow.attributes import objective_word

AUTO, NONE = "auto", "none"

DEFAULT, DEFAULT_MOVING = "ads", "films"
"""The norm sets for pictures, and for media that move, that do not say what they are."""


class Wish(NamedTuple):
    """The norm set that a medium asks for: a name or path, and why it is not one that is meant for it."""

    source: str
    note: str | None = None


def wish_of(objective: Mapping[str, Any], type: str, choice: str, shipped: Mapping[str, Provenance]) -> Wish | None:
    """Which norm set a medium is to be compared with; None for no comparison.

    Parameters
    ----------
    objective : mapping
        As `run.json` keeps it; empty where nothing is said of the medium.
    type : {'image', 'video', 'mixed'}
        Of the medium: what moves is compared with what moves.
    choice : str
        `auto`, `none`, or the name or path of one for all media.
    shipped : mapping of str to Provenance
        As `list_norm_sets` gives it.
    """
    asked = objective.get("benchmark", AUTO) if choice == AUTO else choice
    if asked == NONE or (asked == AUTO and not shipped):
        return None
    return Wish(asked) if asked != AUTO else _suitable(objective, type != "image", shipped)


def _suitable(objective: Mapping[str, Any], moving: bool, shipped: Mapping[str, Provenance]) -> Wish:
    """The set of such media that is meant for what the objective says, by the most keys; the default where none is."""
    held = {name: about for name, about in shipped.items() if moving == any(kind != "image" for kind in about.types)}
    default = DEFAULT_MOVING if moving else DEFAULT
    agreeing = {name: _agreements(objective, about) for name, about in held.items()}
    best = max(agreeing, key=lambda name: agreeing[name], default=default)
    if agreeing.get(best, 0) > 0:
        return Wish(best)
    keys = dict.fromkeys(key for about in shipped.values() for key in about.suits)
    said = [f"{key}={word}" for key in keys if (word := objective_word(objective.get(key)))]
    what = "norm set of videos" if moving else "norm set"
    return Wish(default, f"no {what} that ships is meant for {', '.join(said)}" if said else None)


def _agreements(objective: Mapping[str, Any], about: Provenance) -> int:
    """By how many of its keys a set is meant for a medium; -1 where one says otherwise."""
    said = [(objective_word(objective.get(key)), values) for key, values in about.suits.items()]
    fits = [any(word == value or word.startswith(f"{value}/") for value in values) for word, values in said if word]
    return sum(fits) if all(fits) else -1


def check_choice(facts: Mapping[str, Any], choice: str, despite: str = "") -> None:
    """Refuse norm sets that were named and cannot be used, before any work.

    Parameters
    ----------
    facts : mapping
        Contents of `run.json`, or what they will be.
    choice, despite : str
        As `load_populations` takes them.

    Raises
    ------
    UsageError
        There is no such norm set, or its scores were measured otherwise than the run's (code norms_mismatch).
    """
    for source in _named(facts, choice):
        norms = find_norm_set(source)
        moving = all(norm.type != "image" for norm in norms.norms)
        reasons = norms.yardstick.mismatches(yardstick_of(facts), aois=False, videos=moving)
        if reasons and not despite:
            raise UsageError(
                f"norm set {source}: {'; '.join(reasons)}. Build one from media of your own (mediaan benchmark build), "
                "leave --benchmark out, or say with --benchmark-despite why they may be compared",
                code="norms_mismatch",
            )


def _named(facts: Mapping[str, Any], choice: str) -> Iterator[str]:
    if choice not in (AUTO, NONE):
        yield choice
    elif choice == AUTO:
        names = dict.fromkeys(objective.get("benchmark", AUTO) for objective in distinct_objectives(facts))
        yield from (name for name in names if name not in (AUTO, NONE))


def refusals(norms: NormSet, run: Yardstick, type: str, exposure_s: float) -> tuple[str | None, str | None]:
    """Why scores of a medium may not be compared with a norm set, and why those of its AOIs may not.

    Parameters
    ----------
    norms : NormSet
    run : Yardstick
    type : {'image', 'video', 'mixed'}
        Of the medium.
    exposure_s : float
        How long the medium is looked at, if it is a picture.
    """
    if norms.compared_type(type) not in norms.types:
        found = norms.find(type, "focus", "total", None, {})
        return (found if isinstance(found, str) else None), None
    moving = type != "image"
    own = replace(run, exposure_s=norms.yardstick.exposure_s if moving else exposure_s)
    scores = norms.yardstick.mismatches(own, aois=False, videos=moving)
    if all(norm.aoi_type is None for norm in norms.norms):  # which is the reason for scores of AOIs
        return "; ".join(scores) or None, None
    with_aois = norms.yardstick.mismatches(own, aois=True, videos=moving, any_exposure=norms.any_exposure)
    aois = [reason for reason in with_aois if reason not in scores]
    if own.exposure_s != norms.yardstick.exposure_s and not norms.any_exposure:
        aois.append("the norm set holds no shares of attention to score its AOIs for another time; build it again")
    return "; ".join(scores) or None, "; ".join(aois) or None


def other_exposure(norms: NormSet, type: str, exposure_s: float) -> float | None:
    """For how long a picture is looked at, where its AOIs are held against those of the set as seen for as long, s."""
    is_other = type == "image" and norms.any_exposure and exposure_s != norms.yardstick.exposure_s
    return exposure_s if is_other else None


def yardstick_of(facts: Mapping[str, Any]) -> Yardstick:
    """What a run's scores were measured with, AOIs that were looked for later included."""
    attention, *finders = facts["models"]
    later = [change["models"] for change in facts.get("aoi_changes", ()) if "detected" in change]
    return Yardstick.of({**facts, "models": [attention, *(later[-1] if later else finders)]})
