"""Check a finished run against rules: its own, or others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mediaan.config.objectives import load_rules
from mediaan.config.rules import RuleSettings, rules_from, rules_of_run
from mediaan.errors import UsageError
from mediaan.judge.rules.check import Check, UnanalyzedFile
from mediaan.report.write import refresh_report
from mediaan.run import Run, read_run
from mediaan.run.directory import hold_run
from mediaan.run.tables.reading import done_media, table_rows
from mediaan.types.aoi import AoiType
from mediaan.workflow.ranges import is_for, keep_rule_results, rule_results

_HOW_TO_LOOK = "analyze with --aois all, or `mediaan aois detect` the files"


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
