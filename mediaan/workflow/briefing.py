"""What the user says of each medium: its objective, its brand, the AOIs that people drew on it, and rules."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
    """

    objectives: ObjectivesConfig | None = None
    folder: Path = Path()
    sheet: AoiSheet | None = None
    more_rules: tuple[RuleSettings, ...] = ()

    @property
    def rules(self) -> tuple[RuleSettings, ...]:
        """Those of the objectives, then those of the file of rules."""
        return (*(self.objectives.rules if self.objectives else ()), *self.more_rules)

    def wishes(self, shown: str) -> Wishes:
        """What is asked of a medium by its path as tables show it."""
        drawings = self.sheet.drawings(shown) if self.sheet else None
        if self.objectives is None:
            return Wishes(drawings=drawings)
        objective = resolve_objective(self.objectives, shown)
        brand = _located(objective.brand, self.folder) if objective.brand else None
        return Wishes(brand, objective.platform, drawings, objective.exposure_s)

    def objective_facts(self, shown: Sequence[str]) -> dict[str, Any] | None:
        """Objectives by path, as ``run.json`` keeps them; norm sets that are files with their whole path."""
        if self.objectives is None:
            return None
        return {path: self._facts(resolve_objective(self.objectives, path)) for path in shown}

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

    @property
    def sha256(self) -> str | None:
        """Of what changes AOIs and their scores: brands, logos, platforms, exposures, drawings; None without any."""
        said = [(file, matters) for file, part in self._said() if (matters := _what_matters(part))]
        brands = [brand.model_dump(mode="json") for brand in self.objectives.brands] if self.objectives else []
        if not said and self.sheet is None:
            return None
        logos = [hashlib.sha256(path.read_bytes()).hexdigest() for path in self._logos()]
        text = json.dumps([said, brands, logos, self.sheet.sha256 if self.sheet else None], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def _said(self) -> Iterator[tuple[str, Objective]]:
        """Everything that is said of media, in its order; of the table, with what it calls the file."""
        if self.objectives:
            yield from (("", part) for part in self.objectives.settings.values())
            yield from self.objectives.table.rows.items() if self.objectives.table else ()

    def _logos(self) -> list[Path]:
        brands = self.objectives.described_brands.values() if self.objectives else ()
        return [logo for brand in brands for logo in _located(brand, self.folder).logos]


def _what_matters(settings: Objective) -> dict[str, Any]:
    """Settings that change AOIs or their scores, with the files they are for; empty without any."""
    names = settings.model_fields_set & {"brand", "platform", "exposure_s"}
    return settings.model_dump(mode="json", include={*names, "match"}) if names else {}


@cache
def _located(brand: BrandSettings, folder: Path) -> Brand:
    """Logos are looked for, and looked at, once."""
    return brand.located(folder)


def load_briefing(objectives: str | Path | None, aois: str | Path | None, rules: str | Path | None = None) -> Briefing:
    """Read the files, as far as they are given.

    Raises
    ------
    UsageError
        Naming the file and what must change.
    """
    path = Path(objectives) if objectives else None
    return Briefing(
        load_objectives(path) if path else None,
        path.parent if path else Path(),
        load_aois(Path(aois)) if aois else None,
        load_rules(Path(rules)) if rules else (),
    )
