"""How much a worker may take by default: of this machine, or of the container that it runs in."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from mediaan.execution import default_memory_limit, worker_pool
from mediaan.execution.worker_pool import control_group_limits

GIB = 2**30


def write(root: Path, **files: str) -> None:
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def test_a_share_of_this_machine() -> None:
    whole = psutil.virtual_memory().total
    least = min([whole, *control_group_limits()])
    assert default_memory_limit(1) == max(int(0.8 * least), int(1.5 * GIB))
    assert default_memory_limit(10_000) == 1.5 * GIB, "less would not do for a large picture"
    assert default_memory_limit(2) <= default_memory_limit(1)


def test_a_share_of_the_container_where_that_is_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "control_group_limits", lambda: iter([10 * GIB]))
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(total=100 * GIB))
    assert default_memory_limit(2) == 4 * GIB


@pytest.mark.parametrize(
    ("groups", "files", "limits"),
    [
        ("0::/\n", {"memory_dot_max": f"{2 * GIB}\n"}, [2 * GIB]),
        ("0::/a/b\n", {"a__memory_dot_max": f"{GIB}", "a__b__memory_dot_max": "max\n"}, [GIB]),
        ("0::/a/b\n", {"a__memory_dot_max": f"{GIB}", "a__b__memory_dot_max": f"{3 * GIB}"}, [3 * GIB, GIB]),
        ("0::/not/seen/from/inside\n", {"memory_dot_max": f"{GIB}"}, [GIB]),
        (
            "4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n0::/\n",
            {"memory__docker__abc__memory_dot_limit_in_bytes": f"{5 * GIB}", "cpu__memory_dot_limit_in_bytes": "1"},
            [5 * GIB],
        ),
        ("9:name=systemd:/\n", {"memory__memory_dot_limit_in_bytes": "7"}, []),
        ("0::/a:b\n", {"a:b__memory_dot_max": "77"}, [77]),
    ],
    ids=["v2", "v2, of the parent", "v2, both", "v2, container", "v1, container", "no memory controller", "a colon"],
)
def test_limits_of_control_groups(tmp_path: Path, groups: str, files: dict[str, str], limits: list[int]) -> None:
    root = tmp_path / "fs"
    root.mkdir()
    write(root, **files)
    (tmp_path / "groups").write_text(groups)
    assert list(control_group_limits(tmp_path / "groups", root)) == limits


def test_no_control_groups(tmp_path: Path) -> None:
    assert list(control_group_limits(tmp_path / "none", tmp_path)) == []
