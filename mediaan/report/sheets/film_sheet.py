"""Collect what the sheet of a video says beside its checks and scores: times, texts, measures, and what to mend."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from mediaan.aoi.detection.brand_names import names_brand
from mediaan.aoi.scoring.film_scores import FILM_SCORES, count_words, is_long_enough, reading_s
from mediaan.aoi.scoring.screen_time import OPENING_S, Span, merge_spans, seconds_within
from mediaan.report.data.contents import Row, RunContents
from mediaan.report.detail.areas import ReportArea, ReportAreas
from mediaan.report.detail.timeline import ScoreTimeline
from mediaan.report.formatting import digits
from mediaan.report.sheets.sheet_area import SheetArea, sheet_area
from mediaan.run.objectives import objective_of
from mediaan.types.aoi import TEXT_TYPES, AoiType
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.arrays import Float64

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
class TimedArea:
    """An area of a video with its times."""

    area: SheetArea
    spans: Sequence[Span]  # when it is on screen, s
    shows_brand: bool  # whether it is a mark of the brand, or a text that names it
    text: str | None  # its words in one line
    place: Callable[[float], tuple[float, float, float, float]]  # its box at a moment, s

    @property
    def type(self) -> AoiType:
        """Type of the area."""
        return self.area.type

    def is_there(self, t_s: float) -> bool:
        """Return whether it is on screen at a moment."""
        return any(begin <= t_s < end for begin, end in self.spans)


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

    duration_s: float
    cuts: Sequence[float]  # when scenes begin, but the first, s
    end_card_s: float | None  # when the end card begins, s
    # times, s, and values by title, at most `MOST_POINTS`; NaN where undefined
    curves: Mapping[str, tuple[Float64, Float64]]
    lanes: Sequence[SheetLane]
    texts: Sequence[SheetText]  # at most `MOST_TEXTS`, in order of time
    more_texts: int  # texts that are not listed
    measures: Sequence[tuple[str, str]]  # title and value
    unknown: str  # why some measures are unknown; empty where none is
    mend: Sequence[str]  # what fails, and what to change
    scenes: Sequence[Row]  # of the table of scenes; chosen by what happens in them
    left_out: int  # scenes that are not shown
    areas: Sequence[TimedArea]
    first_samples: Mapping[int, float]  # first sample of each scene, s, by its id

    def moment_of(self, scene: Row) -> float:
        """Return the moment of a scene that shows most of its areas; of several the middle one, s."""
        first_s = self.first_samples.get(scene["scene_id"], float(scene["start_s"]))  # no frame before it was looked at
        moments = np.linspace(min(first_s, float(scene["end_s"])), float(scene["end_s"]), 42)[1:-1].tolist()
        counts = [sum(area.is_there(t_s) for area in self.areas) for t_s in moments]
        best = [t_s for t_s, count in zip(moments, counts, strict=True) if count == max(counts)]
        return float(best[len(best) // 2])

    def areas_at(self, t_s: float) -> list[SheetArea]:
        """Return the most seen areas on screen at a moment, each where it is then; of people their faces alone."""
        visible = [area for area in self.areas if area.is_there(t_s) and area.type != "person"]
        return [replace(area.area, box=area.place(t_s), polygon=None) for area in visible[:MOST_FRAME_AREAS]]

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


def scene_title(number: int, start_s: float, end_s: float) -> str:
    """Return the number of a scene, from 1, and its times, as captions have them."""
    return f"Scene {number}, {start_s:.1f}–{end_s:.1f} s"


def gather_films(
    contents: RunContents, areas: ReportAreas, timelines: Mapping[str, ScoreTimeline]
) -> dict[str, FilmSheet]:
    """Collect the sheets of the videos of a run, by medium."""
    rows = {row["medium_id"]: row for row in contents.film}
    paths: dict[str, str] = {}
    for row in contents.media:
        paths.setdefault(row["medium_id"], row["path"])
    films = {}
    for medium, timeline in timelines.items():
        brand = objective_of(contents.run, paths[medium]).get("brand") or {}
        names = [brand["name"], *brand.get("aliases", ())] if brand else []
        films[medium] = film_sheet(timeline, rows.get(medium), areas.of.get(medium, ()), names)
    return films


def film_sheet(
    timeline: ScoreTimeline,
    row: Row | None,
    areas: Sequence[ReportArea],
    brand_names: Sequence[str],
) -> FilmSheet:
    """Collect the sheet of a video.

    Parameters
    ----------
    timeline : ScoreTimeline
    row : Row or None
        Of the table ``film``; None in runs of versions that did not make it.
    areas : sequence of ReportArea
        The most seen first.
    brand_names : sequence of str
        Name and aliases of the brand; empty if it was not named.
    """
    timed = [_timed(area, number, brand_names, timeline.end_s) for number, area in enumerate(areas, 1)]
    end_card_s = row["end_card_start_s"] if row else None
    in_order = sorted((area for area in timed if area.spans), key=lambda area: min(area.spans))
    all_texts = [area for area in in_order if area.type in TEXT_TYPES]
    by_importance = sorted(all_texts, key=lambda area: area.type == "body_text")
    texts = [_text(area) for area in all_texts if area in by_importance[:MOST_TEXTS]]
    moments = [0.0, timeline.end_s - 1e-3, *(() if end_card_s is None else (end_card_s,))]
    moments += [min(area.spans)[0] for area in in_order if area.shows_brand][:1]
    for aoi_type in LANES:
        moments += [min(area.spans)[0] for area in in_order if area.type == aoi_type][:1]
    scenes = choose_scenes(timeline.scenes, moments)
    reasons: Mapping[str, str] = json.loads(row["reasons"] or "{}") if row else {}
    return FilmSheet(
        duration_s=timeline.end_s,
        cuts=[float(scene["start_s"]) for scene in timeline.scenes[1:]],
        end_card_s=end_card_s,
        curves={title: _thin(timeline.t_s, timeline.series[name]) for name, title in CURVES.items()},
        lanes=list(_lanes(timed)),
        texts=texts,
        more_texts=len(all_texts) - len(texts),
        measures=list(_measures(row)) if row else [],
        unknown=_unknown(reasons),
        mend=list(_mend(row, [_text(area) for area in by_importance])) if row else [],
        scenes=scenes,
        left_out=len(timeline.scenes) - len(scenes),
        areas=timed,
        first_samples={
            scene["scene_id"]: at_s
            for scene, at_s in zip(timeline.scenes, timeline.scenes_at_s, strict=True)
            if scene in scenes
        },
    )


def choose_scenes(scenes: Sequence[Row], moments: Sequence[float]) -> list[Row]:
    """Choose the scenes of given moments, the most important first, then the longest; in order of time.

    >>> scenes = [{"scene_id": i, "start_s": i, "end_s": i + 1} for i in range(60)]
    >>> [scene["scene_id"] for scene in choose_scenes(scenes, [0.0, 59.9, 30.5, 30.7])]
    [0, 1, 2, 3, 30, 59]
    """
    chosen: dict[int, Row] = {}
    of_moments = [scene for t in moments for scene in scenes if scene["start_s"] <= t < scene["end_s"]]
    longest = sorted(scenes, key=lambda scene: float(scene["start_s"] - scene["end_s"]))
    for scene in [*of_moments, *longest]:
        if len(chosen) < MOST_FRAMES:
            chosen.setdefault(scene["scene_id"], scene)
    return sorted(chosen.values(), key=lambda scene: float(scene["start_s"]))


def _timed(report_area: ReportArea, number: int, brand_names: Sequence[str], end_s: float) -> TimedArea:
    """Join an area with its track; one that was drawn for a while stays at its place."""
    row, track, area = report_area.row, report_area.track, sheet_area(report_area, number)
    text = " ".join((row["text"] or "").split()) or None
    shows_brand = area.type == "branding" or (area.type in TEXT_TYPES and names_brand(text, brand_names))
    if track is None:
        span = (row["t0_s"] or 0.0, end_s if row["t1_s"] is None else min(row["t1_s"], end_s))
        return TimedArea(area, [span] if span[1] > span[0] else [], shows_brand, text, lambda _: area.box)
    times, boxes = track.t_s[track.kept], track.boxes

    def place(t_s: float) -> tuple[float, float, float, float]:
        x0, y0, x1, y1 = (float(np.interp(t_s, times, boxes[:, side])) for side in range(4))
        return (x0, y0, x1, y1)

    return TimedArea(area, [(float(a), float(b)) for a, b in track.spans], shows_brand, text, place)


def _thin(t_s: Float64, values: Float64) -> tuple[Float64, Float64]:
    """Take means of so many neighbours that `MOST_POINTS` are left; NaN where all of them are undefined."""
    size = -(-len(t_s) // MOST_POINTS)
    if size <= 1:
        return t_s, values
    starts = np.arange(0, len(t_s), size)
    defined = ~np.isnan(values)
    counts = np.add.reduceat(defined.astype(float), starts)
    sums = np.add.reduceat(np.where(defined, values, 0.0), starts)
    means = np.divide(sums, counts, out=np.full(len(starts), np.nan), where=counts > 0)
    return t_s[starts], np.asarray(means, np.float64)


def _lanes(timed: Sequence[TimedArea]) -> Iterator[SheetLane]:
    """Yield a lane for each type that occurs, more where texts stand side by side; texts count for the brand, too."""
    for aoi_type, title in LANES.items():
        if aoi_type not in TEXT_TYPES:
            of_type = [area for area in timed if area.type == aoi_type or (aoi_type == "branding" and area.shows_brand)]
            spans = merge_spans(chain.from_iterable(area.spans for area in of_type))
            if spans:
                yield SheetLane(aoi_type, title, [(span, "") for span in spans])
            continue
        rows: list[list[tuple[Span, str]]] = []
        for bar in sorted((span, area.text or "") for area in timed if area.type == aoi_type for span in area.spans):
            free = next((row for row in rows if row[-1][0][1] <= bar[0][0] + 1e-3), None)
            if free is not None:
                free.append(bar)
            elif len(rows) < MOST_TEXT_LANES:
                rows.append([bar])
            else:  # it is there, but its words find no room
                rows[-1].append((bar[0], ""))
        for number, row in enumerate(rows):
            yield SheetLane(aoi_type, "" if number else title, row)


def _text(area: TimedArea) -> SheetText:
    seconds, text = seconds_within(area.spans, 0.0, _ENDLESS), area.text
    if text is None:
        return SheetText(area.area.name, None, seconds, None, None)
    return SheetText(text, count_words(text), seconds, reading_s(text), is_long_enough(text, area.spans))


def _measures(row: Row) -> Iterator[tuple[str, str]]:
    """Yield titles and values of the measures, a line for each subject."""
    seconds, share, yes = _of(row, " s", 1), _of(row, " %", 0), _yes(row)
    yield "Brand on screen", _join(seconds("brand_on_screen_s"), share("brand_share", "of the time"))
    yield "First brand moment", "none" if row["brand_on_screen_s"] == 0 else _join(seconds("brand_appears_s"))
    card = digits(row["end_card_start_s"], 1)
    yield (
        "Brand at the end",
        _join(
            yes("brand_at_end_card", f"at the cut to the end card ({card} s)"), yes("brand_at_end", "at the last frame")
        ),
    )
    interval = ""
    if row["brand_seen_lo"] is not None and row["brand_seen_hi"] is not None:
        interval = f" ({digits(row['brand_seen_lo'], 0)}–{digits(row['brand_seen_hi'], 0)})"
    seen = share("brand_seen", f"of viewers see it{interval}")
    if row["brand_on_screen_s"] != 0:
        yield "Attention on the brand while shown", _join(share("brand_attention", "of all attention"), seen)
    count = _of(row, "", 0)
    too_short = row["texts_too_short"]
    short = (
        "" if too_short is None else "all long enough to read" if not too_short else f"{too_short:.0f} not long enough"
    )
    yield "Texts", _join(count("texts"), short if row["texts"] else "")
    yield "Legible text or brand", _join(share("text_share", "of the time"), share("text_shots", "of the shots"))
    first, largest = seconds("face_appears_s"), share("largest_face", "of the frame at most")
    faces = "none found" if row["faces_on_screen_s"] == 0 else seconds("faces_on_screen_s")
    yield "Faces", _join(faces, first and f"first at {first}", largest)
    cut = seconds("first_cut_s")
    shots = f"{row['shots']:.0f} {'shot' if row['shots'] == 1 else 'shots'}"
    yield "Pace", _join(shots, f"{digits(row['shots_per_min'], 0)} a minute", cut and f"first cut at {cut}")
    yield "Length of shots", _join(f"mean {seconds('mean_shot_s')}", f"longest {seconds('longest_shot_s')}")
    audio = {None: "unknown", True: "the file has an audio track", False: "the file has no audio track"}
    yield "Sound", audio[row["has_audio"]]
    answers = {None: "unknown", True: "yes", False: "no"}
    yield "Message told without sound (estimate)", answers[row["told_without_sound"]]


def _of(row: Row, unit: str, decimals: int) -> Callable[..., str]:
    """Return a function that formats a column with its unit and what it is of; empty where it is null."""

    def written(name: str, what: str = "") -> str:
        return "" if row[name] is None else f"{digits(row[name], decimals)}{unit}{' ' + what if what else ''}"

    return written


def _yes(row: Row) -> Callable[[str, str], str]:
    def written(name: str, what: str) -> str:
        return "" if row[name] is None else f"{'yes' if row[name] else 'no'}, {what}"

    return written


def _join(*parts: str) -> str:
    return "; ".join(part for part in parts if part) or "unknown"


def _unknown(reasons: Mapping[str, str]) -> str:
    """Say why measures are unknown, each reason once, without those that follow from what was found."""
    titles = {spec.name: spec.title for spec in FILM_SCORES}
    by_reason: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        if reason not in ("There is no such area.", "It has no cut."):
            by_reason.setdefault(reason, []).append(titles[name])
    return " ".join(
        f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: unknown. {reason}"
        for reason, names in by_reason.items()
    )


def _mend(row: Row, texts: Sequence[SheetText]) -> Iterator[str]:
    """Yield what is wrong and what to change, the brand first."""
    card = digits(row["end_card_start_s"], 1)
    if row["brand_on_screen_s"] == 0:
        yield "The brand was not found on screen. Show its mark or its name, or draw it if it was missed."
    elif row["brand_on_screen_s"] is not None:
        if row["brand_appears_s"] > OPENING_S:
            first = digits(row["brand_appears_s"], 1)
            yield f"The brand first appears at {first} s. Show it in the first 5 s, before viewers may skip."
        if row["brand_seen"] is not None and row["brand_seen"] < _LEAST_SEEN:
            seen = digits(row["brand_seen"], 0)
            yield f"Only {seen} % of viewers are predicted to see the brand. Make it larger, or keep it longer."
        if not row["brand_at_end_card"]:
            yield f"The brand is not there when the end card begins, at {card} s. Bring it up with the cut."
        if not row["brand_at_end"]:
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
    if row["told_without_sound"] is False:
        yield (
            "The message is not told without sound (estimate). Show the brand, and a headline or call to action that "
            "is legible and stays long enough."
        )
