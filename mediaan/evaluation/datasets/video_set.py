"""Read a folder of videos and what people looked at in them.

::

    DIR/videos/NAME.*              any format that mediaan reads
    DIR/fixations.parquet          video (NAME), viewer, t_s (s from the first frame), x, y (unit coordinates of the
                                   frame as displayed, origin top-left); perhaps duration_s (s)

A row is a gaze sample, or with `duration_s` a fixation, which holds from `t_s` to `t_s + duration_s`. Further columns
are ignored."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow.parquet as pq
from pyarrow import ArrowException

from mediaan.errors import UsageError
from mediaan.evaluation.datasets.stimulus import GazePoints, GazeSet, stimulus_paths
from mediaan.saliency.density import GridShape, fixation_density
from mediaan.types.arrays import Float32, Float64

VIDEO_GRID_LONG_SIDE = 160
"""Cells along the longer side of the grid for videos: half that of images, as each video has hundreds of instants."""

TIME_DECIMALS = 6
"""Times are rounded to a microsecond: finer than any eye tracker, coarser than the error of adding float64 seconds."""

# The gaze on a whole video is spread over this grid in unit coordinates, that of the centre bias.
_UNIT_GRID: GridShape = (80, 80)


@dataclass(frozen=True, slots=True)
class VideoStimulus:
    """A video with gaze, in order of time; at least one row."""

    name: str
    """File name without extension."""
    path: Path
    viewer: npt.NDArray[np.int64]
    """(n,) int64. Viewer of each row, numbered within the set."""
    x: Float64
    y: Float64
    """x, y: (n,) float64. Unit coordinates of the frame as displayed, in [0, 1)."""
    start_s: Float64
    """(n,) float64. Seconds from the first frame, rounded to `TIME_DECIMALS`, ascending."""
    end_s: Float64
    """(n,) float64. End of the fixation, s; the same as `start_s` for a gaze sample."""
    longest_s: float
    """Longest duration of a row."""

    @property
    def n_viewers(self) -> int:
        """Number of viewers."""
        return int(np.unique(self.viewer).size)

    def at(self, t_s: float, step_s: float) -> GazePoints | None:
        """Return samples in [t_s - step_s / 2, t_s + step_s / 2) and fixations that last into it; None without any."""
        low_s, high_s = (round(t_s + side * step_s / 2, TIME_DECIMALS) for side in (-1, 1))
        first = np.searchsorted(self.start_s, low_s - self.longest_s)
        rows = np.arange(first, np.searchsorted(self.start_s, high_s))
        rows = rows[(self.start_s[rows] >= low_s) | (self.end_s[rows] > low_s)]
        return GazePoints(self.viewer[rows], self.x[rows], self.y[rows]) if rows.size else None

    def truth(self) -> Float32:
        """Return the density of all gaze, (80, 80) float32 in unit coordinates; each row counts the same."""
        return fixation_density(self.x, self.y, _UNIT_GRID)


_NEEDED = ("video", "viewer", "t_s", "x", "y")
_DURATION = "duration_s"
_NUMBERS = ("t_s", "x", "y", _DURATION)


def holds_videos(folder: Path) -> bool:
    """Return True if a folder is a set of videos rather than of images.

    Raises UsageError: it could be both.
    """
    if (folder / "videos").is_dir() and (folder / "images").is_dir():
        raise UsageError(
            f"{folder} holds both images/ and videos/; give each a folder of its own, with its own fixations.parquet"
        )
    return (folder / "videos").is_dir()


def read_video_gaze_set(
    folder: Path, *, names: Collection[str] | None = None, limit: int | None = None
) -> GazeSet[VideoStimulus]:
    """Read the gaze of a folder; videos are not opened.

    `folder`: in the layout on top of this page.
    `names`: videos to score, with or without extension; all by default. The others still form the centre bias.
    `limit`: score only the first so many in order of names.
    Raises UsageError: the folder is not in the layout, or lacks what was asked for.
    """
    table, paths = folder / "fixations.parquet", stimulus_paths(folder, "videos")
    gaze, notes = _read_gaze(table)
    name_of = {video: _match(video, paths) for video in gaze["video"].cat.categories}
    requested = name_of if names is None else {name: _match(name, paths) for name in names}
    if missing := sorted(name for name, match in requested.items() if match is None):
        source = f"{table} names" if names is None else "the list names"
        raise UsageError(
            f"{source} {_some(missing)}, which is not in {folder / 'videos'}; "
            "put the file there, or list the clips to score with --pictures"
        )
    wanted = set() if names is None else {match for match in requested.values() if match}
    if lost := [video for video, name in name_of.items() if name is None]:
        notes.append(f"gaze on {len(lost)} videos that are not in videos/ is left out")
    numbered = gaze.assign(
        viewer=pd.factorize(gaze["viewer"])[0].astype(np.int64),
        end_s=(gaze["t_s"] + gaze[_DURATION]).round(TIME_DECIMALS),
        t_s=gaze["t_s"].round(TIME_DECIMALS),
        video=gaze["video"].map(name_of),
    ).sort_values("t_s", kind="stable")
    stimuli = []
    for key, rows in numbered.groupby("video", sort=True, observed=True):
        name, viewer = str(key), rows["viewer"].to_numpy(np.int64)
        x, y, start_s, end_s = (rows[column].to_numpy(np.float64) for column in ("x", "y", "t_s", "end_s"))
        longest_s = float((end_s - start_s).max())
        stimuli.append(VideoStimulus(name, paths[name], viewer, x, y, start_s, end_s, longest_s))
    if not stimuli:
        raise UsageError(f"{table} holds no gaze on any of the {len(paths)} videos in {folder / 'videos'}")
    if len(stimuli) < len(paths):
        notes.append(f"{len(paths) - len(stimuli)} of {len(paths)} videos have no gaze and are left out")
    gazed = [stimulus.name for stimulus in stimuli]
    if blind := sorted(wanted - set(gazed)):
        raise UsageError(f"{table} holds no gaze within the frame on {_some(blind)}; take it off the list")
    return GazeSet(folder, "total", tuple(stimuli), frozenset(sorted(wanted or gazed)[:limit]), tuple(notes))


def _read_gaze(table: Path) -> tuple[pd.DataFrame, list[str]]:
    """Read the rows that can be placed in a frame, and notes on the others.

    Numbers are float64, `video` is categories of text.
    """
    if not table.is_file():
        raise UsageError(f"{table} is missing: there is nothing to compare with; it needs {', '.join(_NEEDED)}")
    try:
        present = pq.read_schema(table).names
        if missing := [column for column in _NEEDED if column not in present]:
            raise UsageError(f"{table} lacks the column {', '.join(missing)}; needed are {', '.join(_NEEDED)}")
        gaze: pd.DataFrame = pq.read_table(table, columns=[*_NEEDED, *({_DURATION} & set(present))]).to_pandas()
    except (OSError, ArrowException) as error:
        raise UsageError(f"{table} cannot be read as Parquet: {error}") from error
    for column in _NUMBERS:
        try:
            gaze[column] = gaze[column].astype(np.float64) if column in gaze else 0.0
        except (TypeError, ValueError) as error:
            raise UsageError(f"{table}: the column {column} must hold numbers ({error})") from error
    gaze = gaze.assign(video=gaze["video"].astype("str").astype("category"))
    ends = gaze["t_s"] + gaze[_DURATION]
    complete = gaze.notna().all(axis=1) & (gaze[_DURATION] >= 0) & np.isfinite(ends)
    inside = gaze["x"].between(0, 1, inclusive="left") & gaze["y"].between(0, 1, inclusive="left")
    during = (gaze["t_s"] >= 0) | (ends > 0)
    reasons = {
        "lack a value": ~complete,
        "lie outside the frame": complete & ~inside,
        "lie before the first frame": complete & inside & ~during,
    }
    notes = [
        f"{int(rows.sum())} of {len(gaze)} rows of gaze {reason} and are left out"
        for reason, rows in reasons.items()
        if rows.any()
    ]
    return gaze[complete & inside & during], notes


def _match(video: str, paths: dict[str, Path]) -> str | None:
    """Match a name, with or without extension, to the name of a file."""
    return next((name for name in (video, Path(video).stem) if name in paths), None)


def _some(names: list[str]) -> str:
    """Format the first few names."""
    rest = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(repr(name) for name in names[:3]) + rest
