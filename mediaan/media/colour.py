"""Convert the pixel formats and colours of files to 8-bit sRGB on white.

The work is in two halves because scaling lies between them: `scalable` makes pixels that may be averaged, at full
size and as cheaply as possible; `ToSrgb` converts colours, on the few pixels that are left. A file states its colours
by a profile or by numbers: code points (CICP), or PNG's gamma and chromaticities.

HDR and wide gamuts are mapped: transfer curve, highlight roll-off, gamut conversion. Code values are full-range
R'G'B'. 203 cd/m², the level of diffuse white in HDR (ITU-R BT.2408), becomes the white of SDR after a roll-off that
keeps everything up to 1000 cd/m² apart; what is brighter is white.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageCms

from mediaan.media.image_checks import boxes
from mediaan.types.arrays import Float64, UInt8
from mediaan.types.media import Problem

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


_KEY_FACTORS = {"L;2": 85, "L;4": 17}
"""Pillow widens 2- and 4-bit grey to 8 bits but leaves the transparent grey of PNG as it was."""

_MULTIPLIED = {"LA": "La", "RGBA": "RGBa"}
_SEPARATE = {"La": "LA", "RGBa": "RGBA"}
_PROFILE_MODES = {"GRAY": "L", "RGB ": "RGB", "CMYK": "CMYK"}
_PROFILES_KEPT = 16


def scalable(image: Image.Image, rawmode: str) -> Image.Image:
    """Convert a decoded image to a mode whose pixels may be averaged.

    `image`: decoded, in any mode but wide integers and floats (see `narrowed`).
    `rawmode`: pillow's name for the stored samples, such as ``L;2``.
    Returns: in mode L, La, RGB, RGBa (colours multiplied by opacity) or CMYK.
    """
    if "transparency" in image.info and image.mode in {"1", "L", "RGB"}:
        # PNG's one transparent colour, at the depth that Pillow decodes to; of 16 bits it keeps the upper 8
        key = image.info["transparency"]
        if isinstance(key, int):
            image.info["transparency"] = key * _KEY_FACTORS.get(rawmode, 1)
        elif isinstance(key, tuple) and ";16" in rawmode:
            image.info["transparency"] = tuple(value >> 8 for value in key)
        image = image.convert("RGBA" if image.mode == "RGB" else "LA")
    elif image.mode == "1":
        image = image.convert("L")
    elif image.mode == "PA" or "transparency" in image.info:
        image = image.convert("RGBA")
    elif image.mode not in {"L", "LA", "La", "RGB", "RGBA", "RGBa", "CMYK"}:
        image = image.convert("RGB")
    return image.convert(_MULTIPLIED[image.mode]) if image.mode in _MULTIPLIED else image


def separate(image: Image.Image) -> Image.Image:
    """Divide colours by the opacity with which they were multiplied: mode La to LA, RGBa to RGBA, others untouched."""
    return image.convert(_SEPARATE[image.mode]) if image.mode in _SEPARATE else image


def narrowed(samples: npt.NDArray[Any], white: float, *, inverted: bool = False, key: int | None = None) -> Image.Image:
    """Rescale wide grey samples to 8 bits by the range of their type.

    `samples` (h, w) array of integers or floats: 0 is black, or white if `inverted`. What lies outside [0, white] is
        clipped; not-a-number is 0.
    `white`: the sample that is white: the largest of its type for integers.
    `key`: the one sample that is transparent.
    Returns: in mode L, or LA if there is a key; both are for `scalable` to take on.

    >>> import numpy as np
    >>> list(narrowed(np.array([[0, 128, 129, 32768, 65535]], np.uint16), 65535.0).tobytes())
    [0, 0, 1, 128, 255]
    """
    if samples.dtype.itemsize <= 2:
        grey = _scaled(np.arange(65536, dtype=np.float64), white)[samples]
    else:
        grey = _scaled(samples.astype(np.float64), white)
    image = Image.fromarray(255 - grey if inverted else grey)
    if key is not None:
        image.putalpha(Image.fromarray(np.where(samples == key, 0, 255).astype(np.uint8)))
    return image


class ToSrgb:
    """The conversion of one image's colours to sRGB on white.

    `mode`: one of those that `scalable` returns.
    `colours`: the ICC profile of the file, or what it states instead.
    `problem`: the reason if the profile could not be used, whereupon colours are taken as sRGB (ink as plain
        complements); or that HDR was tone-mapped.
    """

    def __init__(self, mode: str, colours: bytes | CodedColours | None) -> None:
        self.problem: Problem | None = None
        self._transform: ImageCms.ImageCmsTransform | None = None
        self._coded: CodedColours | None = None
        self._mode = mode.removesuffix("a")
        if isinstance(colours, CodedColours):
            if not colours.is_srgb:
                self._mode, self._coded = "RGB", colours
            if colours.transfer in {"pq", "hlg"}:
                message = f"the image is HDR ({str(colours.transfer).upper()}); it was tone-mapped to SDR"
                self.problem = Problem("tone_mapped", message)
        elif colours:
            try:
                self._mode, self._transform = _transform(colours, self._mode)
            except (ImageCms.PyCMSError, OSError, ValueError) as error:
                message = f"the colour profile could not be used ({error}); colours were taken as sRGB"
                self.problem = Problem("colour_profile_ignored", message)

    def __call__(self, image: Image.Image) -> Image.Image:
        """Convert an image in the mode that was stated to mode RGB."""
        image = separate(image)
        alpha = image.getchannel("A") if image.mode in _MULTIPLIED else None
        colours = image if image.mode == self._mode else image.convert(self._mode)
        if self._coded:
            converted = Image.fromarray(self._coded.to_srgb(np.asarray(colours)))
        else:
            converted = self._transform.apply(colours) if self._transform else colours.convert("RGB")
        if alpha is None:
            return converted
        page = Image.new("RGB", image.size, "white")
        page.paste(converted, mask=alpha)
        return page


@lru_cache(maxsize=_PROFILES_KEPT)
def _transform(profile: bytes, mode: str) -> tuple[str, ImageCms.ImageCmsTransform]:
    """Return the mode that a profile is for, and the conversion to sRGB."""
    source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    space = source.profile.xcolor_space
    wanted = _PROFILE_MODES.get(space)
    # Grey images with an RGB profile are common; the grey axis of such a profile is well defined.
    if wanted is None or (wanted != mode and (mode, wanted) != ("L", "RGB")):
        raise ValueError(f"it is for {space.strip()} and the image is {mode}")
    return wanted, ImageCms.buildTransform(
        source,
        ImageCms.createProfile("sRGB"),
        wanted,
        "RGB",
        ImageCms.Intent.RELATIVE_COLORIMETRIC,
        ImageCms.Flags.BLACKPOINTCOMPENSATION,
    )


def _scaled(samples: Float64, white: float) -> UInt8:
    return np.rint(np.clip(np.nan_to_num(samples), 0, white) * (255 / white)).astype(np.uint8)
