"""What two runs say differently of how they were made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mediaan.errors import UsageError
from mediaan.evaluation.drift_summary import Difference

_NO_MATTER = frozenset({"maps", "densities"})  # of a recipe: what is drawn and kept changes no number
_OWN_WAY = frozenset({"mediaan", "device", "recipe", "models", "versions", "metrics", "aoi_metrics"})
_OF_EACH_RUN = frozenset(
    {"created_at", "recipe_id", "maps", "unused_patterns", "briefing", "counts", "seconds", "media_per_s", "stages"}
)
_MEANING = ("unit", "low", "high", "direction", "basis")
_UNSAID = "not stated"  # by an older version, or nothing
_LONGEST = 60  # characters of a value that are shown

_FILM = ("fps", "fast")
_AREAS = ("aois", "detector")

Facts = Mapping[str, Any]


def differences(old: Facts, new: Facts) -> tuple[Difference, ...]:
    """Differences of version, device, recipe, models, other facts, libraries, and what metrics mean; in that order.

    Parameters
    ----------
    old, new : mapping
        Contents of ``run.json``.
    """
    parts = [{key: value for key, value in _part(facts).items() if value is not None} for facts in (old, new)]
    names = dict.fromkeys((*parts[0], *parts[1]))
    pairs = [(name, *(part.get(name, _UNSAID) for part in parts)) for name in names]
    return tuple(Difference(name, _short(a), _short(b)) for name, a, b in pairs if a != b)


def _part(facts: Facts) -> dict[str, Any]:
    """What is compared, by name."""
    recipe, models, versions = facts.get("recipe", {}), facts.get("models", ()), facts.get("versions", {})
    others = {key: value for key, value in facts.items() if key not in _OWN_WAY | _OF_EACH_RUN}
    return {
        "mediaan": facts.get("mediaan"),
        "device": facts.get("device"),
        **{f"recipe: {key}": value for key, value in recipe.items() if key not in _NO_MATTER},
        **{f"model {model['name']}": (model.get("sha256") or "no weights")[:12] for model in models},
        **{key: _without_times(value) for key, value in others.items()},
        **{f"library {key}": value for key, value in versions.items()},
        **dict(_meanings(facts)),
    }


def _meanings(facts: Facts) -> Iterator[tuple[str, Any]]:
    for group in ("metrics", "aoi_metrics"):
        for spec in facts.get(group, ()):
            meaning = ", ".join(f"{key} {spec[key]}" for key in _MEANING if key in spec)
            yield f"metric {spec.get('name')}", meaning


def _without_times(value: Any) -> Any:
    """Changes of areas say when they were made, which is no difference."""
    if isinstance(value, list):
        return [_without_times(one) for one in value]
    return {key: one for key, one in value.items() if key != "at"} if isinstance(value, dict) else value


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def check_exposure(old: Facts, new: Facts) -> None:
    """Refuse runs over pictures of which no number means the same.

    Raises
    ------
    UsageError
        Pictures were looked at for different times.
    """
    exposures = [facts.get("recipe", {}).get("exposure_s") for facts in (old, new)]
    if exposures[0] != exposures[1]:
        raise UsageError(
            f"the runs ask what viewers do in {exposures[0]} s and in {exposures[1]} s (exposure_s): such numbers "
            "differ by their meaning; analyse the media again with one exposure",
            code="not_comparable",
        )


def cautions(old: Facts, new: Facts) -> Iterator[str]:
    """What differences of the recipes mean for the numbers."""
    recipes = [facts.get("recipe", {}) for facts in (old, new)]

    def differ(keys: tuple[str, ...]) -> bool:
        return any(recipes[0].get(key) != recipes[1].get(key) for key in keys)

    if differ(_FILM):
        yield "Frames of videos were chosen differently (fps, fast): shifts of videos are not the model's alone."
    if differ(_AREAS):
        yield "Areas were looked for differently (aois, detector): only those in both runs are compared."
