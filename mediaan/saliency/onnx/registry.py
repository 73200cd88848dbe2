"""Find models and read their cards: what a model file expects and returns, where it came from, what it reaches.

Models that ship are tables of `models/manifest.toml`, a user's own is a TOML file of the same shape.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from mediaan.errors import SetupError, UsageError, did_you_mean
from mediaan.types.aoi import ObjectType
from mediaan.types.arrays import Float64
from mediaan.types.densities import Window

_MIN_PROBABILITY = 1e-6  # log-odds are taken of scores at least so far from 0 and 1


class ModelCard(BaseModel):
    """Facts about a model file and the images that it takes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    file: str = ""
    """Weight file, relative to `folder`; empty for a model without weights."""
    sha256: str = Field("", pattern="^([0-9a-f]{64})?$")
    """Of the weight file, in hex; verified before every load."""
    licence: str = ""
    origin: str = ""
    """Licence of the weights; where start weights and data came from."""
    summary: str = ""
    pixels: int | None = Field(None, gt=0)
    """Area at which images are shown to the model, px²; None for a model of a fixed size."""
    width: int | None = Field(None, gt=0)
    height: int | None = Field(None, gt=0)
    """Fixed input size, px, instead of `pixels`."""
    multiple: int = Field(1, gt=0)
    """Sides are multiples of this."""
    layout: Literal["nhwc", "nchw"] = "nhwc"
    dtype: Literal["uint8", "float32"] = "uint8"
    """Of the input; float32 input is (pixel / 255 - mean) / std · scale."""
    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    std: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """In the order of the channels as stored, 0-1 scale."""
    scale: float = Field(1.0, gt=0)
    """255 for a model that takes float32 values of 0 to 255."""
    channels: Literal["rgb", "bgr"] = "rgb"
    measured: dict[str, Any] = Field(default_factory=dict)
    """Held-out figures, by set and metric."""
    folder: Path = Path()

    @model_validator(mode="after")
    def _check_requirements(self) -> Self:
        unmet = [message for met, message in self._requirements() if not met]
        if unmet:
            raise ValueError("; ".join(unmet))
        return self

    def _requirements(self) -> list[tuple[bool, str]]:
        """List what must be true of the keys together, each with the message for where it is not."""
        return [
            (not self._has_weights or bool(self.file and self.sha256), "file and sha256 are required"),
            (not self._has_weights or self._has_one_size(), "give either pixels, or width and height"),
            (all(self.std), "std must not hold 0"),
        ]

    @property
    def _has_weights(self) -> bool:
        return True

    def _has_one_size(self) -> bool:
        stated = tuple(side is not None for side in (self.pixels, self.width, self.height))
        return stated in ((True, False, False), (False, True, True))

    @property
    def path(self) -> Path:
        """Path of the weight file."""
        return self.folder / self.file

    @property
    def area(self) -> int:
        """Area at which images are shown to the model, px²."""
        return self.pixels or (self.width or 1) * (self.height or 1)


class TextCard(ModelCard):
    """Facts about one of the two models that read text: one detects lines, one recognises what a line says."""

    kind: Literal["text"] = "text"

    def _has_one_size(self) -> bool:
        return True  # they take images and lines of any size


class AttentionCard(ModelCard):
    """Facts about one attention model."""

    kind: Literal["onnx", "centre-prior"] = "onnx"
    output: Literal["density", "saliency", "logits"] = "density"
    """density: non-negative, proportional to a probability; saliency: non-negative map of any scale, taken as
    proportional to a density; logits: softmax over space gives the density."""
    windows: tuple[Window, ...] = ("total",)
    """Meaning of the output's channels."""
    video_output: str = ""
    """Inner tensor that is read for the frames of a video instead of the model's output, of the same meaning but
    cheaper; empty where there is none."""
    video_pixels: int | None = Field(None, gt=0)
    """Area at which the frames of a video are shown to the model, px²; None: as for images."""
    features: tuple[str, ...] = ()
    """Inner tensors (N, C, h, w), finest first, that say what an image holds; see `vision.appearance`. Empty where
    there are none."""
    domains: tuple[str, ...] = ()
    """Kinds of images that the model tells apart and reads its densities out by, such as photo and page; empty for a
    model that does not."""
    domain_output: str = ""
    """Output beside the maps, which come first: (N, D) float32 probabilities of `domains`, in that order."""
    domain_input: str = ""
    """Input beside the image, which comes first: (1, D) float32, how much each of `domains` may count. All ones leave
    it to the image; where a user states the domain, that is one and the others are zero."""

    @property
    def _has_weights(self) -> bool:
        return self.kind == "onnx"

    def _requirements(self) -> list[tuple[bool, str]]:
        return [
            *super()._requirements(),
            (self.video_pixels is None or self.pixels is not None, "video_pixels is for a model with pixels"),
            ("total" in self.windows, "windows must hold total"),
            (len(set(self.windows)) == len(self.windows), "windows must differ"),
            (
                bool(self.domains) == bool(self.domain_output) == bool(self.domain_input),
                "domains, domain_output and domain_input go together",
            ),
            (len(set(self.domains)) == len(self.domains) and all(self.domains), "domains must differ and have names"),
        ]


class DetectorCard(ModelCard):
    """Facts about one object detector."""

    kind: Literal["detector"]
    decode: Literal["rows", "yolox", "yunet"] = "rows"
    """How its outputs are read. rows: boxes, scores and labels, as three outputs or as one of six columns; yolox: one
    output of grid offsets, log sizes, objectness and class scores; yunet: its twelve outputs."""
    outputs: tuple[str, ...] = ()
    """For rows: the names of the outputs that hold boxes, scores and labels, in this order; one name for six columns;
    empty: the model's outputs in its own order."""
    box_unit: Literal["px", "unit"] = "px"
    """For rows: whether boxes are x0, y0, x1, y1 in pixels of the input or shares of its sides."""
    labels: tuple[str, ...] = ()
    """What its classes are called, in their order; may be empty."""
    classes: dict[str, ObjectType]
    """Which type each class is, by its name in `labels` or by its index from 0; what is left out is not reported."""
    fit: Literal["stretch", "corner", "centre"] = "stretch"
    """How a frame gets into a fixed size: squeezed, or with its aspect kept, in the top-left corner or centred, on grey
    (114)."""
    confidence: float = Field(0.3, ge=0, le=1)
    """Least score that is reported, 0-1."""
    overlap: float = Field(0.5, ge=0, le=1)
    """Of two boxes of a type, the less confident one goes where their intersection over union is above this; 1 keeps
    all."""
    overlaps: Literal["drop", "merge"] = "drop"
    """What becomes of boxes that overlap by less: they stay as they are; or the less confident fade and near-same ones
    are averaged."""
    calibration: dict[ObjectType, tuple[float, float]] = Field(default_factory=dict)
    """What the model's scores mean: confidence = sigmoid(slope · log-odds of the score + shift); a type that is not
    named keeps its scores."""

    def _requirements(self) -> list[tuple[bool, str]]:
        unknown = sorted(key for key in self.classes if not key.isdecimal() and key not in self.labels)
        return [
            *super()._requirements(),
            (bool(self.classes), "classes must name at least one class"),
            (not unknown, f"classes: {', '.join(unknown)}: neither an index nor one of labels"),
            (len(self.outputs) in (0, 1, 3), "outputs must name one output, or those of boxes, scores and labels"),
            (self.decode == "rows" or not self.outputs, f"outputs is for decode = 'rows', not {self.decode!r}"),
            (all(slope > 0 for slope, _ in self.calibration.values()), "calibration: slopes must be above 0"),
            (self.decode != "yunet" or set(self.classes) <= {"0", *self.labels[:1]}, "yunet has one class, 0"),
        ]

    def calibrate_scores(self, type: ObjectType, scores: Float64) -> Float64:
        """Turn the scores of a type into confidences, 0-1."""
        if type not in self.calibration:
            return scores
        slope, shift = self.calibration[type]
        inner = scores.clip(_MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
        confidences: Float64 = 1 / (1 + np.exp(-(slope * np.log(inner / (1 - inner)) + shift)))
        return confidences

    def min_score(self, type: ObjectType) -> float:
        """Return the score of a type whose confidence is the least that is reported."""
        slope, shift = self.calibration.get(type, (1.0, 0.0))
        least = min(max(self.confidence, _MIN_PROBABILITY), 1 - _MIN_PROBABILITY)
        log_odds = (np.log(least / (1 - least)) - shift) / slope
        return float(1 / (1 + np.exp(-log_odds))) if self.confidence > 0 else 0.0

    def class_types(self) -> dict[int, tuple[ObjectType, str]]:
        """Return type and label of each class that is reported, by its index."""
        named = {key: int(key) if key.isdecimal() else self.labels.index(key) for key in self.classes}
        return {
            index: (self.classes[key], self.labels[index] if index < len(self.labels) else "")
            for key, index in named.items()
        }


AnyCard: TypeAlias = AttentionCard | DetectorCard | TextCard
_FoundCard = TypeVar("_FoundCard", AttentionCard, DetectorCard)


def models_folder() -> Path:
    """Return the folder of the models that ship: inside an installed package, or beside it in a checkout.

    ``MEDIAAN_MODELS`` overrides both.
    """
    stated = os.environ.get("MEDIAAN_MODELS")
    package = Path(__file__).resolve().parents[2]
    candidates = [Path(stated)] if stated else [package / "_models", package.parent / "models"]
    for folder in candidates:
        if (folder / "manifest.toml").is_file():
            return folder
    raise SetupError(
        f"no models found: looked for manifest.toml in {', '.join(map(str, candidates))}; reinstall mediaan",
        code="models_missing",
    )


def list_cards() -> dict[str, AttentionCard]:
    """Return the cards of the attention models that ship, by name."""
    return {name: card for name, card in _read_manifest().items() if isinstance(card, AttentionCard)}


def list_detector_cards() -> dict[str, DetectorCard]:
    """Return the cards of the object detectors that ship, by name."""
    return {name: card for name, card in _read_manifest().items() if isinstance(card, DetectorCard)}


def all_cards() -> dict[str, AttentionCard | DetectorCard]:
    """Return the cards of all models that ship and can be named by users: attention models, then detectors."""
    return {**list_cards(), **list_detector_cards()}


def text_card(name: Literal["text_detection", "text_recognition"]) -> TextCard:
    """Return the card of one of the models that read text."""
    card = _read_manifest().get(name)
    if not isinstance(card, TextCard):
        message = f"{models_folder() / 'manifest.toml'} has no model {name}; reinstall mediaan"
        raise SetupError(message, code="models_missing")
    return card


def read_card(path: Path) -> AttentionCard:
    """Read a user's own card of an attention model: one TOML file whose `file` lies beside it."""
    card = _read_card_file(path)
    if not isinstance(card, AttentionCard):
        raise UsageError(f"{path}: this card is of a detector, not of a model of attention", code="bad_card")
    return card


def read_detector_card(path: Path) -> DetectorCard:
    """Read a user's own card of an object detector: one TOML file whose `file` lies beside it."""
    card = _read_card_file(path)
    if not isinstance(card, DetectorCard):
        raise UsageError(f"{path}: this card is of no detector; a detector's says kind = 'detector'", code="bad_card")
    return card


def find_attention_card(name: str | Path) -> AttentionCard:
    """Return the card of an attention model that ships, or of a user's own when `name` is a path that ends in .toml."""
    return read_card(Path(name)) if str(name).endswith(".toml") else _find_shipped(name, list_cards(), "model")


def find_detector_card(name: str | Path) -> DetectorCard:
    """Return the card of a detector that ships, or of a user's own when `name` is a path that ends in .toml."""
    if str(name).endswith(".toml"):
        return read_detector_card(Path(name))
    return _find_shipped(name, list_detector_cards(), "detector")


def find_card(name: str | Path) -> AttentionCard | DetectorCard:
    """Return the card of an attention model or a detector that ships, or of a user's own when `name` ends in .toml.

    Raises UsageError: there is no such model, or its card does not hold together.
    """
    if str(name).endswith(".toml"):
        is_detector = isinstance(_read_card_file(Path(name)), DetectorCard)
    else:
        is_detector = str(name) in list_detector_cards()
    return find_detector_card(name) if is_detector else find_attention_card(name)


def _find_shipped(name: str | Path, cards: Mapping[str, _FoundCard], noun: str) -> _FoundCard:
    if str(name) in cards:
        return cards[str(name)]
    guess = did_you_mean(str(name), cards)
    hint = f"{guess} There are" if guess else "; there are"
    raise UsageError(
        f"no {noun} is called {str(name)!r}{hint} {', '.join(sorted(cards)) or 'none'}; "
        f"a {noun} of your own is named by the path of its card (.toml)",
        code="unknown_model",
    )


def _read_manifest() -> dict[str, AnyCard]:
    folder = models_folder()
    path = folder / "manifest.toml"
    return {name: _validate_card(name, table, folder, path) for name, table in _load_toml(path).items()}


def _read_card_file(path: Path) -> AnyCard:
    table = _load_toml(path)
    name = table.pop("name", path.stem)
    return _validate_card(str(name), table, path.resolve().parent, path)


def _load_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a model card (TOML): {error}", code="bad_card") from error


def _validate_card(name: str, table: Any, folder: Path, source: Path) -> AnyCard:
    """Make a card from a table of a TOML file; `source` is that file, for messages."""
    if not isinstance(table, dict):
        raise UsageError(f"{source}: {name} must be a table", code="bad_card")
    if "folder" in table:
        raise UsageError(f"{source}: model {name}: folder: unknown key; file is relative to the card", code="bad_card")
    kinds: dict[Any, type[DetectorCard] | type[TextCard]] = {"detector": DetectorCard, "text": TextCard}
    kind: type[AnyCard] = kinds.get(table.get("kind"), AttentionCard)
    try:
        return kind.model_validate({**table, "name": name, "folder": folder})
    except ValidationError as error:
        complaints = []
        for detail in error.errors():
            key = ".".join(map(str, detail["loc"]))
            if not key:
                complaints.append(detail["msg"].removeprefix("Value error, "))
            elif detail["type"] == "extra_forbidden":
                complaints.append(f"{key}: unknown key{did_you_mean(key, kind.model_fields)}")
            else:
                complaints.append(f"{key}: {detail['msg']}")
        raise UsageError(f"{source}: model {name}: {'; '.join(complaints)}", code="bad_card") from error
