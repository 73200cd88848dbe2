"""Read Tobii Pro Lab's export (TSV): one row a sample, each with the fixation to which it belongs.

Columns are known with the units that Pro Lab writes behind them, in either way: ``Fixation point X (MCSnorm)``,
``Fixation point X [MCS norm]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mediaan.errors import UsageError
from mediaan.evaluation.datasets.gaze_table import GazeTable, resolve_images

_TYPE = "Eye movement type"
_INDEX = "Eye movement type index"
_TIME = "Recording timestamp"
_PARTICIPANT = "Participant name"
_RECORDING = "Recording name"
_STIMULI = ("Presented Stimulus name", "Presented Media name", "Recording media name")
_DURATIONS = ("Gaze event duration", "Eye movement event duration")
_FIXATION = "Fixation"
_PLACES = ("Fixation point {}", "Presented Media position {}")
_SIDES = {"X": "Presented Media width", "Y": "Presented Media height"}
_ALL = (_TYPE, _INDEX, _TIME, _PARTICIPANT, _RECORDING, *_STIMULI, *_DURATIONS, *_SIDES.values())
_WANTED = frozenset(name.casefold() for name in (*_ALL, *(place.format(axis) for place in _PLACES for axis in "XY")))

# Samples span a fixation but for one of their intervals: timestamps that span this many times its duration in ms
# cannot be ms, they are us.
_SURELY_US = 30.0


def is_tobii(columns: Iterable[str]) -> bool:
    """Return True if columns are those of an export of Tobii Pro Lab.

    >>> is_tobii(["Recording timestamp [ms]", "Participant name", "Presented Stimulus name"])
    True
    """
    names = {_bare(column) for column in columns}
    return {_bare(_TIME), _bare(_PARTICIPANT)} <= names


def read_tobii(table: GazeTable, paths: Mapping[str, Path], notes: list[str]) -> pd.DataFrame:
    """Return the fixations of an export: image, viewer, x, y, onset_s, duration_s.

    Fixations that had begun before their image came on are left out, and so are further presentations of an image to
    the same participant.

    `paths`: images by name.
    `notes`: notes on what was left out are added.
    Raises UsageError: a column is missing; says how to export it.
    """
    samples = _samples(table, paths)
    scale = _seconds_per_tick(table, samples)
    samples["t"] *= scale
    on_image = samples[samples["image"] != ""].copy()
    on_image["presentation"] = _number_runs(on_image[["viewer", "recording", "image"]])
    began = on_image.groupby("presentation")["t"].transform("min")
    on_image["onset_s"] = on_image["t"] - began

    # the first row of each fixation in each presentation, with the time at which it really began
    fixated = samples[samples["kind"] == _FIXATION]
    begun = fixated.groupby(["viewer", "recording", "index"])["t"].min().rename("begun")
    key = ["viewer", "recording", "presentation", "index"]
    each = on_image[on_image["kind"] == _FIXATION].groupby(key, sort=False)
    span = (each["t"].max() - each["t"].min()).rename("span")
    fixations = each.first().reset_index().join(begun, on=["viewer", "recording", "index"]).join(span, on=key)
    fixations["duration_s"] = fixations["duration_s"].fillna(fixations["span"])

    early = fixations["begun"] < fixations["t"]
    again = fixations["presentation"] != fixations.groupby(["viewer", "image"])["presentation"].transform("min")
    for which, why in ((early, "that had begun before their image came on"), (again, "on images shown again")):
        if which.any():
            notes.append(f"{int(which.sum())} fixations of {table.path.name} {why} are left out")
    return fixations[~early & ~again][["image", "viewer", "x", "y", "onset_s", "duration_s"]].reset_index(drop=True)


def _samples(table: GazeTable, paths: Mapping[str, Path]) -> pd.DataFrame:
    """Return all rows, in order of time within each recording."""
    table.require(column for column in table.columns if _bare(column) in _WANTED)  # a large file is read once
    stimuli = [column for name in _STIMULI if (column := _find(table, name))]
    if not stimuli:
        raise UsageError(f"{table.path}: {_missing(_STIMULI[0])}: it says which image was looked at")
    kind, index = _needed(table, _TYPE), _find(table, _INDEX)
    duration = next((column for name in _DURATIONS if (column := _find(table, name))), None)
    recording = _find(table, _RECORDING)
    x, y = _places(table)
    frame = pd.DataFrame(
        {
            "viewer": table.text(_needed(table, _PARTICIPANT)),
            "recording": table.text(recording) if recording else "",
            "t": table.numbers(_needed(table, _TIME)),
            "image": _images(table, stimuli, paths),
            "kind": table.text(kind),
            "x": x,
            "y": y,
            "duration_s": table.numbers(duration) / 1000 if duration else np.nan,
        }
    )
    if index:
        frame["index"] = table.numbers(index)
    else:  # fixations are told apart by their place
        place = {"x": frame["x"].fillna(-1), "y": frame["y"].fillna(-1)}
        frame["index"] = _number_runs(frame[["viewer", "recording", "kind"]].assign(**place))
    return frame.sort_values(["viewer", "recording", "t"], kind="stable").reset_index(drop=True)


def _places(table: GazeTable) -> tuple[pd.Series[float], pd.Series[float]]:
    """Return unit coordinates of the image: as exported, or from the screen and the place of the image on it."""
    norm = [_find(table, f"Fixation point {axis}", "mcsnorm") for axis in "XY"]
    if norm[0] and norm[1]:
        return table.numbers(norm[0]), table.numbers(norm[1])
    places = []
    for axis, side in _SIDES.items():
        point, corner = (_find(table, name.format(axis), "", "dacspx", "rcspx", "px") for name in _PLACES)
        length = _find(table, side, "", "px", "dacspx", "rcspx")
        if not (point and corner and length):
            raise UsageError(
                f"{table.path}: where a fixation lies on its image is not in it: export 'Fixation point X (MCSnorm)' "
                "and Y, or 'Fixation point X' and Y with 'Presented Media position X' and Y and 'Presented Media "
                "width' and height"
            )
        # position and size stand in the rows of events in some versions: they hold until the next
        begin, span = table.numbers(corner).ffill(), table.numbers(length).ffill()
        places.append((table.numbers(point) - begin) / span)
    return places[0], places[1]


def _images(table: GazeTable, stimuli: list[str], paths: Mapping[str, Path]) -> pd.Series[str]:
    """Return the image of each row: the first column that names one of images/ counts; empty where none is shown."""
    image = resolve_images(table.text(stimuli[0]), paths)
    for column in stimuli[1:]:
        other = resolve_images(table.text(column), paths)
        image = image.where(image.isin(list(paths)) | ~other.isin(list(paths)), other)
    return image


def _number_runs(key: pd.DataFrame) -> pd.Series[Any]:
    """Assign each row the number of its run of equal rows."""
    return (key != key.shift()).any(axis=1).cumsum()


def _seconds_per_tick(table: GazeTable, samples: pd.DataFrame) -> float:
    """Return the unit of timestamps: as the column says, or as fixations of known duration tell."""
    column = _needed(table, _TIME)
    unit = _unit(column)
    if unit in ("ms", "us", "s"):
        return {"ms": 1e-3, "us": 1e-6, "s": 1.0}[unit]
    fixated = samples[samples["kind"] == _FIXATION]
    each = fixated.groupby(["viewer", "recording", "index"])
    spans, lasts = each["t"].max() - each["t"].min(), each["duration_s"].first() * 1000
    valid = (spans > 0) & (lasts > 0)
    if not valid.any():
        return 1e-3
    return 1e-6 if float((spans[valid] / lasts[valid]).median()) > _SURELY_US else 1e-3


def _needed(table: GazeTable, name: str) -> str:
    column = _find(table, name)
    if column is None:
        hint = "; take a fixation filter in the export's settings" if name == _TYPE else ""
        raise UsageError(f"{table.path}: {_missing(name)}{hint}")
    return column


def _missing(name: str) -> str:
    return f"has no column {name!r}: tick it in Pro Lab's data export and export again"


def _find(table: GazeTable, name: str, *units: str) -> str | None:
    """Return the column of a name, with one of some units in order of preference; without any, whatever its unit."""
    fitting = {_unit(column): column for column in table.columns if _bare(column) == _bare(name)}
    if not units:
        return next(iter(fitting.values()), None)
    return next((fitting[unit] for unit in units if unit in fitting), None)


def _bare(column: str) -> str:
    return re.sub(r"\s*[\[(].*", "", column).strip().casefold()


def _unit(column: str) -> str:
    match = re.search(r"[\[(](.*?)[\])]", column)
    return re.sub(r"\s", "", match[1]).casefold().replace("μ", "u").replace("µ", "u") if match else ""
