"""Model cards: what a model file expects and returns, where it came from, what it was measured to reach.

The models that ship are tables of `models/manifest.toml`; a user's own model is one TOML file of the same shape.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from mediaan.errors import SetupError, UsageError
from mediaan.types.maps import Window

Kind = Literal["onnx", "centre-prior"]
Layout = Literal["nhwc", "nchw"]
Output = Literal["density", "saliency", "logits"]


class Card(BaseModel):
    """Facts about one model.

    Attributes
    ----------
    name : str
    kind : {'onnx', 'centre-prior'}
    file : str
        Weight file, relative to `folder`; empty for a model without weights.
    sha256 : str
        Of the weight file, in hex; verified before every load.
    licence, origin : str
        Licence of the weights; where start weights and data came from.
    pixels : int or None
        Area at which pictures are shown to the model, px²; or
    width, height : int or None
        a fixed input size, px.
    multiple : int
        Sides are multiples of this.
    layout : {'nhwc', 'nchw'}
    dtype : {'uint8', 'float32'}
        Of the input; float32 input is (pixel / 255 - mean) / std.
    mean, std : three floats
        In the order of the channels as stored, 0-1 scale.
    channels : {'rgb', 'bgr'}
    output : {'density', 'saliency', 'logits'}
        density: non-negative, proportional to a probability; saliency: non-negative map of any scale, taken as
        proportional to a density; logits: softmax over space gives the density.
    windows : tuple of window
        Meaning of the output's channels.
    video_output : str
        Inner tensor that is read for the frames of a video instead of the model's output, of the same meaning but
        cheaper; empty where there is none.
    video_pixels : int or None
        Area at which the frames of a video are shown to the model, px²; None: as for pictures.
    measured : dict
        Held-out figures, by set and metric.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    kind: Kind = "onnx"
    file: str = ""
    sha256: str = Field("", pattern="^([0-9a-f]{64})?$")
    licence: str = ""
    origin: str = ""
    summary: str = ""
    pixels: int | None = Field(None, gt=0)
    width: int | None = Field(None, gt=0)
    height: int | None = Field(None, gt=0)
    multiple: int = Field(1, gt=0)
    layout: Layout = "nhwc"
    dtype: Literal["uint8", "float32"] = "uint8"
    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    std: tuple[float, float, float] = (1.0, 1.0, 1.0)
    channels: Literal["rgb", "bgr"] = "rgb"
    output: Output = "density"
    windows: tuple[Window, ...] = ("total",)
    video_output: str = ""
    video_pixels: int | None = Field(None, gt=0)
    measured: dict[str, Any] = Field(default_factory=dict)
    folder: Path = Path()

    @model_validator(mode="after")
    def _holds_together(self) -> Card:
        problems = [
            (self.kind != "onnx" or bool(self.file and self.sha256), "file and sha256 are required"),
            (self.kind != "onnx" or self._has_one_size(), "give either pixels, or width and height"),
            (self.video_pixels is None or self.pixels is not None, "video_pixels is for a model with pixels"),
            (all(self.std), "std must not hold 0"),
            ("total" in self.windows, "windows must hold total"),
            (len(set(self.windows)) == len(self.windows), "windows must differ"),
        ]
        complaints = [complaint for fine, complaint in problems if not fine]
        if complaints:
            raise ValueError("; ".join(complaints))
        return self

    def _has_one_size(self) -> bool:
        given = tuple(side is not None for side in (self.pixels, self.width, self.height))
        return given in ((True, False, False), (False, True, True))

    @property
    def path(self) -> Path:
        """Where the weight file lies."""
        return self.folder / self.file


def models_folder() -> Path:
    """Folder of the models that ship: inside an installed package, or beside it in a checkout.

    ``MEDIAAN_MODELS`` overrides both.
    """
    stated = os.environ.get("MEDIAAN_MODELS")
    package = Path(__file__).resolve().parent.parent
    candidates = [Path(stated)] if stated else [package / "_models", package.parent / "models"]
    for folder in candidates:
        if (folder / "manifest.toml").is_file():
            return folder
    raise SetupError(
        f"no models found: looked for manifest.toml in {', '.join(map(str, candidates))}; reinstall mediaan",
        code="models_missing",
    )


def list_cards() -> dict[str, Card]:
    """Cards of the models that ship, by name."""
    folder = models_folder()
    tables = _load_toml(folder / "manifest.toml")
    return {name: _card(name, table, folder, folder / "manifest.toml") for name, table in tables.items()}


def read_card(path: Path) -> Card:
    """Read a user's own card: one TOML file whose `file` lies beside it."""
    table = _load_toml(path)
    name = table.pop("name", path.stem)
    return _card(str(name), table, path.resolve().parent, path)


def _load_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a model card (TOML): {error}", code="bad_card") from error


def _card(name: str, table: Any, folder: Path, source: Path) -> Card:
    if not isinstance(table, dict):
        raise UsageError(f"{source}: {name} must be a table", code="bad_card")
    if "folder" in table:
        raise UsageError(f"{source}: model {name}: folder: unknown key; file is relative to the card", code="bad_card")
    try:
        return Card.model_validate({**table, "name": name, "folder": folder})
    except ValidationError as error:
        details = "; ".join(map(_complaint, error.errors()))
        raise UsageError(f"{source}: model {name}: {details}", code="bad_card") from error


def _complaint(detail: ErrorDetails) -> str:
    if not detail["loc"]:
        return detail["msg"].removeprefix("Value error, ")
    key = ".".join(map(str, detail["loc"]))
    if detail["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, Card.model_fields, 1)
        return f"{key}: unknown key" + (f"; did you mean {near[0]}?" if near else "")
    return f"{key}: {detail['msg']}"
