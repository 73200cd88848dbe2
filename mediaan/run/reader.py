"""Read a run back."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from mediaan.errors import UsageError
from mediaan.judge.verdict import CheckCounts
from mediaan.run.answers import ANSWERED, read_answers
from mediaan.run.directory import CHANGING_FILE, UNFINISHED_FILE, refuse_folder
from mediaan.run.metadata import RunMetadata, read_metadata
from mediaan.run.tables.schema import DERIVED, TABLES
from mediaan.types.arguments import as_path
from mediaan.types.checks import VERDICT_WORDS, VERDICTS
from mediaan.types.display import Tile, html_card, html_gallery, text_card

if TYPE_CHECKING:
    import pandas as pd

    from mediaan.types.result import Result


_MOST_COUNTED = 10_000
"""Files up to which their verdicts are counted whenever a run is shown."""

_MOST_SHOWN = 24
"""Files whose pictures a notebook shows of a run."""


class _Table(cached_property["pd.DataFrame"]):
    """A table of a run, of the name of the attribute, read when it is first asked for."""

    def __init__(self) -> None:
        super().__init__(lambda run: run.table(self.attrname))


@dataclass(frozen=True)
class Run:
    """A finished run."""

    path: Path
    """The run directory."""
    metadata: RunMetadata
    """Contents of ``run.json``, validated."""

    def __repr__(self) -> str:
        return text_card(f"Run: {self.path}", self._rows())

    def _repr_html_(self) -> str:
        return html_card(f"Run: {self.path}", self._rows()) + self._gallery()

    def _gallery(self) -> str:
        """Write the pictures of the first files, each content once, as HTML."""
        if not (self.path / "tables").is_dir():
            return ""
        tiles: dict[UUID, Tile] = {}
        files = 0
        for result in self.results(("maps", "checks", "rule_results")):
            if len(tiles) == _MOST_SHOWN:
                break
            files += 1
            if result.medium.medium_id not in tiles:
                tiles[result.medium.medium_id] = result.tile()
        return html_gallery(list(tiles.values()), self.metadata.counts.done - files)

    def _rows(self) -> dict[str, str]:
        """Return what a reader looks for first, by label."""
        metadata, counts = self.metadata, self.metadata.counts
        failed = f", {counts.failed:,} failed" if counts.failed else ""
        verdicts = ""
        if counts.done <= _MOST_COUNTED and (self.path / "tables").is_dir():
            counted = self.verdicts["verdict"].value_counts()
            verdicts = ", ".join(
                f"{counted[verdict]:,} {VERDICT_WORDS[verdict]}" for verdict in VERDICTS if verdict in counted
            )
        report = self.path / "report" / "index.html"
        return {
            "files": f"{counts.done:,} analyzed{failed}",
            "verdicts": verdicts,
            "made": f"{metadata.created_at[:10]}, mediaan {metadata.mediaan}, model {metadata.recipe.model}",
            "report": str(report) if report.is_file() else "",
            "more": "run.results(), .media, .scores, .verdicts, .checks, .aois, .aoi_scores, .table(name)",
        }

    @property
    def facts(self) -> dict[str, Any]:
        """Contents of ``run.json`` as they are written: recipe, versions, models, counts, metrics, maps."""
        return self.metadata.facts

    def table(self, name: str) -> pd.DataFrame:
        """Read one of the run's tables by name, such as media, metrics or aois; see ``docs/tables.md``."""
        import pandas as pd

        if name not in TABLES:
            raise UsageError(f"no table {name!r}; there are {', '.join(TABLES)}", code="unknown_table")
        file = self.path / "tables" / f"{name}.parquet"
        if name in DERIVED and not file.is_file():
            return pd.DataFrame(TABLES[name].empty_table().to_pandas())
        return pd.read_parquet(file)

    @property
    def pending(self) -> str | None:
        """A sentence, where this is not the last word on its media; None of a run that is whole."""
        if (self.path / UNFINISHED_FILE).is_file():
            return f"{self.path}: an analysis is running or was interrupted; until it ends, you see the earlier run"
        if (self.path / CHANGING_FILE).is_file():
            return (
                f"{self.path}: a change of its areas is running or was interrupted; run the same command to complete it"
            )
        answers = read_answers(self.path)
        if answers and answers[-1].id != self.facts.get(ANSWERED):
            return f"{self.path}: a review is running or was interrupted; run `mediaan review` to go on"
        return None

    def exposure_s(self, path: str) -> float:
        """Return how long the image at a path of the table media is looked at, s: its objective's or the recipe's.

        A medium that moves lasts as long as it lasts, whatever this says.
        """
        return self.metadata.exposure_s(path)

    def stated_domain(self, path: str) -> str | None:
        """Return the domain that a user stated for the medium at a path; None if it was predicted."""
        if "domain_stated" not in self.media:  # tables of mediaan 0.8 and before
            return None
        stated = self.media[self.media["domain_stated"].eq(True)].set_index("path")["domain"]
        return str(stated[path]) if path in stated.index else None

    def results(
        self,
        tables: Collection[str] | None = None,
        *,
        metrics: Collection[str] | None = None,
        media: Collection[str] | None = None,
        densities: bool = False,
    ) -> Iterator[Result]:
        """Yield the result of each analyzed file, in the order of the table media, as the analysis returned it.

        Parameters
        ----------
        tables : collection of str, optional
            What to read, beside the table media; by default all that a result consists of. Fewer take less time.
        metrics : collection of str, optional
            Only scores and ranges of these metrics; by default all.
        media : collection of str, optional
            Only the files with these medium ids; by default all.
        densities : bool
            Whether to read stored densities; without them, `Result.densities` knows only the domain.
        """
        from mediaan.run.results import RESULT_TABLES, read_outcomes  # which read a run by this module
        from mediaan.types.result import Result

        read = RESULT_TABLES if tables is None else tables
        outcomes = read_outcomes(self, read, metrics=metrics, media=media, densities=densities)
        return (outcome for outcome in outcomes if isinstance(outcome, Result))

    media = _Table()
    """One row per file."""
    metrics = _Table()
    """One row per medium, metric and time."""
    drivers = _Table()
    """One row per score and property that moved it."""
    frames = _Table()
    """One row per sampled frame of media that move."""
    scenes = _Table()
    """One row per scene of media that move."""
    aois = _Table()
    """One row per area of interest."""
    aoi_tracks = _Table()
    """Positions of AOIs in videos, by sample."""
    aoi_scores = _Table()
    """One row per AOI, metric and time."""
    maps = _Table()
    """One row per map file."""
    problems = _Table()
    """Problems, one row each."""
    benchmark_ranges = _Table()
    """Positions of scores in their population."""
    rule_results = _Table()
    """Results of rules."""
    checks = _Table()
    """Results of checks."""
    suggestions = _Table()
    """Edits of images that were tried and are predicted to help, for each purpose."""
    folds = _Table()
    """Folds of tall pages: viewers who reach them, attention, scores."""
    looks = _Table()
    """Estimated order in which areas of images are looked at, one row per AOI."""
    scanpaths = _Table()
    """Typical path over each image, an estimate, one row per fixation."""
    screen_times = _Table()
    """Times on screen in videos: since when, for how long, how fast texts have to be read."""
    film = _Table()
    """One row per video: its brand, texts, faces and pace."""
    placements = _Table()
    """Files in their placements: shares cropped and covered, text sizes, and scores as shown."""

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """Verdict of each medium from its checks and rules: medium_id, path (its first) and verdict."""
        import pandas as pd

        broken = self.rule_results
        broken = broken[(broken["status"] == "failed") & (broken["severity"] == "error")]
        failed = broken.drop_duplicates(["medium_id", "rule", "name"])["medium_id"].value_counts()
        named = self.checks["status"].where(~self.checks["required"], "required_" + self.checks["status"])
        counted = pd.crosstab(self.checks["medium_id"], named)
        media = self.media[self.media.status == "done"].drop_duplicates("medium_id")[["medium_id", "path"]]
        verdicts = []
        for medium_id in media["medium_id"]:
            row = counted.loc[medium_id].to_dict() if medium_id in counted.index else {}
            verdicts.append(CheckCounts(rules_failed=int(failed.get(medium_id, 0)), **row).verdict)
        return media.assign(verdict=verdicts).reset_index(drop=True)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The metrics' values: one row per medium, its first path, and one column per metric (NaN where undefined).

        Over the whole exposure, but for those whose name says first or last two seconds.
        """
        names = [metric["name"] for metric in self.metadata.metrics]
        whole = (self.metrics.metric_time == "total") | self.metrics.metric.str.contains("_two$")
        wide = self.metrics[whole].pivot(index="medium_id", columns="metric", values="value").reindex(columns=names)
        paths = self.media[self.media.status == "done"].drop_duplicates("medium_id").set_index("medium_id").path
        return paths.to_frame().join(wide)


def read_run(run_dir: str | Path) -> Run:
    """Open the run in a directory.

    Raises
    ------
    UsageError
        There is no finished run there. One that an analysis goes on with stays as it was until new tables are whole.
    """
    path = as_path(run_dir, "run_dir")
    try:
        metadata = read_metadata(path)
    except (OSError, ValueError) as error:
        raise refuse_folder(path, error) from error
    needed = [name for name in TABLES if name not in DERIVED]
    missing = [name for name in needed if not (path / "tables" / f"{name}.parquet").is_file()]
    if missing:
        raise UsageError(f"{path}: the run lacks its table {missing[0]}; run the analysis again", code="no_run")
    return Run(path, metadata)
