"""Whether the brand that was named was found: in the tables, and whatever becomes of a run's areas."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image, ImageDraw, ImageFont

import mediaan as mn
from mediaan.run.directory import copy_run
from mediaan.workflow.objectives import apply_objectives

MISSING = "No mark of Tolmara was recognized; if it is in this ad, add an alias or a logo image to its brand"
CORNER = {"type": "branding", "label": "Tolmara", "box": [0.7, 0.8, 0.95, 0.95]}
MIDDLE = {"type": "product", "box": [0.4, 0.4, 0.6, 0.6]}
NOBODY_SAYS = dict.fromkeys(("copy.png", "film.gif", "marked.png", "plain.png"))


def ad(mark: str | None) -> Image.Image:
    made = Image.new("RGB", (800, 600), (244, 240, 230))
    ImageDraw.Draw(made).text((100, 80), "Bread at dawn", (40, 30, 20), font=ImageFont.load_default(80))
    if mark:
        ImageDraw.Draw(made).text((560, 520), mark, (150, 20, 30), font=ImageFont.load_default(44))
    return made


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A picture with the brand's word-mark, one without in two places, and a film that shows it in its second half."""
    folder = tmp_path_factory.mktemp("ads")
    ad("TOLMARA").save(folder / "marked.png")
    ad(None).save(folder / "plain.png")
    shutil.copy(folder / "plain.png", folder / "copy.png")
    plain, *rest = [ad(None)] * 5 + [ad("TOLMARA")] * 5
    plain.save(folder / "film.gif", save_all=True, append_images=rest, duration=200)
    for brand in ("Tolmara", "Zephyr"):
        (folder / f"{brand}.yaml").write_text(f"defaults: {{brand: {brand}}}\n")
    return folder


def analysed(ads: Path, out: Path, *, search: str, brand: str | None = "Tolmara") -> mn.Run:
    recipe = mn.Recipe(model="centre-prior", maps=(), aois=search)  # type: ignore[arg-type]
    media = [ads / name for name in NOBODY_SAYS]
    return mn.analyze_folder(
        media,
        out,
        recipe=recipe.replace(objectives=ads / f"{brand}.yaml" if brand else None),
        execution=mn.Execution(workers=1),
    )


@pytest.fixture(scope="module")
def searched(ads: Path, tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    return analysed(ads, tmp_path_factory.mktemp("runs") / "searched", search="text")


@pytest.fixture
def run(searched: mn.Run, tmp_path: Path) -> Path:
    copy_run(searched.path, tmp_path / "run")
    return tmp_path / "run"


def found(run_dir: Path) -> dict[str, bool | None]:
    media = mn.read_run(run_dir).media
    return {row["path"]: row["brand_found"] for row in media.to_dict("records")}


def missing(run_dir: Path) -> list[tuple[str, str, str]]:
    rows = mn.read_run(run_dir).problems
    rows = rows[rows.code == "brand_not_found"]
    return list(zip(rows.path, rows.severity, rows.message, strict=True))


def drawn(folder: Path, **areas: list[dict[str, object]]) -> Path:
    (folder / "drawn.json").write_text(json.dumps({f"{name}.png": area for name, area in areas.items()}))
    return folder / "drawn.json"


def test_media_say_whether_the_brand_was_found(searched: mn.Run) -> None:
    assert found(searched.path) == {"marked.png": True, "plain.png": False, "copy.png": False, "film.gif": True}
    assert missing(searched.path) == [(name, "warning", MISSING) for name in ("copy.png", "plain.png")]
    assert set(searched.media.status) == {"done"}


@pytest.mark.parametrize(("search", "brand"), [("none", "Tolmara"), ("text", None)])
def test_nothing_is_said_where_nobody_looked_or_no_brand_was_named(
    ads: Path, tmp_path: Path, search: str, brand: str | None
) -> None:
    made = analysed(ads, tmp_path / "run", search=search, brand=brand)
    assert found(made.path) == NOBODY_SAYS
    assert missing(made.path) == []


def test_a_search_later_says_the_same(ads: Path, searched: mn.Run, tmp_path: Path) -> None:
    run = analysed(ads, tmp_path / "run", search="none").path
    changes = mn.detect_aois(run, [ads], aois="text", objectives=ads / "Tolmara.yaml")
    assert found(run) == found(searched.path)
    assert mn.read_run(run).problems.equals(searched.problems)
    assert [(path, note.message) for path, note in changes.notes] == [("copy.png", MISSING)], "each medium once"
    assert changes.problems == ()
    mn.detect_aois(run, [ads], aois="text")
    assert (found(run), missing(run)) == (NOBODY_SAYS, []), "any mark was looked for, and not the brand's"


def test_a_brand_that_only_the_search_knew_is_forgotten_with_new_objectives(ads: Path, tmp_path: Path) -> None:
    run = analysed(ads, tmp_path / "run", search="none", brand=None).path
    mn.detect_aois(run, [ads], aois="text", objectives=ads / "Tolmara.yaml")
    assert len(missing(run)) == 2
    apply_objectives(run, ads / "Zephyr.yaml")
    assert (found(run), missing(run)) == (NOBODY_SAYS, [])


def test_branding_that_people_draw_counts_until_they_remove_it(run: Path, ads: Path, tmp_path: Path) -> None:
    mn.apply_aois(run, drawn(tmp_path, plain=[MIDDLE, CORNER], copy=[MIDDLE, CORNER]))
    assert all(found(run).values())
    assert missing(run) == []
    kept = analysed(ads, run, search="text")
    assert all(found(kept.path).values()), "the edit outlasts the same command"
    mn.apply_aois(run, drawn(tmp_path, plain=[MIDDLE], copy=[MIDDLE]))
    assert [name for name, said in found(run).items() if not said] == ["copy.png", "plain.png"]
    assert len(missing(run)) == 2


def test_all_say_the_same_share_of_attention_on_the_brand(run: Path, ads: Path, tmp_path: Path) -> None:
    def told() -> dict[str, float | None]:
        now = mn.read_run(run)
        column = {row["path"]: row["brand_attention"] for row in now.media.astype(object).to_dict("records")}
        values = {result.path: result.value for result in mn.check_run(run, ["brand_attention >= 1"]).results}
        for result in now.results():
            assert isinstance(result, mn.Result)
            told = column[result.path]
            known = None if pd.isna(told) else told
            assert result.brand_attention == known
            if not result.moves:
                assert result.to_dict()["brand_attention"] == known
                areas = [aoi.attention for aoi in result.aois or () if aoi.type == "branding"]
                assert (known is None) == (not areas)
                assert known is None or max(areas) <= known <= sum(areas) + 1e-6
                assert values[result.path] == pytest.approx(known or 0.0), "named, looked for, and not there: none"
        return {path: None if pd.isna(value) else value for path, value in column.items()}

    before = told()
    assert before["film.gif"] is None, "the table film says it of videos"
    assert before["plain.png"] is None
    mn.apply_aois(run, drawn(tmp_path, plain=[MIDDLE, CORNER, CORNER | {"label": "again"}]))
    assert told()["plain.png"] == pytest.approx(
        next(aoi.attention for aoi in mn.analyze(ads / "plain.png", model="centre-prior", aois="none",
             drawings=[mn.Drawing("branding", "", ((0.7, 0.8), (0.95, 0.95)))]).aois or ())
    ), "the same place counts once"  # fmt: skip
    analysed(ads, run, search="text")
    assert told()["plain.png"] is not None, "the edit outlasts the same command"


def test_without_a_search_only_branding_that_people_drew_says_something(ads: Path, tmp_path: Path) -> None:
    run = analysed(ads, tmp_path / "run", search="none").path
    for area, says in ((MIDDLE, None), (CORNER, True), (MIDDLE, None)):
        mn.apply_aois(run, drawn(tmp_path, marked=[area]))
        assert found(run) == NOBODY_SAYS | {"marked.png": says}
        assert missing(run) == []


UNREAD_BRANDS = {"תנובה": "Hebrew", "삼성": "Hangul"}


@pytest.mark.parametrize("brand", UNREAD_BRANDS)
def test_a_name_that_cannot_be_read_is_not_called_missing(brand: str, ads: Path, tmp_path: Path) -> None:
    (tmp_path / "brand.yaml").write_text(f"defaults: {{brand: {brand}}}\n", encoding="utf-8")
    recipe = mn.Recipe(model="centre-prior", maps=(), aois="text")
    settings = (recipe.replace(objectives=tmp_path / "brand.yaml"), mn.Execution(workers=1))
    run = mn.analyze_folder([ads / "plain.png", ads / "film.gif"], tmp_path / "run", *settings)
    assert set(found(run.path).values()) == {None}
    assert missing(run.path) == []
    unread = run.problems[run.problems.code == "brand_unread"]
    assert sorted(unread.path) == ["film.gif", "plain.png"]
    assert all(f"{brand} cannot be read: its letters ({UNREAD_BRANDS[brand]})" in text for text in unread.message)
    texts = [*run.checks.text, *run.problems.message]
    assert not [text for text in texts if "was not found" in str(text) and brand in str(text)]
    # drawn branding counts, and ends the doubt
    change = mn.apply_aois(run.path, drawn(tmp_path, plain=[CORNER | {"label": brand}]))
    assert change.media == 1
    assert found(run.path)["plain.png"] is True
    left = mn.read_run(run.path).problems
    assert sorted(left[left.code == "brand_unread"].path) == ["film.gif"]
