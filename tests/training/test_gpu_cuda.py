"""The check of a GPU, with CPU sessions in its place, and the parts in which the runtime is carried to one."""

from __future__ import annotations

import importlib.util
import struct
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
GPU = ROOT / "models" / "training" / "gpu"


def loaded(name: str) -> ModuleType:
    """A file of that folder."""
    spec = importlib.util.spec_from_file_location(f"gpu_{name}", GPU / f"{name}.py")
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


agreement, parts = loaded("agreement"), loaded("runtime_parts")


def wheel(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_parts_join_to_the_same_bytes_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    files = {f"package/{i}.bin": random.bytes(200_000 + i) for i in range(4)} | {"package/empty": b""}
    left_out = {"onnxruntime/capi/libonnxruntime.so.1.31.1": b"C library"}
    wheels = [wheel(tmp_path / "one.whl", files | left_out), wheel(tmp_path / "two.whl", {"other/a.py": b"a = 1\n"})]
    parts.pack(wheels, tmp_path / "parts", 90, 0.25)
    written = sorted(path for path in (tmp_path / "parts").iterdir() if path.suffix != ".json")
    assert len(written) == 4
    assert max(path.stat().st_size for path in written) <= 2**18
    parts.unpack(tmp_path / "parts", tmp_path / "site")
    found = {
        str(path.relative_to(tmp_path / "site")): path.read_bytes()
        for path in (tmp_path / "site").rglob("*")
        if path.is_file() and "nvidia" not in path.parts
    }
    assert found == files | {"other/a.py": b"a = 1\n"}
    written[2].write_bytes(written[2].read_bytes()[:-1] + b"?")
    with pytest.raises(SystemExit, match=f"{written[2].name} is missing or damaged"):
        parts.unpack(tmp_path / "parts", tmp_path / "again")


def entry(code: bytes) -> bytes:
    return struct.pack("<HHIQ", 2, 257, 64, len(code)).ljust(64, b"\0") + code


def library(containers: list[list[bytes]]) -> bytes:
    """An ELF file with a section of device code between other bytes."""
    code = b""
    for entries in containers:
        content = b"".join(entries)
        code += struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(content)) + content
    names = b"\0.nv_fatbin\0.names\0"
    at = {"code": 64, "names": 64 + len(code), "table": 64 + len(code) + len(names)}
    section: Any = struct.Struct("<IIQQQQIIQQ").pack
    table = section(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    table += section(1, 1, 0, 0, at["code"], len(code), 0, 0, 0, 0)
    table += section(12, 3, 0, 0, at["names"], len(names), 0, 0, 0, 0)
    header = b"\x7fELF".ljust(40, b"\2") + struct.pack("<Q", at["table"])
    return header.ljust(58, b"\1") + struct.pack("<HHH", 64, 3, 2) + code + names + table + b"after"


def test_a_reduced_library_keeps_the_wanted_code_and_nothing_moves() -> None:
    small, other, wanted, last = entry(b"s" * 8), entry(b"o" * 400), entry(b"w" * 120), entry(b"l" * 80)
    whole = library([[small, other], [other, wanted], [other, last, wanted]])
    reduced = parts.reduce(whole, {4, 7})
    assert len(reduced) == len(whole)
    for (start, _), kept in zip(parts.containers(whole), (small, wanted, wanted), strict=True):
        assert reduced[start : start + 8] == whole[start : start + 8]
        assert struct.unpack_from("<Q", reduced, start + 8) == (len(kept),)
        assert reduced[start + 16 :].startswith(kept)
    assert other not in reduced
    assert last not in reduced
    outside = whole.index(b"\0.nv_fatbin")
    assert (reduced[:64], reduced[outside:]) == (whole[:64], whole[outside:])
