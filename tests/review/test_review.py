"""Questions about the areas of a run, and what becomes of their answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from review.made_runs import analyze, write_ads

import mediaan as mn
from mediaan.judge.questions import ASKED_TYPES
from mediaan.review import Review, open_review
from mediaan.run.answers import read_answers
from mediaan.run.tables.schema import TABLES


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("review")
    return analyze(write_ads(folder / "ads"), folder / "run").path


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def review(run: Path) -> Iterator[Review]:
    with open_review(run) as opened:
        yield opened


def tables(run_dir: Path) -> dict[str, Any]:
    run = mn.read_run(run_dir)
    return {
        name: run.table(name).drop(columns=["created_at", "seconds"], errors="ignore").to_dict("list")
        for name in TABLES
    }


def question(review: Review, of_type: str, name: str = "a.png") -> str:
    medium_id = next(
        one for one, result in ((str(r.medium.medium_id), r) for r in review.results) if result.path.endswith(name)
    )
    return f"{medium_id}.{of_type}"


def areas(run_dir: Path, name: str = "a.png") -> list[dict[str, Any]]:
    run = mn.read_run(run_dir)
    medium_id = run.media[run.media.path.str.endswith(name)].medium_id.item()
    return run.aois[run.aois.medium_id == medium_id].to_dict("records")


def test_questions_come_most_valuable_first_and_propose_numbered_places(review: Review) -> None:
    asked = review.to_dict()["questions"]
    assert asked
    first = {one.medium_id: one.rank for one in reversed(review.questions)}
    assert [first[one.medium_id] for one in review.questions] == sorted(
        first[one.medium_id] for one in review.questions
    )
    assert [one.medium_id for one in review.questions] == sorted(
        (one.medium_id for one in review.questions), key=lambda name: first[name]
    ), "those of a file stand together"
    assert all(first[one.medium_id] <= one.rank for one in review.questions)
    for one in asked:
        assert 0 <= len(one["proposals"]) <= 5
        assert [proposal["number"] for proposal in one["proposals"]] == list(range(1, len(one["proposals"]) + 1))
        for proposal in one["proposals"]:
            x, y, width, height = proposal["box"]
            assert 0 <= x < x + width <= 1.00001
            assert 0 <= y < y + height <= 1.00001
        assert review.picture(one["medium_id"]).is_file()
    assert json.loads(json.dumps(asked)) == asked


def test_a_picked_area_is_confirmed_and_the_question_does_not_come_back(run: Path) -> None:
    with open_review(run) as review:
        headline = question(review, "headline_text")
        done = review.answer(headline, "pick", [1])
        assert headline not in {one.id for one in review.questions}
        shown = review.answered_dict(done)["medium"]["areas"]
    held = [area for area in areas(run) if area["type"] == "headline_text"]
    assert [area["source"] for area in held] == ["confirmed"]
    assert held[0]["confidence"] != held[0]["confidence"], "nobody is more or less sure of it"
    assert "Fresh" in held[0]["text"], "what was read in it is kept"
    assert {area["area_id"] for area in shown} == {area["aoi_id"] for area in areas(run)}
    with open_review(run) as review:
        assert headline not in {one.id for one in review.questions}
        assert review.progress.answered == 1


def test_none_is_remembered_and_the_check_knows_it(run: Path) -> None:
    with open_review(run) as review:
        brand = question(review, "branding")
        review.answer(brand, "none")
        medium_id = brand.partition(".")[0]
        (check,) = (check for check in review.result(medium_id).checks if check.name == "brand_seen")
        assert (check.status, review.result(medium_id).verdict) == ("failed", "attention")
    absent = mn.read_run(run).table("absent_aois")
    assert absent.to_dict("records") == [{"medium_id": medium_id, "type": "branding"}]
    checks = mn.read_run(run).checks
    (text,) = checks[(checks.medium_id == medium_id) & (checks.name == "brand_seen")].text
    assert text == check.text
    with open_review(run) as review:
        assert brand not in {one.id for one in review.questions}


def test_the_tables_say_what_the_review_said(run: Path) -> None:
    with open_review(run) as review:
        for one in list(review.questions):
            if one.id in {left.id for left in review.questions}:
                review.answer(one.id, *(("pick", [1]) if one.proposals else ("none",)))
        verdicts = {str(result.medium.medium_id): result.verdict for result in review.results}
        checks = {str(r.medium.medium_id): [(c.name, c.status, c.text) for c in r.checks] for r in review.results}
        assert review.progress.left == 0
    stored = mn.read_run(run)
    assert dict(zip(stored.verdicts.medium_id, stored.verdicts.verdict, strict=True)) == verdicts
    for medium_id, rows in stored.checks.groupby("medium_id"):
        assert list(zip(rows.name, rows.status, rows.text, strict=True)) == checks[medium_id]


def test_confirming_all_settles_a_medium(run: Path) -> None:
    with open_review(run) as review:
        first = review.questions[0]
        before = {aoi.aoi_id for aoi in review.result(first.medium_id).aois}
        review.answer(first.id, "confirm_all")
        assert first.medium_id not in {one.medium_id for one in review.questions}
        after = review.result(first.medium_id).aois
        assert {aoi.aoi_id for aoi in after} == before
        assert {aoi.type for aoi in after if aoi.confirmed} == {aoi.type for aoi in after} & set(ASKED_TYPES)


@pytest.mark.parametrize("closed_between", [False, True])
def test_undo_brings_everything_back(run: Path, closed_between: bool) -> None:
    before = tables(run)
    ways: list[tuple[Any, ...]] = [
        ("headline_text", "pick", [1]),
        ("product", "draw", (), [[0.1, 0.1, 0.2, 0.2]]),
        ("branding", "none"),
        ("product", "confirm_all"),
    ]
    with open_review(run) as review:
        for of_type, *answer in ways:
            review.answer(question(review, of_type), *answer)
        brand = review.answer(question(review, "branding", "b.png"), "brand_for_folder", brand="Acme")
        assert len(brand.questions) >= 1
        if not closed_between:
            for _ in range(5):
                review.undo()
    if closed_between:
        assert tables(run) != before
        for _ in range(5):
            mn.review.undo(run)
    after = tables(run)
    for name in ("aois", "aoi_scores", "absent_aois", "checks", "looks", "scanpaths"):
        rows = [sorted(map(str, zip(*found[name].values(), strict=True))) for found in (before, after)]
        assert rows[0] == rows[1], name
    assert mn.read_run(run).metadata.brand(mn.read_run(run).media.path[1]) is None
    with pytest.raises(mn.UsageError, match="no answer to undo"):
        mn.review.undo(run)


def test_the_brand_of_a_folder_is_named_for_its_files(run: Path, made: Path) -> None:
    with open_review(run) as review:
        review.answer(question(review, "branding"), "brand_for_folder", brand=" Acme ")
        assert review.settle()
        assert all("Acme" in one.text for one in review.questions if one.type == "branding")
    stored = mn.read_run(run)
    assert {stored.metadata.brand(path) for path in stored.media.path} == {"Acme"}
    analyze(made.parent / "ads", run)
    stored = mn.read_run(run)
    assert {stored.metadata.brand(path) for path in stored.media.path} == {"Acme"}, "after the analysis goes on"


def test_answers_survive_more_files_renamed_ones_and_another_brand(made: Path, tmp_path: Path) -> None:
    ads = write_ads(tmp_path / "ads")
    shutil.copytree(made, tmp_path / "run")
    with open_review(tmp_path / "run") as review:
        review.answer(question(review, "headline_text"), "pick", [1])
        review.answer(question(review, "product"), "draw", boxes=[[0.35, 0.35, 0.25, 0.6]])
        review.answer(question(review, "branding"), "none")
    (ads / "a.png").rename(ads / "z renamed.png")
    write_ads(ads / "more", "defg")
    answered = areas(tmp_path / "run")

    def confirmed(name: str) -> list[tuple[str, str, float]]:
        rows = areas(tmp_path / "run", name)
        return sorted((row["aoi_id"], row["type"], row["x0"]) for row in rows if row["source"] == "confirmed")

    expected = sorted((row["aoi_id"], row["type"], row["x0"]) for row in answered if row["source"] == "confirmed")
    assert len(expected) == 2
    analyze(ads, tmp_path / "run")
    assert confirmed("z renamed.png") == expected
    objectives = tmp_path / "objectives.yaml"
    objectives.write_text("defaults:\n  brand:\n    name: Fresh\n")
    analyze(ads, tmp_path / "run", objectives=objectives)  # so that areas are looked for again
    assert confirmed("z renamed.png") == expected
    rows = areas(tmp_path / "run", "z renamed.png")
    assert {row["type"] for row in rows if row["source"] == "confirmed"} == {"headline_text", "product"}
    assert not [row for row in rows if row["type"] == "branding"], "there is none, whatever is found"
    assert sum(row["type"] == "headline_text" for row in rows) == 1
    mn.detect_aois(tmp_path / "run", [ads], aois="all", workers=1, threads=1)
    assert confirmed("z renamed.png") == expected


def test_answers_survive_a_run_that_starts_over(run: Path, made: Path) -> None:
    with open_review(run) as review:
        review.answer(question(review, "headline_text"), "pick", [1])
        review.answer(question(review, "product"), "none")
    ads = made.parent / "ads"
    recipe = mn.Recipe(model="centre-prior", maps=(), aois="text", advice="none")
    mn.analyze_folder(ads, run, recipe, mn.Execution(workers=1, report="none", force_new=True))
    assert [row["source"] for row in areas(run) if row["type"] == "headline_text"] == ["confirmed"]
    assert list(mn.read_run(run).table("absent_aois").type) == ["product"]


def test_a_file_of_confirmed_areas_counts_as_answers(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "saved.json"
    (exported,) = (areas for name, areas in json.loads(mn.exported_aois(run)).items() if name.endswith("a.png"))
    kept = [area | {"source": "confirmed"} for area in exported if area["type"] == "headline_text"]
    file.write_text(json.dumps({"a.png": [*kept, {"type": "product", "none": True}]}))
    mn.apply_aois(run, file)
    assert [row["source"] for row in areas(run)] == ["confirmed"]
    with open_review(run) as review:
        left = {one.id for one in review.questions}
        assert not {question(review, one) for one in ("headline_text", "product")} & left
    again = json.loads(mn.exported_aois(run))
    (exported,) = (areas for name, areas in again.items() if name.endswith("a.png"))
    assert {"type": "product", "none": True} in exported
    assert exported[0]["source"] == "confirmed"


def test_confirmed_areas_and_none_are_taken_by_an_analysis(run: Path, made: Path, tmp_path: Path) -> None:
    with open_review(run) as review:
        review.answer(question(review, "headline_text"), "pick", [1])
        review.answer(question(review, "product"), "none")
    (exported,) = (found for name, found in json.loads(mn.exported_aois(run)).items() if name.endswith("a.png"))
    file = tmp_path / "confirmed.json"
    file.write_text(json.dumps({"a.png": [one for one in exported if one.get("source") != "detected"]}))
    other = analyze(made.parent / "ads", tmp_path / "other", drawn_aois=file)
    headlines = [row["source"] for row in areas(other.path) if row["type"] == "headline_text"]
    assert headlines == ["confirmed"], "what is detected of this type beside it is none"
    assert list(other.table("absent_aois").type) == ["product"]
    assert not [row for row in areas(other.path) if row["type"] == "product"]
    with open_review(other.path) as review:
        left = {one.id for one in review.questions}
        assert not {question(review, one) for one in ("headline_text", "product")} & left
    file.write_text(json.dumps({"a.png": [*exported, {"type": "headline_text", "none": True}]}))
    with pytest.raises(mn.UsageError, match="says that there is none"):
        mn.apply_aois(run, file)


def test_wrong_answers_are_refused_and_change_nothing(run: Path) -> None:
    with open_review(run) as review:
        headline = question(review, "headline_text")
        wrong: list[tuple[Any, ...]] = [
            ("nothing.headline_text", "none"),
            (headline.replace("headline_text", "headlin"), "none"),
            (headline, "maybe"),
            (headline, "pick"),
            (headline, "pick", [99]),
            (headline, "pick", [0]),
            (headline, "draw", (), [[0.1, 0.1, 0.2]]),
            (headline, "draw", (), [[0.1, 0.1, -0.2, 0.2]]),
            (headline, "draw", (), [[float("nan"), 0.1, 0.2, 0.2]]),
            (headline, "draw", (), [[0.5, 0.5, 0.0, 0.2]]),
            (headline, "brand_for_folder"),
        ]
        for question_id, *answer in wrong:
            with pytest.raises(mn.UsageError):
                review.answer(question_id, *answer)
        with pytest.raises(mn.UsageError):
            review.answer(headline, "none", type="headlin")
    assert read_answers(run) == []


def test_an_answer_that_cannot_be_scored_is_not_kept(run: Path) -> None:
    with open_review(run) as review:
        product = question(review, "product")
        medium_id = product.partition(".")[0]
        folder = review.picture(medium_id).parent
        (folder / "density.npz").rename(folder / "gone")
        with pytest.raises(mn.UsageError, match="densities"):
            review.answer(product, "none")
        assert review.answer(question(review, "product", "b.png"), "none")
        (folder / "gone").rename(folder / "density.npz")
        assert review.answer(product, "none")
    assert len(read_answers(run)) == 2


def test_a_run_of_an_earlier_version_proposes_its_areas(run: Path) -> None:
    for name in ("proposals", "absent_aois"):
        (run / "tables" / f"{name}.parquet").unlink()
    with open_review(run) as review:
        review.answer(question(review, "product"), "none")
        asked = [one for one in review.questions if one.type == "headline_text"]
        assert all(proposal.area is not None for one in asked for proposal in one.proposals)
    assert list(mn.read_run(run).table("absent_aois").type) == ["product"]


def test_an_answer_that_was_cut_off_is_not_there_and_the_next_one_is(run: Path) -> None:
    mn.review.answer(run, mn.review.questions(run)[0]["id"], "none")
    file = run / "answers.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"id": "12", "kind": "no')
    assert len(read_answers(run)) == 1
    mn.review.answer(run, mn.review.questions(run)[0]["id"], "none")
    assert file.read_bytes().startswith(whole)
    assert len(read_answers(run)) == 2
