"""Measure what the answers of a review buy: ``python -m bench.review IMAGES LABELS.json BRANDS.csv``.

Labelled designs are analyzed, with their brand named, and reviewed by a person who is simulated: who answers questions
in their order, picks every proposal that overlaps a labelled area (IoU of at least 0.5), draws the labelled areas where
no proposal does, and says none where none is labelled. Printed are precision and recall of the areas of each type, over
all designs, before and after a share of the questions, and how many of the answers were a key and how many a drawing.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import mediaan as mn
from mediaan.judge.questions import ASKED_TYPES, Question
from mediaan.review import Review, open_review
from mediaan.types.aoi import Box

LEAST_IOU = 0.5
SHARES = (0.0, 0.25, 0.5, 1.0)

Labels = Mapping[str, Mapping[str, Sequence[Box]]]
"""Labelled boxes by name of the file, then by type."""


def read_labels(path: Path) -> Labels:
    """Read labelled areas of the types that a review asks about."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: {
            of_type: [Box(*area["box"]) for area in areas if area["type"] == of_type and "box" in area]
            for of_type in ASKED_TYPES
        }
        for name, areas in content.items()
    }


def write_objectives(brands: Path, names: Iterable[str], path: Path) -> None:
    """Write an objectives file that names the brand of each design, as far as it is known."""
    wanted = set(names)
    with brands.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["image"] in wanted and row["brand"]]
    media = [
        {"match": f"**/{row['image']}", "brand": {"name": row["brand"], "aliases": row["aliases"].split("|")}}
        if row["aliases"]
        else {"match": f"**/{row['image']}", "brand": row["brand"]}
        for row in rows
    ]
    path.write_text(json.dumps({"media": media}), encoding="utf-8")  # which is YAML


def matched(boxes: Sequence[Box], labelled: Sequence[Box]) -> int:
    """Count boxes that overlap a labelled one, each labelled one counted once."""
    left = list(labelled)
    count = 0
    for box in boxes:
        best = max(left, key=box.iou, default=None)
        if best is not None and box.iou(best) >= LEAST_IOU:
            left.remove(best)
            count += 1
    return count


def answer(review: Review, question: Question, labelled: Sequence[Box]) -> str:
    """Answer a question as its labels say; return how."""
    numbers = [
        number
        for number, proposal in enumerate(question.proposals, 1)
        if any(proposal.box.iou(box) >= LEAST_IOU for box in labelled)
    ]
    if numbers:
        review.answer(question.id, "pick", numbers)
        return "picked"
    if not labelled:
        review.answer(question.id, "none")
        return "none"
    review.answer(question.id, "draw", boxes=[(box.x0, box.y0, box.width, box.height) for box in labelled])
    return "drawn"


def scores(review: Review, labels: Labels) -> str:
    """Format precision and recall of each type, and the undecided verdicts."""
    cells = []
    for of_type in ASKED_TYPES:
        found = right = drawn = 0
        for result in review.results:
            labelled = labels[Path(result.path).name][of_type]
            areas = sorted(
                (aoi for aoi in result.aois or () if aoi.type == of_type), key=lambda a: -(a.confidence or 1)
            )
            boxes = [aoi.box for aoi in areas]
            found, drawn = found + len(boxes), drawn + len(labelled)
            right += matched(boxes, labelled)
        cells.append(f"{of_type} {right / max(found, 1):.2f}/{right / max(drawn, 1):.2f}")
    return f"{'  '.join(cells)}  undecided {review.progress.undecided}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Analyze, review and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("images", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("brands", type=Path)
    parser.add_argument("--run", type=Path, help="keep the run here, and start from it where it is there")
    options = parser.parse_args(arguments)
    labels = read_labels(options.labels)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_objectives(options.brands, labels, folder / "objectives.yaml")
        made = options.run or folder / "made"
        recipe = mn.Recipe(maps=(), intervals="none", advice="none", objectives=folder / "objectives.yaml")
        files = [options.images / name for name in labels if (options.images / name).is_file()]
        mn.analyze_folder(files, made, recipe, mn.Execution(workers=1, report="none"))
        shutil.copytree(made, folder / "run")
        with open_review(folder / "run") as review:
            asked = len(review.questions)
            print(f"{len(review.results)} designs, {asked} questions; precision/recall by type")
            ways: Counter[str] = Counter()
            for share in SHARES:
                while sum(ways.values()) < share * asked and review.questions:
                    question = review.questions[0]
                    ways[answer(review, question, labels[Path(question.path).name][question.type])] += 1
                told = ", ".join(f"{count} {way}" for way, count in ways.items()) or "no answer"
                print(f"{share:4.0%}  {scores(review, labels)}  ({told})", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
