"""What is released: a wheel and an sdist with all that is needed and nothing else, which run far from the checkout."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ADS = ROOT / "tests" / "sample_ads" / "ads"
LARGEST_WHEEL_BYTES = 40 << 20
MISSING = [tool for tool in ("build", "hatchling", "check_wheel_contents") if find_spec(tool) is None]

pytestmark = [pytest.mark.full, pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout as it is now; somebody may edit the checkout meanwhile."""
    out = tmp_path_factory.mktemp("source")
    for name in _tracked("."):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, out / name)
    return out


@pytest.fixture(scope="module")
def dist(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from it."""
    out = tmp_path_factory.mktemp("dist")
    _build(source, out)
    return out


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    return next(dist.glob("*.whl"))


@pytest.fixture(scope="module")
def sdist(dist: Path) -> Path:
    return next(dist.glob("*.tar.gz"))


def _build(source: Path, out: Path, *options: str) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", str(out), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def _contents(wheel: Path) -> Mapping[str, str]:
    """Digest by name."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _tracked(folder: str) -> set[str]:
    listed = subprocess.run(["git", "ls-files", "-z", folder], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}


def test_models_are_inside_as_the_manifest_says(wheel: Path) -> None:
    found = _contents(wheel)
    manifest = tomllib.loads((ROOT / "models" / "manifest.toml").read_text("utf-8"))
    assert found["mediaan/_models/manifest.toml"] == _digest(ROOT / "models" / "manifest.toml")
    for name, model in manifest.items():
        assert f"mediaan/_models/{name}.md" in found or "(" in model["origin"], "a card, or whose it is"
        if "file" in model:
            assert found[f"mediaan/_models/{model['file']}"] == model["sha256"]
    weights = {name for name in found if name.endswith(".onnx")}
    assert weights == {f"mediaan/_models/{model['file']}" for model in manifest.values() if "file" in model}


def test_norm_sets_are_inside(wheel: Path) -> None:
    found = _contents(wheel)
    shipped = [path for kind in ("parquet", "md") for path in (ROOT / "benchmarks_data").glob(f"*.{kind}")]
    assert len(shipped) >= 6
    assert {name for name in found if name.startswith("mediaan/_benchmarks/")} == {
        f"mediaan/_benchmarks/{path.name}" for path in shipped
    }
    assert all(found[f"mediaan/_benchmarks/{path.name}"] == _digest(path) for path in shipped)


def test_the_package_is_inside_whole_and_alone(wheel: Path) -> None:
    found = {name for name in _contents(wheel) if ".dist-info/" not in name}
    own = {name for name in found if not name.startswith(("mediaan/_models/", "mediaan/_benchmarks/"))}
    assert _tracked("mediaan") - own == set()
    assert not [name for name in own - _tracked("mediaan") if not (ROOT / name).exists()]
    assert not [name for name in found if re.search(r"(^|/)(tests?|test_\w+\.py|conftest\.py|__pycache__)(/|$)", name)]
    checked = subprocess.run(
        [Path(sys.executable).with_name("check-wheel-contents"), wheel], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout


def test_it_is_small_enough(wheel: Path, sdist: Path) -> None:
    assert wheel.stat().st_size < LARGEST_WHEEL_BYTES
    assert sdist.stat().st_size < LARGEST_WHEEL_BYTES


def test_the_sdist_holds_no_tests_and_nothing_stray(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = [member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()]
    tops = {name.split("/")[0] for name in names}
    files = {"CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    assert files <= tops <= files | {".gitignore", "benchmarks_data", "mediaan", "models"}
    assert not [name for name in names if "training" in name or (name.endswith((".py",)) and "mediaan/" not in name)]


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_checkout(source: Path, wheel: Path, tmp_path: Path) -> None:
    _build(source, tmp_path, "--wheel")
    assert _contents(next(tmp_path.glob("*.whl"))) == _contents(wheel)


def test_the_wheel_alone_analyses_an_ad_far_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, wheel]
    subprocess.run(install, check=True, capture_output=True)
    ads = tmp_path / "ads"
    ads.mkdir()
    (ads / "serum_square.jpg").write_bytes((ADS / "serum_square.jpg").read_bytes())
    environment = os.environ | {"PYTHONPATH": str(site), "PYTHONWARNINGS": "error"}

    def run(*command: str | Path) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    command = site / "bin" / "mediaan"
    assert Path(run(sys.executable, "-c", "import mediaan; print(mediaan.__file__)").strip()).is_relative_to(site)
    assert str(ROOT / "mediaan") not in run(command, "doctor")
    run(command, "analyze", "ads", "--out", "run", "--workers", "1", "--quiet")
    assert json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))["counts"]["done"] == 1
    assert "serum_square.jpg" in (tmp_path / "run" / "report" / "index.html").read_text("utf-8")
