"""Warming up: what every picture needs is loaded before the first one comes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

from mediaan.server.settings import ServerSettings
from mediaan.server.storage.folder import DataFolder
from mediaan.server.work.recipes import analysis_settings
from mediaan.workflow import analyze_folder

_SIZE = (240, 320, 3)


def warm_up(settings: ServerSettings) -> None:
    """Analyse a picture of noise as any other, and forget it.

    Raises
    ------
    SetupError
        A model cannot be had.
    """
    # there, because who is killed meanwhile leaves it behind, and there the next start removes it
    with tempfile.TemporaryDirectory(dir=DataFolder(settings.data).incoming, prefix="warm-up-") as folder:
        source = Path(folder) / "noise.png"
        Image.fromarray(np.random.default_rng(0).integers(0, 256, _SIZE, dtype=np.uint8)).save(source)
        analyze_folder(source, Path(folder) / "run", settings=analysis_settings("image", settings))
