"""`mediaan trend`: dates of media, runs that go together or not, brands, groups, and the files that it writes."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import duckdb
import pytest
from written_runs import FACTS, Place, write_run

import mediaan as mn
from mediaan.cli.main import cli
from mediaan.errors import UsageError
from mediaan.run.tables.schema import TRENDS
from mediaan.studies.trend.statistics import Trend, Trends

BRAND: Place = ("branding", (0.0, 0.0, 0.2, 0.2), 8.0)
SMALLER: Place = ("branding", (0.5, 0.5, 0.6, 0.6), 3.0)
FACE: Place = ("face", (0.0, 0.0, 0.5, 0.5), 40.0)
MONTHS = [f"2024-{month:02d}" for month in range(1, 13)]


def rising(step: float = 3.0) -> dict[str, dict[str, float]]:
    """Three ads a month; focus rises, memory does not."""
    return {
        f"{month}/ad_{i}_{month.replace('-', '')}x.png": {
            "focus": 30 + step * number + 4 * (i - 1),
            "memory": 50 + 6 * (i - 1) + (-1) ** number,
        }
        for number, month in enumerate(MONTHS)
        for i in range(3)
    }


@pytest.fixture
def year(tmp_path: Path) -> Path:
    media = rising()
    areas = {path: [FACE, SMALLER, BRAND] if "ad_0" in path or path > "2024-07" else [FACE] for path in media}
    return write_run(tmp_path / "year", media, areas=areas, failed=["2024-01/broken.png"])


def of(trends: Trends, metric: str, group: str | None = None) -> Trend:
    (found,) = [one for one in trends.trends if one.metric == metric and one.group == group]
    return found


def trend(*arguments: object) -> int:
    code = cli.main(["trend", *map(str, arguments)], standalone_mode=False)
    return code if isinstance(code, int) else 0


def table(path: Path, rows: dict[str, tuple[str, ...]], *columns: str) -> Path:
    lines = [",".join(("file", *columns)), *(",".join((name, *cells)) for name, cells in rows.items())]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


# what is followed


def test_a_score_that_rises_is_told_and_another_is_not(year: Path) -> None:
    found = mn.trend(year, date="path")
    assert (found.period, found.n, found.first.isoformat(), found.last.isoformat()) == (
        *("month", 36),
        *("2024-01-01", "2024-12-31"),
    )
    focus, memory = of(found, "focus"), of(found, "memory")
    assert [one.mean for one in focus.periods] == pytest.approx([30 + 3 * i for i in range(12)])
    assert (focus.verdict, focus.per) == ("rises", "year")
    assert focus.change == pytest.approx(33, abs=0.5)
    assert memory.verdict == "no_trend"
    assert focus.n_trends == len([one for one in found.trends if one.p is not None])


def test_the_best_area_of_a_medium_counts_and_media_without_one_do_not(year: Path) -> None:
    found = mn.trend(year, date="path")
    assert {one.mean for one in of(found, "attention").periods} == {8.0}
    presence = of(found, "presence")
    assert [round(one.mean) for one in presence.periods] == [33] * 6 + [100] * 6
    assert [one.n for one in presence.periods] == [3] * 12
    assert [one.n for one in of(found, "attention").periods] == [1] * 6 + [3] * 6
    assert presence.verdict == "rises"
    faces = mn.trend(year, date="path", aoi="face", metrics=["attention"])
    assert {one.mean for one in faces.trends[0].periods} == {40.0}
    assert not [one for one in mn.trend(year, date="path", aoi="none").trends if one.aoi_type]


# dates


def test_dates_of_a_column(year: Path, tmp_path: Path) -> None:
    names = list(rising())
    rows = {name: (f"{i % 28 + 1}.{i // 12 + 1}.2023",) for i, name in enumerate(names)}
    rows[names[0]] = ("",)
    found = mn.trend(year, date="live", attributes=table(tmp_path / "t.csv", rows | {"gone.png": ("x",)}, "live"))
    assert found.n == 35
    assert found.undated == ((names[0], "the table has no date for it"),)
    assert any("Left out, because they have no date: 1 file" in note for note in found.notes)
    assert any("1 rows of the table match no file" in note for note in found.notes)
    with pytest.raises(UsageError, match="no 'lives'; did you mean 'live'") as caught:
        mn.trend(year, date="lives", attributes=tmp_path / "t.csv")
    assert caught.value.code == "unknown_column"
    with pytest.raises(UsageError, match="name a column of a table with --attributes"):
        mn.trend(year, date="live")


def test_media_without_a_date_are_named_and_none_at_all_is_refused(tmp_path: Path) -> None:
    media = rising() | {"old/hero.png": {"focus": 1.0}, "2024-01-01_2024-02-01.png": {"focus": 99.0}}
    found = mn.trend(write_run(tmp_path / "a", media), date="path")
    assert dict(found.undated) == {
        "old/hero.png": "it has no date",
        "2024-01-01_2024-02-01.png": "it has several dates: 2024-01-01, 2024-02-01",
    }
    assert found.n == 36
    with pytest.raises(UsageError, match=r"none of 1 file has a date; a\.png: it has no date"):
        mn.trend(write_run(tmp_path / "b", {"a.png": {"focus": 1.0}}), date="path")


def test_one_run_a_month(tmp_path: Path) -> None:
    """The same medium counts in each run; its value is that of that run."""
    runs = [
        write_run(tmp_path / name, {"page.png": {"focus": 40.0 + i}}, facts={"created_at": f"{name}-05T01:00:00+00:00"})
        for i, name in enumerate(MONTHS)
    ]
    found = mn.trend(runs, date="run")
    assert (found.period, found.n) == ("month", 12)
    assert [one.mean for one in of(found, "focus").periods] == [40.0 + i for i in range(12)]


# runs that do not go together


def test_runs_of_another_model_are_refused_unless_one_says_why(year: Path, tmp_path: Path) -> None:
    later = {path.replace("2024", "2025"): scores for path, scores in rising().items()}
    other = write_run(tmp_path / "other", later, facts={"models": [{"name": "attention", "sha256": "b" * 64}]})
    with pytest.raises(UsageError, match="a change of method is not a trend") as caught:
        mn.trend([year, other], date="path")
    assert caught.value.code == "not_comparable"
    assert all(part in caught.value.message for part in ("year", "other", "aaaaaaaaaaaa", "bbbbbbbbbbbb"))
    found = mn.trend([year, other], date="path", despite="drift says that it is small")
    assert found.n == 72
    assert any("drift says that it is small" in note for note in found.notes)


def test_areas_looked_at_for_different_times_do_not_go_together(year: Path, tmp_path: Path) -> None:
    """Scores of media do not depend on it."""
    brief = {"recipe": FACTS["recipe"] | {"exposure_s": 2.0}}
    later = write_run(tmp_path / "brief", {"2025-01/z.png": {"focus": 1.0}}, areas={}, facts=brief)
    with pytest.raises(UsageError, match="areas of images have exposures of 2, 5 s"):
        mn.trend([year, later], date="path")
    assert mn.trend([year, later], date="path", aoi="none").n == 37
    own = {"objectives": {"2025-01/z.png": {"exposure_s": 1.5}}}
    one = write_run(tmp_path / "own", {"2025-01/z.png": {"focus": 1.0}}, areas={}, facts=own)
    with pytest.raises(UsageError, match=r"of 1\.5, 5 s"):
        mn.trend([year, one], date="path")


def test_other_finders_matter_only_where_areas_are_followed(year: Path, tmp_path: Path) -> None:
    finder = {"models": [*FACTS["models"], {"name": "objects", "sha256": "c" * 64}]}
    later = write_run(tmp_path / "later", {"2025-01/z.png": {"focus": 1.0}}, areas={}, facts=finder)
    for runs in ([year, later], [later, year]):
        with pytest.raises(UsageError, match=r"AOIs of .* were found by"):
            mn.trend(runs, date="path")
        assert mn.trend(runs, date="path", aoi="none").n == 37


# before and after


def test_before_and_after_a_day(year: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert trend(year, "--date", "path", "--metric", "focus", "--split", "2024-07-01") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Focus rises by 18.0 points."
    assert next(line for line in lines if line.startswith("Focus  ")).split()[3:6] == ["37.5", "55.5", "+18.0"]
    found = mn.trend(year, date="path", split=date(2024, 7, 1))
    assert (of(found, "focus").slope, of(found, "memory").verdict) == (None, "no_trend")
    assert found.to_dict()["split"] == "2024-07-01"


# groups


def test_groups_have_lines_of_their_own_and_many_small_ones_share_one(tmp_path: Path) -> None:
    media = {
        f"g{group}/2024-{month:02d}-{i + 1:02d}.png": {"focus": 10.0 * group}
        for group in range(8)
        for month in range(1, 5)
        for i in range(8 - group)
    }
    lone = {"2024-01-30.png": {"focus": 99.0}}
    named = {path.replace("/", f"/{i}_"): scores for i, (path, scores) in enumerate((media | lone).items())}
    found = mn.trend(write_run(tmp_path / "a", named), date="path", by="folder", metrics=["focus"])
    assert [one.group for one in found.trends] == [*(f"g{i}" for i in range(6)), "other groups"]
    assert found.groups == {"g0": 32, "g1": 28, "g2": 24, "g3": 20, "g4": 16, "g5": 12, "other groups": 12}
    assert {one.mean for one in of(found, "focus", "g3").periods} == {30.0}
    assert {round(one.mean, 6) for one in of(found, "focus", "other groups").periods} == {round((2 * 60 + 70) / 3, 6)}
    assert any("6 largest groups" in note and "2 others" in note for note in found.notes)
    assert any(note == "In no line, because they have no folder: 1 file." for note in found.notes)


# the command


def test_the_board(year: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert trend(year, "--date", "path") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Focus rises by 33.0 points; branding: Files that have one rises by ")
    assert lines[1] == "36 files of 1 run, 2024-01-01 to 2024-12-31 by month"
    assert lines[2] == "dates: names of folders and files"
    row = next(line for line in lines if line.startswith("Focus  "))
    assert row.split()[1] == "36"
    assert row.split()[2] == "".join(sorted(row.split()[2])), "the course goes up"
    assert row.endswith("rises")


def test_json_is_all_that_is_on_stdout(year: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert trend(year, "--date", "path", "--json") == 0
    out, err = capsys.readouterr()
    content = json.loads(out)
    assert err == ""
    assert content["trends"][0]["periods"][0]["first"] == "2024-01-01"
    assert content == mn.trend(year, date="path").to_dict()


def test_the_table(year: Path, tmp_path: Path) -> None:
    trend(year, "--date", "path", "--out", tmp_path / "out")
    trend(year, "--date", "path", "--out", tmp_path / "out")  # its own may be written again
    with pytest.raises(mn.UsageError, match="holds other files"):
        trend(year, "--date", "path", "--out", year)
    rows = duckdb.sql(f"select * from '{tmp_path / 'out' / 'trend.parquet'}'")
    assert rows.columns == TRENDS.names
    found = duckdb.sql(
        f"select period, n, mean, lo < mean and mean < hi, verdict from '{tmp_path / 'out' / 'trend.parquet'}'"
        " where metric = 'focus' order by first_day"
    ).fetchall()
    assert [row[0] for row in found] == MONTHS
    assert {row[1:2] + row[3:] for row in found} == {(3, True, "rises")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "fokus"], "no metric 'fokus'; did you mean 'focus'?"),
        (["--aoi", "brand"], "no AOI type 'brand'; did you mean 'branding'?"),
        (["--by", "campain"], "no 'campain'"),
        (["--time", "end", "--aoi", "none"], "the files with a date have no value of any score at the time end"),
        (["--time", "end", "--metric", "focus"], "no value of focus at the time end; use --time total"),
        (["--type", "video"], "the runs have no video"),
    ],
)
def test_what_cannot_be_followed_is_refused(year: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        trend(year, "--date", "path", *arguments)
    assert message in caught.value.message
