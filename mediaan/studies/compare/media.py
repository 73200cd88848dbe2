"""The media of a comparison: whether they may be compared, and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mediaan.errors import UsageError
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.run import Run
from mediaan.types.media import MediumKind
from mediaan.types.result import Result

TYPE_NAMES = {"image": "images", "video": "videos", "mixed": "mixed media"}
MIXED_TYPES = (
    "scores of images and videos cannot be compared (an image is seen for some seconds, a video for its length)"
)


@dataclass(frozen=True, slots=True)
class RunMedium:
    """A medium of a run."""

    run: Run
    result: Result
    """Without scores and areas: see `read_results`."""
    name: str
    """What the comparison calls it: the path, with the run's where two would be called alike."""
    file: Path | None = None
    """The file itself, where it is known."""

    @property
    def medium_id(self) -> str:
        """As the run's tables have it."""
        return str(self.result.medium.medium_id)

    @property
    def path(self) -> str:
        """As the run's tables show it."""
        return self.result.path

    @property
    def type(self) -> MediumKind:
        """Whether it is an image, or moves."""
        return self.result.medium.kind


def check_comparable(media: Sequence[RunMedium], *, aois: bool) -> None:
    """Refuse media whose numbers do not mean the same.

    Raises UsageError: runs of other models, scales, exposures or the like (``not_comparable``), or pictures and videos
        mixed.
    """
    types = sorted({medium.type for medium in media})
    if len(types) > 1:
        raise UsageError(f"{MIXED_TYPES}: choose one type, {' or '.join(types)}", code="not_comparable")
    first, *others = {medium.run.path: medium.run for medium in media}.values()
    for other in others:
        a, b = (ComparabilityKey.of(run.facts) for run in (first, other))
        names = str(first.path), str(other.path)
        reasons = a.mismatches(b, aois=aois, videos=types != ["image"], names=names)
        if reasons:
            raise UsageError(
                f"{first.path} and {other.path} cannot be compared: {'; '.join(reasons)}", code="not_comparable"
            )


SCORES = ("metrics", "aois", "aoi_scores")
"""Tables of which scores, and areas with theirs, consist."""


def read_results(media: Sequence[RunMedium], tables: Sequence[str] = SCORES) -> list[Result]:
    """Read what tables say of media, in the same order; the path of each result is the medium's name."""
    results: dict[tuple[Path, str], Result] = {}
    for run in {medium.run.path: medium.run for medium in media}.values():
        ids = {medium.medium_id for medium in media if medium.run.path == run.path}
        for result in run.results(tables, media=ids):
            results[run.path, str(result.medium.medium_id)] = result
    return [replace(results[medium.run.path, medium.medium_id], path=medium.name) for medium in media]


def media_of(run: Run) -> Iterator[RunMedium]:
    """Yield the analyzed media of a run."""
    return (RunMedium(run, result, result.path) for result in run.results(()))


def distinct_media(runs: Sequence[Run]) -> list[RunMedium]:
    """Return all media of some runs, each once in a run, under names that differ."""
    media = [medium for run in runs for medium in media_of(run)]
    distinct = {(medium.run.path, medium.medium_id): medium for medium in reversed(media)}
    return with_unique_names(list(distinct.values())[::-1])


def with_unique_names(media: Sequence[RunMedium]) -> list[RunMedium]:
    """Give each medium a name of its own."""
    often = Counter(medium.name for medium in media)
    named = [
        replace(medium, name=f"{medium.run.path.name}/{medium.path}") if often[medium.name] > 1 else medium
        for medium in media
    ]
    twice = [name for name, count in Counter(medium.name for medium in named).items() if count > 1]
    if twice:
        raise UsageError(f"{twice[0]} is named twice: name different files", code="not_comparable")
    return named
