"""Declare what an analysis computes: one recipe over one medium always gives the same numbers."""

from __future__ import annotations

import hashlib
import json
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from mediaan import __version__
from mediaan.errors import UsageError, did_you_mean
from mediaan.maps.catalogue import ALL_MAP_NAMES, MAP_NAMES, map_names
from mediaan.saliency.folds import check_viewport
from mediaan.types.aoi import AoiLevel
from mediaan.types.eye_tracking import Calibration


class Recipe(BaseModel):
    """Settings that change numbers: what to compute for each medium.

    Attributes
    ----------
    model : str
        Name of the attention model, or path of its card.
    maps : tuple of str
        Names of the maps to render, kept in the catalogue's order; by default all but the videos; empty renders none.
    densities : bool
        Whether the densities themselves are kept, so that AOIs can be scored later without the model.
    aois : {'none', 'text', 'objects', 'all'}
        Which areas of interest are looked for; none is the fastest.
    detector : str
        Name of the object detector, or path of its card.
    intervals : {'full', 'none'}
        Whether scores get 90 % intervals.
    advice : {'tried', 'none'}
        Whether edits of images with areas are tried, and those that are predicted to help told.
    exposure_s : float
        How long an image is looked at, s.
    viewport : str
        Screen on which tall pages are judged fold by fold: ``1440x900`` in CSS px; ``auto``: the usual one for a
        page's width; ``whole``: pages are looked at as one image.
    max_megapixels : float
        Larger images are refused before they are decoded.
    fps : float
        Samples per second of a video.
    fast : bool
        Look only at the key frames of videos.
    mixed : bool
        Take only what the v2 media analysis service takes as mixed media: MP4, WebM, MOV, MKV, AVI and GIF.
    max_side : int or None
        Longest side that a medium may have, px; None is 3000 for mixed media and no limit otherwise.
    time_limit_s : float
        Wall time after which a medium fails, s.
    calibration : Calibration or None
        Of the viewers whose attention is predicted; None: those that the model was trained on.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    model: str = Field(default="attention", min_length=1)
    maps: tuple[str, ...] = MAP_NAMES
    densities: bool = True
    aois: AoiLevel = "all"
    detector: str = Field(default="objects", min_length=1)
    intervals: Literal["full", "none"] = "full"
    advice: Literal["tried", "none"] = "tried"
    exposure_s: float = Field(default=5.0, gt=0)
    viewport: str = "auto"
    max_megapixels: float = Field(default=100.0, gt=0)
    fps: float = Field(default=5.0, gt=0, le=60)
    fast: bool = False
    mixed: bool = False
    max_side: int | None = Field(default=None, gt=0)
    time_limit_s: float = Field(default=900.0, gt=0)
    calibration: Calibration | None = None

    @field_validator("maps", mode="before")
    @classmethod
    def _split_names(cls, names: object) -> object:
        return map_names(names) if isinstance(names, str) else names

    @field_validator("maps")
    @classmethod
    def _known_maps(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in ALL_MAP_NAMES:
                known = ", ".join(ALL_MAP_NAMES)
                guess = did_you_mean(name, ALL_MAP_NAMES)
                raise UsageError(f"no map is called {name!r}; there are {known}, or none{guess}", code="unknown_map")
        return tuple(name for name in ALL_MAP_NAMES if name in names)

    @field_validator("viewport")
    @classmethod
    def _known_viewport(cls, text: str) -> str:
        return check_viewport(text)

    @property
    def recipe_id(self) -> str:
        """16 hexadecimal digits that change with any setting and with the program's version.

        Examples
        --------
        >>> Recipe(maps=("fog", "heat")).recipe_id == Recipe(maps=("heat", "fog")).recipe_id
        True
        """
        facts = {"mediaan": __version__, "recipe": self.model_dump(mode="json")}
        text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]
