"""Rules that media have to meet: their language, what they say of a medium, and the sets that ship.

Sets are named without reading them, which completion in a shell would wait for.
"""

from __future__ import annotations

from pathlib import Path

_SETS = Path(__file__).resolve().parent / "sets"


def rule_set_names() -> tuple[str, ...]:
    """Return the names of the rule sets that ship.

    >>> rule_set_names()
    ('abcd', 'feed', 'stills')
    """
    return tuple(sorted(file.stem for file in _SETS.glob("*.yaml")))


def rule_set_path(name: str) -> Path:
    """Return the file of a rule set that ships."""
    return _SETS / f"{name}.yaml"
