"""Measure how well lines of text in designs are read: ``python -m bench.reading DATA/ads/images``.

The lines of models/training/labels/lines.csv were transcribed by eye. Those of the sides train and dev are for
choosing; the side check is held out.
"""

from __future__ import annotations

import argparse
import csv
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
from rapidfuzz.distance import LCSseq, Levenshtein

from mediaan.types.aoi import Box
from mediaan.vision.text.reader import TextReader

LINES = Path(__file__).resolve().parents[1] / "models" / "training" / "labels" / "lines.csv"
SAME_LINE = 0.5
"""IoU from which on a line in the image is the transcribed one."""

SIDES = {"choosing": ("train", "dev"), "check": ("check",)}
_TYPED = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "•": "·", "…": "..."})


@dataclass
class Score:
    """Counts over lines."""

    lines: int = 0
    missed: int = 0
    unread: int = 0
    letters: int = 0
    edits: int = 0
    words: dict[str, int] = field(default_factory=Counter)
    right: dict[str, int] = field(default_factory=Counter)
    kinds: dict[str, int] = field(default_factory=Counter)
    strange: dict[str, int] = field(default_factory=Counter)
    given_text: dict[str, int] = field(default_factory=Counter)
    wrong: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, image: str, truth: str, reading: str | None) -> None:
        """Count a line; None is one that was not read."""
        self.lines += 1
        self.unread += reading is None
        truth, reading = typed(truth), typed(reading or "")
        self.letters += len(truth)
        for name, words in (
            ("as printed", (truth.split(), reading.split())),
            ("without punctuation", (bare_words(truth), bare_words(reading))),
        ):
            self.words[name] += len(words[0])
            self.right[name] += LCSseq.similarity(*words)
        kinds = list(error_kinds(truth, reading))
        self.edits += len(kinds)
        self.kinds.update(kinds)
        if kinds:
            self.wrong.append((image, truth, reading))


def typed(text: str) -> str:
    """Write quotes, dashes and dots as they are typed, blanks as one."""
    return " ".join(unicodedata.normalize("NFC", text.translate(_TYPED)).split())


def bare_words(text: str) -> list[str]:
    """Split a text into words of letters and digits."""
    return "".join(letter if letter.isalnum() else " " for letter in text).split()


def error_kinds(truth: str, reading: str) -> Iterator[str]:
    """Name each edit that turns the truth into the reading."""
    for edit, i, j in Levenshtein.editops(truth, reading):
        a = truth[i] if edit != "insert" else ""
        b = reading[j] if edit != "delete" else ""
        if a == " " and not b:
            yield "missing space"
        elif b == " ":
            yield "extra space"
        elif a and b and a.casefold() == b.casefold():
            yield "capital or small"
        elif a and b and unicodedata.normalize("NFD", a)[0] == unicodedata.normalize("NFD", b)[0]:
            yield "accent"
        elif b.isalpha() and _script(b) != _script(a or "a"):
            yield "script"
        elif not (a + b).isalnum():
            yield "punctuation"
        else:
            yield {"insert": "extra letter", "delete": "missing letter", "replace": "wrong letter"}[edit]


def _script(letter: str) -> str:
    return unicodedata.name(letter, "LATIN").split()[0] if letter.isalpha() else "LATIN"


def measure(images: Path, sides: Iterable[str], reader: TextReader) -> Score:
    """Read the images of these sides, and compare."""
    score = Score()
    by_image: dict[str, list[dict[str, str]]] = {}
    with LINES.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["side"] in sides:
                by_image.setdefault(row["image"], []).append(row)
    for name, rows in by_image.items():
        bgr = cv2.imread(str(images / name))
        if bgr is None:
            raise SystemExit(f"{images / name} cannot be read; give the folder with the images of the ads")
        lines = reader.read(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB))
        for row in rows:
            box = Box(*(float(row[side]) for side in ("x0", "y0", "x1", "y1")))
            line = max(lines, key=lambda line: line.box.iou(box), default=None)
            if line is not None and line.box.iou(box) < SAME_LINE:
                line = None
            if row["text"]:
                score.missed += line is None
                score.add(name, row["text"], line.text if line else None)
            else:
                kind = "other script" if row["script"] else "illegible or no text"
                score.strange[kind] += 1
                score.given_text[kind] += line is not None and line.text is not None
    return score


def report(title: str, score: Score) -> list[str]:
    """Format a score."""
    lines = [f"{title}: {score.lines} lines, {score.missed} left out or found elsewhere, {score.unread} without text"]
    lines.append(f"  character error rate {score.edits / score.letters:.4f} ({score.letters} characters)")
    for name, count in score.words.items():
        right = score.right[name]
        lines.append(f"  words right, {name}: {right / count:.4f} ({count - right} of {count} wrong)")
    lines.append("  errors: " + ", ".join(f"{kind} {count}" for kind, count in score.kinds.most_common()))  # type: ignore[attr-defined]
    for kind, count in score.strange.items():
        lines.append(f"  {kind}: {score.given_text[kind]} of {count} lines got a text")
    return lines


def main() -> None:
    """Score the sides that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("images", type=Path, help="folder of the images")
    parser.add_argument("--side", choices=SIDES, nargs="+", default=list(SIDES))
    parser.add_argument("--wrong", action="store_true", help="print lines that are read wrongly")
    args = parser.parse_args()
    reader = TextReader(threads=1)
    for side in args.side:
        score = measure(args.images, SIDES[side], reader)
        print("\n".join(report(side, score)), flush=True)
        if args.wrong:
            for image, truth, reading in score.wrong:
                print(f"  {image}: {truth!r} read as {reading!r}")


if __name__ == "__main__":
    main()
