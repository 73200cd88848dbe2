"""The real command: exit codes, streams, and what it leaves behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from commands import mediaan_command
from PIL import Image

import mediaan
from mediaan.saliency import list_cards
from mediaan.saliency.onnx.registry import all_cards

MEDIAAN = Path(sys.executable).with_name("mediaan")
PRIOR = ("--model", "centre-prior", "--aois", "none")
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "MEDIAAN_MODELS"}


def write_pictures(folder: Path, count: int, size: int = 64) -> Path:
    folder.mkdir()
    rng = np.random.default_rng(1)
    for k in range(count):
        Image.fromarray(rng.integers(0, 256, (size, size, 3)).astype(np.uint8)).save(folder / f"{k:02}.png")
    return folder


@pytest.fixture
def ads(tmp_path: Path) -> Path:
    return write_pictures(tmp_path / "ads", 2)


@pytest.fixture
def broken(ads: Path) -> Path:
    (ads / "broken.jpg").write_text("no picture")
    return ads


def test_what_was_left_out_is_named_with_what_to_do(ads: Path, tmp_path: Path) -> None:
    (ads / "flyer.pdf").write_bytes(b"%PDF-1.7")
    for name in ("a.txt", "b.txt", "c.txt", "d.txt"):
        (ads / name).write_text("notes")
    Image.new("RGB", (64, 64)).save(tmp_path / "outside.png")
    (ads / "linked.png").symlink_to(tmp_path / "outside.png")
    (ads / "gone").symlink_to(tmp_path / "nowhere")
    done = mediaan_command("analyze", ads, *PRIOR, "--out", "run", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].startswith("2 files analyzed, 7 left out in ")
    assert done.stderr.splitlines() == [
        f"left out: a link that leads out of the folder (1): {ads / 'linked.png'}; --follow-links follows it",
        f"left out: a link that leads nowhere (1): {ads / 'gone'}; remove it, or put back what it leads to",
        f"left out: PDF (1): {ads / 'flyer.pdf'}; export its pages as PNG",
        f"left out: neither an image nor a video (4): {ads / 'a.txt'}, {ads / 'b.txt'}, {ads / 'c.txt'} and 1 more",
    ]
    quiet = mediaan_command("analyze", ads, *PRIOR, "--out", "quiet", "--quiet", cwd=tmp_path)
    assert (quiet.stdout, quiet.stderr) == ("", "")


def test_some_failed(broken: Path, tmp_path: Path) -> None:
    done = mediaan_command("analyze", broken, *PRIOR, "--out", "run", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout.startswith("2 files analyzed, 1 failed in ")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("failed: broken.jpg: ")
    assert (tmp_path / "run" / "report" / "index.html").is_file()


def test_json_lines_are_all_that_is_on_stdout(broken: Path, tmp_path: Path) -> None:
    done = mediaan_command("analyze", broken, *PRIOR, "--out", "run", "--json", cwd=tmp_path)
    assert done.returncode == 3
    outcomes = {outcome["name"]: outcome for outcome in map(json.loads, done.stdout.splitlines())}
    assert set(outcomes) == {"00.png", "01.png", "broken.jpg"}
    assert outcomes["00.png"]["metrics"]["focus"]["unit"] == "score"
    assert outcomes["broken.jpg"]["error_code"] == "not_a_picture"
    assert done.stderr.startswith("failed: broken.jpg: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ads", "--maps", "haet"), "did you mean 'heat'?"),
        (("ads", "--model", "centre-prio"), "did you mean 'centre-prior'?"),
        (("ads", "--model", ""), "model: "),
        (("absent",), "cannot find absent"),
        ((), "PATH"),
        (("ads", "--limit", "0"), "--limit"),
        (("ads", "--workers", "none"), "--workers"),
        (("ads", "--max-megapixels", "inf", *PRIOR), "max_megapixels"),
        (("ads", "--device", "tpu"), "--device"),
        (("ads", "--modle", "x"), "--model"),
        (("ads", "--out", "ads", *PRIOR), "holds other files, but no run of mediaan"),
        (("ads", "--objectives", "absent.yaml", *PRIOR), "absent.yaml"),
        (("empty", *PRIOR), "found no images or videos in empty"),
    ],
)
def test_requests_that_cannot_be(ads: Path, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "empty").mkdir()
    done = mediaan_command("analyze", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ads", "empty"], "nothing was done"


def test_a_bad_objectives_file_names_line_and_key(ads: Path, tmp_path: Path) -> None:
    (tmp_path / "goals.yaml").write_text("defaults:\n  purpose: conversoin\n")
    done = mediaan_command("analyze", ads, *PRIOR, "--objectives", "goals.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "goals.yaml" in done.stderr
    assert "line 2, defaults.purpose" in done.stderr
    assert "did you mean 'conversion'?" in done.stderr


def test_what_the_machine_lacks(ads: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / "manifest.toml").write_text(f'[gone]\nfile = "gone.onnx"\nsha256 = "{"0" * 64}"\npixels = 9\n')
    arguments = ("analyze", ads, "--model", "gone", "--out", "run")
    done = mediaan_command(*arguments, cwd=tmp_path, MEDIAAN_MODELS=str(models))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("mediaan: model gone: ")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a POSIX signal")
@pytest.mark.parametrize("moment", ["unfinished.json", "maps/*/original.jpg"], ids=["workers start", "work"])
def test_an_interrupt(tmp_path: Path, moment: str) -> None:
    """Ctrl-C reaches the whole group of processes: one line on stderr, nothing half-written, and it can go on."""
    ads, out = write_pictures(tmp_path / "ads", 60, size=300), tmp_path / "run"
    command = [str(MEDIAAN), "analyze", str(ads), *PRIOR, "--maps", "heat", "--out", str(out)]
    command += ["--executor", "processes", "--workers", "2"]
    process = subprocess.Popen(
        command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while not any(out.glob(moment)):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stdout == ""
    said = r"interrupted: (\d+ files are done and|1 file is done and|what was done is) kept; run the same command"
    assert re.match(said, stderr.strip())
    assert not (out / "run.json").exists()
    assert not (out / "tables").exists()
    assert not list(out.rglob("*.part"))
    again = mediaan_command("analyze", ads, *PRIOR, "--maps", "heat", "--out", out, "--limit", "2", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (out / "run.json").is_file()


def test_the_package_is_the_command(tmp_path: Path) -> None:
    """For environments whose scripts are not on the path; workers start from it too."""
    ads = tmp_path / "ads"
    ads.mkdir()
    for name in ("one.png", "two.png"):
        Image.new("RGB", (64, 48), "white" if name == "one.png" else "black").save(ads / name)
    asked = ("analyze", "ads", "--executor", "processes", "--workers", "2", "--maps", "none")
    asked += ("--aois", "none")
    ran = subprocess.run(
        [sys.executable, "-m", "mediaan", *asked], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "2 files analyzed" in ran.stdout


def test_models_list(tmp_path: Path) -> None:
    done = mediaan_command("models", "list", cwd=tmp_path)
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(all_cards())
    listed = json.loads(mediaan_command("models", "list", "--json", cwd=tmp_path).stdout)
    assert [entry["name"] for entry in listed] == list(all_cards())


def test_models_verify_those_that_ship(tmp_path: Path) -> None:
    done = mediaan_command("models", "verify", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == list(all_cards())


def test_doctor(tmp_path: Path) -> None:
    done = mediaan_command("doctor", "--json", cwd=tmp_path)
    facts = json.loads(done.stdout)
    assert done.stderr == ""
    assert set(facts) == {"machine", "devices", "formats", "models", "versions"}
    assert facts["versions"]["mediaan"] == mediaan.__version__
    assert facts["versions"]["numpy"] == np.__version__
    assert facts["models"] == dict.fromkeys([*all_cards(), "text (PP-OCR)"], "ok")
    with_weights = any(card.file for card in list_cards().values())
    assert (done.returncode, facts["devices"]["cpu"] == "ok") == (0 if with_weights else 1, with_weights)
    assert facts["devices"]["cuda"].startswith(("ok", "no: found no NVIDIA GPU", "unknown: "))
    assert "numpy" in mediaan_command("doctor", cwd=tmp_path).stdout


def test_a_brand_that_is_not_looked_for_is_said(ads: Path, tmp_path: Path) -> None:
    (tmp_path / "cfg.yaml").write_text("defaults: {brand: Quivelle}")
    arguments = (
        "analyze",
        ads,
        "--model",
        "centre-prior",
        "--limit",
        "1",
        "--maps",
        "none",
        "--objectives",
        "cfg.yaml",
        "--out",
        "run",
    )
    done = mediaan_command(*arguments, "--aois", "none", cwd=tmp_path)
    assert done.returncode == 0
    assert "cfg.yaml: names a brand; to look for it, use --aois all, text or objects" in done.stderr
    looked = mediaan_command(*arguments[:-1], "looked", "--aois", "text", cwd=tmp_path)
    assert (looked.returncode, looked.stderr) == (0, "")


SECRETIVE = "s3://PLANTEDKEY:planted-secret@ads/x?session_token=planted-token"


@pytest.mark.parametrize("option", ["--aois", "--rules", "--objectives", "--model", "--device", "--benchmark"])
def test_credentials_in_an_address_at_the_wrong_place_are_not_repeated(option: str, ads: Path, tmp_path: Path) -> None:
    refused = mediaan_command("analyze", ads, option, SECRETIVE, "--out", "run", cwd=tmp_path)
    assert refused.returncode == 2
    assert "s3://ads/x" in refused.stderr
    assert "lanted" not in (refused.stdout + refused.stderr).lower()
