"""Placements: the built-in ones are whole and sourced, a user's are read strictly, objectives choose among both."""

from __future__ import annotations

from pathlib import Path

import pytest

from mediaan.config.objectives import dump_objectives, load_objectives, resolve_objective, restore_objectives
from mediaan.config.placements import all_placements, load_placements
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY
from mediaan.errors import UsageError
from mediaan.types.placement import BUILT_IN_PLACEMENTS, DEFAULT_PLACEMENTS

HALL = """\
placements:
  - name: hall_screen
    platform: dooh
    mm: [1200, 2100]
    distance_mm: 4000
    fit: crop
    zones: {clock: [0, 0, 1, 0.08]}
"""


def test_built_in_placements_have_a_size_a_source_and_a_date() -> None:
    platforms = BUILT_IN_VOCABULARY.words("platform")
    for placement in BUILT_IN_PLACEMENTS.values():
        assert placement.platform in platforms, placement.name
        assert min(placement.width_mm, placement.height_mm, placement.distance_mm) > 0, placement.name
        assert "http" in placement.source or "assumed" in placement.source, placement.name
        assert placement.date >= "2017", placement.name
        assert (placement.exposure_s is None) == (placement.exposure_source == ""), placement.name
        for zone in placement.zones:
            assert zone.box == zone.box.clipped(), (placement.name, zone.name)
            assert zone.box.area > 0, (placement.name, zone.name)
        boxes = [zone.box for zone in placement.zones]
        assert all(a.intersection(b) < 1e-9 for i, a in enumerate(boxes) for b in boxes[:i]), placement.name


def test_the_default_placement_of_a_platform_is_one_of_its_own() -> None:
    for platform, name in DEFAULT_PLACEMENTS.items():
        assert BUILT_IN_PLACEMENTS[name].platform == platform or (platform, name) == ("ctv", "tv_screen")


@pytest.mark.parametrize(
    ("name", "css_px"),  # published: IAB New Standard Ad Unit Portfolio 1.1; half page: Google Ad Manager
    [("leaderboard", (728, 90)), ("medium_rectangle", (300, 250)), ("wide_skyscraper", (160, 600)),
     ("billboard_970x250", (970, 250)), ("mobile_banner", (320, 50)), ("half_page", (300, 600))],
)  # fmt: skip
def test_display_slots_have_their_published_size(name: str, css_px: tuple[int, int]) -> None:
    assert BUILT_IN_PLACEMENTS[name].css_px == pytest.approx(css_px)


@pytest.mark.parametrize("suffix", [".yaml", ".toml"])
def test_a_file_of_placements_is_read(tmp_path: Path, suffix: str) -> None:
    text = HALL if suffix == ".yaml" else (
        '[[placements]]\nname = "hall_screen"\nplatform = "dooh"\nmm = [1200, 2100]\ndistance_mm = 4000\n'
        'fit = "crop"\nzones = { clock = [0, 0, 1, 0.08] }\n'
    )  # fmt: skip
    (tmp_path / f"own{suffix}").write_text(text)
    hall = all_placements(load_placements(tmp_path / f"own{suffix}"))["hall_screen"]
    assert (hall.width_mm, hall.height_mm, hall.distance_mm, hall.css_px, hall.fit) == (1200, 2100, 4000, None, "crop")
    assert [(zone.title, tuple(zone.box)) for zone in hall.zones] == [("clock", (0, 0, 1, 0.08))]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("mm: [1200, 2100]", "has no distance"),
        ("css_px: [300, 250]", "css_px needs a display"),
        ("display: fone", "did you mean 'phone'"),
        ("display: slot", "has no size"),
        ("display: phone\n    fit: stretch", "found 'stretch'; write one of crop, contain, column"),
        ("display: phone\n    zones: {bar: [0, 0.5, 1, 0.2]}", "zone 'bar' is empty"),
        ("display: phone\n    zones: {bar: [0, 0.5, 1, 2]}", "found '2'"),
        ("display: phone\n    platform: instagran", "did you mean 'instagram'"),
        ("display: phone\n    distance: 5", "unknown key; did you mean 'distance_mm'"),
        ("display: phone\n  - name: a\n    display: tv", "written twice"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, written: str, said: str) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(f"placements:\n  - name: a\n    {written}\n")
    with pytest.raises(UsageError) as refused:
        load_placements(file)
    assert said in str(refused.value)
    assert f"{file}: 1 problem\n  line " in str(refused.value)


def test_mistakes_in_toml_are_named_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[[placements]]\nname = "a"\ndisplay = "phone"\n\n[[placements]]\nname = "b"\ndisplay = "fone"\n')
    with pytest.raises(UsageError, match=r"line 7, placements\[1\].display: 'fone' is no known display"):
        load_placements(file)


def test_objectives_choose_placements_and_add_their_own(tmp_path: Path) -> None:
    file = tmp_path / "objectives.yaml"
    file.write_text(
        "defaults:\n  placement: [Leaderboard, hall_screen, leaderboard]\n"
        "media:\n  - {match: 'a.png', placement: none}\n  - {match: 'b.png', placement: half page}\n" + HALL
    )
    config = load_objectives(file)
    again = restore_objectives(dump_objectives(config))
    for one in (config, again):
        assert resolve_objective(one, "c.png").placement == ("leaderboard", "hall_screen")
        assert resolve_objective(one, "a.png").placement == ()
        assert resolve_objective(one, "b.png").placement == ("half_page",)
        assert "hall_screen" in all_placements(one.placements)
    (tmp_path / "own.yaml").write_text(HALL)
    file.write_text("defaults: {placement: hall_screen}\nplacements: own.yaml\n")
    assert load_objectives(file).placements == config.placements
    file.write_text("defaults: {placement: instagram_storry}\n")
    with pytest.raises(UsageError, match=r"did you mean 'instagram_story'\? Your own go under placements"):
        load_objectives(file)


def test_a_table_names_several_placements_in_one_cell(tmp_path: Path) -> None:
    (tmp_path / "media.csv").write_text("path;placement\na.png;instagram_story, leaderboard\nb.png;\n")
    config = load_objectives(tmp_path / "media.csv")
    assert resolve_objective(config, "a.png").placement == ("instagram_story", "leaderboard")
    assert resolve_objective(config, "b.png").placement is None
