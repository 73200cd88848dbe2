"""Define the checks that ship: rules with a reason, and the sentences that their results are told in."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from pydantic import TypeAdapter

from mediaan.judge.benchmark.targets import ANY
from mediaan.judge.rules.parse import parse_rule
from mediaan.judge.rules.rule import Expression
from mediaan.types.aoi import AoiType
from mediaan.types.checks import CheckStatus


@dataclass(frozen=True)
class CheckSpec:
    """One check; ``checks.toml`` says what each field is."""

    name: str
    title: str
    flaw: str
    rules: tuple[str, ...]
    asked: tuple[str, ...]
    required: tuple[str, ...]
    media: tuple[str, ...]
    why: str
    source: str = ""
    least: float = 0.0
    """Least confidence of a detected area, 0-1."""
    needs_area: bool = False

    @cached_property
    def expressions(self) -> tuple[Expression, ...]:
        """The rules, understood."""
        return tuple(map(parse_rule, self.rules))

    @property
    def aoi_type(self) -> AoiType | None:
        """Type of the area that it is about; None: of the medium."""
        return self.expressions[0].aoi_type

    def is_asked(self, purpose: str | None, *, moves: bool) -> bool:
        """Return True if the check applies to a medium."""
        return ("film" if moves else "image") in self.media and (ANY in self.asked or purpose in self.asked)

    def is_required(self, purpose: str | None) -> bool:
        """Return True if a medium of this purpose requires the check."""
        return ANY in self.required or purpose in self.required


@dataclass(frozen=True, slots=True)
class ScoreWording:
    """What checks say of a score, and how they compare it; ``checks.toml`` says what each field is."""

    finding: str = ""
    text: str = ""
    passed: str = ""
    close: str = ""
    failed: str = ""
    unknown: str = ""
    settle: str = ""
    todo: str = ""
    tolerance: float = 0.0
    """In the score's unit."""

    def sentence(self, status: CheckStatus) -> str:
        """Return the sentence of an outcome; empty where the finding is told with its target."""
        of_status = {"passed": self.passed, "close": self.close, "failed": self.failed}
        return self.text or of_status.get(status, "")

    @property
    def tells_value(self) -> bool:
        """True if the sentence holds the value, and so the table does."""
        return "{value}" in self.finding + self.text + self.passed


@dataclass(frozen=True, slots=True)
class MissingAreaWording:
    """What checks say if the area that they need is missing."""

    text: str
    settle: str
    todo: str = ""
    status: CheckStatus = "unknown"


@cache
def check_specs() -> tuple[CheckSpec, ...]:
    """Return the checks that ship, in the order in which they are shown."""
    return TypeAdapter(tuple[CheckSpec, ...]).validate_python(_contents()["check"])


@cache
def score_wordings() -> Mapping[str, ScoreWording]:
    """Return what checks say of scores, by metric."""
    return TypeAdapter(dict[str, ScoreWording]).validate_python(_contents()["score"])


@cache
def missing_area_wording(aoi_type: AoiType, case: str) -> MissingAreaWording:
    """Return what checks say if an area of a type is missing, in a case such as ``doubtful``."""
    missing = _contents()["missing"]
    return MissingAreaWording(**(missing["any"] | missing.get(aoi_type, {}))[case])


def _contents() -> dict[str, Any]:
    return tomllib.loads(files("mediaan.judge.checks").joinpath("checks.toml").read_text(encoding="utf-8"))
