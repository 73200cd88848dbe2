"""Add to a result the scores that rules know beyond those of its analysis: of videos, of texts, and as placed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mediaan.aoi.scoring.film_scores import (
    LONG_ENOUGH,
    WORDS,
    WORDS_PER_S,
    Film,
    count_words,
    is_long_enough,
    score_film,
    words_per_s,
)
from mediaan.aoi.scoring.screen_time import (
    APPEARS,
    CHARACTERS_PER_S,
    END_CARD,
    OPENING_SHOTS,
    characters_per_s,
    end_card_s,
    opening_shots,
)
from mediaan.judge.rules.evaluate import OVERLOOKED_BRAND
from mediaan.judge.rules.rule import Expression
from mediaan.judge.rules.scores import DURATION, LEGIBLE
from mediaan.types.aoi import TEXT_TYPES, Aoi
from mediaan.types.metrics import Score
from mediaan.types.result import Result

PLACED_COLUMNS = {
    "placement.covered": "covered",
    "placement.cropped": "cropped",
    "placement.text_height": "text_px",
    "placement.x_height": "x_height_arcmin",
}
"""Column of the table placements that holds each score."""

Row = Mapping[str, Any]


def with_derived_scores(result: Result, film: Film | None = None, placed: Sequence[Expression] = ()) -> Result:
    """Return a result with the scores that follow from it.

    Parameters
    ----------
    result : Result
    film : Film, optional
        Of a video, for scores of what is on screen when.
    placed : sequence of Expression
        What rules ask of areas as placements show them.
    """
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
    scores = result.scores if film is None else (*result.scores, *_film_scores(film))
    return replace(result, scores=scores, aois=None if result.aois is None else aois)


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
    yield Score.of(LEGIBLE, readable, reason="Its contrast is not known." if readable is None else None)
    values = {
        CHARACTERS_PER_S: characters_per_s(text, spans) if text else None,
        WORDS: float(count_words(text)) if text else None,
        WORDS_PER_S: words_per_s(text, spans) if text else None,
        LONG_ENOUGH: float(is_long_enough(text, spans)) if text and spans else None,
    }
    why = "It is never on screen." if text else "The text was not read."
    for spec, value in values.items():
        yield Score.of(spec, value, reason=why if value is None else None)


def _as_placed(rows: Sequence[Row], aoi: Aoi, expression: Expression) -> Score:
    """Return how the placements of a medium show an area: the worst of them, or the one that is named."""
    value, reason = None, None
    column = PLACED_COLUMNS[expression.metric]
    of_area = [row for row in rows if row["aoi_id"] == str(aoi.aoi_id)]
    if expression.placement is not None:
        of_area = [row for row in of_area if row["placement"] == expression.placement]
    values = [row[column] for row in of_area if row[column] is not None]
    if not rows:
        reason = "The file has no placement; state one in its objectives."
    elif not of_area:
        reason = f"The file is not shown in {expression.placement}."
    elif not values:
        pixels = column == "text_px" and any(row["x_height_arcmin"] is not None for row in of_area)
        reason = "The placement has no pixels." if pixels else "The area has no text."
    else:
        value = max(values) if expression.spec.direction == "lower" else min(values)
    score = Score.of(expression.spec, value, time=expression.time, reason=reason)
    return replace(score, metric=expression.key)
