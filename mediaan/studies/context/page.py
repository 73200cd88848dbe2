"""Describe in sentences how an ad does in a page, and write it to a folder: pictures, numbers, a table, a page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from mediaan.report.formatting import digits
from mediaan.report.web.environment import picture_uri
from mediaan.run.tables.writing import write_table
from mediaan.studies.context.attention import average_page
from mediaan.studies.context.result import CONTEXT_METRICS, ContextPosition, ContextResult, ContextScore
from mediaan.studies.page import render_study, write_study

_SLIGHT = 1.25
"""Ratio, or its inverse, below which a difference is called slight: of such pairs people look at the predicted one more
hardly more often than not."""

_ESTIMATE = (
    "An estimate: nobody was shown this page with the ad. The model was checked on eye-tracked web pages, not on ads "
    "that were put into them."
)
_INTERVALS = (
    "Intervals of attention, viewers and time are those of areas of interest: how far predictions were from people on "
    "images with eye tracking."
)
_AGAINST_OTHERS = (
    "The interval of a ratio to others says how well it repeats with other images. It is no promise about people."
)


def page_sentence(positions: Sequence[ContextPosition], exposure_s: float, factor: float) -> str:
    """Describe what the ad gets at each place of a page, a line for each.

    `factor` is what attention was multiplied by because the picture is an ad; 1 for content.
    """
    lines = []
    for position in positions:
        sentences = [
            f"Estimate: at {position.name} the ad gets {_percent(position['attention'])} of the attention on the page, "
            f"and {_percent(position['percentage_seen'])} of viewers look at it within {exposure_s:g} s."
        ]
        average, before = position["ratio_to_average"], position["page_before"]
        if average.value is not None:
            sentences.append(
                f"That is {_times(average)} what an area of this size gets there on an average page: "
                f"{_verdict(average)}."
            )
        if before.value is not None:
            if_ad = f" ({digits(factor * before.value, 0)} % if that was an ad too)" if factor != 1 else ""
            sentences.append(f"Before, the page got {digits(before.value, 0)} % there{if_ad}.")
        ratio = position.get("ratio_to_others")
        if ratio is not None and ratio.value is not None:
            sentences.append(f"It gets {_times(ratio)} the attention of other images in this place: {_verdict(ratio)}.")
        lines.append(" ".join(sentences))
    return "\n".join(lines)


def page_notes(*, display_ad: bool, has_others: bool) -> tuple[str, ...]:
    """Return what to keep in mind."""
    average, checked = average_page(), average_page().checked
    ads = average.display_ads
    blindness = (
        f"{ads.ads} display ads on {ads.pages} eye-tracked pages got {ads.value:.2f} times ({ads.lo:.2f}–"
        f"{ads.hi:.2f}) the predicted attention: people look less at what they recognize as an ad"
    )
    notes = [
        _ESTIMATE,
        f"{blindness}. The numbers take this into account; the heatmap does not."
        if display_ad
        else f"{blindness}. The numbers here are those of content and do not take this into account.",
        f"An average page: the mean predicted attention on the first screens of {average.pages} well-known sites, "
        "at the same place and size. It says what the place gets whatever is there.",
        f"On {checked['pages']} eye-tracked web pages, predicted and measured attention of {checked['boxes']:,} "
        f"boxes of ad sizes correlate by {checked['r']:.2f}, with a mean error of "
        f"{100 * checked['mean_absolute_error']:.1f} points.",
        _INTERVALS,
    ]
    if has_others:
        small, large = checked["same_place"][0], checked["same_place"][2]
        notes.append(
            f"{_AGAINST_OTHERS} In the same place of two eye-tracked web pages, the one predicted to get up to "
            f"{small['to']:g} times as much got more in {100 * small['right']:.0f} % of pairs; {large['from']:g} to "
            f"{large['to']:g} times: in {100 * large['right']:.0f} %."
        )
    return tuple(notes)


def _percent(score: ContextScore) -> str:
    if score.value is None:
        return "an unknown share"
    if score.lo is None or score.hi is None:
        return f"{digits(score.value, 0)} %"
    return f"{digits(score.value, 0)} % ({digits(score.lo, 0)}–{digits(score.hi, 0)})"


def _times(score: ContextScore) -> str:
    assert score.value is not None
    if score.lo is None or score.hi is None:
        return f"{digits(score.value, 2)} times"
    return f"{digits(score.value, 2)} times ({digits(score.lo, 2)}–{digits(score.hi, 2)})"


def _verdict(ratio: ContextScore) -> str:
    """Return the verdict of a ratio in words; a difference that repeats can be small all the same."""
    assert ratio.value is not None
    if ratio.verdict is None:
        return "too few draws to tell"
    if ratio.verdict == "no clear difference":
        return ratio.verdict
    return f"{'slightly' if 1 / _SLIGHT < ratio.value < _SLIGHT else 'clearly'} {ratio.verdict}"


FACTS_FILE, TABLE_FILE = "context.json", "context.parquet"

_NARROW, _WIDE = 165, 420
"""Least width of figures on the page, px: of upright pictures, and of others."""


def render_context(result: ContextResult) -> str:
    """Render the page, a complete HTML document that needs no network and no other file."""
    specs = [spec for spec in CONTEXT_METRICS if any(spec.name in position for position in result.positions)]
    setting = f"looked at for {result.exposure_s:g} s"
    if result.draws > 1:
        setting = f"{result.draws} other pictures (seed {result.seed}), {setting}"
    return render_study(
        "context",
        result=result,
        setting=setting[0].upper() + setting[1:],
        pictures=_figures(result),
        columns=specs,
        rows=[(position.name, [position.get(spec.name) for spec in specs]) for position in result.positions],
    )


def _figures(result: ContextResult) -> list[tuple[int, list[tuple[str, str]]]]:
    """Group pictures by their shape: least width and figures, each with its caption and data."""

    def caption(name: str) -> str:
        place = name.removesuffix("_heat")
        at = "Page before" if place == "page_before" else result.positions[int(place.removeprefix("place_")) - 1].name
        return f"{at}: attention" if name.endswith("_heat") else at

    figures = [(picture.shape[0] > picture.shape[1], name, picture) for name, picture in result.pictures.items()]
    return [
        (_NARROW if upright else _WIDE, [(caption(name), picture_uri(picture)) for _, name, picture in group])
        for upright, group in groupby(figures, key=lambda figure: figure[0])
    ]


def write_folder(result: ContextResult, folder: Path) -> Path:
    """Write the composed pictures, ``context.parquet``, ``context.json`` and ``index.html`` (see `write_study`)."""
    page = write_study(folder, FACTS_FILE, result.to_dict(), render_context(result), result.pictures)
    write_table(folder / TABLE_FILE, "context", result.rows())
    return page
