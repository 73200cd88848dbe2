"""A brand's name in recognised text: what is it, what is it not, and where it stands."""

import pytest

from mediaan.aoi.detection.brand_names import NameMatch, find_names, names_brand, resembles_name
from mediaan.types.aoi import Box, Brand, TextLine


def line(
    text: str | None, box: tuple[float, float, float, float] = (0.1, 0.1, 0.9, 0.2), sure: float = 0.98
) -> TextLine:
    x0, y0, x1, y1 = box
    return TextLine(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), text, sure)


def found(name: str, text: str) -> tuple[NameMatch, ...]:
    return find_names([line(text)], Brand(name))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Acme", "ACME"),
        ("Acme", "acme®"),
        ("Acme", "ÁCME™"),
        ("Acme", "A C M E"),
        ("Acme", "Acrne"),
        ("Nokia", "N0KlA"),
        ("Visa", "V1SA"),
        ("Gap", "gap"),
        ("H&M", "H & M"),
        ("AT&T", "at&t"),
        ("Ben & Jerry's", "BEN&JERRYS"),
        ("Ben & Jerry's", "Ben Jerry"),
        ("New Balance", "newbalance"),
        ("New Balance", "NewBalance"),
        ("Pepperidge Farm", "PEPPERIDGT FARM"),
        ("Heineken", "Heneken"),
        ("Heineken", "Heinek"),
        ("Lancôme", "LANCOME"),
        ("Nestlé", "NESTLE'"),
        ("Straße", "STRASSE"),
        ("サントリー", "サントリー"),
        ("华为", "华为"),
        ("Яндекс", "ЯНДЕКС"),
    ],
)
def test_a_word_mark_is_found_through_the_mistakes_of_reading(name: str, text: str) -> None:
    (match,) = found(name, text)
    assert match.box == Box(0.1, 0.1, 0.9, 0.2), "a mark alone has the box of its line"
    assert match.confidence > 0.4


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Gap", "gapless"),
        ("Gap", "mind the gap"),
        ("Gap", "Cap"),
        ("Acme", "acne"),
        ("Apple", "Apply now"),
        ("Orange", "orangeade"),
        ("Nivea", "Riviera"),
        ("Visa", "advisable"),
        ("Dove", "clove"),
        ("Oreo", "Ore"),
        ("Burger King", "our burger menu for everyone"),
        ("Whole Foods Market", "MARKET"),
        ("Acme", ""),
        ("Acme", "®"),
    ],
)
def test_other_words_are_not_the_name(name: str, text: str) -> None:
    assert found(name, text) == ()


def test_what_was_not_read_is_passed_over() -> None:
    assert find_names([line(None)], Brand("Acme")) == ()


@pytest.mark.parametrize(
    "text", ["www.acme.com", "acme.de/shop", "@acme", "#acme", "Pay with Acme", "acme application help for you"]
)
def test_addresses_handles_and_running_text_are_no_marks(text: str) -> None:
    assert found("Acme", text) == ()


def test_a_short_line_that_ends_a_paragraph_is_running_text() -> None:
    above = line("the finest coffee that is roasted by", (0.1, 0.1, 0.9, 0.15))
    assert find_names([above, line("Acme", (0.1, 0.16, 0.25, 0.21))], Brand("Acme")) == ()
    assert len(find_names([above, line("Acme", (0.1, 0.6, 0.25, 0.65))], Brand("Acme"))) == 1


def test_a_name_over_two_lines_is_one() -> None:
    lines = [
        line("PAPA", (0.4, 0.1, 0.6, 0.2)),
        line("JOHN'S", (0.35, 0.21, 0.65, 0.31)),
        line("PIZZA", (0, 0.8, 0.2, 0.9)),
    ]
    (match,) = find_names(lines, Brand("Papa John's"))
    assert match.lines == (0, 1)
    assert match.box == Box(0.35, 0.1, 0.65, 0.31)
    assert find_names([lines[0], line("JOHN'S", (0.35, 0.71, 0.65, 0.81))], Brand("Papa John's")) == ()


def test_of_name_and_alias_at_one_place_the_longer_find_is_kept() -> None:
    (match,) = find_names([line("ACME FOODS")], Brand("Acme", ("Acme Foods",)))
    assert match.text == "ACME FOODS"


def test_every_appearance_is_found_and_a_better_reading_is_surer() -> None:
    lines = [
        line("Neutrogena", (0, 0, 0.5, 0.1)),
        line("Neutrogana", (0, 0.4, 0.5, 0.5)),
        line("Skin", (0, 0.8, 1, 0.9)),
    ]
    first, second = find_names(lines, Brand("Neutrogena"))
    assert (first.lines, second.lines) == ((0,), (1,))
    assert first.confidence > second.confidence


@pytest.mark.parametrize(
    ("name", "text", "sure", "expected"),
    [
        ("Massimo Dutti", "Masmo Dett", 0.7, True),
        ("Goodmayes Online", "Goodmuyrs Onlior", 0.8, True),
        ("Paytm", "Payfm", 0.8, True),
        ("Virtuwell", "virtuwell.com", 0.99, True),
        ("Acme", "www.acme.co.uk", 0.99, True),
        ("Zalando", "Zalanda", 0.97, False),  # read surely: another name
        ("Acme", "Acne", 0.6, False),  # of four letters each counts
        ("Heineken", "Heidelberg", 0.6, False),
        ("Acme", "acmestore.com", 0.99, False),
        ("Nike", "", 0.5, False),
    ],
)
def test_lettering_of_a_logo_may_be_misread(name: str, text: str, sure: float, expected: bool) -> None:
    assert resembles_name([line(text, sure=sure)], Brand(name)) == expected


def test_lettering_over_several_lines_is_read_as_one() -> None:
    lines = [line("Goodm", (0.1, 0.1, 0.9, 0.2), 0.8), line("uyrs Onlior", (0.1, 0.2, 0.9, 0.3), 0.8)]
    assert resembles_name(lines, Brand("Goodmayes Online"))
    assert not resembles_name([], Brand("Acme"))


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("EMMA GRACE HOME·IN-HOME SETUP INCLUDED", "Emma Grace Home", True),
        ("SponsoredbyStateFarm", "State Farm", True),
        ("sponsoredbystatefarm", "State Farm", True),
        ("State farming", "State Farm", False),
        ("Bump is the easy way", "Bump", True),
        ("mind the gap", "Gap", False),
        ("gapless", "Gap", False),
        ("www.foodpost.com", "Food Post", True),
        ("visit nike.com/run", "Nike", True),
        ("https://www.zara.com", "Zara", True),
        ("follow @zara_official", "Zara", True),
        ("@bump.app", "Bump", True),
        ("getbump.com", "Bump", True),
        ("apples.com", "Apple", False),
        ("uberall.com", "Uber", False),
        ("televisaunivision.com", "Visa", False),
        ("THE\nSALVATION\nARMY", "The Salvation Army", True),
        ("Salvation Army", "The Salvation Army", True),
        ("Tiffany", "Tiffany & Co.", True),
        ("MCDONALD'S", "McDonald’s", True),
        ("©2022 Gilead Sciences, Inc.", "Gilead", True),
        ("Welcome to TD Personal Banking", "TD", True),
        ("STD rates", "TD", False),
        ("赤尾超薄无套感", "赤尾", True),
    ],
)
def test_a_text_names_a_brand_in_words_joined_words_and_addresses(text: str, name: str, expected: bool) -> None:
    assert names_brand(text, ["", name]) is expected
