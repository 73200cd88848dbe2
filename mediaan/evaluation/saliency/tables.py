"""Write the scores of each image or video as a Parquet table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mediaan.errors import UsageError
from mediaan.evaluation.saliency.inter_observer import MIXTURES
from mediaan.evaluation.saliency.scores import METRICS, ImageEvaluation, StimulusScores, one_vs_others, split_half
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

_VIDEO_SOURCES = {
    "model": "the model over time",
    "frame_wise": "the image model on each frame alone",
    "centre": "the centre bias of the other clips",
    "prior": SOURCES["prior"],
    "one_vs_others": SOURCES["one_vs_others"],
    "split_half": SOURCES["split_half"],
}


def images_table(evaluation: ImageEvaluation) -> pa.Table:
    """Make a table of one row per image: image, n_viewers, n_fixations, and SOURCE_METRIC of each source and metric.

    Sources are model, centre, prior, one_vs_others, split_half; what the image leaves undefined is null.
    """
    counts = {
        "image": "Name of the image",
        "n_viewers": "People with a fixation in the window",
        "n_fixations": "Fixations in the window",
    }
    about = {"dataset": evaluation.dataset, "predictor": evaluation.predictor, "window": evaluation.window}
    rows = [
        {"image": image.name, "n_viewers": image.n_viewers, "n_fixations": image.n_fixations}
        | score_cells(image, SOURCES, evaluation.centre_mixture)
        for image in evaluation.pictures
    ]
    return _table(rows, counts, SOURCES, about)


def videos_table(evaluation: VideoEvaluation) -> pa.Table:
    """Make a table of one row per video: video, n_viewers, n_instants, and SOURCE_METRIC of each source and metric.

    Sources are model, frame_wise, centre, prior, one_vs_others, split_half; values are means over the instants at which
    somebody looks; what is undefined in all of them is null.
    """
    counts = {
        "video": "Name of the clip",
        "n_viewers": "People with gaze on the clip",
        "n_instants": "Sampled instants at which somebody looks",
    }
    about = {"dataset": evaluation.dataset, "predictor": evaluation.predictor, "fps": f"{evaluation.fps:g}"}
    rows = [
        {"video": clip.name, "n_viewers": clip.n_viewers, "n_instants": clip.n_instants}
        | score_cells(clip, _VIDEO_SOURCES, evaluation.centre_mixture)
        for clip in evaluation.clips
    ]
    return _table(rows, counts, _VIDEO_SOURCES, about)


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table as Parquet; a file that cannot be written is a UsageError."""
    try:
        pq.write_table(table, path)
    except OSError as error:
        raise UsageError(f"the table {path} cannot be written: {error}") from error


def _table(
    rows: list[dict[str, Any]], counts: Mapping[str, str], sources: Mapping[str, str], about: Mapping[str, str]
) -> pa.Table:
    """Make a table of a name, two counts, and the column SOURCE_METRIC of each source and metric, with captions."""
    name, *numbers = counts
    fields = [
        pa.field(name, pa.string(), nullable=False, metadata={"caption": counts[name]}),
        *(pa.field(number, pa.int64(), metadata={"caption": counts[number]}) for number in numbers),
        *(
            pa.field(
                f"{source}_{metric}",
                pa.float64(),
                metadata={"unit": _UNITS.get(metric, "1"), "caption": f"{title} of {meaning}"},
            )
            for source, meaning in sources.items()
            for metric, title in METRICS.items()
            if metric in _CONSISTENCY_METRICS.get(source, METRICS)
        ),
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema(fields, metadata=about))


def score_cells(scores: StimulusScores, sources: Mapping[str, str], centre_mixture: float | None) -> dict[str, Any]:
    """Return the cells SOURCE_METRIC of a stimulus: scores of predictions by source, and of viewers."""
    mixture = None if centre_mixture is None else MIXTURES.index(centre_mixture)
    predictions = [source for source in sources if source not in _CONSISTENCY_METRICS]
    cells = {f"{source}_{metric}": getattr(scores, source)[metric] for source in predictions for metric in METRICS}
    for metric in _CONSISTENCY_METRICS["one_vs_others"]:
        cells[f"one_vs_others_{metric}"] = one_vs_others(scores.consistency, metric, mixture)
    for metric in _CONSISTENCY_METRICS["split_half"]:
        cells[f"split_half_{metric}"] = split_half(scores.consistency, metric)
    return cells
