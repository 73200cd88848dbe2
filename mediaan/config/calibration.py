"""Read and write calibrations as TOML files, describe them in sentences, and read which columns gaze data have."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from mediaan.config.validation import StrictModel, read_document, validate_document
from mediaan.errors import UsageError
from mediaan.storage.input_file import check_file
from mediaan.types.arguments import as_path
from mediaan.types.eye_tracking import Adjustment, Calibration, CalibrationEvidence, GazeColumns, Pace

_WINDOWS = {"start": "In the first two seconds", "end": "In the last two seconds"}


def describe_calibration(calibration: Calibration) -> list[str]:
    """Describe a calibration in sentences, one for each finding."""
    sentences = _density(calibration.total)
    for window, opening in _WINDOWS.items():
        readout = {"start": calibration.start, "end": calibration.end}[window]
        sentences += [f"{opening}: {text[0].lower()}{text[1:]}" for text in _density(readout)] if readout else []
    pace = calibration.pace
    if pace.rate != 1 or pace.agreement != 1:
        sentences.append(
            f"For who sees an area: fixations come {pace.rate:.2f} times as often as usual (rate), and their agreement "
            f"on the strongest places is {pace.agreement:.2f} times the usual."
        )
    if pace.gaze is not None:
        sentences.append(f"They spend {100 * pace.gaze:.0f} % of the time in fixations on the image.")
    if calibration.total.changes_nothing:
        sentences.insert(
            0,
            "Where your viewers look is left as the model predicts: no change clearly helps on images left out of the "
            f"fit ({calibration.pictures} images; more may show one).",
        )
    return sentences


def _density(adjustment: Adjustment) -> list[str]:
    sentences = []
    if adjustment.sharpness > 1:
        sentences.append(
            f"Your viewers agree on fewer places than the model expects (sharpness {adjustment.sharpness:.2f})."
        )
    if adjustment.sharpness < 1:
        sentences.append(
            f"Your viewers look at more of the image than the model expects (sharpness {adjustment.sharpness:.2f})."
        )
    if adjustment.spread:
        sentences.append(
            f"Their gaze, or its measurement, scatters by another {100 * adjustment.spread:.1f} % of the longer side "
            "(spread)."
        )
    if adjustment.centre:
        sentences.append(
            f"{100 * adjustment.centre:.0f} % of their fixations go near the middle whatever is there, beyond what the "
            "model expects (centre)."
        )
    return sentences


_MOST_BYTES = 1_000_000
_TABLES: Mapping[str, type] = {"total": Adjustment, "start": Adjustment, "end": Adjustment, "pace": Pace}
_NOT_OF_THE_FILE = frozenset({"sha256", "despite"})  # but of its use
_HEAD = """\
# How the viewers of one's own eye tracking differ from those that mediaan's attention model was trained on.
# mediaan analyze --calibration FILE uses it; docs/calibration.md of mediaan explains every number.
"""


def calibration_text(calibration: Calibration) -> str:
    """Return the text of a calibration file; unknown values are left out."""
    words = "".join(f"# {sentence}\n" for sentence in describe_calibration(calibration))
    facts = {key: value for key, value in asdict(calibration).items() if key not in _NOT_OF_THE_FILE}
    return f"{_HEAD}#\n{words}\n" + "\n".join(_lines(facts)) + "\n"


def save_calibration(calibration: Calibration, path: Path) -> None:
    """Write a calibration; a file that cannot be written is a UsageError."""
    try:
        path.write_text(calibration_text(calibration), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}", code="calibration_invalid") from error


def load_calibration(path: str | Path, *, despite: str = "") -> Calibration:
    """Read a calibration that `mediaan calibrate` wrote.

    Parameters
    ----------
    path : path
    despite : str
        Why to use it with another model than it was fitted to; kept in what is made with it.

    Raises
    ------
    UsageError
        Naming the file, and the key that must change.
    """
    path = as_path(path)
    try:
        if path.exists():
            check_file(path, "calibration_invalid")
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise _refusal(path, "is larger than 1 MB")
        content = tomllib.loads(data.decode())
    except OSError as error:
        raise _refusal(path, f"cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _refusal(path, f"is not TOML: {error}") from error
    tables: list[tuple[str, Any, Any]] = [("", Calibration, content)]
    tables += [(f"{name}.", kind, content.get(name)) for name, kind in _TABLES.items()]
    tables += [("evidence.", CalibrationEvidence, item) for item in content.get("evidence", ())]
    for prefix, kind, table in tables:
        names = {field.name for field in fields(kind)}
        if isinstance(table, dict) and (unknown := sorted(table.keys() - names)):
            raise _refusal(path, f"{prefix}{unknown[0]}: is not known here")
    try:
        calibration = TypeAdapter(Calibration).validate_python(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"])) or "the file"
        raise _refusal(path, f"{key}: {first['msg']}") from error
    return replace(calibration, sha256=hashlib.sha256(data).hexdigest(), despite=despite)


def _refusal(path: Path, what: str) -> UsageError:
    return UsageError(
        f"{path}: {what}; a calibration is a file that mediaan calibrate wrote", code="calibration_invalid"
    )


def _lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield TOML: plain values first, then tables, then lists of tables."""
    yield from _pairs({key: value for key, value in facts.items() if not isinstance(value, dict) and key != "evidence"})
    for key, value in facts.items():
        if isinstance(value, dict):
            yield from ("", f"[{key}]", *_pairs(value))
    for item in facts["evidence"]:
        yield from ("", "[[evidence]]", *_pairs(item))


def _pairs(facts: Mapping[str, Any]) -> Iterator[str]:
    for key, value in facts.items():
        if value is not None:
            yield f"{key} = {json.dumps(value, ensure_ascii=False)}"


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
    document.content = document.content or {}
    return GazeColumns(**validate_document(path, document, ColumnsFile).model_dump())
