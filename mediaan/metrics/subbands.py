"""Subband entropy: how many bits a picture needs in a steerable pyramid."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from mediaan.types.arrays import Float32, Float64

Complex64: TypeAlias = npt.NDArray[np.complex64]

LEVELS, ORIENTATIONS = 3, 4
_CHROMA_WEIGHT = 0.0625
# A channel or band that spans less than this is flat: what is left of it is rounding.
_FLAT = 0.008


def subband_entropy(lab: Float32) -> float:
    """Measure clutter as the bits needed to code the picture.

    Parameters
    ----------
    lab : (H, W, 3) float32
        From `congestion_lab`.

    Returns
    -------
    float
        Mean Shannon entropy of the bands, nat, 0 for a uniform picture, about 2-4 for web pages; chroma channels
        count one sixteenth of lightness each.

    References
    ----------
    Rosenholtz, Li & Nakano (2007). Measuring visual clutter. Journal of Vision 7(2):17.
    Simoncelli & Freeman (1995). The steerable pyramid. ICIP-95, 444-447.

    Examples
    --------
    >>> subband_entropy(np.zeros((32, 32, 3), np.float32))
    0.0
    """
    weights = (1.0, _CHROMA_WEIGHT, _CHROMA_WEIGHT)
    channels = cv2.split(_trimmed(lab))
    entropies = [_channel_entropy(np.asarray(channel, dtype=np.float32)) for channel in channels]
    return float(np.dot(weights, entropies) / sum(weights))


def _trimmed(lab: Float32) -> Float32:
    """Cut the borders, by some 2 % at most, to sides without large prime factors: the transform is much quicker."""
    height, width = (_smooth(side) for side in lab.shape[:2])
    top, left = (lab.shape[0] - height) // 2, (lab.shape[1] - width) // 2
    return lab[top : top + height, left : left + width]


def _smooth(length: int) -> int:
    rest = length
    for prime in (2, 3, 5, 7, 11):
        while rest % prime == 0:
            rest //= prime
    return length if rest == 1 else _smooth(length - 1)


def _channel_entropy(channel: Float32) -> float:
    if np.ptp(channel) < _FLAT:
        return 0.0
    return float(np.mean([_band_entropy(band) for band in steerable_pyramid(channel)]))


def _band_entropy(band: Float32) -> float:
    """Entropy, nat, over ceil(sqrt(n)) bins, the last of which holds the maximum alone."""
    low, high = float(band.min()), float(band.max())
    if high - low < _FLAT / 1000:
        return 0.0
    bins = int(np.ceil(np.sqrt(band.size))) - 1
    counts = cv2.calcHist([band], [0], None, [bins], [low, high]).ravel().astype(np.float64)
    share = np.append(counts[counts > 0], band.size - counts.sum())
    share = share[share > 0] / band.size
    return float(-(share * np.log(share)).sum())


def steerable_pyramid(channel: Float32) -> list[Float32]:
    """Split a channel into a high-pass residual, 3 octaves of 4 orientations, and a low-pass residual.

    Parameters
    ----------
    channel : (H, W) float32

    Returns
    -------
    list of 14 (h, w) float32
        Finest first; each octave has half the size of the one before. Borders wrap around.

    Examples
    --------
    >>> [band.shape for band in steerable_pyramid(np.eye(32, dtype=np.float32))][::4]
    [(32, 32), (32, 32), (16, 16), (8, 8)]
    """
    high, *octaves = _filters(*channel.shape)
    spectrum: Complex64 = np.asarray(np.fft.rfft2(channel), dtype=np.complex64)
    bands = [_picture(spectrum * high.residual, high.shape)]
    spectrum = spectrum * np.sqrt(1 - high.residual**2)
    for octave in octaves:
        # An odd function of direction gives real bands only when turned by a quarter.
        turned = spectrum * np.complex64(1j)
        bands += [_picture(turned * oriented, octave.shape) for oriented in octave.oriented]
        spectrum = _lower_half(spectrum, octave.shape) * octave.residual
    return [*bands, _picture(spectrum, _halved(octaves[-1].shape))]


class _Octave(NamedTuple):
    shape: tuple[int, int]
    oriented: tuple[Float32, ...]
    residual: Float32


@lru_cache(maxsize=8)
def _filters(height: int, width: int) -> tuple[_Octave, ...]:
    """Build the high-pass residual's filter, then each octave's oriented ones with its low-pass on the halved grid."""
    shape, scale = (height, width), np.array([2.0, 2.0])
    radius, _, _ = _frequencies(shape, scale)
    octaves = [_Octave(shape, (), _raised(np.log2(radius)))]
    for octave in range(1, LEVELS + 1):
        radius, cos, sin = _frequencies(shape, scale)
        band = _raised(np.log2(radius) + octave)
        angles = np.pi * np.arange(ORIENTATIONS) / ORIENTATIONS
        oriented = tuple(_towards(a, cos, sin) * band for a in angles)
        smaller = _halved(shape)
        scale = scale * np.array(smaller) / np.array(shape)
        low, _, _ = _frequencies(smaller, scale)
        octaves.append(_Octave(shape, oriented, np.sqrt(1 - _raised(np.log2(low) + octave) ** 2)))
        shape = smaller
    return tuple(octaves)


def _towards(angle: float, cos: Float32, sin: Float32) -> Float32:
    """Cube of the cosine of the angle between each frequency and a direction."""
    near = cos * np.float32(np.cos(angle)) + sin * np.float32(np.sin(angle))
    return near * near * near


def _frequencies(shape: tuple[int, int], scale: Float64) -> tuple[Float32, Float32, Float32]:
    """Radius in units of the picture's Nyquist frequency, and the direction's cosine and sine, on the half plane."""
    y = np.fft.fftfreq(shape[0])[:, None].astype(np.float32) * np.float32(scale[0])
    x = np.fft.rfftfreq(shape[1])[None, :].astype(np.float32) * np.float32(scale[1])
    radius = np.hypot(x, y)
    radius[0, 0] = radius[0, 1]
    return radius, x / radius, y / radius


def _raised(octaves: Float32) -> Float32:
    """High-pass amplitude with a raised-cosine power flank from one octave below to 0."""
    return np.asarray(np.sin(np.float32(np.pi / 2) * np.clip(octaves + 1, 0, 1)), dtype=np.float32)


def _halved(shape: tuple[int, int]) -> tuple[int, int]:
    return -(-shape[0] // 2), -(-shape[1] // 2)


def _lower_half(spectrum: Complex64, shape: tuple[int, int]) -> Complex64:
    height, width = _halved(shape)
    rows = np.concatenate((spectrum[: -(-height // 2), : width // 2 + 1], spectrum[-(height // 2) :, : width // 2 + 1]))
    return rows * np.float32(height * width / (shape[0] * shape[1]))


def _picture(spectrum: Complex64, shape: tuple[int, int]) -> Float32:
    return np.asarray(np.fft.irfft2(spectrum, s=shape), dtype=np.float32)
