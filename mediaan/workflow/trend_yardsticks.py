"""Whether the numbers of several runs may stand in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mediaan.benchmark.yardstick import Yardstick
from mediaan.errors import UsageError
from mediaan.workflow.drift_side import Side


def check_yardsticks(sides: Sequence[Side], *, aois: bool, videos: bool, despite: str = "") -> tuple[str, ...]:
    """Refuse runs that measure differently: a new model in between is not a trend.

    Parameters
    ----------
    sides : sequence of Side
    aois, videos : bool
        Whether scores of AOIs, and media that move, are meant.
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
    reasons = tuple(dict.fromkeys(_reasons(sides, aois, videos)))
    if reasons and not despite:
        raise UsageError(
            f"the runs do not measure alike, and a change of the measure is no trend: {'; '.join(reasons)}. Analyse "
            "the media again with one version and one recipe, or say with --despite REASON why they go together",
            code="not_comparable",
        )
    return tuple(f"Put together despite this ({despite}): {reason}." for reason in reasons)


def _reasons(sides: Sequence[Side], aois: bool, videos: bool) -> Iterator[str]:
    first, *others = ((str(side.path), _yardstick(side)) for side in sides)
    for path, other in others:
        for one, two, names in ((first[1], other, (first[0], path)), (other, first[1], (path, first[0]))):
            found = one.mismatches(two, aois=aois, videos=videos)
            if found:
                yield from (reason.replace("the norms", names[0]).replace("the run", names[1]) for reason in found)
                break


def _yardstick(side: Side) -> Yardstick:
    """Older versions do not say which scales they used; each of them used one."""
    try:
        found = Yardstick.of(side.facts)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{side.path}: mediaan {side.facts.get('mediaan', '(unknown)')} made this run, which does not say how its "
            "numbers were measured: analyse the media again",
            code="old_run",
        ) from error
    return replace(found, scores_id=found.scores_id or f"those of mediaan {found.mediaan}")
