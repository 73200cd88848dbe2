"""Judge the scores of a run: ranges in the populations of its media, checks, and results of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from mediaan.config.attributes import FOLDER_KEYS, OBJECTIVE_KEYS, attribute_of, check_column, load_attributes
from mediaan.config.rules import RuleSettings, rules_of_run
from mediaan.judge.benchmark import find_norm_set, list_norm_sets
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.judge.benchmark.norm import PERCENTS
from mediaan.judge.benchmark.norm_set import NormSet
from mediaan.judge.benchmark.ranges import rate_scores, recommended_ranges
from mediaan.judge.checks import check_specs, derived_expressions, evaluate_checks
from mediaan.judge.rules.derived import film_of, needed_tables, with_derived_scores
from mediaan.judge.rules.evaluate import LimitAt, evaluate, no_population
from mediaan.judge.rules.rule import Expression, Limit
from mediaan.run import Run, read_run
from mediaan.run.metadata import RunMetadata, distinct_objectives
from mediaan.run.results import each_medium, read_ranges
from mediaan.run.tables.reading import ROWS_AT_ONCE, done_media
from mediaan.run.tables.rows import Columns
from mediaan.run.tables.writing import TableWriter, replace_ranges, replace_table
from mediaan.types.benchmark import BenchmarkRange
from mediaan.types.checks import CheckResult, RuleResult
from mediaan.types.result import Result
from mediaan.workflow.populations import (
    AUTO,
    NONE,
    PopulationCase,
    Populations,
    check_norm_set,
    choose_norm_set,
    comparability_key,
    measured_scores,
    refusals,
)


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
        values = ((key, attribute_of(path, key, objective, table)) for key in keys)
        case = PopulationCase.of(norms, chosen, kind, objective, values, refused[asked], exposure_s)
        cases[medium_id] = alike.setdefault(case, case)
    return Populations(cases, sets, choice, despite, file)


def rating_arguments(run: Run) -> dict[str, str]:
    """Return the arguments of `load_populations` that a run was rated with, as far as not the defaults."""
    benchmark = run.metadata.benchmark
    return {key: benchmark[key] for key in ("choice", "despite", "attributes") if benchmark.get(key)}


def media_attributes(
    run: Run, keys: Sequence[str], table: str | Path | None = None
) -> dict[str, dict[str, str | None]]:
    """Return the values of some keys for every analyzed medium.

    `keys`: columns of the table, which go first; else of `OBJECTIVE_KEYS` or `FOLDER_KEYS`.
    `table`: CSV, as `load_attributes` reads it.
    Returns: by medium id, of its first path; None where nothing is said.
    Raises UsageError: the table cannot be read, or a key is not known.
    """
    by_path = path_attributes(run, keys, table)
    done = run.media[run.media["status"] == "done"].drop_duplicates("medium_id")
    return {str(i): by_path[str(path)] for i, path in zip(done["medium_id"], done["path"], strict=True)}


def path_attributes(run: Run, keys: Sequence[str], table: str | Path | None = None) -> dict[str, dict[str, str | None]]:
    """Return the same for every path of the analyzed media: an image in two folders may belong to two campaigns."""
    attributes = load_attributes(Path(table)) if table else None
    for key in keys:
        check_column(attributes, key, (*OBJECTIVE_KEYS, *FOLDER_KEYS))
    return {
        path: {key: attribute_of(path, key, run.metadata.objective(path), attributes) for key in keys}
        for path in run.media.loc[run.media["status"] == "done", "path"].astype(str)
    }


def rate_run(
    run_dir: str | Path, choice: str = AUTO, despite: str = "", attributes: str | Path | None = None
) -> Populations:
    """Rate the scores of a finished run against norm sets, in place of the earlier rating.

    The tables `benchmark_ranges` and `checks` are written again, and `run.json` says which norm sets were used and
    which were refused. The report is not.

    Parameters
    ----------
    run_dir : path
    choice, despite, attributes
        As `load_populations` takes them.

    Returns
    -------
    Populations

    Raises
    ------
    UsageError
        No run; no such norm set; one that was named does not fit (code norms_mismatch).
    """
    run = read_run(run_dir)
    populations = load_populations(run, choice, despite, attributes)
    with TableWriter(run.path / "tables", "checks", ROWS_AT_ONCE) as checks:
        count = replace_ranges(run.path, _ranges_and_checks(run, populations, checks))
        run.metadata.updated(benchmark=populations.facts() | {"ranges": count}).write(run.path)
        checks.finish()
        checks.publish()
    return populations


def recommended_ranges_of(run_dir: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the recommended ranges of each medium of a run as the v2 service gives them, with its id and path."""
    media = read_run(run_dir).media.drop_duplicates("medium_id").set_index("medium_id")
    for medium_id, ranges in groupby(read_ranges(Path(run_dir)), attrgetter("medium_id")):
        yield {"media_id": medium_id, "path": media["path"][medium_id], **recommended_ranges(ranges)}


def rate_again(run_dir: str | Path) -> Populations:
    """Rate a run whose scores have changed, in the same way as before."""
    return rate_run(run_dir, **rating_arguments(read_run(run_dir)))


def check_rating(run: Run) -> None:
    """Refuse before the work what `rate_again` would refuse after it.

    Raises UsageError: a norm set or table that the run was rated with is not there any more.
    """
    load_populations(run, **rating_arguments(run))


def _ranges_and_checks(run: Run, populations: Populations, checks: TableWriter) -> Iterator[BenchmarkRange]:
    """Yield the ranges of each medium, its own and then those of its AOIs, and write its checks, which follow."""
    standard_of = populations.standards(run.metadata.targets)
    tables, _ = needed_tables(derived_expressions(check_specs()))
    for result in each_medium(run.results(tables)):
        ranges = tuple(rate_scores(measured_scores(result), standard_of))
        checks.add(check_columns(replace(result, ranges=ranges)))
        yield from ranges


_COLUMNS = (*(field.name for field in fields(CheckResult)), "sure")


def check_columns(result: Result) -> Columns:
    """Check a medium, with its benchmark ranges, and return its part of the table ``checks``, column by column."""
    checks = evaluate_checks(result)
    columns = {name: [getattr(check, name) for check in checks] for name in _COLUMNS}
    return {"medium_id": [str(result.medium.medium_id)] * len(checks), **columns}


def refresh_rule_results(run: Run) -> bool:
    """Evaluate the run's own rules on it as it is now, and store the results; return whether it has any."""
    settings = rules_of_run(run.metadata.rules)
    if settings:
        keep_rule_results(run, rule_results(run, settings))
    return bool(settings)


def rule_results(run: Run, settings: Sequence[RuleSettings]) -> Iterator[RuleResult]:
    """Yield results by medium, then by rule."""
    evaluate_medium = rules_for(run, settings)
    tables, metrics = needed_tables([rule.expression for rule in settings])
    for result in run.results(tables, metrics=metrics):
        yield from evaluate_medium(result)


def rules_for(run: Run, settings: Sequence[RuleSettings]) -> Callable[[Result], Iterator[RuleResult]]:
    """Return a function that yields the results of rules for one medium of a run."""
    expressions = [rule.expression for rule in settings]
    limit_at = _limits(run) if any(e.percent is not None for e in expressions) else no_population
    rules = [(rule, rule.as_rule()) for rule in settings]

    def results_of(result: Result) -> Iterator[RuleResult]:
        film = film_of(result, expressions)
        with_scores = with_derived_scores(result, film, expressions)
        for rule in dict.fromkeys(rule for meant, rule in rules if is_for(meant, result)):
            yield evaluate(rule, with_scores, limit_at, film)

    return results_of


def is_for(settings: RuleSettings, result: Result) -> bool:
    """Return whether a rule is meant for a medium."""
    return settings.is_for(result.path, result.medium.kind, result.objective)


def _limits(run: Run) -> LimitAt:
    """Return a function for percentiles of the populations that the run's media are compared with."""
    populations = load_populations(run, **rating_arguments(run))

    @cache
    def limit_of(case: PopulationCase | None, rule: Expression) -> Limit | str:
        match = populations.find(case, rule.metric, rule.time, rule.aoi_type)
        if case is None or isinstance(match, str):
            return str(match)
        assert rule.percent is not None
        percent = rule.percent
        title = populations.sets[case.source].title
        seen = "" if match.exposure_s is None else f" looked at for {match.exposure_s:g} s"
        whose = f"every {rule.aoi_type}{seen} in {title}" if rule.aoi_type else title
        part = "" if match.segment == "all" else f", {match.segment}"
        ending = "th" if percent % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(percent % 10, "th")
        words = f"{percent}{ending} percentile of {whose}{part}, n = {match.norm.n}"
        lo, hi = (float(ends[percent - PERCENTS[0]]) for ends in (match.norm.lo, match.norm.hi))
        return Limit(match.norm.value_at(percent), lo, hi, words)

    return lambda medium_id, rule: limit_of(populations.cases.get(medium_id), rule)


def keep_rule_results(run: Run, results: Iterable[RuleResult]) -> None:
    """Put results of rules in the run's table."""
    names = [field.name for field in fields(RuleResult)]
    cells = attrgetter(*names)
    replace_table(run.path, "rule_results", (dict(zip(names, cells(result), strict=True)) for result in results))
