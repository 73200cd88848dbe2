"""Read what the user states about the media of a run: objectives, brands, drawn AOIs, rules and domain."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from mediaan import __version__
from mediaan.analysis import MediumOptions, Recipe
from mediaan.analysis.plan import DEFAULT_OPTIONS
from mediaan.config import (
    Objective,
    ObjectivesConfig,
    benchmark_choice,
    load_objectives,
    resolve_objective,
    unused_patterns,
)
from mediaan.config.aoi_formats.reading import AoiFile, MatchedAois, load_aois
from mediaan.config.brand import BrandKit, BrandSettings, describe_by_kits, load_kits
from mediaan.config.objectives import SETTINGS, dump_objectives, load_rules, read_kit, restore_objectives
from mediaan.config.rules import RuleSettings, rules_of_run
from mediaan.errors import UsageError
from mediaan.run.directory import UNFINISHED_FILE
from mediaan.run.metadata import RUN_FILE, pack_objectives, parse_metadata
from mediaan.storage import open_storage
from mediaan.types.aoi import Brand, Drawing

_NO_OBJECTIVE = Objective()


@dataclass(frozen=True, slots=True)
class RunInputs:
    """An objectives file, a file of AOIs and a file of rules, any of which may be missing."""

    objectives: ObjectivesConfig | None = None
    folder: Path = Path()
    """Of the objectives file: logos are found from there."""
    drawn_aois: AoiFile | None = None
    more_rules: tuple[RuleSettings, ...] = ()
    """Of the file of rules."""
    domain: str | None = None
    """What all media are of which no objective says it."""
    objectives_file: Path | None = None
    rules_file: Path | None = None
    aois_file: Path | None = None
    """`objectives_file`, `rules_file`, `aois_file`: Where they were read from."""
    matched_aois: MatchedAois | None = None
    """Its AOIs by path, once the media of the run are known: see `among`."""
    kits_folder: Path | None = None
    """Of a brand kit, or of several."""
    kits: tuple[BrandKit, ...] = ()
    """Those that lie there."""
    pages: Mapping[str, MediumOptions] = field(default_factory=dict)
    """What is so of pictures of web pages unless it is stated otherwise, by path."""

    def among(self, display_paths: Sequence[str]) -> RunInputs:
        """Return the inputs with drawn AOIs by path, which all paths together decide.

        Raises UsageError: an ``aoi_id`` would stand at the AOIs of two media.
        """
        if self.drawn_aois is None:
            return self
        matched = self.drawn_aois.among(display_paths)
        owner: dict[UUID, str] = {}
        for path, drawings in matched.by_path.items():
            for aoi_id in {drawing.aoi_id for drawing in drawings if drawing.aoi_id}:
                if (other := owner.setdefault(aoi_id, path)) != path:
                    raise UsageError(
                        f"{self.aois_file}: aoi_id {aoi_id} would stand at areas of {other} and {path}; leave it out",
                        code="aois_invalid",
                    )
        return replace(self, matched_aois=matched)

    @property
    def rules(self) -> tuple[RuleSettings, ...]:
        """Rules of the objectives, then those of the file of rules."""
        return (*(self.objectives.rules if self.objectives else ()), *self.more_rules)

    def options(self, display_path: str) -> MediumOptions:
        """Return the options of a medium by its displayed path."""
        drawings = self._drawings(display_path)
        usual = self.pages.get(display_path, DEFAULT_OPTIONS)
        objective = self._objective(display_path)
        brand = _located(objective.brand, self.folder) if objective.brand else None
        domain = objective.domain or self.domain or usual.domain
        viewport = objective.viewport or usual.viewport
        return MediumOptions(brand, objective.platform, drawings, objective.exposure_s, domain, viewport=viewport)

    @property
    def states_objectives(self) -> bool:
        """Whether anything is said of what media are for."""
        return self.objectives is not None or bool(self.kits)

    def _objective(self, display_path: str) -> Objective:
        """Return the objective of a medium, its brand as the kits describe it."""
        objective = resolve_objective(self.objectives, display_path) if self.objectives else _NO_OBJECTIVE
        brand = describe_by_kits(objective.brand, self.kits)
        return objective if brand == objective.brand else objective.model_copy(update={"brand": brand})

    @property
    def merged_brands(self) -> tuple[str, ...]:
        """Brands that both the objectives and a kit describe, a sentence each."""
        merged = dict[str, None]()
        for part in self.objectives.parts if self.objectives else ():
            kit = read_kit(part.brand_kit) if part.brand_kit else None
            if part.brand and part.brand.is_described:
                kit = kit or next((kit for kit in self.kits if kit.is_of(part.brand.name)), None)
                if kit and kit.merged_with(part.brand) != kit.merged_with():
                    merged[f"brand {kit.name}: its kit {kit.folder} and the objectives are taken together"] = None
        return tuple(merged)

    def _drawings(self, display_path: str) -> tuple[Drawing, ...] | None:
        """Return the drawn AOIs of a medium; None where the file of AOIs says nothing of it."""
        if self.drawn_aois is None:
            return None
        drawings = (self.matched_aois or self.drawn_aois).drawings(display_path)
        return drawings or (drawings if self.drawn_aois.means_empty else None)

    def objective_facts(self, display_paths: Sequence[str]) -> dict[str, dict[str, Any]] | None:
        """Return objectives by path; norm sets that are files with their full path."""
        return dict(self._objectives_by_path(display_paths)) if self.states_objectives else None

    def packed_objectives(self, display_paths: Sequence[str]) -> dict[str, Any] | None:
        """Return objectives as ``run.json`` keeps them."""
        return pack_objectives(self._objectives_by_path(display_paths)) if self.states_objectives else None

    def _objectives_by_path(self, display_paths: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the objective of each path; media with equal objectives share it."""
        facts_of: dict[Objective, dict[str, Any]] = {}
        for path in display_paths:
            objective = self._objective(path)
            if objective not in facts_of:
                facts = objective.model_dump(mode="json", exclude_none=True)
                if objective.benchmark:
                    facts["benchmark"] = benchmark_choice(objective.benchmark, self.folder)
                facts_of[objective] = facts
            yield path, facts_of[objective]

    @property
    def targets(self) -> dict[str, list[str]]:
        """In which categories scores should lie, where the user says so."""
        return {key: list(target) for key, target in self.objectives.targets.items()} if self.objectives else {}

    def unused_patterns(self, display_paths: Sequence[str]) -> list[str]:
        """Return patterns of both files that match no medium: probably misspelt."""
        unused = unused_patterns(self.objectives, display_paths) if self.objectives else ()
        if self.drawn_aois is None:
            return [*unused]
        return [*unused, *(self.matched_aois or self.drawn_aois.among(display_paths)).unused]

    def options_id(self, display_path: str, *, detects_aois: bool) -> str:
        """Hash the options of a medium that change what is found in it; empty where there are none.

        `display_path`: the medium's path as tables show it.
        `detects_aois`: without AOIs brand and platform change nothing; a stated domain changes densities anyhow.
            Another exposure needs no other look at a medium.
        """
        options = self.options(display_path)
        content: list[Any] = [options.domain]
        if detects_aois or options.drawings is not None:
            brand = options.brand
            facts: list[Any] = []
            if brand:
                logos, packs = ([_sha256(path) for path in images] for images in (brand.logos, brand.packs))
                facts = [brand.name, brand.aliases, logos, *([packs] if packs else [])]
            content += [facts or None, options.platform, options.drawings]
        if options.viewport is not None:
            content.append(f"viewport {options.viewport}")
        if not any(part is not None for part in content):
            return ""
        return hashlib.sha256(json.dumps(content, default=_written).encode()).hexdigest()[:16]


@cache
def _sha256(path: Path) -> str:
    """Read once for a run; see `load_inputs`."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _written(value: Any) -> Any:
    if not is_dataclass(value) or isinstance(value, type):
        return str(value)
    # earlier versions did not know these, and hashed the others only
    later = {"drawn_on": None, "confirmed": False, "absent": False}
    return {key: part for key, part in asdict(value).items() if key not in later or part != later[key]}


@cache
def _located(brand: BrandSettings, folder: Path) -> Brand:
    """Locate and check logos once for a run."""
    return brand.located(folder)


def load_inputs(
    objectives: str | Path | None,
    aois: str | Path | None,
    rules: str | Path | None = None,
    *,
    domain: str | None = None,
    brand_kit: str | Path | None = None,
) -> RunInputs:
    """Read the files, as far as they are given; `domain` is that of media of which no objective says it.

    Kits describe the brands that objectives name; a single kit is of all media of which they name no brand.

    Raises UsageError: naming the file and what must change.
    """
    for reader in (_sha256, _located, read_kit):
        reader.cache_clear()  # in a notebook, logos may be others since the run before
    path = Path(objectives) if objectives else None
    return RunInputs(
        load_objectives(path) if path else None,
        path.parent if path else Path(),
        load_aois(aois) if aois else None,
        load_rules(rules) if rules else (),
        domain,
        path,
        Path(rules) if rules else None,
        Path(aois) if aois else None,
        kits_folder=Path(brand_kit) if brand_kit else None,
        kits=load_kits(Path(brand_kit)) if brand_kit else (),
    )


DROPPED = "none"
"""In the place of a file, or of a domain: what the run had is dropped."""


def dump_inputs(inputs: RunInputs) -> dict[str, Any]:
    """Return what ``run.json`` keeps of the inputs, so that the next session needs no file but that of drawn AOIs."""
    objectives = inputs.objectives and {
        "file": str(inputs.objectives_file),
        "folder": str(inputs.folder.resolve()),
        "content": dump_objectives(inputs.objectives),
    }
    aois = inputs.drawn_aois and inputs.aois_file
    return {
        "objectives": objectives,
        "rules_file": str(inputs.rules_file) if inputs.rules_file else None,
        "aois": aois and _dump_aois(aois, inputs),
        "domain": inputs.domain,
        "brand_kit": str(inputs.kits_folder.resolve()) if inputs.kits_folder else None,
        "merged_brands": list(inputs.merged_brands),
    }


_MOST_SHOWN = 20


def _dump_aois(file: Path, inputs: RunInputs) -> dict[str, Any]:
    """Return which file of AOIs was read, of how many media it holds areas, and what could not be read."""
    assert inputs.drawn_aois is not None
    facts: dict[str, Any] = {"file": str(file.resolve()), "sha256": inputs.drawn_aois.sha256}
    if inputs.matched_aois is not None:
        unread = [*inputs.drawn_aois.problems, *inputs.matched_aois.problems]
        more = len(unread) - _MOST_SHOWN
        facts["unread"] = [*unread[:_MOST_SHOWN], *([f"and {more} more"] if more > 0 else [])]
        facts["media"] = sum(inputs.options(path).drawings is not None for path in inputs.matched_aois.by_path)
    return facts


def resolve_inputs(recipe: Recipe, out: str | Path, *, force_new: bool = False) -> RunInputs:
    """Read the inputs of a run: the files of the recipe, and what the run had where it names none.

    `out`: where the run is written to, and perhaps lies already.
    `force_new`: whether the run that lies there is removed.
    Raises UsageError: a file is wrong; or what the run had cannot be had again.
    """
    objectives, aois, rules, kit = (
        None if _is_dropped(given) else given
        for given in (recipe.objectives, recipe.drawn_aois, recipe.rules, recipe.brand_kit)
    )
    domain = None if _is_dropped(recipe.domain) else recipe.domain
    inputs = load_inputs(objectives, aois, rules, domain=domain, brand_kit=kit)
    before = None if force_new else earlier_inputs(out, recipe)
    if before is not None:
        if recipe.objectives is None:
            fields = ("objectives", "folder", "objectives_file")
            inputs = replace(inputs, **{name: getattr(before, name) for name in fields})
        if recipe.rules is None:
            inputs = replace(inputs, more_rules=before.more_rules, rules_file=before.rules_file)
        if recipe.domain is None:
            inputs = replace(inputs, domain=before.domain)
        if recipe.brand_kit is None and before.kits_folder is not None:
            inputs = replace(inputs, kits_folder=before.kits_folder, kits=load_kits(before.kits_folder))
        if recipe.drawn_aois is None and before.drawn_aois is not None and before.aois_file is not None:
            drawn_aois = _reload_drawn_aois(before.aois_file, before.drawn_aois)
            inputs = replace(inputs, drawn_aois=drawn_aois, aois_file=before.aois_file)
    if _is_dropped(recipe.rules) and inputs.objectives is not None:
        inputs = replace(inputs, objectives=inputs.objectives.model_copy(update={"rules": ()}))
    return inputs


def earlier_inputs(out: str | Path, recipe: Recipe) -> RunInputs | None:
    """Read what a run was made with, from the run alone; of drawn AOIs only which file held them.

    Rules are those that it has now (`mediaan check --keep` may have put others in their place).

    `out`: where the run may be.
    `recipe`: of the session that goes on with it.
    Returns: None where there is no run, or where it does not say.
    Raises UsageError: ``briefing_lost``: it has objectives that the recipe does not replace, and not the file's own
        words.
    """
    place, metadata = open_storage(out), None
    for name in (UNFINISHED_FILE, RUN_FILE):  # of the unfinished session, else of the finished run
        with suppress(OSError, ValueError):  # absent, or damaged
            metadata = parse_metadata(place.read(name))
            break
    if metadata is None:
        return None
    if metadata.inputs is None:
        wanted = recipe.objectives is None and metadata.objectives
        if wanted and metadata.mediaan == __version__:  # of another version it is refused with better reason
            raise _lost(out, "it does not keep the words of their file")
        return None
    try:
        return _read(metadata.inputs, metadata.rules)
    except (ValidationError, KeyError, TypeError) as error:
        raise _lost(out, f"they cannot be understood any more ({error})") from error


def describe_kept(before: RunInputs, recipe: Recipe) -> str:
    """Describe what a run keeps because the recipe does not mention it; empty where that is nothing.

    `before`: from `earlier_inputs`.
    """
    return _in_words(before, [name for name in _NAMES if getattr(recipe, name) is None])


def describe_dropped(before: RunInputs, recipe: Recipe) -> str:
    """Describe what a recipe drops of what a run had; empty where that is nothing."""
    return _in_words(before, [name for name in _NAMES if _is_dropped(getattr(recipe, name))])


_NAMES = ("objectives", "rules", "drawn_aois", "domain", "brand_kit")


def _is_dropped(given: str | Path | None) -> bool:
    return str(given) == DROPPED


def _in_words(before: RunInputs, names: list[str]) -> str:
    words: list[str] = []
    if "objectives" in names and before.objectives is not None:
        words.append(f"objectives ({Path(str(before.objectives_file)).name}: {_contents(before.objectives)})")
    if "rules" in names and before.more_rules:
        count = len(before.more_rules)
        words.append(f"{count} {'rule' if count == 1 else 'rules'}")
    if "drawn_aois" in names and before.aois_file is not None:
        words.append(f"drawn areas ({before.aois_file.name})")
    if "domain" in names and before.domain is not None:
        words.append(f"domain {before.domain}")
    if "brand_kit" in names and before.kits_folder is not None:
        words.append(f"brand kit ({before.kits_folder.name})")
    return ", ".join(words)


def _contents(config: ObjectivesConfig) -> str:
    named = {name for part in config.parts for name in part.model_fields_set}
    counts = {"rule": len(config.rules), "target": len(config.targets)}
    told = [name for name in SETTINGS if name in named]
    return ", ".join(told + [f"{n} {what}{'s' if n > 1 else ''}" for what, n in counts.items() if n]) or "empty"


def _read(written: Mapping[str, Any], rules: Any) -> RunInputs:
    in_force = rules_of_run(rules)
    kept_rules = [rule.written() for rule in in_force]
    objectives, aois, config = written["objectives"], written["aois"], None
    if objectives is not None:
        whole = restore_objectives(objectives["content"])
        config = whole.model_copy(update={"rules": tuple(r for r in whole.rules if r.written() in kept_rules)})
    of_objectives = [rule.written() for rule in config.rules] if config else []
    rules_file = written.get("rules_file")
    return RunInputs(
        config,
        Path(objectives["folder"]) if objectives else Path(),
        AoiFile({}, aois["sha256"]) if aois else None,
        tuple(rule for rule in in_force if rule.written() not in of_objectives),
        written["domain"],
        Path(objectives["file"]) if objectives else None,
        Path(rules_file) if rules_file else None,
        Path(aois["file"]) if aois else None,
        kits_folder=Path(kit) if (kit := written.get("brand_kit")) else None,
    )


def _reload_drawn_aois(file: Path, before: AoiFile) -> AoiFile:
    """Read a file of drawn AOIs again; refuse it if it is gone or holds something else than before."""
    if not file.exists():
        what = "no longer exists"
    else:
        sheet = load_aois(file)
        if sheet.sha256 == before.sha256:
            return sheet
        what = "holds others now"
    raise UsageError(
        f"{file}: held the areas that people drew on the media of the run, and {what}; name the file that holds them "
        "with --aois",
        code="briefing_lost",
    )


def _lost(out: str | Path, why: str) -> UsageError:
    return UsageError(
        f"{out}: the run has objectives, and {why}; give their file with --objectives, or drop them with --objectives "
        "none",
        code="briefing_lost",
    )
