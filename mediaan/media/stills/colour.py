"""Convert the pixel formats of image files to 8-bit sRGB on white.

The work is in two halves because scaling lies between them: `scalable` makes pixels that may be averaged, at full
size and as cheaply as possible; `ToSrgb` converts colours, on the few pixels that are left."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageCms

from mediaan.media.stills.coded_colours import CodedColours
from mediaan.types.arrays import Float64, UInt8
from mediaan.types.media import Problem

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
