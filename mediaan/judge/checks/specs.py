"""Define the checks that ship."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import TypeAdapter

ANY = "any"

CheckKind = Literal["area_seen", "area_early", "area_legible", "appears_early", "competition", "score"]


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """One check."""

    name: str
    title: str
    """name, title: Of the requirement."""
    flaw: str
    """Words for media that fail it."""
    kind: CheckKind
    asked: tuple[str, ...]
    required: tuple[str, ...]
    """asked, required: Purposes that it applies to, and that require it; ``any`` for all."""
    media: tuple[str, ...]
    why: str
    source: str = ""
    types: tuple[str, ...] = ()
    """Types of areas, or ``offer``; the first one that is found counts."""
    least: float = 0.0
    """Least confidence of a detected area, 0-1."""
    metric: str = ""
    better: Literal["higher", "lower"] = "higher"
    percent: int = 30
    """Percentile of the population that is the target."""
    limit: float = 0.0
    """Target that does not depend on a population, in the unit of the checked number."""

    def is_asked(self, purpose: str | None, *, moves: bool) -> bool:
        """Return True if the check applies to a medium."""
        return ("film" if moves else "image") in self.media and (ANY in self.asked or purpose in self.asked)

    def is_required(self, purpose: str | None) -> bool:
        """Return True if a medium of this purpose requires the check."""
        return ANY in self.required or purpose in self.required


@cache
def check_specs() -> tuple[CheckSpec, ...]:
    """Return the checks that ship, in the order in which they are shown."""
    text = files("mediaan.judge.checks").joinpath("checks.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["check"]
    return tuple(_SPEC.validate_python(entry) for entry in entries)


_SPEC = TypeAdapter(CheckSpec)
