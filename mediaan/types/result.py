"""What came of one file: a result, or a failure; never nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from mediaan.types.arrays import UInt8
from mediaan.types.maps import Densities
from mediaan.types.media import Medium
from mediaan.types.metrics import Score
from mediaan.types.outcome import Problem
from mediaan.types.timeline import FrameScores, Scene


@dataclass(frozen=True, slots=True)
class Result:
    """An analysed medium.

    Attributes
    ----------
    path : str
        Where the file was found, as shown to the user.
    medium : Medium
    scores : tuple of Score
    densities : Densities
        Where fixations land, by window.
    pictures : mapping of str to (H, W, 3) uint8
        Rendered maps that were asked for, by name; ``original`` is the picture they were drawn on.
    problems : tuple of Problem
        What did not go as it should, without spoiling the result.
    size_bytes : int
        Of the file.
    stages : mapping of str to float
        Seconds spent in each stage.
    frames : tuple of FrameScores
        Scores over time; empty for a still picture.
    scenes : tuple of Scene
        What lies between cuts; empty for a still picture.
    share_read : float
        Share of the medium that could be decoded, 0.9-1.
    videos : mapping of str to Path
        Encoded videos that were made on the way, by name: files to be moved to where they shall stay.
    """

    path: str
    medium: Medium
    scores: tuple[Score, ...]
    densities: Densities
    pictures: Mapping[str, UInt8] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    size_bytes: int = 0
    stages: Mapping[str, float] = field(default_factory=dict)
    frames: tuple[FrameScores, ...] = ()
    scenes: tuple[Scene, ...] = ()
    share_read: float = 1.0
    videos: Mapping[str, Path] = field(default_factory=dict)

    def __getitem__(self, metric: str) -> Score:
        """Score of a metric by name, such as ``focus`` or ``focus_first_two``.

        Raises
        ------
        KeyError
            There is no such metric.
        """
        for score in self.scores:
            if score.metric == metric:
                return score
        raise KeyError(f"no metric {metric!r}; there are {', '.join(s.metric for s in self.scores)}")

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON: the medium and its scores, without pixels."""
        medium = self.medium
        return {
            "path": self.path,
            "medium_id": str(medium.medium_id),
            "name": medium.name,
            "type": medium.kind,
            "status": "done",
            "width": medium.width,
            "height": medium.height,
            "codec": medium.codec,
            "metrics": {
                s.metric: {"value": s.value, "lo": s.lo, "hi": s.hi, "time": s.time, "unit": s.unit, "basis": s.basis}
                | ({"reason": s.reason} if s.reason else {})
                for s in self.scores
            },
            "problems": [{"code": p.code, "message": p.message} for p in self.problems],
        }


@dataclass(frozen=True, slots=True)
class Failed:
    """A file without a result, and why.

    `trace` is the program's own traceback where the fault is ours; None where it is the file's.
    """

    path: str
    name: str
    code: str
    message: str
    size_bytes: int = 0
    medium_id: str | None = None
    trace: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain strings, ready for JSON."""
        return {
            "path": self.path,
            "medium_id": self.medium_id,
            "name": self.name,
            "status": "failed",
            "error_code": self.code,
            "error_message": self.message,
        }


Outcome: TypeAlias = Result | Failed
