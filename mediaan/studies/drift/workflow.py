"""Compare two runs over the same media: what changed, and whether their numbers may stand side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from mediaan.errors import UsageError
from mediaan.judge.benchmark.norm_set import EXPOSURE_SCORES
from mediaan.run.metadata import RunMetadata
from mediaan.saliency.density_storage import read_densities
from mediaan.studies.drift.statistics import (
    SCORE_UNIT,
    DensityDrift,
    MetricDrift,
    density_drifts,
    metric_drifts,
    pair_area_scores,
    pair_areas,
    pair_scores,
)
from mediaan.studies.run_tables import RunTables, read_run_tables
from mediaan.types.densities import Densities
from mediaan.types.glossary import media_count

DriftVerdict = Literal["same", "small", "incomparable"]

SAME = 0.005
"""Shifts below this change no second decimal: the runs say the same."""

SMALL = 2.0
"""Points on scales of 0-100 within which 95 of 100 values must stay for a change to be called small."""

RARE = 0.05
"""Share of values that may leave the old intervals, appear or vanish, and of areas that may, in a small change."""

ALIKE_CC = 0.95
"""Mean correlation of densities from which on they are called alike."""

SAME_KLD = 1e-6
_POINTS = (SCORE_UNIT, "%")

VERDICT_SENTENCES: dict[DriftVerdict, str] = {
    "same": "Nothing changed.",
    "small": "Small changes: you can compare the new numbers with the old ones.",
    "incomparable": "Large changes: do not compare the new numbers with the old ones.",
}


@dataclass(frozen=True, slots=True)
class RunDifference:
    """Something about how two runs were made that is not the same."""

    what: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class MediaJoin:
    """Media that two runs have in common, told by their bytes; paths as the runs show them."""

    both: int
    """Media that both runs analyzed."""
    only_old: tuple[str, ...] = ()
    only_new: tuple[str, ...] = ()
    """Media that the other run does not hold."""
    failed_in_old: tuple[str, ...] = ()
    failed_in_new: tuple[str, ...] = ()
    """Media that failed in this run and not in the other."""
    failed_in_both: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AreaJoin:
    """Numbers of areas of interest that are in both runs, or in one of them, of the common media."""

    both: int
    only_old: int
    only_new: int


@dataclass(frozen=True)
class Drift:
    """Everything that changed from an old run to a new one."""

    old: dict[str, str]
    new: dict[str, str]
    """Who they are: ``run`` (its folder), ``mediaan``, ``created_at``, ``device``."""
    differences: tuple[RunDifference, ...]
    """Of recipe, models, versions and the like."""
    media: MediaJoin
    scores: tuple[MetricDrift, ...]
    area_scores: tuple[MetricDrift, ...]
    areas: AreaJoin | None
    """None where a run was not asked for areas."""
    densities: tuple[DensityDrift, ...]
    notes: tuple[str, ...]
    """What could not be compared, and what to bear in mind."""
    names: dict[str, str] = field(repr=False)
    """Path by medium id."""
    pairs: pd.DataFrame = field(repr=False)
    """The values themselves, see `mediaan.studies.drift.statistics`."""

    @property
    def moved_area_scores(self) -> list[MetricDrift]:
        """Scores of areas that are not the same in both runs."""
        return [
            score for score in self.area_scores if score.n_lost or score.n_gained or abs(score.largest or 0.0) >= SAME
        ]

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons why the change is more than small; empty where it is not."""
        reasons = [f"{drift.title}: {_how_far([drift])}" for drift in self.scores if not is_small(drift)]
        # of areas one reason for each metric, whatever the type of area and the time
        moved: dict[str, list[MetricDrift]] = {}
        for drift in self.area_scores:
            if not is_small(drift):
                moved.setdefault(drift.metric, []).append(drift)
        for metric, some in moved.items():
            types = ", ".join(dict.fromkeys(drift.subject for drift in some))
            reasons.append(f"{metric} of areas ({types}): {_how_far(some)}")
        if self.areas is not None:
            both, alone = self.areas.both, self.areas.only_old + self.areas.only_new
            if alone > RARE * (both + alone):
                reasons.append(f"{alone} of {both + alone} areas are in one run only")
        reasons += [
            f"densities ({density.window}) correlate by {density.cc:.3f} only"
            for density in self.densities
            if density.cc is not None and density.cc < ALIKE_CC
        ]
        return tuple(reasons)

    @property
    def verdict(self) -> DriftVerdict:
        """Verdict on whether the new numbers may stand beside the old ones."""
        if self.reasons:
            return "incomparable"
        is_same = (
            all(
                drift.n_lost == drift.n_gained == 0 and max(abs(drift.largest or 0.0), drift.bounds or 0.0) < SAME
                for drift in (*self.scores, *self.area_scores)
            )
            and (self.areas is None or self.areas.only_old == self.areas.only_new == 0)
            and not self.media.failed_in_new
            and not self.media.failed_in_old
            and all(density.largest_kld < SAME_KLD for density in self.densities)
        )
        return "same" if is_same else "small"

    @property
    def largest_shift(self) -> float:
        """Largest shift of all scores of 0-100 of media, points; infinite where a score or a medium was lost."""
        scores = [drift for drift in self.scores if drift.unit == SCORE_UNIT]
        if self.media.failed_in_new or any(drift.n_lost for drift in scores):
            return float("inf")
        return max((abs(drift.largest) for drift in scores if drift.largest is not None), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; without the values of each medium."""
        plain = ("old", "new", "verdict", "reasons", "notes")
        return {name: getattr(self, name) for name in plain} | {
            "differences": [asdict(difference) for difference in self.differences],
            "media": asdict(self.media),
            "areas": None if self.areas is None else asdict(self.areas),
            "scores": [self._metric_dict(drift) for drift in self.scores],
            "area_scores": [self._metric_dict(drift) for drift in self.area_scores],
            "densities": [
                asdict(density) | {"largest_path": self.names[density.largest_medium]} for density in self.densities
            ],
        }

    def _metric_dict(self, drift: MetricDrift) -> dict[str, Any]:
        path = None if drift.largest_medium is None else self.names[drift.largest_medium]
        return asdict(drift) | {"flipped": drift.flipped, "largest_path": path}


def is_small(drift: MetricDrift) -> bool:
    """Tell whether values of one metric may stand beside the old ones."""
    far = drift.unit in _POINTS and (drift.p95_size or 0.0) > SMALL
    alone = drift.n_lost + drift.n_gained
    return not (far or (drift.outside or 0.0) > RARE or alone > RARE * (drift.n + alone))


def _how_far(drifts: Sequence[MetricDrift]) -> str:
    """Say how far the worst of several is off."""
    sizes = [drift.p95_size for drift in drifts if drift.p95_size is not None and drift.unit in _POINTS]
    size = max(sizes, default=0.0)
    outside = max((drift.outside or 0.0 for drift in drifts), default=0.0)
    alone = sum(drift.n_lost + drift.n_gained for drift in drifts)
    parts = [
        f"95 of 100 values move by up to {size:.1f} points" if size > SMALL else "",
        f"{100 * outside:.0f} % leave the old intervals" if outside > RARE else "",
        f"{alone} of {alone + sum(drift.n for drift in drifts)} are defined in one run only" if alone else "",
    ]
    return ", ".join(part for part in parts if part)


_IGNORED_RECIPE_KEYS = frozenset({"maps", "densities"})  # of a recipe: what is drawn and kept changes no number
_SEPARATE_KEYS = frozenset({"mediaan", "device", "recipe", "models", "versions", "metrics", "aoi_metrics"})
_IGNORED_KEYS = frozenset(
    {"created_at", "recipe_id", "maps", "unused_patterns", "briefing", "counts", "seconds", "media_per_s", "stages"}
)
_MEANING = ("unit", "low", "high", "direction", "basis")
_NOT_STATED = "not stated"  # by an older version, or nothing
_LONGEST = 60  # characters of a value that are shown

_VIDEO_KEYS = ("fps", "fast")
_AREA_KEYS = ("aois", "detector")

Facts = Mapping[str, Any]


def run_differences(old: Facts, new: Facts) -> tuple[RunDifference, ...]:
    """List differences of version, device, recipe, models, other metadata, libraries and metrics; in that order."""
    parts = [{key: value for key, value in _part(facts).items() if value is not None} for facts in (old, new)]
    names = dict.fromkeys((*parts[0], *parts[1]))
    differences = []
    for name in names:
        values = [part.get(name, _NOT_STATED) for part in parts]
        if values[0] != values[1]:
            texts = [str(value) for value in values]
            same = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
            begin = (
                max(0, same - _LONGEST // 3) if max(map(len, texts)) > _LONGEST else 0
            )  # so that what differs is seen
            texts = [("…" if begin else "") + text[begin:] for text in texts]
            excerpts = (text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…" for text in texts)
            differences.append(RunDifference(name, *excerpts))
    return tuple(differences)


def _part(facts: Facts) -> dict[str, Any]:
    """Return what is compared, by name."""
    recipe, models, versions = facts.get("recipe", {}), facts.get("models", ()), facts.get("versions", {})
    others = {key: value for key, value in facts.items() if key not in _SEPARATE_KEYS | _IGNORED_KEYS}
    others |= {"benchmark": _benchmark(facts.get("benchmark")), "objectives": _objectives(facts.get("objectives"))}
    settings = {key: value for key, value in recipe.items() if key not in _IGNORED_RECIPE_KEYS}
    specs = [spec for group in ("metrics", "aoi_metrics") for spec in facts.get(group, ())]
    return {
        "mediaan": facts.get("mediaan"),
        "device": facts.get("device"),
        **dict(setting for key, value in settings.items() for setting in _settings(f"setting: {key}", value)),
        **{f"model {model['name']}": (model.get("sha256") or "no weights")[:12] for model in models},
        **dict(setting for key, value in others.items() for setting in _settings(key, value)),
        **{f"library {key}": value for key, value in versions.items()},
        **{
            f"metric {spec.get('name')}": ", ".join(f"{key} {spec[key]}" for key in _MEANING if key in spec)
            for spec in specs
        },
    }


def _settings(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield each single setting inside a value with its name, so that a difference names it; empty ones not at all."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key != "at":  # when areas were changed
                yield from _settings(f"{name}: {key}", item)
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for number, item in enumerate(value, start=1):
            yield from _settings(f"{name} {number}", item)
    elif isinstance(value, list):
        if value:
            yield name, ", ".join(map(str, value))
    else:
        yield name, value


def _benchmark(value: Any) -> Any:
    """Return what was compared with what, without counts of the outcome."""
    if not isinstance(value, dict):
        return value
    sets = {norm_set.get("name"): str(norm_set.get("sha256"))[:12] for norm_set in value.get("norm_sets") or ()}
    return {key: value.get(key) for key in ("choice", "despite", "attributes")} | sets


def _objectives(value: Any) -> Any:
    """Return packed objectives by folder or path."""
    if not isinstance(value, dict) or value.keys() != {"said", "of"}:
        return value
    return {path or "all files": value["said"][place] for path, place in value["of"].items()}


def check_exposure(old: Facts, new: Facts) -> None:
    """Refuse runs over pictures of which no number means the same.

    Raises UsageError: pictures were looked at for different times.
    """
    exposures = [facts.get("recipe", {}).get("exposure_s") for facts in (old, new)]
    if exposures[0] != exposures[1]:
        raise UsageError(
            f"the runs have different exposures (exposure_s {exposures[0]} and {exposures[1]}), so their numbers do "
            "not mean the same; analyze the files again with one exposure",
            code="not_comparable",
        )


def cautions(old: Facts, new: Facts) -> Iterator[str]:
    """Say what differences of the recipes mean for the numbers."""
    recipes = [facts.get("recipe", {}) for facts in (old, new)]

    def differ(keys: tuple[str, ...]) -> bool:
        return any(recipes[0].get(key) != recipes[1].get(key) for key in keys)

    if differ(_VIDEO_KEYS):
        yield "Frames of videos were chosen differently (fps, fast): shifts of videos are not the model's alone."
    if differ(_AREA_KEYS):
        yield "Areas were looked for differently (aois, detector): only those in both runs are compared."


WrapProgress = Callable[[list[str]], Iterable[str]]

_FEW = 10  # media below which a rank correlation and a bootstrap are not worth much


def compare_runs(old: str | Path, new: str | Path, *, watch: WrapProgress = iter) -> Drift:
    """Compare two runs, such as of two versions of the program or of a model, over the same media.

    `old`, `new`: run directories; media are told by their bytes, whatever they are called.
    `watch`: wraps the media whose densities are read, for a progress bar.
    Returns: shifts are new minus old.
    Raises UsageError: no run; tables of an old version that cannot be read; no medium in common (``not_comparable``);
        pictures looked at for different times (``not_comparable``).
    """
    runs = read_run_tables(old), read_run_tables(new)
    join, names = _join_media(*runs)
    common = [run.media[run.media["medium_id"].isin(names)] for run in runs]
    if (common[0]["type"] == "image").any():  # videos have a length of their own
        check_exposure(*(run.facts for run in runs))
    scores = pair_scores(*(run.scores[run.scores["medium_id"].isin(names)] for run in runs))
    differently_exposed = _differently_exposed(*runs, names)
    areas, area_scores = None, pair_scores(runs[0].scores[:0], runs[1].scores[:0])
    if all(run.areas_wanted for run in runs):
        pairs = pair_areas(*(run.areas[run.areas["medium_id"].isin(names)] for run in runs))
        both = len(pairs.pairs)
        areas = AreaJoin(both, pairs.n_old - both, pairs.n_new - both)
        tables = (run.area_scores for run in runs)
        before, now = (
            table[~(table["medium_id"].isin(differently_exposed) & table["metric"].isin(EXPOSURE_SCORES))]
            for table in tables
        )
        area_scores = pair_area_scores(before, now, pairs)
    kept_old, kept_new = (run.densities for run in runs)
    kept = [medium_id for medium_id in names if medium_id in kept_old and medium_id in kept_new]
    densities = density_drifts(
        (medium_id, _read_densities(kept_old[medium_id]), _read_densities(kept_new[medium_id]))
        for medium_id in watch(kept)
    )
    changed = run_differences(*(run.facts for run in runs))
    summaries = metric_drifts(scores)
    notes = [*cautions(*(run.facts for run in runs)), *_notes(*runs, names, len(differently_exposed), len(densities))]
    if not changed and any(abs(drift.largest or 0.0) >= SAME for drift in summaries):
        notes.append(
            "The runs say that they were made in the same way, yet numbers moved: the program changed in between."
        )
    return Drift(
        old=runs[0].identity(),
        new=runs[1].identity(),
        differences=changed,
        media=join,
        scores=summaries,
        area_scores=metric_drifts(area_scores),
        areas=areas,
        densities=densities,
        notes=tuple(notes),
        names=names,
        pairs=scores if area_scores.empty else pd.concat([scores, area_scores], ignore_index=True),
    )


def _join_media(old: RunTables, new: RunTables) -> tuple[MediaJoin, dict[str, str]]:
    """Return what the runs have in common, and the old paths of those media by id."""
    done_old, done_new = _done(old), _done(new)
    names = {medium_id: path for medium_id, path in done_old.items() if medium_id in done_new}
    if not names:
        raise UsageError(
            f"{old.path} and {new.path} have no analyzed file in common (files are matched by their bytes): "
            "analyze the same files twice",
            code="not_comparable",
        )
    only_old = {medium_id: path for medium_id, path in done_old.items() if medium_id not in done_new}
    only_new = {medium_id: path for medium_id, path in done_new.items() if medium_id not in done_old}
    failed_in_new, absent_in_new = _split_failed(only_old, new)
    failed_in_old, absent_in_old = _split_failed(only_new, old)
    failed = [set(run.media.loc[run.media["status"] != "done", "path"]) for run in (old, new)]
    join = MediaJoin(
        both=len(names),
        only_old=absent_in_new,
        only_new=absent_in_old,
        failed_in_old=failed_in_old,
        failed_in_new=failed_in_new,
        failed_in_both=tuple(sorted(failed[0] & failed[1])),
    )
    return join, names


def _done(run: RunTables) -> dict[str, str]:
    """Return the first path of each analyzed medium by its id."""
    done = run.media[run.media["status"] == "done"].drop_duplicates("medium_id")
    return dict(zip(done["medium_id"].astype(str), done["path"].astype(str), strict=True))


def _split_failed(media: dict[str, str], other: RunTables) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths of media that failed in the other run, and of those that it does not hold.

    A file that could not be read has no id, and is known by its path.
    """
    rows = other.media[other.media["status"] != "done"]
    ids, paths = set(rows["medium_id"].dropna()), set(rows["path"])
    failed = {i for i, path in media.items() if i in ids or path in paths}
    return tuple(media[i] for i in media if i in failed), tuple(media[i] for i in media if i not in failed)


def _read_densities(path: Path) -> Densities:
    try:
        return read_densities(path)[0]
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read ({error}); run the analysis again", code="no_run") from error


def _differently_exposed(old: RunTables, new: RunTables, names: dict[str, str]) -> set[str]:
    """Return images whose objectives say another exposure than they did."""
    paths, images = _done(new), set(old.media.loc[old.media["type"] == "image", "medium_id"])
    both = ((medium_id, path, paths[medium_id]) for medium_id, path in names.items() if medium_id in images)
    before, after = RunMetadata.parse(old.facts), RunMetadata.parse(new.facts)
    return {i for i, path, other in both if before.exposure_s(path) != after.exposure_s(other)}


def _notes(
    old: RunTables, new: RunTables, names: dict[str, str], differently_exposed: int, windows: int
) -> Iterator[str]:
    """Say what could not be compared, and what to bear in mind."""
    if differently_exposed:
        what, whose = ("image has", "its") if differently_exposed == 1 else ("images have", "their")
        yield (
            f"{differently_exposed} {what} another exposure (exposure_s of the objectives): percentage seen, "
            f"time spent and first seen of {whose} areas mean something else and are left out. To compare them, "
            "run one of the two again with the exposure of the other; only the areas are scored again."
        )
    # with units: a metric whose unit changed is another
    kinds = [run.scores[["metric", "unit"]].drop_duplicates() for run in (old, new)]
    metrics = [{f"{metric} ({unit})" for metric, unit in zip(k["metric"], k["unit"], strict=True)} for k in kinds]
    alone = {"old": metrics[0] - metrics[1], "new": metrics[1] - metrics[0]}
    for who, run, other in (("old", old, new), ("new", new, old)):
        if alone[who]:
            yield f"Only the {who} run has {', '.join(sorted(alone[who]))}."
        if other.areas_wanted and not run.areas_wanted:
            yield f"The {who} run was not asked for areas of interest: they are not compared."
        if run.scores["lo"].isna().all():
            yield f"The {who} run has no intervals."
    if not windows:
        yield "Densities are not compared: the runs did not both keep them."
    if len(names) < _FEW:
        yield f"With {media_count(len(names))} in common, means and ranks say little; compare {_FEW} files or more."
