"""Model cards: what a model file expects and returns, where it came from, what it was measured to reach.

The models that ship are tables of `models/manifest.toml`; a user's own model is one TOML file of the same shape.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from mediaan.errors import SetupError, UsageError
from mediaan.types.aoi import ObjectType
from mediaan.types.maps import Window

Kind = Literal["onnx", "centre-prior"]
Decode = Literal["rows", "yolox", "yunet"]
Fit = Literal["stretch", "corner", "centre"]
Layout = Literal["nhwc", "nchw"]
Output = Literal["density", "saliency", "logits"]


class ModelCard(BaseModel):
    """Facts about a model file and the pictures that it takes.

    Attributes
    ----------
    name : str
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
        Of the input; float32 input is (pixel / 255 - mean) / std · scale.
    mean, std : three floats
        In the order of the channels as stored, 0-1 scale.
    scale : float
        255 for a model that takes float32 values of 0 to 255.
    channels : {'rgb', 'bgr'}
    measured : dict
        Held-out figures, by set and metric.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
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
    scale: float = Field(1.0, gt=0)
    channels: Literal["rgb", "bgr"] = "rgb"
    measured: dict[str, Any] = Field(default_factory=dict)
    folder: Path = Path()

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        complaints = [complaint for fine, complaint in self._problems() if not fine]
        if complaints:
            raise ValueError("; ".join(complaints))
        return self

    def _problems(self) -> list[tuple[bool, str]]:
        """What must be, and what to say where it is not."""
        return [
            (not self._has_weights or bool(self.file and self.sha256), "file and sha256 are required"),
            (not self._has_weights or self._has_one_size(), "give either pixels, or width and height"),
            (all(self.std), "std must not hold 0"),
        ]

    @property
    def _has_weights(self) -> bool:
        return True

    def _has_one_size(self) -> bool:
        given = tuple(side is not None for side in (self.pixels, self.width, self.height))
        return given in ((True, False, False), (False, True, True))

    @property
    def path(self) -> Path:
        """Where the weight file lies."""
        return self.folder / self.file

    @property
    def area(self) -> int:
        """How many pixels the model is shown, px²."""
        return self.pixels or (self.width or 1) * (self.height or 1)


class Card(ModelCard):
    """Facts about one model of attention.

    Attributes
    ----------
    kind : {'onnx', 'centre-prior'}
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
    """

    kind: Kind = "onnx"
    output: Output = "density"
    windows: tuple[Window, ...] = ("total",)
    video_output: str = ""
    video_pixels: int | None = Field(None, gt=0)

    @property
    def _has_weights(self) -> bool:
        return self.kind == "onnx"

    def _problems(self) -> list[tuple[bool, str]]:
        return [
            *super()._problems(),
            (self.video_pixels is None or self.pixels is not None, "video_pixels is for a model with pixels"),
            ("total" in self.windows, "windows must hold total"),
            (len(set(self.windows)) == len(self.windows), "windows must differ"),
        ]


class DetectorCard(ModelCard):
    """Facts about one object detector.

    Attributes
    ----------
    kind : 'detector'
    decode : {'rows', 'yolox', 'yunet'}
        How its outputs are read. rows: boxes, scores and labels, as three outputs or as one of six columns; yolox:
        one output of grid offsets, log sizes, objectness and class scores; yunet: its twelve outputs.
    outputs : tuple of str
        For rows: the names of the outputs that hold boxes, scores and labels, in this order; one name for six
        columns; empty: the model's outputs in its own order.
    box_unit : {'px', 'unit'}
        For rows: whether boxes are x0, y0, x1, y1 in pixels of the input or shares of its sides.
    labels : tuple of str
        What its classes are called, in their order; may be empty.
    classes : mapping of str to {'product', 'logo', 'face', 'person', 'button'}
        Which type each class is, by its name in `labels` or by its index from 0; what is left out is not reported.
    fit : {'stretch', 'corner', 'centre'}
        How a frame gets into a fixed size: squeezed, or with its aspect kept, in the top-left corner or centred, on
        grey (114).
    confidence : float
        Least score that is reported, 0-1.
    overlap : float
        Of two boxes of a type, the less confident one goes where their intersection over union is above this; 1
        keeps all.
    """

    kind: Literal["detector"]
    decode: Decode = "rows"
    outputs: tuple[str, ...] = ()
    box_unit: Literal["px", "unit"] = "px"
    labels: tuple[str, ...] = ()
    classes: dict[str, ObjectType]
    fit: Fit = "stretch"
    confidence: float = Field(0.3, ge=0, le=1)
    overlap: float = Field(0.5, ge=0, le=1)

    def _problems(self) -> list[tuple[bool, str]]:
        strangers = sorted(key for key in self.classes if not key.isdecimal() and key not in self.labels)
        return [
            *super()._problems(),
            (bool(self.classes), "classes must name at least one class"),
            (not strangers, f"classes: {', '.join(strangers)}: neither an index nor one of labels"),
            (len(self.outputs) in (0, 1, 3), "outputs must name one output, or those of boxes, scores and labels"),
            (self.decode == "rows" or not self.outputs, f"outputs is for decode = 'rows', not {self.decode!r}"),
            (self.decode != "yunet" or set(self.classes) <= {"0", *self.labels[:1]}, "yunet has one class, 0"),
        ]

    def types(self) -> dict[int, tuple[ObjectType, str]]:
        """Type and label of each class that is reported, by its index."""
        named = {key: int(key) if key.isdecimal() else self.labels.index(key) for key in self.classes}
        return {
            index: (self.classes[key], self.labels[index] if index < len(self.labels) else "")
            for key, index in named.items()
        }


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
    """Cards of the models of attention that ship, by name."""
    return {name: card for name, card in _shipped().items() if isinstance(card, Card)}


def list_detector_cards() -> dict[str, DetectorCard]:
    """Cards of the object detectors that ship, by name."""
    return {name: card for name, card in _shipped().items() if isinstance(card, DetectorCard)}


def read_card(path: Path) -> Card:
    """Read a user's own card of a model of attention: one TOML file whose `file` lies beside it."""
    card = _read(path)
    if not isinstance(card, Card):
        raise UsageError(f"{path}: this card is of a detector, not of a model of attention", code="bad_card")
    return card


def read_detector_card(path: Path) -> DetectorCard:
    """Read a user's own card of an object detector: one TOML file whose `file` lies beside it."""
    card = _read(path)
    if not isinstance(card, DetectorCard):
        raise UsageError(f"{path}: this card is of no detector; a detector's says kind = 'detector'", code="bad_card")
    return card


def _shipped() -> dict[str, Card | DetectorCard]:
    folder = models_folder()
    tables = _load_toml(folder / "manifest.toml")
    return {name: _card(name, table, folder, folder / "manifest.toml") for name, table in tables.items()}


def _read(path: Path) -> Card | DetectorCard:
    table = _load_toml(path)
    name = table.pop("name", path.stem)
    return _card(str(name), table, path.resolve().parent, path)


def _load_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a model card (TOML): {error}", code="bad_card") from error


def _card(name: str, table: Any, folder: Path, source: Path) -> Card | DetectorCard:
    if not isinstance(table, dict):
        raise UsageError(f"{source}: {name} must be a table", code="bad_card")
    if "folder" in table:
        raise UsageError(f"{source}: model {name}: folder: unknown key; file is relative to the card", code="bad_card")
    kind: type[Card] | type[DetectorCard] = DetectorCard if table.get("kind") == "detector" else Card
    try:
        return kind.model_validate({**table, "name": name, "folder": folder})
    except ValidationError as error:
        details = "; ".join(_complaint(detail, kind) for detail in error.errors())
        raise UsageError(f"{source}: model {name}: {details}", code="bad_card") from error


def _complaint(detail: ErrorDetails, kind: type[ModelCard]) -> str:
    if not detail["loc"]:
        return detail["msg"].removeprefix("Value error, ")
    key = ".".join(map(str, detail["loc"]))
    if detail["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, kind.model_fields, 1)
        return f"{key}: unknown key" + (f"; did you mean {near[0]}?" if near else "")
    return f"{key}: {detail['msg']}"
