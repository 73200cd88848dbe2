"""Compare media by what users call them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from mediaan.analysis.options import Device
from mediaan.studies.compare.lookup import find_media
from mediaan.studies.compare.options import CompareOptions
from mediaan.studies.compare.result import CompareResult
from mediaan.studies.compare.workflow import compare_media
from mediaan.types.arguments import check_items


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
    options = CompareOptions(
        check_items(metrics, str, "metrics"), by, pair, cluster, type, versions, attributes, objectives
    )
    several = [runs] if isinstance(runs, (str, Path)) else check_items(runs, (str, Path), "runs")
    with find_media(media, several, device) as in_runs:
        return compare_media(in_runs, options, device)
