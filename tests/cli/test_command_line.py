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
from mediaan.cli.commands.analyze import aoi_choice
from mediaan.maps import IMAGE_MAP_NAMES
from mediaan.saliency import list_cards
from mediaan.saliency.onnx.registry import all_cards

MEDIAAN = Path(sys.executable).with_name("mediaan")
PRIOR = ("--model", "centre-prior", "--aois", "none", "--intervals", "none")
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "MEDIAAN_MODELS"}


def in_a_process(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [str(MEDIAAN), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)


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
    assert done.stdout.splitlines()[0].startswith("2 analyzed, 7 left out in ")
    assert done.stderr.splitlines() == [
        f"left out: a link that leads out of the folder (1): {ads / 'linked.png'}; --follow-links follows it",
        f"left out: a link that leads nowhere (1): {ads / 'gone'}; remove it, or put back what it leads to",
        f"left out: PDF (1): {ads / 'flyer.pdf'}; export its pages as PNG",
        f"left out: neither an image nor a video (4): {ads / 'a.txt'}, {ads / 'b.txt'}, {ads / 'c.txt'} and 1 more",
    ]
    quiet = mediaan_command("analyze", ads, *PRIOR, "--out", "quiet", "--quiet", cwd=tmp_path)
    assert (quiet.stdout, quiet.stderr) == ("", "")


def test_a_folder_of_documents_alone_says_how_to_have_them(tmp_path: Path) -> None:
    (tmp_path / "ads").mkdir()
    (tmp_path / "ads" / "deck.pptx").write_bytes(b"PK\x03\x04" + bytes(30))
    done = mediaan_command("analyze", "ads", *PRIOR, "--out", "run", cwd=tmp_path)
    assert done.returncode == 2
    assert "found no images or videos" in done.stderr
    assert "export its slides as PNG" in done.stderr


def test_all_well(ads: Path, tmp_path: Path) -> None:
    done = in_a_process("analyze", ads, "--model", "centre-prior", "--out", "run", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), "nothing on stderr when all is well and it is no terminal"
    first, report, tables, compared = done.stdout.splitlines()
    assert compared.startswith("2 files not compared with ads: the attention model of the norms is attention")
    assert first.startswith("2 analyzed in ")
    assert first.endswith("s with model centre-prior on cpu")
    assert (tmp_path / report.removeprefix("report: ")).is_file()
    assert (tmp_path / tables.removeprefix("tables: ") / "media.parquet").is_file()


def test_the_default_run_directory(ads: Path, tmp_path: Path) -> None:
    assert mediaan_command("analyze", "ads", *PRIOR, "--maps", "none", cwd=tmp_path).returncode == 0
    assert (tmp_path / "mediaan-run" / "run.json").is_file()


def test_the_current_folder_twice(ads: Path) -> None:
    """The first run lies inside the folder then; its maps are not analysed."""
    for _ in range(2):
        done = mediaan_command("analyze", ".", *PRIOR, cwd=ads)
        assert done.stdout.startswith("2 analyzed in "), done.stderr


def test_some_failed(broken: Path, tmp_path: Path) -> None:
    done = mediaan_command("analyze", broken, *PRIOR, "--out", "run", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout.startswith("2 analyzed, 1 failed in ")
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


def test_json_when_all_is_well(ads: Path, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("values: {platform: [our_app]}\ndefaults: {platform: Our App}\n")
    objectives = ("--objectives", "own.yaml")
    done = mediaan_command("analyze", ads, *PRIOR, *objectives, "--out", "run", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (0, "", 2)


def test_quiet_says_nothing_but_the_exit_code(broken: Path, tmp_path: Path) -> None:
    done = mediaan_command("analyze", broken, *PRIOR, "--out", "run", "--quiet", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def maps_of(run_dir: Path) -> set[str]:
    return {path.stem for path in run_dir.glob("maps/*/*.jpg")}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("none", set()),
        ("heat,fog", {"original", "heat", "fog"}),
        (" fog , heat", {"original", "heat", "fog"}),
        ("all", {"original", *IMAGE_MAP_NAMES}),
    ],
)
def test_maps_as_asked(ads: Path, tmp_path: Path, value: str, written: set[str]) -> None:
    done = mediaan_command("analyze", ads, *PRIOR, "--out", "run", "--maps", value, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert maps_of(tmp_path / "run") == written


def test_densities_and_limit(ads: Path, tmp_path: Path) -> None:
    arguments = ("--maps", "none", "--limit", "1")
    assert mediaan_command("analyze", ads, *PRIOR, "--out", "run", *arguments, cwd=tmp_path).returncode == 0
    assert len(list((tmp_path / "run").glob("maps/*/density.npz"))) == 1


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


def test_a_pattern_that_fits_no_file_is_mentioned(ads: Path, tmp_path: Path) -> None:
    (tmp_path / "goals.yaml").write_text("media:\n  - {match: '*.jgp', purpose: conversion}\n")
    arguments = ("analyze", ads, *PRIOR, "--maps", "none", "--objectives", "goals.yaml")
    done = mediaan_command(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "goals.yaml: no file matches '*.jgp'\n")
    assert mediaan_command(*arguments, "--quiet", cwd=tmp_path).stderr == ""


def test_areas_are_looked_for_unless_others_are_given(tmp_path: Path) -> None:
    drawn = tmp_path / "areas.json"
    drawn.write_text("{}")
    assert aoi_choice(()) == ("all", None)
    assert aoi_choice(("none",)) == ("none", None)
    assert aoi_choice((str(drawn),)) == ("none", drawn)
    assert aoi_choice((str(drawn), "text")) == ("text", drawn)


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


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_killed_run_can_be_started_again(tmp_path: Path) -> None:
    ads, out = write_pictures(tmp_path / "ads", 10, size=300), tmp_path / "run"
    command = [str(MEDIAAN), "analyze", str(ads), *PRIOR, "--maps", "heat", "--out", str(out)]
    process = subprocess.Popen([*command, "--workers", "1", "--quiet"], env=ENVIRONMENT)
    while not any(out.glob("maps/*/heat.jpg")):
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not (out / "run.json").exists()
    again = mediaan_command(*command[1:], "--workers", "2", cwd=tmp_path)
    assert again.stdout.startswith("10 analyzed in "), again.stderr
    assert mediaan.read_run(out).facts["counts"] == {"done": 10, "failed": 0, "skipped": 0}


def test_help_lists_every_command_and_loads_nothing_heavy(tmp_path: Path) -> None:
    done = in_a_process("--help", cwd=tmp_path)
    assert done.returncode == 0
    for command in ("analyze", "doctor", "evaluate", "models"):
        assert f"\n  {command} " in done.stdout
    code = "import sys\nsys.argv = ['mediaan', '--help']\nfrom mediaan.cli.main import main\n"
    code += "try:\n    main()\nexcept SystemExit:\n    print(*sorted(sys.modules), file=sys.stderr)\n"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr.split()
    assert "click" in loaded
    assert not {"numpy", "cv2", "pandas", "pyarrow", "onnxruntime", "PIL", "pydantic", "jinja2"} & set(loaded)


def test_version(tmp_path: Path) -> None:
    assert in_a_process("--version", cwd=tmp_path).stdout == f"mediaan, version {mediaan.__version__}\n"


def test_the_package_is_the_command(tmp_path: Path) -> None:
    """For environments whose scripts are not on the path; workers start from it too."""
    ads = tmp_path / "ads"
    ads.mkdir()
    for name in ("one.png", "two.png"):
        Image.new("RGB", (64, 48), "white" if name == "one.png" else "black").save(ads / name)
    asked = ("analyze", "ads", "--executor", "processes", "--workers", "2", "--maps", "none", "--intervals", "none")
    asked += ("--aois", "none")
    ran = subprocess.run(
        [sys.executable, "-m", "mediaan", *asked], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "2 analyzed" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("analyse", "x"), "did you mean 'analyze'?"),
        (("models", "lst"), "did you mean 'list'?"),
        (("--bogus",), "no such option"),
    ],
)
def test_an_unknown_command_or_option(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    done = mediaan_command(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr.lower()


def test_models_list(tmp_path: Path) -> None:
    done = mediaan_command("models", "list", cwd=tmp_path)
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(all_cards())
    listed = json.loads(mediaan_command("models", "list", "--json", cwd=tmp_path).stdout)
    assert [entry["name"] for entry in listed] == list(all_cards())


def test_models_show(tmp_path: Path) -> None:
    done = mediaan_command("models", "show", "centre-prior", cwd=tmp_path)
    assert done.returncode == 0
    assert "Apache-2.0" in done.stdout
    assert "start, end, total" in done.stdout
    facts = json.loads(mediaan_command("models", "show", "centre-prior", "--json", cwd=tmp_path).stdout)
    assert facts["windows"] == ["start", "end", "total"]
    assert mediaan_command("models", "show", "nothing", cwd=tmp_path).returncode == 2


def test_models_verify_those_that_ship(tmp_path: Path) -> None:
    done = mediaan_command("models", "verify", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == list(all_cards())


def test_models_verify_goes_on_after_a_damaged_one(tmp_path: Path) -> None:
    (tmp_path / "manifest.toml").write_text(
        f'[damaged]\nfile = "a.onnx"\nsha256 = "{"0" * 64}"\npixels = 9\n[centre-prior]\nkind = "centre-prior"\n'
    )
    (tmp_path / "a.onnx").write_bytes(b"x")
    done = mediaan_command("models", "verify", cwd=tmp_path, MEDIAAN_MODELS=str(tmp_path))
    assert done.returncode == 1
    assert done.stdout == "centre-prior: ok (no weights)\n"
    assert "model damaged" in done.stderr
    assert "has sha256 2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" in done.stderr


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


def test_doctor_on_a_machine_without_models(tmp_path: Path) -> None:
    done = mediaan_command("doctor", cwd=tmp_path, MEDIAAN_MODELS=str(tmp_path))
    assert done.returncode == 1
    assert "no models found" in done.stdout
    assert "Traceback" not in done.stderr


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


@pytest.mark.parametrize("arguments", [("check", SECRETIVE), ("aois", "export", "run", f"--out={SECRETIVE}")])
def test_an_address_where_only_paths_are_taken(arguments: tuple[str, ...], tmp_path: Path) -> None:
    refused = mediaan_command(*arguments, cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith("mediaan: s3://ads/x: only analyze can use object stores")
    assert "lanted" not in (refused.stdout + refused.stderr).lower()
    assert not list(tmp_path.iterdir()), "no folder is named after an address"


@pytest.mark.parametrize("option", ["--aois", "--rules", "--objectives", "--model", "--device", "--benchmark"])
def test_credentials_in_an_address_at_the_wrong_place_are_not_repeated(option: str, ads: Path, tmp_path: Path) -> None:
    refused = mediaan_command("analyze", ads, option, SECRETIVE, "--out", "run", cwd=tmp_path)
    assert refused.returncode == 2
    assert "s3://ads/x" in refused.stderr
    assert "lanted" not in (refused.stdout + refused.stderr).lower()
