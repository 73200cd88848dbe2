"""What all runs here are held against."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from arena import contents, run_to_the_end, write_media


@pytest.fixture(scope="session")
def media(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_media(tmp_path_factory.mktemp("given") / "ads")


@pytest.fixture(scope="session")
def undisturbed(media: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    run_to_the_end(media, out)
    found = contents(out)
    assert [row["status"] for row in found["media"]].count("failed") == 1
    assert len(found["media"]) == 7
    return found
