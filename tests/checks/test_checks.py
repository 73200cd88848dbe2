"""Checks against facts made by hand: what passes, what fails, what is left open, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any
from uuid import UUID

import pytest

from bench.contradictions import contradictions
from mediaan.aoi.legibility import with_legibility
from mediaan.aoi.scoring.main_area import counted_areas, main_area
from mediaan.aoi.scoring.specs import ATTENTION, FIRST_SEEN, PERCENTAGE_SEEN
from mediaan.judge import checks
from mediaan.judge.checks import ScoreWording, check_specs, evaluate_checks, score_wordings
from mediaan.judge.questions import ask
from mediaan.judge.rules.derived import attention_lead, is_too_small, with_derived_scores
from mediaan.judge.rules.evaluate import probability_met
from mediaan.judge.verdict import verdict_of
from mediaan.placements.fit import fit_medium, text_as_shown
from mediaan.types.aoi import FOUND_BY, Aoi, AoiType, Box, TextFacts
from mediaan.types.checks import CheckResult
from mediaan.types.densities import Densities
from mediaan.types.media import Medium
from mediaan.types.metrics import FrameScores, Score
from mediaan.types.placement import BUILT_IN_PLACEMENTS, PlacementView
from mediaan.types.result import Result

_IDS = count(1)


def seen(value: float, half: float = 8.0) -> Score:
    return Score.of(PERCENTAGE_SEEN, value, (value - half, value + half))


def area(
    aoi_type: str,
    value: float = 60.0,
    attention: float = 10.0,
    *,
    label: str = "",
    words: str | None = "Words",
    contrast: float = 8.0,
    legible: bool = True,
    confidence: float | None = 0.95,
    **facts: Any,
) -> Aoi:
    scores = (
        seen(value),
        Score.of(ATTENTION, attention, (attention - 2, attention + 2)),
        Score.of(FIRST_SEEN, 1.0, (0.8, 1.2)),
    )
    text = TextFacts(words, 5.0, contrast, legible)
    facts = {"scores": scores, "text": text, "box": Box(0, 0, 1, 1)} | facts
    return Aoi(UUID(int=next(_IDS)), aoi_type, label, confidence=confidence, method="detector", **facts)  # type: ignore[arg-type]


BRAND = area("branding", label="Acme", words=None)
HEADLINE = area("headline_text", attention=20.0, words="A sofa that fits")
PRODUCT = area("product", words=None)
BUTTON = area("call_to_action", words="Shop now")
WHOLE = (BRAND, HEADLINE, PRODUCT, BUTTON)


def result_of(
    *areas: Aoi,
    purpose: str | None = "conversion",
    moves: bool = False,
    scores: Sequence[Score] = (),
    brand: str | None = "Acme",
    platform: str | None = None,
    looked_for: frozenset[AoiType] = FOUND_BY["all"],
) -> Result:
    medium = Medium(UUID(int=0), "ad", "video" if moves else "image", 30, 20, "png")
    objective = {"purpose": purpose, "platform": platform, "brand": brand and {"name": brand}}
    return Result("ad", medium, tuple(scores), Densities({}), aois=areas, objective=objective, looked_for=looked_for)


def check(*areas: Aoi, **facts: Any) -> dict[str, CheckResult]:
    return {outcome.name: outcome for outcome in evaluate_checks(result_of(*areas, **facts))}


def test_an_ad_with_all_that_it_needs_works():
    outcomes = check(*WHOLE)
    assert {outcome.status for outcome in outcomes.values()} == {"passed"}
    assert verdict_of(outcomes.values()) == "works"
    action = outcomes["action_seen"]
    assert action.text == "60 ± 6 % of viewers see the call to action “Shop now” (minimum: 15 %)."
    assert action.aoi_id == str(BUTTON.aoi_id)


@pytest.mark.parametrize("missing", [BRAND, BUTTON])
def test_conversion_without_brand_or_call_to_action_needs_attention(missing: Aoi):
    outcomes = check(*(area for area in WHOLE if area is not missing))
    assert verdict_of(outcomes.values()) == "attention"


def test_an_ad_that_gives_a_date_may_need_no_call_to_action():
    event = area("body_text", words="Saturday 19 October")
    outcome = check(BRAND, HEADLINE, event)["action_seen"]
    assert (outcome.status, outcome.text) == (
        "unknown",
        "No call to action was found, but “Saturday 19 October” gives a date.",
    )


def test_a_service_needs_no_product():
    outcomes = check(BRAND, HEADLINE, BUTTON)
    assert verdict_of(outcomes.values()) == "works"


@pytest.mark.parametrize("metric", ["clarity", "design", "engagement", "memory"])
def test_opinions_and_estimates_decide_nothing(metric: str):
    low = [Score(1.0, 0.5, 2.0, metric=metric, basis="learned", unit="score")]
    assert check(*WHOLE, scores=low) == check(*WHOLE)


@pytest.mark.parametrize("phrase", ["CLICK HERE", "Book Your Appointment & Make Your Smile"])
def test_a_text_that_may_ask_is_a_question(phrase: str):
    outcome = check(BRAND, PRODUCT, area("headline_text", words=f"SAVE THE INTERNET\n{phrase}"))["action_seen"]
    assert outcome.status == "unknown"
    assert outcome.text == f"“{phrase}” reads like a call to action, but was not found as one."


def test_a_call_to_action_is_only_missing_where_no_text_asks():
    unread = area("body_text", words=None)
    assert check(BRAND, PRODUCT, unread)["action_seen"].status == "unknown"
    missing = check(BRAND, PRODUCT, HEADLINE)["action_seen"]
    assert (missing.status, missing.todo) == ("failed", "Add a call to action. If the ad has one, draw its area.")


def test_a_button_whose_words_ask_for_nothing_is_a_question():
    plate = area("call_to_action", words="LOYAL20", confidence=0.85)
    text = check(BRAND, HEADLINE, plate)["action_seen"].text
    assert text == "“LOYAL20” might be the call to action, but this is too uncertain to judge."
    for sure in (replace(plate, method="wording"), replace(plate, confirmed=True), replace(plate, confidence=0.9)):
        assert check(BRAND, HEADLINE, plate, sure)["action_seen"].aoi_id == str(sure.aoi_id)


def test_brand_building_asks_for_no_action():
    outcomes = check(BRAND, HEADLINE, purpose="brand_building")
    assert "action_seen" not in outcomes
    assert verdict_of(outcomes.values()) == "works"


def test_a_brand_that_was_not_named_is_a_question():
    unnamed = check(HEADLINE, brand=None)["brand_seen"]
    assert (unnamed.status, unnamed.settle) == ("unknown", "Name the brand, or draw its logo.")
    small_mark = area("branding", 3.0, label="Quivelle", words=None)
    assert check(small_mark, HEADLINE, brand=None)["brand_seen"] == unnamed
    assert check(small_mark, brand="Quivelle")["brand_seen"].status == "failed"
    seen_mark = check(area("branding", words=None, confidence=0.95), HEADLINE, brand=None)["brand_seen"]
    assert (seen_mark.status, "see what looks like the brand" in seen_mark.text) == ("passed", True)


def test_a_brand_that_is_nowhere_to_be_read_fails():
    outcome = check(HEADLINE)["brand_seen"]
    assert (outcome.status, outcome.text) == ("failed", "Acme could not be read anywhere, and no mark was recognized.")
    in_hebrew = check(HEADLINE, brand="תנובה")["brand_seen"]
    assert (in_hebrew.status, in_hebrew.text) == ("unknown", "תנובה cannot be read: its letters (Hebrew) are not read.")


def test_a_text_that_says_little_more_than_the_brand_shows_it():
    line = area("body_text", words="ACME·CO")
    outcome = check(HEADLINE, line)["brand_seen"]
    assert outcome.status == "passed"
    assert "see the brand’s name in the text “ACME·CO”" in outcome.text
    tiny = replace(line, text=TextFacts("ACME·CO", 0.8, 8.0, False))
    assert check(HEADLINE, tiny)["brand_seen"].text.startswith("Acme is named only in text that is too small to read")
    long = area(
        "body_text", words="A sofa that was made by Acme to last a lifetime and to be passed on to the children"
    )
    outcome = check(HEADLINE, long)["brand_seen"]
    assert (outcome.status, outcome.text) == (
        "unknown",
        "Acme is named only within the text “A sofa that was made by Acme to last a…”.",
    )
    headline = area("headline_text", words="Acme sofas that fit")
    assert check(headline)["brand_seen"].status == "passed"


@pytest.mark.parametrize(
    ("areas", "brand", "unknown", "asked"),
    [
        ((HEADLINE, BUTTON, area("body_text", words="Sofas by Acme, set up")), "Acme", "brand_seen", "branding"),
        ((HEADLINE, BUTTON), None, "brand_seen", "branding"),
        ((BRAND, HEADLINE, area("body_text", words="Saturday 19 October")), "Acme", "action_seen", "call_to_action"),
    ],
)  # fmt: skip
def test_what_a_required_check_leaves_unknown_is_asked_in_a_review(
    areas: Sequence[Aoi], brand: str | None, unknown: str, asked: str
):
    result = result_of(*areas, brand=brand)
    result = replace(result, checks=evaluate_checks(result))
    assert [outcome.name for outcome in result.checks if outcome.status == "unknown" and outcome.required] == [unknown]
    assert asked in [question.type for question in ask(result)]


def test_nothing_is_asked_of_what_moves():
    result = result_of(HEADLINE, brand=None, moves=True)
    assert ask(replace(result, checks=evaluate_checks(result))) == ()


def test_the_message_is_the_most_seen_text_that_can_be_read():
    large, small = area("headline_text", 40.0), area("body_text", 90.0, legible=False)
    outcome = check(large, small)["message_seen"]
    assert (outcome.status, outcome.aoi_id) == ("failed", str(large.aoi_id))
    assert check(large, replace(small, text=TextFacts("Words", 5.0, 8.0, True)))["message_seen"].status == "passed"
    assert check(small)["message_seen"].text.startswith("No text is large enough to read")


def test_an_ad_of_mostly_small_letters_needs_attention():
    words = "terms and conditions apply " * 30
    small, large = (area("body_text", text=TextFacts(words, height, 8.0)) for height in (3.0, 6.0))
    outcome = check(*WHOLE, small)["text_large_enough"]
    assert (outcome.status, outcome.required) == ("failed", True)
    assert outcome.text.startswith("97 % of the text is too small to be read with ease on a phone")
    assert check(*WHOLE, large)["text_large_enough"].status == "passed"
    assert "text_large_enough" not in check(*WHOLE)


def test_nothing_is_said_of_areas_that_nobody_looked_for():
    outcomes = check(looked_for=frozenset())
    assert {outcome.status for outcome in outcomes.values()} == {"unknown"}
    assert outcomes["message_seen"].settle == "Find areas, or draw it."
    assert outcomes["brand_seen"].text == "Areas were not searched for the brand."
    assert verdict_of(outcomes.values()) == "unknown"


def test_a_doubtful_area_decides_nothing():
    doubtful = area("call_to_action", value=5.0, confidence=0.4)
    assert check(doubtful)["action_seen"].status == "unknown"
    button = replace(area("call_to_action", value=5.0, confidence=0.6), method="wording")
    assert check(button)["action_seen"].text.startswith(
        "Only 5 ± 2 % of viewers see what looks like the call to action"
    )


def test_target_is_met_by_the_odds_of_the_interval():
    spread = 10 / 1.645
    reading = Score.of(ATTENTION, 40.0, (30.0, 50.0))
    expected = 0.5 * (1 + math.erf(10 / spread / math.sqrt(2)))
    assert probability_met(reading, 30.0, minimum=True) == pytest.approx(expected, abs=1e-4)
    assert probability_met(reading, 30.0, minimum=False) == pytest.approx(1 - expected, abs=1e-4)
    assert probability_met(Score.of(ATTENTION, 40.0), 30.0, minimum=True) is None
    clipped = Score.of(ATTENTION, 3.0, (0.0, 23.0))
    assert probability_met(clipped, 0.5, minimum=True) == pytest.approx(
        0.5 * (1 + math.erf(2.5 / (20 / 1.645) / math.sqrt(2))), abs=1e-4
    )


def test_what_small_changes_could_turn_is_too_close_to_call():
    statuses = {value: check(area("call_to_action", value))["action_seen"].status for value in (10.0, 12.0, 18.0, 21.0)}
    assert statuses == {10.0: "failed", 12.0: "close", 18.0: "close", 21.0: "passed"}
    film = check(area("call_to_action", 18.0), moves=True)["action_seen"]
    assert film.status == "passed"  # how far scores of films move was not measured


@pytest.mark.parametrize("line_height_pct", [2.0, 3.0, 4.0, 5.0])
@pytest.mark.parametrize("contrast", [1.5, 2.5, 3.5, None])
@pytest.mark.parametrize("platform", [None, "instagram"])
def test_whether_a_text_can_be_read_is_the_same_wherever_it_is_said(
    line_height_pct: float, contrast: float | None, platform: str | None
):
    """The area's own word, checks, a user's rule, and a placement as large as the usual display."""
    facts = TextFacts("A sofa that fits", line_height_pct, contrast)
    result = result_of(area("headline_text", text=facts), platform=platform)
    (headline,) = with_legibility(result.aois or (), result.medium, result.platform)
    result = replace(result, aois=(headline,))
    outcome = {outcome.name: outcome for outcome in evaluate_checks(result)}["message_legible"]
    expected = {True: "passed", False: "failed", None: "unknown" if contrast is None else "close"}
    assert outcome.status == expected[headline.legible]
    assert ("can be read on" in outcome.text, "hard to read" in outcome.text) == (
        headline.legible is True,
        headline.legible is False,
    )
    assert ("on Instagram" if platform else "phone") in outcome.text or outcome.status == "unknown"
    (judged,) = with_derived_scores(result).aois or ()
    assert judged.value("legible") == (None if headline.legible is None else float(headline.legible))
    fitted = fit_medium(result.medium.width, result.medium.height, BUILT_IN_PLACEMENTS["instagram_feed"])
    shown = text_as_shown(headline, fitted)
    assert shown.readable == headline.legible
    assert is_too_small(headline) == (line_height_pct < 3.4 and contrast != 1.5)


def test_what_makes_a_text_hard_to_read_is_what_should_change():
    small, pale = area("headline_text", legible=False), area("headline_text", contrast=1.8, legible=False)
    assert check(small)["message_legible"].todo == "Make the headline “Words” larger."
    outcome = check(pale)["message_legible"]
    assert (
        outcome.text == "The headline “Words” is hard to read on a phone: its contrast with the background is 1.8 to 1."
    )
    assert outcome.todo == "Make the headline “Words” darker or lighter than its background."


def test_films_are_asked_when_the_brand_appears():
    late = area("branding", label="Acme", words=None, t0_s=4.2)
    outcome = check(late, moves=True)["brand_in_first_seconds"]
    assert (outcome.status, outcome.value, outcome.target) == ("failed", 4.2, 3.0)
    assert check(late, area("branding", t0_s=0.5), moves=True)["brand_in_first_seconds"].status == "passed"
    assert "brand_early" not in check(late, moves=True)


@pytest.mark.parametrize(("end_s", "status"), [(3.0, "passed"), (1.5, "failed")])
def test_a_brand_of_a_film_must_stay_for_two_seconds(end_s: float, status: str):
    brand = area("branding", label="Acme", words=None, t0_s=0.0, t1_s=end_s)
    frames = tuple(FrameScores(t / 10, 0.1, 0, 0.5, 0.5, {}) for t in range(40))
    result = replace(result_of(brand, moves=True, purpose="brand_building"), frames=frames)
    checks = evaluate_checks(result)
    outcome = {outcome.name: outcome for outcome in checks}["brand_long_enough"]
    assert (outcome.status, outcome.required, outcome.value) == (status, True, pytest.approx(end_s, abs=0.11))
    assert verdict_of(checks) == ("works" if status == "passed" else "attention")
    without = evaluate_checks(replace(result, aois=()))
    assert not {"brand_long_enough", "brand_in_first_seconds"} & {outcome.name for outcome in without}


@pytest.mark.parametrize(("end_s", "status"), [(3.0, "passed"), (1.4, "close"), (1.0, "failed")])
def test_a_headline_of_a_film_must_stay_long_enough(end_s: float, status: str):
    """29 characters: 9.7, 20.7 and 29 a second."""
    headline = area("headline_text", words="Slow mornings, quick espresso", t0_s=0.0, t1_s=end_s)
    frames = tuple(FrameScores(t / 10, 0.1, 0, 0.5, 0.5, {}) for t in range(40))
    result = replace(result_of(headline, moves=True), frames=frames)
    outcome = {outcome.name: outcome for outcome in evaluate_checks(result)}["text_long_enough"]
    assert (outcome.status, outcome.required) == (status, True)


def test_a_mark_that_may_be_anybodys_is_not_known():
    doubtful = area("branding", label="Quivelle", confidence=0.5, words=None)
    assert check(doubtful, HEADLINE, PRODUCT, BUTTON, brand=None)["brand_seen"].status == "unknown"
    assert check(doubtful, brand="Quivelle")["brand_seen"].status == "unknown"


def test_brand_seen_and_brand_early_speak_of_the_same_area():
    late = replace(BRAND, scores=(seen(20.0), Score.of(FIRST_SEEN, 3.0)))
    early = replace(BRAND, aoi_id=UUID(int=next(_IDS)), scores=(seen(90.0), Score.of(FIRST_SEEN, 0.5)))
    outcomes = check(late, early, HEADLINE)
    assert {outcomes[name].aoi_id for name in ("brand_seen", "brand_early")} == {str(early.aoi_id)}
    assert outcomes["brand_early"].status == "passed"


def test_the_interface_of_a_platform_and_lone_signs_are_no_message():
    like = area("other", 99.0, label="platform", words="Like Comment Share")
    sign = area("other", 99.0, label="offer", words="%")
    assert check(HEADLINE, like, sign)["message_seen"].aoi_id == str(HEADLINE.aoi_id)
    assert check(like, area("headline_text", words="€ 15.000"))["message_seen"].text == (
        "No words could be read, only “€ 15.000”."
    )
    assert check(like)["message_seen"].text == "No text was found."


def test_a_text_that_was_read_counts_however_unsure_its_type():
    doubtful = area("headline_text", 73.0, confidence=0.38, words="The Brooklyn Mirage")
    mark = area("branding", 17.0, confidence=0.9)
    assert check(mark, doubtful)["message_seen"].aoi_id == str(doubtful.aoi_id)


def lead(*areas: Aoi) -> float | None:
    evidence = attention_lead(result_of(*areas))
    return evidence.score.value if evidence and evidence.score else None


def test_what_competes_with_the_message():
    """No lettering of a pack, no interface of a platform, nothing that repeats the message, and not what most read."""
    message = area("headline_text", 90.0, attention=20.0, words="A sofa that fits")
    terms = area("body_text", attention=31.0, words="Terms and conditions apply", box=Box(0.6, 0.6, 0.7, 0.65))
    pack = area("product", words=None, box=Box(0.5, 0.5, 0.9, 0.9), attention=1.0)
    assert lead(message, terms) == pytest.approx(-11)
    assert lead(message, terms, pack) == 20
    assert lead(message, area("other", attention=50.0, label="platform")) == 20
    assert lead(message, replace(terms, text=message.text)) == 20
    assert lead(message, replace(terms, scores=(seen(95.0), Score.of(ATTENTION, 31.0)))) == 31


def test_objects_count_only_where_surely_found():
    lion = area("person", attention=50.0, confidence=0.87, words=None)
    assert (lead(HEADLINE, lion), lead(HEADLINE, replace(lion, confidence=0.95))) == (20, 50)


def test_lettering_of_a_pack_is_not_to_be_changed_but_the_pack_shown_larger():
    mark = area("branding", 5.0, label="Acme", words=None, box=Box(0.6, 0.6, 0.7, 0.65))
    pack = area("product", words=None, box=Box(0.5, 0.5, 0.9, 0.9))
    assert check(mark)["brand_seen"].todo == "Make the brand “Acme” larger or more prominent."
    assert (
        check(mark, pack)["brand_seen"].todo
        == "Make the brand “Acme”, with the object that it is on, larger or more prominent."
    )


def judged(*areas: Aoi, **facts: Any) -> Result:
    result = result_of(*areas, **facts)
    return replace(
        result, checks=(checks := evaluate_checks(result)), verdict=verdict_of(checks), aois=with_legibility(
            areas, result.medium, result.platform)
    )  # fmt: skip


LARGE = area("headline_text", attention=20.0, text=TextFacts("A sofa that fits", 9.0, 8.0, True))


def contradicting(result: Result) -> set[str]:
    return {kind for kind, _ in contradictions(result)}


def test_contradictions_are_found_and_there_are_none():
    small = replace(LARGE, text=TextFacts("A sofa that fits", 1.0, 8.0, True))  # judged otherwise elsewhere
    assert contradicting(judged(BRAND, LARGE, purpose="brand_building")) == set()
    assert contradicting(judged(BRAND, small, purpose="brand_building")) == {"can be read and hard to read"}
    unnamed = judged(LARGE, purpose="brand_building")
    assert contradicting(replace(unnamed, aois=(*(unnamed.aois or ()), BRAND))) == {"brand there and not found"}
    asking = judged(BRAND, LARGE)
    assert contradicting(replace(asking, aois=(*(asking.aois or ()), BUTTON))) == {
        "call to action there and to be added"
    }
    assert contradicting(replace(asking, verdict="works")) == {"works and fails"}


def test_where_most_text_cannot_be_read_a_missing_call_to_action_is_a_question():
    tiny = area("body_text", text=TextFacts("opening hours and branches", 1.0, 8.0, False))
    assert check(BRAND, tiny)["action_seen"].status == "unknown"
    assert check(BRAND, HEADLINE)["action_seen"].status == "failed"


def test_the_main_area_is_the_most_attended_of_those_as_sure_as_the_surest():
    sure, doubtful = area("branding", attention=4.0), area("branding", attention=30.0, confidence=0.4)
    drawn = area("branding", attention=1.0, confidence=None)
    assert main_area([doubtful, sure], "branding") is sure
    assert counted_areas([sure, area("branding", attention=9.0, confidence=0.5)], "branding")[0].attention == 9.0
    assert counted_areas([sure, drawn], "branding") == [drawn]
    assert main_area([sure], "product") is None


def test_every_check_has_a_reason_and_known_purposes():
    specs = check_specs()
    assert len({spec.name for spec in specs}) == len(specs)
    for spec in specs:
        assert spec.why.endswith(".")
        assert spec.flaw != spec.title
        assert {*spec.asked, *spec.required} <= {"any", "brand_building", "conversion"}
        assert all(rule.metric in score_wordings() for rule in spec.expressions)


@pytest.mark.parametrize(
    ("rule", "finding", "text"),
    [
        (
            "placement.covered(call_to_action) <= 5",
            "The interface covers {value} of {area}",
            "The interface covers 20 % of the call to action “Shop now” (maximum: 5 %).",
        ),
        ("branding.count >= 2", "Marks: {value}", "Marks: 1 (minimum: 2)."),
        (
            "branding.on_screen_s >= 2",
            "The brand is there for {value}",
            "The brand is there for 1.0 s (minimum: 2.0 s).",
        ),
    ],
)
def test_a_check_of_a_known_score_is_one_entry(
    rule: str, finding: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = replace(check_specs()[0], rules=(rule,), media=("image", "film"))
    brand = replace(BRAND, t0_s=1.0, t1_s=2.0)
    covered = PlacementView("feed", str(BUTTON.aoi_id), cropped=0.0, covered=20.0)
    frames = tuple(FrameScores(t, 0.5, 0, 0.5, 0.5, {}) for t in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5))
    result = replace(result_of(brand, BUTTON, moves=True), placements=(covered,), frames=frames)
    monkeypatch.setattr(checks, "check_specs", lambda: (spec,))
    monkeypatch.setattr(checks, "score_wordings", lambda: {spec.expressions[0].metric: ScoreWording(finding)})
    (outcome,) = evaluate_checks(result)
    assert (outcome.status, outcome.text) == ("failed", text)
