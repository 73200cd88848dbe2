"""Rules held against the media of a finished run."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from mediaan.benchmark.norm import PERCENTS
from mediaan.config.rule_file import load_rules
from mediaan.config.rules import RuleSettings, rules_from, rules_of_run
from mediaan.errors import UsageError
from mediaan.report import write_report
from mediaan.rules.check import Check, Unanalysed
from mediaan.rules.evaluate import LimitAt, evaluate, no_population
from mediaan.rules.rule import Limit
from mediaan.run import Run, read_run
from mediaan.run.by_medium import done_media, table_rows
from mediaan.run.derived import replace_table
from mediaan.run.files import write_whole
from mediaan.run.lock import hold_run
from mediaan.run.opening import RUN_FILE
from mediaan.types.aoi import AoiType
from mediaan.types.metrics import Time
from mediaan.types.rules import RuleResult
from mediaan.workflow.populations import Case, load_populations, rated_before
from mediaan.workflow.ruled_media import RuledMedium, ruled_media

_HOW_TO_LOOK = "analyse with --aois all, or `mediaan aois detect` what was analysed"


def check_run(
    run: Run | str | Path,
    rules: str | Path | Sequence[str | Mapping[str, Any]] | None = None,
    *,
    keep: bool = False,
) -> Check:
    """Hold rules against the media of a run.

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
    settings = _rules_of(run, rules)
    if not settings:
        message = f"{run.path}: was made without rules; name a file of rules, or a rule set, with --rules"
        raise UsageError(message, code="no_rules")
    _refuse_unsought(run, settings)
    results = tuple(_results(run, settings))
    media, unanalysed = sum(1 for _ in done_media(run.path)), tuple(_unanalysed(run.path))
    check = Check(str(run.path), tuple(one.as_rule() for one in settings), results, media, unanalysed)
    if keep:
        with hold_run(run.path):
            _keep_rules(run, settings)
            _keep_results(run, check.results)
            write_report(run.path)
    return check


def _rules_of(run: Run, rules: str | Path | Sequence[str | Mapping[str, Any]] | None) -> tuple[RuleSettings, ...]:
    if rules is None:
        return rules_of_run(run.facts.get("rules") or ())
    return load_rules(rules) if isinstance(rules, (str, Path)) else rules_from(rules)


def refresh_rule_results(run: Run) -> bool:
    """Hold the run's own rules against it as it is now, and keep the results in its table; whether it has any."""
    settings = rules_of_run(run.facts.get("rules") or ())
    if settings:
        _keep_results(run, _results(run, settings))
    return bool(settings)


def check_needs(settings: Iterable[RuleSettings], looked_for: Collection[AoiType]) -> None:
    """Refuse rules on areas of interest of which nobody looks for any.

    Raises
    ------
    UsageError
        With code ``rules_need_aois``.
    """
    for one in settings:
        aoi_type = one.expression.aoi_type
        if aoi_type is not None and aoi_type not in looked_for:
            drawn = "such areas are never found, only drawn: apply a file of them" if aoi_type == "other" else ""
            raise UsageError(
                f"the rule {one.rule!r} needs areas of interest of the type {aoi_type}, which nobody looked for; "
                f"{drawn or _HOW_TO_LOOK}",
                code="rules_need_aois",
            )


def _refuse_unsought(run: Run, settings: Sequence[RuleSettings]) -> None:
    """Refuse rules on areas that nobody looked for on any of their media."""
    looked_for: dict[int, frozenset[AoiType]] = {}
    for medium in ruled_media(run, [one.expression for one in settings]):
        for place, one in enumerate(settings):
            if _is_for(one, medium):
                looked_for[place] = looked_for.get(place, frozenset()) | medium.measured.looked_for
    for place, found in looked_for.items():
        check_needs([settings[place]], found)


def _results(run: Run, settings: Sequence[RuleSettings]) -> Iterator[RuleResult]:
    """Results by medium, then by rule."""
    expressions = [one.expression for one in settings]
    limit_at = _limits(run) if any(e.percent is not None for e in expressions) else no_population
    held = [(one, one.as_rule()) for one in settings]
    for medium in ruled_media(run, expressions):
        for rule in dict.fromkeys(rule for one, rule in held if _is_for(one, medium)):
            yield evaluate(rule, medium.measured, limit_at)


def _is_for(settings: RuleSettings, medium: RuledMedium) -> bool:
    return settings.is_for(medium.measured.path, medium.type, medium.objective)


def _limits(run: Run) -> LimitAt:
    """Percentiles of the populations that the run's media are compared with."""
    populations = load_populations(run, **rated_before(run))

    @cache
    def limit_of(case: Case | None, metric: str, time: Time, aoi_type: AoiType | None, percent: int) -> Limit | str:
        match = populations.find(case, metric, time, aoi_type)
        if case is None or isinstance(match, str):
            return str(match)
        title = populations.sets[case.source].title
        seen = "" if match.exposure_s is None else f" looked at for {match.exposure_s:g} s"
        whose = f"every {aoi_type}{seen} in {title}" if aoi_type else title
        part = "" if match.segment == "all" else f", {match.segment}"
        words = f"{_ordinal(percent)} percentile of {whose}{part}, n = {match.norm.n}"
        lo, hi = (float(ends[percent - PERCENTS[0]]) for ends in (match.norm.lo, match.norm.hi))
        return Limit(match.norm.value_at(percent), words, lo, hi)

    return lambda medium_id, *asked: limit_of(populations.cases.get(medium_id), *asked)


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _unanalysed(run_dir: Path) -> Iterator[Unanalysed]:
    columns = ["status", "path", "error_code", "error_message"]
    return (Unanalysed(*row[1:]) for row in table_rows(run_dir, "media", columns) if row[0] != "done")


def _keep_results(run: Run, results: Iterable[RuleResult]) -> None:
    names = [field.name for field in fields(RuleResult)]
    cells = attrgetter(*names)
    replace_table(run.path, "rule_results", (dict(zip(names, cells(one), strict=True)) for one in results))


def _keep_rules(run: Run, settings: Sequence[RuleSettings]) -> None:
    facts = {**read_run(run.path).facts, "rules": [one.written() for one in settings]}
    write_whole(run.path / RUN_FILE, (json.dumps(facts, indent=2) + "\n").encode())
