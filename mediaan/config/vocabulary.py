"""Words that objectives may use; a file can add its own under ``values``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

BUILT_IN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "purpose": ("brand_building", "conversion"),
        "platform": (
            "amazon",
            "display",
            "email",
            "facebook",
            "google_ads",
            "instagram",
            "linkedin",
            "out_of_home",
            "packaging",
            "pinterest",
            "print",
            "snapchat",
            "tiktok",
            "tv",
            "website",
            "x",
            "youtube",
        ),
        "industry": (
            "alcohol",
            "automotive",
            "beauty_personal_care",
            "beverages",
            "education",
            "electronics_technology",
            "entertainment_media",
            "fashion_apparel",
            "finance_insurance",
            "food",
            "gaming",
            "health_pharma",
            "home_household",
            "public_service_ngo",
            "retail_ecommerce",
            "sports_fitness",
            "telecommunications",
            "travel_leisure",
        ),
        "usecase": ("advertisement", "landing_page", "packaging", "point_of_sale", "product_page", "social_post"),
    }
)
EXTENDABLE = ("platform", "industry", "usecase")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Valid values by kind of setting."""

    words: Mapping[str, tuple[str, ...]]

    def extended(self, more: Mapping[str, Iterable[str]]) -> Vocabulary:
        """The same with words added."""
        return Vocabulary({kind: (*known, *more.get(kind, ())) for kind, known in self.words.items()})


BUILT_IN_VOCABULARY = Vocabulary(BUILT_IN)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant, or None.

    Examples
    --------
    >>> nearest("Conversoin", ["brand_building", "conversion"])
    'conversion'
    """
    plain = word.strip().lower().replace("-", "_").replace(" ", "_")[:60]
    matches = get_close_matches(plain, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` or nothing, to end a sentence with."""
    guess = nearest(word, known)
    return f"; did you mean {guess!r}?" if guess else ""
