"""What an image costs, pass by pass, and what other features of it would do: ``python -m bench.passes --ads FOLDER``.

CPU of one thread. The encoder's features, from which text, faces and opinions are estimated, come of a pass of their
own at the area of video frames. The first look of the attention model computes the same features at a larger area; how
far scores would move with these, if nothing were fitted again, is printed too.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

import cv2
import numpy as np

from mediaan.analysis import load_models
from mediaan.media import open_image
from mediaan.metrics import DRIVER_VIEW, measure_drivers, score_all

Made = TypeVar("Made")
LOOK_PIXELS = 196_608
"""Area of the attention model's first look, px²."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ads", type=Path, required=True, help="folder of images")
    parser.add_argument("--count", type=int, default=40)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    models = load_models("attention", "cpu", 1)
    seconds: dict[str, list[float]] = defaultdict(list)
    moved: dict[str, list[float]] = defaultdict(list)

    def timed(name: str, compute: Callable[[], Made]) -> Made:
        began = time.process_time()
        made = compute()
        seconds[name].append(time.process_time() - began)
        return made

    paths = sorted(options.ads.glob("*.jpg"))
    for number, path in enumerate([paths[0], *paths[:: max(1, len(paths) // options.count)][: options.count]]):
        if number == 1:  # models are loaded and warm
            seconds.clear()
            moved.clear()
        views = open_image(path, [DRIVER_VIEW, models.still.view]).chunks[0].views
        small, shown = views[DRIVER_VIEW.name][0], views[models.still.view.name]
        densities = timed("attention", lambda shown=shown: models.still.predict(shown)[0])
        appearance = timed("features", lambda small=small: models.appearance.read(small))
        with patch("mediaan.vision.appearance.ENCODER_PIXELS", LOOK_PIXELS):
            larger = timed("features of the first look", lambda small=small: models.appearance.read(small))
        drivers = timed("drivers", lambda small=small, appearance=appearance: measure_drivers(small, appearance))
        others = score_all(measure_drivers(small, larger), densities)
        for score, other in zip(score_all(drivers, densities), others, strict=True):
            if score.unit == "score" and score.value is not None and other.value is not None:
                moved[score.metric].append(other.value - score.value)
    for name, values in seconds.items():
        print(f"{name}: {1000 * statistics.median(values):.0f} ms")
    for metric, points in moved.items():
        low, high = np.mean(points), np.quantile(np.abs(points), 0.9)
        print(f"{metric} with features of the first look: {low:+.1f} points, nine in ten within {high:.1f}")


if __name__ == "__main__":
    main()
