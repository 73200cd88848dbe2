"""What differs between the recipe of an earlier run and the one that is asked for, in the words of the options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_OPTIONS = {"time_limit_s": "--time-limit", "exposure_s": "exposure_s", "densities": "--no-densities"}
"""Those that are not called like the setting; the exposure of a recipe is set in Python."""
_SHA_SHOWN = 8


def recipe_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Say what changed.

    Parameters
    ----------
    before, after : mapping
        What ``run.json`` or ``unfinished.json`` says: ``recipe``, ``models``, ``mediaan``. What is missing, or no
        mapping, is not compared.

    Examples
    --------
    >>> recipe_changes({"recipe": {"fps": 5.0, "maps": []}}, {"recipe": {"fps": 10.0, "maps": ["heat", "fog"]}})
    ['--fps 5 → 10', '--maps none → heat,fog']
    """
    return [*_settings(before, after), *_weights(before, after), *_version(before, after)]


def _settings(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    old, new = _mapping(before.get("recipe")), _mapping(after.get("recipe"))
    for name in new:
        if name in old and old[name] != new[name]:
            option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
            yield f"{option} {_said(name, old[name])} → {_said(name, new[name])}"


def _weights(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    old, new = _hashes(before), _hashes(after)
    for name in old.keys() & new.keys():
        if old[name] != new[name]:
            yield f"weights of {name} {_short(old[name])} → {_short(new[name])}"


def _version(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    old, new = before.get("mediaan"), after.get("mediaan")
    if old is not None and old != new:
        yield f"mediaan {old} → {new}"


def _said(name: str, value: Any) -> str:
    if name == "calibration" and isinstance(value, Mapping):
        return f"{value.get('source')} {_short(value.get('sha256'))}"
    if name == "densities":
        return "off" if value else "on"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value)) or "none"
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value is None else str(value)


def _hashes(facts: Mapping[str, Any]) -> dict[str, object]:
    models = facts.get("models")
    found = [model for model in models if isinstance(model, Mapping)] if isinstance(models, list) else []
    return {str(model.get("name")): model.get("sha256") for model in found}


def _short(sha256: object) -> str:
    return "none" if sha256 is None else str(sha256)[:_SHA_SHOWN]


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
