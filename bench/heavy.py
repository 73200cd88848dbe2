"""The attention model alone, beside two heavier shapes of the field; their weights are random, only time counts."""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

THREADS = 2
REPEATS = 7

Timed = dict[str, float | str | None]


def rows() -> dict[str, Timed]:
    """Milliseconds per picture of each network, or the reason why it was not timed."""
    timed = {"attention (this project)": _guarded(_attention)}
    if importlib.util.find_spec("torch") is None:
        reason: Timed = {"ms": None, "reason": "torch is not installed (extra: train)"}
        return timed | {"VGG-16 saliency, 480x640": reason, "ResNet-50 saliency, 240x320": reason}
    return timed | {
        "VGG-16 saliency, 480x640": _guarded(lambda: _torch_ms(_vgg16, 480, 640)),
        "ResNet-50 saliency, 240x320": _guarded(lambda: _torch_ms(_resnet50, 240, 320)),
    }


def _guarded(timing: Callable[[], float]) -> Timed:
    from mediaan.errors import MediaanError

    try:
        return {"ms": timing(), "reason": None}
    except MediaanError as error:
        return {"ms": None, "reason": error.message}


def _median_ms(call: Callable[[], Any]) -> float:
    call()
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return median(seconds) * 1000


def _attention() -> float:
    """Time the shipped default model on the CPU, from pixels in its view to densities."""
    from mediaan.media.views import view_size
    from mediaan.saliency import load_predictor

    predictor = load_predictor(device="cpu", threads=THREADS)
    width, height = view_size(4000, 3000, predictor.view)
    frames = np.random.default_rng(0).integers(0, 256, (1, height, width, 3), np.uint8)
    return _median_ms(lambda: predictor.predict(frames))


def _torch() -> Any:
    """Import torch, which only training and this comparison need."""
    return importlib.import_module("torch")


def _torch_ms(build: Callable[[], Any], height: int, width: int) -> float:
    torch = _torch()
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    network, picture = build().eval(), torch.rand(1, 3, height, width)
    with torch.inference_mode():
        return _median_ms(lambda: network(picture))


def _conv(channels_in: int, channels_out: int, size: int = 3, stride: int = 1, dilation: int = 1) -> list[Any]:
    nn = _torch().nn
    padding = dilation * (size // 2)
    return [nn.Conv2d(channels_in, channels_out, size, stride, padding, dilation), nn.ReLU(inplace=True)]


def _vgg16() -> Any:
    """Thirteen convolutions of VGG-16 (Simonyan & Zisserman 2015), last pool left out, and a small readout.

    The shape of multi-level VGG saliency networks (Cornia et al. 2016, ML-Net), whose usual input is 480x640; their
    joining of earlier layers is left out, so that the time is a lower bound.
    """
    nn = _torch().nn
    layers: list[Any] = []
    channels = 3
    for step, (width, count) in enumerate([(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)]):
        layers += [nn.MaxPool2d(2)] if step else []
        for _ in range(count):
            layers += _conv(channels, width)
            channels = width
    return nn.Sequential(*layers, *_conv(512, 64), nn.Conv2d(64, 1, 1))


def _resnet50() -> Any:
    """ResNet-50 (He et al. 2016) dilated to stride 8, and a small readout.

    The backbone of SAM-ResNet (Cornia et al. 2018), whose usual input is 240x320; its recurrent attention is left out,
    so that the time is a lower bound. Batch norms are taken as folded into the convolutions.
    """
    nn = _torch().nn
    layers = [*_conv(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for width, count, stride, dilation in [(64, 3, 1, 1), (128, 4, 2, 1), (256, 6, 1, 2), (512, 3, 1, 4)]:
        for step in range(count):
            layers.append(_bottleneck(channels, width, stride if step == 0 else 1, dilation))
            channels = 4 * width
    return nn.Sequential(*layers, *_conv(2048, 512), nn.Conv2d(512, 1, 1))


def _bottleneck(channels: int, width: int, stride: int, dilation: int) -> Any:
    nn = _torch().nn

    class Bottleneck(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            narrow = [*_conv(channels, width, 1), *_conv(width, width, 3, stride, dilation)]
            self.body = nn.Sequential(*narrow, nn.Conv2d(width, 4 * width, 1))
            same = stride == 1 and channels == 4 * width
            self.skip = nn.Identity() if same else nn.Conv2d(channels, 4 * width, 1, stride)

        def forward(self, x: Any) -> Any:
            return nn.functional.relu(self.body(x) + self.skip(x))

    return Bottleneck()
