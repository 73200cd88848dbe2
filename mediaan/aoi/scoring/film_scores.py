"""Score a video as an ad: its brand, texts, faces and pace, and whether it can be followed without sound.

Everything follows from when areas and shots are on screen and from the scores of the areas; no frame is looked at
again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Self
from uuid import UUID

from mediaan.aoi.detection.brand_names import names_brand
from mediaan.aoi.scoring.specs import ATTENTION, PERCENTAGE_SEEN
from mediaan.types.aoi import TEXT_TYPES, Aoi, AoiType
from mediaan.types.metrics import MetricSpec, Score

if TYPE_CHECKING:
    from mediaan.types.result import Result


END_CARD_S = 3.0
"""The last seconds, in which videos show their end card; they count as it where the last shot is none."""

OPENING_S = 5.0
"""The first seconds, which viewers see before they may skip an ad."""

_SAME_INSTANT_S = 1e-3  # a sighting belongs to the sample whose time differs by no more
_AREA_TRACKED = (
    "Samples at which the area is visible, each for as long as it stands; five a second unless `--fps` says otherwise."
)

APPEARS = MetricSpec(
    "appears_s", "Appears", "s", 0, float("inf"), "lower", "measured",
    "When the area is first on screen, from the beginning. Videos only.",
    _AREA_TRACKED,
)  # fmt: skip
ON_SCREEN = MetricSpec(
    "on_screen_s", "On screen", "s", 0, float("inf"), "higher", "measured",
    "Seconds during which the area is on screen; of a type, any area of it. Videos only.",
    _AREA_TRACKED,
)  # fmt: skip
CHARACTERS_PER_S = MetricSpec(
    "characters_per_s", "Reading speed", "1/s", 0, float("inf"), "lower", "measured",
    "Characters a second that a viewer has to read to finish the text while it is on screen. Videos only.",
    "Length of the text, spaces included, over its seconds on screen. Viewers of films read subtitles of 12, 16 and 20 "
    "characters a second: Szarkowska & Gerber-Morón (2018), PLOS ONE 13, e0199331.",
)  # fmt: skip
END_CARD = MetricSpec(
    "end_card_s", "End card", "s", 0, END_CARD_S, "higher", "measured",
    "Seconds of the last 3 s during which the brand or a call to action is on screen. Videos only.",
    _AREA_TRACKED,
)  # fmt: skip
OPENING_SHOTS = MetricSpec(
    "opening_shots", "Shots in the opening", "count", 0, float("inf"), "higher", "measured",
    "Shots that begin in the first 5 s, the first one included. Videos only.",
    "Counted.",
)  # fmt: skip
AOI_SCREEN_TIMES: tuple[MetricSpec, ...] = (APPEARS, ON_SCREEN, CHARACTERS_PER_S)
VIDEO_SCREEN_TIMES: tuple[MetricSpec, ...] = (END_CARD, OPENING_SHOTS)

Span = tuple[float, float]
"""From when to when, s."""


def tracked_spans(times: Iterable[float], samples: Sequence[Span]) -> tuple[Span, ...]:
    """Return when an area that is tracked is on screen.

    `times`: instants at which it is visible, s.
    `samples`: from when to when each sample of the medium stands, s, in order of time.
    Returns: of samples that follow each other one span.

    >>> tracked_spans([0.2, 0.4, 1.0], [(0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 1.0), (1.0, 1.2)])
    ((0.2, 0.6), (1.0, 1.2))
    """
    begins = [begin for begin, _ in samples]
    places = (bisect_left(begins, time - _SAME_INSTANT_S) for time in times)
    there = (samples[place] for place in places if place < len(samples))
    return merge_spans(there)


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Join spans that overlap or touch, in order of time.

    >>> merge_spans([(3.0, 4.0), (0.0, 1.0), (0.5, 2.0), (4.0, 5.0)])
    ((0.0, 2.0), (3.0, 5.0))
    """
    joined: list[Span] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1] + _SAME_INSTANT_S:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return tuple(joined)


def seconds_within(spans: Iterable[Span], begin_s: float, end_s: float) -> float:
    """Return for how many seconds of a period any of some areas is on screen.

    >>> seconds_within([(0.0, 2.0), (1.0, 3.0)], 0.5, 10.0)
    2.5
    """
    return sum(max(0.0, min(end, end_s) - max(begin, begin_s)) for begin, end in merge_spans(spans))


def characters_per_s(text: str, spans: Iterable[Span]) -> float | None:
    """Return the characters per second at which a text can be read while it is on screen.

    `text`: a line break or several spaces count as one character.
    `spans`: when it is on screen, s; the seconds of several spans add up.
    Returns: None where it is never there.

    >>> characters_per_s("20 % off\\nuntil Sunday", [(0.0, 1.0), (4.0, 5.0)])
    10.5
    """
    seconds = seconds_within(spans, 0.0, float("inf"))
    return len(" ".join(text.split())) / seconds if seconds > 0 else None


def end_card_s(spans: Iterable[Sequence[Span]], duration_s: float) -> float:
    """Return for how many of the last 3 s any of some areas, those of brand and call to action, is on screen."""
    return seconds_within(chain.from_iterable(spans), max(0.0, duration_s - END_CARD_S), duration_s)


def opening_shots(begins: Iterable[float]) -> int:
    """Return how many shots begin in the first 5 s, from when each begins, s.

    >>> opening_shots([0.0, 2.4, 4.8, 6.8])
    3
    """
    return sum(begin < OPENING_S for begin in begins)


READING_WORDS_PER_S = 3.0
"""180 words a minute: the upper end of the 160-180 that the BBC recommends for subtitles, and the lower end of the
175-300 in which most adults read English non-fiction silently (Brysbaert 2019; their mean is 238)."""

READING_CHARACTERS_PER_S = 17.0
"""Between the 16 and 20 at which viewers read subtitles (Szarkowska & Gerber-Morón 2018), for texts of long words."""

END_CARD_LEAST_S, END_CARD_MOST_S = 1.0, 10.0
"""A last shot that is shorter or longer is no end card: this project's bounds."""

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
    "words_per_s", "Words a second", "1/s", _ANY, "lower",
    "Words a second that a viewer has to read to finish the text while it is on screen. Videos only.",
    _READING,
)  # fmt: skip
LONG_ENOUGH = _measured(
    "long_enough", "Long enough to read", "count", 1, "higher",
    "1 for a text that is on screen for as long as it takes to read it, otherwise 0. Videos only.",
    _READING,
)  # fmt: skip
AOI_FILM_SCORES: tuple[MetricSpec, ...] = (WORDS, WORDS_PER_S, LONG_ENOUGH)

BRAND_ON_SCREEN = _measured(
    "brand_on_screen_s", "Brand on screen", "s", _ANY, "higher",
    "Seconds during which the brand is on screen: its mark, or a text that names it.",
)  # fmt: skip
BRAND_SHARE = _measured(
    "brand_share", "Brand, share of time", "%", 100, "higher", "Share of the video during which the brand is on screen."
)
BRAND_APPEARS = _measured(
    "brand_appears_s", "First brand moment", "s", _ANY, "lower", "When the brand is first on screen."
)
BRAND_AT_CARD = _measured(
    "brand_at_end_card", "Brand at the cut to the end card", "count", 1, "higher",
    "1 if the brand is on screen within half a second after the cut to the end card, otherwise 0.",
    "End card: the last shot if it lasts 1 to 10 s and is not the only one, otherwise the last 3 s.",
)  # fmt: skip
BRAND_AT_END = _measured(
    "brand_at_end", "Brand at the last frame", "count", 1, "higher", "1 if the brand is there at the end, otherwise 0."
)
BRAND_ATTENTION = _measured(
    "brand_attention", "Attention on the brand while shown", "%", 100, "higher",
    "Share of attention that goes to the brand while it is on screen.",
    "Attention of all brand areas over the seconds of any; of two at one place the larger one counts. Of images, what "
    "areas share counts once: table media, column brand_attention.",
)  # fmt: skip
BRAND_SEEN = MetricSpec(
    "brand_seen", "Brand seen by", "%", 0, 100, "higher", "learned",
    "Share of viewers who look at the brand while it is on screen, at its most seen area.",
    "`percentage_seen` of that area: docs/aoi_scores.md.",
)  # fmt: skip
TEXTS = _measured("texts", "Texts", "count", _ANY, "middle", "Headlines, body texts and calls to action.", "Counted.")
TEXTS_TOO_SHORT = _measured(
    "texts_too_short", "Texts not long enough to read", "count", _ANY, "lower",
    "Texts that take longer to read than they are on screen.",
    _READING,
)  # fmt: skip
TEXT_SHARE = _measured(
    "text_share", "Legible text, share of time", "%", 100, "higher",
    "Share of the video during which a legible text or the brand is on screen.",
)  # fmt: skip
TEXT_SHOTS = _measured(
    "text_shots", "Shots with legible text", "%", 100, "higher",
    "Share of shots in which a legible text or the brand is on screen.",
)  # fmt: skip
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
    "has_audio", "Audio track", "count", 1, "middle",
    "1 if the file has an audio track, otherwise 0. Nothing is listened to: the track may be silent.",
    "The streams of the file.",
)  # fmt: skip
TOLD_SILENTLY = MetricSpec(
    "told_without_sound", "Message told without sound", "count", 0, 1, "higher", "proxy",
    "1 if the brand is on screen, and a headline or call to action is legible and on screen long enough to be read; "
    "otherwise 0. An estimate: whether the words say enough is not judged.",
    "A rule of this project; that most video in feeds starts without sound: Facebook IQ (2016).",
)  # fmt: skip
FILM_SCORES: tuple[MetricSpec, ...] = (
    *(BRAND_ON_SCREEN, BRAND_SHARE, BRAND_APPEARS, BRAND_AT_CARD, BRAND_AT_END, BRAND_ATTENTION, BRAND_SEEN),
    *(TEXTS, TEXTS_TOO_SHORT, TEXT_SHARE, TEXT_SHOTS, FACES, FACE_APPEARS, LARGEST_FACE),
    *(SHOTS, SHOTS_PER_MIN, MEAN_SHOT, LONGEST_SHOT, FIRST_CUT, HAS_AUDIO, TOLD_SILENTLY),
)
"""Scores of a whole video, as columns of the table ``film``; durations of areas as `screen_time` measures them."""


@dataclass(frozen=True, slots=True)
class Film:
    """When the shots and areas of a video are on screen."""

    duration_s: float
    """Until when its last sample stands, s; above 0."""
    shots: tuple[float, ...]
    """When each shot begins, s."""
    areas: tuple[Aoi, ...]
    spans: Mapping[UUID, tuple[Span, ...]]
    """Mapping of UUID to tuple of Span. When each area is on screen, s; an area that never is may be absent."""
    looked_for: frozenset[AoiType]
    """Types of areas that would have been found if they were there."""
    brand_known: bool
    """As of `Result.brand_known`."""
    brand_names: tuple[str, ...] = ()
    """A text that holds one of them shows the brand."""
    has_audio: bool | None = None
    """Whether the file has an audio track; None where it is not known."""

    @classmethod
    def of(cls, result: Result) -> Self | None:
        """Return the course of a result; None of a still image."""
        if not result.frames:
            return None
        samples = tuple((frame.t_s, frame.t_s + frame.weight_s) for frame in result.frames)
        areas, duration_s, brand = result.aois or (), samples[-1][1], result.brand
        return cls(
            duration_s=duration_s,
            shots=tuple(scene.start_s for scene in result.scenes) or (0.0,),
            areas=areas,
            spans={aoi.aoi_id: _spans(aoi, samples, duration_s) for aoi in areas},
            looked_for=result.looked_for,
            brand_known=result.brand_known,
            brand_names=brand.spellings if brand else (),
            has_audio=result.medium.has_audio,
        )

    @property
    def shot_spans(self) -> list[Span]:
        """From when to when each shot lasts."""
        return list(pairwise([*self.shots, self.duration_s]))

    def on_screen(self, areas: Iterable[Aoi]) -> tuple[Span, ...]:
        """Return when any of some areas is on screen."""
        return merge_spans(span for aoi in areas for span in self.spans.get(aoi.aoi_id, ()))

    def shows_brand(self, aoi: Aoi) -> bool:
        """Tell whether the brand is on screen with an area: its mark, its pack, or its name in a text."""
        return aoi.shows_brand or self.names_brand(aoi)

    def names_brand(self, aoi: Aoi) -> bool:
        """Tell whether an area is a text in which the brand that was named stands."""
        return aoi.type in TEXT_TYPES and names_brand(aoi.words, self.brand_names)


def _spans(aoi: Aoi, samples: Sequence[Span], duration_s: float) -> tuple[Span, ...]:
    """Return when an area is on screen: at its sightings, otherwise from `t0_s` or the start to `t1_s`."""
    if aoi.track:
        return tracked_spans([sighting.t_s for sighting in aoi.track], samples)
    begin, end = aoi.t0_s or 0.0, duration_s if aoi.t1_s is None else min(aoi.t1_s, duration_s)
    return ((begin, end),) if end > begin else ()


def count_words(text: str) -> int:
    """Count words: runs of letters and digits between spaces. Scripts without spaces count as one word a line.

    >>> count_words("20 % off\\nuntil Sunday!"), count_words("Don't e-mail – call")
    (4, 3)
    """
    return len(_WORD.findall(text))


def reading_s(text: str) -> float:
    """Return the seconds that it takes to read a text beside the picture.

    >>> reading_s("New: Tolma oil"), round(reading_s("Geschwindigkeitsbegrenzung"), 2)
    (1.0, 1.53)
    """
    return max(count_words(text) / READING_WORDS_PER_S, len(" ".join(text.split())) / READING_CHARACTERS_PER_S)


def is_long_enough(text: str, spans: Iterable[Span]) -> bool:
    """Return whether a text is on screen for as long as it takes to read it; seconds of several spans add up.

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

    >>> end_card_start_s([0.0, 2.4, 6.8], 10.0), end_card_start_s([0.0, 2.0], 30.0), end_card_start_s([0.0], 2.0)
    (6.8, 27.0, 0.0)
    """
    if len(shots) > 1 and END_CARD_LEAST_S <= duration_s - shots[-1] <= END_CARD_MOST_S:
        return shots[-1]
    return max(0.0, duration_s - END_CARD_S)


def score_film(film: Film) -> dict[str, Score]:
    """Score a video.

    Returns: each of `FILM_SCORES` by name. A score is None, with the reason, where areas of its type were not looked
        for, or where there is nothing to measure.

    >>> from mediaan.types.aoi import Box
    >>> mark = Aoi(UUID(int=1), "branding", "Acme", Box(0, 0, 0.2, 0.2), 0.9, "brand_name")
    >>> film = Film(10.0, (0.0, 5.0), (mark,), {mark.aoi_id: ((2.0, 4.0),)}, frozenset({"branding"}), brand_known=True)
    >>> scores = score_film(film)
    >>> [scores[name].value for name in ("brand_on_screen_s", "brand_appears_s", "brand_at_end", "first_cut_s")]
    [2.0, 2.0, 0.0, 5.0]
    >>> scores["texts"].reason
    'Areas of the type headline_text were not looked for in it.'
    """
    scores = [*_brand_scores(film), *_text_scores(film), *_face_scores(film), *_pace_scores(film)]
    audio = None if film.has_audio is None else float(film.has_audio)
    scores.append(_score(HAS_AUDIO, audio, "The run was made by a version that did not look for audio tracks."))
    scores.append(_told_without_sound(film))
    by_name = {score.metric: score for score in scores}
    return {spec.name: by_name[spec.name] for spec in FILM_SCORES}


def _score(spec: MetricSpec, value: float | None, reason: str) -> Score:
    """Return a score; the reason counts where there is no value."""
    return Score.of(spec, value, reason=reason if value is None else None)


def _brand_scores(film: Film) -> Iterator[Score]:
    names = (BRAND_ON_SCREEN, BRAND_SHARE, BRAND_APPEARS, BRAND_AT_CARD, BRAND_AT_END, BRAND_ATTENTION, BRAND_SEEN)
    brand = [aoi for aoi in film.areas if film.shows_brand(aoi) and film.spans.get(aoi.aoi_id)]
    reason = _not_looked_for(film, ["branding"]) or (_OVERLOOKED if not brand and not film.brand_known else None)
    if reason:
        yield from (_score(spec, None, reason) for spec in names)
        return
    spans = film.on_screen(brand)
    seconds = seconds_within(spans, 0.0, _ANY)
    card_s = end_card_start_s(film.shots, film.duration_s)
    yield Score.of(BRAND_ON_SCREEN, seconds)
    yield Score.of(BRAND_SHARE, min(100.0, 100 * seconds / film.duration_s))
    yield _score(BRAND_APPEARS, spans[0][0] if spans else None, _NONE_FOUND)
    yield Score.of(BRAND_AT_CARD, float(seconds_within(spans, card_s, card_s + CARD_APPEARS_S) > 1e-3))
    yield Score.of(BRAND_AT_END, float(bool(spans) and spans[-1][1] >= film.duration_s - _LAST_FRAME_S))
    no_attention = _NONE_FOUND if not brand else "Its attention is not known."
    shares = [share for aoi in _apart(film, brand) if (share := aoi.value(ATTENTION.name)) is not None]
    share = min(100.0, sum(shares) * film.duration_s / seconds) if shares and seconds else None
    yield _score(BRAND_ATTENTION, share, no_attention)
    seen = (aoi.score(PERCENTAGE_SEEN.name) for aoi in brand)
    most = max((score for score in seen if score and score.value is not None), key=_value, default=None)
    yield _score(BRAND_SEEN, None, no_attention) if most is None else replace(most, metric=BRAND_SEEN.name)


def _value(score: Score) -> float:
    return score.value or 0.0


def _apart(film: Film, areas: Sequence[Aoi]) -> Iterator[Aoi]:
    """Yield areas without those that lie in a larger one which is there at the same time: a mark in a text."""
    kept: list[Aoi] = []
    for aoi in sorted(areas, key=lambda aoi: -aoi.box.area):
        spans = film.spans[aoi.aoi_id]
        together = (other for other in kept if any(_overlap(a, b) for a in spans for b in film.spans[other.aoi_id]))
        if all(aoi.box.intersection(other.box) < _SAME_PLACE * aoi.box.area for other in together):
            kept.append(aoi)
            yield aoi


def _overlap(span: Span, other: Span) -> bool:
    return min(span[1], other[1]) - max(span[0], other[0]) > 1e-3


def _may_be_read(aoi: Aoi) -> bool:
    """Tell whether an area is a text that is not known to be illegible."""
    return aoi.type in TEXT_TYPES and aoi.legible is not False


def _text_scores(film: Film) -> Iterator[Score]:
    reason = _not_looked_for(film, TEXT_TYPES)
    if reason:
        yield from (_score(spec, None, reason) for spec in (TEXTS, TEXTS_TOO_SHORT, TEXT_SHARE, TEXT_SHOTS))
        return
    texts = [aoi for aoi in film.areas if aoi.type in TEXT_TYPES and film.spans.get(aoi.aoi_id)]
    read = [(aoi.words, film.spans[aoi.aoi_id]) for aoi in texts if aoi.words]
    legible = film.on_screen(aoi for aoi in film.areas if _may_be_read(aoi) or film.shows_brand(aoi))
    shots = [seconds_within(legible, *shot) > 1e-3 for shot in film.shot_spans]
    too_short = None if texts and not read else float(sum(not is_long_enough(*text) for text in read))
    yield Score.of(TEXTS, float(len(texts)))
    yield _score(TEXTS_TOO_SHORT, too_short, "No text was read.")
    yield Score.of(TEXT_SHARE, min(100.0, 100 * seconds_within(legible, 0.0, film.duration_s) / film.duration_s))
    yield Score.of(TEXT_SHOTS, 100 * sum(shots) / len(shots))


def _face_scores(film: Film) -> Iterator[Score]:
    reason = _not_looked_for(film, ["face"])
    if reason:
        yield from (_score(spec, None, reason) for spec in (FACES, FACE_APPEARS, LARGEST_FACE))
        return
    faces = [aoi for aoi in film.areas if aoi.type == "face" and film.spans.get(aoi.aoi_id)]
    spans = film.on_screen(faces)
    largest = max((box.area for aoi in faces for box in ([s.box for s in aoi.track] or [aoi.box])), default=None)
    yield Score.of(FACES, seconds_within(spans, 0.0, _ANY))
    yield _score(FACE_APPEARS, spans[0][0] if spans else None, _NONE_FOUND)
    yield _score(LARGEST_FACE, None if largest is None else 100 * largest, _NONE_FOUND)


def _pace_scores(film: Film) -> Iterator[Score]:
    lengths = [end - begin for begin, end in film.shot_spans]
    yield Score.of(SHOTS, float(len(lengths)))
    yield Score.of(SHOTS_PER_MIN, 60 * len(lengths) / film.duration_s)
    yield Score.of(MEAN_SHOT, film.duration_s / len(lengths))
    yield Score.of(LONGEST_SHOT, max(lengths))
    yield _score(FIRST_CUT, film.shots[1] if len(film.shots) > 1 else None, "It has no cut.")


def _told_without_sound(film: Film) -> Score:
    """Return whether brand and message can be read; no where one was looked for and is not there."""
    reason = _not_looked_for(film, ["branding", "headline_text", "call_to_action"])
    if reason:
        return _score(TOLD_SILENTLY, None, reason)
    messages = [aoi for aoi in film.areas if aoi.type in ("headline_text", "call_to_action") and _may_be_read(aoi)]
    if not any(aoi.words and is_long_enough(aoi.words, film.spans.get(aoi.aoi_id, ())) for aoi in messages):
        unread = any(not aoi.words for aoi in messages)
        return _score(TOLD_SILENTLY, None if unread else 0.0, "A text was not read.")
    if any(film.shows_brand(aoi) and film.spans.get(aoi.aoi_id) for aoi in film.areas):
        return Score.of(TOLD_SILENTLY, 1.0)
    return _score(TOLD_SILENTLY, 0.0 if film.brand_known else None, _OVERLOOKED)


def _not_looked_for(film: Film, types: Sequence[AoiType]) -> str | None:
    """Return the reason where areas of a type were not looked for."""
    missing = next((aoi_type for aoi_type in types if aoi_type not in film.looked_for), None)
    return None if missing is None else f"Areas of the type {missing} were not looked for in it."
