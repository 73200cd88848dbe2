"""Whose ads a folder holds: what recurs is proposed, what does not or is said by everybody is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from written_runs import FACTS, id_of, write_run

import mediaan as mn
from mediaan.brand.campaign import SETTINGS, BrandProposal, ReadText, brand_proposals, proposal_sentences, propose_name
from mediaan.cli.commands.analyze import closing_lines
from mediaan.report.entries import read_contents
from mediaan.report.run_summary import summarize_contents
from mediaan.review.session import open_review
from mediaan.run import read_run
from mediaan.run.tables.writing import replace_table

SLOGANS = ("Shop now", "Free delivery", "New collection", "Up to 50% off", "Save more today", "Limited offer")


def mark(text: str) -> ReadText:
    return ReadText(text, "branding", text)


def line(text: str) -> ReadText:
    return ReadText(text, "body_text")


def name_of(*ads: Sequence[ReadText]) -> str | None:
    proposal = propose_name({f"{number}.png": ad for number, ad in enumerate(ads)})
    return proposal.name if proposal else None


@pytest.mark.parametrize("name", ["Nordvik", "Casa Verdi", "H&M", "郁美净", "Kühnel"])
def test_a_mark_that_recurs_is_the_name(name: str):
    assert name_of(*([mark(name), line(SLOGANS[n]), line(f"Model {n}")] for n in range(4))) == name


def test_where_the_name_stands_is_told_by_file():
    ads = {
        "a.png": [mark("NORDVIK"), line("Order at www.nordvik.com")],
        "b.png": [mark("Nordvik"), line("follow @nordvik")],
        "c.png": [line("A chair for life")],
    }
    proposal = propose_name(ads)
    assert proposal.name == "Nordvik"
    assert proposal.evidence == {
        "a.png": ("a mark: NORDVIK", "an address: nordvik"),
        "b.png": ("a mark: Nordvik", "a handle: nordvik"),
    }


def test_a_letter_that_is_misread_does_not_part_the_files():
    assert name_of([mark("Goodmayes")], [mark("Goodmayes")], [mark("Goodmaycs")], [mark("Goodrnayes")]) == "Goodmayes"


def test_a_slogan_beside_the_name_is_no_part_of_it():
    assert (
        name_of(*([mark(f"Nordvik {words}")] for words in ("made to last", "Since 1921", "Home", "oak and wool")))
        == "Nordvik"
    )


@pytest.mark.parametrize("slogan", SLOGANS)
def test_what_every_advertiser_says_is_no_name(slogan: str):
    assert name_of(*([line(slogan), line(f"Model {n}")] for n in range(8))) is None


@pytest.mark.parametrize("text", ["info@gmail.com", "facebook.com/ourpage", "@username", "www.yourwebsite.com"])
def test_hosts_and_placeholders_are_no_names(text: str):
    assert name_of(*([line(text)] for _ in range(5))) is None


def test_ads_of_different_advertisers_have_no_common_name():
    names = ("Nordvik", "Casaverdi", "Zelmont", "Quibbly", "Trevanio", "Ostrava Glass")
    assert name_of(*([mark(name), line("Shop now")] for name in names)) is None
    halves = [*([mark("Nordvik")] for _ in range(4)), *([mark("Zelmont")] for _ in range(4))]
    assert name_of(*halves) is None


def test_one_ad_needs_two_places_that_agree():
    assert name_of([mark("Nordvik"), line("www.nordvik.com"), line("Nordvik")]) == "Nordvik"
    assert name_of([line("Nordvik"), line("A chair for life")]) is None
    assert name_of([]) is None
    assert name_of() is None


@pytest.mark.parametrize("word", ["Sale", "Home", "The", "Free"])
def test_a_word_of_many_advertisers_is_no_name_even_in_a_mark(word: str):
    assert name_of(*([mark(word)] for _ in range(5))) is None


def test_signs_that_cannot_be_seen_are_no_part_of_a_name():
    assert name_of(*([mark("\u202eNord\u200bvik")] for _ in range(3))) == "Nordvik"


@pytest.mark.parametrize("text", ["a" * 20_000, "a-" * 10_000, "a." * 10_000, "@" * 20_000, "A b." * 5_000])
def test_a_long_text_takes_no_time_to_speak_of(text: str):
    assert name_of([line(text)], [mark(text)]) is None  # quadratic, it would take minutes


def test_the_order_of_files_and_of_texts_is_nothing():
    ads = {f"{n}.png": [mark("Nordvik"), line(SLOGANS[n]), line("nordvik.com")] for n in range(5)}
    turned = {path: ads[path][::-1] for path in reversed(ads)}
    assert propose_name(ads) == propose_name(turned)


def test_of_a_large_folder_some_files_are_enough():
    ads = {f"{n:05}.png": [mark("Nordvik"), line(f"Chair {n}")] for n in range(2000)}
    proposal = propose_name(ads)
    assert proposal.name == "Nordvik"
    assert len(proposal.evidence) <= SETTINGS.most_files


def run_of(folder: Path, ads: Mapping[str, Sequence[ReadText]], brands: Mapping[str, str] | None = None) -> mn.Run:
    """Write a run in which these texts were read."""
    named = {"said": [{}, *({"brand": {"name": name, "aliases": [], "logos": []}} for name in (brands or {}).values())]}
    named["of"] = {"": 0} | {path: number for number, path in enumerate(brands or {}, 1)}  # type: ignore[dict-item]
    metric = {
        **FACTS["metrics"][0],
        "time": "total",
        "direction": "neutral",
        "caption": "Invented.",
        "reference": "Invented",
    }
    facts = {"objectives": named, "metrics": [metric]}
    write_run(folder, {path: {"focus": 50.0} for path in ads}, areas=dict.fromkeys(ads, ()), facts=facts)
    rows = [
        {
            **dict.fromkeys(("polygon", "t0_s", "t1_s", "line_height_pct", "contrast_ratio", "legible")),
            **{"medium_id": str(id_of(path.rsplit("/", 1)[-1])), "aoi_id": str(id_of(f"{path} {number}"))},
            **{"type": text.type, "label": text.label or "a text", "source": "detected", "method": "text"},
            **{"confidence": 0.7, "x0": 0.1, "y0": 0.1, "x1": 0.5, "y1": 0.2},
            "text": None if text.type == "branding" else text.text,
        }
        for path, texts in ads.items()
        for number, text in enumerate(texts)
    ]
    replace_table(folder, "aois", rows)
    return mn.read_run(folder)


def test_each_folder_is_asked_once_and_named_files_are_left_out(tmp_path: Path):
    ads = {f"spring/nordvik/{n}.png": [mark("Nordvik")] for n in range(3)}
    ads |= {f"spring/zelmont/z{n}.png": [mark("Zelmont")] for n in range(3)}
    ads |= {"spring/zelmont/named.png": [mark("Zelmont")], "spring/poster.png": [line("Coming soon")]}
    proposals = brand_proposals(run_of(tmp_path / "run", ads, {"spring/zelmont/named.png": "Zelmont"}))
    assert [(proposal.folder, proposal.name) for proposal in proposals] == [
        ("spring/nordvik/", "Nordvik"),
        ("spring/zelmont/", "Zelmont"),
    ]
    assert proposals[1].paths == ("spring/zelmont/z0.png", "spring/zelmont/z1.png", "spring/zelmont/z2.png")


def test_a_folder_inside_with_another_name_is_a_question_of_its_own(tmp_path: Path):
    ads = {f"a{n}.png": [mark("Nordvik")] for n in range(8)}
    ads |= {f"guest/z{n}.png": [mark("Zelmont")] for n in range(2)}
    outer, inner = brand_proposals(run_of(tmp_path / "run", ads))
    assert (outer.folder, outer.name, len(outer.paths)) == ("", "Nordvik", 8)
    assert (inner.folder, inner.name, len(inner.paths)) == ("guest/", "Zelmont", 2)


def test_analyze_and_the_report_ask(tmp_path: Path):
    run = run_of(tmp_path / "run", {f"{n}.png": [mark("Nordvik")] for n in range(3)})
    (asked,) = proposal_sentences(run)
    assert asked.startswith("These 3 ads look like those of Nordvik: all show the name.")
    assert asked in closing_lines(run, run.path)
    assert asked in summarize_contents(read_contents(read_run(run.path))).advertisers


def test_the_review_asks_until_the_folder_has_a_brand(tmp_path: Path):
    ads = {
        f"{folder}/{folder}{n}.png": [mark(name)]
        for folder, name in (("a", "Nordvik"), ("b", "Zelmont"))
        for n in range(2)
    }
    run = run_of(tmp_path / "run", ads)
    with open_review(run.path) as review:
        asked = {
            question["path"]: question for question in review.to_dict()["questions"] if question["type"] == "branding"
        }
        assert "These 2 ads in a/ look like those of Nordvik" in asked["a/a0.png"]["why"]
        assert "Zelmont" in asked["b/b1.png"]["why"]
        assert "Nordvik" not in asked["a/a0.png"]["brand"]
        review.answer(asked["a/a0.png"]["id"], "brand_for_folder", brand="Nordvik")
        left = {question["path"]: question["why"] for question in review.to_dict()["questions"]}
    assert not any("look like those of" in why for path, why in left.items() if path.startswith("a/"))


def test_of_many_folders_only_some_are_told(tmp_path: Path):
    names = ("Nordvik", "Zelmont", "Quibbly", "Trevanio", "Ostrava")
    run = run_of(tmp_path / "run", {f"{name}/{name}{n}.png": [mark(name)] for name in names for n in range(2)})
    assert len(brand_proposals(run)) == 5
    assert proposal_sentences(run)[-1] == "2 more folders look like one advertiser's each."


def test_the_question_says_how_many_show_the_name():
    evidence = {"a": ("a mark: ACME",), "b": ("an address: acme",)}
    assert BrandProposal("Acme", "", ("a", "b", "c"), evidence, 0.9).text == (
        "These 3 ads look like those of Acme: 2 show the name."
    )
    assert BrandProposal("Acme", "q/", ("a",), {"a": evidence["a"]}, 0.9).text == (
        "This ad looks like one of Acme (a mark: ACME)."
    )
