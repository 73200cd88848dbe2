"""Every command in README runs as printed, one after the other, in a folder with the files that it names."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
ADS = ROOT / "tests" / "sample_ads" / "ads"
MEDIAAN = Path(sys.executable).with_name("mediaan")
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    re.split(r"\s+# ", line.strip())[0]
    for line in re.findall(r"^    +(\S.*)$", re.sub(r"```.*?```", "", README, flags=re.S), re.M)
]
NOT_RUN = {
    "make check": "runs the tests, of which this is one",
    "pip install": "needs a package index; tests/packaging installs what is built",
    "models/training/accuracy.py": "needs the data, and counts how often held-out images are scored",
}
RUN = [line for line in COMMANDS if not any(part in line for part in NOT_RUN) or "mediaan analyze" in line]
INSTALLED = "python3 -m venv .venv && .venv/bin/pip install --quiet . && .venv/bin/"
ELSEWHERE = {
    INSTALLED: "",
    " /shared/": " shared/",
    " --ray-address 10.0.0.1:6379": "",  # a cluster of this machine instead
}
EXIT_CODES = {"mediaan check": (0, 4), "mediaan doctor": (0, 1)}  # a rule may fail; a machine may lack something
LONG_SIDE = 360


def shrink(name: str, path: Path, crop: int = 0) -> None:
    """Save a sample ad, small: the commands are tested here, not what they find."""
    image = Image.open(ADS / name).convert("RGB")
    image = image.crop((crop, crop, image.width, image.height))
    image.thumbnail((LONG_SIDE, LONG_SIDE))
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)


def write_gaze(folder: Path, kind: str, names: list[str], **columns: float) -> None:
    """Write fixations of ten viewers, about the middle."""
    random, rows = np.random.default_rng(0), []
    for name in names:
        for viewer in range(10):
            for i, (x, y) in enumerate(random.normal(0.5, 0.12, (12, 2)).clip(0.01, 0.99).tolist()):
                time_s = {"t_s": i * 0.25} if kind == "video" else {"onset_s": i * 0.25, "duration_s": 0.2}
                rows.append({kind: name, "viewer": viewer, "x": x, "y": y, **time_s})
    pd.DataFrame(rows).to_parquet(folder / "fixations.parquet")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder: the clone's sample ads, and the ads, runs and eye tracking that README speaks of."""
    home = tmp_path_factory.mktemp("home")
    for part in ("ads", "videos"):
        shutil.copytree(ROOT / "tests" / "sample_ads" / part, home / "tests" / "sample_ads" / part)
    shrink("museum_story.jpg", home / "ads" / "story.png")
    shrink("cat_food_feed.jpg", home / "ads" / "a.png")
    shrink("serum_square.jpg", home / "ads" / "b.png")
    shutil.copytree(home / "ads", home / "shared" / "ads")
    shutil.copy(home / "ads" / "a.png", home / "ad.png")
    shutil.copy(ROOT / "tests" / "sample_ads" / "videos" / "coffee_spot.mp4", home / "spot.mp4")
    names = sorted(path.name for path in ADS.iterdir())
    for name in names:
        shrink(name, home / "last_year" / f"{Path(name).stem}.png", crop=8)
    rows = [(f"{Path(name).stem}.png", "instagram" if i % 2 else "web", "") for i, name in enumerate(names)]
    rows += [("story.png", "instagram", "spring"), ("a.png", "web", "spring"), ("b.png", "web", "autumn")]
    pd.DataFrame(rows, columns=["file", "platform", "campaign"]).to_csv(home / "media.csv", index=False)
    for month, name in (
        ("jan", "spa_low_contrast.jpg"),
        ("feb", "app_screenshot.png"),
        ("mar", "rocket_skyscraper.jpg"),
    ):
        shrink(name, home / "months" / month / f"{month}.png")
        subprocess.run([MEDIAAN, "analyze", f"months/{month}", "--out", month, "-q"], cwd=home, check=True)
    for folder in (home / "DATA" / "gaze" / "osie", home / "study"):
        for i, name in enumerate(names):
            shrink(name, folder / "images" / f"p{i}.png")
        write_gaze(folder, "image", [f"p{i}" for i in range(len(names))])
    (home / "SET" / "videos").mkdir(parents=True)
    shutil.copy(home / "spot.mp4", home / "SET" / "videos" / "spot.mp4")
    write_gaze(home / "SET", "video", ["spot"])
    shutil.copytree(home / "ads", home / "PICTURES")
    (home / "LABELS").write_text('{"a.png": [{"type": "face", "box": [0.4, 0.1, 0.8, 0.9]}]}')
    (home / "Downloads").mkdir()
    (home / "Downloads" / "areas.json").write_text('{"a.png": [{"type": "branding", "box": [0.05, 0.12, 0.24, 0.2]}]}')
    return home


@pytest.fixture(scope="module")
def environment(home: Path) -> Iterator[dict[str, str]]:
    """The user's environment, with a store that has the ads in a bucket."""
    from storage.s3_server import ACCESS_KEY, SECRET_KEY, start_server

    server = start_server()
    server.client.create_bucket(Bucket="bucket")
    for path in (home / "ads").iterdir():
        server.client.upload_file(str(path), "bucket", f"ads/{path.name}")
    yield os.environ | {
        "PATH": f"{MEDIAAN.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "AWS_ENDPOINT_URL": server.endpoint,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    server.process.kill()
    server.process.wait()


@pytest.fixture(scope="module")
def servers() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Servers that were started; they are stopped afterwards."""
    found: list[subprocess.Popen[bytes]] = []
    yield found
    for process in found:
        process.send_signal(signal.SIGINT)
        process.wait()


@pytest.fixture(scope="module")
def mapped() -> dict[str, str]:
    """What stands in README for something else here."""
    return dict(ELSEWHERE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_serving(line: str, home: Path, environment: dict[str, str]) -> tuple[subprocess.Popen[bytes], int]:
    """Start the server as printed, but on a free port."""
    port = free_port()
    with (home / "server.log").open("w") as log:
        command = [*line.split(), "--port", str(port)]
        process = subprocess.Popen(command, cwd=home, env=environment, stdout=log, stderr=log)
    for _ in range(600):
        assert process.poll() is None, (home / "server.log").read_text()
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return process, port
    raise AssertionError("the server did not start")


def test_no_command_is_passed_over() -> None:
    assert len(RUN) >= 27
    assert [line for line in RUN if "mediaan trend" in line]
    for part in NOT_RUN:
        assert any(part in line for line in COMMANDS), f"{part} is no longer there"


@pytest.mark.full
@pytest.mark.parametrize("line", RUN)
def test_a_command_runs_as_printed(
    line: str, home: Path, environment: dict[str, str], servers: list[subprocess.Popen[bytes]], mapped: dict[str, str]
) -> None:
    if line == "mediaan serve":
        process, port = start_serving(line, home, environment)
        servers.append(process)
        mapped["127.0.0.1:8000"] = f"127.0.0.1:{port}"
        return
    if line.startswith("mediaan review"):
        process, _ = start_serving(line, home, environment | {"BROWSER": "true"})
        while "Ctrl-C" not in (home / "server.log").read_text():
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0, (home / "server.log").read_text()
        return
    for printed, here in mapped.items():
        line = line.replace(printed, here)
    shell = ["bash", "-euo", "pipefail", "-c", line.replace("curl ", "curl --silent --show-error --fail ")]
    done = subprocess.run(shell, cwd=home, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    allowed = next((codes for command, codes in EXIT_CODES.items() if line.startswith(command)), (0,))
    assert done.returncode in allowed, f"{line}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    if "keys create" in line:
        mapped["mdn_..."] = done.stdout.split()[-1]


@pytest.mark.full
def test_the_python_runs_as_printed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a run that an earlier command has left."""
    monkeypatch.chdir(home)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    exec(code, {"rgb": np.zeros((60, 80, 3), np.uint8)})  # the block itself is what is tested
