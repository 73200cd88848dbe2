"""Whether the numbers of several runs may stand in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations

from mediaan.benchmark.yardstick import Yardstick
from mediaan.errors import UsageError
from mediaan.run import Run
from mediaan.workflow.drift_side import Side
from mediaan.workflow.population_choice import yardstick_of
from mediaan.workflow.trend_showings import DatedMedium


def check_yardsticks(
    sides: Sequence[Side], media: Sequence[DatedMedium], *, aois: bool, despite: str = ""
) -> tuple[str, ...]:
    """Refuse media that were measured differently: a new model in between is not a trend.

    Parameters
    ----------
    sides : sequence of Side
    media : sequence of DatedMedium
        Of these sides; sides without any do not matter.
    aois : bool
        Whether scores of AOIs are meant.
    despite : str
        Why they are put together all the same.

    Returns
    -------
    tuple of str
        What was passed over for that reason, to be told; empty where there was nothing.

    Raises
    ------
    UsageError
        ``not_comparable``, with every reason.
    """
    used = [sides[i] for i in sorted({one.side for one in media})]
    kinds, measures = tuple(_of_types(media)), (*_of_runs(used, media, aois), *_of_exposures(sides, media, aois))
    reasons = tuple(dict.fromkeys((*kinds, *measures)))
    if reasons and not despite:
        remedy = "Analyse them again with one version and one recipe" if measures else "Follow one of them with --type"
        raise UsageError(
            f"these media were not measured alike, and a change of the measure is no trend: {'; '.join(reasons)}. "
            f"{remedy}, or say with --despite REASON why they go together",
            code="not_comparable",
        )
    return tuple(f"Put together despite this ({despite}): {reason}." for reason in reasons)


def _of_types(media: Sequence[DatedMedium]) -> Iterator[str]:
    moving = sum(one.type != "image" for one in media)
    if 0 < moving < len(media):
        yield (
            f"scores of {len(media) - moving} pictures are about their exposure, those of {moving} videos about their "
            "own length"
        )


def _of_runs(sides: Sequence[Side], media: Sequence[DatedMedium], aois: bool) -> Iterator[str]:
    """Of areas only runs that were asked for them matter."""
    videos = any(one.type != "image" for one in media)
    for wanted, some in ((False, sides), (True, [side for side in sides if aois and side.areas_wanted])):
        for one in some[1:]:
            yield from _of_two(some[0], one, aois=wanted, videos=videos)


def _of_two(a: Side, b: Side, *, aois: bool, videos: bool) -> tuple[str, ...]:
    """Either run may lack what the other has: the first that has a reason tells it."""
    for one, other in permutations((a, b)):
        names = str(one.path), str(other.path)
        found = _yardstick(one).mismatches(_yardstick(other), aois=aois, videos=videos, names=names)
        if found:
            return found
    return ()


def _of_exposures(sides: Sequence[Side], media: Sequence[DatedMedium], aois: bool) -> Iterator[str]:
    """Each picture may have an exposure of its own."""
    runs = [Run(side.path, dict(side.facts)) for side in sides]
    pictures = (one for one in media if aois and one.type == "image" and sides[one.side].areas_wanted)
    exposures = sorted({runs[one.side].exposure_s(one.path) for one in pictures})
    if len(exposures) > 1:
        yield f"areas of pictures are looked at for {', '.join(f'{exposure:g}' for exposure in exposures)} s"


def _yardstick(side: Side) -> Yardstick:
    """Older versions do not say which scales they used, but each of them used one; exposures are told by medium."""
    try:
        found = yardstick_of(side.facts)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{side.path}: mediaan {side.facts.get('mediaan', '(unknown)')} made this run, which does not say how its "
            "numbers were measured: analyse the media again",
            code="old_run",
        ) from error
    return replace(found, scores_id=found.scores_id or f"those of mediaan {found.mediaan}", exposure_s=0.0)
