"""Join the tables of a run: one entry per distinct medium, with its scores, maps and notes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote

from mediaan.metrics.drivers.specs import DRIVER_SPECS
from mediaan.metrics.novelty import NOVELTY_THRESHOLD
from mediaan.report.data.contents import Row, RunContents
from mediaan.run.objectives import objective_of
from mediaan.types.aoi import BRAND_NOT_FOUND
from mediaan.types.densities import Window
from mediaan.types.metrics import Contribution, Score

ScoresByTime = Mapping[str, Mapping[Window, Score]]
"""Scores of a medium by metric and time."""

_IMAGES = {".jpg", ".jpeg", ".webp", ".png"}  # densities are in the same table
_ANIMATIONS = {"gif", "webp", "apng", "png"}
_NO_WORDS = {"exposure_s", "viewport", "benchmark", "targets", "domain"}
"""Settings of an objective that are no words of what the medium is for; the exposure is put in a sentence."""
_SHOWN_ELSEWHERE = ("unlike_training", BRAND_NOT_FOUND)  # notes for which the page has places of their own


@dataclass(frozen=True, slots=True)
class Note:
    """Something noticed about a medium that did not stop its analysis."""

    severity: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class MediumEntry:
    """A medium as the report shows it."""

    medium_id: str | None
    """None when a file could not even be read."""
    name: str
    paths: tuple[str, ...]
    """Every file with these bytes, as given; the first one names the entry."""
    done: bool
    error_code: str | None
    error_message: str | None
    width: int | None
    height: int | None
    codec: str | None
    size_bytes: int | None
    seconds: float | None
    """Time that the analysis took, s."""
    duration_s: float | None
    frame_rate: float | None
    """duration_s, frame_rate: s and 1/s; None for a still image."""
    share_read: float | None
    """Share of the file that could be decoded; None when failed."""
    scores: Mapping[str, Score]
    """Mapping of str to Score. One by metric: that of the whole, or of the one window that the metric is about."""
    by_time: ScoresByTime
    """Mapping of str to mapping of {'total', 'start', 'end'} to Score. All of them."""
    maps: Mapping[str, str]
    """Mapping of str to str. Map name to path, relative to the run directory."""
    notes: tuple[Note, ...]
    novelty: float | None
    """Share of the training material that lies nearer to its own kind, 0-1."""
    objective: str | None
    purpose: str | None
    """objective, purpose: What the medium is for, in the words of the configuration; brand_building or conversion."""
    brand: str | None
    platform: str | None
    """brand, platform: As the configuration states them."""
    domain: str | None
    """What attention was predicted for; None of a model that tells no domains apart."""
    domain_probability: float | None
    """How probable the model finds it, 0-1; None where a user stated it."""
    brand_missing: str | None
    """That the brand was not found, in a sentence; None where it was, or nobody looked for one."""
    folds: tuple[Row, ...] = ()
    """Of the table `folds`, from the top: those of a tall page; empty for any other medium."""

    @property
    def kind(self) -> str | None:
        """Its kind in the reader's word: image, video or animation; None when it could not be read."""
        if not self.done:
            return None
        if self.duration_s is None:
            return "image"
        return "animation" if self.codec in _ANIMATIONS else "video"

    @property
    def moves(self) -> bool:
        """True for anything but a still image."""
        return self.duration_s is not None

    @property
    def unlike_training(self) -> bool:
        """True where it is unlike what the models have learned from."""
        return self.novelty is not None and self.novelty > NOVELTY_THRESHOLD

    @property
    def thumbnail_source(self) -> str | None:
        """Path of the image from which the thumbnail is made, relative to the run directory."""
        return self.maps.get("thumb") or self.maps.get("original")

    @property
    def images(self) -> Mapping[str, str]:
        """Map name to address, relative to the page."""
        images = {name: path for name, path in self.maps.items() if PurePosixPath(path).suffix in _IMAGES}
        return {name: map_address(path) for name, path in images.items() if name != "thumb"}

    @property
    def videos(self) -> Mapping[str, str]:
        """Name of a preview or a rendered video to address, relative to the page."""
        return {name: map_address(path) for name, path in self.maps.items() if PurePosixPath(path).suffix == ".mp4"}


def gather_entries(contents: RunContents) -> list[MediumEntry]:
    """Join the tables: files with the same bytes become one entry; order of first appearance."""
    files: dict[str, list[Row]] = defaultdict(list)
    for row in contents.media:
        files[row["medium_id"] or f"path:{row['path']}"].append(row)
    contributions: dict[tuple[str, str, str], list[Contribution]] = defaultdict(list)  # the largest first
    for row in sorted(contents.drivers, key=lambda row: int(row["rank"])):
        spec = DRIVER_SPECS.get(row["driver"])
        contributions[row["medium_id"], row["metric"], row["metric_time"]].append(
            Contribution(row["driver"], row["value"], spec.unit if spec else "", row["points"], row["text"])
        )
    scores: dict[str, dict[str, dict[Window, Score]]] = defaultdict(lambda: defaultdict(dict))
    for row in contents.metrics:
        scores[row["medium_id"]][row["metric"]][row["metric_time"]] = Score(
            metric=row["metric"],
            time=row["metric_time"],
            value=row["value"],
            lo=row["lo"],
            hi=row["hi"],
            basis=row["basis"],
            unit=row["unit"],
            reason=row["reason"],
            drivers=tuple(contributions.get((row["medium_id"], row["metric"], row["metric_time"]), ())),
        )
    maps: dict[str, dict[str, str]] = defaultdict(dict)
    for row in contents.maps:
        maps[row["medium_id"]][row["map"]] = row["path"]
    notes: dict[str, dict[Note, None]] = defaultdict(dict)  # keeps order, drops what two copies of a file repeat
    for row in contents.problems:
        is_note = row["severity"] != "error" and row["code"] not in _SHOWN_ELSEWHERE  # errors are shown as the failure
        if row["medium_id"] is not None and is_note:
            notes[row["medium_id"]][Note(row["severity"], row["code"], row["message"])] = None
    folds: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(contents.folds, key=lambda row: int(row["fold"])):
        folds[row["medium_id"]].append(row)
    brands_missing = {row["medium_id"]: row["message"] for row in contents.problems if row["code"] == BRAND_NOT_FOUND}
    entries = []
    for key, rows in files.items():
        first, by_time = rows[0], scores.get(key, {})
        objective = objective_of(contents.run, first["path"])
        entries.append(
            MediumEntry(
                medium_id=first["medium_id"],
                name=first["name"],
                paths=tuple(row["path"] for row in rows),
                done=first["status"] == "done",
                error_code=first["error_code"],
                error_message=first["error_message"],
                width=first["width"],
                height=first["height"],
                codec=first["codec"],
                size_bytes=first["size_bytes"],
                seconds=first["seconds"],
                duration_s=first["duration_s"],
                frame_rate=first["frame_rate"],
                share_read=first["share_read"],
                scores={metric: times.get("total") or next(iter(times.values())) for metric, times in by_time.items()},
                by_time=by_time,
                maps=maps.get(key, {}),
                notes=tuple(notes.get(key, ())),
                novelty=first["novelty"],
                objective=_objective_words(objective, first["duration_s"] is not None) if objective else None,
                purpose=objective.get("purpose"),
                brand=(objective.get("brand") or {}).get("name"),
                platform=objective.get("platform"),
                domain=first["domain"],
                domain_probability=first["domain_probability"],
                brand_missing=brands_missing.get(key),
                folds=tuple(folds.get(key, ())),
            )
        )
    return entries


def map_address(path: str) -> str:
    """Return the address of a file of the run, relative to `report/index.html`.

    >>> map_address("maps/50% off #1-4f2a/heat.jpg")
    '../maps/50%25%20off%20%231-4f2a/heat.jpg'
    """
    return "../" + quote(path.replace("\\", "/"))


def _objective_words(objective: Row, moves: bool) -> str:
    """Return an objective in words, its divisions flattened, and how long an image is looked at.

    >>> food = {"category": "food", "subcategory": "snacks"}
    >>> _objective_words({"purpose": "brand_building", "industry": food, "exposure_s": 2.0}, moves=False)
    'brand building, food, snacks, a look of 2 s'
    """
    settings = [value for name, value in objective.items() if name not in _NO_WORDS]
    values = [v for value in settings for v in (value.values() if isinstance(value, Mapping) else [value])]
    words = [str(value).replace("_", " ") for value in values if not isinstance(value, (list, tuple))]
    if "exposure_s" in objective and not moves:
        words.append(f"a look of {objective['exposure_s']:g} s")
    return ", ".join(words)
