"""Analyze one medium, or predict the density of one array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mediaan.analysis import Execution, MediumOptions, Plan, Recipe, analyze_file, load_models
from mediaan.config.brand_kit import describe_by_kits, load_kits
from mediaan.config.objectives.objective import BrandSettings, read_brand, read_objective
from mediaan.errors import UsageError
from mediaan.maps import MAPS
from mediaan.media.limits import translate_memory_errors
from mediaan.media.names import displayable
from mediaan.media.views import resize_to_view
from mediaan.types.aoi import Brand, Drawing, types_searched
from mediaan.types.arguments import as_path, check_image, check_items
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Window
from mediaan.types.media import Purpose
from mediaan.types.result import Result
from mediaan.workflow.measured_with import measured_with
from mediaan.workflow.options import read_options
from mediaan.workflow.rating.medium import with_checks

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
        ``intervals="none"``, ``fps=2``, ``domain="ad"``, ``model="my_model.toml"``, ``device="cuda"``;
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


def predict_density(
    rgb: UInt8,
    *,
    model: str | Path = "attention",
    device: str = "auto",
    window: Window = "total",
    domain: str | None = None,
) -> Float32:
    """Predict where fixations land.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        sRGB image.
    model, device, domain
        As in `analyze`.
    window : {'total', 'start', 'end'}
        The whole exposure of 5 s, its first 2 s, or its last 2 s.

    Returns
    -------
    (h, w) float32
        Non-negative, sums to 1; cells tile the image evenly, about 72 x 96 of them at 4:3.

    Raises
    ------
    UsageError
        `rgb` is no such array, or the model does not predict that window, or does not know that domain.
    """
    check_image(rgb)
    predictor = load_models(str(model), device).still
    (densities,) = predictor.predict(resize_to_view(rgb, predictor.view)[None], domain=domain)
    if window not in densities.maps:
        windows = ", ".join(densities.maps)
        raise UsageError(
            f"model {predictor.name} predicts no window {window!r}; it has {windows}", code="unknown_window"
        )
    return densities[window]
