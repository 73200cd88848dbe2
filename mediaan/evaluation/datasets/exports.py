"""Tables of eye tracking as other programs write them, told by their columns; `docs/calibration.md` shows examples.

Fixations are detected in gaze samples by a dispersion threshold (I-DT; Salvucci & Goldberg 2000, "Identifying fixations
and saccades in eye-tracking protocols", ETRA): samples that stay within a small window for long enough are one. The
thresholds are theirs in kind: about a degree of visual angle, and a tenth of a second. A tracker's own classification
is better where there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mediaan.errors import UsageError
from mediaan.evaluation.datasets.gaze_table import GazeTable, is_tobii, open_gaze_table, read_tobii, resolve_images
from mediaan.evaluation.datasets.stimulus import displayed_size
from mediaan.types.arrays import Float64
from mediaan.types.eye_tracking import GazeColumns

DISPERSION = 0.05
"""Largest (max x - min x) + (max y - min y) of a fixation's samples, as a share of the image's long side: about 2
degrees, the sum of one each way, where the image spans 40."""

MIN_DURATION_S = 0.1
"""Shortest fixation, s."""

MAX_GAP_S = 0.075
"""Samples that lie further apart in time belong to different fixations, s: between them gaze was lost."""


def detect_fixations(samples: pd.DataFrame, paths: Mapping[str, Path]) -> pd.DataFrame:
    """Merge gaze samples to fixations, viewer by viewer and image by image.

    `samples`: image, viewer, x, y (unit coordinates; NaN where gaze was lost), onset_s.
    `paths`: images by name; their aspect tells how far apart two places are.
    Returns: image, viewer, x, y, onset_s, duration_s: a row for each fixation.
    """
    valid = samples.dropna(subset=["x", "y", "onset_s"])
    parts = []
    for _, viewing in valid.groupby(["image", "viewer"], sort=False):
        image, viewer = viewing["image"].iloc[0], viewing["viewer"].iloc[0]
        width, height = displayed_size(paths[image]) if image in paths else (1, 1)
        ordered = viewing.sort_values("onset_s", kind="stable")
        x, y, t = (ordered[name].to_numpy(np.float64) for name in ("x", "y", "onset_s"))
        fixations = pd.DataFrame(
            list(idt_fixations(x, y, t, width / height)), columns=["x", "y", "onset_s", "duration_s"]
        )
        parts.append(fixations.assign(image=image, viewer=viewer))
    columns = ["image", "viewer", "x", "y", "onset_s", "duration_s"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def idt_fixations(
    x: Float64, y: Float64, t: Float64, aspect: float = 1.0
) -> Iterator[tuple[float, float, float, float]]:
    """Yield the fixations of one viewer on one image.

    `x`, `y` (n,) float64: unit coordinates.
    `t` (n,) float64: s, ascending.
    `aspect`: width over height of the image.
    Yields (float, float, float, float): mean x and y, onset and duration, s.

    >>> t = np.arange(60) / 100
    >>> left = t < 0.3
    >>> [round(v, 2) for f in idt_fixations(np.where(left, 0.2, 0.8), np.full(60, 0.5), t) for v in f]
    [0.2, 0.5, 0.0, 0.29, 0.8, 0.5, 0.3, 0.29]
    """
    across, down = x * min(1.0, aspect), y * min(1.0, 1 / aspect)  # shares of the long side
    begin, n = 0, len(t)
    while begin < n:
        end = _run_end(across, down, t, begin)
        if t[end - 1] - t[begin] >= MIN_DURATION_S:
            window = slice(begin, end)
            yield float(x[window].mean()), float(y[window].mean()), float(t[begin]), float(t[end - 1] - t[begin])
            begin = end
        else:
            begin += 1


def _run_end(x: Float64, y: Float64, t: Float64, begin: int) -> int:
    """Return the end of the longest run of samples from `begin` within the dispersion and without a gap."""
    low_x = high_x = x[begin]
    low_y = high_y = y[begin]
    end = begin + 1
    while end < len(t) and t[end] - t[end - 1] <= MAX_GAP_S:
        low_x, high_x = min(low_x, x[end]), max(high_x, x[end])
        low_y, high_y = min(low_y, y[end]), max(high_y, y[end])
        if high_x - low_x + high_y - low_y > DISPERSION:
            break
        end += 1
    return end


COLUMNS_FILE = "columns.yaml"
"""File beside tables of unknown programs that maps their columns."""

EXAMPLE = (
    "image: Stimulus\nviewer: Subject\nx: FixX\ny: FixY\nunit: px\nonset: Start\nduration: Duration\ntime_unit: ms"
)

REALEYE = GazeColumns(
    "item_filename",
    "participant_id",
    "fixation_point_x",
    "fixation_point_y",
    "percent",
    "fixation_starts_at_ms",
    "fixation_duration_ms",
    "ms",
)
"""RealEye's export of fixations, as its help describes it (support.realeye.io/fixations-data-export)."""

_REALEYE_PRESENTATION = "exposure_number"
_REALEYE_GAZE = frozenset({"test_raw_data", "gaze_x_percents"})
_SUFFIXES = (".csv", ".tsv")


def find_exports(folder: Path) -> list[Path]:
    """Return the tables of a folder, in order of their names."""
    return sorted(p for p in folder.iterdir() if p.suffix.lower() in _SUFFIXES and not p.name.startswith("."))


def read_exports(
    files: Sequence[Path], paths: Mapping[str, Path], columns: GazeColumns | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """Read fixations from exported tables.

    `paths`: images by name.
    `columns`: meaning of the columns; without it they must be those of Tobii Pro Lab, RealEye or fixations.parquet.
    Returns `table`: image (name of an image, or what the table calls it where there is no such image), viewer, x, y
        (0-1 within the image; NaN where gaze was lost), and onset_s, duration_s where they are known.
    Returns `notes`: what was left out.
    Raises UsageError: naming the file, the column, the row, and what to do.
    """
    notes: list[str] = []
    parts = [_read(file, paths, columns, notes) for file in files]
    table = pd.concat(parts, ignore_index=True)
    if not table["image"].isin(list(paths)).any():
        raise UsageError(
            f"{files[0]}: none of its images is in images/: it speaks of {_some(table['image'].unique())}, and there "
            f"are {_some(list(paths))}; give the images the names that they had in the study"
        )
    times = ("onset_s", "duration_s")
    return table.drop(columns=[name for name in times if name in table and bool(table[name].isna().all())]), notes


def _read(file: Path, paths: Mapping[str, Path], columns: GazeColumns | None, notes: list[str]) -> pd.DataFrame:
    table = open_gaze_table(file)
    if columns is not None:
        return _mapped(table, columns, paths)
    if is_tobii(table.columns):
        return read_tobii(table, paths, notes)
    if table.has(*REALEYE.named.values()):
        if table.has(_REALEYE_PRESENTATION):
            presentation = table.numbers(_REALEYE_PRESENTATION)
            again = presentation.notna() & (presentation > 1)
            if again.any():
                notes.append(f"{int(again.sum())} fixations of {file.name} on images shown again are left out")
                table = table.where(~again)
        return _mapped(table, REALEYE, paths)
    if table.has("image", "viewer", "x", "y"):
        onset, duration = (name if table.has(name) else None for name in ("onset_s", "duration_s"))
        return _mapped(table, GazeColumns("image", "viewer", "x", "y", "unit", onset, duration, "s"), paths)
    if any(table.has(name) for name in _REALEYE_GAZE):
        raise UsageError(
            f"{file}: this is RealEye's export of raw gaze; take its export of fixations, in which they are told apart"
        )
    raise UsageError(
        f"{file}: its columns are not known ({_some(table.columns)}); say in {file.parent / COLUMNS_FILE} which is "
        f"which, for example:\n{EXAMPLE}"
    )


def _mapped(table: GazeTable, columns: GazeColumns, paths: Mapping[str, Path]) -> pd.DataFrame:
    """Return the fixations of a table whose columns are known."""
    table.require(columns.named.values())
    images = resolve_images(table.text(columns.image), paths)
    x, y = _places(table, columns, images, paths)
    fixations = pd.DataFrame({"image": images, "viewer": table.text(columns.viewer), "x": x, "y": y})
    for name, column in (("onset_s", columns.onset), ("duration_s", columns.duration)):
        if column is not None:
            fixations[name] = table.numbers(column) * columns.seconds
    if columns.rows == "fixations":
        return fixations
    if columns.onset is None:
        raise UsageError(f"{table.path}: samples of gaze need a time: name its column as onset in {COLUMNS_FILE}")
    return detect_fixations(fixations, paths)


def _places(
    table: GazeTable, columns: GazeColumns, images: pd.Series[str], paths: Mapping[str, Path]
) -> tuple[pd.Series[float], pd.Series[float]]:
    """Return places in unit coordinates of the image."""
    x, y = table.numbers(columns.x), table.numbers(columns.y)
    if columns.unit == "unit":
        return x, y
    if columns.unit == "percent":
        return x / 100, y / 100
    if columns.width is not None and columns.height is not None:
        left = table.numbers(columns.left) if columns.left else 0.0
        top = table.numbers(columns.top) if columns.top else 0.0
        return (x - left) / table.numbers(columns.width), (y - top) / table.numbers(columns.height)
    sizes = {name: displayed_size(paths[name]) for name in images.unique() if name in paths}
    unknown = (np.nan, np.nan)
    return (
        x / images.map(lambda name: sizes.get(name, unknown)[0]),
        y / images.map(lambda name: sizes.get(name, unknown)[1]),
    )


def _some(names: Iterable[str]) -> str:
    every = [str(name) for name in names]
    return ", ".join(every[:5]) + (", …" if len(every) > 5 else "")
