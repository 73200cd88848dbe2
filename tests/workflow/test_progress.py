"""Progress of an analysis: how much is done, and a bar in a notebook and nowhere else unasked."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

import mediaan as mn
from mediaan.analysis import AnalysisProgress
from mediaan.workflow.folder.progress import share_done

FAST = {"model": "centre-prior", "aois": "none", "advice": "none", "maps": "none", "workers": 1}


def test_the_share_of_a_medium() -> None:
    assert share_done(AnalysisProgress("a.mp4", 30.0, 120.0)) == 0.25
    assert share_done(AnalysisProgress("a.mp4", 130.0, 120.0)) == 1.0
    assert share_done(AnalysisProgress("a.mp4", 30.0, None)) == 0.0


@pytest.mark.parametrize(
    ("notebook", "progress", "bar"),
    [(True, None, "stdout"), (True, False, None), (False, None, None), (False, True, "stderr")],
)
def test_a_bar_in_a_notebook_or_where_asked(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    notebook: bool,
    progress: bool | None,
    bar: str | None,
) -> None:
    shell = SimpleNamespace(kernel=None) if notebook else SimpleNamespace()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    ads = tmp_path / "ads"
    ads.mkdir()
    Image.new("RGB", (60, 40)).save(ads / "ad.png")
    (ads / "broken.png").write_bytes(b"no picture")
    mn.analyze_folder(ads, tmp_path / "run", progress=progress, **FAST)
    written = capsys.readouterr()
    for stream in ("stdout", "stderr"):
        text = getattr(written, stream[3:])
        assert ("2/2 files" in text and "failed: broken.png" in text) is (stream == bar)


def test_a_bar_goes_before_no_callable_of_the_caller(tmp_path: Path) -> None:
    Image.new("RGB", (60, 40)).save(tmp_path / "ad.png")
    with pytest.raises(mn.UsageError, match="progress"):
        mn.analyze_folder(tmp_path, tmp_path / "run", progress=True, on_report=print, **FAST)
    assert not (tmp_path / "run").exists()
