"""Collect what the sheet of a video says beside its checks and scores: texts, measures, what to mend, key frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING
from uuid import UUID

import av
import numpy as np
from av.error import FFmpegError

from mediaan.aoi.scoring.film_scores import (
    FILM_SCORES,
    OPENING_S,
    Film,
    Span,
    count_words,
    end_card_start_s,
    is_long_enough,
    reading_s,
    seconds_within,
)
from mediaan.report.formatting import area_name, digits
from mediaan.report.timeline import AreaTrack, ScoreTimeline, pool
from mediaan.storage import Storage
from mediaan.types.aoi import TEXT_TYPES, Aoi, AoiType
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.arrays import Float64
from mediaan.types.metrics import Scene, Score

if TYPE_CHECKING:
    from mediaan.report.sheets.medium_sheet import MediumSheet


MOST_FRAMES = 6
"""Key frames on a slide or a page: more would be too small to see anything."""

MOST_FRAME_AREAS = 6
"""Outlined on a key frame: the most seen."""

MOST_TEXTS = 8
"""Listed: headlines and calls to action before body texts."""

MOST_POINTS = 240
"""Of a curve: as many as can be told apart on paper."""

MOST_TEXT_LANES = 3
"""Lanes of one type of text at most."""

CURVES = {"focus": "Focus", "cognitive_demand": "Cognitive demand", "engagement": "Engagement"}
LANES: Mapping[AoiType, str] = {
    name: "Brand" if name == "branding" else AREA_TYPES[name].title
    for name in sorted(AREA_TYPES, key=lambda name: (name != "branding", not AREA_TYPES[name].is_text))
    if AREA_TYPES[name].on_timeline
}
"""Types with a lane on the timeline, and its title: the brand (its marks, and texts that name it), texts, others."""
_LEAST_SEEN = 50.0  # % of viewers, as in the rule set for videos
_MOST_TOO_SHORT, _MOST_LETTERS = 3, 60  # texts to mend that are named, and letters of each
_ENDLESS = float("inf")


@dataclass(frozen=True, slots=True)
class SheetLane:
    """A line of the timeline: when areas of a type are on screen, each with its words."""

    type: AoiType
    title: str
    bars: Sequence[tuple[Span, str]]


@dataclass(frozen=True, slots=True)
class SheetText:
    """A text of a video with the time that it takes to read; None where it was not read."""

    text: str
    words: int | None
    seconds: float
    needed_s: float | None
    enough: bool | None

    @property
    def verdict(self) -> str:
        """Say whether it is long enough."""
        return "not read" if self.enough is None else "long enough" if self.enough else "too short"


@dataclass(frozen=True, slots=True)
class FilmSheet:
    """What the sheet of a video says of it."""

    film: Film
    timeline: ScoreTimeline
    tracks: Mapping[UUID, AreaTrack]
    """Mapping of UUID to AreaTrack. Of areas that move."""
    lanes: Sequence[SheetLane]
    texts: Sequence[SheetText]
    """At most `MOST_TEXTS`, in order of time."""
    more_texts: int
    """Texts that are not listed."""
    measures: Sequence[tuple[str, str]]
    """Title and value."""
    unknown: str
    """Why some measures are unknown; empty where none is."""
    mend: Sequence[str]
    """What fails, and what to change."""
    scenes: Sequence[Scene]
    """Those that are shown, chosen by what happens in them."""

    @property
    def duration_s(self) -> float:
        """Where the last sample or scene ends, s."""
        return self.timeline.end_s

    @property
    def cuts(self) -> list[float]:
        """When scenes begin, but the first, s."""
        return [scene.start_s for scene in self.timeline.scenes[1:]]

    @property
    def end_card_s(self) -> float:
        """When the end card begins, s."""
        return end_card_start_s(self.film.shots, self.film.duration_s)

    @property
    def curves(self) -> Mapping[str, tuple[Float64, Float64]]:
        """Times, s, and values by title, at most `MOST_POINTS`; NaN where undefined."""
        t_s, series = self.timeline.t_s, self.timeline.series
        size = -(-len(t_s) // MOST_POINTS)
        return {title: (t_s[::size], pool(series[name], np.ones(len(t_s)), size)) for name, title in CURVES.items()}

    @property
    def left_out(self) -> int:
        """Scenes that are not shown."""
        return len(self.timeline.scenes) - len(self.scenes)

    def moment_of(self, scene: Scene) -> float:
        """Return the moment of a scene that shows most of its areas; of several the middle one, s."""
        first_s = self.timeline.scenes_at_s[self.timeline.scenes.index(scene)]  # no frame before it was looked at
        moments = np.linspace(min(first_s, scene.end_s), scene.end_s, 42)[1:-1].tolist()
        counts = [sum(self._is_there(aoi, t_s) for aoi in self.film.areas) for t_s in moments]
        best = [t_s for t_s, count in zip(moments, counts, strict=True) if count == max(counts)]
        return float(best[len(best) // 2])

    def areas_at(self, t_s: float) -> dict[int, Aoi]:
        """Return the most seen areas on screen at a moment, each where it is then, by number; of people their faces."""
        visible: dict[int, Aoi] = {}
        for number, aoi in enumerate(self.film.areas, 1):
            if aoi.type != "person" and len(visible) < MOST_FRAME_AREAS and self._is_there(aoi, t_s):
                track = self.tracks.get(aoi.aoi_id)
                visible[number] = replace(aoi, box=track.box_at(t_s) if track else aoi.box, polygon=None)
        return visible

    def _is_there(self, aoi: Aoi, t_s: float) -> bool:
        return any(begin <= t_s < end for begin, end in self.film.spans[aoi.aoi_id])

    @property
    def scenes_words(self) -> str:
        """Say which scenes are shown, where some are left out."""
        if not self.left_out:
            return ""
        total = len(self.scenes) + self.left_out
        return (
            f"{len(self.scenes)} of {total:,} scenes: the first, the last, those in which brand, texts and faces first "
            f"appear, and the longest. {self.left_out:,} left out."
        )


def scene_title(scene: Scene) -> str:
    """Return the number of a scene, from 1, and its times, as captions have them."""
    return f"Scene {scene.scene_id + 1}, {scene.start_s:.1f}–{scene.end_s:.1f} s"


def film_sheet(
    film: Film, timeline: ScoreTimeline, tracks: Mapping[UUID, AreaTrack], scores: Mapping[str, Score]
) -> FilmSheet:
    """Collect the sheet of a video; `scores` are its `FILM_SCORES`."""
    in_order = sorted((aoi for aoi in film.areas if film.spans[aoi.aoi_id]), key=lambda aoi: film.spans[aoi.aoi_id][0])
    all_texts = [aoi for aoi in in_order if aoi.type in TEXT_TYPES]
    by_importance = sorted(all_texts, key=lambda aoi: aoi.type == "body_text")
    texts = [_text(film, aoi) for aoi in all_texts if aoi in by_importance[:MOST_TEXTS]]
    end_card_s = end_card_start_s(film.shots, film.duration_s)
    moments = [0.0, timeline.end_s - 1e-3, end_card_s]
    moments += [_begins(film, aoi) for aoi in in_order if film.shows_brand(aoi)][:1]
    for aoi_type in LANES:
        moments += [_begins(film, aoi) for aoi in in_order if aoi.type == aoi_type][:1]
    return FilmSheet(
        film=film,
        timeline=timeline,
        tracks=tracks,
        lanes=list(_lanes(film)),
        texts=texts,
        more_texts=len(all_texts) - len(texts),
        measures=list(_measures(scores, end_card_s)),
        unknown=_unknown(scores),
        mend=list(_mend(scores, end_card_s, [_text(film, aoi) for aoi in by_importance])),
        scenes=choose_scenes(timeline.scenes, moments),
    )


def _begins(film: Film, aoi: Aoi) -> float:
    return film.spans[aoi.aoi_id][0][0]


def choose_scenes(scenes: Sequence[Scene], moments: Sequence[float]) -> list[Scene]:
    """Choose the scenes at some moments, the most important first, then the longest; in order of time.

    >>> scenes = [Scene(i, i, i + 1, "cut", {}) for i in range(60)]
    >>> [scene.scene_id for scene in choose_scenes(scenes, [0.0, 59.9, 30.5, 30.7])]
    [0, 1, 2, 3, 30, 59]
    """
    chosen: dict[int, Scene] = {}
    of_moments = [scene for t_s in moments for scene in scenes if scene.start_s <= t_s < scene.end_s]
    longest = sorted(scenes, key=lambda scene: scene.start_s - scene.end_s)
    for scene in [*of_moments, *longest]:
        if len(chosen) < MOST_FRAMES:
            chosen.setdefault(scene.scene_id, scene)
    return sorted(chosen.values(), key=lambda scene: scene.start_s)


def _lanes(film: Film) -> Iterator[SheetLane]:
    """Yield a lane for each type that occurs, more where texts stand side by side; texts count for the brand, too."""
    for aoi_type, title in LANES.items():
        of_type = [aoi for aoi in film.areas if aoi.type == aoi_type]
        if aoi_type not in TEXT_TYPES:
            brand_texts = [aoi for aoi in film.areas if aoi_type == "branding" and film.names_brand(aoi)]
            if spans := film.on_screen([*of_type, *brand_texts]):
                yield SheetLane(aoi_type, title, [(span, "") for span in spans])
            continue
        lanes: list[list[tuple[Span, str]]] = []
        for bar in sorted((span, _line(aoi) or "") for aoi in of_type for span in film.spans[aoi.aoi_id]):
            free = next((lane for lane in lanes if lane[-1][0][1] <= bar[0][0] + 1e-3), None)
            if free is not None:
                free.append(bar)
            elif len(lanes) < MOST_TEXT_LANES:
                lanes.append([bar])
            else:  # it is there, but its words find no room
                lanes[-1].append((bar[0], ""))
        for number, bars in enumerate(lanes):
            yield SheetLane(aoi_type, "" if number else title, bars)


def _line(aoi: Aoi) -> str | None:
    """Return the words of a text in one line; None where it was not read."""
    return " ".join((aoi.words or "").split()) or None


def _text(film: Film, aoi: Aoi) -> SheetText:
    spans, text = film.spans[aoi.aoi_id], _line(aoi)
    seconds = seconds_within(spans, 0.0, _ENDLESS)
    if text is None:
        return SheetText(area_name(aoi), None, seconds, None, None)
    return SheetText(text, count_words(text), seconds, reading_s(text), is_long_enough(text, spans))


def _measures(scores: Mapping[str, Score], end_card_s: float) -> Iterator[tuple[str, str]]:
    """Yield titles and values of the measures, a line for each subject."""
    value = {name: score.value for name, score in scores.items()}

    def written(name: str, unit: str, decimals: int, what: str = "") -> str:
        number = value[name]
        return "" if number is None else f"{digits(number, decimals)}{unit}{' ' + what if what else ''}"

    def seconds(name: str) -> str:
        return written(name, " s", 1)

    def share(name: str, what: str) -> str:
        return written(name, " %", 0, what)

    def yes(name: str, what: str) -> str:
        return "" if value[name] is None else f"{'yes' if value[name] else 'no'}, {what}"

    yield "Brand on screen", _join(seconds("brand_on_screen_s"), share("brand_share", "of the time"))
    yield "First brand moment", "none" if value["brand_on_screen_s"] == 0 else _join(seconds("brand_appears_s"))
    at_card = yes("brand_at_end_card", f"at the cut to the end card ({digits(end_card_s, 1)} s)")
    yield "Brand at the end", _join(at_card, yes("brand_at_end", "at the last frame"))
    seen = share("brand_seen", "of viewers see it")
    if value["brand_on_screen_s"] != 0:
        yield "Attention on the brand while shown", _join(share("brand_attention", "of all attention"), seen)
    too_short = value["texts_too_short"]
    short = "" if too_short is None else f"{too_short:.0f} not long enough" if too_short else "all long enough to read"
    yield "Texts", _join(written("texts", "", 0), short if value["texts"] else "")
    yield "Legible text or brand", _join(share("text_share", "of the time"), share("text_shots", "of the shots"))
    first = seconds("face_appears_s")
    faces = "none found" if value["faces_on_screen_s"] == 0 else seconds("faces_on_screen_s")
    yield "Faces", _join(faces, first and f"first at {first}", share("largest_face", "of the frame at most"))
    cut = seconds("first_cut_s")
    shots = written("shots", "", 0, "shot" if value["shots"] == 1 else "shots")
    yield "Pace", _join(shots, written("shots_per_min", "", 0, "a minute"), cut and f"first cut at {cut}")
    yield "Length of shots", _join(f"mean {seconds('mean_shot_s')}", f"longest {seconds('longest_shot_s')}")
    audio = {None: "unknown", 1.0: "the file has an audio track", 0.0: "the file has no audio track"}
    yield "Sound", audio[value["has_audio"]]
    answers = {None: "unknown", 1.0: "yes", 0.0: "no"}
    yield "Message told without sound (estimate)", answers[value["told_without_sound"]]


def _join(*parts: str) -> str:
    return "; ".join(part for part in parts if part) or "unknown"


def _unknown(scores: Mapping[str, Score]) -> str:
    """Say why measures are unknown, each reason once, without those that follow from what was found."""
    titles = {spec.name: spec.title for spec in FILM_SCORES}
    by_reason: dict[str, list[str]] = {}
    for name, score in scores.items():
        if score.reason and score.reason not in ("There is no such area.", "It has no cut."):
            by_reason.setdefault(score.reason, []).append(titles[name])
    return " ".join(
        f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: unknown. {reason}"
        for reason, names in by_reason.items()
    )


def _mend(scores: Mapping[str, Score], end_card_s: float, texts: Sequence[SheetText]) -> Iterator[str]:
    """Yield what is wrong and what to change, the brand first."""
    value = {name: score.value for name, score in scores.items()}
    appears_s, seen = value["brand_appears_s"], value["brand_seen"]
    if value["brand_on_screen_s"] == 0:
        yield "The brand was not found on screen. Show its mark or its name, or draw it if it was missed."
    elif appears_s is not None:
        if appears_s > OPENING_S:
            first = digits(appears_s, 1)
            yield f"The brand first appears at {first} s. Show it in the first 5 s, before viewers may skip."
        if seen is not None and seen < _LEAST_SEEN:
            few = digits(seen, 0)
            yield f"Only {few} % of viewers are predicted to see the brand. Make it larger, or keep it longer."
        if not value["brand_at_end_card"]:
            card = digits(end_card_s, 1)
            yield f"The brand is not there when the end card begins, at {card} s. Bring it up with the cut."
        if not value["brand_at_end"]:
            yield "The brand is not on screen at the last frame. Keep it to the end."
    too_short = [text for text in texts if text.enough is False and text.needed_s is not None]
    for text in too_short[:_MOST_TOO_SHORT]:
        needed = text.needed_s or 0.0
        more = digits(max(needed - text.seconds, 0.1), 1)
        words = text.text if len(text.text) <= _MOST_LETTERS else text.text[:_MOST_LETTERS].rsplit(" ", 1)[0] + "…"
        yield (
            f"“{words}” is on screen for {digits(text.seconds, 1)} s and takes {digits(needed, 1)} s to read. "
            f"Keep it {more} s longer, or use fewer words."
        )
    if left := len(too_short[_MOST_TOO_SHORT:]):
        yield f"{left:,} more {'text is' if left == 1 else 'texts are'} not long enough to read."
    if value["told_without_sound"] == 0:
        yield (
            "The message is not told without sound (estimate). Show the brand, and a headline or call to action that "
            "is legible and stays long enough."
        )


_QUALITY = 88  # of JPEG
_PREVIEW = "preview_heat"


@dataclass(frozen=True, slots=True)
class ScenePicture:
    """A frame of a video with its heat."""

    jpeg: bytes
    width: int
    height: int
    at_s: float  # moment, s from the first frame
    scene: Scene
    areas: Mapping[int, Aoi]  # on screen at that moment, each where it is then, by number

    @property
    def title(self) -> str:
        """Number and times of its scene."""
        return scene_title(self.scene)

    def alt(self, name: str) -> str:
        """Return the alternative text of the frame, of a video with this name."""
        return f"Key frame of {name} at {self.at_s:.1f} s with predicted attention"


def read_key_frames(sheet: MediumSheet, storage: Storage) -> list[ScenePicture]:
    """Take a frame of each scene that the sheet shows, at the moment that shows most of its areas.

    Returns: in order of time; empty where the run keeps no preview of it, or one that cannot be read.
    """
    path = sheet.entry.maps.get(_PREVIEW)
    film = sheet.film
    if path is None or film is None or not film.scenes:
        return []
    frames = []
    try:
        with av.open(BytesIO(storage.read(path)), "r") as container:
            stream = container.streams.video[0]
            for scene in film.scenes:
                moment = film.moment_of(scene)
                container.seek(round(moment / (stream.time_base or 1)), stream=stream)
                frame = None
                for decoded in container.decode(stream):
                    if decoded.time is not None and decoded.time > moment and frame is not None:
                        break
                    frame = decoded
                if frame is None:
                    continue
                image, data = frame.to_image(), BytesIO()  # type: ignore[no-untyped-call]
                image.save(data, "JPEG", quality=_QUALITY)
                at_s = frame.time if frame.time is not None else moment
                areas = film.areas_at(moment)
                frames.append(ScenePicture(data.getvalue(), image.width, image.height, at_s, scene, areas))
    except (FFmpegError, FileNotFoundError):
        return []
    return frames
