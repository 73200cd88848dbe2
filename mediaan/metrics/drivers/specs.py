"""Name each driver, and say its value in plain words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DriverSpec:
    """A measured property of an image that moves scores.

    Attributes
    ----------
    name : str
        snake_case, as in tables.
    less, more : str
        Words for an image whose value is below, or not below, that of the median image.
    measure : str
        Name of the number.
    unit : str
        As shown behind the number; ``%`` for a share, which is stored as 0-1.
    of : str
        Object of the share.
    digits : int
        Decimals.
    chance : bool
        It is the chance that something is there, which is called so from one half on, whatever the median.
    """

    name: str
    less: str
    more: str
    measure: str
    unit: str = ""
    of: str = ""
    digits: int = 0
    chance: bool = False

    def words(self, value: float, median: float) -> str:
        """Say a value in plain words, beside that of the median image of the reference population.

        Examples
        --------
        >>> DRIVER_SPECS["text_height"].words(0.011, 0.03)
        'small text: smaller lines 1.1 % of the height (median 3.0 %)'
        """
        if self.chance:
            return f"{self.more if value >= 0.5 else self.less}: {self.measure} {self._number(value)}"
        called = self.more if value >= median else self.less
        return f"{called}: {self.measure} {self._number(value)}{self.of} (median {self._number(median)})"

    def _number(self, value: float) -> str:
        shown = 100 * value if self.unit == "%" else value
        return f"{shown:.{self.digits}f}" + (f" {self.unit}" if self.unit else "")


_SPECS = (
    DriverSpec("feature_congestion", "little clutter", "much clutter", "feature congestion", digits=1),
    DriverSpec("ground_congestion", "little clutter", "much clutter", "feature congestion outside text", digits=1),
    DriverSpec("contour_density", "few edges", "many edges", "edge pixels", "%", digits=1),
    DriverSpec("contour_weakness", "clear edges", "faint edges", "weakness of edges", digits=2),
    DriverSpec("contour_congestion", "edges with room around them", "crowded edges", "edges close to others", "%"),
    DriverSpec("region_count", "few regions", "many regions", "regions of even colour"),
    DriverSpec("colour_count", "few colours", "many colours", "distinct colours"),
    DriverSpec("coded_bits", "little detail", "much detail", "size as JPEG", "bit per pixel", digits=2),
    DriverSpec("colourfulness", "pale colours", "strong colours", "colourfulness"),
    DriverSpec("vividness", "muted colours", "vivid colours", "vividness", "%"),
    DriverSpec("warmth", "cool colours", "warm colours", "lean to red and yellow", "%"),
    DriverSpec("luminance_sd", "low contrast overall", "high contrast overall", "spread of light"),
    DriverSpec("white_space", "little empty space", "much empty space", "empty space", "%"),
    DriverSpec("symmetry", "lopsided layout", "symmetric layout", "likeness to its mirror image", "%"),
    DriverSpec("text_share", "little text", "much text", "text", "%", " of the picture", 1),
    DriverSpec("text_height", "small text", "large text", "smaller lines", "%", " of the height", 1),
    DriverSpec("letter_count", "few words", "many words", "letters, estimated"),
    DriverSpec("text_contrast", "faint text", "strong text", "contrast of text", "code values"),
    DriverSpec(
        "text_lightness",
        "type on a dark or coloured ground",
        "type on a light ground",
        "lightness of type and ground",
        "code values",
    ),
    DriverSpec(
        "attended_contrast",
        "what is looked at is faint",
        "what is looked at stands out",
        "its local contrast",
        "code values",
    ),
    DriverSpec("face_presence", "no face to be seen", "a face", "estimated chance of one", "%", chance=True),
    DriverSpec("person_presence", "no person to be seen", "a person", "estimated chance of one", "%", chance=True),
    DriverSpec(
        "gathered_share", "attention on many places", "attention on few places", "the three strongest hold", "%",
        " of attention",
    ),
    DriverSpec(
        "gathered_area", "narrow places of attention", "wide places of attention", "on average", "%", " of the picture",
        1,
    ),
    DriverSpec("concentration", "scattered attention", "gathered attention", "concentration", digits=2),
    DriverSpec(
        "early_concentration", "attention scatters early", "attention gathers early", "concentration in the first 2 s",
        digits=2,
    ),
)  # fmt: skip

DRIVER_SPECS: dict[str, DriverSpec] = {spec.name: spec for spec in _SPECS}
