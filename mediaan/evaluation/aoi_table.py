"""What became of each area that was drawn, and of each that was found, as a Parquet table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from mediaan.evaluation.aoi_evaluation import AoiEvaluation
from mediaan.evaluation.aoi_match import LOOSE, Matches
from mediaan.evaluation.table import write_table
from mediaan.types.aoi import Box, Candidate

_SIDES = ("x0", "y0", "x1", "y1")
_OUTCOMES = (
    f"found; loose: overlaps by {LOOSE} only; as_other: found under another type; missed; extra: nobody drew it; "
    "ignored: found in an undecided area"
)


def aois_table(evaluation: AoiEvaluation) -> pa.Table:
    """One row per area that was drawn and per area that was found without being drawn, for each finder and type."""
    rows = [
        {"finder": finder, "type": name, **row}
        for (finder, name), some in evaluation.matches.items()
        for matches in some
        for row in _rows(matches)
    ]
    return pa.Table.from_pylist(rows, schema=_schema(evaluation.iou))


def write_aois(evaluation: AoiEvaluation, path: Path) -> None:
    """Write `aois_table` as Parquet.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    write_table(aois_table(evaluation), path)


def _schema(iou: float) -> pa.Schema:
    def field(name: str, kind: pa.DataType, caption: str) -> pa.Field:
        return pa.field(name, kind, metadata={"caption": caption, "unit": "1" if kind == pa.float64() else ""})

    words = [
        field("finder", pa.string(), "What found it"),
        field("type", pa.string(), "Role of the area"),
        field("image", pa.string(), "Name of the picture"),
        field("outcome", pa.string(), _OUTCOMES),
        field("label", pa.string(), "What people called it"),
        field("found_label", pa.string(), "What it was found as"),
        field(
            "confused_with", pa.string(), "Role of what overlaps it most: found there, or of an extra one drawn there"
        ),
        field("iou", pa.float64(), "Greatest overlap with any that was found"),
        field("confidence", pa.float64(), "Of what was found"),
    ]
    sides = [field(f"{prefix}{side}", pa.float64(), "Unit coordinates") for prefix in ("", "found_") for side in _SIDES]
    return pa.schema(words + sides, metadata={"iou": str(iou)})


def _rows(matches: Matches) -> Iterator[dict[str, object]]:
    for i, aoi in enumerate(matches.drawn):
        found = matches.partner(i)
        yield {
            "image": matches.image,
            "outcome": matches.outcome(i),
            "label": aoi.label,
            "iou": matches.overlaps[i],
            "confused_with": matches.found_as[i],
            **_sides("", aoi.box),
            **_found(found),
        }
    taken = set(matches.pairs) | set(matches.loose_pairs)
    for i, candidate in enumerate(matches.found):
        if i not in taken:
            yield {
                "image": matches.image,
                "outcome": "extra",
                "confused_with": matches.drawn_as[i],
                **_found(candidate),
            }
    for candidate in matches.ignored:
        yield {"image": matches.image, "outcome": "ignored", **_found(candidate)}


def _found(candidate: Candidate | None) -> dict[str, object]:
    if candidate is None:
        return {}
    box = _sides("found_", candidate.box)
    return {"found_label": candidate.label, "confidence": candidate.confidence, **box}


def _sides(prefix: str, box: Box) -> dict[str, object]:
    return {f"{prefix}{side}": value for side, value in zip(_SIDES, box, strict=True)}
