"""Write evaluations of detected areas as tables for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mediaan.cli.output.table import table_lines
from mediaan.evaluation.aoi.evaluation import AoiEvaluation, BrandRecall, ImageErrors
from mediaan.evaluation.aoi.scores import AdKindScores, Rate, TypeScores, confusion_columns

_COLUMNS = (
    "", "drawn", "found", "precision [90 %]", "recall [90 %]", "F1 [90 %]", "AP",
    "IoU ≥ .3", "median IoU", "first 3", "as other", "ignored",
)  # fmt: skip
_BRAND_COLUMNS = ("marks of the brand", "marks", "found [90 %]", "pictures", "with one found [90 %]")
_WORST = 8


def aois_as_text(evaluation: AoiEvaluation) -> str:
    """Write scores by role, of marks with and without their name, by kind; confusions; the worst pictures."""
    blocks = [[_heading(evaluation)], table_lines([_COLUMNS, *map(_cells, evaluation.scores)])]
    if evaluation.brands:
        blocks.append(table_lines([_BRAND_COLUMNS, *map(_brand_cells, evaluation.brands)]))
    if evaluation.kinds:
        blocks.append(["By kind of advertisement: precision/recall (drawn):", *_kind_table(evaluation.kinds)])
    confusion = evaluation.confusion
    if confusion.found_as:
        blocks.append(["Drawn (rows), by what overlaps it most of what was found:", *_counts(confusion.found_as)])
    if any(confusion.false_as.values()):
        blocks.append(["Found wrongly (rows), by what was drawn there:", *_counts(confusion.false_as)])
    if worst := evaluation.worst(_WORST):
        blocks.append(["Worst pictures:", *map(_worst_line, worst)])
    blocks.append(_footnotes(evaluation))
    return "\n\n".join("\n".join(block) for block in blocks)


def _heading(evaluation: AoiEvaluation) -> str:
    models = ", ".join(f"{name} {sha256}" for name, sha256 in evaluation.models.items())
    return f"{len(evaluation.images)} labelled pictures, found at IoU ≥ {evaluation.iou:g}; {models}"


def _cells(scores: TypeScores) -> tuple[str, ...]:
    name = scores.type if scores.finder == "detected" else f"{scores.type} ({scores.finder})"
    product = scores.type == "product" and scores.first_recall is not None
    return (
        name,
        str(scores.n_drawn),
        str(scores.n_found),
        *(_rate(rate) for rate in (scores.precision, scores.recall, scores.f1)),
        *(_number(value) for value in (scores.average_precision, scores.loose_recall, scores.median_iou)),
        f"{scores.first_recall:.2f} of {scores.first_ceiling:.2f}" if product else "",
        str(scores.n_as_other),
        str(scores.n_ignored),
    )


def _brand_cells(brand: BrandRecall) -> tuple[str, ...]:
    return brand.finder, str(brand.n_marks), _rate(brand.marks), str(brand.n_pictures), _rate(brand.pictures)


def _kind_table(kinds: Sequence[AdKindScores]) -> list[str]:
    heading = ("", "pictures", *(scores.type for scores in kinds[0].scores))
    return table_lines([heading, *((kind.kind, str(kind.n_pictures), *map(_pair, kind.scores)) for kind in kinds)])


def _pair(scores: TypeScores) -> str:
    if not (scores.n_drawn or scores.n_found):
        return "–"
    return f"{_number(scores.precision.value)}/{_number(scores.recall.value)} ({scores.n_drawn})"


def _counts(rows: Mapping[str, Mapping[str, int]]) -> list[str]:
    columns = confusion_columns(rows)
    body = [(name, *(str(row.get(column, "·")) for column in columns)) for name, row in rows.items()]
    return table_lines([("", *columns), *body])


def _worst_line(row: ImageErrors) -> str:
    missed, extra = _counted(row.missed), _counted(row.extra)
    parts = [f"missed {missed}" if missed else "", f"extra {extra}" if extra else ""]
    return f"  {row.image}  F1 {row.f1:.2f}: {'; '.join(part for part in parts if part)}"


def _counted(types: Sequence[str]) -> str:
    return ", ".join(f"{count} {kind}" if count > 1 else kind for kind, count in Counter(types).items())


def _footnotes(evaluation: AoiEvaluation) -> list[str]:
    return [
        "A find counts once, the surest first. [ ]: over sets of pictures drawn by chance. IoU ≥ .3: recall there.",
        "Median IoU: of each that was drawn with its nearest find. As other: found under another type only.",
        "Ignored: found in areas that count neither way. Found wrongly where its own type was drawn: a second find.",
        "First 3: recall of three proposals a picture, and what three could reach. Any text: whatever its role.",
        *(f"Note: {note}." for note in evaluation.notes),
    ]


def _rate(rate: Rate) -> str:
    if rate.value is None:
        return "–"
    interval = "" if rate.lo is None else f" [{rate.lo:.2f}, {rate.hi:.2f}]"
    return f"{rate.value:.2f}{interval}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
