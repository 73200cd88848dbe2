"""Calls to action by their words: phrases of thirteen languages, misread ones, addresses; and what is none."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from mediaan.aoi.detection.call_to_action import call_to_action_confidence, is_sentence, normalize_phrase

CALLS = {
    "en": ["Shop now", "Learn More", "Get started", "Book a test drive", "Call us today", "Add to cart"],
    "de": ["Jetzt kaufen", "Mehr erfahren", "Zum Angebot", "Probefahrt vereinbaren"],
    "fr": ["J'en profite", "Découvrir la collection", "En savoir plus", "Achetez maintenant"],
    "es": ["Compra ahora", "Más información", "Regístrate", "Descúbrelo"],
    "it": ["Acquista ora", "Scopri di più", "Prenota un test drive"],
    "pt": ["Compre agora", "Saiba mais", "Peça já"],
    "nl": ["Bestel nu", "Meer informatie", "Koop nu"],
    "pl": ["Kup teraz", "Dowiedz się więcej", "Sprawdź ofertę"],
    "sv": ["Köp nu", "Läs mer", "Boka provkörning"],
    "tr": ["Hemen al", "Daha fazla bilgi", "Satın al"],
    "ru": ["Купить сейчас", "Узнать больше", "Оставьте заявку"],
    "zh": ["立即购买", "了解更多", "扫码关注"],
    "ja": ["今すぐ購入", "詳しくはこちら", "お申し込みはこちら"],
}


@pytest.mark.parametrize(("language", "phrase"), [(lang, phrase) for lang, each in CALLS.items() for phrase in each])
def test_phrases(language: str, phrase: str) -> None:
    assert call_to_action_confidence(phrase) >= 0.7, language
    assert call_to_action_confidence(f"{phrase.upper()} >") >= 0.7


def test_the_data_holds_the_languages_that_are_promised() -> None:
    known = json.loads(files("mediaan.aoi.detection").joinpath("call_to_action.json").read_text("utf-8"))
    assert known.keys() == CALLS.keys()
    assert all(len(words["phrases"]) >= 40 and words["openers"] and words["function"] for words in known.values())


@pytest.mark.parametrize("text", ["SHOPNOW", "SH0P NOW", "Leam more", "LEARN M0RE", "Jetzt bestelen", "Découvrlr",
                                  "Orderonline", "Get startcd", "Saiba rnais"])  # fmt: skip
def test_misread(text: str) -> None:
    assert call_to_action_confidence(text) >= 0.7


@pytest.mark.parametrize(
    "text",
    ["www.example.com", "example.co.uk/offers", "Visit us at example.org", "https://example.com", "wwwexample.com",
     "@brand_name", "info@example.com", "Call 1-800-555-0100", "0800 123 456", "+49 (0)30 1234567",
     "1-800-FLOWERS", "EXAMPLEBRANDCOM", "Tel-0800 123 456"],
)  # fmt: skip
def test_addresses_handles_and_telephone_numbers(text: str) -> None:
    assert call_to_action_confidence(text) >= 0.7


@pytest.mark.parametrize(
    "text",
    ["The taste of summer", "Our idea of pop art.", "Ralph Lauren", "Das Beste am Morgen", "24/7", "2010-2011",
     "01.02.2024", "$1,299.00", "1.299.000", "50 % off", "Eau de parfum", "No. 5", "500 ml", "collection", "Nowhere",
     "Order and chaos in the age of the machine", "Telecom", "", "   ", "…", "99", "12:30", "夏の味", "Вкус лета",
     "US-UNBC-0263 02/22", "AB-1234567", "DE-0800-123-456"],
)  # fmt: skip
def test_what_is_no_call(text: str) -> None:
    assert call_to_action_confidence(text) < 0.5


def test_a_verb_alone_is_a_hint() -> None:
    assert 0 < call_to_action_confidence("Order yours") < 0.5
    assert call_to_action_confidence("Order yours") < call_to_action_confidence("Order now")


def test_an_address_deep_in_a_paragraph_is_no_call() -> None:
    text = "Offer valid until the end of the month in all shops that take part, see example.com for the full terms"
    assert call_to_action_confidence(text) < 0.5


@pytest.mark.parametrize("text", ["Our idea of pop art.", "Das ist dein Tag", "Un café pour la vie", "毎日の朝に、"])
def test_sentences(text: str) -> None:
    assert is_sentence(text)


@pytest.mark.parametrize("text", ["Ralph Lauren", "CHANEL", "the", "Coca-Cola", "2024", ""])
def test_names(text: str) -> None:
    assert not is_sentence(text)


def test_compact_is_stable() -> None:
    for text in ("Más información!", "お問い合わせ", "Sprawdź", "ŞİMDİ AL", "IRN-BRU"):
        assert normalize_phrase(normalize_phrase(text)) == normalize_phrase(text)
