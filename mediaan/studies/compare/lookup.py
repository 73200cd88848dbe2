"""Find the media to compare in runs by what users call them; analyze files that no run holds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from mediaan.analysis import Execution, Recipe
from mediaan.analysis.options import Device
from mediaan.errors import MediumError, UsageError, did_you_mean
from mediaan.media import file_medium_id
from mediaan.run import read_run
from mediaan.studies.compare.media import RunMedium, distinct_media, media_of, with_unique_names
from mediaan.workflow.folder.analyze import analyze_folder

_LEAST_ID = 6  # characters by which a medium may be named
_MOST_LISTED = 6


@contextmanager
def find_media(
    names: Sequence[str | Path], runs: Sequence[str | Path], device: Device = "auto"
) -> Iterator[list[RunMedium]]:
    """Find media by what users call them.

    `names`: paths as tables show them or an ending of one, with or without the run's directory before it; ids or their
        beginning; files, which are analyzed on the spot where no run holds them. Without any, all media of the runs.
    `runs`: run directories.
    `device`: where files are analyzed.
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
