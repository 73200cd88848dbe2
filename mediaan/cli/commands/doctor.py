"""`mediaan doctor`: what this machine has, tried rather than believed."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import click

from mediaan.cli import options
from mediaan.errors import MediaanError, SetupError

_PACKAGES = (
    *("numpy", "opencv-python-headless", "onnxruntime-gpu", "onnxruntime", "pandas"),
    *("av", "scenedetect-headless", "pillow", "pyarrow", "pydantic"),
)

_VIDEO_DECODERS = {
    "H.264": ("h264",),
    "HEVC": ("hevc",),
    "VP8": ("vp8", "libvpx"),
    "VP9": ("vp9", "libvpx-vp9"),
    "AV1": ("libdav1d", "libaom-av1"),  # FFmpeg's own av1 decodes on a GPU only
    "MPEG-4": ("mpeg4",),
    "ProRes": ("prores",),
}


@click.command()
@options.json_lines
def doctor(as_json: bool) -> int:
    """Show what works on this machine: devices, file formats, models, versions.

    Exit code 1 when something that an analysis needs is missing.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    facts: dict[str, dict[str, Any]] = {
        "machine": {"system": platform.platform(), "python": platform.python_version(), "cores": cores},
        "devices": {"cpu": _attempt(partial(_device, "cpu")), "cuda": _cuda()},
        "formats": _formats(),
        "models": _models(),
        "versions": _versions(),
    }
    if as_json:
        click.echo(json.dumps(facts))
    else:
        for group, entries in facts.items():
            click.echo(click.style(group, bold=True))
            for name, value in entries.items():
                click.echo(f"  {name:<24} {value}")
    healthy = facts["devices"]["cpu"] == "ok" and all(str(v).startswith("ok") for v in facts["models"].values())
    return 0 if healthy else 1


def _attempt(check: Callable[[], str]) -> str:
    try:
        return check()
    except MediaanError as error:
        return f"no: {error.message}"


def _device(device: str) -> str:
    from mediaan.saliency import list_cards, load_predictor

    with_weights = [card.name for card in list_cards().values() if card.file]
    if not with_weights:
        return "unknown: no model with weights is installed"
    load_predictor(with_weights[0], device)
    return "ok"


def _cuda() -> str:
    """Try a GPU, which nobody has asked for: without one there is nothing wrong."""
    try:
        return _device("cuda")
    except SetupError:
        return "no: found no NVIDIA GPU that works (optional; it needs its driver and pip install 'mediaan[gpu]')"


def _formats() -> dict[str, str]:
    import av
    from PIL import features

    def opens(decoder: str) -> bool:
        try:
            return bool(av.codec.Codec(decoder, "r"))
        except av.codec.codec.UnknownCodecError:
            return False

    return {
        "jpeg, png, tiff, bmp": "yes" if features.check("jpg") and features.check("zlib") else "no",
        "webp": "yes" if features.check("webp") else "no",
        "avif": "yes" if features.check("avif") else "no",
        "jpeg 2000": "yes" if features.check("jpg_2000") else "no",
        "psd, ppm, qoi": "yes",
        "colour profiles (ICC)": "yes" if features.check("littlecms2") else "no",
        "heic": "yes" if find_spec("pillow_heif") else "no: pip install 'mediaan[heif]'",
        **{name: "yes" if any(map(opens, decoders)) else "no" for name, decoders in _VIDEO_DECODERS.items()},
        "H.264 out (films)": "yes" if "libx264" in av.codecs_available else "no: FFmpeg was built without libx264",
    }


def _models() -> dict[str, str]:
    from mediaan.analysis.models import load_model
    from mediaan.saliency.onnx.registry import all_cards
    from mediaan.vision.text.reader import TextReader

    def check(name: str) -> str:
        load_model(name, "cpu")
        return "ok"

    def reads() -> str:
        return "ok" if TextReader(threads=1).sha256 else "no"

    try:
        cards = all_cards()
    except MediaanError as error:
        return {"manifest": f"no: {error.message}"}
    return {name: _attempt(partial(check, name)) for name in cards} | {"text (PP-OCR)": _attempt(reads)}


def _versions() -> dict[str, str]:
    versions = {}
    for name in ("mediaan", *_PACKAGES):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            if name not in ("onnxruntime", "onnxruntime-gpu"):
                versions[name] = "missing"
    return versions
