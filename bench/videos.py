"""Measure ``mediaan analyze`` on 1080p videos, beside decoding alone: ``python -m bench.videos``."""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from bench import MEDIAAN
from bench.clips import CODECS, clip
from bench.memory import run_measured

FPS = 5.0
TARGET_RATIO, TARGET_RATIO_NEWER, TARGET_SPEED, TARGET_FAST, TARGET_GROWTH, TARGET_MIB = 1.3, 1.6, 4.0, 20.0, 1.2, 600.0


@dataclass(frozen=True)
class Cost:
    """What a command took."""

    wall_s: float
    cpu_s: float
    peak_mib: float


@dataclass(frozen=True)
class Row:
    """One codec: medians over the repeats, alternating."""

    codec: str
    seconds: int
    mbit_per_s: float
    decode: Cost
    decode_skipping: Cost
    analysis: Cost
    fast: Cost

    @property
    def ratio(self) -> float:
        """CPU time of the whole command, start-up included, over that of decoding."""
        return self.analysis.cpu_s / self.decode.cpu_s


def cost(command: Sequence[str]) -> Cost:
    """Run a command and measure it with all its children."""
    with tempfile.NamedTemporaryFile(suffix=".log") as log:
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        status, peak = run_measured(list(command), Path(log.name))
        wall_s, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        if status:
            raise SystemExit(f"{' '.join(command)} ended with {status}:\n{Path(log.name).read_text()[-2000:]}")
    return Cost(wall_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak.mib)


def analysis(path: Path, aois: str, *options: str) -> Cost:
    """Run the command as a user would, all default maps and the report included."""
    out = Path(tempfile.mkdtemp())
    try:
        command = [str(MEDIAAN), "analyze", str(path), "--out", str(out / "run"), "--aois", aois, "--quiet"]
        return cost([*command, *options])
    finally:
        shutil.rmtree(out)


def decoding(path: Path, *options: str) -> Cost:
    """Measure the floor, in a process of its own."""
    return cost([sys.executable, "-m", "bench.decode", str(path), str(FPS), *options])


def row(codec: str, seconds: int, repeats: int, aois: str = "none") -> Row:
    """Floor, floor that skips, analysis, fast analysis, and again."""
    path = clip(codec, seconds)
    kinds = [
        lambda: decoding(path),
        lambda: decoding(path, "skip"),
        lambda: analysis(path, aois),
        lambda: analysis(path, aois, "--fast"),
    ]
    turns = [[kind() for kind in kinds] for _ in range(repeats)]
    middle = [
        Cost(*(median(getattr(turn[i], key) for turn in turns) for key in ("wall_s", "cpu_s", "peak_mib")))
        for i in range(len(kinds))
    ]
    return Row(codec, seconds, path.stat().st_size * 8e-6 / seconds, *middle)


def growth(seconds: Sequence[int]) -> list[tuple[int, float]]:
    """Peak memory, MiB, of clips of several lengths."""
    return [(length, analysis(clip("h264", length), "none").peak_mib) for length in seconds]


def report(rows: Sequence[Row], peaks: Sequence[tuple[int, float]]) -> str:
    """Format the measurement as a page of text."""
    lines = ["1080p30, 5 samples a second, all default maps and the report; start-up included", ""]
    lines += ["codec  Mbit/s  decode alone  (skipping)  analysis   CPU ratio  fast"]
    lines += ["               seconds of video per second of wall time"]
    for r in rows:
        speeds = [r.seconds / c.wall_s for c in (r.decode, r.decode_skipping, r.analysis, r.fast)]
        lines.append(
            f"{r.codec:<6} {r.mbit_per_s:6.1f}  {speeds[0]:12.1f}  {speeds[1]:10.1f}  {speeds[2]:8.1f}   "
            f"{r.ratio:9.2f}  {speeds[3]:4.0f}"
        )
    lines += [
        f"targets: analysis > {TARGET_SPEED:g}, CPU ratio of h264 and hevc <= {TARGET_RATIO:g}, "
        f"of vp9 and av1 <= {TARGET_RATIO_NEWER:g}, fast > {TARGET_FAST:g}",
        "",
    ]
    for length, mib in peaks:
        lines.append(f"peak memory, {length:>4} s of h264: {mib:.0f} MiB")
    if len(peaks) > 1:
        lines.append(
            f"growth {peaks[-1][1] / peaks[0][1]:.2f} (target <= {TARGET_GROWTH:g}; and under {TARGET_MIB:g} MiB)"
        )
    return "\n".join(lines)


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.videos", description=__doc__)
    parser.add_argument("--codecs", nargs="+", choices=list(CODECS), default=list(CODECS))
    parser.add_argument("--seconds", type=int, default=120, metavar="S", help="length of the clips, a multiple of 30")
    parser.add_argument("--aois", choices=["none", "text", "objects", "all"], default="none", help="areas to detect")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    parser.add_argument("--long", type=int, default=600, metavar="S", help="length of the clip for memory; 0 for none")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    options = parser.parse_args()
    print("making the clips (the first time only) ...", file=sys.stderr)
    rows = []
    for codec in options.codecs:
        rows.append(row(codec, options.seconds, options.repeats, options.aois))
        print(report(rows, []), file=sys.stderr)  # a long bench that is cut off leaves what it has
    peaks = growth([30, options.long]) if options.long else []
    if options.json:
        print(json.dumps({"rows": [asdict(r) | {"ratio": r.ratio} for r in rows], "peaks_mib": peaks}))
    else:
        print(report(rows, peaks))


if __name__ == "__main__":
    main()
