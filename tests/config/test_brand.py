"""The brand of an objectives file: what it may be, where its logos lie, and what is told when they do not."""

import json
from pathlib import Path

import pytest
from PIL import Image

from mediaan.config import ObjectivesConfig, load_objectives, resolve_objective
from mediaan.config.brand import read_brand
from mediaan.errors import UsageError
from mediaan.types.aoi import Brand


def written(folder: Path, text: str) -> Path:
    path = folder / "cfg.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def picture(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGBA", (8, 8), (200, 0, 0, 255)).save(path)
    return path


def test_a_name_alone_is_a_brand(tmp_path: Path) -> None:
    config = load_objectives(written(tmp_path, "defaults: {brand: Müller & Söhne}\n"))
    settings = resolve_objective(config, "a.png").brand
    assert settings.located(tmp_path) == Brand("Müller & Söhne")


def test_logos_are_found_beside_the_file_wherever_the_program_stands(tmp_path: Path) -> None:
    logo, light = picture(tmp_path / "logo.png"), picture(tmp_path / "marks" / "light.png")
    dark = picture(tmp_path / "marks" / "dark.png")
    text = 'defaults:\n  brand: {name: Acme, aliases: ACME Inc, logos: [logo.png, "marks/*.png", marks/dark.png]}\n'
    settings = resolve_objective(load_objectives(written(tmp_path, text)), "a.png").brand
    assert settings.located(tmp_path) == Brand("Acme", ("ACME Inc",), (logo, dark, light)), "none twice, in order"


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    logo = picture(tmp_path / "logo[1].png")
    picture(tmp_path / "logo1.png")
    settings = load_objectives(written(tmp_path, 'defaults: {brand: {name: A, logos: "logo[1].png"}}')).defaults.brand
    assert settings.located(tmp_path).logos == (logo,)


def test_a_later_rule_replaces_the_brand_as_a_whole_and_null_takes_it_back() -> None:
    rules = [{"match": "b/*", "brand": "Other"}, {"match": "c/*", "brand": None}]
    config = ObjectivesConfig.model_validate(
        {"defaults": {"brand": {"name": "Acme", "aliases": ["A"]}}, "media": rules}
    )
    brands = [resolve_objective(config, path).brand for path in ("a/x.png", "b/x.png", "c/x.png")]
    assert [brand and (brand.name, brand.aliases) for brand in brands] == [("Acme", ("A",)), ("Other", ()), None]


def test_what_is_kept_of_a_run_names_logos_as_they_were_written(tmp_path: Path) -> None:
    picture(tmp_path / "l" / "a.png")
    config = load_objectives(written(tmp_path, 'defaults: {brand: {name: Acme, logos: ["l/*.png"]}}'))
    kept = json.loads(json.dumps(resolve_objective(config, "x.png").model_dump(mode="json", exclude_none=True)))
    assert kept == {"brand": {"name": "Acme", "aliases": [], "logos": ["l/*.png"]}}


def test_logos_that_cannot_be_used_are_told_by_line_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "mark.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    text = """\
defaults:
  brand:
    name: Acme
    logos:
      - gone.png
      - text.png
media:
  - match: "*"
    brand: {name: Other, logos: [mark.svg, "none/*.png"]}
"""
    with pytest.raises(UsageError) as caught:
        load_objectives(written(tmp_path, text))
    lines = caught.value.message.splitlines()
    assert lines[0].endswith("cfg.yaml: 4 problems")
    assert "line 5, defaults.brand.logos[0]: 'gone.png' matches no file" in lines[1]
    assert "line 6, defaults.brand.logos[1]: 'text.png' is not an image" in lines[2]
    assert (
        "line 9, media[0].brand.logos[0]: 'mark.svg' is not an image that can be read; save the logo as PNG" in lines[3]
    )
    assert "line 9, media[0].brand.logos[1]: 'none/*.png' matches no file" in lines[4]


@pytest.mark.parametrize(
    ("brand", "says"),
    [
        ("{logos: a.png}", "defaults.brand.name: is missing; write the brand's name, such as Acme"),
        ("{name: Acme, alias: [x]}", "unknown key; did you mean 'aliases'?"),
        ('""', "defaults.brand.name: found ''; write the brand's name"),
        ('"®"', "write the brand's name"),
        ("[Acme]", "found a list; write a brand, such as Acme, or its name, aliases and logos"),
        ("{name: Acme, logos: [{}]}", "a list of images"),
    ],
)
def test_what_is_no_brand_is_told_with_its_fix(tmp_path: Path, brand: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_objectives(written(tmp_path, f"defaults:\n  brand: {brand}\n"))
    assert says in caught.value.message


def test_a_brand_of_a_program(tmp_path: Path) -> None:
    logo = picture(tmp_path / "logo.png")
    acme = Brand("Acme", ("ACME Inc",), (logo,))
    assert read_brand({"name": "Acme", "aliases": "ACME Inc", "logos": [logo]}) == acme
    assert read_brand({"name": "Acme", "aliases": ["ACME Inc"], "logos": str(logo)}) == acme
    assert read_brand("Acme") == read_brand({"name": "Acme"}) == Brand("Acme")
    assert read_brand(acme) is acme
