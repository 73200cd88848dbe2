"""Models, densities and settings that carry code, or lead to other files: read as data or refused, never run."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from pathlib import Path

import pytest

import mediaan
from mediaan.config.aoi_formats.reading import load_aois
from mediaan.config.calibration import load_calibration
from mediaan.config.objectives import load_objectives
from mediaan.config.validation import read_document
from mediaan.errors import SetupError, UsageError
from mediaan.judge.benchmark.file import read_norm_set
from mediaan.saliency.density_storage import read_densities
from mediaan.saliency.onnx.registry import read_card
from mediaan.vision import appearance


class Booby:
    """Makes a file as soon as it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, (str(self.trace),))


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tmp_path / "was run"


def arrays(trace: Path, name: str) -> bytes:
    """An archive of numpy whose array holds objects, which only unpickling could give."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        header = (
            b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '|O', 'fortran_order': False, 'shape': (), }".ljust(117) + b"\n"
        )
        archive.writestr(f"{name}.npy", header + pickle.dumps(Booby(trace)))
    return packed.getvalue()


@pytest.mark.parametrize("kind", ["archive", "array", "pickle"])
def test_densities_are_not_unpickled(kind: str, tmp_path: Path, trace: Path) -> None:
    path = tmp_path / "density.npz"
    array = zipfile.ZipFile(io.BytesIO(arrays(trace, "total"))).read("total.npy")
    path.write_bytes({"archive": arrays(trace, "total"), "array": array, "pickle": pickle.dumps(Booby(trace))}[kind])
    with pytest.raises(ValueError, match="pickle"):
        read_densities(path)
    assert not trace.exists()


def test_heads_are_not_unpickled(tmp_path: Path, trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "appearance_heads.npz").write_bytes(arrays(trace, "encoder_sha256"))
    monkeypatch.setattr(appearance, "files", lambda package: tmp_path)
    appearance.load_appearance_heads.cache_clear()
    with pytest.raises(SetupError, match="cannot be read"):
        appearance.load_appearance_heads("any")
    appearance.load_appearance_heads.cache_clear()
    assert not trace.exists()


@pytest.mark.parametrize("read", [read_norm_set, load_calibration, load_objectives, read_card, load_aois])
@pytest.mark.parametrize("suffix", [".parquet", ".yaml", ".toml", ".json"])
def test_what_users_name_is_not_unpickled(read: object, suffix: str, tmp_path: Path, trace: Path) -> None:
    path = tmp_path / f"given{suffix}"
    for data in (pickle.dumps(Booby(trace)), pickle.dumps(Booby(trace), protocol=0), arrays(trace, "a")):
        path.write_bytes(data)
        with pytest.raises((UsageError, SetupError)) as caught:
            read(path)  # type: ignore[operator]
        assert path.name in caught.value.message
    assert not trace.exists()


YAML_BOMBS = {
    "tag": "!!python/object/apply:os.mkdir ['{trace}']",
    "tag inside": "defaults: !!python/object/new:os.mkdir ['{trace}']",
    "laughs": "a: &a [x,x,x]\n"
    + "\n".join(
        f"{after}: &{after} [{','.join(['*' + before] * 9)}]"
        for before, after in zip("abcdefgh", "bcdefghi", strict=True)
    ),
    "circle": "a: &a [*a]",
    "merge": "a: &a {b: 1}\nc:\n  <<: *a",
    "deep": "[" * 100_000,
    "deep mapping": "{a: " * 5000,
    "large": "a: '" + "x" * 2_000_000 + "'",
    "null bytes": "a: \0",
    "many anchors": "\n".join(f"k{i}: &a{i} x" for i in range(20_000)),
}


@pytest.mark.parametrize("name", YAML_BOMBS)
def test_yaml_is_data(name: str, tmp_path: Path, trace: Path) -> None:
    path = tmp_path / "objectives.yaml"
    path.write_text(YAML_BOMBS[name].replace("{trace}", str(trace)))
    if name == "many anchors":
        assert not read_document(path).problems
    elif name in {"tag", "tag inside"}:
        assert read_document(path).problems
    else:
        with pytest.raises(UsageError, match=r"objectives\.yaml"):
            read_document(path)
    assert not trace.exists()


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, '{"a": 1e999}', '{"a": NaN}', "\0"])
def test_json_is_of_bounded_depth(text: str, tmp_path: Path) -> None:
    path = tmp_path / "aois.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"aois\.json"):
        load_aois(path)


def test_a_run_s_facts_are_data(tmp_path: Path, trace: Path) -> None:
    (tmp_path / "run.json").write_bytes(pickle.dumps(Booby(trace)))
    with pytest.raises(UsageError):
        mediaan.read_run(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"recipe": "!!python/object/apply:os.mkdir"}))
    assert not trace.exists()
