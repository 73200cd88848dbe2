"""The two option models: `Recipe` holds what changes numbers, `Execution` what does not."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from mediaan import __version__
from mediaan.errors import UsageError, did_you_mean
from mediaan.types.aoi import AoiLevel
from mediaan.types.eye_tracking import Calibration


class Options(BaseModel):
    """Immutable options, validated once. The text below a field is also the help of its option on the command line.

    Raises UsageError: a value that cannot be, or a name that is no option.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True, defer_build=True
    )
    error_code: ClassVar[str] = "bad_options"

    if not TYPE_CHECKING:  # type checkers derive the parameters from the fields

        def __init__(self, **values: Any) -> None:
            try:
                super().__init__(**values)
            except ValidationError as error:
                raise UsageError(self._complaints(error), code=self.error_code) from error

    @classmethod
    def _complaints(cls, error: ValidationError) -> str:
        complaints = []
        for problem in error.errors():
            name = str(problem["loc"][0]) if problem["loc"] else cls.__name__
            if problem["type"] == "extra_forbidden":
                complaints.append(f"there is no option {name!r}{did_you_mean(name, cls.model_fields)}")
            else:
                complaints.append(f"{name}: {problem['msg']}; found {problem['input']!r}")
        text = "; ".join(complaints).replace(": Input should be ", " must be ")
        return text.replace("greater than or equal to", "at least").replace("less than or equal to", "at most")

    def replace(self, **changes: Any) -> Self:
        """Return the options with some of them changed, validated again."""
        return type(self)(**{**{name: getattr(self, name) for name in self.model_fields_set}, **changes})


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


Device = Literal["auto", "cpu", "cuda"]


class Execution(Options):
    """Options that change no number: where and how an analysis is carried out.

    Examples
    --------
    >>> Execution(workers=4, device="cpu").executor
    'auto'
    """

    error_code: ClassVar[str] = "bad_settings"

    device: Device = "auto"
    """Where models run; cuda is an error without a GPU."""
    workers: int | None = Field(default=None, ge=1)
    """Number of processes; 1 uses only this one, which a file that crashes its decoder then ends. None: one per core,
    and none for a handful of files."""
    threads: int | None = Field(default=None, ge=1)
    """Threads of each process. None: one where there are several processes, else all that the machine has."""
    memory_limit_mb: int | None = Field(default=None, ge=1)
    """Memory of each process in MB (a million bytes); a file that needs more fails. None: a fair share of the
    machine's."""
    executor: Literal["auto", "serial", "processes", "ray"] = "auto"
    """Where the analysis runs: in this process, in processes of this machine, or on a Ray cluster. auto: processes if
    there are enough files."""
    ray_address: str | None = None
    """Address of the Ray cluster; run the command on one of its machines. None: RAY_ADDRESS, else a cluster of this
    machine only, which is stopped at the end."""
    gpu_share: float | None = Field(default=None, ge=0)
    """Share of a GPU for each worker on a Ray cluster, 0.25 for a quarter. None: 1 with device cuda, else 0."""
    limit: int | None = Field(default=None, ge=1)
    """Analyze only the first so many files."""
    follow_links: bool = False
    """Follow symbolic links that lead out of the given folders."""
    click: tuple[str, ...] = ()
    """Click this before the picture of a web page is taken: the text of a button, or a CSS selector. It closes a cookie
    layer; several are clicked in their order."""
    force_new: bool = False
    """Remove the run in the run directory, whatever its recipe, and start over."""
    retry_failed: bool = False
    """Analyze files again that failed before."""
    report: Literal["auto", "file", "folder", "none"] = "auto"
    """file: images are inside the report; folder: they stay in maps; auto: inside if the report is small enough to
    mail; none: no report is written, now or when the run changes."""

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.executor == "serial" and (self.workers or 1) > 1:
            raise self._refusal(f"executor serial and {self.workers} workers contradict each other")
        if self.executor != "ray" and (self.ray_address is not None or self.gpu_share is not None):
            raise self._refusal("ray_address and gpu_share go with the executor ray only")
        share = self.gpu_share
        if share is not None and share > 1 and share % 1:
            raise self._refusal(f"gpu_share is a part of one GPU, or a whole number of GPUs; found {share:g}")
        if share is not None and self.device == ("cuda" if share == 0 else "cpu"):
            raise self._refusal(f"device {self.device} and gpu_share {share:g} contradict each other")
        return self

    def _refusal(self, message: str) -> UsageError:
        return UsageError(message, code=self.error_code)

    @property
    def gpus(self) -> float:
        """Share of a GPU that each worker takes with Ray."""
        return float(self.device == "cuda") if self.gpu_share is None else self.gpu_share

    @property
    def worker_device(self) -> Device:
        """Device of workers: with Ray they see the GPUs that they have a share in, and no others."""
        return self.device if self.executor != "ray" else ("cuda" if self.gpus else "cpu")
