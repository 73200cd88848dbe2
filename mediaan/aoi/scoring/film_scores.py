"""Score a video as an ad: its brand, texts, faces and pace, and whether it can be followed without sound.

Everything follows from when areas and shots are on screen and from the scores of the areas; no frame is looked at
again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from typing import NamedTuple

from mediaan.aoi.scoring.screen_time import Span, merge_spans, seconds_within
from mediaan.types.aoi import TEXT_TYPES, AoiType, Box
from mediaan.types.metrics import MetricSpec

READING_WORDS_PER_S = 3.0
"""180 words a minute: the upper end of the 160-180 that the BBC recommends for subtitles, and the lower end of the
175-300 in which most adults read English non-fiction silently (Brysbaert 2019; their mean is 238)."""

READING_CHARACTERS_PER_S = 17.0
"""Between the 16 and 20 at which viewers read subtitles (Szarkowska & Gerber-Morón 2018), for texts of long words."""

END_CARD_LEAST_S, END_CARD_MOST_S = 1.0, 10.0
"""A last shot that is shorter or longer is no end card: this project's bounds."""

USUAL_END_CARD_S = 3.0
"""Seconds at the end that count as the end card where the last shot is none."""

CARD_APPEARS_S = 0.5
"""What comes up within this time after the cut to the end card is there at the cut: marks often fade in."""

_LAST_FRAME_S = 0.1  # before the end that still counts as the last frame, of times that people gave
_SAME_PLACE = 0.5  # share of the smaller of two boxes that the larger one covers, where they are one place
_WORD = re.compile(r"\w(?:[\w'’.,:/@&+-]*\w)?")
_NONE_FOUND = "There is no such area."
_OVERLOOKED = (
    "No brand was found, but the brand was not named, or not in letters that are read: name it, or draw the area."
)

_TRACKED = "Samples at which areas are visible; five a second unless `--fps` says otherwise."
_READING = (
    "3 words and 17 characters a second. Subtitles: 160-180 words a minute (BBC Subtitle Guidelines). Silent reading: "
    "175-300 words a minute (Brysbaert 2019, J. Mem. Lang. 109, 104047). Characters: Szarkowska & Gerber-Morón (2018), "
    "PLOS ONE 13, e0199331."
)
_SHOTS = "Shots as detected: docs/videos.md."


def _measured(
    name: str, title: str, unit: str, high: float, direction: str, caption: str, reference: str = _TRACKED
) -> MetricSpec:
    return MetricSpec(name, title, unit, 0, high, direction, "measured", caption, reference)  # type: ignore[arg-type]


_ANY = float("inf")

WORDS = _measured("words", "Words", "count", _ANY, "lower", "Number of words of a text. Videos only.", "Counted.")
WORDS_PER_S = _measured(
    "words_per_s",
    "Words a second",
    "1/s",
    _ANY,
    "lower",
    "Words a second that a viewer has to read to finish the text while it is on screen. Videos only.",
    _READING,
)
LONG_ENOUGH = _measured(
    "long_enough",
    "Long enough to read",
    "count",
    1,
    "higher",
    "1 for a text that is on screen for as long as it takes to read it, otherwise 0. Videos only.",
    _READING,
)
AOI_FILM_SCORES: tuple[MetricSpec, ...] = (WORDS, WORDS_PER_S, LONG_ENOUGH)

BRAND_ON_SCREEN = _measured(
    "brand_on_screen_s",
    "Brand on screen",
    "s",
    _ANY,
    "higher",
    "Seconds during which the brand is on screen: its mark, or a text that names it.",
)
BRAND_SHARE = _measured(
    "brand_share", "Brand, share of time", "%", 100, "higher", "Share of the video during which the brand is on screen."
)
BRAND_APPEARS = _measured(
    "brand_appears_s", "First brand moment", "s", _ANY, "lower", "When the brand is first on screen."
)
BRAND_AT_CARD = _measured(
    "brand_at_end_card",
    "Brand at the cut to the end card",
    "count",
    1,
    "higher",
    "1 if the brand is on screen within half a second after the cut to the end card, otherwise 0.",
    "End card: the last shot if it lasts 1 to 10 s and is not the only one, otherwise the last 3 s.",
)
BRAND_AT_END = _measured(
    "brand_at_end", "Brand at the last frame", "count", 1, "higher", "1 if the brand is there at the end, otherwise 0."
)
BRAND_ATTENTION = _measured(
    "brand_attention",
    "Attention on the brand while shown",
    "%",
    100,
    "higher",
    "Share of attention that goes to the brand while it is on screen.",
    "Attention of all brand areas over the seconds of any; of two at one place the larger one counts.",
)
BRAND_SEEN = MetricSpec(
    "brand_seen",
    "Brand seen by",
    "%",
    0,
    100,
    "higher",
    "learned",
    "Share of viewers who look at the brand while it is on screen, at its most seen area.",
    "`percentage_seen` of that area: docs/aoi_scores.md.",
)
TEXTS = _measured("texts", "Texts", "count", _ANY, "middle", "Headlines, body texts and calls to action.", "Counted.")
TEXTS_TOO_SHORT = _measured(
    "texts_too_short",
    "Texts not long enough to read",
    "count",
    _ANY,
    "lower",
    "Texts that take longer to read than they are on screen.",
    _READING,
)
TEXT_SHARE = _measured(
    "text_share",
    "Legible text, share of time",
    "%",
    100,
    "higher",
    "Share of the video during which a legible text or the brand is on screen.",
)
TEXT_SHOTS = _measured(
    "text_shots",
    "Shots with legible text",
    "%",
    100,
    "higher",
    "Share of shots in which a legible text or the brand is on screen.",
)
FACES = _measured(
    "faces_on_screen_s", "Faces on screen", "s", _ANY, "higher", "Seconds during which any face is on screen."
)
FACE_APPEARS = _measured(
    "face_appears_s", "First face", "s", _ANY, "lower", "When a face is first on screen, from the beginning."
)
LARGEST_FACE = _measured(
    "largest_face", "Largest face", "%", 100, "higher", "Largest share of the frame that the box of a face takes."
)
SHOTS = _measured("shots", "Shots", "count", _ANY, "middle", "Number of shots.", _SHOTS)
SHOTS_PER_MIN = _measured("shots_per_min", "Shots a minute", "1/min", _ANY, "middle", "Shots per duration.", _SHOTS)
MEAN_SHOT = _measured("mean_shot_s", "Mean shot", "s", _ANY, "middle", "Mean duration of a shot.", _SHOTS)
LONGEST_SHOT = _measured("longest_shot_s", "Longest shot", "s", _ANY, "middle", "Duration of the longest shot.", _SHOTS)
FIRST_CUT = _measured("first_cut_s", "First cut", "s", _ANY, "lower", "When the second shot begins.", _SHOTS)
HAS_AUDIO = _measured(
    "has_audio",
    "Audio track",
    "count",
    1,
    "middle",
    "1 if the file has an audio track, otherwise 0. Nothing is listened to: the track may be silent.",
    "The streams of the file.",
)
TOLD_SILENTLY = MetricSpec(
    "told_without_sound",
    "Message told without sound",
    "count",
    0,
    1,
    "higher",
    "proxy",
    "1 if the brand is on screen, and a headline or call to action is legible and on screen long enough to be read; "
    "otherwise 0. An estimate: whether the words say enough is not judged.",
    "A rule of this project; that most video in feeds starts without sound: Facebook IQ (2016).",
)
FILM_SCORES: tuple[MetricSpec, ...] = (
    *(BRAND_ON_SCREEN, BRAND_SHARE, BRAND_APPEARS, BRAND_AT_CARD, BRAND_AT_END, BRAND_ATTENTION, BRAND_SEEN),
    *(TEXTS, TEXTS_TOO_SHORT, TEXT_SHARE, TEXT_SHOTS, FACES, FACE_APPEARS, LARGEST_FACE),
    *(SHOTS, SHOTS_PER_MIN, MEAN_SHOT, LONGEST_SHOT, FIRST_CUT, HAS_AUDIO, TOLD_SILENTLY),
)
"""Scores of a whole video, as columns of the table ``film``; durations of areas as `screen_time` measures them."""


class FilmScore(NamedTuple):
    """A score with its 90 % interval, where it has one; without a value there is a reason."""

    value: float | None
    lo: float | None = None
    hi: float | None = None
    reason: str | None = None


UNKNOWN = FilmScore(None, reason="It is not known.")


@dataclass(frozen=True, slots=True)
class FilmArea:
    """An area of a video."""

    type: AoiType
    spans: Sequence[Span]
    """When it is on screen, s."""
    box: Box
    """Where it is."""
    largest: float = 0.0
    """Largest share of the frame that it takes, 0-1."""
    shows_brand: bool = False
    """Whether it is a mark of the brand, or a text that names it."""
    text: str | None = None
    """None for a text that was not read, and for everything else."""
    legible: bool | None = None
    """Of a text; None where it is not known."""
    attention: float | None = None
    """Share of all attention of the whole video, %."""
    seen: FilmScore = UNKNOWN
    """Share of viewers who see it, %."""

    @property
    def is_text(self) -> bool:
        """True for headlines, body texts and calls to action."""
        return self.type in TEXT_TYPES

    @property
    def may_be_read(self) -> bool:
        """True for a text that is not known to be illegible."""
        return self.is_text and self.legible is not False

    @property
    def seconds(self) -> float:
        """For how long it is on screen, s."""
        return seconds_within(self.spans, 0.0, _ANY)


@dataclass(frozen=True, slots=True)
class FilmFacts:
    """What is known of a video."""

    duration_s: float
    """Above 0."""
    shots: Sequence[float]
    """When each shot begins, s."""
    areas: Sequence[FilmArea]
    looked_for: Collection[AoiType]
    """Types of areas that would have been found if they were there."""
    brand_named: bool
    """Whether the brand was named in letters that are read, or areas were drawn: then a brand that was not found is not
    there."""
    has_audio: bool | None = None
    """Whether the file has an audio track; None where it is not known."""

    @property
    def shot_spans(self) -> list[Span]:
        """From when to when each shot lasts."""
        return list(pairwise([*self.shots, self.duration_s]))


def count_words(text: str) -> int:
    """Count words: runs of letters and digits between spaces. Scripts without spaces count as one word a line.

    Examples
    --------
    >>> count_words("20 % off\\nuntil Sunday!"), count_words("Don't e-mail – call")
    (4, 3)
    """
    return len(_WORD.findall(text))


def reading_s(text: str) -> float:
    """Return the seconds that it takes to read a text beside the picture.

    Examples
    --------
    >>> reading_s("New: Tolma oil"), round(reading_s("Geschwindigkeitsbegrenzung"), 2)
    (1.0, 1.53)
    """
    return max(count_words(text) / READING_WORDS_PER_S, len(" ".join(text.split())) / READING_CHARACTERS_PER_S)


def is_long_enough(text: str, spans: Iterable[Span]) -> bool:
    """Return whether a text is on screen for as long as it takes to read it; seconds of several spans add up.

    Examples
    --------
    >>> is_long_enough("New: Tolma oil", [(2.4, 3.4)]), is_long_enough("New: Tolma oil", [(2.4, 3.2)])
    (True, False)
    """
    return seconds_within(spans, 0.0, _ANY) >= reading_s(text) - 1e-6


def words_per_s(text: str, spans: Iterable[Span]) -> float | None:
    """Return the words per second at which a text can be read in full; None where it is never on screen."""
    seconds = seconds_within(spans, 0.0, _ANY)
    return count_words(text) / seconds if seconds > 0 else None


def end_card_start_s(shots: Sequence[float], duration_s: float) -> float:
    """Return when the end card begins: with the last shot, or 3 s before the end where that is no end card.

    Examples
    --------
    >>> end_card_start_s([0.0, 2.4, 6.8], 10.0), end_card_start_s([0.0, 2.0], 30.0), end_card_start_s([0.0], 2.0)
    (6.8, 27.0, 0.0)
    """
    if len(shots) > 1 and END_CARD_LEAST_S <= duration_s - shots[-1] <= END_CARD_MOST_S:
        return shots[-1]
    return max(0.0, duration_s - USUAL_END_CARD_S)


def score_film(facts: FilmFacts) -> dict[str, FilmScore]:
    """Score a video.

    Parameters
    ----------
    facts : FilmFacts

    Returns
    -------
    dict of str to FilmScore
        Each of `FILM_SCORES` by name. A score is None, with the reason, where areas of its type were not looked for,
        or where there is nothing to measure.

    Examples
    --------
    >>> mark = FilmArea("branding", [(2.0, 4.0)], Box(0, 0, 0.2, 0.2), shows_brand=True)
    >>> scores = score_film(FilmFacts(10.0, [0.0, 5.0], [mark], {"branding"}, brand_named=True))
    >>> [scores[name].value for name in ("brand_on_screen_s", "brand_appears_s", "brand_at_end", "first_cut_s")]
    [2.0, 2.0, 0.0, 5.0]
    >>> scores["texts"].reason
    'Areas of the type headline_text were not looked for in it.'
    """
    scores = {
        **_brand_scores(facts),
        **_text_scores(facts),
        **_face_scores(facts),
        **_pace_scores(facts),
    }
    unknown = FilmScore(None, reason="The run was made by a version that did not look for audio tracks.")
    scores[HAS_AUDIO.name] = unknown if facts.has_audio is None else FilmScore(float(facts.has_audio))
    scores[TOLD_SILENTLY.name] = _told_without_sound(facts)
    return {spec.name: scores[spec.name] for spec in FILM_SCORES}


def _brand_scores(facts: FilmFacts) -> Mapping[str, FilmScore]:
    names = (BRAND_ON_SCREEN, BRAND_SHARE, BRAND_APPEARS, BRAND_AT_CARD, BRAND_AT_END, BRAND_ATTENTION, BRAND_SEEN)
    brand = [area for area in facts.areas if area.shows_brand and area.spans]
    reason = _not_looked_for(facts, ["branding"]) or (_OVERLOOKED if not brand and not facts.brand_named else None)
    if reason:
        return {spec.name: FilmScore(None, reason=reason) for spec in names}
    spans = merge_spans(chain.from_iterable(area.spans for area in brand))
    seconds = seconds_within(spans, 0.0, _ANY)
    card_s = end_card_start_s(facts.shots, facts.duration_s)
    attentions = [area.attention for area in _apart(brand) if area.attention is not None]
    seen = [area.seen for area in brand if area.seen.value is not None]
    no_attention = FilmScore(None, reason=_NONE_FOUND if not brand else "Its attention is not known.")
    return {
        BRAND_ON_SCREEN.name: FilmScore(seconds),
        BRAND_SHARE.name: FilmScore(min(100.0, 100 * seconds / facts.duration_s)),
        BRAND_APPEARS.name: FilmScore(spans[0][0]) if spans else FilmScore(None, reason=_NONE_FOUND),
        BRAND_AT_CARD.name: FilmScore(float(seconds_within(spans, card_s, card_s + CARD_APPEARS_S) > 1e-3)),
        BRAND_AT_END.name: FilmScore(float(bool(spans) and spans[-1][1] >= facts.duration_s - _LAST_FRAME_S)),
        BRAND_ATTENTION.name: (
            FilmScore(min(100.0, sum(attentions) * facts.duration_s / seconds))
            if attentions and seconds
            else no_attention
        ),
        BRAND_SEEN.name: max(seen, key=lambda score: score.value or 0.0, default=no_attention),
    }


def _apart(areas: Sequence[FilmArea]) -> Iterator[FilmArea]:
    """Drop areas inside a larger one on screen at the same time, such as a mark in a text."""
    kept: list[FilmArea] = []
    for area in sorted(areas, key=lambda one: -one.box.area):
        together = (one for one in kept if any(_overlap(a, b) for a in area.spans for b in one.spans))
        if all(area.box.intersection(one.box) < _SAME_PLACE * area.box.area for one in together):
            kept.append(area)
            yield area


def _overlap(span: Span, other: Span) -> bool:
    return min(span[1], other[1]) - max(span[0], other[0]) > 1e-3


def _text_scores(facts: FilmFacts) -> Mapping[str, FilmScore]:
    reason = _not_looked_for(facts, TEXT_TYPES)
    if reason:
        return {spec.name: FilmScore(None, reason=reason) for spec in (TEXTS, TEXTS_TOO_SHORT, TEXT_SHARE, TEXT_SHOTS)}
    texts = [area for area in facts.areas if area.is_text and area.spans]
    read = [(area.text, area.spans) for area in texts if area.text]
    spans = merge_spans(chain.from_iterable(area.spans for area in facts.areas if area.may_be_read or area.shows_brand))
    shots = [seconds_within(spans, *shot) > 1e-3 for shot in facts.shot_spans]
    too_short = FilmScore(float(sum(not is_long_enough(*text) for text in read)))
    if texts and not read:
        too_short = FilmScore(None, reason="No text was read.")
    return {
        TEXTS.name: FilmScore(float(len(texts))),
        TEXTS_TOO_SHORT.name: too_short,
        TEXT_SHARE.name: FilmScore(min(100.0, 100 * seconds_within(spans, 0.0, facts.duration_s) / facts.duration_s)),
        TEXT_SHOTS.name: FilmScore(100 * sum(shots) / len(shots)),
    }


def _face_scores(facts: FilmFacts) -> Mapping[str, FilmScore]:
    reason = _not_looked_for(facts, ["face"])
    if reason:
        return {spec.name: FilmScore(None, reason=reason) for spec in (FACES, FACE_APPEARS, LARGEST_FACE)}
    faces = [area for area in facts.areas if area.type == "face" and area.spans]
    spans = merge_spans(chain.from_iterable(area.spans for area in faces))
    none = partial(FilmScore, None, reason=_NONE_FOUND)
    return {
        FACES.name: FilmScore(seconds_within(spans, 0.0, _ANY)),
        FACE_APPEARS.name: FilmScore(spans[0][0]) if spans else none(),
        LARGEST_FACE.name: FilmScore(100 * max(face.largest for face in faces)) if faces else none(),
    }


def _pace_scores(facts: FilmFacts) -> Mapping[str, FilmScore]:
    lengths = [end - begin for begin, end in facts.shot_spans]
    no_cut = FilmScore(None, reason="It has no cut.")
    return {
        SHOTS.name: FilmScore(float(len(lengths))),
        SHOTS_PER_MIN.name: FilmScore(60 * len(lengths) / facts.duration_s),
        MEAN_SHOT.name: FilmScore(facts.duration_s / len(lengths)),
        LONGEST_SHOT.name: FilmScore(max(lengths)),
        FIRST_CUT.name: FilmScore(facts.shots[1]) if len(facts.shots) > 1 else no_cut,
    }


def _told_without_sound(facts: FilmFacts) -> FilmScore:
    """Tell whether brand and message can be read; no where one was looked for in vain."""
    reason = _not_looked_for(facts, ["branding", "headline_text", "call_to_action"])
    if reason:
        return FilmScore(None, reason=reason)
    messages = [area for area in facts.areas if area.type in ("headline_text", "call_to_action") and area.may_be_read]
    unread = any(not area.text for area in messages)
    if not any(area.text and is_long_enough(area.text, area.spans) for area in messages):
        return FilmScore(None, reason="A text was not read.") if unread else FilmScore(0.0)
    if any(area.shows_brand and area.spans for area in facts.areas):
        return FilmScore(1.0)
    return FilmScore(0.0) if facts.brand_named else FilmScore(None, reason=_OVERLOOKED)


def _not_looked_for(facts: FilmFacts, types: Sequence[AoiType]) -> str | None:
    """Return the reason where areas of a type were not looked for."""
    missing = next((aoi_type for aoi_type in types if aoi_type not in facts.looked_for), None)
    return None if missing is None else f"Areas of the type {missing} were not looked for in it."
