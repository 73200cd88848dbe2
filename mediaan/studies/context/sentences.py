"""Say how an ad does in its context."""

from __future__ import annotations

from collections.abc import Sequence

from mediaan.report.formatting import digits
from mediaan.studies.context.average_page import average_page
from mediaan.studies.context.result import ContextPosition, ContextScore

_SHOWN_POSITIONS = 3

_SLIGHT = 1.25
"""Ratio, or its inverse, below which a difference is called slight: of such pairs people look at the predicted one more
hardly more often than not."""

_NOTES = {
    "page": (
        "An estimate: nobody was shown this page with the ad. The model was checked on eye-tracked web pages, not on "
        "ads that were put into them.",
    ),
    "feed": (
        "An estimate: the model did not learn from feeds, and there is no eye tracking of feeds to check it with. "
        "People also scroll, may pass a post before they have looked at it for the time assumed here, and look less at "
        "what they recognize as an ad, which is not in the numbers.",
    ),
    "shelf": (
        "An estimate: the model did not learn from shelves, and there is no eye tracking of shelves to check it with. "
        "Shoppers search for something, and stand nearer or farther than the image shows.",
    ),
}
_PLANOGRAM_INTERVAL = (
    "Intervals of attention, viewers and time are those of areas of interest. They do not cover what changes when "
    "people look at a shelf instead of an image."
)
_INTERVALS = (
    "Intervals of attention, viewers and time are those of areas of interest: how far predictions were from people on "
    "images with eye tracking, and how much they move when what surrounds the ad changes."
)
_AGAINST_OTHERS = (
    "The interval of a ratio to others says how well it repeats with other neighbours. It is no promise about people."
)


def page_sentence(positions: Sequence[ContextPosition], exposure_s: float, factor: float) -> str:
    """Say what the ad gets at each place of a page, a line for each; `factor` lowers the attention of ads, 1: none."""
    lines = []
    for one in positions:
        told = [
            f"Estimate: at {one.name} the ad gets {_percent(one['attention'])} of the attention on the page, and "
            f"{_percent(one['percentage_seen'])} of viewers look at it within {exposure_s:g} s."
        ]
        average, before = one["ratio_to_average"], one["page_before"]
        if average.value is not None:
            told.append(
                f"That is {_times(average)} what an area of this size gets there on an average page: "
                f"{_verdict(average)}."
            )
        if before.value is not None:
            if_ad = f" ({digits(factor * before.value, 0)} % if that was an ad too)" if factor != 1 else ""
            told.append(f"Before, the page got {digits(before.value, 0)} % there{if_ad}.")
        ratio = one.get("ratio_to_others")
        if ratio is not None and ratio.value is not None:
            told.append(f"It gets {_times(ratio)} the attention of other images in this place: {_verdict(ratio)}.")
        lines.append(" ".join(told))
    return "\n".join(lines)


def feed_sentence(positions: Sequence[ContextPosition], others: int) -> str:
    """Say how the ad compares with other pictures of the feed, a line for each view."""
    lines = []
    for whole in (one for one in positions if one.box is None):
        ratio = whole["ratio_to_others"]
        if ratio.value is None:
            continue
        own = [one for one in positions if one.view == whole.view and one.box is not None]
        told = (
            f"Estimate, {whole.view}: among {others} other images the ad gets {_times(ratio)} the attention of "
            f"others at the same places: {_verdict(ratio)}."
        )
        if len(own) <= _SHOWN_POSITIONS:
            shares = ", ".join(f"{_percent(one['attention'])} ({one.name})" for one in own)
            told += f" It gets {shares} of the attention on the screen."
        lines.append(told)
    return "\n".join(lines)


def shelf_sentence(positions: Sequence[ContextPosition], rows: int, columns: int) -> str:
    """Say how the pack compares with other packs at the same places, and where it does best."""
    whole = next(one for one in positions if one.box is None)
    own = sorted((one for one in positions if one.box is not None), key=lambda one: -(one["attention"].value or 0.0))
    ratio = whole["ratio_to_others"]
    told = f"Estimate: among {rows * columns} packs on {rows} shelves"
    if ratio.value is not None:
        told += f", the pack gets {_times(ratio)} the attention of other packs at the same places: "
        told += f"{_verdict(ratio)}"
    best, worst = own[0], own[-1]
    return (
        f"{told}. It gets most in {best.name} ({_percent(best['attention'], interval=False)} of all attention) and "
        f"least in {worst.name} ({_percent(worst['attention'], interval=False)})."
    )


def planogram_sentence(positions: Sequence[ContextPosition], pack: str, own: int, facings: int) -> str:
    """Say what share of the packs' attention the pack gets, against an equal share."""
    mine = [one for one in positions if one.item == pack]
    share = sum(one["shelf_share"].value or 0.0 for one in mine)
    equal = 100 * own / facings
    told = f"Estimate: with {own} of {facings} facings ({digits(equal, 0)} %), the pack gets "
    if len(mine) > 1:
        return f"{told}{digits(share, 0)} % of the attention on the packs, at {len(mine)} positions together."
    ratio = mine[0]["ratio_to_equal_share"]
    return (
        f"{told}{_percent(mine[0]['shelf_share'])} of the attention on the packs: {_times(ratio)} an equal share, "
        f"{_verdict(ratio)}."
    )


def notes_of(kind: str, *, has_others: bool) -> tuple[str, ...]:
    """Return what to keep in mind with results of a kind: page, display_ad (in a page), feed, shelf or planogram."""
    if kind == "planogram":
        return (*_NOTES["shelf"], _PLANOGRAM_INTERVAL)
    is_page = kind in ("page", "display_ad")
    notes = [*_NOTES["page" if is_page else kind]]
    if is_page:
        average, checked = average_page(), average_page().checked
        ads = average.display_ads
        found = (
            f"{ads.ads} display ads on {ads.pages} eye-tracked pages got {ads.factor:.2f} times ({ads.lo:.2f}–"
            f"{ads.hi:.2f}) the predicted attention: people look less at what they recognize as an ad"
        )
        if kind == "display_ad":
            notes.append(f"{found}. The numbers take this into account; the heatmap does not.")
        else:
            notes.append(f"{found}. The numbers here are those of content and do not take this into account.")
        notes.append(
            f"An average page: the mean predicted attention on the first screens of {average.pages} well-known sites, "
            "at the same place and size. It says what the place gets whatever is there."
        )
        notes.append(
            f"On {checked['pages']} eye-tracked web pages, predicted and measured attention of {checked['boxes']:,} "
            f"boxes of ad sizes correlate by {checked['r']:.2f}, with a mean error of "
            f"{100 * checked['mean_absolute_error']:.1f} points."
        )
    notes.append(_INTERVALS)
    if has_others:
        small, large = average_page().checked["same_place"][0], average_page().checked["same_place"][2]
        notes.append(
            f"{_AGAINST_OTHERS} In the same place of two eye-tracked web pages, the one predicted to get up to "
            f"{small['to']:g} times as much got more in {100 * small['right']:.0f} % of pairs; {large['from']:g} to "
            f"{large['to']:g} times: in {100 * large['right']:.0f} %."
        )
    return tuple(notes)


def _percent(score: ContextScore, *, interval: bool = True) -> str:
    if score.value is None:
        return "an unknown share"
    if score.lo is None or score.hi is None or not interval:
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
