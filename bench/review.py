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
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from threading import Thread
from typing import NamedTuple
from unittest.mock import patch

import mediaan as mn
from mediaan.judge import questions
from mediaan.judge.questions import ASKED_TYPES, Question
from mediaan.review import Review, open_review
from mediaan.review.server import ReviewServer
from mediaan.types.aoi import Box
from mediaan.types.result import Result

LEAST_IOU = 0.5
PATIENCE_S = 240.0
SHARES = (0.0, 0.25, 0.5, 1.0)

KEY_S, POINT_S, HAND_S, DECISION_S, BUTTON_S = 0.28, 1.1, 0.4, 1.35, 0.1
"""Operators of the keystroke-level model: a key (average typist), pointing with a mouse, moving the hand between mouse
and keyboard, a mental preparation, a press or release of the mouse button."""

_NEXT_PICTURE = """
const [key, done] = arguments;
const asked = () => document.querySelector('.review-head .sub').textContent;
const [before, start] = [asked(), performance.now()];
document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
const image = document.querySelector('.review-picture img');
function check() {
  if (asked() === before || !image.complete) return requestAnimationFrame(check);
  const painted = () => done(performance.now() - start);
  return image.decode().then(() => requestAnimationFrame(() => requestAnimationFrame(painted)));
}
check();
"""

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


def is_right(result: Result, of_type: str, labelled: Sequence[Box]) -> bool:
    """Return whether the areas of a type are those that were labelled."""
    boxes = [aoi.box for aoi in result.aois or () if aoi.type == of_type]
    return len(boxes) == len(labelled) == matched(boxes, labelled)


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
        proposed = right = drawn = 0
        for result in review.results:
            labelled = labels[Path(result.path).name][of_type]
            areas = sorted(
                (aoi for aoi in result.aois or () if aoi.type == of_type), key=lambda a: -(a.confidence or 1)
            )
            boxes = [aoi.box for aoi in areas]
            proposed, drawn = proposed + len(boxes), drawn + len(labelled)
            right += matched(boxes, labelled)
        cells.append(f"{of_type} {right / max(proposed, 1):.2f}/{right / max(drawn, 1):.2f}")
    return f"{'  '.join(cells)}  undecided {review.progress.undecided}"


class Work(NamedTuple):
    """What a person does to review ads."""

    looks: int = 0
    """Ads that are looked at for the first time."""
    decisions: int = 0
    """Answers, and Enter for all that is right."""
    keys: int = 0
    drawings: int = 0
    """Answers for which the hand goes to the mouse."""
    boxes: int = 0

    def plus(self, other: Work) -> Work:
        """Add up."""
        return Work(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    def seconds(self, next_picture: float = 0.0) -> float:
        """Time by the keystroke-level model, with that of the page for each answer."""
        drawing = 2 * HAND_S * self.drawings + (2 * POINT_S + 2 * BUTTON_S) * self.boxes
        page = next_picture * self.decisions
        return DECISION_S * (self.looks + self.decisions) + KEY_S * self.keys + drawing + page


def corrected(review: Review, question: Question, labelled: Sequence[Box]) -> Work:
    """Correct the areas of a type until they are those that were labelled, with the fewest keys; return the work."""
    areas = {n for n, proposal in enumerate(question.proposals, 1) if is_area(proposal, question.type)}
    right: dict[int, int] = {}
    for at, box in enumerate(labelled):
        fits = {n: p.box.iou(box) for n, p in enumerate(question.proposals, 1) if n not in right.values()}
        best = max(fits, key=lambda n: fits[n], default=None)
        if best is not None and fits[best] >= LEAST_IOU:
            right[at] = best
    drawn = [box for at, box in enumerate(labelled) if at not in right]
    numbers = sorted(right.values())
    if not labelled:
        review.answer(question.id, "none")
        work = Work(decisions=1, keys=1)
    elif drawn:
        boxes = [(box.x0, box.y0, box.width, box.height) for box in drawn]
        review.answer(question.id, "draw", numbers, boxes)
        work = Work(decisions=1, keys=2 * len(numbers) + 1, drawings=1, boxes=len(drawn))
    else:
        review.answer(question.id, "pick", numbers)
        keys = 1 if len(numbers) == 1 else 2 * len(areas ^ set(numbers)) + 1
        work = Work(decisions=1, keys=keys)
    assert is_right(review.result(question.medium_id), question.type, labelled)
    return work


def is_area(proposal: questions.Proposal, of_type: str) -> bool:
    """Return whether a proposal is an area of a type already."""
    return proposal.area is not None and proposal.type == of_type


def reviewed(review: Review, labels: Labels, *, every_type: bool, patience: float = float("inf")) -> Work:
    """Go through the ads as the page does; return the work.

    Parameters
    ----------
    review : Review
    labels : Labels
    every_type : bool
        Whether types that are not asked about are corrected too, and ads without a question looked at. Otherwise an ad
        whose other types are not right is not confirmed with Enter: its questions are answered one by one.
    patience : float
        In seconds, without the page's; no further ad is begun after them.
    """
    work = Work()
    order = dict.fromkeys(question.medium_id for question in review.questions)
    if every_type:
        order |= dict.fromkeys(str(result.medium.medium_id) for result in review.results)
    for medium_id in order:
        if work.seconds() >= patience:
            break
        work = work.plus(Work(looks=1))
        labelled = labels[Path(review.result(medium_id).path).name]
        at = next((q.type for q in review.questions if q.medium_id == medium_id), ASKED_TYPES[0])
        asked = [q.type for q in review.questions if q.medium_id == medium_id]
        types = (
            sorted(ASKED_TYPES, key=lambda of: (of in asked, of)) if every_type else asked
        )  # what is not asked first
        wrong = [of for of in ASKED_TYPES if not is_right(review.result(medium_id), of, labelled[of])]
        confirms = every_type or set(wrong) <= set(asked)
        for of_type in types:
            result = review.result(medium_id)
            if of_type not in wrong and confirms:
                continue
            steps = abs(ASKED_TYPES.index(of_type) - ASKED_TYPES.index(at))
            work = work.plus(Work(keys=min(steps, len(ASKED_TYPES) - steps)))
            work = work.plus(corrected(review, questions.question_about(result, of_type), labelled[of_type]))
            at = next((q.type for q in review.questions if q.medium_id == medium_id), at)
        left = [q for q in review.questions if q.medium_id == medium_id]
        if left or (every_type and not asked):
            review.answer(f"{medium_id}.{at}", "confirm_all")
            work = work.plus(Work(decisions=1, keys=1))
    return work


def key_to_picture(run: Path, width: int) -> list[float]:
    """Measure in a real browser, in seconds, from Enter to the next ad with its picture painted."""
    from bench.scrolling import _browser  # which needs selenium

    with open_review(run) as review, ReviewServer(review) as server, _browser() as browser:
        Thread(target=server.serve_forever, daemon=True).start()
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(server.address)
        browser.execute_async_script(
            "const done = arguments[0]; (function wait() {"
            "document.querySelector('.review-picture img')?.complete ? done() : setTimeout(wait, 50); })()"
        )
        ads = len({question.medium_id for question in review.questions})
        times = [browser.execute_async_script(_NEXT_PICTURE, "Enter") / 1000 for _ in range(ads - 1)]
        server.shutdown()
    return times


def print_clock(made: Path, folder: Path, labels: Labels) -> None:
    """Print what a review of a run asks of a person, and the time by the keystroke-level model."""
    waits = {}
    for width in (1440, 390):
        shutil.copytree(made, folder / f"browser{width}")
        waits[width] = key_to_picture(folder / f"browser{width}", width)
        middle, late = median(waits[width]), quantiles(waits[width], n=20)[-1]
        print(f"{width} px: {middle:.3f} s from Enter to the next picture, 19 of 20 within {late:.3f} s")
    for name, every_type, patience in (
        ("what is asked", False, float("inf")),
        (f"what is asked, {PATIENCE_S:.0f} s", False, PATIENCE_S),
        ("every type", True, float("inf")),
    ):
        run = folder / name
        shutil.copytree(made, run)
        with open_review(run) as review:
            ads, asked, before = len(review.results), len(review.questions), scores(review, labels)
            verdicts = [result.verdict for result in review.results]
            work = reviewed(review, labels, every_type=every_type, patience=patience)
            changed = sum(a != b.verdict for a, b in zip(verdicts, review.results, strict=True))
            print(f"{ads} ads, {asked} questions; {name}: {work}")
            print(f"  {work.seconds(median(waits[1440])) / 60:.1f} minutes; {changed} verdicts changed")
            print(f"  before  {before}\n  after   {scores(review, labels)}", flush=True)


def print_proposals(made: Path, folder: Path, labels: Labels) -> None:
    """Print how often a right proposal is among those of the open questions, with and without what is left out."""
    shutil.copytree(made, folder / "proposals")
    with open_review(folder / "proposals") as review:
        with patch.multiple(questions, _LEAST_CONFIDENCE=0.0, _MOST_UNSURE=questions.MOST_PROPOSALS):
            asked = [(result, q.type) for result in review.results for q in questions.ask(result)]
        for least, most in ((0.0, questions.MOST_PROPOSALS), (questions._LEAST_CONFIDENCE, questions._MOST_UNSURE)):
            with patch.multiple(questions, _LEAST_CONFIDENCE=least, _MOST_UNSURE=most):
                offered = [(labels[Path(r.path).name][of], questions.proposals(r, of), of) for r, of in asked]
            hits = sum(any(p.box.iou(b) >= LEAST_IOU for p in ps for b in boxes) for boxes, ps, _ in offered)
            unsure = sum(not is_area(p, of) for _, ps, of in offered for p in ps)
            print(
                f"from {least:.0%}, at most {most} unsure: right ones in {hits} of {len(asked)}, {unsure} unsure ones"
            )


def print_shares(made: Path, folder: Path, labels: Labels) -> None:
    """Print precision and recall before and after a share of the questions."""
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
        reviewed(review, labels, every_type=True)
        print(f"and corrected  {scores(review, labels)}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Analyze, review and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("images", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("brands", type=Path)
    parser.add_argument("--run", type=Path, help="keep the run here, and start from it where it is there")
    parser.add_argument("--clock", type=int, metavar="N", help="estimate the time for N of the designs")
    parser.add_argument("--proposals", action="store_true", help="print what is left out of the proposals")
    options = parser.parse_args(arguments)
    labels = read_labels(options.labels)
    if options.clock:
        labels = {name: labels[name] for name in sorted(random.Random(50).sample(list(labels), options.clock))}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_objectives(options.brands, labels, folder / "objectives.yaml")
        made = options.run or folder / "made"
        recipe = mn.Recipe(
            maps=("heat",) if options.clock else (),
            advice="none",
            objectives=folder / "objectives.yaml",
        )
        files = [options.images / name for name in labels if (options.images / name).is_file()]
        mn.analyze_folder(files, made, recipe, mn.Execution(workers=1, report="none"))
        if options.clock:
            print_clock(made, folder, labels)
        elif options.proposals:
            print_proposals(made, folder, labels)
        else:
            print_shares(made, folder, labels)


if __name__ == "__main__":
    main(sys.argv[1:])
