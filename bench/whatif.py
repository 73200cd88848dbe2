"""How often the interval of a change holds a view that it has not seen: ``python -m bench.whatif PICTURES``.

In each picture areas are found, and each kind of edit is carried out on one of them. The change is then measured again
in three views of both pictures that are as mild as those behind the interval, but none of them: smaller, mirrored and
cropped, and blurred. Printed are the share of these that lie inside the 90 % interval, how often a change is told, and
what it costs.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from mediaan.analysis.augmentation import Augmentation
from mediaan.analysis.differences import score_augmented
from mediaan.errors import UsageError
from mediaan.media import find_files
from mediaan.studies.whatif.workflow import EditableImage, apply_edits, open_editable
from mediaan.types.aoi import Aoi
from mediaan.types.edits import Action, Edit, WhatIf

UNSEEN = (
    Augmentation("smaller", scale=0.85),
    Augmentation("mirrored, cropped by 3 % on the left and below", mirrored=True, crop=(0.03, 0.0, 0.0, 0.03)),
    Augmentation("blurred", blur=0.0009),
)
ACTIONS: tuple[Action, ...] = ("remove", "scale", "move", "grey", "blur")
_AOI_METRICS = ("attention", "percentage_seen", "time_spent")


def an_edit(action: Action, aoi: Aoi) -> Edit:
    """One of middling size."""
    x, y = aoi.box.centre
    extra = {"scale": {"factor": 1.4}, "move": {"to": (x, min(1.0, y + 0.2))}}.get(action, {})
    return Edit(action, str(aoi.aoi_id), **extra)


def held(canvas: EditableImage, result: WhatIf) -> dict[str, list[bool]]:
    """Of each metric, whether each unseen change lies in its interval."""
    pictures = result.pictures["before"], result.pictures["after"]
    aois = result.aois, result.aois_after
    before, after = (
        score_augmented(rgb, canvas.medium, areas, canvas.plan, canvas.models, UNSEEN)
        for rgb, areas in zip(pictures, aois, strict=True)
    )
    found: dict[str, list[bool]] = defaultdict(list)
    for change in result.changes:
        key = (change.aoi_id, change.metric, change.time)
        own, area = change.aoi_id is None, change.metric in _AOI_METRICS and change.time == "total"
        if change.lo is None or change.hi is None or not (own or area):
            continue
        for first, then in zip(before.views[1:], after.views[1:], strict=True):
            if key in then and first[key].value is not None and then[key].value is not None:
                difference = then[key].value - first[key].value
                found[change.metric].append(change.lo <= difference <= change.hi)
    return found


def main() -> None:
    """Edit, compare, look again, print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("pictures", type=Path)
    arguments.add_argument("--count", type=int, default=20)
    options = arguments.parse_args()
    files = [found.path for found in find_files([options.pictures]).files]
    chance = np.random.default_rng(0)
    chosen = sorted(chance.choice(len(files), min(options.count, len(files)), replace=False))
    inside: dict[str, list[bool]] = defaultdict(list)
    told: dict[str, list[bool]] = defaultdict(list)
    seconds: list[float] = []
    for number, which in enumerate(chosen):
        canvas = open_editable(files[which])
        if not canvas.aois:
            continue
        action = ACTIONS[number % len(ACTIONS)]
        began = time.process_time()
        try:
            result = apply_edits(canvas, [an_edit(action, canvas.ranked()[chance.integers(len(canvas.aois))])])
        except UsageError:  # larger than the picture
            continue
        seconds.append(time.process_time() - began)
        for metric, values in held(canvas, result).items():
            inside[metric] += values
        for change in result.changes:
            if change.aoi_id is None and change.lo is not None:
                told[change.metric].append(change.verdict in ("rises", "falls"))
    print(f"{len(seconds)} pictures, one edit each; {np.mean(seconds):.1f} s of CPU time for edit and comparison")
    for metric, values in inside.items():
        share = f", a change told in {100 * np.mean(told[metric]):.0f} %" if metric in told else ""
        print(f"{metric}: {100 * np.mean(values):.0f} % of {len(values)} unseen changes inside{share}")


if __name__ == "__main__":
    main()
