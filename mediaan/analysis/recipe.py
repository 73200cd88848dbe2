"""Declare what an analysis computes: one recipe over one medium always gives the same numbers."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, field_validator

from mediaan import __version__
from mediaan.analysis.options import Options
from mediaan.errors import UsageError, did_you_mean
from mediaan.types.aoi import AoiLevel
from mediaan.types.eye_tracking import Calibration

Card = Annotated[str, Field(min_length=1), BeforeValidator(lambda name: str(name) if isinstance(name, Path) else name)]
"""Name of a model that ships, or path of a model card of the user's own."""


def _default_maps() -> tuple[str, ...]:
    from mediaan.maps.catalogue import default_map_names  # loads OpenCV, which the help of a command can do without

    return default_map_names()


class Recipe(Options):
    """Options that change numbers, or what is made of them.

    Two runs with one recipe over one medium give the same numbers. What the user states about media (objectives, drawn
    areas, rules, domain, benchmark) is no part of the recipe's identity: a run goes on with other objectives, and keeps
    those that it had where a recipe names none.

    Examples
    --------
    >>> Recipe(aois="text", maps="heat,fog").maps
    ('heat', 'fog')
    """

    error_code: ClassVar[str] = "bad_recipe"

    model: Card = "attention"
    """Attention model: a name from `mediaan models list`, or the path of your own model card (.toml)."""
    maps: tuple[str, ...] = Field(default_factory=_default_maps)
    """Maps to draw: all (but the overlay videos), none, or names such as heat,fog,heat_video."""
    densities: bool = True
    """Keep the densities, so that AOIs can be added to the run later."""
    aois: AoiLevel = "all"
    """Areas of interest to find; none is fastest."""
    detector: Card = "objects"
    """Object detector: a name from `mediaan models list`, or the path of your own model card (.toml)."""
    intervals: Literal["full", "none"] = "full"
    """full: put 90 % intervals around scores; each image is analyzed several times. none is faster."""
    advice: Literal["tried", "none"] = "tried"
    """tried: try edits of each image, and list those that are predicted to help. none is faster."""
    exposure_s: float = Field(default=5.0, gt=0)
    """How long an image is looked at, s."""
    viewport: str = "auto"
    """Screen on which tall pages are judged fold by fold, such as 1440x900 in CSS px; auto: the usual one for a page's
    width; whole: look at pages as one image."""
    max_megapixels: float = Field(default=100.0, gt=0)
    """Larger images fail, before their pixels are decoded."""
    fps: float = Field(default=5.0, gt=0, le=60)
    """Samples per second of a video."""
    fast: bool = False
    """Analyze only the key frames of videos: several times as fast."""
    mixed: bool = False
    """Accept only the mixed media of the v2 service: MP4, WebM, MOV, MKV, AVI and GIF."""
    max_side: int | None = Field(default=None, gt=0)
    """Files with a longer side, in px, fail; None: 3000 for mixed media, and no limit otherwise."""
    time_limit_s: float = Field(default=900.0, gt=0)
    """Seconds after which a single file fails; a long video gets this time for each ten minutes."""
    calibration: Calibration | None = None
    """Predict the attention of your own viewers, with a file from `mediaan calibrate`."""

    objectives: str | Path | None = Field(default=None, exclude=True)
    """YAML file or table (CSV): what each file is for; none drops those of the run. None: those of the run."""
    brand_kit: str | Path | None = Field(default=None, exclude=True)
    """Folder of a brand kit (`mediaan brand`), or of several: what the brand is called and looks like."""
    drawn_aois: str | Path | None = Field(default=None, exclude=True)
    """File of areas that people drew; none drops those of the run. None: those of the run."""
    rules: str | Path | None = Field(default=None, exclude=True)
    """YAML file, or the name of a built-in rule set: what files must reach, in addition to the rules of the
    objectives; none: no rules. None: those of the run."""
    domain: str | None = Field(default=None, exclude=True)
    """Type of the files for which the objectives name none; attention is predicted for it: photo, ad (of a product in a
    shop), design (laid out from text and graphics) or page (of a website or app); none drops that of the run. None:
    that of the run, else recognized by the model."""
    benchmark: str = Field(default="auto", exclude=True)
    """Benchmark that scores are compared with: auto, none, a name from `mediaan benchmark list`, or a file."""
    benchmark_despite: str = Field(default="", exclude=True)
    """Why the benchmark is used although its scores were measured with other settings; the run keeps the reason."""

    @field_validator("maps", mode="before")
    @classmethod
    def _split_names(cls, names: object) -> object:
        from mediaan.maps.catalogue import map_names

        return map_names(names) if isinstance(names, str) else names

    @field_validator("maps")
    @classmethod
    def _known_maps(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        from mediaan.maps.catalogue import MAPS

        for name in names:
            if name not in MAPS:
                listed, guess = ", ".join(MAPS), did_you_mean(name, MAPS)
                raise UsageError(f"no map is called {name!r}; there are {listed}, or none{guess}", code="unknown_map")
        return tuple(name for name in MAPS if name in names)

    @field_validator("viewport")
    @classmethod
    def _known_viewport(cls, text: str) -> str:
        from mediaan.saliency.folds import check_viewport

        return check_viewport(text)

    @property
    def recipe_id(self) -> str:
        """16 hexadecimal digits that change with any option of the identity and with the program's version.

        Examples
        --------
        >>> Recipe(maps=("fog", "heat")).recipe_id == Recipe(maps=("heat", "fog")).recipe_id
        True
        """
        facts = {"mediaan": __version__, "recipe": self.model_dump(mode="json")}
        text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]
