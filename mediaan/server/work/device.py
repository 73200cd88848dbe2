"""Whether the device that was asked for can be had: asked in a process of its own, so that the server's stays light."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor


def check_device(device: str) -> None:
    """Load a model where it is asked to run; `auto` and `cpu` can always be had.

    Raises
    ------
    SetupError
        This machine has no such device that works.
    """
    if device in ("auto", "cpu"):
        return
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pool.submit(_load, device).result()


def _load(device: str) -> None:
    from mediaan.saliency import load_predictor

    load_predictor(device=device, threads=1)
