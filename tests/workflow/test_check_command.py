"""`mediaan check`: rules held against runs, exit codes, streams, and the files that it writes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
from ad_folder import picture
from written_runs import Place, write_run

from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.cli.main import cli
from mediaan.errors import UsageError
from mediaan.judge.rules.rule import MEDIUM_SCORES
from mediaan.run import read_run
from mediaan.workflow.ranges import refresh_rule_results
from mediaan.workflow.rules import check_run

HOSTILE = "<img src=x onerror=alert(1)>.png"
BRAND: Place = ("branding", (0.0, 0.0, 0.5, 0.5), 20.0)
SMALL: Place = ("branding", (0.0, 0.0, 0.1, 0.1), 1.0)
FACE: Place = ("face", (0.0, 0.0, 0.5, 0.5), 20.0)
MEDIA: dict[str, dict[str, float | None]] = {
    "food/a.png": {"focus": 60.0, "clarity": 50.0},
    "food/b.png": {"focus": 30.0, "clarity": None},
    HOSTILE: {"focus": 42.0, "clarity": 50.0},
}
AREAS: dict[str, list[Place]] = {"food/a.png": [BRAND, SMALL], "food/b.png": [FACE], HOSTILE: [SMALL]}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    objectives = {"food/a.png": {"purpose": "conversion"}, "food/b.png": {}, HOSTILE: {}}
    specs = [asdict(MEDIUM_SCORES[name]) for name in ("focus", "clarity")]
    facts = {"objectives": objectives, "metrics": specs, "aoi_metrics": [asdict(spec) for spec in AOI_METRICS]}
    return write_run(tmp_path / "run", MEDIA, areas=AREAS, facts=facts)


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    """A run of which a file could not be analysed."""
    return write_run(tmp_path / "lossy", MEDIA, areas=AREAS, failed=["broken.png"])


def rules(folder: Path, *lines: str) -> Path:
    path = folder / "rules.yaml"
    path.write_text("rules:\n" + "".join(f"  - {line}\n" for line in lines))
    return path


def check(*arguments: object) -> int:
    code = cli.main(["check", *map(str, arguments)], standalone_mode=False)
    return code if isinstance(code, int) else 0


def statuses(run: Path, *lines: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for result in check_run(run, rules(run.parent, *lines)).results:
        found.setdefault(result.rule, {})[result.path] = result.status
    return found


@pytest.mark.parametrize(
    ("lines", "options", "code"),
    [
        (["focus >= 10"], [], 0),
        (["focus >= 40"], [], 4),
        (["{rule: focus >= 40, severity: warning}"], ["--strict"], 0),
        (["clarity >= 40"], ["--strict"], 4),
        (["{rule: focus >= 40, sure: true}", "focus >= 10"], [], 4),
        (["{rule: focus >= 40, match: 'food/a*'}"], [], 0),
        (["branding.attention >= 1"], [], 4),
    ],
)
def test_exit_codes(run: Path, lines: list[str], options: list[str], code: int) -> None:
    assert check(run, "--rules", rules(run.parent, *lines), *options) == code


def test_a_file_that_could_not_be_analysed_does_not_pass_in_silence(
    lossy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(lossy, "--rules", rules(lossy.parent, "focus >= 10")) == 3
    text = capsys.readouterr().out
    assert "Not analyzed, so not checked:\n  broken.png: It ends too early." in text
    assert text.splitlines()[-1] == "check INCOMPLETE: 3 passed, 1 not analyzed"
    assert check(lossy, "--rules", rules(lossy.parent, "focus >= 40")) == 4


def test_what_is_printed(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        "{rule: focus >= 40, name: Focused, why: Page 4.}",
        "branding.count >= 1",
        "{rule: clarity >= 40, severity: warning}",
        "{rule: focus <= 90, match: x.png}",
    ]
    assert check(run, "--rules", rules(run.parent, *lines)) == 4
    assert capsys.readouterr().out == (
        "food/b.png\n"
        "  FAILED   branding.count is 0, 1 short of 1.\n"
        "  FAILED   Focused: focus is 30, 10 short of 40; 90 % interval 25 to 35: sure.\n"
        "           Page 4.\n"
        "\n"
        "Not checked:\n"
        "     1 file   clarity is undefined: nothing there.\n"
        "\n"
        "rule                     passed  failed  skipped\n"
        "Focused                       2       1        0\n"
        "branding.count >= 1           2       1        0\n"
        "clarity >= 40 (warning)       2       0        1\n"
        "focus <= 90                   0       0        0\n"
        "\n"
        "Note: 'focus <= 90' applies to no file.\n"
        "\n"
        "check FAILED: 6 passed, 2 failed (on 1 of 3 files), 1 not checked\n"
    )


def test_json(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(run, "--rules", rules(run.parent, "focus >= 40"), "--json") == 4
    said = json.loads(capsys.readouterr().out)
    assert (said["passes"], said["media"], said["failing_media"], said["passed"], said["failed"]) == (False, 3, 1, 2, 1)
    worst = next(result for result in said["results"] if result["status"] == "failed")
    assert (worst["path"], worst["value"], worst["lo"], worst["limit"], worst["margin"], worst["sure"]) == (
        "food/b.png", 30.0, 25.0, 40.0, -10.0, True,
    )  # fmt: skip


def test_files_hold_every_result(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / name for name in ("r.xml", "r.parquet", "r.csv")]
    lines = ["focus >= 40", "clarity >= 40"]
    for option, file in (("--junit", files[0]), ("--out", files[1])):
        check(run, "--rules", rules(tmp_path, *lines), option, file)
    check(run, "--rules", rules(tmp_path, *lines), "--out", files[2])
    capsys.readouterr()
    root = ElementTree.parse(files[0]).getroot()
    assert (root.get("tests"), root.get("failures")) == ("6", "1")
    assert [suite.get("name") for suite in root] == list(MEDIA)
    table = pq.read_table(files[1])
    assert table.schema.names == pq.read_schema(run / "tables" / "rule_results.parquet").names
    said = list(csv.DictReader(io.StringIO(files[2].read_text())))
    assert [row["path"] for row in said] == table["path"].to_pylist()
    assert {row["status"] for row in said} == {"passed", "failed", "skipped"}
    assert next(row for row in said if row["status"] == "skipped")["value"] == ""


@pytest.mark.parametrize("option", [["--out", "x.txt"], ["--out", "no/x.csv"], ["--junit", "no/x.xml"]])
def test_targets_are_refused_before_the_work(run: Path, option: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        check(run.parent / "no run", "--rules", rules(run.parent, "focus >= 40"), *option)
    assert caught.value.code == "bad_out"


def test_keep_puts_results_and_rules_in_the_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = rules(run.parent, "{rule: focus >= 40, why: Page 4.}", "branding.count >= 1")
    check(run, "--rules", path)
    assert read_run(run).rule_results.empty
    check(run, "--rules", path, "--keep")
    path.unlink()
    kept = read_run(run)
    assert list(kept.rule_results["status"]).count("failed") == 2
    assert kept.facts["rules"] == [{"rule": "focus >= 40", "why": "Page 4."}, "branding.count >= 1"]
    assert "Page 4." in (run / "report" / "index.html").read_text()
    capsys.readouterr()
    assert check(run) == 4
    assert "Page 4." in capsys.readouterr().out


def test_results_are_refreshed_from_the_run_as_it_is(run: Path) -> None:
    check_run(run, rules(run.parent, "focus >= 40"), keep=True)
    before = read_run(run)
    facts = before.facts | {"rules": ["focus >= 90"]}
    (run / "run.json").write_text(json.dumps(facts))
    assert refresh_rule_results(read_run(run))
    assert list(read_run(run).rule_results["status"]) == ["failed"] * 3
    (run / "run.json").write_text(json.dumps(before.facts | {"rules": []}))
    assert not refresh_rule_results(read_run(run))


def with_recipe(folder: Path, *, aois: str, areas: Mapping[str, list[Place]] | None = None, **facts: Any) -> Path:
    recipe = {"model": "attention", "maps": [], "aois": aois, "exposure_s": 5.0, "fps": 5.0, "fast": False}
    return write_run(folder, MEDIA, areas=areas, facts={"recipe": recipe, **facts})


def test_rules_on_areas_that_nobody_looked_for_are_refused(tmp_path: Path) -> None:
    run = with_recipe(tmp_path / "run", aois="text")
    for line in ("product.attention >= 1", "product.count >= 0", "{rule: face.attention <= 3, missing: pass}"):
        with pytest.raises(UsageError, match="not looked for; analyze with --aois all") as caught:
            check_run(run, rules(tmp_path, "focus >= 3", line))
        assert caught.value.code == "rules_need_aois"
    with pytest.raises(UsageError, match="apply a file of drawn ones"):
        check_run(run, rules(tmp_path, "other.attention >= 1"))
    assert set(statuses(run, "headline_text.attention >= 1")["headline_text.attention >= 1"].values()) == {"failed"}
    assert statuses(run, "{rule: product.attention >= 1, match: nothing}") == {}


def test_a_later_search_that_missed_files_speaks_only_of_media_where_it_found_something(tmp_path: Path) -> None:
    changes = [{"at": "now", "media": 1, "detected": "objects"}]
    run = with_recipe(tmp_path / "run", aois="none", areas={"food/b.png": [FACE]}, aoi_changes=changes)
    assert statuses(run, "face.count >= 1")["face.count >= 1"] == {
        "food/a.png": "skipped", "food/b.png": "passed", HOSTILE: "skipped",
    }  # fmt: skip


def test_percentiles_are_those_of_the_run_s_population(tmp_path: Path) -> None:
    """Focus of 1, 2, ..., 39 in the population: the 30th of 39 values stands at 30 / 40 = 75 %."""
    facts = {"scores_id": "5" * 16}
    past = write_run(tmp_path / "past", {f"{i}.png": {"focus": float(i)} for i in range(1, 40)}, facts=facts)
    norms = tmp_path / "mine.parquet"
    cli.main(["benchmark", "build", str(past), "--out", str(norms), "--title", "Mine", "-q"], standalone_mode=False)
    media = {name: {"focus": value} for name, value in (("at.png", 30.0), ("above.png", 30.5), ("below.png", 3.0))}
    choice = {"benchmark": {"choice": str(norms)}}
    run = write_run(tmp_path / "run", media, facts=facts | choice)
    results = {r.path: r for r in check_run(run, rules(tmp_path, "focus <= p75")).results}
    assert {path: result.status for path, result in results.items()} == {
        "at.png": "passed", "above.png": "failed", "below.png": "passed",
    }  # fmt: skip
    assert results["above.png"].limit == pytest.approx(30.0)
    assert "(75th percentile of Mine, n = 39, 90 % interval " in results["above.png"].message


def test_a_check_that_could_say_nothing_is_no_pass(tmp_path: Path) -> None:
    """A rule that can be told of no medium: a gate stays shut. Warnings, and rules for no medium, leave it open."""
    run = write_run(tmp_path / "run", {"a.png": {"focus": 60.0}})
    assert check(run, "--rules", rules(tmp_path, "focus >= p10")) == 3
    assert not check_run(run, ["focus >= p10"]).to_dict()["passes"]
    assert check(run, "--rules", rules(tmp_path, "{rule: focus >= p10, match: nowhere/*}")) == 0
    assert check(run, "--rules", rules(tmp_path, "focus >= p10", "focus >= 50")) == 3
    assert check(run, "--rules", rules(tmp_path, "{rule: focus >= p10, severity: warning}", "focus >= 50")) == 0
    assert check_run(run, ["focus >= p10", "focus >= 50"]).never_checked == ("focus >= p10",)


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two small pictures, one with a drawn brand, analysed with rules from two files."""
    folder = tmp_path_factory.mktemp("analysed")
    for i, name in enumerate(("a.png", "b.png")):
        picture(i).save(folder / name)
    (folder / "aois.csv").write_text("name,type,label,x0,y0,x1,y1\na.png,branding,Acme,0.2,0.2,0.6,0.6\n")
    (folder / "objectives.yaml").write_text("rules:\n  - focus >= 0\n  - {rule: clarity <= 0, severity: warning}\n")
    small = "branding.attention <= 0.1 %"
    rules(folder, 'branding("acme").attention >= 0.1 %', small, "{rule: focus >= 1, match: c.png}")
    return folder


def analyze(*arguments: object) -> int:
    code = cli.main(["analyze", *map(str, arguments), "--maps", "none"], standalone_mode=False)
    return code if isinstance(code, int) else 0


def test_rules_from_an_analysis_to_a_gate(analysed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, media = analysed / "run", [analysed / "a.png", analysed / "b.png"]
    options = ["--objectives", analysed / "objectives.yaml", "--rules", analysed / "rules.yaml"]
    assert analyze(*media, *options, "--aois", analysed / "aois.csv", "--out", out) == 0, "the check is the gate"
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("rules:"))
    assert (
        line
        == f"rules:  3 passed, 1 failed (on 1 of 2 files), 2 warnings, 2 not checked; for details: mediaan check {out}"
    )
    run = read_run(out)
    assert run.facts["rules"][0] == "focus >= 0"
    table = run.rule_results.set_index(["path", "rule"])["status"].to_dict()
    assert table["a.png", 'branding("acme").attention >= 0.1 %'] == "passed"
    assert table["a.png", "branding.attention <= 0.1 %"] == "failed"
    assert table["b.png", "branding.attention <= 0.1 %"] == "skipped", "nobody drew on it"
    assert check(out) == 4

    (analysed / "other.csv").write_text("name,type,label,x0,y0,x1,y1\na.png,face,Ann,0.2,0.2,0.6,0.6\n")
    cli.main(["aois", "apply", str(out), str(analysed / "other.csv"), "-q"], standalone_mode=False)
    table = read_run(out).rule_results.set_index(["path", "rule"])["status"].to_dict()
    assert table["a.png", 'branding("acme").attention >= 0.1 %'] == "failed"
    assert table["a.png", "branding.attention <= 0.1 %"] == "passed"


def test_an_analysis_that_cannot_answer_a_rule_does_not_begin(analysed: Path) -> None:
    for option in (["--aois", "none"], ["--aois", "objects"]):
        path = rules(analysed, "headline_text.attention >= 1")
        with pytest.raises(UsageError) as caught:
            analyze(analysed / "a.png", "--rules", path, *option, "--out", analysed / "refused")
        assert caught.value.code == "rules_need_aois"
        assert not (analysed / "refused").exists()


@pytest.mark.parametrize(("file", "said"), [("unfinished.json", "interrupted"), ("changing.json", "areas")])
def test_a_run_that_is_not_the_last_word_says_so(
    run: Path, tmp_path: Path, file: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    check(run, "--rules", rules(tmp_path, "focus >= 20"))
    assert capsys.readouterr().err == ""
    (run / file).write_text("{}")
    check(run, "--rules", rules(tmp_path, "focus >= 20"))
    assert said in capsys.readouterr().err
    assert read_run(run).pending
