"""Rules held against the media of a finished run."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mediaan.benchmark.norm import PERCENTS
from mediaan.config.rule_file import load_rules
from mediaan.config.rules import RuleSettings, rules_from, rules_of_run
from mediaan.errors import UsageError
from mediaan.report import write_report
from mediaan.rules.check import Check, Unanalysed
from mediaan.rules.evaluate import LimitAt, evaluate, no_population
from mediaan.rules.expression import Expression
from mediaan.rules.rule import FOUND_BY, Area, Limit, Measured, Reading
from mediaan.run import Run, read_run
from mediaan.run.derived import replace_table
from mediaan.run.files import write_whole
from mediaan.run.objectives import objective_of
from mediaan.run.opening import RUN_FILE
from mediaan.types.aoi import AOI_TYPES, AoiType
from mediaan.types.metrics import Time
from mediaan.workflow.populations import load_populations, rated_before

if TYPE_CHECKING:
    import pandas as pd

_HOW_TO_LOOK = "analyse with --aois all, or `mediaan aois detect` what was analysed"

Scores = dict[tuple[str, Time], Reading]


class _Medium(NamedTuple):
    """A file of a run with what decides which rules are meant for it."""

    measured: Measured
    type: str
    objective: Mapping[str, Any]


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
    rules : path or sequence, optional
        YAML file with `rules`, or such rules, as texts or mappings; by default the rules that the run was made with.
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
        message = f"{run.path}: was made without rules; name a file of rules with --rules"
        raise UsageError(message, code="no_rules")
    check = _checked(run, settings, refuse=True)
    if keep:
        _keep_rules(run, settings)
        _keep_results(run, check)
        write_report(run.path)
    return check


def _rules_of(run: Run, rules: str | Path | Sequence[str | Mapping[str, Any]] | None) -> tuple[RuleSettings, ...]:
    if rules is None:
        return rules_of_run(run.facts.get("rules") or ())
    return load_rules(Path(rules)) if isinstance(rules, (str, Path)) else rules_from(rules)


def refresh_rule_results(run: Run) -> Check | None:
    """Hold the run's own rules against it as it is now, and keep the results in its table; None without rules."""
    settings = rules_of_run(run.facts.get("rules") or ())
    if not settings:
        return None
    check = _checked(run, settings, refuse=False)
    _keep_results(run, check)
    return check


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


def _checked(run: Run, settings: Sequence[RuleSettings], *, refuse: bool) -> Check:
    """Results of rules; `refuse` those on areas that nobody looked for on any of their media."""
    expressions = [one.expression for one in settings]
    media = list(_media(run, expressions))
    if refuse:
        for one in settings:
            looked_for = [medium.measured.looked_for for medium in media if _is_for(one, medium)]
            check_needs([one] if looked_for else [], frozenset().union(*looked_for))
    limit_at = _limits(run) if any(e.percent is not None for e in expressions) else no_population
    held = [(one, one.as_rule()) for one in settings]
    results = tuple(
        evaluate(rule, medium.measured, limit_at)
        for medium in media
        for rule in dict.fromkeys(rule for one, rule in held if _is_for(one, medium))
    )
    return Check(str(run.path), tuple(rule for _, rule in held), results, len(media), tuple(_unanalysed(run)))


def _is_for(settings: RuleSettings, medium: _Medium) -> bool:
    return settings.is_for(medium.measured.path, medium.type, medium.objective)


def _limits(run: Run) -> LimitAt:
    """Percentiles of the populations that the run's media are compared with."""
    populations = load_populations(run, **rated_before(run))

    def limit_at(medium_id: str, metric: str, time: Time, aoi_type: AoiType | None, percent: int) -> Limit | str:
        match = populations.match(medium_id, metric, time, aoi_type)
        if isinstance(match, str):
            return match
        norm_set = populations.norm_set(medium_id)
        assert norm_set is not None, "a norm was found in it"
        whose = f"every {aoi_type} in {norm_set.title}" if aoi_type else norm_set.title
        part = "" if match.segment == "all" else f", {match.segment}"
        words = f"{_ordinal(percent)} percentile of {whose}{part}, n = {match.norm.n}"
        lo, hi = (float(ends[percent - PERCENTS[0]]) for ends in (match.norm.lo, match.norm.hi))
        return Limit(match.norm.value_at(percent), words, lo, hi)

    return cache(limit_at)


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _media(run: Run, expressions: Sequence[Expression]) -> Iterator[_Medium]:
    """Analysed files with those of their scores that rules speak of."""
    wanted = {(e.metric, e.time) for e in expressions}
    scores, areas = _scores(run.metrics, "medium_id", wanted), _areas(run, wanted)
    looked_for = _looked_for(run)
    done = run.media[run.media["status"] == "done"]
    for path, medium_id, kind in zip(done["path"], done["medium_id"], done["type"], strict=True):
        measured = Measured(
            path, medium_id, scores.get(medium_id, {}), tuple(areas.get(medium_id, ())), looked_for[medium_id]
        )
        yield _Medium(measured, kind, objective_of(run.facts, path))


def _scores(table: pd.DataFrame, owner: str, wanted: Collection[tuple[str, str]]) -> dict[str, Scores]:
    """Scores that are wanted, by medium or area."""
    rows = table[table["metric"].isin({metric for metric, _ in wanted})]
    found: dict[str, Scores] = {}
    columns = (owner, "metric", "metric_time", "value", "lo", "hi", "reason")
    for one, metric, time, value, lo, hi, reason in zip(*(rows[column] for column in columns), strict=True):
        reading = Reading(_number(value), _number(lo), _number(hi), reason if isinstance(reason, str) else None)
        found.setdefault(one, {})[metric, time] = reading
    return found


def _number(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)


def _areas(run: Run, wanted: Collection[tuple[str, str]]) -> dict[str, list[Area]]:
    scores = _scores(run.aoi_scores, "aoi_id", wanted)
    areas: dict[str, list[Area]] = {}
    columns = ("medium_id", "aoi_id", "type", "label")
    for medium_id, aoi_id, aoi_type, label in zip(*(run.aois[column] for column in columns), strict=True):
        areas.setdefault(medium_id, []).append(Area(aoi_id, aoi_type, label, scores.get(aoi_id, {})))
    return areas


def _looked_for(run: Run) -> dict[str, frozenset[AoiType]]:
    """Types of areas that would be known of each medium if they were there.

    Whoever draws areas on a medium says what there is. A later search may not have come by every file; then only where
    it found something it surely was.
    """
    media = set(run.media["medium_id"][run.media["status"] == "done"])
    everywhere = FOUND_BY[run.facts["recipe"].get("aois", "none")]
    somewhere: frozenset[AoiType] = frozenset()
    for change in run.facts.get("aoi_changes", ()):
        found = FOUND_BY.get(change.get("detected", "none"), frozenset())
        if change["media"] >= len(media):
            everywhere |= found
        somewhere |= found
    by_source = run.aois.groupby("source")["medium_id"].agg(set).to_dict()
    drawn, detected = by_source.get("drawn", set()), by_source.get("detected", set())
    return {
        medium_id: frozenset(AOI_TYPES)
        if medium_id in drawn
        else everywhere | (somewhere if medium_id in detected else frozenset())
        for medium_id in media
    }


def _unanalysed(run: Run) -> Iterator[Unanalysed]:
    failed = run.media[run.media["status"] != "done"]
    for path, code, message in zip(failed["path"], failed["error_code"], failed["error_message"], strict=True):
        yield Unanalysed(path, code, message)


def _keep_results(run: Run, check: Check) -> None:
    replace_table(run.path, "rule_results", map(asdict, check.results))


def _keep_rules(run: Run, settings: Sequence[RuleSettings]) -> None:
    facts = {**run.facts, "rules": [one.written() for one in settings]}
    write_whole(run.path / RUN_FILE, (json.dumps(facts, indent=2) + "\n").encode())
