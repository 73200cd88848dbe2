"""Decide which runs were measured in the same way: only their numbers may be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ComparabilityKey:
    """Everything that a run's scores depend on; not maps, stored densities, intervals, workers and limits."""

    model: str
    """Name of the attention model."""
    model_sha256: str | None
    """Of its weights; None where it has none."""
    scores_id: str | None
    """Of scales and definitions; None where a run does not say (it is older than 0.5)."""
    exposure_s: float
    """How long a picture is looked at, s."""
    calibration_sha256: str | None
    """Of the calibration, None without one."""
    fps: float
    """Samples per second of a video."""
    fast: bool
    """Whether only key frames of videos were looked at."""
    aois: str
    """Which AOIs were looked for."""
    finders: tuple[tuple[str, str], ...]
    """Tuple of (str, str). Name and sha256 of the models that looked for them."""
    recipe_id: str
    """For the record alone: it changes with every version."""
    mediaan: str
    """The program's version, for the record alone."""

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> ComparabilityKey:
        """Return the key of a run from the contents of its ``run.json``."""
        recipe = facts["recipe"]
        attention, *finders = facts["models"]
        return cls(
            model=str(attention["name"]),
            model_sha256=attention["sha256"],
            scores_id=facts.get("scores_id"),
            exposure_s=float(recipe["exposure_s"]),
            calibration_sha256=(facts.get("calibration") or {}).get("sha256"),
            fps=float(recipe["fps"]),
            fast=bool(recipe["fast"]),
            aois=str(recipe["aois"]),
            finders=tuple((str(finder["name"]), str(finder["sha256"])) for finder in finders),
            recipe_id=str(facts["recipe_id"]),
            mediaan=str(facts["mediaan"]),
        )

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> ComparabilityKey:
        """Read one from what `asdict` made of it.

        Raises TypeError, ValueError: it does not hold what a key holds.
        """
        finders = tuple((str(name), str(sha256)) for name, sha256 in content.get("finders", ()))
        return cls(**{**content, "finders": finders})

    def mismatches(
        self,
        run: ComparabilityKey,
        *,
        aois: bool,
        videos: bool = True,
        any_exposure: bool = False,
        names: tuple[str, str] = ("the norms", "the run"),
    ) -> tuple[str, ...]:
        """Return the reasons why numbers of a run may not be compared with norms, or with another run, of this key.

        `aois`: whether scores of AOIs are meant; their exposure and finders matter too.
        `videos`: whether media that move are meant; how they were sampled matters too.
        `any_exposure`: whether AOIs of this side can be scored for the exposure of the run, which then does not matter.
        `names` (str, str): what reasons call this side and the run.
        Returns: reasons in words, which go on after "cannot be used: "; empty where they may be compared.
        """
        ours, theirs = names
        reasons = []
        if (self.model_sha256 or self.model) != (run.model_sha256 or run.model):
            reasons.append(f"the attention model of {ours} is {_model(self)}, that of {theirs} {_model(run)}")
        if run.scores_id is None:
            which = f"mediaan {run.mediaan}, which did not say which scales it used"
            reasons.append(f"{theirs} was made by {which}; analyze it again")
        elif self.scores_id != run.scores_id:
            reasons.append(
                f"scores of {ours} have other scales or definitions ({self.scores_id}, mediaan {self.mediaan}) than "
                f"those of {theirs} ({run.scores_id}, mediaan {run.mediaan})"
            )
        if self.calibration_sha256 != run.calibration_sha256:
            reasons.append(f"scores of {ours} were made {_calibration(self)}, those of {theirs} {_calibration(run)}")
        if aois and not any_exposure and self.exposure_s != run.exposure_s:
            spans = f"{self.exposure_s:g} s, those of {theirs} for {run.exposure_s:g} s"
            reasons.append(f"AOIs of {ours} were looked at for {spans}")
        if aois and not set(run.finders) <= set(self.finders):
            reasons.append(f"AOIs of {ours} were found by {_finders(self)}, those of {theirs} by {_finders(run)}")
        if videos and self.fast != run.fast:
            how = {True: "key frames alone", False: "samples at even times"}
            reasons.append(f"videos of {ours} were looked at by {how[self.fast]}, those of {theirs} by {how[run.fast]}")
        elif videos and self.fps != run.fps:
            reasons.append(
                f"videos of {ours} were sampled {self.fps:g} times a second, those of {theirs} {run.fps:g} times"
            )
        return tuple(reasons)


def _model(key: ComparabilityKey) -> str:
    return f"{key.model} ({(key.model_sha256 or '')[:12] or 'without weights'})"


def _calibration(key: ComparabilityKey) -> str:
    sha256 = key.calibration_sha256
    return f"with the calibration {sha256[:12]}" if sha256 else "without a calibration"


def _finders(key: ComparabilityKey) -> str:
    return ", ".join(f"{name} ({sha256[:12]})" for name, sha256 in key.finders) or "people"
