"""Score a model on several sets of stimuli, by domain, perhaps beside another model.

A suite is a TOML file::

    [[set]]
    name = "osie"                          # how tables call it; the name of the folder unless given
    domain = "photo"                       # what it shows; means are taken by domain
    folder = "gaze/osie"                   # as `mediaan evaluate` reads it: images or videos, and gaze on them
    pictures = "split/dev/osie.txt"        # score only those of this list; all form the centre bias
    without = "split/held_out/osie.txt"    # score all but those of this list
    windows = ["total", "start"]           # parts of the exposure; ["total"] unless given

`folder` is relative to the file, or to the folder of data that is named when the file is read; lists are relative to
the file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mediaan.errors import UsageError
from mediaan.evaluation.bootstrap import stratified_bootstrap_interval
from mediaan.evaluation.datasets.image_set import read_gaze_set, read_names
from mediaan.evaluation.datasets.video_set import holds_videos, read_video_gaze_set
from mediaan.evaluation.saliency.inter_observer import ConsistencyCache
from mediaan.evaluation.saliency.metrics import defined, mean_defined
from mediaan.evaluation.saliency.scores import (
    METRICS,
    ImageEvaluation,
    MetricSummary,
    StimulusScores,
    evaluate_predictor,
    explained_share,
)
from mediaan.evaluation.saliency.video_evaluation import CachedPredictor, VideoEvaluation, evaluate_videos
from mediaan.media import Sampling, open_medium
from mediaan.saliency import AttentionPredictor, TemporalAttention, load_frame_predictor, load_predictor
from mediaan.types.densities import Window
from mediaan.types.eye_tracking import GazeColumns


@dataclass(frozen=True, slots=True)
class SuiteSet:
    """One set of a suite."""

    name: str
    domain: str
    """Of its media, such as ``photo``; may be empty."""
    folder: Path
    pictures: Path | None = None
    without: Path | None = None
    """pictures, without: Lists of the stimuli to score, and not to score."""
    windows: tuple[Window, ...] = ("total",)
    """Videos have ``total`` only."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Sets that a model is scored on."""

    name: str
    """Of the file, without its extension."""
    sets: tuple[SuiteSet, ...]
    """At least one, in the order of the file."""

    def only(self, names: Collection[str]) -> Suite:
        """Keep the sets of these names.

        Raises UsageError: a name is not in the suite.
        """
        names_of_sets = [member.name for member in self.sets]
        if unknown := [name for name in names if name not in names_of_sets]:
            raise UsageError(f"the suite {self.name} has no set {unknown[0]!r}; it has {', '.join(names_of_sets)}")
        return Suite(self.name, tuple(member for member in self.sets if member.name in names))


class _Set(BaseModel):
    model_config = ConfigDict(extra="forbid")

    folder: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    name: str | None = Field(None, min_length=1)
    pictures: str | None = None
    without: str | None = None
    windows: list[Window] = Field(["total"], min_length=1)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    set: list[_Set] = Field(min_length=1)


def read_suite(path: Path, data: Path | None = None) -> Suite:
    """Read the list of sets in a TOML file; the sets themselves are not opened.

    `path`: in the layout on top of this page.
    `data`: folder to which the sets' folders are relative; by default that of the file.
    Raises UsageError: the file cannot be read or is not in the layout, a folder or a list does not exist, or two sets
        have one name.
    """
    try:
        file = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"the list of sets {path} cannot be read: {error}") from error
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, entry['loc']))}: {entry['msg']}" for entry in error.errors(include_url=False)
        )
        raise UsageError(f"the list of sets {path} does not hold together: {wrong}") from error
    beside = path.absolute().parent
    sets = []
    for entry in file.set:
        folder = (data or beside) / entry.folder
        if not folder.is_dir():
            raise UsageError(
                f"{path} lists the folder {folder}, which does not exist; correct it, or name it by --data"
            )
        pictures, without = (None if name is None else beside / name for name in (entry.pictures, entry.without))
        for names in (pictures, without):
            if names is not None and not names.is_file():
                raise UsageError(f"{path} names the list {names}, which does not exist")
        name = entry.name or folder.resolve().name
        sets.append(SuiteSet(name, entry.domain, folder, pictures, without, tuple(entry.windows)))
    set_names = [entry.name for entry in sets]
    if twice := [name for name in set_names if set_names.count(name) > 1]:
        raise UsageError(f"{path} lists two sets named {twice[0]!r}; give one of them another `name`")
    return Suite(path.stem, tuple(sets))


@dataclass(frozen=True, slots=True)
class SuiteModel:
    """A model of images, and that of the frames of videos."""

    pictures: AttentionPredictor
    frames: AttentionPredictor

    @classmethod
    def load(cls, name: str | Path, device: str = "auto") -> SuiteModel:
        """Load a model by its name or the path of its card; errors as of `load_predictor`."""
        return cls(load_predictor(name, device), load_frame_predictor(name, device))


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Difference of two models, paired by stimulus."""

    mean: float
    lo: float | None
    hi: float | None
    """lo, hi: 95 % bootstrap interval; None for fewer than two pairs."""


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One set in one window, or the mean over the sets of a domain."""

    name: str
    """Of the set; ``mean`` for a domain."""
    domain: str
    window: Window
    medium: str
    n: int
    """Stimuli."""
    metrics: dict[str, MetricSummary]
    """By key of `METRICS`. For a domain means of the sets' means, in which every set counts the same; `n` of each is
    the sum; people and share are None where they are for one of the sets."""
    frame_wise: dict[str, float | None]
    """Videos: the image model on each frame alone. Empty for images."""
    against: dict[str, float | None]
    """Mean of the other model. Empty without one."""
    differences: dict[str, PairedDifference | None]
    """By metric; None where it is undefined for all stimuli. Empty without another model."""
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        metrics = {
            # a clip's summary has more: its gain over the frame-wise model is in `frame_wise` here
            metric: {key.name: getattr(summary, key.name) for key in fields(MetricSummary) if key.name != "metric"}
            for metric, summary in self.metrics.items()
        }
        for metric, values in metrics.items():
            if self.frame_wise:
                values["frame_wise"] = self.frame_wise[metric]
            if self.against:
                values["against"] = self.against[metric]
                difference = self.differences[metric]
                values["difference"] = None if difference is None else asdict(difference)
        about = {"name": self.name, "domain": self.domain, "window": self.window, "medium": self.medium, "n": self.n}
        return about | {"metrics": metrics, "notes": list(self.notes)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SuiteRow:
        """Read what `to_dict` wrote."""
        facts = {key: values[key] for key in ("name", "domain", "window", "medium", "n")}
        metrics: dict[str, dict[str, Any]] = {metric: dict(value) for metric, value in values["metrics"].items()}
        beside: dict[str, dict[str, Any]] = {
            key: {metric: value.pop(key) for metric, value in metrics.items() if key in value}
            for key in ("frame_wise", "against", "difference")
        }
        return cls(
            **facts,
            metrics={metric: MetricSummary(metric, **value) for metric, value in metrics.items()},
            frame_wise=beside["frame_wise"],
            against=beside["against"],
            differences={
                m: None if value is None else PairedDifference(**value) for m, value in beside["difference"].items()
            },
            notes=tuple(values["notes"]),
        )


@dataclass(frozen=True, slots=True)
class SuiteEvaluation:
    """Evaluation of a model on a suite."""

    suite: str
    model: tuple[str, str | None]
    against: tuple[str, str | None] | None
    """model, against: (str, str or None). Name and sha256 of the weights; `against` is None without another model."""
    sets: tuple[SuiteRow, ...]
    """In the order of the suite, one for each window."""
    domains: tuple[SuiteRow, ...]
    """One for each domain and window that several sets have."""

    def by_domain(self) -> Iterator[SuiteRow]:
        """Yield rows by domain, in the order of the suite, each domain's mean after its sets."""
        for domain in dict.fromkeys(row.domain for row in self.sets):
            yield from (row for row in self.sets if row.domain == domain)
            yield from (row for row in self.domains if row.domain == domain)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON; no paths."""
        models = {
            role: None if model is None else dict(zip(("name", "sha256"), model, strict=True))
            for role, model in (("model", self.model), ("against", self.against))
        }
        rows = {"sets": self.sets, "domains": self.domains}
        return {"suite": self.suite, **models} | {key: [row.to_dict() for row in some] for key, some in rows.items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SuiteEvaluation:
        """Read what `to_dict` wrote."""
        model, against = (
            None if values[role] is None else (values[role]["name"], values[role]["sha256"])
            for role in ("model", "against")
        )
        if model is None:
            raise UsageError("these figures are of no model; score the suite again")
        sets, domains = (tuple(map(SuiteRow.from_dict, values[key])) for key in ("sets", "domains"))
        return cls(values["suite"], model, against, sets, domains)


ProgressFactory = Callable[[str], Callable[[list[Any]], Iterable[Any]]]
"""From the name of a set to a wrapper of its stimuli that shows progress."""


def evaluate_suite(
    suite: Suite,
    model: SuiteModel,
    against: SuiteModel | None = None,
    *,
    consistencies: ConsistencyCache | None = None,
    sampling: Sampling | None = None,
    limit: int | None = None,
    columns: Callable[[Path], GazeColumns | None] = lambda folder: None,
    progress_of: ProgressFactory = lambda name: iter,
) -> SuiteEvaluation:
    """Score a model on every set of a suite.

    `against`: another model; differences to it are paired by stimulus.
    `consistencies`: inter-observer consistency that is known already. It is saved after each set.
    `sampling`: instants of videos that are compared; five per second by default.
    `limit`: score only the first so many stimuli of each set.
    `columns`: from a set's folder to the meaning of the columns of its tables.
    `progress_of`: see `ProgressFactory`.
    Raises UsageError: a set cannot be read, a list names what it does not hold, or a model lacks a window.
    """
    cache = consistencies or ConsistencyCache()
    models = [model] if against is None else [model, against]
    rows, scored = [], []
    for member in suite.sets:
        for window in member.windows:
            results = _evaluate(
                member, window, models, cache, sampling or Sampling(), limit, columns, progress_of(member.name)
            )
            cache.save()
            pictures = [result.clips if isinstance(result, VideoEvaluation) else result.pictures for result in results]
            rows.append(_row(member, window, results, pictures))
            scored.append(pictures)
    other = None if against is None else (against.pictures.name, against.pictures.sha256)
    return SuiteEvaluation(
        suite.name, (model.pictures.name, model.pictures.sha256), other, tuple(rows), tuple(_domains(rows, scored))
    )


def _evaluate(
    member: SuiteSet,
    window: Window,
    models: Sequence[SuiteModel],
    cache: ConsistencyCache,
    sampling: Sampling,
    limit: int | None,
    columns: Callable[[Path], GazeColumns | None],
    progress: Callable[[list[Any]], Iterable[Any]],
) -> list[ImageEvaluation | VideoEvaluation]:
    """Score each model on a set."""
    videos = holds_videos(member.folder)
    if videos and window != "total":
        raise UsageError(
            f"{member.folder} holds videos, whose gaze has a time of its own: take the window {window!r} off"
        )
    meaning = None if videos else columns(member.folder)
    names = None if member.pictures is None else read_names(member.pictures)
    if member.without is not None:
        excluded = {Path(name).stem for name in read_names(member.without)}
        if names is None:
            complete_set = (
                read_video_gaze_set(member.folder)
                if videos
                else read_gaze_set(member.folder, window=window, columns=meaning)
            )
            names = [stimulus.name for stimulus in complete_set.stimuli]
        names = [name for name in names if Path(name).stem not in excluded]
    if not videos:
        gaze_set = read_gaze_set(member.folder, window=window, names=names, limit=limit, columns=meaning)
        return [
            evaluate_predictor(model.pictures, gaze_set, consistency_of=cache, progress=progress) for model in models
        ]
    video_set = read_video_gaze_set(member.folder, names=names, limit=limit)
    evaluations: list[ImageEvaluation | VideoEvaluation] = []
    for model in models:
        shared = CachedPredictor(model.frames)
        evaluations.append(
            evaluate_videos(
                TemporalAttention(shared),
                shared,
                video_set,
                opener=open_medium,
                sampling=sampling,
                consistency_of=cache,
                progress=progress,
            )
        )
    return evaluations


def _row(
    member: SuiteSet,
    window: Window,
    results: Sequence[ImageEvaluation | VideoEvaluation],
    scored: Sequence[Sequence[StimulusScores]],
) -> SuiteRow:
    result = results[0]
    differences = {m: _difference([_gains(m, scored)]) for m in METRICS} if len(results) > 1 else {}
    return SuiteRow(
        name=member.name,
        domain=member.domain,
        window=window,
        medium="clips" if isinstance(result, VideoEvaluation) else "pictures",
        n=len(scored[0]),
        metrics={summary.metric: summary for summary in result.metrics},
        frame_wise={s.metric: s.frame_wise for s in result.metrics} if isinstance(result, VideoEvaluation) else {},
        against={summary.metric: summary.model for summary in results[1].metrics} if len(results) > 1 else {},
        differences=differences,
        notes=result.notes,
    )


def _domains(rows: Sequence[SuiteRow], scored: Sequence[Sequence[Sequence[StimulusScores]]]) -> Iterator[SuiteRow]:
    """Yield means over the sets of each domain and window that has several."""
    groups: dict[tuple[str, Window], list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault((row.domain, row.window), []).append(i)
    for (domain, window), members in groups.items():
        if len(members) < 2:
            continue
        of_domain = [rows[i] for i in members]
        pictures = [scored[i] for i in members]
        paired = bool(of_domain[0].against)
        yield SuiteRow(
            name="mean",
            domain=domain,
            window=window,
            medium=of_domain[0].medium if len({row.medium for row in of_domain}) == 1 else "media",
            n=sum(row.n for row in of_domain),
            metrics={metric: _mean_summary(metric, of_domain, pictures) for metric in METRICS},
            frame_wise=(
                {m: _all_or_none([row.frame_wise[m] for row in of_domain]) for m in METRICS}
                if all(row.frame_wise for row in of_domain)
                else {}
            ),
            against={m: _all_or_none([row.against[m] for row in of_domain]) for m in METRICS} if paired else {},
            differences={m: _difference([_gains(m, s) for s in pictures]) for m in METRICS} if paired else {},
            notes=(),
        )


def _mean_summary(
    metric: str, rows: Sequence[SuiteRow], scored: Sequence[Sequence[Sequence[StimulusScores]]]
) -> MetricSummary:
    summaries = [row.metrics[metric] for row in rows]
    model, centre, prior, viewer, half, ceiling = (
        _all_or_none([getattr(summary, name) for summary in summaries])
        for name in ("model", "centre", "prior", "one_vs_others", "split_half", "ceiling")
    )
    groups = [defined(s.model[metric] for s in sets[0]) for sets in scored]
    lo, hi = stratified_bootstrap_interval(groups) or (None, None)
    share = explained_share(model, centre, ceiling)
    n = sum(summary.n for summary in summaries)
    return MetricSummary(metric, n, model, lo, hi, centre, prior, viewer, half, ceiling, share)


def _gains(metric: str, scored: Sequence[Sequence[StimulusScores]]) -> list[float]:
    """Return differences of two models on the same stimuli, where both are defined."""
    pairs = [(ours.model[metric], theirs.model[metric]) for ours, theirs in zip(*scored, strict=True)]
    return [ours - theirs for ours, theirs in pairs if ours is not None and theirs is not None]


def _difference(groups: Sequence[Sequence[float]]) -> PairedDifference | None:
    """Average the means of groups, with an interval."""
    if not all(groups):
        return None
    lo, hi = stratified_bootstrap_interval(groups) or (None, None)
    return PairedDifference(float(np.mean([np.mean(group) for group in groups])), lo, hi)


def _all_or_none(values: Sequence[float | None]) -> float | None:
    return None if any(value is None for value in values) else mean_defined(values)
