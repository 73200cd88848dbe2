"""The scores of each clip as a Parquet table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from mediaan.evaluation.clip_evaluation import ClipEvaluation
from mediaan.evaluation.clip_score import ClipScores
from mediaan.evaluation.table import SOURCES, score_cells, score_fields, write_table

_SOURCES = {
    "model": "the model over time",
    "frame_wise": "the image model on each frame alone",
    "centre": "the centre bias of the other clips",
    "prior": SOURCES["prior"],
    "one_vs_others": SOURCES["one_vs_others"],
    "split_half": SOURCES["split_half"],
}


def clips_table(evaluation: ClipEvaluation) -> pa.Table:
    """One row per clip: video, n_viewers, n_instants, and SOURCE_METRIC for each source and metric that it has.

    Sources are model, frame_wise, centre, prior, one_vs_others, split_half; values are means over the instants at which
    somebody looks; what is undefined in all of them is null.
    """
    known = [
        pa.field("video", pa.string(), nullable=False, metadata={"caption": "Name of the clip"}),
        pa.field("n_viewers", pa.int64(), metadata={"caption": "People with gaze on the clip"}),
        pa.field("n_instants", pa.int64(), metadata={"caption": "Sampled instants at which somebody looks"}),
    ]
    about = {"dataset": evaluation.dataset, "predictor": evaluation.predictor, "fps": f"{evaluation.fps:g}"}
    rows = [_row(clip, evaluation.centre_mixture) for clip in evaluation.clips]
    return pa.Table.from_pylist(rows, schema=pa.schema(known + score_fields(_SOURCES), metadata=about))


def write_clips(evaluation: ClipEvaluation, path: Path) -> None:
    """Write `clips_table` as Parquet.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    write_table(clips_table(evaluation), path)


def _row(clip: ClipScores, mixture: float | None) -> dict[str, object]:
    values = {"model": clip.model, "frame_wise": clip.frame_wise, "centre": clip.centre, "prior": clip.prior}
    row: dict[str, object] = {"video": clip.name, "n_viewers": clip.n_viewers, "n_instants": clip.n_instants}
    return row | dict(score_cells(values, clip.ceiling, mixture))
