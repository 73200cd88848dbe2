"""Evaluate rules on the media of a finished run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from mediaan.config.objectives import load_rules
from mediaan.config.rules import RuleSettings, rules_from, rules_of_run
from mediaan.errors import UsageError
from mediaan.judge.benchmark.norm import PERCENTS
from mediaan.judge.rules.check import Check, UnanalyzedFile
from mediaan.judge.rules.derived import film_of, needed_tables, with_derived_scores
from mediaan.judge.rules.evaluate import LimitAt, evaluate, no_population
from mediaan.judge.rules.rule import Expression, Limit
from mediaan.report.write import refresh_report
from mediaan.run import Run, read_run
from mediaan.run.directory import hold_run
from mediaan.run.tables.reading import done_media, table_rows
from mediaan.run.tables.writing import replace_table
from mediaan.types.aoi import AoiType
from mediaan.types.checks import RuleResult
from mediaan.types.result import Result
from mediaan.workflow.populations import PopulationCase
from mediaan.workflow.ranges import load_populations, rating_arguments

_HOW_TO_LOOK = "analyze with --aois all, or `mediaan aois detect` the files"


def refresh_rule_results(run: Run) -> bool:
    """Evaluate the run's own rules on it as it is now, and store the results; return whether it has any."""
    settings = rules_of_run(run.metadata.rules)
    if settings:
        keep_rule_results(run, rule_results(run, settings))
    return bool(settings)


def check_needs(settings: Iterable[RuleSettings], looked_for: Collection[AoiType]) -> None:
    """Refuse rules on areas of interest of which nobody looks for any.

    Raises UsageError: with code ``rules_need_aois``.
    """
    for rule in settings:
        aoi_type = rule.expression.aoi_type
        if aoi_type is not None and aoi_type not in looked_for:
            why = "which were not looked for; " + _HOW_TO_LOOK
            if aoi_type == "other":
                why = "of which a search finds offers alone, not all that there may be; apply a file of drawn ones"
            raise UsageError(
                f"the rule {rule.rule!r} needs areas of interest of the type {aoi_type}, {why}", code="rules_need_aois"
            )


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


def check_run(
    run: Run | str | Path,
    rules: str | Path | Sequence[str | Mapping[str, Any]] | None = None,
    *,
    keep: bool = False,
) -> Check:
    """Evaluate rules on the media of a run.

    Parameters
    ----------
    run : Run or path
    rules : path, str or sequence, optional
        YAML file with `rules`; the name of a rule set that ships, such as ``abcd``; or rules, as texts or mappings; by
        default the rules that the run was made with.
    keep : bool
        Put the results in the run's table and report, and the rules in ``run.json``.

    Returns
    -------
    Check
        ``check.results`` are rows: ``pandas.DataFrame(check.results)``.

    Raises
    ------
    UsageError
        No run, no such file, no rules (``no_rules``), or rules on areas of interest that nobody looked for
        (``rules_need_aois``).
    """
    run = run if isinstance(run, Run) else read_run(run)
    if rules is None:
        settings = rules_of_run(run.metadata.rules)
    else:
        settings = load_rules(rules) if isinstance(rules, (str, Path)) else rules_from(rules)
    if not settings:
        message = f"{run.path}: was made without rules; give a file of rules, or a rule set, with --rules"
        raise UsageError(message, code="no_rules")
    # rules on areas that nobody looked for on any of their media
    looked_for: dict[int, frozenset[AoiType]] = {}
    for result in run.results(("aois", "absent_aois")):
        for number, rule in enumerate(settings):
            if is_for(rule, result):
                looked_for[number] = looked_for.get(number, frozenset()) | result.looked_for
    for number, types in looked_for.items():
        check_needs([settings[number]], types)
    results = tuple(rule_results(run, settings))
    columns = ["status", "path", "error_code", "error_message"]
    rows = table_rows(run.path, "media", columns)
    unanalyzed = tuple(UnanalyzedFile(*row[1:]) for row in rows if row[0] != "done")
    media = sum(1 for _ in done_media(run.path))
    check = Check(str(run.path), tuple(rule.as_rule() for rule in settings), results, media, unanalyzed)
    if keep:
        with hold_run(run.path):
            read_run(run.path).metadata.updated(rules=[rule.written() for rule in settings]).write(run.path)
            keep_rule_results(run, check.results)
            refresh_report(read_run(run.path))
    return check
