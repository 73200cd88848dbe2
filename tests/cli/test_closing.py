"""What `mediaan analyze` says last: facts that the tables hold, next steps that can be taken, on a terminal only."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

MEDIAAN = str(Path(sys.executable).with_name("mediaan"))
ADS = Path(__file__).resolve().parents[1] / "sample_ads" / "ads"


def in_a_terminal(*arguments: str, cwd: Path) -> str:
    """What a command writes into a terminal of its own."""
    pty = pytest.importorskip("pty")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.execv(MEDIAAN, [MEDIAAN, *arguments])
    written = b""
    while True:
        try:
            block = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not block:
            break
        written += block
    os.close(terminal)
    os.waitpid(child, 0)
    return written.decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("closing")
    (folder / "ads").mkdir()
    for name in ("supermarket_flyer.jpg", "bank_infographic.png", "observatory_poster.jpg"):
        shutil.copy(ADS / name, folder / "ads")
    (folder / "ads" / "empty.png").touch()
    return folder


@pytest.fixture(scope="module")
def said(folder: Path) -> str:
    return in_a_terminal(
        "analyze", "ads", "--maps", "none", "--aois", "none", "--workers", "1", "--out", "run", cwd=folder
    )


def surely_outside(run: Path) -> dict[str, int]:
    """Media by score, proxies apart, whose whole interval is outside, from the tables alone."""
    ranges = pd.read_parquet(run / "tables" / "benchmark_ranges.parquet")
    metrics = pd.read_parquet(run / "tables" / "metrics.parquet")
    proxies = set(metrics.loc[metrics["basis"] == "proxy", "metric"])
    rows = ranges[(ranges["metric_time"] == "total") & ranges["aoi_id"].isna() & ~ranges["metric"].isin(proxies)]
    low = rows["target"].map(lambda target: "extreme_low" in target)
    high = rows["target"].map(lambda target: "extreme_high" in target)
    out = ((rows["hi"] < rows["lower"]) & ~low) | ((rows["lo"] > rows["upper"]) & ~high)
    return {str(name): int(n) for name, n in rows[out]["metric"].value_counts().items()}


def test_the_score_that_most_media_surely_miss(folder: Path, said: str) -> None:
    missed = surely_outside(folder / "run")
    found = re.search(
        r"^most often surely outside its recommended range: (.*), in (\d+) of 3 media$", said, re.MULTILINE
    )
    assert missed, "these ads are known to miss something"
    assert found
    name = found[1].lower().replace(" ", "_")
    assert missed[name] == int(found[2]) == max(missed.values())
    assert f"mediaan explain {name}\n" in said


def test_next_steps_can_be_taken(folder: Path, said: str) -> None:
    steps = said.partition("\nnext\n")[2]
    page = re.search(r"^  open (.*)$", steps, re.MULTILINE)
    assert page
    assert (folder / page[1]).is_file()
    commands = re.findall(r"^  mediaan (explain \w+)$", steps, re.MULTILINE)
    assert "explain empty_file" in commands, "what failed comes first"
    for command in commands:
        done = subprocess.run([MEDIAAN, *command.split()], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


def test_scripts_get_none_of_it(folder: Path, said: str) -> None:
    assert "\nnext\n" in said
    command = [MEDIAAN, "analyze", "ads", "--maps", "none", "--aois", "none", "--workers", "1", "--out", "run"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 3
    assert "next" not in done.stdout
    assert "report: run/report/index.html\n" in done.stdout
