"""Read columns.yaml: the meaning of columns in a table of eye tracking that no known program exported."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, ValidationError, model_validator

from mediaan.config.validation import StrictModel, format_problems, read_document, validation_problems
from mediaan.errors import UsageError
from mediaan.types.eye_tracking import GazeColumns

COLUMNS_FILE = "columns.yaml"

_COLUMN = "the name of a column"


class ColumnsFile(StrictModel):
    """Contents of a columns.yaml; see `GazeColumns`."""

    image: str = Field(min_length=1, description=f"{_COLUMN}: the file name of the image")
    viewer: str = Field(min_length=1, description=f"{_COLUMN}: who looked")
    x: str = Field(min_length=1, description=f"{_COLUMN}: the place from the left")
    y: str = Field(min_length=1, description=f"{_COLUMN}: the place from the top")
    unit: Literal["unit", "percent", "px"] = Field("px", description="unit (0-1), percent (0-100) or px")
    onset: str | None = Field(None, description=f"{_COLUMN}: time since the image came on")
    duration: str | None = Field(None, description=f"{_COLUMN}: how long the fixation lasted")
    time_unit: Literal["s", "ms", "us"] = Field("ms", description="s, ms or us")
    left: str | None = Field(None, description=f"{_COLUMN}: left edge of the image on the screen, px")
    top: str | None = Field(None, description=f"{_COLUMN}: top edge of the image on the screen, px")
    width: str | None = Field(None, description=f"{_COLUMN}: width of the image on the screen, px")
    height: str | None = Field(None, description=f"{_COLUMN}: height of the image on the screen, px")
    rows: Literal["fixations", "samples"] = Field("fixations", description="fixations or samples")

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if (self.width is None) != (self.height is None):
            raise ValueError("width and height belong together")
        if self.rows == "samples" and self.onset is None:
            raise ValueError("rows: samples needs onset, the time of each sample")
        return self


def load_columns(folder: Path) -> GazeColumns | None:
    """Read DIR/columns.yaml; None where there is none.

    Raises UsageError: naming the line and the key that must change.
    """
    path = folder / COLUMNS_FILE
    if not path.is_file():
        return None
    document = read_document(path)
    problems = document.problems
    try:
        file = ColumnsFile.model_validate(document.content or {})
    except ValidationError as error:
        problems = [*problems, *validation_problems(error, ColumnsFile)]
    if problems:
        raise UsageError(format_problems(str(path), document, problems), code="config_invalid")
    return GazeColumns(**file.model_dump())
