"""The populations that the media of a run are compared with."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mediaan.benchmark.norm_set import Match, NormSet
from mediaan.benchmark.shelf import find_norm_set, list_norm_sets
from mediaan.config.attributes import load_attributes
from mediaan.run import Run
from mediaan.run.by_medium import done_media
from mediaan.run.objectives import objective_of
from mediaan.types.result import Result
from mediaan.workflow.attributes import FOLDER_KEYS, OBJECTIVE_KEYS, attribute_of, folder_of, objective_word
from mediaan.workflow.population_choice import AUTO, Wish, check_choice, other_exposure, refusals, wish_of, yardstick_of


@dataclass(frozen=True, slots=True)
class Case:
    """What media that are compared with the same part of one population have in common.

    Attributes
    ----------
    type : {'image', 'video', 'mixed'}
    purpose : str or None
    source : str
        Name or path of the norm set.
    name : str
        Of the norm set.
    values : tuple of (str, str or None)
        What the media are, by key of the norm set.
    note : str or None
        Why it is not a population of media like them.
    refusal, aoi_refusal : str or None
        Why their scores, or those of their AOIs, may not be compared with it.
    exposure_s : float or None
        For how long the pictures of the population are taken to be looked at, where that is not as long as the norm set
        says, s.
    """

    type: str
    purpose: str | None
    source: str
    name: str
    values: tuple[tuple[str, str | None], ...]
    note: str | None
    refusal: str | None
    aoi_refusal: str | None
    exposure_s: float | None = None


@dataclass(frozen=True)
class Populations:
    """The norm sets that the media of a run are compared with; `load_populations` makes it.

    Attributes
    ----------
    cases : mapping of str to Case or None
        By medium id; None for media that shall not be compared. Media that are alike share a case.
    sets : mapping of str to NormSet
        By name or path, as it was asked for.
    choice, despite : str
        As `load_populations` takes them.
    attributes : Path or None
    """

    cases: Mapping[str, Case | None]
    sets: Mapping[str, NormSet]
    choice: str
    despite: str = ""
    attributes: Path | None = None

    def norm_set(self, medium_id: str) -> NormSet | None:
        """The norm set that a medium is compared with; None where there is none, or it may not be used."""
        case = self.cases.get(medium_id)
        return None if case is None or case.refusal else self.sets[case.source]

    def match(self, medium_id: str, metric: str, metric_time: str, aoi_type: str | None = None) -> Match | str:
        """The population of one score of a medium, or why there is none.

        Parameters
        ----------
        medium_id : str
        metric, metric_time : str
        aoi_type : str or None
            None for a score of the medium.
        """
        return self.find(self.cases.get(medium_id), metric, metric_time, aoi_type)

    def find(self, case: Case | None, metric: str, metric_time: str, aoi_type: str | None = None) -> Match | str:
        """The same for all media of a case."""
        if case is None:
            return "no comparison was asked for"
        refusal = case.refusal or (case.aoi_refusal if aoi_type else None)
        if refusal:
            return refusal
        asked = (case.type, metric, metric_time, aoi_type, dict(case.values))
        found = self.sets[case.source].find(*asked, exposure_s=case.exposure_s)
        if isinstance(found, str) or case.note is None:
            return found
        return replace(found, fallback="; ".join(filter(None, (case.note, found.fallback))))

    def facts(self) -> dict[str, Any]:
        """What `run.json` says of it: norm sets that were used, for how many media, for which exposures their AOIs were
        scored, and what was refused, and why."""
        used: Counter[str] = Counter()
        rescored: Counter[tuple[str, float]] = Counter()
        refused: Counter[tuple[str, str, str]] = Counter()
        for case, n in Counter(case for case in self.cases.values() if case).items():
            used[case.source] += 0 if case.refusal else n
            if case.exposure_s is not None and not (case.refusal or case.aoi_refusal):
                rescored[case.name, case.exposure_s] += n
            for what, reason in (("media", case.refusal), ("aois", None if case.refusal else case.aoi_refusal)):
                if reason:
                    refused[case.name, what, reason] += n
        return {
            "choice": self.choice,
            "despite": self.despite or None,
            "attributes": str(self.attributes) if self.attributes else None,
            "norm_sets": [_set_facts(self.sets[source], n) for source, n in used.items() if n],
            "rescored": [
                {"norm_set": name, "exposure_s": exposure_s, "media": n} for (name, exposure_s), n in rescored.items()
            ],
            "refused": [
                {"norm_set": name, "what": what, "media": n, "reason": reason}
                for (name, what, reason), n in refused.items()
            ],
        }


def load_populations(
    run: Run, choice: str = AUTO, despite: str = "", attributes: str | Path | None = None
) -> Populations:
    """Find the population of every medium of a run.

    Parameters
    ----------
    run : Run
    choice : str
        `auto`: the norm set that the medium's objective names, otherwise the shipped one that is meant for what it is;
        `none`; or the name or path of one for all media.
    despite : str
        Why a norm set may be used although it was measured otherwise; empty: it may not.
    attributes : path, optional
        Table that says more of the media, as `load_attributes` reads it.

    Raises
    ------
    UsageError
        There is no such norm set; one that was named does not fit (code norms_mismatch); the table cannot be read.
    """
    choice = str(Path(choice).resolve()) if choice.endswith(".parquet") else choice  # run.json keeps it
    check_choice(run.facts, choice, despite)
    sources = _Sources(run, Path(attributes).resolve() if attributes else None)
    shipped = list_norm_sets()
    cases: dict[str, Case | None] = {}
    alike: dict[Case, Case] = {}
    for path, medium_id, kind in done_media(run.path):
        if medium_id not in cases:
            wish = wish_of(objective_of(run.facts, path), kind, choice, shipped)
            case = wish and sources.case(wish, path, kind, despite=bool(despite))
            cases[medium_id] = case and alike.setdefault(case, case)
    return Populations(cases, sources.sets, choice, despite, sources.table)


def rated_before(run: Run) -> dict[str, str]:
    """With which arguments of `load_populations` a run was rated, as far as they were not the defaults."""
    said = run.facts.get("benchmark") or {}
    return {key: said[key] for key in ("choice", "despite", "attributes") if said.get(key)}


def populations_of_one(
    result: Result, objective: Mapping[str, Any], choice: str = AUTO, despite: str = ""
) -> Populations:
    """The same for one medium that belongs to no run.

    Parameters
    ----------
    result : Result
        That says what it was `measured_with`.
    objective : mapping
        As `run.json` keeps one; empty where nothing is said of the medium.
    choice, despite : str
        As of `load_populations`, with its errors.
    """
    facts = {**result.measured_with, "objectives": {result.path: objective}}
    check_choice(facts, choice, despite)
    wish = wish_of(objective, result.medium.kind, choice, list_norm_sets())
    if wish is None:
        return Populations({}, {}, choice, despite)
    norms, kind = find_norm_set(wish.source), result.medium.kind
    refused = refusals(norms, yardstick_of(facts), kind, facts["recipe"]["exposure_s"])
    values = [
        (key, folder_of(result.path, key) if key in FOLDER_KEYS else objective_word(objective.get(key)))
        for key in norms.keys
    ]
    case = Case(
        *(kind, objective.get("purpose"), wish.source, norms.name, tuple(values), wish.note),
        *((None, None) if despite else refused),
        other_exposure(norms, kind, facts["recipe"]["exposure_s"]),
    )
    return Populations({str(result.medium.medium_id): case}, {wish.source: norms}, choice, despite)


class _Sources:
    """Norm sets as media of a run ask for them, each read and looked at once."""

    def __init__(self, run: Run, table: Path | None) -> None:
        self.sets: dict[str, NormSet] = {}
        self.table = table
        self._run, self._yardstick = run, yardstick_of(run.facts)
        self._attributes = load_attributes(table) if table else None
        self._known = {*(self._attributes.columns if self._attributes else ()), *OBJECTIVE_KEYS, *FOLDER_KEYS}
        self._refusals: dict[tuple[str, str, float], tuple[str | None, str | None]] = {}

    def case(self, wish: Wish, path: str, kind: str, *, despite: bool) -> Case:
        """What a medium is compared with; a set that divides media by what is not known of them is used as a whole."""
        if wish.source not in self.sets:
            self.sets[wish.source] = find_norm_set(wish.source)
        norms, objective = self.sets[wish.source], objective_of(self._run.facts, path)
        keys = (key for key in norms.keys if key in self._known)
        values = tuple((key, attribute_of(path, key, objective, self._attributes)) for key in keys)
        exposure_s = self._run.exposure_s(path)
        refused = (None, None) if despite else self._refused(wish.source, kind, exposure_s)
        other = other_exposure(norms, kind, exposure_s)
        return Case(kind, objective.get("purpose"), wish.source, norms.name, values, wish.note, *refused, other)

    def _refused(self, source: str, kind: str, exposure_s: float) -> tuple[str | None, str | None]:
        key = (source, kind, exposure_s)
        if key not in self._refusals:
            self._refusals[key] = refusals(self.sets[source], self._yardstick, kind, exposure_s)
        return self._refusals[key]


def _set_facts(norms: NormSet, media: int) -> dict[str, Any]:
    file = norms.path.read_bytes() if norms.path else b""
    return {
        "name": norms.name,
        "title": norms.title,
        "population": norms.population,
        "created": norms.created,
        "n": norms.sizes.get((), 0),
        "sha256": hashlib.sha256(file).hexdigest() if file else None,
        "media": media,
    }
