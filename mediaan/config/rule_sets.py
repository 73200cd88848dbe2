"""Load rules by name or by file: rule sets that ship, and objectives files, of which the rules are taken."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from mediaan.config.objectives.file import load_objectives
from mediaan.config.rules import RuleSettings
from mediaan.config.validation import StrictModel, read_document
from mediaan.errors import UsageError, did_you_mean
from mediaan.judge.rules import rule_set_names, rule_set_path

_MARKS_OF_PATHS = ("/", "\\", ".")


class RuleSet(StrictModel):
    """Rules that ship under a name."""

    title: str
    about: str
    """`title` and `about`: What they ask for, and what they cannot tell."""
    sources: Annotated[tuple[str, ...], Field(min_length=1)]
    """What they follow: author or publisher, title, year."""
    rules: Annotated[tuple[RuleSettings, ...], Field(min_length=1)]


def load_rule_set(name: str) -> RuleSet:
    """Read a rule set that ships.

    `name`: one of `rule_set_names`.
    """
    return RuleSet.model_validate(read_document(rule_set_path(name)).content)


def load_rules(source: str | Path) -> tuple[RuleSettings, ...]:
    """Read the rules of a rule set that ships, or the ``rules`` of a YAML file, in their order.

    `source`: a text without slash or point is the name of a rule set, such as ``abcd``, or that of a file where there
        is no such set; ``./abcd``, or a `Path`, is always a file.
    Raises UsageError: there is neither (code unknown_rule_set), the file cannot be read, holds no rules, or one cannot
        be understood.
    """
    if isinstance(source, str) and not any(mark in source for mark in _MARKS_OF_PATHS):
        names = rule_set_names()
        if source in names:
            return load_rule_set(source).rules
        if not Path(source).is_file():
            raise UsageError(
                f"no rule set is called {source!r}, and this file does not exist; built-in rule sets are "
                f"{', '.join(names)}{did_you_mean(source, names)}",
                code="unknown_rule_set",
            )
    path = Path(source)
    rules = load_objectives(path).rules
    if not rules:
        raise UsageError(
            f"{path}: holds no rules; write for example\n\nrules:\n  - branding.percentage_seen >= 40",
            code="config_invalid",
        )
    return rules
