"""Read and write ``run.json``: what a run computes, with which models, and what the user stated about its media."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, field_validator

from mediaan.analysis.options import Recipe
from mediaan.run.files import parse_json, write_atomic
from mediaan.storage import LocalStorage
from mediaan.types.aoi import Brand, BrandSearch
from mediaan.types.benchmark import Category

RUN_FILE = "run.json"

_UNFINISHED = ("recipe_id", "recipe", "models", "mediaan", "briefing", "rules")


_FILLED = frozenset({"recipe", "models", "metrics", "aoi_metrics", "maps", "versions", "counts", "benchmark"})
"""Entries that hold others; null there is as if they were not there."""


class StoredRecipe(Recipe):
    """The recipe of a run as any version wrote it."""

    model_config = ConfigDict(extra="ignore")

    @field_validator("maps")
    @classmethod
    def _known_maps(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return names  # other versions have other maps


class ModelRecord(BaseModel):
    """A model that a run used, with the hash of its weights."""

    name: str
    sha256: str | None = None


class MediaCounts(BaseModel):
    """Files that were analyzed, that failed, and that are no media."""

    done: int = 0
    failed: int = 0
    skipped: int = 0


class RunMetadata(BaseModel):
    """Contents of ``run.json``; what older versions did not write has a default, and what is not known is kept."""

    model_config = ConfigDict(frozen=True)

    mediaan: str | None = None
    """Version that made the run."""
    created_at: str = ""
    """UTC, ISO 8601."""
    recipe: StoredRecipe = StoredRecipe(aois="none", advice="none")
    recipe_id: str | None = None
    """Changes with the recipe, the version and the weights."""
    models: tuple[ModelRecord, ...] = ()
    """That of attention first, then those that detected areas."""
    device: str | None = None
    versions: dict[str, Any] = {}
    """Versions of libraries, by name."""
    seconds: float | None = None
    media_per_s: float | None = None
    """seconds, media_per_s: Wall time of the run, s, and its pace."""
    calibration: dict[str, Any] | None = None
    """Of the viewers whose attention is predicted."""
    metrics: tuple[dict[str, Any], ...] = ()
    aoi_metrics: tuple[dict[str, Any], ...] = ()
    maps: tuple[dict[str, Any], ...] = ()
    """metrics, aoi_metrics, maps: Specifications of the metrics of media and of AOIs, and of the maps."""
    counts: MediaCounts = MediaCounts()
    objectives: dict[str, Any] | None = None
    rules: tuple[str | dict[str, Any], ...] = ()
    """As an objectives file writes them."""
    targets: dict[str, tuple[Category, ...]] = {}
    """In which scores should lie, where the user says so."""
    benchmark: dict[str, Any] = {}
    """Norm sets that the run was compared with; see `Populations.facts`."""
    inputs: dict[str, Any] | None = Field(default=None, alias="briefing")
    """Inputs of the user, so that the run goes on with them; see `dump_inputs`."""
    aoi_changes: tuple[dict[str, Any], ...] = ()
    objective_changes: tuple[dict[str, Any], ...] = ()
    """aoi_changes, objective_changes: What was changed after the analysis, in order."""

    _facts: dict[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def parse(cls, facts: Mapping[str, Any]) -> Self:
        """Validate the contents of ``run.json``.

        Raises ValidationError: they are not what any version writes.
        """
        values = {name: value for name, value in facts.items() if value is not None}  # null: as if it were not there
        if "recipe" in values:  # before there were areas and advice, none were asked for
            if not isinstance(values["recipe"], Mapping):
                raise ValueError("its recipe is no mapping")
            values["recipe"] = {"aois": "none", "advice": "none", **values["recipe"]}
        metadata = cls.model_validate(values)
        metadata._facts = {name: value for name, value in facts.items() if name in values or name not in _FILLED}
        return metadata

    @property
    def facts(self) -> dict[str, Any]:
        """The contents as they are written."""
        return self._facts

    def updated(self, **changes: Any) -> Self:
        """Return the same with some entries changed, as JSON has them."""
        return self.parse({**self._facts, **changes})

    def objective(self, path: str) -> Objective:
        """Return the objective of the medium at a path of the table media; empty where there is none."""
        return objective_of(self._facts, path)

    def exposure_s(self, path: str) -> float:
        """Return how long the image at a path of the table media is looked at, s: its objective's or the recipe's."""
        return float(self.objective(path).get("exposure_s", self.recipe.exposure_s))

    def brand(self, path: str) -> str | None:
        """Return the brand that the objective of the medium at a path names."""
        brand = self.objective(path).get("brand")
        return brand["name"] if brand else None

    def brand_search(self, path: str, *, is_found: bool | None) -> BrandSearch:
        """Return the outcome of the search for the brand of a medium; its name is empty if the objective names none."""
        brand = Brand.of_objective(self.objective(path))
        return BrandSearch(brand.name, is_found, brand.spellings) if brand else BrandSearch("", is_found)

    @property
    def unfinished(self) -> dict[str, Any]:
        """Contents of ``unfinished.json``: what tells whether a run can be resumed, and the inputs of the user."""
        return {name: self._facts.get(name) for name in _UNFINISHED} | {"started_at": self._facts.get("created_at")}

    def write(self, run_dir: Path) -> None:
        """Write ``run.json``, whole or not at all.

        Raises SetupError: the disk is full or may not be written to.
        """
        write_atomic(run_dir / RUN_FILE, dump_json(self._facts))


def dump_json(content: Mapping[str, Any]) -> bytes:
    """Serialize a mapping as the files of a run hold it."""
    return (json.dumps(content, indent=2) + "\n").encode()


def parse_metadata(data: bytes) -> RunMetadata:
    """Parse the bytes of ``run.json``, or of ``unfinished.json``.

    Raises ValueError: they are not what any version writes.
    """
    content = parse_json(data)
    if not isinstance(content, dict):
        raise ValueError("no mapping")
    return RunMetadata.parse(content)


def read_metadata(run_dir: Path) -> RunMetadata:
    """Read ``run.json``.

    Raises OSError, ValueError: it is not there, or not what any version writes.
    """
    return parse_metadata(LocalStorage(run_dir).read(RUN_FILE))


Objective = Mapping[str, Any]

_SAID, _OF = "said", "of"


def pack_objectives(objectives: Iterable[tuple[str, Objective]]) -> dict[str, Any]:
    """Pack objectives by path: a million media share a few of them, and most are alike within a folder.

    `objectives` (iterable of (str, mapping)): path of a medium as tables show it, and what is said of it; taken one at
        a time.
    Returns: ``said``: each distinct objective once; ``of``: places in that list, by folder (which ends with ``/``;
        empty for everything) and, where one differs from its folder's, by path. The most specific counts.

    >>> sold, liked = {"purpose": "conversion"}, {"purpose": "brand_building"}
    >>> media = [("a.png", sold), ("b.png", sold), ("tv/c.mp4", liked), ("tv/d.mp4", liked), ("tv/e.mp4", sold)]
    >>> pack_objectives(media)["of"]
    {'': 0, 'tv/': 1, 'tv/e.mp4': 0}
    """
    places: dict[str, int] = {}
    distinct: list[Objective] = []
    of: dict[str, int] = {}
    place_of: dict[int, int] = {}  # by identity, so that what many media share is compared once
    for path, objective in objectives:
        place = place_of.get(id(objective))
        if place is None:
            place = places.setdefault(json.dumps(objective, sort_keys=True), len(places))
            if place == len(distinct):
                distinct.append(objective)
            if distinct[place] is objective:
                place_of[id(objective)] = place
        of[path] = place
    # by folder and path, without those that follow from an outer folder's
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for path, place in of.items():
        counts[next(_folders(path))][place] += 1
    folders = {"": Counter(of.values()).most_common(1)[0][0]} if of else {}
    for folder in sorted(counts):
        usual = counts[folder].most_common(1)[0][0]
        if _place(folders, folder) != usual:
            folders[folder] = usual
    return {
        _SAID: distinct,
        _OF: folders | {path: place for path, place in of.items() if _place(folders, path) != place},
    }


def objective_of(facts: Mapping[str, Any], path: str) -> Objective:
    """Return the objective of the medium at a path of the table media; empty where there is none.

    `facts`: contents of ``run.json``; those of earlier versions hold an objective for each path.
    """
    objectives = facts.get("objectives")
    if not objectives:
        return {}
    if not _is_packed(objectives):
        objective: Objective = objectives.get(path, {})
        return objective
    place = _place(objectives[_OF], path)
    return {} if place is None else objectives[_SAID][place]


def distinct_objectives(facts: Mapping[str, Any]) -> list[Objective]:
    """Return every distinct objective of a run."""
    objectives = facts.get("objectives") or {}
    return list(objectives[_SAID] if _is_packed(objectives) else objectives.values())


def _is_packed(objectives: Mapping[str, Any]) -> bool:
    return isinstance(objectives.get(_SAID), list)


def _place(of: Mapping[str, int], path: str) -> int | None:
    if path in of:
        return of[path]
    return next((of[folder] for folder in _folders(path) if folder in of), None)


def _folders(path: str) -> Iterator[str]:
    """Yield the folders of a path, the innermost first; the empty text, for everything, last.

    >>> list(_folders("ads/tv/a.mp4"))
    ['ads/tv/', 'ads/', '']
    """
    end = path.rfind("/", 0, len(path) - 1)
    while end >= 0:
        yield path[: end + 1]
        end = path.rfind("/", 0, end)
    yield ""
