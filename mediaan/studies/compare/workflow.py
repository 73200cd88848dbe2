"""Compare what users name: media of runs, and files, which are analyzed on the spot."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Literal

from mediaan.analysis import Execution, Recipe
from mediaan.analysis.options import Device
from mediaan.errors import MediumError, UsageError, did_you_mean
from mediaan.media import file_medium_id
from mediaan.run import read_run
from mediaan.studies.compare.compare import compare_media
from mediaan.studies.compare.media import RunMedium, distinct_media, media_of, with_unique_names
from mediaan.studies.compare.result import CompareResult
from mediaan.types.arguments import check_items
from mediaan.workflow.folder.analyze import analyze_folder

_LEAST_ID = 6  # characters by which a medium may be named
_MOST_LISTED = 6


def compare(
    *media: str | Path,
    runs: str | Path | Sequence[str | Path] = (),
    metrics: Sequence[str] = (),
    by: str | None = None,
    pair: str | None = None,
    cluster: str | None = None,
    type: Literal["image", "video", "mixed"] | None = None,
    versions: bool = False,
    attributes: str | Path | None = None,
    objectives: str | Path | None = None,
    device: Device = "auto",
) -> CompareResult:
    """Compare media, or groups of media, by their scores.

    Two are compared by each score and by those of their areas: which leads on the headline scores, what is proven, and
    to which side the rest leans. More are ranked, and all pairs compared. What is proven is corrected for the number of
    comparisons.

    Parameters
    ----------
    *media : str or Path
        Paths as the runs' tables show them or an ending of one, ids, or files, which are analyzed on the spot where no
        run holds them. Without any, all media of the runs.
    runs : path or sequence of paths
        Run directories, made with the same model, scales and exposure.
    metrics : sequence of str
        Scores, such as ``focus`` or ``branding.percentage_seen``; ``all`` for every score at every time. By default
        the media's own, and of areas attention, percentage seen and time spent over the whole exposure.
    by : str, optional
        Key that groups the media: a column of `attributes`, a setting of objectives, ``folder``, or ``run``.
    pair : str, optional
        Key that pairs media of different groups, such as ``name``, the file's name.
    cluster : str, optional
        Key that says which media of a group resemble each other, such as its campaigns: means of these are compared,
        and each counts once. Without it media count as independent of each other.
    type : {'image', 'video', 'mixed'}, optional
        Only media of this type; needed where the runs hold several, whose scores do not compare.
    versions : bool
        Whether the media are versions of one design: what the program gets wrong about people is then much the same
        in all, so intervals say how well differences repeat. Takes still pictures that are at hand.
    attributes : path, optional
        CSV with keys of the media.
    objectives : path, optional
        Objectives file: what the media are for decides what is better.
    device : {'auto', 'cpu', 'cuda'}
        Where files are analyzed.

    Returns
    -------
    CompareResult

    Raises
    ------
    UsageError
        A medium, metric or key that there is not; runs that cannot be compared (``not_comparable``).
    MediumError
        A file that cannot be analyzed.

    Examples
    --------
    >>> import mediaan as mn
    >>> c = mn.compare("a.png", "b.png", runs="run")  # doctest: +SKIP
    >>> c.leader.side, c.leader.probability, c["focus"].verdict, c["focus"].lean, c.summary  # doctest: +SKIP
    """
    metrics = check_items(metrics, str, "metrics")
    several = [runs] if isinstance(runs, (str, Path)) else check_items(runs, (str, Path), "runs")
    with find_media(media, several, device) as in_runs:
        return compare_media(
            in_runs,
            metrics=metrics,
            by=by,
            pair=pair,
            cluster=cluster,
            type=type,
            versions=versions,
            attributes=attributes,
            objectives=objectives,
            device=device,
        )


@contextmanager
def find_media(
    names: Sequence[str | Path], runs: Sequence[str | Path], device: Device = "auto"
) -> Iterator[list[RunMedium]]:
    """Find media by what users call them.

    `names`: paths as tables show them or an ending of one, with or without the run's directory before it; ids or their
        beginning; files, which are analyzed on the spot where no run holds them. Without any, all media of the runs.
    Yields: in the order of the names, all different. What was analyzed on the spot is gone afterwards.
    Raises UsageError: a name means none or several media; a file fails; there is no run; two are the same.
    """
    with ExitStack() as stack:
        opened = [read_run(run) for run in runs]
        in_runs = [medium for run in opened for medium in media_of(run)]
        if not names:
            yield distinct_media(opened)
            return
        matches = [_find_medium(str(name), in_runs) for name in names]
        files = [Path(name) for name, match in zip(names, matches, strict=True) if match is None]
        if files:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mediaan-compare-"))
            recipe, execution = Recipe(maps=(), advice="none"), Execution(device=device, workers=1)
            fresh = analyze_folder(files, Path(folder) / "run", recipe, execution)
            for row in fresh.media[fresh.media["status"] != "done"].itertuples():
                raise MediumError(str(row.error_message), code=str(row.error_code))
            by_id = {medium.medium_id: medium for medium in media_of(fresh)}
            analyzed = iter([replace(by_id[str(file_medium_id(file))], name=str(file), file=file) for file in files])
            matches = [match or next(analyzed) for match in matches]
        yield with_unique_names([match for match in matches if match is not None])


def _find_medium(name: str, in_runs: Sequence[RunMedium]) -> RunMedium | None:
    """Find the medium that a name means; None for a file that no run holds."""
    file = Path(name)
    if file.is_file():
        medium_id = str(file_medium_id(file))
        same = sorted(
            (medium for medium in in_runs if medium.medium_id == medium_id), key=lambda medium: medium.path != name
        )
        return replace(same[0], name=name, file=file) if same else None

    def is_path(medium: RunMedium) -> bool:
        return name in (medium.path, f"{medium.run.path}/{medium.path}")

    def is_id(medium: RunMedium) -> bool:
        return len(name) >= _LEAST_ID and medium.medium_id.startswith(name.lower())

    def is_ending(medium: RunMedium) -> bool:  # with or without the folders before it and the suffix after it
        bare = str(PurePosixPath(medium.path).with_suffix(""))
        return any(f"{medium.run.path}/{path}".endswith(f"/{name}") for path in (medium.path, bare))

    for fits in (is_path, is_id, is_ending):
        matches = [medium for medium in in_runs if fits(medium)]
        if len({medium.medium_id for medium in matches}) > 1:
            listed = ", ".join(f"{medium.run.path}/{medium.path}" for medium in matches[:_MOST_LISTED])
            raise UsageError(f"{name}: matches several files; name one of them: {listed}", code="unknown_medium")
        if matches:
            return matches[0]
    if file.is_dir():
        raise UsageError(
            f"{name}: is a folder, not a file; analyze it with `mediaan analyze {file.name}`, and "
            "name the run here (--by folder compares its folders)",
            code="unknown_medium",
        )
    if not in_runs:
        raise UsageError(f"{name}: no such file, and no run was given that could hold it", code="unknown_medium")
    runs = ", ".join(sorted({str(medium.run.path) for medium in in_runs}))
    guess = did_you_mean(name, {medium.path for medium in in_runs})
    raise UsageError(f"{name}: no such file, and none of this name in {runs}{guess}", code="unknown_medium")
