"""Write evaluations of detected areas as tables for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mediaan.cli.output.table import table_lines
from mediaan.evaluation.aoi.evaluation import AoiEvaluation
from mediaan.evaluation.aoi.scores import Rate, TypeScores, confusion_columns

_COLUMNS = (
    "", "drawn", "found", "precision [90 %]", "recall [90 %]", "F1 [90 %]", "AP",
    "IoU ≥ .3", "median IoU", "first 3", "as other", "ignored",
)  # fmt: skip
_BRAND_COLUMNS = ("marks of the brand", "marks", "found [90 %]", "pictures", "with one found [90 %]")
_WORST = 8
_FOOTNOTES = (
    "Each found area counts once, most confident first. [ ]: from resampled images. IoU ≥ .3: recall at that overlap.",
    "Median IoU: of each drawn area with the nearest found one. As other: found only under another type.",
    "Ignored: found in areas that count neither way. Found wrongly where its own type was drawn: found twice.",
    "First 3: recall of three proposals per image, and the most that three can reach. Any text: whatever its role.",
)


def aois_as_text(evaluation: AoiEvaluation) -> str:
    """Write scores by role, of marks with and without their name, by kind; confusions; the worst pictures."""
    models = ", ".join(f"{name} {sha256}" for name, sha256 in evaluation.models.items())
    heading = f"{len(evaluation.images)} labelled images, found at IoU ≥ {evaluation.iou:g}; {models}"
    blocks = [[heading], table_lines([_COLUMNS, *map(_cells, evaluation.scores)])]
    if evaluation.brands:
        brands = [
            (one.finder, str(one.n_marks), _rate(one.marks), str(one.n_pictures), _rate(one.pictures))
            for one in evaluation.brands
        ]
        blocks.append(table_lines([_BRAND_COLUMNS, *brands]))
    if evaluation.kinds:
        rows = [["", "pictures", *(scores.type for scores in evaluation.kinds[0].scores)]]
        for kind in evaluation.kinds:
            pairs = [
                f"{_number(one.precision.value)}/{_number(one.recall.value)} ({one.n_drawn})"
                if one.n_drawn or one.n_found
                else "–"
                for one in kind.scores
            ]
            rows.append([kind.kind, str(kind.n_pictures), *pairs])
        blocks.append(["By kind of ad: precision/recall (drawn):", *table_lines(rows)])
    confusion = evaluation.confusion
    if confusion.found_as:
        blocks.append(["Drawn (rows), by the found area that overlaps it most:", *_counts(confusion.found_as)])
    if any(confusion.false_as.values()):
        blocks.append(["Found wrongly (rows), by what was drawn there:", *_counts(confusion.false_as)])
    if worst := evaluation.worst(_WORST):
        lines = ["Worst images:"]
        for row in worst:
            wrong = {"missed": row.missed, "extra": row.extra}
            told = "; ".join(f"{what} {_counted(types)}" for what, types in wrong.items() if types)
            lines.append(f"  {row.image}  F1 {row.f1:.2f}: {told}")
        blocks.append(lines)
    blocks.append([*_FOOTNOTES, *(f"Note: {note}." for note in evaluation.notes)])
    return "\n\n".join("\n".join(block) for block in blocks)


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


def _counts(rows: Mapping[str, Mapping[str, int]]) -> list[str]:
    columns = confusion_columns(rows)
    body = [(name, *(str(row.get(column, "·")) for column in columns)) for name, row in rows.items()]
    return table_lines([("", *columns), *body])


def _counted(types: Sequence[str]) -> str:
    return ", ".join(f"{count} {kind}" if count > 1 else kind for kind, count in Counter(types).items())


def _rate(rate: Rate) -> str:
    if rate.value is None:
        return "–"
    interval = "" if rate.lo is None else f" [{rate.lo:.2f}, {rate.hi:.2f}]"
    return f"{rate.value:.2f}{interval}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
