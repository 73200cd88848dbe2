"""Answer the questions of a run in a process of its own, which may die at any time."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mediaan as mn
from mediaan.review import open_review
from mediaan.run.answers import read_answers

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["answering", "mediaan.workflow.folder.analyze", "mediaan.report.write"])

WAYS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("headline_text", {"answer": "draw", "boxes": [[0.1, 0.1, 0.5, 0.2]]}),
    ("product", {"answer": "none"}),
    ("undo", {}),
    ("branding", {"answer": "brand_for_folder", "brand": "Acme", "boxes": [[0.7, 0.7, 0.2, 0.1]]}),
    ("product", {"answer": "draw", "boxes": [[0.3, 0.3, 0.2, 0.2], [0.6, 0.3, 0.2, 0.2]]}),
    ("call_to_action", {"answer": "confirm_all"}),
    ("undo", {}),
)
"""What is answered about each medium in turn."""


def answer_all(run: Path) -> None:
    """Answer what was not answered yet; the report of each answer comes after it is said to be kept."""
    media = sorted(mn.read_run(run).media.medium_id)
    script = [(medium_id, *way) for medium_id in media for way in WAYS]
    with open_review(run) as review:
        for medium_id, of_type, answer in script[len(read_answers(run)) :]:
            if of_type == "undo":
                review.undo()
            else:
                review.answer(f"{medium_id}.{of_type}", **answer)
            with run.with_suffix(".kept").open("a") as kept:
                kept.write(".")


def answer_in_process(run: Path, before: Callable[[], object] | None = None) -> int:
    """Return the exit code, less than zero where it was killed."""
    process = _CONTEXT.Process(target=_answer, args=(run, before))
    process.start()
    process.join()
    assert process.exitcode is not None
    return process.exitcode


def _answer(run: Path, before: Callable[[], object] | None) -> None:
    os.setsid()
    if before is not None:
        before()
    answer_all(run)
