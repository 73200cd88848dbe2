"""Objectives files: what they mean, and what they are told when they are wrong."""

import re
from pathlib import Path

import pytest
from PIL import Image

from mediaan.config import BrandSettings, ObjectivesConfig, load_objectives, resolve_objective, unused_patterns
from mediaan.config.attributes import matches
from mediaan.config.validation import MAX_BYTES
from mediaan.errors import UsageError

DOCS = Path(__file__).resolve().parents[2] / "docs" / "objectives.md"


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "cfg.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refusal(folder: Path, text: str | bytes) -> str:
    path = written(folder, text)
    with pytest.raises(UsageError) as caught:
        load_objectives(path)
    assert caught.value.message.startswith(str(path)), "a message names the file"
    return caught.value.message.removeprefix(f"{path}: ")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    return found[1]


def documented_logos(folder: Path) -> None:
    for name in ("acme.png", "dark/a.png", "dark/b.png"):
        path = folder / "logos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8)).save(path)


def test_the_documented_example_means_what_the_page_says(tmp_path: Path) -> None:
    documented_logos(tmp_path)
    config = load_objectives(written(tmp_path, block("yaml")))
    banner = resolve_objective(config, "social/spring/kid_banner.png").model_dump()
    assert banner == {
        "purpose": "conversion",
        "platform": "display",
        "industry": {"category": "food", "subcategory": "snacks"},
        "usecase": {"category": "banner", "subcategory": "leaderboard"},
        "country": "DE",
        "brand": {"name": "Acme", "aliases": ("Acme Foods", "acme's"), "logos": ("logos/acme.png", "logos/dark/*.png")},
        "brand_kit": None,
        "domain": None,
        "exposure_s": 2.0,
        "viewport": None,
        "benchmark": None,
        "placement": None,
    }
    post = resolve_objective(config, "social/a.png")
    assert (post.purpose, post.platform, post.country) == ("brand_building", "instagram", "DE")
    old = resolve_objective(config, "archive/2019/a.png")
    assert (old.platform, old.country) == ("our_app", None)
    assert old.brand == BrandSettings(name="Roadrunner")
    assert resolve_objective(config, "other.png") == config.defaults


def test_all_problems_come_at_once_by_line_with_their_fix(tmp_path: Path) -> None:
    text = """\
defaults:
  country: deu
  platform: tik-tokk
media:
  - purpose: conversion
  - match: "*.png"
    industry: {category: fod, subcat: x}
  - match: []
  - nonsense
values:
  platform: our_app
purpose: conversion
"""
    lines = refusal(tmp_path, text).splitlines()
    assert lines[0] == "9 problems"
    expected = [
        ("line 2, defaults.country:", "two capital letters"),
        ("line 3, defaults.platform:", "did you mean 'tiktok'?"),
        ("line 5, media[0].match:", "is missing"),
        ("line 7, media[1].industry.category:", "did you mean 'food'?"),
        ("line 7, media[1].industry.subcat:", "did you mean 'subcategory'?"),
        ("line 8, media[2].match:", '"summer/*.png"'),
        ("line 9, media[3]:", "a mapping with the keys"),
        ("line 11, values.platform:", "a list of words"),
        ("line 12, purpose:", "belongs under 'defaults'"),
    ]
    for line, (start, fix) in zip(lines[1:], expected, strict=True):
        assert line.strip().startswith(start)
        assert fix in line


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty; write for example"),
        ("# only a comment\n", "is empty; write for example"),
        ("{}", "is empty; write for example"),
        ("just text", "a mapping with the keys defaults, media, "),
        ("- a\n- b\n", "found a list"),
        ("defaults:\n", "found nothing"),
        ("defaults: {purpose: conversion\n", "line 2"),
        ("defaults:\n  purpose: conversion\n  purpose: brand_building\n", "lines 2 and 3"),
        ("a: &x {}\nb: *x\n", "aliases"),
        ("defaults: !!python/object/apply:os.system [ls]\n", "tags"),
        ("defaults: !mine {}\n", "tags"),
        ("? [a]\n: b\n", "for a key"),
        ("a: 1\n---\nb: 2\n", "another document"),
        ("a: \x01\n", "not YAML"),
        ("media: " + "[" * 5000, "deeper than 20"),
        ("- " * 5000, "deeper than 20"),
        (b"defaults: {purpose: caf\xe9}", "UTF-8"),
        (b"#" * (MAX_BYTES + 1), "larger than 1 MB"),
    ],
)
def test_what_is_no_objectives_file_is_told_why(tmp_path: Path, text: str | bytes, says: str) -> None:
    assert says in refusal(tmp_path, text)


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(UsageError, match=re.escape(str(path))):
            load_objectives(path)


def test_values_are_text_and_never_guessed(tmp_path: Path) -> None:
    text = "\ufeffdefaults: {country: NO, platform: 0x10}\nvalues: {platform: [0x10, on, 2024-99-99]}\n"
    defaults = load_objectives(written(tmp_path, text)).defaults
    assert (defaults.country, defaults.platform) == ("NO", "0x10")


def test_rules_apply_in_order_and_a_segment_is_replaced_as_a_whole() -> None:
    rules = [
        {"match": ["a/*", "b/*"], "purpose": "conversion", "industry": {"category": "food", "subcategory": "snacks"}},
        {"match": "b/*", "industry": "alcohol", "purpose": None},
    ]
    config = ObjectivesConfig.model_validate({"media": rules})
    first, second = resolve_objective(config, "a/x.png"), resolve_objective(config, "b/x.png")
    assert first.model_dump(exclude_none=True)["industry"] == {"category": "food", "subcategory": "snacks"}
    assert second.model_dump(exclude_none=True) == {"industry": {"category": "alcohol"}}


def test_patterns_that_fit_nothing_are_told() -> None:
    config = ObjectivesConfig.model_validate({"media": [{"match": ["*.png", "sumer/*"]}, {"match": "**/x.jpg"}]})
    assert unused_patterns(config, ["summer/a.png", "x.jpg"]) == ("sumer/*",)


@pytest.mark.parametrize(
    ("pattern", "fits", "fits_not"),
    [
        ("*.png", ["a.png", "x/y/a.PNG"], ["a.png.jpg", "png"]),
        ("x/*.png", ["x/a.png"], ["x/y/a.png", "z/x/a.png", "x.png"]),
        ("x/**", ["x/a.png", "x/y/a.png"], ["x", "xy/a.png"]),
        ("**/x/*", ["x/a", "b/c/x/a"], ["bx/a"]),
        ("a?.png", ["ab.png"], ["a.png", "abc.png"]),
        ("a?b/c", ["axb/c"], ["a/b/c"]),
        ("ad [1](final).png", ["ad [1](final).png"], ["ad 1final.png"]),
        ("caf\u00e9.png", ["cafe\u0301.png"], ["cafe.png"]),
    ],
)
def test_patterns(pattern: str, fits: list[str], fits_not: list[str]) -> None:
    assert all(matches(pattern, path) for path in fits)
    assert not any(matches(pattern, path) for path in fits_not)
