"""What an image costs, pass by pass: ``python -m bench.passes --ads FOLDER``; CPU of one thread."""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import cv2

from mediaan.analysis import load_models
from mediaan.media import open_image
from mediaan.metrics import DRIVER_VIEW, measure_drivers, score_all

Made = TypeVar("Made")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ads", type=Path, required=True, help="folder of images")
    parser.add_argument("--count", type=int, default=40)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    models = load_models("attention", "cpu", 1)
    seconds: dict[str, list[float]] = defaultdict(list)

    def timed(name: str, compute: Callable[[], Made]) -> Made:
        began = time.process_time()
        made = compute()
        seconds[name].append(time.process_time() - began)
        return made

    paths = sorted(options.ads.glob("*.jpg"))
    for number, path in enumerate([paths[0], *paths[:: max(1, len(paths) // options.count)][: options.count]]):
        if number == 1:  # models are loaded and warm
            seconds.clear()
        views = timed("open", lambda path=path: open_image(path, [DRIVER_VIEW, models.still.view]).chunks[0].views)
        small, shown = views[DRIVER_VIEW.name][0], views[models.still.view.name]
        densities = timed("attention", lambda shown=shown: models.still.predict(shown)[0])
        appearance = timed("features", lambda small=small: models.appearance.read(small))
        drivers = timed("drivers", lambda small=small, appearance=appearance: measure_drivers(small, appearance))
        timed("scores", lambda drivers=drivers, densities=densities: score_all(drivers, densities))
    for name, values in seconds.items():
        print(f"{name}: {1000 * statistics.median(values):.0f} ms")


if __name__ == "__main__":
    main()
