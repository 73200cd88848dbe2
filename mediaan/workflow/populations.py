"""Choose the norm set that a medium is compared with."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.config.attributes import attribute_of, objective_word
from mediaan.errors import UsageError
from mediaan.judge.benchmark import find_norm_set, list_norm_sets
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.judge.benchmark.norm_set import NormMatch, NormSet, Provenance
from mediaan.judge.benchmark.ranges import MeasuredScore, ReferenceStandard, UnratedReason, measured_target
from mediaan.judge.benchmark.targets import target_key, target_of, widen_target
from mediaan.metrics import metric_specs
from mediaan.types.benchmark import Category
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec
from mediaan.types.placement import PAGE_DOMAIN
from mediaan.types.result import Result

AUTO: Final = "auto"
NONE: Final = "none"

DEFAULT, DEFAULT_MOVING = "ads", "films"
"""The norm sets for images, and for media that move, that do not say what they are."""


class NormSetChoice(NamedTuple):
    """The norm set that a medium asks for: a name or path, and why it is not one that is meant for it."""

    source: str
    note: str | None = None


_PAGE_USECASE = "web_page"
"""Of images that are stated to be pages, where the objective names no use case and they are not seen as e-mails."""


def choose_norm_set(
    objective: Mapping[str, Any],
    kind: str,
    choice: str,
    shipped: Mapping[str, Provenance],
    domain: str | None = None,
) -> NormSetChoice | None:
    """Choose the norm set that a medium is compared with; None for no comparison.

    `objective`: as `run.json` keeps it; empty where nothing is said of the medium.
    `kind`: of the medium: what moves is compared with what moves.
    `choice`: `auto`, `none`, or the name or path of one for all media.
    `shipped`: as `list_norm_sets` gives it.
    `domain`: that was stated for the medium, as of the pictures of web pages.
    """
    asked = objective.get("benchmark", AUTO) if choice == AUTO else choice
    if asked == NONE or (asked == AUTO and not shipped):
        return None
    if asked != AUTO:
        return NormSetChoice(asked)
    # the set that is meant for the objective, by the most keys; the default where none is
    if domain == PAGE_DOMAIN and "usecase" not in objective and objective.get("platform") != "email":
        objective = {**objective, "usecase": _PAGE_USECASE}
    moving = kind != "image"
    best, most = DEFAULT_MOVING if moving else DEFAULT, 0
    for name, about in shipped.items():
        if moving != any(value != "image" for value in about.types):
            continue
        stated = [(objective_word(objective.get(key)), values) for key, values in about.applies_to.items()]
        fits = [
            any(word == value or word.startswith(f"{value}/") for value in values) for word, values in stated if word
        ]
        if all(fits) and sum(fits) > most:
            best, most = name, sum(fits)
    if most:
        return NormSetChoice(best)
    keys = dict.fromkeys(key for about in shipped.values() for key in about.applies_to)
    words = [f"{key}={word}" for key in keys if (word := objective_word(objective.get(key)))]
    what = "benchmark of videos" if moving else "benchmark"
    return NormSetChoice(best, f"no included {what} fits {', '.join(words)}" if words else None)


def check_norm_set(source: str, run: ComparabilityKey, despite: str = "") -> None:
    """Refuse a norm set that was named and cannot be used.

    `source`: name or path.
    `run`: of the scores that are to be compared with it.
    `despite`: why it may be used although its scores were measured otherwise; empty: it may not.
    Raises UsageError: there is no such norm set, or its scores were measured otherwise (code norms_mismatch).
    """
    norms = find_norm_set(source)
    moving = all(norm.type != "image" for norm in norms.norms)
    reasons = norms.comparability_key.mismatches(run, aois=False, videos=moving)
    if reasons and not despite:
        raise UsageError(
            f"norm set {source}: {'; '.join(reasons)}. Build one from files of your own (mediaan benchmark build), "
            "leave --benchmark out, or say with --benchmark-despite why they may be compared",
            code="norms_mismatch",
        )


def comparability_key(facts: Mapping[str, Any]) -> ComparabilityKey:
    """Return what scores were measured with, from the entries of ``run.json`` that say so.

    Raises UsageError: ``old_run``: they do not say so.
    """
    try:
        return ComparabilityKey.of(facts)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"mediaan {facts.get('mediaan') or '(unknown)'} made these scores, and does not say how they were "
            "measured: analyze the files again",
            code="old_run",
        ) from error


def refusals(norms: NormSet, run: ComparabilityKey, kind: str, exposure_s: float) -> tuple[str | None, str | None]:
    """Return why scores of a medium may not be compared with a norm set, and why those of its AOIs may not.

    `kind`: of the medium.
    `exposure_s`: how long the medium is looked at, if it is an image.
    """
    if norms.compared_type(kind) not in norms.types:
        match = norms.find(kind, "focus", "total", None, {})
        return (match if isinstance(match, str) else None), None
    moving = kind != "image"
    comparable = replace(run, exposure_s=norms.comparability_key.exposure_s if moving else exposure_s)
    scores = norms.comparability_key.mismatches(comparable, aois=False, videos=moving)
    if all(norm.aoi_type is None for norm in norms.norms):  # which is the reason for scores of AOIs
        return "; ".join(scores) or None, None
    with_aois = norms.comparability_key.mismatches(
        comparable, aois=True, videos=moving, any_exposure=norms.any_exposure
    )
    aois = [reason for reason in with_aois if reason not in scores]
    if comparable.exposure_s != norms.comparability_key.exposure_s and not norms.any_exposure:
        aois.append("the norm set holds no shares of attention to score its AOIs for another time; build it again")
    return "; ".join(scores) or None, "; ".join(aois) or None


@dataclass(frozen=True, slots=True)
class PopulationCase:
    """Properties of media that share the same part of one population."""

    kind: str
    purpose: str | None
    source: str
    """Name or path of the norm set."""
    name: str
    """Of the norm set."""
    values: tuple[tuple[str, str | None], ...]
    """What the media are, by key of the norm set."""
    note: str | None
    """Why it is not a population of media like them."""
    refusal: str | None
    aoi_refusal: str | None
    """refusal, aoi_refusal: Why their scores, or those of their AOIs, may not be compared with it."""
    exposure_s: float | None = None
    """For how long the images of the population are taken to be looked at, where that is not as long as the norm set
    says, s: it scores its AOIs again."""

    @classmethod
    def of(
        cls,
        norms: NormSet,
        chosen: NormSetChoice,
        kind: str,
        objective: Mapping[str, Any],
        values: Iterable[tuple[str, str | None]],
        refused: tuple[str | None, str | None],
        exposure_s: float,
    ) -> PopulationCase:
        """Return the case of a medium of a kind that is looked at for so long; `refused`: as `refusals` gives it."""
        is_other = kind == "image" and norms.any_exposure and exposure_s != norms.comparability_key.exposure_s
        return cls(
            kind, objective.get("purpose"), chosen.source, norms.name, tuple(values), chosen.note, *refused,
            exposure_s if is_other else None,
        )  # fmt: skip


METRIC_SPECS: Mapping[str, MetricSpec] = {spec.name: spec for spec in (*metric_specs(), *AOI_METRICS)}
"""All metrics, those of areas included."""

Targets = Mapping[str, Sequence[Category]]

Standard = ReferenceStandard | UnratedReason


@dataclass(frozen=True)
class Populations:
    """The norm sets that the media of a run are compared with; `load_populations` makes it."""

    cases: Mapping[str, PopulationCase | None]
    """By medium id; None for media that are not to be compared. Media that are alike share a case."""
    sets: Mapping[str, NormSet]
    """By name or path, as it was asked for."""
    choice: str
    despite: str = ""
    """choice, despite: As `load_populations` takes them."""
    attributes: Path | None = None

    def find(
        self, case: PopulationCase | None, metric: str, metric_time: str, aoi_type: str | None = None
    ) -> NormMatch | str:
        """Return the population of one score for all media of a case, or why there is none.

        `aoi_type`: None for a score of the media.
        """
        if case is None:
            return "no comparison was asked for"
        refusal = case.refusal or (case.aoi_refusal if aoi_type else None)
        if refusal:
            return refusal
        asked = (case.kind, metric, metric_time, aoi_type, dict(case.values))
        norm = self.sets[case.source].find(*asked, exposure_s=case.exposure_s)
        if isinstance(norm, str) or case.note is None:
            return norm
        return replace(norm, fallback="; ".join(filter(None, (case.note, norm.fallback))))

    def standards(self, targets: Targets) -> Callable[[MeasuredScore], Standard | None]:
        """Return a function that looks up the standard of a score, each once, or why there is none.

        It returns None where no comparison was asked for.

        `targets`: the user's, by `target_key`.
        """
        look_up = cache(partial(self._look_up, targets))

        def standard_of(measured: MeasuredScore) -> Standard | None:
            case = self.cases.get(measured.medium_id)
            if case is None:
                return None
            return look_up(case, measured.score.metric, measured.score.time, measured.aoi_type)

        return standard_of

    def _look_up(
        self, targets: Targets, case: PopulationCase, metric: str, time: Window, aoi_type: str | None
    ) -> Standard:
        match, spec = self.find(case, metric, time, aoi_type), METRIC_SPECS.get(metric)
        if isinstance(match, str):
            return UnratedReason(case.name, match)
        if spec is None:
            return UnratedReason(case.name, f"{metric} is no metric of this version")
        norms = self.sets[case.source]
        target = target_of(metric, aoi_type, case.purpose, targets)
        key = target_key(metric, aoi_type)
        if key in norms.targets and key not in targets and (aoi_type is None or time == "total"):
            target = measured_target(norms.targets[key], match.norm)
        elif match.norm.n_media < norms.min_n:
            target = widen_target(target, match.norm.n_media)
        return ReferenceStandard(norms.name, norms.title, match, spec, target)

    def facts(self) -> dict[str, Any]:
        """Return the entry of ``run.json``: norm sets used, for how many media and exposures, and refusals with
        reasons."""
        used: Counter[str] = Counter()
        rescored: Counter[tuple[str, float]] = Counter()
        refused: Counter[tuple[str, str, str]] = Counter()
        for case, n in Counter(case for case in self.cases.values() if case).items():
            used[case.source] += 0 if case.refusal else n
            if case.exposure_s is not None and not (case.refusal or case.aoi_refusal):
                rescored[case.name, case.exposure_s] += n
            for what, reason in (("media", case.refusal), ("aois", None if case.refusal else case.aoi_refusal)):
                if reason:
                    refused[case.name, what, reason] += n
        norm_sets = []
        for norms, n in ((self.sets[source], n) for source, n in used.items() if n):
            file = norms.path.read_bytes() if norms.path else b""
            norm_sets.append(
                {
                    "name": norms.name,
                    "title": norms.title,
                    "population": norms.population,
                    "created": norms.created,
                    "n": norms.sizes.get((), 0),
                    "sha256": hashlib.sha256(file).hexdigest() if file else None,
                    "media": n,
                }
            )
        return {
            "choice": self.choice,
            "despite": self.despite or None,
            "attributes": str(self.attributes) if self.attributes else None,
            "norm_sets": norm_sets,
            "rescored": [
                {"norm_set": name, "exposure_s": exposure_s, "media": n} for (name, exposure_s), n in rescored.items()
            ],
            "refused": [
                {"norm_set": name, "what": what, "media": n, "reason": reason}
                for (name, what, reason), n in refused.items()
            ],
        }


def populations_of_one(
    result: Result, objective: Mapping[str, Any], choice: str = AUTO, despite: str = ""
) -> Populations:
    """Find the population of one medium that belongs to no run.

    `result`: that says what it was `measured_with`.
    `objective`: as `run.json` keeps one; empty where nothing is said of the medium.
    `choice`, `despite`: as of `load_populations`, with its errors.
    """
    key = comparability_key(result.measured_with)
    named = objective.get("benchmark", AUTO) if choice == AUTO else choice
    if named not in (AUTO, NONE):
        check_norm_set(named, key, despite)
    chosen = choose_norm_set(objective, result.medium.kind, choice, list_norm_sets(), result.stated_domain)
    if chosen is None:
        return Populations({}, {}, choice, despite)
    norms, kind = find_norm_set(chosen.source), result.medium.kind
    refused = (None, None) if despite else refusals(norms, key, kind, key.exposure_s)
    values = ((name, attribute_of(result.path, name, objective, None)) for name in norms.keys)
    case = PopulationCase.of(norms, chosen, kind, objective, values, refused, key.exposure_s)
    return Populations({str(result.medium.medium_id): case}, {chosen.source: norms}, choice, despite)


def measured_scores(result: Result) -> Iterator[MeasuredScore]:
    """Yield the scores of a medium, then those of its AOIs."""
    medium_id = str(result.medium.medium_id)
    yield from (MeasuredScore(medium_id, None, None, score) for score in result.scores)
    for aoi in result.aois or ():
        aoi_id = str(aoi.aoi_id)
        yield from (MeasuredScore(medium_id, aoi_id, aoi.type, score) for score in aoi.scores)
