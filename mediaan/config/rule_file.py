"""A file of rules: an objectives file, of which the rules are taken."""

from __future__ import annotations

from pathlib import Path

from mediaan.config.objectives_file import load_objectives
from mediaan.config.rules import RuleSettings
from mediaan.errors import UsageError


def load_rules(path: Path) -> tuple[RuleSettings, ...]:
    """Read the ``rules`` of a YAML file, in their order.

    Raises
    ------
    UsageError
        The file cannot be read, a rule cannot be understood, or there is none.
    """
    rules = load_objectives(path).rules
    if not rules:
        raise UsageError(
            f"{path}: holds no rules; write for example\n\nrules:\n  - branding.percentage_seen >= 40",
            code="config_invalid",
        )
    return rules
