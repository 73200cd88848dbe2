"""Objectives from a spreadsheet, and what wins where several places speak of one file."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from mediaan.config import ObjectivesConfig, load_objectives, resolve_objective, unused_patterns
from mediaan.config.objectives import benchmark_choice
from mediaan.errors import UsageError


def loaded(folder: Path, table: str, config: str = "table: media.csv\n") -> ObjectivesConfig:
    (folder / "media.csv").write_text(table)
    (folder / "cfg.yaml").write_text(config)
    return load_objectives(folder / "cfg.yaml")


def refusal(folder: Path, table: str, config: str = "table: media.csv\n") -> list[str]:
    with pytest.raises(UsageError) as caught:
        loaded(folder, table, config)
    return caught.value.message.replace(str(folder), "").splitlines()


def said(config: ObjectivesConfig, path: str) -> dict[str, Any]:
    return resolve_objective(config, path).model_dump(exclude_none=True)


def test_a_row_says_every_setting(tmp_path: Path) -> None:
    table = (
        "path,purpose,platform,industry,usecase,country,brand,exposure_s,benchmark,campaign\n"
        "a.png,conversion,instagram_story,food/snacks,advertisement,DE,Acme,1.5,none,easter\n"
    )
    assert said(loaded(tmp_path, table), "ads/a.png") == {
        "purpose": "conversion",
        "platform": "instagram_story",
        "industry": {"category": "food", "subcategory": "snacks"},
        "usecase": {"category": "advertisement"},
        "country": "DE",
        "brand": {"name": "Acme", "aliases": (), "logos": ()},
        "exposure_s": 1.5,
        "benchmark": "none",
    }


def test_words_as_people_write_them(tmp_path: Path) -> None:
    header = "path;purpose;platform;industry;usecase;exposure_s\n"
    table = header + "a;Brand Building;Google-Ads;Food/Ice cream;Video Ad;2,5\n"
    assert said(loaded(tmp_path, table), "a.png") == {
        "purpose": "brand_building",
        "platform": "google_ads",
        "industry": {"category": "food", "subcategory": "ice_cream"},
        "usecase": {"category": "video_ad"},
        "exposure_s": 2.5,
    }
    config = """\
defaults:
  purpose: Brand Building
  platform: Google-Ads
  industry: Food/Ice cream
  usecase: {category: Video Ad}
  exposure_s: 2,5
  country: de
rules:
  - rule: focus >= 40
    for: {purpose: Brand Building, industry: [Food/Ice Cream, Food]}
    type: Image
targets:
  focus: [High, Extreme high]
"""
    read = loaded(tmp_path, "", config)
    assert said(read, "a.png") == said(loaded(tmp_path, table), "a.png") | {"country": "DE"}
    assert read.rules[0].is_for("a.png", "image", said(read, "a.png"))
    assert not read.rules[0].is_for("a.mp4", "video", said(read, "a.mp4"))
    assert read.targets == {"focus": ("high", "extreme_high")}
    assert "did you mean 'instagram'" in refusal(tmp_path, "path,platform\na,Instragram\n")[1]


def test_subcategories_may_have_their_own_columns(tmp_path: Path) -> None:
    table = "path;industry;industry_subcategory;usecase\na.png;food;snacks;\nb.png;food;;banner/rectangle\n"
    config = loaded(tmp_path, table)
    assert said(config, "a.png") == {"industry": {"category": "food", "subcategory": "snacks"}}
    assert said(config, "b.png") == {
        "industry": {"category": "food"},
        "usecase": {"category": "banner", "subcategory": "rectangle"},
    }


def test_a_table_alone_is_an_objectives_file(tmp_path: Path) -> None:
    loaded(tmp_path, "path,country\na.png,DE\n")
    assert said(load_objectives(tmp_path / "media.csv"), "x/a.png") == {"country": "DE"}
    (tmp_path / "media.csv").write_text("path,country\na.png,Deutschland\n")
    with pytest.raises(UsageError, match=r"media\.csv: 1 problem\n  line 2, country: found 'Deutschland'"):
        load_objectives(tmp_path / "media.csv")
    with pytest.raises(UsageError, match=r"gone\.csv: cannot be read"):
        load_objectives(tmp_path / "gone.csv")


def test_a_file_is_known_by_the_longest_ending_that_the_table_names(tmp_path: Path) -> None:
    config = loaded(tmp_path, "file,country\nhero.png,DE\nspring/hero.png,FR\nbanner,IT\n")
    paths = ("ads/spring/hero.png", "ads/autumn/HERO.png", "x/banner.jpg", "x/other.jpg")
    assert [said(config, path).get("country") for path in paths] == ["FR", "DE", "IT", None]
    assert unused_patterns(config, ["ads/spring/hero.png"]) == ("banner",)


def test_all_that_is_wrong_is_told_at_once_by_line_of_its_own_file(tmp_path: Path) -> None:
    table = (
        "path,note,platform,industry,industry_subcategory,exposure_s\n"
        'a.png,"two\nlines",tik-tok,,,\n'
        "b.png,,,food,snaks,\n"
        "c.png,,,,snacks,0\n"
    )
    lines = refusal(tmp_path, table, "table: media.csv\ndefaults:\n  purpose: sales\n")
    assert lines[0] == "/cfg.yaml: 1 problem"
    assert lines[1].startswith("  line 3, defaults.purpose: 'sales' is no known purpose; did you mean 'conversion'?")
    assert lines[2] == "/media.csv: 4 problems"
    expected = [
        ("  line 2, platform:", "did you mean 'tiktok'?"),
        ("  line 4, industry_subcategory:", "did you mean 'snacks'?"),
        ("  line 5, industry:", "is missing; write the industry"),
        ("  line 5, exposure_s:", "found '0'; write how many seconds"),
    ]
    for line, (start, fix) in zip(lines[3:], expected, strict=True):
        assert line.startswith(start)
        assert fix in line


def test_a_thousand_wrong_rows_do_not_flood_the_screen(tmp_path: Path) -> None:
    lines = refusal(tmp_path, "path,country\n" + "".join(f"{i}.png,Deutschland\n" for i in range(1000)))
    assert lines[0] == "/media.csv: 1000 problems"
    assert lines[-1].strip() == "and 980 more"
    assert len(lines) == 22


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("path,platfrm", "line 1, platfrm: unknown column; did you mean 'platform'?"),
        ("path,Exposure", "did you mean 'exposure_s'?"),
        ("path,use case", "did you mean 'usecase'?"),
        ("country,price", "no column names files; call it path"),
        ("path,price", "has none of the columns purpose, platform"),
    ],
)
def test_columns_that_are_misspelt_are_no_columns_of_the_user_s_own(tmp_path: Path, header: str, says: str) -> None:
    assert says in "\n".join(refusal(tmp_path, f"{header}\na.png,1\n"))


def test_columns_in_another_case(tmp_path: Path) -> None:
    assert said(loaded(tmp_path, "PATH;Country;Exposure S\nA.PNG;DE;1,5\n"), "a.png") == {
        "country": "DE",
        "exposure_s": 1.5,
    }
    assert "keep one" in "\n".join(refusal(tmp_path, "path,country,Country\na.png,DE,FR\n"))


def test_other_columns_are_the_user_s_own(tmp_path: Path) -> None:
    columns = ("campaign", "date", "price", "format", "size", "owner", "market", "agency", "notes", "land")
    config = loaded(tmp_path, f"path,country,{','.join(columns)}\na.png,DE{',x' * len(columns)}\n")
    assert said(config, "a.png") == {"country": "DE"}


def test_a_table_that_cannot_be_had_is_told_at_its_line(tmp_path: Path) -> None:
    assert refusal(tmp_path, "", "defaults: {country: DE}\ntable: other.csv\n") == [
        "/cfg.yaml: 1 problem",
        "  line 2, table: there is no file /other.csv; write the path of an existing one",
    ]
    assert "found a list" in refusal(tmp_path, "", "table: [media.csv]\n")[1]
    assert "differently from line 2" in refusal(tmp_path, "path,country\na.png,DE\nA.png,FR\n")[1]


def test_words_of_the_file_hold_for_its_table(tmp_path: Path) -> None:
    values = "table: media.csv\nvalues: {platform: [our_app], industry_subcategory: [vegan]}\n"
    config = loaded(tmp_path, "path,platform,industry\na.png,our_app,food/vegan\n", values)
    assert said(config, "a.png")["industry"] == {"category": "food", "subcategory": "vegan"}


def test_words_of_one_s_own_may_stand_in_a_file_that_several_share(tmp_path: Path) -> None:
    (tmp_path / "words.yaml").write_text("platform: [our_app]\n")
    config = "values: words.yaml\ntable: media.csv\ndefaults: {platform: our_app}\n"
    assert said(loaded(tmp_path, "path,platform\na.png,our_app\n", config), "b.png") == {"platform": "our_app"}
    (tmp_path / "words.yaml").write_text("plattform: [our_app]\nindustry: toys\n")
    lines = refusal(tmp_path, "path,country\na.png,DE\n", config)
    assert lines[1].startswith("  line 3, defaults.platform: 'our_app' is no known platform")
    assert lines[2:] == [
        "/words.yaml: 2 problems",
        "  line 1, plattform: unknown key; did you mean 'platform'?",
        "  line 2, industry: found 'toys'; write a list of words, such as [hearing_aids]",
    ]
    assert "line 1, values: there is no file /none.yaml" in refusal(tmp_path, "", "values: none.yaml\n")[1]


def test_a_name_alone_is_the_brand_that_the_file_describes(tmp_path: Path) -> None:
    config = """\
table: media.csv
brands:
  - {name: Acme, aliases: [Acme Foods]}
media:
  - {match: "x*", brand: acme}
  - {match: "y*", brand: {name: Acme, aliases: [Acme Tools]}}
  - {match: "z*", brand: null}
"""
    found = loaded(tmp_path, "path,brand\na.png,ACME\nb.png,Zenith\nz.png,Acme\n", config)
    brands = {path: resolve_objective(found, path).brand for path in ("a.png", "b.png", "x.png", "y.png", "z.png", "w")}
    described = {path: (brand.name, brand.aliases) if brand else None for path, brand in brands.items()}
    assert described == {
        "a.png": ("Acme", ("Acme Foods",)),
        "b.png": ("Zenith", ()),
        "x.png": ("Acme", ("Acme Foods",)),
        "y.png": ("Acme", ("Acme Tools",)),
        "z.png": ("Acme", ("Acme Foods",)),
        "w": None,
    }


def test_norm_sets_are_looked_up_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "mine.parquet").write_bytes(b"")
    table = "path,benchmark\na.png,mine.parquet\nb.png,theirs.parquet\nc.png,none\nd.png,no such set\n"
    config = "table: media.csv\ndefaults: {benchmark: auto}\nmedia: [{match: x, benchmark: ../no.parquet}]\n"
    lines = refusal(tmp_path, table, config)
    assert lines[1].startswith("  line 3, media[0].benchmark: there is no file ")
    assert lines[2] == "/media.csv: 2 problems"
    assert lines[3].startswith("  line 3, benchmark: there is no file /theirs.parquet;")
    assert lines[4].startswith("  line 5, benchmark: 'no such set' is no known norm set")
    assert benchmark_choice("mine.parquet", tmp_path) == str(tmp_path.resolve() / "mine.parquet")
    assert benchmark_choice("ads", tmp_path) == "ads"


@pytest.mark.parametrize("number", ["0", "-1", "60.1", "inf", "nan", "two", "2 s", "2,5,1", "true"])
def test_exposures_that_cannot_be_are_refused(tmp_path: Path, number: str) -> None:
    lines = refusal(tmp_path, "", f'defaults: {{exposure_s: "{number}"}}\n')
    assert lines[1].startswith(f"  line 1, defaults.exposure_s: found '{number}'; write how many seconds")


@pytest.mark.parametrize(("number", "exposure_s"), [("0.5", 0.5), ("60", 60.0), ("2", 2.0)])
def test_exposures(tmp_path: Path, number: str, exposure_s: float) -> None:
    assert loaded(tmp_path, "", f"defaults: {{exposure_s: {number}}}\n").defaults.exposure_s == exposure_s


def naive(defaults: dict[str, Any], rules: list[dict[str, Any]], rows: dict[str, dict[str, Any]], path: str) -> Any:
    """What the page says, in its own order and with nothing shared with the program but its words."""
    result: dict[str, Any] = {}
    for name in ("purpose", "platform", "country", "exposure_s"):
        for source in (defaults, *(rule for rule in rules if path.endswith(rule["match"][1:])), rows.get(path, {})):
            if name in source:
                result[name] = source[name]
    return {name: value for name, value in result.items() if value is not None}


@pytest.mark.parametrize("seed", range(40))
def test_random_files_mean_what_a_second_reading_of_the_page_makes_of_them(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    choices: dict[str, list[Any]] = {
        "purpose": ["brand_building", "conversion", None],
        "platform": ["print", "tv", "x", None],
        "country": ["DE", "FR", None],
        "exposure_s": [0.5, 2.0, 60.0, None],
    }

    def settings(*, null: bool = True) -> dict[str, Any]:
        drawn = {name: chance.choice(values) for name, values in choices.items() if chance.random() < 0.5}
        return drawn if null else {name: value for name, value in drawn.items() if value is not None}

    paths = [f"{name}{end}" for name in "abc" for end in ("1.png", "2.png", "1.jpg")]
    patterns = ["*.png", "*.jpg", "*1.png", "*a1.png", "*2.png"]
    defaults = settings()
    rules = [{"match": chance.choice(patterns), **settings()} for _ in range(chance.randrange(5))]
    rows = {path: drawn for path in paths if chance.random() < 0.4 and (drawn := settings(null=False))}
    content: dict[str, Any] = {"defaults": defaults, "media": rules}
    if rows:
        cells = [",".join(["path", *choices])]
        cells += [",".join([path, *(str(row.get(name, "")) for name in choices)]) for path, row in rows.items()]
        table = loaded(tmp_path, "\n".join(cells) + "\n").table
        content["table"] = table
    config = ObjectivesConfig.model_validate(content)
    for path in paths:
        assert said(config, path) == naive(defaults, rules, rows, path)
