"""What the user says of each medium: its objective, its brand, the AOIs that people drew on it, and rules."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mediaan.analysis import Wishes
from mediaan.config import (
    Objective,
    ObjectivesConfig,
    benchmark_choice,
    load_objectives,
    resolve_objective,
    unused_patterns,
)
from mediaan.config.aoi_file import AoiSheet, load_aois
from mediaan.config.brand import BrandSettings
from mediaan.config.rule_file import load_rules
from mediaan.config.rules import RuleSettings
from mediaan.run.objectives import pack_objectives
from mediaan.types.aoi import Brand


@dataclass(frozen=True, slots=True)
class Briefing:
    """An objectives file, a file of AOIs and a file of rules, any of which may be missing.

    Attributes
    ----------
    objectives : ObjectivesConfig or None
    folder : Path
        Of the objectives file: logos are found from there.
    sheet : AoiSheet or None
    more_rules : tuple of RuleSettings
        Of the file of rules.
    domain : str or None
        What all media are of which no objective says it.
    objectives_file, rules_file, aois_file : Path or None
        Where they were read from.
    """

    objectives: ObjectivesConfig | None = None
    folder: Path = Path()
    sheet: AoiSheet | None = None
    more_rules: tuple[RuleSettings, ...] = ()
    domain: str | None = None
    objectives_file: Path | None = None
    rules_file: Path | None = None
    aois_file: Path | None = None

    @property
    def rules(self) -> tuple[RuleSettings, ...]:
        """Those of the objectives, then those of the file of rules."""
        return (*(self.objectives.rules if self.objectives else ()), *self.more_rules)

    def wishes(self, shown: str) -> Wishes:
        """What is asked of a medium by its path as tables show it."""
        drawings = self.sheet.drawings(shown) if self.sheet else None
        if self.objectives is None:
            return Wishes(drawings=drawings, domain=self.domain)
        objective = resolve_objective(self.objectives, shown)
        brand = _located(objective.brand, self.folder) if objective.brand else None
        return Wishes(brand, objective.platform, drawings, objective.exposure_s, objective.domain or self.domain)

    def objective_facts(self, shown: Sequence[str]) -> dict[str, dict[str, Any]] | None:
        """Objectives by path; norm sets that are files with their whole path."""
        return None if self.objectives is None else dict(self._said_of(shown))

    def packed_objectives(self, shown: Sequence[str]) -> dict[str, Any] | None:
        """The same as ``run.json`` keeps them."""
        return None if self.objectives is None else pack_objectives(self._said_of(shown))

    def _said_of(self, shown: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """What is said of each path; media of which the same is said share it."""
        assert self.objectives is not None
        known: dict[Objective, dict[str, Any]] = {}
        for path in shown:
            objective = resolve_objective(self.objectives, path)
            if objective not in known:
                known[objective] = self._facts(objective)
            yield path, known[objective]

    def _facts(self, objective: Objective) -> dict[str, Any]:
        facts = objective.model_dump(mode="json", exclude_none=True)
        if objective.benchmark:
            facts["benchmark"] = benchmark_choice(objective.benchmark, self.folder)
        return facts

    @property
    def targets(self) -> dict[str, list[str]]:
        """In which categories scores should lie, where the user says so."""
        return {key: list(target) for key, target in self.objectives.targets.items()} if self.objectives else {}

    def unused_patterns(self, shown: Sequence[str]) -> list[str]:
        """Patterns of both files that fit no medium: probably misspelt."""
        unused = unused_patterns(self.objectives, shown) if self.objectives else ()
        return [*unused, *(self.sheet.unused(shown) if self.sheet else ())]

    def wishes_id(self, shown: str, *, looks_for_aois: bool) -> str:
        """Changes with all that is asked of a medium and changes what is found of it; empty where nothing is.

        Parameters
        ----------
        shown : str
            The medium's path as tables show it.
        looks_for_aois : bool
            Without AOIs brand and platform change nothing; a stated domain changes densities anyhow. Another exposure
            needs no other look at a medium.
        """
        wishes = self.wishes(shown)
        said: list[Any] = [wishes.domain]
        if looks_for_aois or wishes.drawings is not None:
            brand = wishes.brand
            logos = [_sha256(path) for path in brand.logos] if brand else []
            said += [brand and [brand.name, brand.aliases, logos], wishes.platform, wishes.drawings]
        if not any(one is not None for one in said):
            return ""
        return hashlib.sha256(json.dumps(said, default=_written).encode()).hexdigest()[:16]


@cache
def _sha256(path: Path) -> str:
    """Read once for a run; see `load_briefing`."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _written(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)


@cache
def _located(brand: BrandSettings, folder: Path) -> Brand:
    """Logos are looked for, and looked at, once for a run."""
    return brand.located(folder)


def load_briefing(
    objectives: str | Path | None,
    aois: str | Path | None,
    rules: str | Path | None = None,
    *,
    domain: str | None = None,
) -> Briefing:
    """Read the files, as far as they are given; `domain` is that of media of which no objective says it.

    Raises
    ------
    UsageError
        Naming the file and what must change.
    """
    for found in (_sha256, _located):
        found.cache_clear()  # in a notebook, logos may be others since the run before
    path = Path(objectives) if objectives else None
    return Briefing(
        load_objectives(path) if path else None,
        path.parent if path else Path(),
        load_aois(Path(aois)) if aois else None,
        load_rules(rules) if rules else (),
        domain,
        path,
        Path(rules) if rules else None,
        Path(aois) if aois else None,
    )
