"""The scores of each picture as a Parquet table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mediaan.errors import UsageError
from mediaan.evaluation.ceiling import MIXTURES
from mediaan.evaluation.score import METRICS, Evaluation, PictureScores, one_vs_others, split_half

_SOURCES = {
    "model": "the model",
    "centre": "the centre bias of the other pictures",
    "prior": "the fixed centre prior",
    "one_vs_others": "one viewer against the others",
    "split_half": "two halves of the viewers",
}
_PEOPLE = {
    "one_vs_others": {"nss", "auc_judd", "shuffled_auc", "information_gain"},
    "split_half": {"cc", "sim"},
}
_UNITS = {"kld": "nats", "information_gain": "bits per fixation"}


def pictures_table(evaluation: Evaluation) -> pa.Table:
    """One row per picture: image, n_viewers, n_fixations, and SOURCE_METRIC for each source and metric that it has.

    Sources are model, centre, prior, one_vs_others, split_half; what the picture leaves undefined is null.
    """
    mixture = None if evaluation.centre_mixture is None else MIXTURES.index(evaluation.centre_mixture)
    rows = [_row(scores, mixture) for scores in evaluation.pictures]
    return pa.Table.from_pylist(rows, schema=_schema(evaluation))


def write_pictures(evaluation: Evaluation, path: Path) -> None:
    """Write `pictures_table` as Parquet.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    try:
        pq.write_table(pictures_table(evaluation), path)
    except OSError as error:
        raise UsageError(f"the table {path} cannot be written: {error}") from error


def _schema(evaluation: Evaluation) -> pa.Schema:
    known = [
        pa.field("image", pa.string(), nullable=False, metadata={"caption": "Name of the picture"}),
        pa.field("n_viewers", pa.int64(), metadata={"caption": "People with a fixation in the window"}),
        pa.field("n_fixations", pa.int64(), metadata={"caption": "Fixations in the window"}),
    ]
    scores = [
        pa.field(
            f"{source}_{metric}",
            pa.float64(),
            metadata={"unit": _UNITS.get(metric, "1"), "caption": f"{title} of {_SOURCES[source]}"},
        )
        for source in _SOURCES
        for metric, title in METRICS.items()
        if metric in _PEOPLE.get(source, METRICS)
    ]
    about = {"dataset": evaluation.dataset, "predictor": evaluation.predictor, "window": evaluation.window}
    return pa.schema(known + scores, metadata=about)


def _row(scores: PictureScores, mixture: int | None) -> dict[str, object]:
    row: dict[str, object] = {
        "image": scores.name,
        "n_viewers": scores.n_viewers,
        "n_fixations": scores.n_fixations,
    }
    for metric in METRICS:
        row[f"model_{metric}"] = scores.model[metric]
        row[f"centre_{metric}"] = scores.centre[metric]
        row[f"prior_{metric}"] = scores.prior[metric]
    for metric in _PEOPLE["one_vs_others"]:
        row[f"one_vs_others_{metric}"] = one_vs_others(scores.ceiling, metric, mixture)
    for metric in _PEOPLE["split_half"]:
        row[f"split_half_{metric}"] = split_half(scores.ceiling, metric)
    return row
