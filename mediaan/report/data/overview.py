"""Count the media of a run, and list its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.metrics.novelty import NOVELTY_THRESHOLD
from mediaan.report.data.scan import collect, count_distinct, scan
from mediaan.types.densities import Window

_COLUMNS = ("medium_id", "status", "duration_s", "novelty")


@dataclass(frozen=True, slots=True)
class Overview:
    """All media of a run; files with the same bytes are one."""

    files: int
    """Rows of the table media."""
    done: int
    failed: int
    """done, failed: A file that could not even be read is one that failed."""
    moving: int
    """Those of `done` that are more than a still image."""
    unlike: int
    """Those of `done` that are unlike what the models have learned from."""
    times: Mapping[str, Window]
    """Mapping of str to {'total', 'start', 'end'}. By metric of the run the time of its score of the whole, or the one
    window that the metric is about."""
    moving_ids: pa.Array
    """Ids of those that are more than a still image."""

    @property
    def is_mixed(self) -> bool:
        """Whether there are still images and others."""
        return 0 < self.moving < self.done

    @property
    def media(self) -> int:
        """All of them."""
        return self.done + self.failed


def read_overview(run_dir: Path) -> Overview:
    """Count the media of a run and list its scores, in memory that grows by some 100 bytes a medium.

    Raises UsageError: as `scan`.
    """
    media = collect(scan(run_dir, "media", _COLUMNS), "media", _COLUMNS)
    is_done = pc.equal(media["status"], "done")
    done, failed = media.filter(is_done), media.filter(pc.invert(is_done))
    times: dict[str, Window] = {}
    for batch in scan(run_dir, "metrics", ("metric", "metric_time")):
        pairs = pa.table(batch).group_by(["metric", "metric_time"], use_threads=False).aggregate([]).to_pylist()
        for pair in pairs:
            metric, time = pair["metric"], pair["metric_time"]
            times[metric] = "total" if "total" in (time, times.get(metric)) else times.get(metric, time)
    is_novel = pc.fill_null(pc.greater(done["novelty"], NOVELTY_THRESHOLD), fill_value=False)
    moving_ids = pc.unique(done.filter(pc.is_valid(done["duration_s"]))["medium_id"])
    return Overview(
        files=media.num_rows,
        done=count_distinct(done["medium_id"].chunks),
        failed=count_distinct(failed["medium_id"].chunks) + failed["medium_id"].null_count,
        moving=len(moving_ids),
        unlike=count_distinct(done.filter(is_novel)["medium_id"].chunks),
        times=times,
        moving_ids=moving_ids,
    )
