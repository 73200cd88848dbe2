"""Colours that a file states by numbers instead of a profile: code points (CICP), or PNG's gamma and chromaticities."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from mediaan.media.stills.checks import boxes
from mediaan.media.video.tone_mapping import Gamut, encode_srgb, to_srgb
from mediaan.types.arrays import Float64, UInt8

Chromaticities = tuple[float, ...]
"""x and y of white, red, green and blue (CIE 1931)."""

_D65 = (0.3127, 0.3290)
_SRGB: Chromaticities = (*_D65, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06)
_PRIMARIES: Mapping[int, Chromaticities] = {
    1: _SRGB,
    2: _SRGB,  # unspecified
    4: (0.310, 0.316, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08),
    5: (*_D65, 0.64, 0.33, 0.29, 0.60, 0.15, 0.06),
    6: (*_D65, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070),
    7: (*_D65, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070),
    8: (0.310, 0.316, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049),
    9: (*_D65, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046),
    10: (1 / 3, 1 / 3, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0),
    11: (0.314, 0.351, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060),
    12: (*_D65, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060),
    22: (*_D65, 0.630, 0.340, 0.295, 0.605, 0.155, 0.077),
}
"""Of ColourPrimaries (ITU-T H.273, table 2)."""

Curve = Literal["srgb", "smpte240m", "smpte428", "pq", "hlg"]

_OF_CAMERAS = frozenset({1, 6, 11, 14, 15})
"""The family of BT.709. Chromium 156 shows it as sRGB in AVIF, as videos are shown, and in PNG as on the display that
BT.1886 describes."""

_CURVES: Mapping[int, float | Curve] = {
    **dict.fromkeys(_OF_CAMERAS, 2.4),
    2: "srgb",  # unspecified
    4: 2.2,
    5: 2.8,
    7: "smpte240m",
    8: 1.0,
    12: "srgb",
    13: "srgb",
    16: "pq",
    17: "smpte428",
    18: "hlg",
}
"""Of TransferCharacteristics (H.273, table 3)."""
_SRGB_CURVE = 13
_HDR_GAMUTS: Mapping[int, Gamut] = {1: "bt709", 2: "bt2020", 9: "bt2020", 11: "p3", 12: "p3"}

_USUAL_GAMMA, _GAMMA_TOLERANCE = 0.45455, 0.005
"""What writers of sRGB state beside it or instead (PNG, third edition, 11.3.2.5)."""
_SAME_CHROMATICITY = 0.002

_BRADFORD = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
_MAX_CHUNKS = 1000


@dataclass(frozen=True, slots=True)
class CodedColours:
    """A colour space, and how it is encoded."""

    transfer: float | Curve
    """The exponent that decodes to linear light, or the name of a curve."""
    chromaticities: Chromaticities = _SRGB
    """Of white, red, green and blue."""
    gamut: Gamut = "bt709"
    """Of HDR, instead of the chromaticities."""
    is_full_range: bool = True
    """False if black is 16 of 255 and white 235."""

    @property
    def is_srgb(self) -> bool:
        """True if there is nothing to convert."""
        differs = np.abs(np.subtract(self.chromaticities, _SRGB)).max() > _SAME_CHROMATICITY
        return self.transfer == "srgb" and self.is_full_range and not differs

    def to_srgb(self, pixels: UInt8) -> UInt8:
        """Convert (h, w, 3) uint8 pixels to sRGB; colours outside of it are clipped, HDR is tone-mapped."""
        levels = np.arange(256, dtype=np.float64) / 255
        if not self.is_full_range:
            levels = np.clip((255 * levels - 16) / 219, 0, 1)
        if self.transfer == "pq" or self.transfer == "hlg":
            return to_srgb(np.rint(65535 * levels).astype(np.uint16)[pixels], self.transfer, self.gamut)
        linear = _linear(levels, self.transfer)
        return encode_srgb(linear.astype(np.float32)[pixels] @ _to_srgb_matrix(self.chromaticities).T)


def from_code_points(primaries: int, transfer: int, is_full_range: bool) -> CodedColours:
    """Return the colours that code points stand for (ITU-T H.273).

    Raises ValueError: they stand for none that can be converted.
    """
    curve = _CURVES.get(transfer)
    if curve == "pq" or curve == "hlg":
        if gamut := _HDR_GAMUTS.get(primaries):
            return CodedColours(curve, gamut=gamut, is_full_range=is_full_range)
    elif curve is not None and primaries in _PRIMARIES:
        return CodedColours(curve, _PRIMARIES[primaries], is_full_range=is_full_range)
    raise ValueError(f"colour primaries {primaries} with transfer characteristics {transfer} are not converted")


def of_png(data: bytes) -> CodedColours | Literal["profile"] | None:
    """Return the colours that the chunks of a PNG state, in its order of precedence (third edition, 4.3).

    Returns CodedColours, 'profile' or None: 'profile' if that of the file counts; None if it states nothing.
    Raises ValueError: what it states cannot be converted.
    """
    chunks: dict[bytes, bytes] = {}
    at = 8
    for _ in range(_MAX_CHUNKS):
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        if kind in {b"IDAT", b"IEND", b""}:
            break
        chunks.setdefault(kind, data[at + 8 : at + 8 + length])
        at += 12 + length
    if len(code_points := chunks.get(b"cICP", b"")) == 4 and not code_points[2]:
        return from_code_points(code_points[0], code_points[1], bool(code_points[3]))
    if b"iCCP" in chunks:
        return "profile"
    if b"sRGB" in chunks:
        return CodedColours("srgb")
    if len(chunks.get(b"gAMA", b"")) != 4:
        return None
    gamma = int.from_bytes(chunks[b"gAMA"]) / 100_000
    if not gamma:
        raise ValueError("a gamma of 0 is stated")
    chromaticities = _SRGB
    if len(chunks.get(b"cHRM", b"")) == 32:  # browsers take it together with a gamma only
        chromaticities = tuple(value / 100_000 for value in struct.unpack(">8I", chunks[b"cHRM"]))
        _to_srgb_matrix(chromaticities)
    colours = CodedColours("srgb", chromaticities)
    return (
        colours
        if colours.is_srgb and abs(gamma - _USUAL_GAMMA) <= _GAMMA_TOLERANCE
        else replace(colours, transfer=1 / gamma)
    )


def of_heif(data: bytes) -> CodedColours | None:
    """Return the colours that an AVIF or HEIC file states by code points for its main image, or for any.

    Raises ValueError: they cannot be converted.
    """
    meta = dict(boxes(next((content for kind, content in boxes(data) if kind == b"meta"), b"")[4:]))
    parts = dict(boxes(meta.get(b"iprp", b"")))
    properties = list(boxes(parts.get(b"ipco", b"")))
    main = meta.get(b"pitm", b"")
    numbers = _properties_of(int.from_bytes(main[4:]), parts.get(b"ipma", b"")) or range(1, len(properties) + 1)
    for number in numbers:
        kind, content = properties[number - 1] if 0 < number <= len(properties) else (b"", b"")
        if kind == b"colr" and content[:4] == b"nclx" and len(content) >= 11:
            primaries, transfer = struct.unpack_from(">HH", content, 4)
            # samples are RGB in full range by now, whatever was stored
            return from_code_points(primaries, _SRGB_CURVE if transfer in _OF_CAMERAS else transfer, True)
    return None


def _properties_of(item: int, associations: bytes) -> list[int]:
    """Return the numbers of the properties of an item (ItemPropertyAssociationBox, ISO/IEC 23008-12, 9.3)."""
    if len(associations) < 8:
        return []
    id_bytes = 2 if associations[0] < 1 else 4
    is_long = associations[3] & 1
    at = 8
    while at + id_bytes < len(associations):
        identity, count = int.from_bytes(associations[at : at + id_bytes]), associations[at + id_bytes]
        at += id_bytes + 1
        entries = associations[at : at + count * (1 + is_long)]
        at += len(entries)
        if identity == item:
            if is_long:
                return [value & 0x7FFF for (value,) in struct.iter_unpack(">H", entries[: len(entries) // 2 * 2])]
            return [value & 0x7F for value in entries]
    return []


def _linear(levels: Float64, transfer: float | Curve) -> Float64:
    """Decode levels, 0-1, to linear light."""
    match transfer:
        case "srgb":
            linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
        case "smpte240m":
            linear = np.where(levels < 0.0912, levels / 4, ((levels + 0.1115) / 1.1115) ** (1 / 0.45))
        case "smpte428":
            linear = 52.37 / 48 * levels**2.6
        case float():
            linear = levels**transfer
        case _:
            raise ValueError(f"{transfer} is tone-mapped")
    return np.asarray(linear)


def _to_srgb_matrix(chromaticities: Chromaticities) -> Float64:
    """Return the matrix from linear RGB to linear sRGB; white is adapted by the method of Bradford (ICC.1, annex E)."""
    source, white = _xyz_matrix(chromaticities)
    target, d65 = _xyz_matrix(_SRGB)
    cones = np.diag((_BRADFORD @ d65) / (_BRADFORD @ white))
    adapted = np.linalg.inv(_BRADFORD) @ cones @ _BRADFORD @ source
    return np.asarray(np.linalg.inv(target) @ adapted)


def _xyz_matrix(chromaticities: Chromaticities) -> tuple[Float64, Float64]:
    """Return the matrix from linear RGB to CIE XYZ, and white in XYZ (SMPTE RP 177)."""
    white, *primaries = np.reshape(chromaticities, (4, 2))
    columns = np.array([[x, y, 1 - x - y] for x, y in primaries]).T
    if white[1] <= 0 or abs(np.linalg.det(columns)) < 1e-6:
        raise ValueError("the stated chromaticities span no colours")
    white_xyz = np.array([white[0] / white[1], 1.0, (1 - white.sum()) / white[1]])
    return columns * np.linalg.solve(columns, white_xyz), white_xyz
