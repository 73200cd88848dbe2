"""The same bytes under several paths: analysed once, a row for each path, whatever becomes of the paths."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

import mediaan as mn
from mediaan.analysis import TaskResult
from mediaan.workflow.options import read_options

ONCE = ("metrics", "drivers", "aois", "aoi_scores", "maps")
"""Tables with rows for a medium, and not for each of its paths."""


@pytest.fixture
def ads(tmp_path: Path) -> Path:
    """Three pictures, of which two are the same."""
    folder = tmp_path / "ads"
    (folder / "old").mkdir(parents=True)
    Image.linear_gradient("L").convert("RGB").save(folder / "a.png")
    Image.radial_gradient("L").convert("RGB").save(folder / "b.png")
    shutil.copy(folder / "a.png", folder / "old" / "c.png")
    return folder


def analyse(ads: Path, out: str = "run", **given: object) -> tuple[mn.Run, list[str]]:
    """The run, and the paths that were looked at this time."""
    looked_at: list[TaskResult] = []
    recipe = mn.Recipe(model="centre-prior", maps=("heat",), aois="none")
    settings = read_options(recipe, mn.Execution(workers=1), given)
    run = mn.analyze_folder(ads, ads.parent / out, *settings, on_report=looked_at.append)
    return run, sorted(report.outcome.path for report in looked_at)


def test_the_same_bytes_are_analysed_once_and_have_a_row_for_each_path(ads: Path) -> None:
    run, looked_at = analyse(ads)
    assert looked_at == ["a.png", "b.png"]
    assert run.media[["path", "name", "status"]].to_numpy().tolist() == [
        ["a.png", "a.png", "done"],
        ["b.png", "b.png", "done"],
        ["old/c.png", "c.png", "done"],
    ]
    assert run.media.medium_id.nunique() == 2
    for name in ONCE:
        table = run.table(name)
        assert len(table) == len(table.drop_duplicates([c for c in table if c not in ("polygon", "reason")])), name
    assert {path.name for path in (run.path / "maps").iterdir()} == {Path(p).parent.name for p in run.maps.path}
    assert run.facts["counts"] == {"done": 3, "failed": 0, "skipped": 0}


def test_stages_are_those_of_what_was_analysed(ads: Path) -> None:
    run, _ = analyse(ads)
    looked_at = run.media.drop_duplicates("medium_id").seconds.sum()
    assert 0 < sum(run.facts["stages"].values()) <= looked_at


@pytest.mark.parametrize("gone", ["a.png", "old/c.png"])
def test_a_copy_that_is_gone_takes_nothing_with_it(ads: Path, gone: str) -> None:
    before, _ = analyse(ads)
    (ads / gone).unlink()
    run, looked_at = analyse(ads)
    assert looked_at == []
    assert run.media.path.tolist() == [path for path in before.media.path if path != gone]
    assert sorted(run.metrics.medium_id.unique()) == sorted(before.metrics.medium_id.unique())
    assert all((run.path / path).is_file() for path in run.maps.path)


def test_a_file_may_be_renamed_and_moved(ads: Path) -> None:
    before, _ = analyse(ads)
    (ads / "b.png").rename(ads / "old" / "z.png")
    run, looked_at = analyse(ads)
    assert looked_at == []
    assert run.media[["path", "name"]].to_numpy().tolist()[-1] == ["old/z.png", "z.png"]
    assert set(run.media.medium_id) == set(before.media.medium_id)
    pd.testing.assert_frame_equal(
        run.metrics.sort_values(["medium_id", "metric", "metric_time"], ignore_index=True),
        before.metrics.sort_values(["medium_id", "metric", "metric_time"], ignore_index=True),
    )


def test_copies_that_fail_are_failed_rows_that_name_their_own_path(ads: Path) -> None:
    data = (ads / "a.png").read_bytes()
    (ads / "broken.png").write_bytes(data[: len(data) // 3])
    shutil.copy(ads / "broken.png", ads / "old" / "worse.png")
    for first in (["a.png", "b.png", "broken.png"], []):
        run, looked_at = analyse(ads)
        assert looked_at == first
        failed = run.media[run.media.status == "failed"]
        assert failed.path.tolist() == ["broken.png", "old/worse.png"]
        assert [message.split(": ")[0] for message in failed.error_message] == failed.path.tolist()
        errors = run.problems[run.problems.severity == "error"]
        assert errors.path.tolist() == failed.path.tolist()
        assert run.facts["counts"] == {"done": 3, "failed": 2, "skipped": 0}
    (ads / "broken.png").unlink()
    (ads / "old" / "worse.png").rename(ads / "old" / "worst.png")
    for out in ("run", "another run"):
        run, _ = analyse(ads, out=out)
        (message,) = run.media.error_message.dropna()
        assert message.startswith("old/worst.png: the file"), "as if it had never had another name"


def test_of_other_wishes_for_a_copy_those_of_the_first_path_count(ads: Path) -> None:
    def drawn(kind: str) -> list[dict[str, object]]:
        return [{"type": kind, "box": [0.1, 0.1, 0.4, 0.4]}]

    areas = ads.parent / "areas.json"
    areas.write_text(json.dumps({"a.png": drawn("product"), "c.png": drawn("branding")}))
    run, _ = analyse(ads, drawn_aois=areas)
    assert run.aois.type.tolist() == ["product"]
    (ads / "a.png").unlink()
    run, looked_at = analyse(ads, drawn_aois=areas)
    assert looked_at == ["old/c.png"]
    assert run.aois.type.tolist() == ["branding"]
    assert len(run.media) == 2


def test_a_file_that_changes_behind_its_time_is_read_again(ads: Path) -> None:
    """As archives and copies that keep times do: another picture of the same size and time."""
    Image.new("RGB", (40, 30), "red").save(ads / "b.bmp")
    os.utime(ads / "b.bmp", (1e9, 1e9))
    before = set(analyse(ads)[0].media.medium_id)
    Image.new("RGB", (40, 30), "blue").save(ads / "b.bmp")
    os.utime(ads / "b.bmp", (1e9, 1e9))
    run, looked_at = analyse(ads)
    assert looked_at == ["b.bmp"]
    assert len(set(run.media.medium_id) - before) == 1
