"""Write the scores of each image or video as a Parquet table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mediaan.errors import UsageError
from mediaan.evaluation.saliency.image_evaluation import ImageEvaluation
from mediaan.evaluation.saliency.inter_observer import MIXTURES, ObserverConsistency
from mediaan.evaluation.saliency.summary import METRICS, MetricValues, one_vs_others, split_half
from mediaan.evaluation.saliency.video_evaluation import VideoEvaluation

SOURCES = {
    "model": "the model",
    "centre": "the centre bias of the other images",
    "prior": "the fixed centre prior",
    "one_vs_others": "one viewer against the others",
    "split_half": "two halves of the viewers",
}
"""Sources of scores, by name in tables."""

_CONSISTENCY_METRICS = {
    "one_vs_others": {"nss", "auc_judd", "shuffled_auc", "information_gain"},
    "split_half": {"cc", "sim"},
}
_UNITS = {"kld": "nats", "information_gain": "bits per fixation"}


def images_table(evaluation: ImageEvaluation) -> pa.Table:
    """Make a table of one row per image: image, n_viewers, n_fixations, and SOURCE_METRIC of each source and metric.

    Sources are model, centre, prior, one_vs_others, split_half; what the image leaves undefined is null.
    """
    columns = [
        pa.field("image", pa.string(), nullable=False, metadata={"caption": "Name of the image"}),
        pa.field("n_viewers", pa.int64(), metadata={"caption": "People with a fixation in the window"}),
        pa.field("n_fixations", pa.int64(), metadata={"caption": "Fixations in the window"}),
    ]
    about = {"dataset": evaluation.dataset, "predictor": evaluation.predictor, "window": evaluation.window}
    rows = [
        {"image": image.name, "n_viewers": image.n_viewers, "n_fixations": image.n_fixations}
        | score_cells(
            {"model": image.model, "centre": image.centre, "prior": image.prior},
            image.consistency,
            evaluation.centre_mixture,
        )
        for image in evaluation.pictures
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema(columns + score_fields(SOURCES), metadata=about))


def write_images_table(evaluation: ImageEvaluation, path: Path) -> None:
    """Write `images_table` as Parquet.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    write_table(images_table(evaluation), path)


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table as Parquet; a file that cannot be written is a UsageError."""
    try:
        pq.write_table(table, path)
    except OSError as error:
        raise UsageError(f"the table {path} cannot be written: {error}") from error


def score_fields(sources: Mapping[str, str]) -> list[pa.Field]:
    """Return the columns SOURCE_METRIC of sources with their captions."""
    return [
        pa.field(
            f"{source}_{metric}",
            pa.float64(),
            metadata={"unit": _UNITS.get(metric, "1"), "caption": f"{title} of {meaning}"},
        )
        for source, meaning in sources.items()
        for metric, title in METRICS.items()
        if metric in _CONSISTENCY_METRICS.get(source, METRICS)
    ]


def score_cells(
    values: Mapping[str, MetricValues], consistency: ObserverConsistency, centre_mixture: float | None
) -> dict[str, Any]:
    """Return the cells of these columns: scores of predictions by source, and of viewers."""
    mixture = None if centre_mixture is None else MIXTURES.index(centre_mixture)
    cells = {f"{source}_{metric}": value[metric] for source, value in values.items() for metric in METRICS}
    for metric in _CONSISTENCY_METRICS["one_vs_others"]:
        cells[f"one_vs_others_{metric}"] = one_vs_others(consistency, metric, mixture)
    for metric in _CONSISTENCY_METRICS["split_half"]:
        cells[f"split_half_{metric}"] = split_half(consistency, metric)
    return cells


_VIDEO_SOURCES = {
    "model": "the model over time",
    "frame_wise": "the image model on each frame alone",
    "centre": "the centre bias of the other clips",
    "prior": SOURCES["prior"],
    "one_vs_others": SOURCES["one_vs_others"],
    "split_half": SOURCES["split_half"],
}


def videos_table(evaluation: VideoEvaluation) -> pa.Table:
    """Make a table of one row per video: video, n_viewers, n_instants, and SOURCE_METRIC of each source and metric.

    Sources are model, frame_wise, centre, prior, one_vs_others, split_half; values are means over the instants at which
    somebody looks; what is undefined in all of them is null.
    """
    columns = [
        pa.field("video", pa.string(), nullable=False, metadata={"caption": "Name of the clip"}),
        pa.field("n_viewers", pa.int64(), metadata={"caption": "People with gaze on the clip"}),
        pa.field("n_instants", pa.int64(), metadata={"caption": "Sampled instants at which somebody looks"}),
    ]
    about = {"dataset": evaluation.dataset, "predictor": evaluation.predictor, "fps": f"{evaluation.fps:g}"}
    rows = [
        {"video": clip.name, "n_viewers": clip.n_viewers, "n_instants": clip.n_instants}
        | score_cells(
            {"model": clip.model, "frame_wise": clip.frame_wise, "centre": clip.centre, "prior": clip.prior},
            clip.consistency,
            evaluation.centre_mixture,
        )
        for clip in evaluation.clips
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema(columns + score_fields(_VIDEO_SOURCES), metadata=about))


def write_videos_table(evaluation: VideoEvaluation, path: Path) -> None:
    """Write `videos_table` as Parquet.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    write_table(videos_table(evaluation), path)
