"""One medium says the same in Python, JSON, on the page, in the PDF and on slides; tests/server has the server."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from scripts import call_module, needs_node

import mediaan as mn
from mediaan.metrics import METRICS
from mediaan.metrics.guide import agreement
from mediaan.report.formatting import digits
from mediaan.report.pdf import render_sheets
from mediaan.report.write import read_sheets
from mediaan.run import read_run
from mediaan.storage import LocalStorage
from mediaan.types.aoi import Aoi
from mediaan.workflow.report import write_pptx

AD = Path(__file__).parent.parent / "sample_ads" / "ads" / "serum_square.jpg"
OBJECTIVE = {"purpose": "conversion", "brand": {"name": "Quivelle"}, "platform": "instagram"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    folder = tmp_path_factory.mktemp("surfaces")
    objectives = folder / "objectives.yaml"
    objectives.write_text(json.dumps({"defaults": OBJECTIVE}), encoding="utf-8")
    return mn.analyze_folder(AD, folder / "run", objectives=objectives, workers=1)


@pytest.fixture(scope="module")
def result(run: mn.Run) -> mn.Result:
    (outcome,) = run.results()
    assert isinstance(outcome, mn.Result)
    return outcome


@pytest.fixture(scope="module")
def paper(run: mn.Run) -> str:
    """Return the text of the pages that are printed as PDF."""
    markup = render_sheets(read_sheets(read_run(run.path), 10), LocalStorage(run.path))
    text = re.sub(r"</t[dh]>", "\t", markup.split("<body>")[1])
    return plain(html.unescape(re.sub(r"<[^>]+>", "", text)))


@pytest.fixture(scope="module")
def slides(run: mn.Run) -> str:
    deck = Presentation(str(write_pptx(run.path)))
    return plain("\n".join(slide.notes_slide.notes_text_frame.text for slide in deck.slides if slide.has_notes_slide))


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def page_values(run: mn.Run, module: str, names: str, body: str, *args: object) -> Any:
    return call_module(module, names, body, *args, page=run.path / "report" / "index.html")


def written(result: mn.Result, metric: str) -> str:
    score = result[metric]
    assert score.value is not None
    moves = result.repeatability(score)
    return digits(score.value, 0) + ("" if moves is None else f" ± {digits(moves, 0)}")


def percent(result: mn.Result, aoi: Aoi) -> str:
    score = aoi.score("percentage_seen")
    assert score.value is not None
    decimals = 1 if score.value < 9.95 else 0
    moves = result.repeatability(score)
    assert moves is not None
    return f"{digits(score.value, decimals)} ± {digits(moves, decimals)}"


@needs_node
def test_scores_and_how_far_they_move(result: mn.Result, run: mn.Run, paper: str, slides: str) -> None:
    body = """
    const { report } = await load("core/report.js");
    const { plusMinus, repeatability } = await load("scores/repeatability.js");
    const [medium] = report.media;
    return report.metrics.filter(({ name }) => medium.scores[name]?.value != null).map((metric) => {
      const { value } = medium.scores[metric.name];
      const moves = repeatability(metric.name, value, medium);
      const beside = plusMinus(moves, (number) => formatValue(number, metric));
      return [metric.name, `${formatValue(value, metric)} ${beside}`.trim(), moves];
    });
    """
    on_page = page_values(run, "core/format.js", "formatValue", body)
    assert [name for name, *_ in on_page] == [score.metric for score in result.scores]
    content, card = result.to_dict()["metrics"], repr(result)
    for name, text, moves in on_page:
        expected, title = written(result, name), METRICS[name].spec.title
        assert text == expected
        assert moves == pytest.approx(result.repeatability(result[name]))
        assert content[name]["repeatability"] == result.repeatability(result[name])
        assert f"{title}\t{expected}\t" in paper
        assert f"\n{title}: {expected}" in slides
        assert f"{name} {expected}" in card


@needs_node
def test_areas_and_how_far_they_move(result: mn.Result, run: mn.Run, paper: str, slides: str) -> None:
    body = """
    const { report } = await load("core/report.js");
    const [medium] = report.media;
    const i = areaMetric("percentage_seen");
    return Object.fromEntries(medium.areas.map((area) => {
      const value = areaValue(area, i, "total");
      return [area.id, `${areaDigits(value, areaMetrics[i])} ${areaPlusMinus(value, areaMetrics[i], medium)}`];
    }));
    """
    names = "areaDigits, areaMetric, areaMetrics, areaPlusMinus, areaValue"
    on_page = page_values(run, "areas/scores.js", names, body)
    expected = {str(aoi.aoi_id): percent(result, aoi) for aoi in result.aois or ()}
    assert expected
    assert on_page == expected
    in_json = {aoi["aoi_id"]: aoi["scores"]["percentage_seen"]["total"] for aoi in result.to_dict()["aois"]}
    for aoi in result.aois or ():
        assert in_json[str(aoi.aoi_id)]["repeatability"] == result.repeatability(aoi.score("percentage_seen"))
        assert f"{expected[str(aoi.aoi_id)]} %" in paper
        assert f"{expected[str(aoi.aoi_id)]} %" in slides


@needs_node
def test_attention_on_the_brand(result: mn.Result, run: mn.Run, paper: str) -> None:
    assert result.brand_attention is not None
    words = f"{digits(result.brand_attention, 1)} % of attention"
    assert page_values(run, "core/report.js", "report", "return report.media[0].brand_attention") == words
    assert f"Quivelle, {words}" in paper
    assert result.to_dict()["brand_attention"] == result.brand_attention == run.media.brand_attention.item()


@needs_node
def test_sentences_of_verdict_and_checks(result: mn.Result, run: mn.Run, paper: str, slides: str) -> None:
    body = "const { summary } = report.media[0]; return summary;"
    summary = page_values(run, "core/report.js", "report", body)
    texts = {reason["text"] for side in ("good", "bad", "open") for reason in summary[side]}
    assert texts
    assert texts == {check.text for check in result.checks}
    assert texts == {check["text"] for check in result.to_dict()["checks"]}
    for text in (*texts, summary["sentence"].split(": ", 1)[1][1:]):
        assert plain(text) in paper
        assert plain(text) in slides


@needs_node
def test_grades_of_agreement_with_people(result: mn.Result, run: mn.Run, paper: str, slides: str) -> None:
    body = """
    const { report } = await load("core/report.js");
    return Object.fromEntries(report.metrics.map((metric) => [metric.name, agreementWords(metric, report.media[0])]));
    """
    on_page = page_values(run, "scores/values.js", "agreementWords", body)
    for name, words in on_page.items():
        assert words in slides
        if METRICS[name].part_of or METRICS[name].is_counted:
            continue
        found = agreement(name, result.domain)
        title = METRICS[name].spec.title
        if found is None:
            assert "not compared with people" in words
            assert re.search(rf"not compared: [^;]*{title.lower()}", paper)
        else:
            assert words == f"Agreement with people: {found.text}."
            assert re.search(rf"{found.grade}: [^;]*{title.lower()}", paper)
