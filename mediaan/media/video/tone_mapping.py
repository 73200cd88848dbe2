"""Map HDR and wide-gamut colours to 8-bit sRGB: transfer curve, highlight roll-off, gamut conversion.

Code values are full-range R'G'B'. 203 cd/m², the level of diffuse white in HDR (ITU-R BT.2408), becomes the white of
SDR after a roll-off that keeps everything up to 1000 cd/m² apart; what is brighter is white."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from mediaan.types.arrays import Float64, UInt8

Light: TypeAlias = npt.NDArray[np.floating]
Transfer = Literal["pq", "hlg", "sdr"]
Gamut = Literal["bt709", "bt2020", "p3"]

SDR_WHITE_NITS = 203.0
MASTERED_NITS = 1000.0
"""Peak that most HDR is graded for, and the nominal peak of HLG displays (BT.2100), cd/m²."""

_PQ_M1, _PQ_M2 = 2610 / 16384, 2523 / 4096 * 128
_PQ_C1, _PQ_C2, _PQ_C3 = 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
_HLG_A, _HLG_B, _HLG_C = 0.17883277, 0.28466892, 0.55991073
_HLG_GAMMA = 1.2
_SDR_GAMMA = 2.4
"""Of the reference display of BT.1886."""

_TO_BT709: dict[Gamut, Float64] = {
    # ITU-R BT.2087 for BT.2020; the same derivation from the primaries of SMPTE ST 432-1, white D65.
    "bt2020": np.array([[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]]),
    "p3": np.array([[1.2249, -0.2249, 0.0], [-0.0421, 1.0421, 0.0], [-0.0196, -0.0786, 1.0983]]),
}
_LUMA_2020 = np.array([0.2627, 0.6780, 0.0593])
_ROWS_AT_ONCE = 256


def to_srgb(codes: npt.NDArray[np.uint16], transfer: Transfer, gamut: Gamut) -> UInt8:
    """Convert code values to sRGB.

    HDR is rolled off by the curve of ITU-R BT.2390 on the largest of the three components, which keeps their ratios
    and so the hue. Colours outside the gamut of BT.709 are clipped.

    `codes` (h, w, 3) uint16: full-range R'G'B', 65535 is 1.0.
    `transfer`: SMPTE ST 2084, ARIB STD-B67 (both BT.2100) or the gamma of SDR video.
    Returns (h, w, 3) uint8.

    >>> white = np.full((1, 1, 3), round(0.5807 * 65535), np.uint16)  # 203 cd/m² in PQ
    >>> bool(190 < to_srgb(white, "pq", "bt2020").min() < 235)
    True
    """
    signal = codes.astype(np.float32) / 65535
    if transfer == "sdr":
        # SDR without conversion is shown as sRGB as it is, so it goes back through the curve that it came by.
        linear = _in_bt709(signal**_SDR_GAMMA, gamut)
        return _eight_bits(np.clip(linear, 0, 1) ** (1 / _SDR_GAMMA))
    if transfer == "pq":
        nits = _pq_to_nits(signal)
    else:
        # scene light, then the system gamma of a display of 1000 cd/m² (BT.2100)
        scene = np.where(signal <= 0.5, signal**2 / 3, (np.exp((signal - _HLG_C) / _HLG_A) + _HLG_B) / 12)
        luminance = np.maximum(scene @ _LUMA_2020, 1e-6)[..., None]
        nits = np.asarray(MASTERED_NITS * luminance ** (_HLG_GAMMA - 1) * scene)
    # [0, 1000] cd/m² are compressed to [0, 203] in PQ, linear below the knee (ITU-R BT.2390, section 5.4.1)
    brightest = np.maximum(nits.max(axis=-1, keepdims=True), 1e-4)
    peak = float(nits_to_pq(MASTERED_NITS))
    top = float(nits_to_pq(SDR_WHITE_NITS)) / peak
    knee = 1.5 * top - 0.5
    level = np.clip(nits_to_pq(brightest) / peak, 0, 1)
    t = (level - knee) / (1 - knee)
    hermite = (2 * t**3 - 3 * t**2 + 1) * knee + (t**3 - 2 * t**2 + t) * (1 - knee) + (3 * t**2 - 2 * t**3) * top
    rolled_off = _pq_to_nits(np.where(level < knee, level, hermite) * peak)
    linear = np.clip(_in_bt709(nits * (rolled_off / brightest), gamut) / SDR_WHITE_NITS, 0, 1)
    return encode_srgb(linear)


def encode_srgb(linear: Light) -> UInt8:
    """Encode linear light for a screen (IEC 61966-2-1).

    `linear` (h, ...) array of floats: 0 is black and 1 white; what lies beyond is clipped, not-a-number is black.
    Returns (h, ...) uint8.

    >>> encode_srgb(np.array([[-1.0, 0.0, 0.2159, 1.0, 9.0]], np.float32)).tolist()
    [[0, 0, 128, 255, 255]]
    """
    encoded = np.empty(linear.shape, np.uint8)
    for begin in range(0, len(linear), _ROWS_AT_ONCE):
        light = np.clip(np.nan_to_num(linear[begin : begin + _ROWS_AT_ONCE]), 0, 1)
        curve = np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 0.0031308) ** (1 / 2.4) - 0.055)
        encoded[begin : begin + _ROWS_AT_ONCE] = np.rint(255 * curve)
    return encoded


def nits_to_pq(nits: Light | float) -> Float64:
    """Return the PQ signal, 0-1, of a luminance in cd/m² (SMPTE ST 2084).

    >>> round(float(nits_to_pq(1000.0)), 4), round(float(nits_to_pq(203.0)), 4)
    (0.7518, 0.5807)
    """
    power = (np.asarray(nits, np.float64) / 10000) ** _PQ_M1
    return np.asarray(((_PQ_C1 + _PQ_C2 * power) / (1 + _PQ_C3 * power)) ** _PQ_M2)


def _pq_to_nits(signal: Light) -> Light:
    power = signal ** np.float32(1 / _PQ_M2)
    ratio = np.maximum(power - np.float32(_PQ_C1), 0) / (np.float32(_PQ_C2) - np.float32(_PQ_C3) * power)
    return np.asarray(10000 * ratio ** np.float32(1 / _PQ_M1))


def _in_bt709(linear: Light, gamut: Gamut) -> Light:
    return linear if gamut == "bt709" else linear @ _TO_BT709[gamut].T.astype(linear.dtype)


def _eight_bits(signal: Light) -> UInt8:
    eight: UInt8 = np.rint(255 * signal).astype(np.uint8)
    return eight
