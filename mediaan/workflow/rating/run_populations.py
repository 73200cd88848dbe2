"""Find the population of every medium of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mediaan.config.attributes import FOLDER_KEYS, OBJECTIVE_KEYS, attribute_of, load_attributes
from mediaan.judge.benchmark import find_norm_set, list_norm_sets
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.judge.benchmark.norm_set import NormSet
from mediaan.run.metadata import RunMetadata, distinct_objectives
from mediaan.run.tables.reading import done_media
from mediaan.workflow.rating.populations import (
    AUTO,
    NONE,
    PopulationCase,
    Populations,
    check_norm_set,
    choose_norm_set,
    comparability_key,
    other_exposure,
    refusals,
)

if TYPE_CHECKING:
    from mediaan.run import Run


def check_choice(metadata: RunMetadata, choice: str, despite: str = "") -> None:
    """Refuse norm sets that were named and cannot be used, before any work.

    `metadata`: of the run, or of the one to be.
    `choice`, `despite`: as `load_populations` takes them.
    Raises UsageError: there is no such norm set, or its scores were measured otherwise than the run's (code
        norms_mismatch).
    """
    sources = [choice]
    if choice == AUTO:
        sources = [objective.get("benchmark", AUTO) for objective in distinct_objectives(metadata.facts)]
    for source in dict.fromkeys(sources):
        if source not in (AUTO, NONE):
            check_norm_set(source, comparability_key_of(metadata), despite)


def comparability_key_of(metadata: RunMetadata) -> ComparabilityKey:
    """Return what a run's scores were measured with, including AOIs that were detected later.

    Raises UsageError: ``old_run``: the run does not say so.
    """
    attention_and_finders = list(metadata.facts.get("models") or ())
    later = [change.get("models") or () for change in metadata.aoi_changes if "detected" in change]
    models = [*attention_and_finders[:1], *later[-1]] if later else attention_and_finders
    return comparability_key({**metadata.facts, "models": models})


def load_populations(
    run: Run, choice: str = AUTO, despite: str = "", attributes: str | Path | None = None
) -> Populations:
    """Find the population of every medium of a run.

    `choice`: `auto`: the norm set that the medium's objective names, otherwise the shipped one that is meant for what
        it is; `none`; or the name or path of one for all media.
    `despite`: why a norm set may be used although it was measured otherwise; empty: it may not.
    `attributes`: table that says more of the media, as `load_attributes` reads it.
    Raises UsageError: there is no such norm set; one that was named does not fit (code norms_mismatch); the table
        cannot be read.
    """
    choice = str(Path(choice).resolve()) if choice.endswith(".parquet") else choice  # run.json keeps it
    check_choice(run.metadata, choice, despite)
    file = Path(attributes).resolve() if attributes else None
    table = load_attributes(file) if file else None
    known_keys = {*(table.columns if table else ()), *OBJECTIVE_KEYS, *FOLDER_KEYS}
    measured_with, shipped = comparability_key_of(run.metadata), list_norm_sets()
    sets: dict[str, NormSet] = {}
    refused: dict[tuple[str, str, float], tuple[str | None, str | None]] = {}
    cases: dict[str, PopulationCase | None] = {}
    alike: dict[PopulationCase, PopulationCase] = {}
    for path, medium_id, kind, domain in done_media(run.path):
        if medium_id in cases:
            continue
        objective, exposure_s = run.metadata.objective(path), run.exposure_s(path)
        chosen = choose_norm_set(objective, kind, choice, shipped, domain)
        if chosen is None:
            cases[medium_id] = None
            continue
        if chosen.source not in sets:
            sets[chosen.source] = find_norm_set(chosen.source)
        norms, asked = sets[chosen.source], (chosen.source, kind, exposure_s)
        if asked not in refused:
            refused[asked] = (None, None) if despite else refusals(norms, measured_with, kind, exposure_s)
        # a set that divides media by what is unknown of them is used as a whole
        keys = (key for key in norms.keys if key in known_keys)
        case = PopulationCase(
            kind,
            objective.get("purpose"),
            chosen.source,
            norms.name,
            tuple((key, attribute_of(path, key, objective, table)) for key in keys),
            chosen.note,
            *refused[asked],
            other_exposure(norms, kind, exposure_s),
        )
        cases[medium_id] = alike.setdefault(case, case)
    return Populations(cases, sets, choice, despite, file)


def rating_arguments(run: Run) -> dict[str, str]:
    """Return the arguments of `load_populations` that a run was rated with, as far as not the defaults."""
    benchmark = run.metadata.benchmark
    return {key: benchmark[key] for key in ("choice", "despite", "attributes") if benchmark.get(key)}
