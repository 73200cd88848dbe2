"""Analyze one medium, rate and check it, and say what its numbers were measured with."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from mediaan import __version__
from mediaan.analysis import Execution, MediumOptions, Models, Plan, Recipe, analyze_file, load_models
from mediaan.analysis.revision import scores_id
from mediaan.config import Objective
from mediaan.config.brand import BrandSettings, describe_by_kits, load_kits, read_brand
from mediaan.config.calibration import describe_calibration
from mediaan.config.objective import read_objective
from mediaan.config.rules import Targets
from mediaan.errors import UsageError
from mediaan.judge.benchmark.ranges import rate_scores
from mediaan.judge.checks import evaluate_checks
from mediaan.judge.verdict import verdict_of
from mediaan.maps import MAPS
from mediaan.media.limits import translate_memory_errors
from mediaan.media.names import displayable
from mediaan.types.aoi import AoiLevel, Brand, Drawing, types_searched
from mediaan.types.arguments import as_path, check_items, check_type
from mediaan.types.benchmark import BenchmarkRange, Category
from mediaan.types.media import Purpose
from mediaan.types.result import Result
from mediaan.vision.objects.detector import ObjectDetector
from mediaan.vision.text.reader import TextReader
from mediaan.workflow.options import read_options
from mediaan.workflow.populations import AUTO, NONE, measured_scores, populations_of_one

if TYPE_CHECKING:
    from mediaan.saliency import AttentionPredictor, TemporalAttention


USED_BY_ANALYZE = (
    *(name for name, field in Recipe.model_fields.items() if not field.exclude and name not in ("densities", "mixed")),
    "domain",
    "brand_kit",
    "device",
    "threads",
)
"""Options that mean something for one medium, of which nothing is kept on disk."""


def analyze(
    path: str | Path,
    recipe: Recipe | None = None,
    execution: Execution | None = None,
    *,
    brand: str | Brand | Mapping[str, Any] | None = None,
    platform: str | None = None,
    drawings: Sequence[Drawing] | None = None,
    purpose: Purpose | None = None,
    **options: Any,
) -> Result:
    """Analyze one image, video or animation.

    Parameters
    ----------
    path : str or Path
    recipe : Recipe, optional
        What is computed; by default all scores, areas, intervals and advice, but no maps. Maps are rendered into
        ``result.pictures``; overlay videos are made by `analyze_folder` only.
    execution : Execution, optional
        Of its options, ``device`` and ``threads`` mean something here.
    brand : str, Brand or mapping, optional
        Whose marks to look for: a name, or ``{"name": "Acme", "aliases": ["Acme Foods"], "logos": ["logo.png"]}``;
        without it, those of any brand.
    platform : str, optional
        Where the medium is shown, such as ``instagram``: it decides what is legible.
    drawings : sequence of Drawing, optional
        AOIs of your own, scored too.
    purpose : {'brand_building', 'conversion'}, optional
        What the medium is for: it decides which checks it needs to pass, and for what edits are suggested.
    **options
        Fields of `Recipe` and `Execution` by name, over those of the two models: ``maps="heat,fog"``, ``aois="none"``,
        ``fps=2``, ``domain="ad"``, ``model="my_model.toml"``, ``device="cuda"``;
        ``calibration`` may be the path of a file.

    Returns
    -------
    Result
        ``result["focus"].value``, ``result.densities["total"]``, ``result.domain``, ``result.to_dict()``; of a video
        also ``result.frames`` and ``result.scenes``; with AOIs ``result.aois``, each with its scores;
        ``result.checks`` and ``result.verdict`` say what to make of it, and ``result.suggestions`` which edits would
        help.

    Raises
    ------
    MediumError
        The file is bad; the code and the sentence say how.
    UsageError, SetupError
        An unknown option, model, map or domain; a domain for a model that tells none apart; a model or device that
        cannot be had.
    """
    path = as_path(path)
    if drawings is not None:
        drawings = check_items(drawings, Drawing, "drawings")
    defaults = {"maps": ()} if recipe is None else {}
    recipe, execution = read_options(recipe, execution, {**defaults, **options}, used=USED_BY_ANALYZE)
    if videos := [name for name in recipe.maps if MAPS[name].kind == "video"]:
        raise UsageError(f"{videos[0]} is a video and needs a place on disk: use analyze_folder", code="film_needs_out")
    objective = read_objective({"purpose": purpose, "platform": platform})
    plan = Plan.of(recipe, execution, densities=False)
    sought = None if brand is None else read_brand(brand)
    if recipe.brand_kit is not None:
        sought = _in_kit(Path(recipe.brand_kit), sought)
    medium_options = MediumOptions(sought, objective.platform, drawings)
    models = load_models(*plan.models)
    with translate_memory_errors(displayable(path.name)):
        result = analyze_file(path, plan, models, options=medium_options)
    predictor = models.still if result.medium.kind == "image" else models.moving
    result = replace(result, measured_with=measured_with(recipe, predictor, models))
    stated = objective.model_dump(mode="json", exclude_none=True)
    if named := medium_options.brand:
        stated["brand"] = _settings(named).model_dump(mode="json")
    looked_for = types_searched(recipe.aois, drawn=drawings is not None)
    return with_checks(replace(result, objective=stated, looked_for=looked_for))


def _in_kit(folder: Path, brand: Brand | None) -> Brand | None:
    """Return a brand as the kits in a folder describe it; a single kit needs no name."""
    described = describe_by_kits(_settings(brand) if brand else None, load_kits(folder))
    return described.located(Path()) if described else None


def _settings(brand: Brand) -> BrandSettings:
    logos, packs = (tuple(map(str, images)) for images in (brand.logos, brand.packs))
    return BrandSettings(name=brand.name, aliases=brand.aliases, addresses=brand.addresses, logos=logos, packs=packs)


def benchmark_ranges(
    result: Result,
    objective: Objective | Mapping[str, Any] | None = None,
    *,
    norms: str | Path = AUTO,
    despite: str = "",
    targets: Mapping[str, Category | Sequence[Category]] | None = None,
) -> list[BenchmarkRange]:
    """Say where the scores of an analyzed medium, and of its AOIs, stand in their population.

    Parameters
    ----------
    result : Result
        From `mediaan.analyze`.
    objective : Objective or mapping, optional
        What the medium is for, such as ``{"purpose": "conversion", "industry": "food"}``.
    norms : str or Path
        `auto` takes the norm set that ships and is meant for what the objective says; or the name or file of one.
    despite : str
        Why a norm set may be used although its scores were measured otherwise.
    targets : mapping of str to categories, optional
        Targets of your own, as in an objectives file: ``{"branding.percentage_seen": ["high", "extreme_high"]}``.

    Returns
    -------
    list of BenchmarkRange
        Scores of the medium, then those of its AOIs; those without a population say why.

    Raises
    ------
    UsageError
        No such norm set, one that was named does not fit (code norms_mismatch), an objective or target that cannot be,
        or a result that does not say what it was measured with.
    """
    check_type(result, Result, "result")
    try:
        own_targets = TypeAdapter(Targets).validate_python(dict(targets or {}))
    except ValidationError as error:
        complaints = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise UsageError(complaints, code="config_invalid") from error
    facts = read_objective(objective or {}).model_dump(mode="json", exclude_none=True)
    return _ranges(result, facts, str(norms), despite, own_targets)


def _ranges(
    result: Result,
    objective: Mapping[str, Any],
    norms: str,
    despite: str,
    targets: Mapping[str, Sequence[Category]],
) -> list[BenchmarkRange]:
    """Rate all scores; the words of the objective are known to be valid, or a file's own."""
    if not result.measured_with:
        raise UsageError(
            f"{result.path}: the result does not say what it was measured with; get it from mediaan.analyze",
            code="unknown_yardstick",
        )
    standard_of = populations_of_one(result, objective, norms, despite).standards(targets)
    return list(rate_scores(measured_scores(result), standard_of))


def with_checks(result: Result, choice: str = AUTO, despite: str = "") -> Result:
    """Rate and check a result by what its objective says the medium is for.

    `result`: with its objective, and what was looked for.
    `choice`, `despite`: norm set, as of `benchmark_ranges`; ``none`` compares with nothing.
    Returns: with its ranges, checks and verdict, and the suggestions for its purpose.
    """
    ranges = () if choice == NONE else tuple(_ranges(result, result.objective, choice, despite, {}))
    checks = evaluate_checks(replace(result, ranges=ranges))
    purpose = result.objective.get("purpose")
    suggestions = tuple(suggestion for suggestion in result.suggestions if suggestion.purpose == purpose)
    return replace(result, ranges=ranges, checks=checks, verdict=verdict_of(checks), suggestions=suggestions)


def measured_with(recipe: Recipe, predictor: AttentionPredictor | TemporalAttention, models: Models) -> dict[str, Any]:
    """Return the entries of ``run.json`` that `Result.measured_with` holds.

    `predictor`: named with the hash of its weights.
    `models`: of which those that look for AOIs are named too.
    """
    used = [predictor, *aoi_models(recipe.aois, models)]
    named = [{"name": model.name, "sha256": model.sha256} for model in used]
    # changes with any setting, with the program's version and with weights; what is said of single media does not count
    identity = [recipe.recipe_id, *(str(model["sha256"]) for model in named)]
    calibration = recipe.calibration  # the numbers themselves are in the recipe
    return {
        "mediaan": __version__,
        "recipe": recipe.model_dump(mode="json"),
        "recipe_id": hashlib.sha256(" ".join(identity).encode()).hexdigest()[:16],
        "models": named,
        "scores_id": scores_id(),
        "calibration": calibration
        and {
            "source": calibration.source,
            "sha256": calibration.sha256,
            "says": describe_calibration(calibration),
            "despite": calibration.despite or None,
        },
    }


def aoi_models(level: AoiLevel, models: Models) -> list[TextReader | ObjectDetector]:
    """Return the models that detect AOIs at a level."""
    used: list[TextReader | ObjectDetector] = []
    if level in ("text", "all"):
        used.append(models.text)
    if level in ("objects", "all"):
        used.append(models.objects)
    return used
