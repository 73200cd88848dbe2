"""Analyze one medium, or predict the density of one array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from mediaan.analysis import MediumOptions, Plan, analyze_file, load_models
from mediaan.analysis.recipe import Recipe
from mediaan.config.calibration import load_calibration
from mediaan.config.objectives.objective import read_brand, read_objective
from mediaan.errors import UsageError
from mediaan.maps import VIDEO_MAP_NAMES as FILM_NAMES
from mediaan.maps.catalogue import map_names
from mediaan.media.errors import translate_memory_errors
from mediaan.media.listing import displayable
from mediaan.media.views import resize_to_view
from mediaan.run.results import MEASURED_WITH
from mediaan.types.aoi import AoiLevel, Brand, Drawing, types_searched
from mediaan.types.arguments import as_path, check_items
from mediaan.types.arrays import Float32, UInt8, check_image
from mediaan.types.densities import Window
from mediaan.types.eye_tracking import Calibration
from mediaan.types.media import Purpose
from mediaan.types.result import Result
from mediaan.workflow.folder.inputs import RunInputs
from mediaan.workflow.folder.metadata import run_metadata
from mediaan.workflow.rating.medium import with_checks


def analyze(
    path: str | Path,
    *,
    model: str | Path = "attention",
    device: str = "auto",
    maps: Sequence[str] | str = (),
    max_megapixels: float = 100.0,
    fps: float = 5.0,
    fast: bool = False,
    aois: AoiLevel = "all",
    brand: str | Brand | Mapping[str, Any] | None = None,
    platform: str | None = None,
    drawings: Sequence[Drawing] | None = None,
    detector: str | Path = "objects",
    intervals: Literal["full", "none"] = "full",
    advice: Literal["tried", "none"] = "tried",
    calibration: str | Path | Calibration | None = None,
    domain: str | None = None,
    purpose: Purpose | None = None,
    viewport: str = "auto",
) -> Result:
    """Analyze one image, video or animation.

    Parameters
    ----------
    path : str or Path
    model : str or Path
        Name of a model that ships, or path of a card (.toml) of your own.
    device : {'auto', 'cpu', 'cuda'}
    maps : sequence of str, or str
        Maps to render into ``result.pictures``, such as ``("heat", "fog")`` or ``"heat,fog"``. Videos are made by
        `analyze_folder` only.
    max_megapixels : float
        Larger images are refused before their pixels are decoded.
    fps : float
        Samples per second of a video.
    fast : bool
        Look only at the key frames of a video.
    aois : {'none', 'text', 'objects', 'all'}
        Which areas of interest to look for; ``none`` is the fastest.
    brand : str, Brand or mapping, optional
        Whose marks to look for: a name, or ``{"name": "Acme", "aliases": ["Acme Foods"], "logos": ["logo.png"]}``;
        without it, those of any brand.
    platform : str, optional
        Where the medium is shown, such as ``instagram``: it decides what is legible.
    drawings : sequence of Drawing, optional
        AOIs of your own, scored too.
    detector : str or Path
        Name of an object detector that ships, or path of a card (.toml) of your own.
    intervals : {'full', 'none'}
        Whether scores get 90 % intervals, for which an image is looked at again under changes that should not matter.
    advice : {'tried', 'none'}
        Whether edits of an image with areas are tried, and those that are predicted to help told.
    calibration : path or Calibration, optional
        Of your own viewers, as `mediaan calibrate` wrote it.
    domain : str, optional
        What the medium is: ``photo``, ``ad`` (of a product in a shop), ``design`` (laid out from text and graphics) or
        ``page`` (of a website or app). By default the model tells by itself.
    purpose : {'brand_building', 'conversion'}, optional
        What the medium is for: it decides which checks it needs to pass, and for what edits are suggested.
    viewport : str
        Screen on which a tall page is judged fold by fold, in CSS px, such as ``1440x900``; ``auto``: the usual one for
        its width; ``whole``: it is looked at as one image.

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
        An unknown model, map or domain; a domain for a model that tells none apart; a model or device that cannot be
        had.
    """
    path = as_path(path)
    if drawings is not None:
        drawings = check_items(drawings, Drawing, "drawings")
    recipe = make_recipe(
        model=str(model),
        maps=map_names(maps) if isinstance(maps, str) else check_items(maps, str, "maps"),
        max_megapixels=max_megapixels,
        fps=fps,
        fast=fast,
        aois=aois,
        detector=str(detector),
        intervals=intervals,
        advice=advice,
        viewport=viewport,
        calibration=load_calibration(calibration) if isinstance(calibration, (str, Path)) else calibration,
    )
    if films := [name for name in recipe.maps if name in FILM_NAMES]:
        raise UsageError(f"{films[0]} is a film and needs a place on disk: use analyze_folder", code="film_needs_out")
    said = read_objective({"purpose": purpose, "platform": platform})
    plan = Plan.of(recipe, densities=False, device=device, domain=domain)
    options = MediumOptions(None if brand is None else read_brand(brand), said.platform, drawings)
    models = load_models(*plan.models)
    with translate_memory_errors(displayable(path.name)):
        result = analyze_file(path, plan, models, options=options)
    predictor = models.still if result.medium.kind == "image" else models.moving
    facts = run_metadata(recipe, predictor, models, RunInputs(), [result.path]).facts
    result = replace(result, measured_with={key: facts[key] for key in MEASURED_WITH})
    objective = said.model_dump(mode="json", exclude_none=True)
    if options.brand is not None:
        objective["brand"] = {
            "name": options.brand.name,
            "aliases": list(options.brand.aliases),
            "logos": [str(logo) for logo in options.brand.logos],
        }
    looked_for = types_searched(aois, drawn=drawings is not None)
    return with_checks(replace(result, objective=objective, looked_for=looked_for))


def make_recipe(**settings: Any) -> Recipe:
    """Validate settings as a recipe.

    Raises
    ------
    UsageError
        A setting that cannot be; the message names it.
    """
    try:
        return Recipe(**settings)
    except ValidationError as error:
        complaints = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise UsageError(complaints, code="bad_recipe") from error


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
        known = ", ".join(densities.maps)
        raise UsageError(f"model {predictor.name} predicts no window {window!r}; it has {known}", code="unknown_window")
    return densities[window]
