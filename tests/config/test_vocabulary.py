"""The words of objectives: the table, its page, and what is said to other words."""

from __future__ import annotations

import pytest

from mediaan.config.objectives import ObjectivesConfig
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY, EXTENDABLE

KINDS = ("purpose", "platform", "industry", "usecase")
NACE_SECTIONS = {
    "A": (1, 3), "B": (5, 9), "C": (10, 33), "D": (35, 35), "E": (36, 39), "F": (41, 43), "G": (45, 47), "H": (49, 53),
    "I": (55, 56), "J": (58, 63), "K": (64, 66), "L": (68, 68), "M": (69, 75), "N": (77, 82), "O": (84, 84),
    "P": (85, 85), "Q": (86, 88), "R": (90, 93), "S": (94, 96),
}  # fmt: skip
"""First and last division of each section of NACE Rev. 2 (Eurostat 2008); T is households, U embassies."""


def test_every_subcategory_and_other_name_belongs_somewhere() -> None:
    for kind in KINDS:
        words = BUILT_IN_VOCABULARY.built_in[kind]
        assert all(word.subcategories for word in words.values()) == (kind in ("industry", "usecase"))
        others = [name for word in words.values() for name in word.also]
        assert not set(others) & set(words), "a word means itself"


def test_industries_hold_every_section_of_firms_and_organisations() -> None:
    divisions = {int(code) for word in BUILT_IN_VOCABULARY.built_in["industry"].values() for code in word.nace}
    known = {code for first, last in NACE_SECTIONS.values() for code in range(first, last + 1)}
    assert divisions <= known
    for section, (first, last) in NACE_SECTIONS.items():
        assert divisions & set(range(first, last + 1)), section


@pytest.mark.parametrize(
    ("kind", "written", "meant"),
    [
        ("purpose", "Brand Building", "brand_building"),
        ("purpose", "brand-building", "brand_building"),
        ("purpose", "BRAND_BUILDING", "brand_building"),
        ("purpose", "Markenaufbau", "brand_building"),
        ("purpose", "notoriété", "brand_building"),
        ("purpose", "awareness", "brand_building"),
        ("purpose", "Konversion", "conversion"),
        ("purpose", "performance", "conversion"),
        ("platform", "Twitter", "x"),
        ("platform", "Instagram Stories", "instagram_story"),
        ("platform", "instagran", "instagram"),
        ("platform", "OOH", "out_of_home"),
        ("platform", "connected TV", "ctv"),
        ("platform", "YouTube-Shorts", "youtube_shorts"),
        ("industry", "Food & Drink", "food"),
        ("industry", "Lebensmittel", "food"),
        ("industry", "automotiv", "automotive"),
        ("usecase", "advertisment", "advertisement"),
        ("usecase", "chart", "infographic"),
    ],
)
def test_the_nearest_valid_word_is_named(kind: str, written: str, meant: str) -> None:
    said = BUILT_IN_VOCABULARY.complaint(kind, written)
    assert said.startswith(f"{written!r} is no known {kind}; did you mean {meant!r}?")
    assert (f"Your own words go under values.{kind}" in said) == (kind in EXTENDABLE)


def test_every_built_in_word_is_valid_and_every_other_name_leads_to_its_word() -> None:
    for kind in KINDS:
        for name, word in BUILT_IN_VOCABULARY.built_in[kind].items():
            assert BUILT_IN_VOCABULARY.complaint(kind, name) is None
            for other in word.also:
                assert f"did you mean {name!r}?" in (BUILT_IN_VOCABULARY.complaint(kind, other) or ""), other
            for division in word.subcategories:
                assert BUILT_IN_VOCABULARY.subcategory_complaint(kind, name, division) is None


def test_a_subcategory_of_another_category_is_told_apart() -> None:
    said = BUILT_IN_VOCABULARY.subcategory_complaint("industry", "food", "coffee")
    assert said == "'coffee' is no known subcategory of 'food'; it is one of 'beverages'"


def test_words_of_one_s_own_are_valid_beside_the_built_in_ones() -> None:
    own = BUILT_IN_VOCABULARY.extended({"industry": ["hearing_aids"], "industry_subcategory": ["vegan"]})
    settings = {"defaults": {"industry": {"category": "hearing_aids", "subcategory": "vegan"}}}
    assert ObjectivesConfig.model_validate(settings, context=own).defaults.industry is not None
    assert own.complaint("industry", "hearing_aid") == (
        "'hearing_aid' is no known industry; did you mean 'hearing_aids'? Your own words go under values.industry"
    )
    assert BUILT_IN_VOCABULARY.complaint("industry", "hearing_aids") is not None, "a file adds words for itself alone"


@pytest.mark.parametrize("hostile", ["", " ", "x" * 100_000, "\x00", "{}", "food/", "/", "&", "𝔣𝔬𝔬𝔡"])
def test_nonsense_gets_a_short_answer(hostile: str) -> None:
    for kind in KINDS:
        assert len(BUILT_IN_VOCABULARY.complaint(kind, hostile) or "") < 400
