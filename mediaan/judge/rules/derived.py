"""Add to a result the scores that rules know beyond those of its analysis: of videos, of texts, and as placed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mediaan.aoi.detection.brand_names import names_brand
from mediaan.aoi.legibility import CRITICAL_PRINT_SIZE_DEG, MIN_PRINT_SIZE_DEG, is_pale, text_legibility
from mediaan.aoi.scoring.film_scores import (
    APPEARS,
    BRAND_ATTENTION,
    CHARACTERS_PER_S,
    END_CARD,
    LONG_ENOUGH,
    OPENING_SHOTS,
    WORDS,
    WORDS_PER_S,
    Film,
    characters_per_s,
    count_words,
    end_card_s,
    is_long_enough,
    opening_shots,
    score_film,
    words_per_s,
)
from mediaan.aoi.scoring.main_area import counted_areas, lies_on_object, says_brand
from mediaan.aoi.scoring.specs import PERCENTAGE_SEEN
from mediaan.judge.rules.evaluate import OVERLOOKED_BRAND, Evidence
from mediaan.judge.rules.rule import (
    ATTENTION_LEAD,
    CONTRAST,
    DURATION,
    LEGIBLE,
    MESSAGE_SEEN,
    SCREEN_TIMES,
    SMALL_TEXT,
    Expression,
)
from mediaan.types.aoi import TEXT_TYPES, Aoi
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.metrics import Score
from mediaan.types.placement import PlacementView
from mediaan.types.result import Result

PLACED_COLUMNS = {
    "placement.covered": "covered",
    "placement.cropped": "cropped",
    "placement.text_height": "text_px",
    "placement.x_height": "x_height_arcmin",
}
"""Column of the table placements, and field of a `PlacementView`, that holds each score."""


def needed_tables(expressions: Iterable[Expression]) -> tuple[list[str], set[str]]:
    """Return the tables of a run, and the metrics in them, that results need so that rules can be held against them."""
    expressions = list(expressions)
    tables = ["metrics", "aois", "aoi_scores", "absent_aois", "folds"]
    metrics = {expression.metric for expression in expressions}
    if ATTENTION_LEAD.name in metrics:
        metrics |= {"attention"}
    if MESSAGE_SEEN.name in metrics:
        metrics |= {"percentage_seen"}
    if any(expression.metric in SCREEN_TIMES for expression in expressions):
        tables += ["frames", "scenes", "film", "aoi_tracks"]
        metrics |= {"attention", "percentage_seen"}
    if any(expression.is_placed for expression in expressions):
        tables += ["placements"]
    return tables, metrics


def film_of(result: Result, expressions: Iterable[Expression]) -> Film | None:
    """Return the course of a video where rules ask for it."""
    timed = any(expression.metric in SCREEN_TIMES for expression in expressions)
    return Film.of(result) if timed else None


def with_derived_scores(result: Result, film: Film | None = None, expressions: Iterable[Expression] = ()) -> Result:
    """Return a result with the scores that follow from it.

    `film`: of a video, for scores of what is on screen when.
    `expressions`: rules; scores of areas as placements show them, and those of `DERIVED_OF_MEDIA`, are computed where
        they ask for them.
    """
    expressions = list(expressions)
    placed = [expression for expression in expressions if expression.is_placed]
    aois = tuple(
        replace(
            aoi,
            scores=(
                *aoi.scores,
                *_text_scores(aoi, film),
                *(_as_placed(result.placements, aoi, expression) for expression in placed),
            ),
        )
        for aoi in result.aois or ()
    )
    metrics = {expression.metric for expression in expressions}
    evidence = [find(result) for metric, find in EVIDENCE_OF.items() if metric in metrics & DERIVED_OF_MEDIA]
    scores = (
        *result.scores,
        *(of_medium.score for of_medium in evidence if of_medium and of_medium.score),
        *(_film_scores(film) if film else ()),
        *([_brand_attention(result)] if film is None and BRAND_ATTENTION.name in metrics else ()),
    )
    return replace(result, scores=scores, aois=None if result.aois is None else aois)


SURE_CONFIDENCE = 0.6
"""Least confidence of a detected area that takes part in a comparison of areas; most such areas are right."""

MIN_OBJECT_CONFIDENCE = {"face": 0.9, "person": 0.9, "product": 0.8}
"""Least confidence of objects: detectors find too many people in drawn figures, and take much for a product."""

MESSAGE_TYPES = tuple(name for name, area_type in AREA_TYPES.items() if area_type.carries_message)
"""Types of areas that carry the message of an ad."""


def is_sure(area: Aoi, least: float) -> bool:
    """Return True for areas that were drawn, or detected with at least some confidence, 0-1."""
    return area.confidence is None or area.confidence >= least


def attention_lead(result: Result, aoi_type: str | None = None, least: float = SURE_CONFIDENCE) -> Evidence | None:
    """Return the lead in attention of the strongest area of the message over the strongest other area.

    Returns: without others, the attention of that of the message. None without a message.
    """
    sure = [area for area in result.aois or () if is_sure(area, MIN_OBJECT_CONFIDENCE.get(area.type, least))]
    sells = result.purpose == "conversion"
    message = [area for area in sure if area.type in MESSAGE_TYPES or (sells and area.label == "offer")]
    if (main_text := message_seen(result)) and main_text.area in sure and main_text.area not in message:
        message.append(main_text.area)  # what most viewers read is the message
    words = {area.words for area in message}
    others = [
        area
        for area in sure
        if (area.type == "body_text" or (area.type == "other" and area.label != "platform"))
        and area not in message
        and (area.words is None or area.words not in words)
        and not lies_on_object(area, result.aois or ())
    ]
    if not message:
        return None
    first = max(message, key=lambda area: area.attention)
    if not others:
        return Evidence(Score.of(ATTENTION_LEAD, first.attention), first)
    rival = max(others, key=lambda area: area.attention)
    intervals = [score.bounds for area in (first, rival) if (score := area.score("attention")) and score.bounds]
    arms = [(high - low) / 2 for low, high in intervals]
    arm = math.hypot(*arms) if len(arms) == 2 else 0.0  # errors of the two areas are taken as independent
    lead = first.attention - rival.attention
    return Evidence(Score.of(ATTENTION_LEAD, lead, (lead - arm, lead + arm)), first)


def brand_areas(result: Result, least: float) -> list[Aoi]:
    """Return the marks of the brand, its packs, and texts that say little more than its name."""
    areas = [area for area in counted_areas(result.aois or (), "branding") if is_sure(area, least)]
    packs = (area for area in counted_areas(result.aois or (), "product") if area.shows_brand and is_sure(area, least))
    areas += packs
    spellings = result.brand.spellings if result.brand else ()
    return areas + [area for area in result.aois or () if area not in areas and says_brand(area, spellings)]


def texts_with_name(result: Result) -> list[Aoi]:
    """Return the areas whose text names the brand."""
    brand = result.brand
    names = brand.spellings if brand else ()
    return [area for area in result.aois or () if names_brand(area.words, names)]


def areas_of(result: Result, aoi_type: str | None, least: float) -> list[Aoi]:
    """Return the areas of a type that count, those of `brand_areas` for branding."""
    if aoi_type == "branding":
        return brand_areas(result, least)
    return [area for area in counted_areas(result.aois or (), aoi_type or "") if is_sure(area, least)]


def first_appearance(result: Result, aoi_type: str | None = None, least: float = SURE_CONFIDENCE) -> Evidence | None:
    """Return the first moment of a type on screen, s; a text that names the brand shows it too; None without any."""
    areas = areas_of(result, aoi_type, least)
    if not areas:
        return None
    first = min(areas, key=lambda area: area.t0_s or 0.0)
    return Evidence(Score.of(APPEARS, first.t0_s or 0.0), first)


_WORD = re.compile(r"[^\W\d_]{2}")
"""Two letters, which a percentage sign or an icon has not."""

SMALLEST_MARK = 0.05
"""Least height of a brand's mark that carries the message of an ad, as a share of the medium's."""


def is_too_small(area: Aoi) -> bool:
    """Tell whether a text is hard to read where its medium is seen because of the size of its letters."""
    return area.legible is False and not is_pale(area)


def message_seen(result: Result, aoi_type: str | None = None, least: float = 0.4) -> Evidence | None:
    """Return the share of viewers who see the most-seen text that is large enough to read, or mark of the brand, %.

    Returns: None without any words. Its score is 0, of no area, where all of the text is too small. An area whose words
        were read is a text, however unsure its type.
    """
    texts = [
        area
        for area in result.aois or ()
        if (_WORD.search(area.words) if area.words else area.type in TEXT_TYPES and is_sure(area, least))
        and area.label != "platform"
    ]
    marks = [area for area in brand_areas(result, SURE_CONFIDENCE) if area.box.height >= SMALLEST_MARK]
    areas = {area.aoi_id: area for area in (*texts, *marks) if not is_too_small(area)}
    seen = {aoi_id: area.value("percentage_seen") for aoi_id, area in areas.items()}
    shares = {aoi_id: value for aoi_id, value in seen.items() if value is not None}
    if shares:
        first = areas[max(shares, key=shares.__getitem__)]
        score = first.score(PERCENTAGE_SEEN.name)
        assert score is not None
        return Evidence(replace(score, metric=MESSAGE_SEEN.name), first)
    return Evidence(Score.of(MESSAGE_SEEN, 0.0)) if texts and not areas else None


PAGES = ("website", "email", "mobile_web")
"""Platforms whose media are read at leisure."""

MIN_WORDS = 100
"""Words of an ad from which on the size of most of its text says something."""


def small_text(result: Result, aoi_type: str | None = None, least: float = 0.4) -> Evidence | None:
    """Return the share of letters that are too small to be read with ease, %; None for an ad of few words.

    An ad is read at a glance, and its letters must not slow down readers; pages and letters are read at leisure.
    """
    if sum(count_words(area.words or "") for area in _read_texts(result)) < MIN_WORDS:
        return None
    least_size = MIN_PRINT_SIZE_DEG if result.platform in PAGES else CRITICAL_PRINT_SIZE_DEG
    return Evidence(Score.of(SMALL_TEXT, share_of_small_letters(result, least_size)))


def share_of_small_letters(result: Result, least_size: float = MIN_PRINT_SIZE_DEG) -> float:
    """Return the share of letters that are smaller than a size (height of an x, degrees), %; 0 without text."""
    letters = {True: 0, False: 0}
    for area in _read_texts(result):
        assert area.text is not None
        size = text_legibility(area.text, result.medium, result.platform).x_height_deg
        letters[size < least_size] += len(area.words or "")
    return 100.0 * letters[True] / max(sum(letters.values()), 1)


def _read_texts(result: Result) -> list[Aoi]:
    return [area for area in result.aois or () if area.text and area.words]


DERIVED_OF_MEDIA = frozenset({ATTENTION_LEAD.name, MESSAGE_SEEN.name, SMALL_TEXT.name})
"""Scores of media that `with_derived_scores` adds where rules ask for them."""

EVIDENCE_OF: Mapping[str, Callable[..., Evidence | None]] = {
    ATTENTION_LEAD.name: attention_lead,
    MESSAGE_SEEN.name: message_seen,
    SMALL_TEXT.name: small_text,
    APPEARS.name: first_appearance,
}
"""Functions that find a score for checks, by its name, from a result, a type of area and the least confidence of areas;
all other scores are those of the medium, or of its main area."""


def _brand_attention(result: Result) -> Score:
    """Return the share of attention on the brand of an image; a brand that was not named may be overlooked."""
    value, reason = result.brand_attention, None
    if value is None and "branding" not in result.looked_for:
        reason = "Areas of the type branding were not looked for in it."
    elif value is None and result.brand_known:
        value = 0.0
    elif value is None:
        reason = f"No brand was found, {OVERLOOKED_BRAND}."
    return Score.of(BRAND_ATTENTION, value, reason=reason)


def _film_scores(film: Film) -> Iterator[Score]:
    yield Score.of(DURATION, film.duration_s)
    yield Score.of(OPENING_SHOTS, float(opening_shots(film.shots)))
    yield _end_card(film)
    yield from score_film(film).values()


def _end_card(film: Film) -> Score:
    """Return the seconds of the last ones with the brand or a call to action; an unnamed brand may be overlooked."""
    if not film.looked_for >= {"branding", "call_to_action"}:
        reason = "Areas of the types branding and call_to_action were not looked for in it."
        return Score.of(END_CARD, None, reason=reason)
    marks = (aoi for aoi in film.areas if film.shows_brand(aoi) or aoi.type == "call_to_action")
    seconds = end_card_s([film.on_screen(marks)], film.duration_s)
    if not seconds and not film.brand_known:
        reason = f"Neither brand nor call to action was found in the last 3 s, {OVERLOOKED_BRAND}."
        return Score.of(END_CARD, None, reason=reason)
    return Score.of(END_CARD, seconds)


def _text_scores(aoi: Aoi, film: Film | None) -> Iterator[Score]:
    """Yield whether a text can be read, how fast it must be read, and when an area appears in a video."""
    spans = film.spans.get(aoi.aoi_id, ()) if film else ()
    if spans:
        yield Score.of(APPEARS, spans[0][0])
    if aoi.type not in TEXT_TYPES:
        return
    text = aoi.words
    readable = None if aoi.legible is None else float(aoi.legible)
    contrast = aoi.text.contrast_ratio if aoi.text else None
    yield Score.of(LEGIBLE, readable, reason="Its contrast is not known." if readable is None else None)
    yield Score.of(CONTRAST, contrast, reason="It could not be measured." if contrast is None else None)
    if film is None:
        return
    values = {
        CHARACTERS_PER_S: characters_per_s(text, spans) if text else None,
        WORDS: float(count_words(text)) if text else None,
        WORDS_PER_S: words_per_s(text, spans) if text else None,
        LONG_ENOUGH: float(is_long_enough(text, spans)) if text and spans else None,
    }
    why = "It is never on screen." if text else "The text was not read."
    for spec, value in values.items():
        yield Score.of(spec, value, reason=why if value is None else None)


def _as_placed(views: Sequence[PlacementView], aoi: Aoi, expression: Expression) -> Score:
    """Return how the placements of a medium show an area: the worst of them, or the one that is named."""
    value, reason = None, None
    column = PLACED_COLUMNS[expression.metric]
    of_area = [view for view in views if view.aoi_id == str(aoi.aoi_id)]
    if expression.placement is not None:
        of_area = [view for view in of_area if view.placement == expression.placement]
    values = [value for view in of_area if (value := getattr(view, column)) is not None]
    if not views:
        reason = "The file has no placement; state one in its objectives."
    elif not of_area:
        reason = f"The file is not shown in {expression.placement}."
    elif not values:
        pixels = column == "text_px" and any(view.x_height_arcmin is not None for view in of_area)
        reason = "The placement has no pixels." if pixels else "The area has no text."
    else:
        value = max(values) if expression.spec.direction == "lower" else min(values)
    score = Score.of(expression.spec, value, time=expression.time, reason=reason)
    return replace(score, metric=expression.key)
