"""`mediaan results`: joins, cells, groups, weights, claims against simulated truth, targets, and the page."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow.parquet as pq
import pytest
from browsing import needs_browser, on_phone, open_fresh
from selenium import webdriver
from written_runs import Place, id_of, write_run

import mediaan as mn
from mediaan.cli.main import cli
from mediaan.errors import UsageError
from mediaan.run.tables.schema import RESULTS
from mediaan.studies.results import statistics
from mediaan.studies.results.measures import join_results
from mediaan.studies.results.page import render_results
from mediaan.studies.results.statistics import Association, Results

HOSTILE = "</style><img src=x onerror=alert(1)>.png"


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "PERMUTATIONS", 1999)
    monkeypatch.setattr(statistics, "REFITS", 99)
    monkeypatch.setattr(statistics, "RESAMPLES", 100)


def brand(share: float) -> list[Place]:
    return [("branding", (0.0, 0.0, 0.2, 0.2), share)]


def ads(n: int = 60, folder: str = "") -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(n)
    return {
        f"{folder}ad {i:03}.png": {"focus": float(rng.uniform(5, 95)), "memory": float(rng.uniform(5, 95))}
        for i in range(n)
    }


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Sixty ads; every fifth has no brand."""
    media = ads()
    areas = {path: [] if i % 5 == 0 else brand(1.0 + i) for i, path in enumerate(media)}
    facts = {"scores_id": "0123456789abcdef"}
    return write_run(tmp_path / "run", media, areas=areas, failed=["broken.png"], facts=facts)


def table(path: Path, columns: Sequence[str], rows: Mapping[str, Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["file", *columns], *([name, *cells] for name, cells in rows.items())])
    return path


def going_with_focus(media: Mapping[str, Mapping[str, float]], noise: float = 10.0) -> dict[str, list[object]]:
    rng = np.random.default_rng(1)
    return {path: [round(scores["focus"] + noise * rng.normal(), 3)] for path, scores in media.items()}


def claims(found: Results) -> dict[str, Association]:
    return {claim.measure: claim for claim in found.claims}


def refusal(*arguments: Any, **options: Any) -> UsageError:
    with pytest.raises(UsageError) as refused:
        mn.results(*arguments, **options)
    return refused.value


# truth


def test_what_goes_with_results_is_found_and_nothing_else(run: Path, tmp_path: Path) -> None:
    found = mn.results(run, table(tmp_path / "r.csv", ["ctr"], going_with_focus(ads())), "ctr")
    assert claims(found).keys() == {"focus"}
    claim = claims(found)["focus"]
    assert claim.value > 0.8
    assert claim.lo is not None
    assert claim.lo > 0.7
    assert found.left_out[0].predicts
    assert {each.measure for each in found.associations} >= {"memory", "branding.count", "branding.attention"}


def test_of_noise_no_is_said_first(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(3)
    noise = table(tmp_path / "r.csv", ["ctr"], {path: [rng.random()] for path in ads()})
    assert cli.main(["results", str(run), str(noise), "--kpi", "ctr"], standalone_mode=False) in (0, None)
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("ctr. No: all measures together do not predict the ctr of ads that were left out.")
    assert "at least" not in "\n".join(lines[:20])


def test_of_costs_less_is_better(run: Path, tmp_path: Path) -> None:
    costs = table(tmp_path / "r.csv", ["cpc"], going_with_focus(ads()))
    plain, turned = mn.results(run, costs, "cpc"), mn.results(run, costs, "cpc", lower_is_better="cpc")
    assert claims(plain)["focus"].value == pytest.approx(-claims(turned)["focus"].value)
    assert any("--lower-is-better cpc" in note for note in plain.notes)
    assert not any("--lower-is-better" in note for note in turned.notes)
    target = claims(turned)["focus"].target
    assert not target.minimum  # cheap ads have little focus here


def test_an_absent_area_has_no_attention_and_no_lift(run: Path, tmp_path: Path) -> None:
    """Results go with the brand's attention; ads without a brand have none of it, and the worst results."""
    results = {path: [0 if i % 5 == 0 else 1 + i] for i, path in enumerate(ads())}
    found = claims(mn.results(run, table(tmp_path / "r.csv", ["ctr"], results), "ctr"))
    assert found["branding.attention"].value == pytest.approx(1.0)
    assert (found["branding.attention"].n, found["branding.count"].value > 0.5) == (60, True)


def test_a_campaign_that_does_well_does_not_make_its_style_look_good(tmp_path: Path) -> None:
    media = {
        f"{campaign}/{name}": {"focus": scores["focus"] / 4 + 60 * (campaign == "b"), "memory": scores["memory"]}
        for campaign in "ab"
        for name, scores in ads(30).items()
    }
    media = {f"{path[:2]}{path[0]}{path[2:]}": scores for path, scores in media.items()}  # other bytes, other names
    run = write_run(tmp_path / "run", media)
    rng = np.random.default_rng(5)
    rows = {path: [10 * path.startswith("b") + rng.random(), path[0].upper()] for path in media}
    results = table(tmp_path / "r.csv", ["ctr", "campaign"], rows)
    assert "focus" in claims(mn.results(run, results, "ctr"))
    for group in ("campaign", "folder1"):
        found = mn.results(run, results, "ctr", group=group)
        assert (found.claims, found.left_out[0].folds) == ((), "whole groups, in 2 parts")
        assert sorted(found.groups.values()) == [30, 30]


def test_false_discoveries_are_counted_over_all_kpis(run: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    rows = {path: [*cells, rng.random(), rng.random()] for path, cells in going_with_focus(ads()).items()}
    results = table(tmp_path / "r.csv", ["ctr", "noise", "more"], rows)
    one, three = mn.results(run, results, "ctr"), mn.results(run, results, ["ctr", "noise", "more"])
    assert len(three.associations) == 3 * len(one.associations)
    assert claims(three)["focus"].q > claims(one)["focus"].q
    assert three.left_out[0].p > one.left_out[0].p
    assert {claim.kpi for claim in three.claims if claim.target} <= {"ctr"}


def test_ads_weigh_as_told(run: Path, tmp_path: Path) -> None:
    """Half of the ads are noise that was hardly shown."""
    rng = np.random.default_rng(7)
    rows = {
        path: [cells[0], 1_000_000] if i % 2 else [100 * rng.random(), 1]
        for i, (path, cells) in enumerate(going_with_focus(ads(), 5.0).items())
    }
    rows["ad 000.png"][1] = 0
    rows["ad 002.png"][1] = ""
    results = table(tmp_path / "r.csv", ["ctr", "impressions"], rows)
    found = mn.results(run, results, "ctr", weight="impressions")
    assert claims(found)["focus"].value > 0.9 > mn.results(run, results, "ctr").associations[0].value
    assert (found.n, claims(found)["focus"].n) == (60, 58)
    assert any(note.startswith("2 ads have no ctr, or a weight of 0") for note in found.notes)


# joins


def test_rows_are_joined_by_name_path_and_id(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {**ads(3, "summer/"), **ads(2, "winter/x "), "ä.png": {"focus": 1.0}})
    names = ["AD 000.PNG", r"C:\ads\summer\ad 001.png", "ad 002", str(id_of("x ad 000.png")), "a\u0308.png", "gone.png"]
    joined = join_results(run, table(tmp_path / "r.csv", ["ctr"], {name: [i] for i, name in enumerate(names)}), ["ctr"])
    found = {ad.path: value for ad, value in zip(joined.ads, joined.numbers["ctr"], strict=True)}
    assert found == {
        "summer/ad 000.png": 0,
        "summer/ad 001.png": 1,
        "summer/ad 002.png": 2,
        "winter/x ad 000.png": 3,
        "ä.png": 4,
    }
    assert joined.rows_without_ad == (("gone.png", "is no analyzed file of the run"),)
    assert joined.ads_without_row == ("winter/x ad 001.png",)


def test_a_name_that_two_ads_share_is_not_guessed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    media = {f"{folder}/{i}.png": {"focus": float(i)} for folder in "ab" for i in range(2)}
    media["a/hero.png"] = media["b/hero.png"] = {"focus": 3.0}  # the same bytes
    write_run(run, media)
    names = {"0.png": [1], "hero.png": [2]}
    joined = join_results(run, table(tmp_path / "r.csv", ["ctr"], names), ["ctr"])
    # files of this run with one name have the same bytes, and are one ad
    assert [ad.path for ad in joined.ads] == ["a/0.png", "a/hero.png"]


def test_two_ads_of_one_name_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import written_runs

    monkeypatch.setattr(written_runs, "id_of", lambda name: id_of(name + str(next(count))))
    count = iter(range(99))
    run = write_run(tmp_path / "run", {"a/x.png": {"focus": 1.0}, "b/x.png": {"focus": 2.0}, "c.png": {"focus": 2.0}})
    joined = join_results(run, table(tmp_path / "r.csv", ["ctr"], {"x.png": [1], "c.png": [2]}), ["ctr"])
    assert joined.rows_without_ad == (("x.png", "may be a/x.png or b/x.png: write its folder, too"),)
    joined = join_results(run, table(tmp_path / "r.csv", ["ctr"], {"b/x.png": [1], "a/x.png": [2]}), ["ctr"])
    assert [(ad.path, value) for ad, value in zip(joined.ads, joined.numbers["ctr"], strict=True)] == [
        ("b/x.png", 1),
        ("a/x.png", 2),
    ]


def test_nothing_joined_says_how_files_are_called(run: Path, tmp_path: Path) -> None:
    error = refusal(run, table(tmp_path / "r.csv", ["ctr"], {"other.png": [1]}), "ctr")
    assert error.code == "not_joined"
    assert "'other.png'" in error.message
    assert "'ad 000.png'" in error.message
    assert "'file'" in error.message


# cells


@pytest.mark.parametrize("cell", ["good", "1,234", "inf", "12 apples", "1.2.3", "1;5", "€", "％"])
def test_a_cell_that_is_no_number_is_named(run: Path, tmp_path: Path, cell: str) -> None:
    error = refusal(run, table(tmp_path / "r.csv", ["ctr"], {"ad 000.png": ["1"], "ad 001.png": [cell]}), "ctr")
    assert "line 3, column 'ctr'" in error.message
    assert repr(cell) in error.message


def test_two_units_in_a_column_are_refused(run: Path, tmp_path: Path) -> None:
    error = refusal(run, table(tmp_path / "r.csv", ["ctr"], {"ad 000.png": ["1.2%"], "ad 001.png": ["0.012"]}), "ctr")
    assert "'1.2%' and '0.012'" in error.message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kpi": "cta"}, "did you mean 'ctr'"),
        ({"kpi": []}, "--kpi"),
        ({"kpi": "ctr", "lower_is_better": "cpc"}, "--lower-is-better cpc"),
        ({"kpi": "ctr", "weight": "shows"}, "shows"),
        ({"kpi": "ctr", "group": "brnd"}, "brnd"),
        ({"kpi": "same"}, "same is 7 for all 60 ads"),
        ({"kpi": "few"}, "3 ads of the run have a few"),
        ({"kpi": "ctr", "weight": "minus"}, "'ad 002.png' is below 0"),
        ({"kpi": "ctr", "weight": "zero"}, "no ad has a zero above 0"),
        ({"kpi": 3}, "kpi"),
    ],
)
def test_what_cannot_be_is_said(run: Path, tmp_path: Path, options: dict[str, Any], words: str) -> None:
    columns = ["ctr", "same", "few", "minus", "zero"]
    rows = {path: [i, 7, i if i < 3 else "", -1 if i == 2 else 1, 0] for i, path in enumerate(ads())}
    assert words in refusal(run, table(tmp_path / "r.csv", columns, rows), **options).message


def test_an_ad_with_two_rows_is_refused(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("file,ctr\nad 000.png,1\nad 000.png,2\n")
    assert "line 2" in refusal(run, path, "ctr").message


# what is written


def test_the_folder_holds_page_tables_and_targets(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    rows = going_with_focus(ads())
    results = table(tmp_path / "r.csv", ["=ctr"], rows)
    command = ["results", str(run), str(results), "--kpi", "=ctr", "--out", str(out)]
    cli.main(command, standalone_mode=False)
    assert f"--benchmark {out / 'targets.parquet'}" in capsys.readouterr().out
    assert pq.read_schema(out / "results.parquet").equals(RESULTS)
    written = duckdb.sql(f"select * from '{out / 'results.parquet'}' where claimed").fetchall()
    assert [row[1] for row in written] == ["focus"]
    lines = list(csv.reader((out / "results.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert (lines[0], lines[1][0]) == (RESULTS.names, "'=ctr")
    norms = mn.find_norm_set(out / "targets.parquet")
    (target,) = norms.targets.values()
    assert norms.targets.keys() == {"focus"}
    best = sorted(rows, key=lambda path: -float(str(rows[path][0])))[:12]
    assert target.lower == sorted(ads()[path]["focus"] for path in best)[2]  # a quarter of twelve lies below the fourth
    assert (target.upper, "best fifth by =ctr (12 ads)" in target.why) == (None, True)

    cli.main([*command, "--json"], standalone_mode=False)
    facts = json.loads(capsys.readouterr().out)
    assert (facts["left_out"][0]["predicts"], facts["associations"][0]["claimed"]) == (True, True)

    rng = np.random.default_rng(3)
    table(results, ["=ctr"], {path: [rng.random()] for path in rows})
    cli.main(command, standalone_mode=False)
    assert not list(out.glob("targets.*"))  # those of before are not those of this table


def test_a_run_is_held_against_the_targets(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    results = table(tmp_path / "r.csv", ["ctr"], going_with_focus(ads()))
    cli.main(["results", str(run), str(results), "--kpi", "ctr", "--out", str(out)], standalone_mode=False)
    mn.rate_run(run, str(out / "targets.parquet"))
    ranges = mn.read_run(run).benchmark_ranges.set_index("metric")
    target = mn.find_norm_set(out / "targets.parquet").targets["focus"]
    focus = ranges.loc["focus"]
    assert set(focus["lower"]) == {target.lower}
    assert set(focus["upper"]) == {100.0}
    for value, position in zip(focus["value"], focus["position"], strict=True):
        assert (position == "within") == (value >= target.lower)
        assert position in ("within", "close_to", "below")
    assert "best fifth by ctr" in focus["why"].iloc[0]
    assert "best fifth" not in ranges.loc["memory", "why"].iloc[0]


def test_a_folder_of_something_else_is_left_alone(run: Path, tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").touch()
    results = table(tmp_path / "r.csv", ["ctr"], going_with_focus(ads()))
    with pytest.raises(UsageError, match="holds other files"):
        cli.main(["results", str(run), str(results), "--kpi", "ctr", "--out", str(tmp_path)], standalone_mode=False)


@needs_browser
def test_the_page_shows_what_is_claimed_and_runs_nothing(browser: webdriver.Chrome, tmp_path: Path) -> None:
    media = {**ads(), HOSTILE.replace("/", "_"): {"focus": 50.0, "memory": 50.0}}
    run = write_run(tmp_path / "run", media)
    rows = {**going_with_focus(ads()), "<script>alert(1)</script>": [3]}
    found = mn.results(run, table(tmp_path / "r.csv", ["<b>ctr"], rows), "<b>ctr")
    page = tmp_path / "page.html"
    page.write_text(render_results(found), encoding="utf-8")
    open_fresh(browser, page.as_uri())
    text = browser.find_element("tag name", "body").text
    assert text.index("Yes, well: all measures together predict the <b>ctr") < text.index("goes with it")
    assert "<script>alert(1)</script> (is no analyzed file of the run)" in text
    told = [
        row.text.split("\n")[0]
        for row in browser.find_elements("css selector", "section .wide")[0].find_elements("css selector", "tbody tr")
    ]
    assert told == ["Focus"]
    with on_phone(browser):
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
