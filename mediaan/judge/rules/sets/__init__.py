"""The rule sets that ship, named without reading them."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).resolve().parent


def rule_set_names() -> tuple[str, ...]:
    """Return the names of the rule sets that ship.

    >>> rule_set_names()
    ('abcd', 'feed', 'stills')
    """
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.yaml")))


def rule_set_path(name: str) -> Path:
    """Return the file of a rule set that ships."""
    return _FOLDER / f"{name}.yaml"
