"""The media of a comparison: whether they may be compared, their groups, and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path, PurePosixPath

from mediaan.config.attributes import FOLDER_KEYS, OBJECTIVE_KEYS, check_column, load_attributes
from mediaan.errors import UsageError
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.run import Run
from mediaan.types.media import MediumKind
from mediaan.types.result import Result
from mediaan.workflow.ranges import path_attributes

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


MAX_GROUPS = 300
"""Media, or groups, that are compared with each other: 300 make 44,850 pairs."""

_FILE_KEYS: Mapping[str, Callable[[PurePosixPath], str]] = {
    "path": str,
    "name": attrgetter("name"),
    "stem": attrgetter("stem"),
}
"""Keys beside attributes: the path that tables show, the file's name, with and without its suffix."""

RUN_KEY = "run"
"""Key beside attributes: the run that holds a medium, by the name of its folder."""


def group_media(media: Sequence[RunMedium], by: str | None, table: str | Path | None) -> dict[str, list[RunMedium]]:
    """Group media by a key, in the order in which groups appear; without a key each is a group.

    Raises UsageError: the key is not known, or there are fewer than two groups, or too many.
    """
    values = {medium.name: medium.name for medium in media} if by is None else _values(media, by, table)
    groups: dict[str, list[RunMedium]] = {}
    for medium in media:
        if medium.name in values:
            groups.setdefault(values[medium.name], []).append(medium)
    what = f"values of {by!r}" if by else "file" if len(groups) == 1 else "files"
    if len(groups) < 2:
        only = f"only one value of {by!r} ({next(iter(groups))})" if by and groups else f"{len(groups)} {what}"
        raise UsageError(f"nothing to compare: {only}; at least two are needed", code="bad_groups")
    if len(groups) > MAX_GROUPS:
        raise UsageError(f"{len(groups)} {what} are too many to compare: at most {MAX_GROUPS}", code="bad_groups")
    return groups


def pair_keys(
    media: Sequence[RunMedium], groups: Mapping[str, Sequence[RunMedium]], pair: str, table: str | Path | None
) -> dict[str, str]:
    """Return the value of the key that pairs media of different groups, by medium.

    Raises UsageError: the key is not known, two media of one group share a value, or none is shared between groups.
    """
    keys = _values(media, pair, table)
    for name, members in groups.items():
        often = Counter(keys[medium.name] for medium in members if medium.name in keys)
        twice = next((key for key, count in often.items() if count > 1), None)
        if twice is not None:
            raise UsageError(
                f"--pair {pair}: {often[twice]} files of the group {name!r} have {twice!r}; only one is allowed",
                code="bad_groups",
            )
    of_groups = [{keys[medium.name] for medium in members if medium.name in keys} for members in groups.values()]
    if len(set().union(*of_groups)) == sum(map(len, of_groups)):
        raise UsageError(f"--pair {pair}: no file of a group shares its {pair} with one of another", code="bad_groups")
    return keys


def cluster_keys(
    media: Sequence[RunMedium], groups: Mapping[str, Sequence[RunMedium]], key: str, table: str | Path | None
) -> dict[str, str]:
    """Return the value of the key that says which media of a group resemble each other, by medium.

    Raises UsageError: the key is not known, or says nothing of any medium of a group.
    """
    values = _values(media, key, table)
    for group, members in groups.items():
        if not any(medium.name in values for medium in members):
            raise UsageError(f"--cluster {key}: no file of the group {group!r} has one", code="bad_groups")
    return values


def _values(media: Sequence[RunMedium], key: str, table: str | Path | None) -> dict[str, str]:
    """Return what a key says of media, by name, if anything; a column of the table goes first."""
    attributes = load_attributes(Path(table)) if table else None
    check_column(attributes, key, (*OBJECTIVE_KEYS, *FOLDER_KEYS, RUN_KEY, *_FILE_KEYS))
    if attributes is None or key not in attributes.columns:
        if key == RUN_KEY:  # by the names of their folders, or by whole paths where two are called alike
            paths = dict.fromkeys(medium.run.path for medium in media)
            often = Counter(path.name for path in paths)
            names = {path: path.name if path.name and often[path.name] == 1 else str(path) for path in paths}
            return {medium.name: names[medium.run.path] for medium in media}
        if key in _FILE_KEYS:
            return {medium.name: _FILE_KEYS[key](PurePosixPath(medium.path)) for medium in media}
    runs = {medium.run.path: medium.run for medium in media}
    attributes_of = {path: path_attributes(run, [key], table) for path, run in runs.items()}
    values = {medium.name: attributes_of[medium.run.path][medium.path][key] for medium in media}
    return {name: value for name, value in values.items() if value is not None}
