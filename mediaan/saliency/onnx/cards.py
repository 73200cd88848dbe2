"""Model cards: what a model file expects and returns, where it came from, what it was measured to reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

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
