"""`mediaan benchmark` on the command line: what it prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from mediaan.cli.main import cli
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.judge.benchmark.file import norm_set_file
from mediaan.judge.benchmark.norm import Norm
from mediaan.judge.benchmark.norm_set import NormSet
from mediaan.types.benchmark import Segment

FOOD = (("industry", "food"),)
KEY = ComparabilityKey("attention", "a" * 64, "b" * 16, 5.0, None, 5.0, False, "all", (), "c" * 16, "0.5.0")


def made(low: float) -> NormSet:
    def norm(segment: Segment, metric: str, aoi_type: str | None, n: int) -> Norm:
        at, unit = np.linspace(low, 99, 99), "%" if aoi_type else "score"
        return Norm("image", metric, "total", aoi_type, unit, segment, n, n, at, at - 1, np.minimum(at + 1, 100))

    norms = [
        norm((), "focus", None, 200),
        norm(FOOD, "focus", None, 12),
        norm((), "percentage_seen", "face", 90),
        norm((), "availability", "face", 90),
    ]
    return NormSet(
        name="own",
        title="Own media",
        population="200 of our ads.",
        created="2026-01-02",
        comparability_key=KEY,
        keys=("industry",),
        sizes={(): 200, FOOD: 12},
        intervals="90 % bootstrap",
        norms=tuple(norms),
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "own.parquet"
    file.write_bytes(norm_set_file(made(1)))
    return file


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["benchmark", *map(str, words)], standalone_mode=False)


def test_show_prints_edges_with_intervals_and_a_strip(path: Path) -> None:
    told = run("show", path).stdout
    (line,) = [line for line in told.splitlines() if line.startswith("focus (total)")]
    assert line.split("  ")[-1].startswith("|....----")
    for cell in ("10 [9-11]", "30 [29-31]", "70 [69-71]", "90 [89-91]", " 200 "):
        assert cell in line
    assert "face percentage_seen" in told
    assert "availability" not in told, "only the main scores, unless one is asked for"
    assert "availability" in run("show", path, "--metric", "availability").stdout


def test_show_a_part_says_where_another_one_is_used(path: Path) -> None:
    told = run("show", path, "--segment", "industry=food").stdout
    assert "industry=food was asked for, but has 12 images; 30 are needed" in told
    facts = json.loads(run("show", path, "--segment", "industry=food", "--json").stdout)
    assert {(norm["metric"], norm["segment"], norm["n"]) for norm in facts["norms"]} == {
        ("focus", "all", 200),
        ("percentage_seen", "all", 90),
    }
    small = json.loads(run("show", path, "--segment", "industry=food", "--min-n", 12, "--json").stdout)
    assert (small["norms"][0]["segment"], small["norms"][0]["n"]) == ("industry=food", 12)
    assert facts["yardstick"]["model_sha256"] == "a" * 64
    assert facts["norms"][0]["edges"] == [10, 30, 70, 90]
