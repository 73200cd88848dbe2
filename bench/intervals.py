"""What intervals cost a picture: ``python -m bench.intervals``.

CPU seconds of analyses in one process with one thread, with the maps that `analyze` draws by default and with none,
with intervals and without in turn on the same pictures, models loaded and warm. The target is a ratio of at most 2.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from bench.pictures import pictures
from mediaan.maps import default_map_names

TARGET = 2.0
"""Most that `--intervals full` may cost of what `--intervals none` does."""


def seconds_of(paths: list[Path], maps: tuple[str, ...]) -> list[tuple[float, float]]:
    """CPU seconds of each picture with intervals and without."""
    from mediaan.analysis import Plan, analyze_file, load_models

    models = load_models("attention", "cpu", 1)
    plans = {
        full: Plan(device="cpu", threads=1, maps=maps, intervals="full" if full else "none") for full in (True, False)
    }

    def seconds(path: Path, intervals: bool) -> float:
        began = time.process_time()
        analyze_file(path, plans[intervals], models)
        return time.process_time() - began

    for intervals in plans:
        seconds(paths[0], intervals)
    return [(seconds(path, True), seconds(path, False)) for path in paths]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=40, help="how many of the bench's pictures, of 2 to 12 MP")
    paths = list(pictures(parser.parse_args().pictures))
    for called, maps in (("all maps", default_map_names()), ("no maps", ())):
        full, none = (statistics.mean(column) for column in zip(*seconds_of(paths, maps), strict=True))
        print(
            f"{called}: --intervals full {1000 * full:.0f} ms, none {1000 * none:.0f} ms of CPU a picture, "
            f"{full / none:.2f} x (target at most {TARGET:.0f} x)"
        )


if __name__ == "__main__":
    main()
