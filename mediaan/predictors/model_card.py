"""What every model's card states: the file, the pictures that it takes, where it came from, what it was measured at."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Layout = Literal["nhwc", "nchw"]


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


class TextCard(ModelCard):
    """Facts about one of the two models that read text: one finds lines, one says what a line says."""

    kind: Literal["text"] = "text"

    def _has_one_size(self) -> bool:
        return True  # they take pictures and lines of any size
