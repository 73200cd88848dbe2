"""How the server has the library analyse media of each kind."""

from __future__ import annotations

import os
from pathlib import Path

from mediaan.analysis.recipe import Recipe
from mediaan.maps import MAP_NAMES, VIDEO_MAP_NAMES
from mediaan.server.settings import ServerSettings
from mediaan.server.storage.media import Kind
from mediaan.types.aoi import AoiLevel
from mediaan.workflow import Settings
from mediaan.workflow.folder.inputs import DROPPED

_MOST_THREADS = 4
"""More gain next to nothing for one picture."""

AOI_LEVEL: AoiLevel = "all"
"""What is looked for when a client asks for AOIs."""


def analysis_settings(kind: Kind, settings: ServerSettings, objectives: Path | None = None) -> Settings:
    """Settings of the library for a medium of a kind.

    A picture is analysed as `mediaan analyze FILE` does by default, so that its numbers are the same. AOIs are
    looked for when a client asks for them, as in v2.
    """
    if kind == "image":
        recipe = Recipe(aois="none")
    else:
        films = VIDEO_MAP_NAMES if settings.films else ()
        recipe = Recipe(maps=(*MAP_NAMES, *films), aois="none", mixed=kind == "mixed", max_side=settings.max_side_px)
    said = DROPPED if objectives is None else objectives
    return Settings(recipe, said, device=settings.device, workers=1, threads=threads(settings), report="folder")


def threads(settings: ServerSettings) -> int | None:
    """How many threads each worker takes, so that all workers together take the machine's cores once.

    None: as many as the library takes by itself, to the last bit of what it computes; the only worker has all cores.

    Examples
    --------
    >>> threads(ServerSettings(Path("data"), workers=1000)), threads(ServerSettings(Path("data"), workers=1))
    (1, None)
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return None if settings.workers == 1 else min(_MOST_THREADS, max(1, cores // settings.workers))
