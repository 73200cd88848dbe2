"""Brand kits: what a folder may hold, what is refused with its file and line, and how objectives name it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from mediaan.config.brand import BrandSettings, describe_by_kits, load_kit, load_kits
from mediaan.config.objectives import dump_objectives, load_objectives, resolve_objective, restore_objectives
from mediaan.errors import UsageError
from mediaan.workflow.folder.inputs import load_inputs


def picture(file: Path, colour: str = "red") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (60, 30), colour).save(file)
    return file


def kit(folder: Path, text: str = "name: Acme\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "brand.yaml").write_text(text, encoding="utf-8")
    return folder


def refused(folder: Path) -> str:
    with pytest.raises(UsageError) as caught:
        load_kits(folder)
    return caught.value.message


def test_a_kit_written_by_hand_is_read(tmp_path: Path) -> None:
    folder = kit(
        tmp_path / "a", "name: Ben & Jerry's\naliases: B&J\naddresses: [benjerry.com, '@bj']\ncolours: ['#00ff7F']\n"
    )
    logo, pack = picture(folder / "logos/b.PNG"), picture(folder / "packs/tub.jpg")
    (folder / "logos/notes.txt").write_text("not a picture")
    (folder / "logos/.hidden.png").write_bytes(b"")
    loaded = load_kit(folder)
    assert (loaded.name, loaded.settings.aliases, loaded.settings.colours) == ("Ben & Jerry's", ("B&J",), ("#00ff7F",))
    assert (loaded.logos, loaded.packs) == ((logo,), (pack,))
    brand = loaded.merged_with().located(Path("/"))
    assert brand.addresses == ("benjerry.com", "@bj")
    assert brand.logos == (logo,)
    assert brand.packs == (pack,)


def test_a_folder_of_kits_is_read_and_a_kit_may_be_moved(tmp_path: Path) -> None:
    for name in ("Zeta", "Acme"):
        kit(tmp_path / "kits" / name.lower(), f"name: {name}\n")
    (tmp_path / "kits/empty").mkdir()
    assert [one.name for one in load_kits(tmp_path / "kits")] == ["Acme", "Zeta"]
    (tmp_path / "kits").rename(tmp_path / "moved")
    assert [one.name for one in load_kits(tmp_path / "moved")] == ["Acme", "Zeta"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "found nothing"),
        ("name: [Acme]\n", "line 1, name: found a list"),
        ("name: Acme\nalias: A\n", "line 2, alias: unknown key; did you mean 'aliases'"),
        ("name: Acme\ncolours:\n  - red\n", "line 3, colours[0]: found 'red'"),
        ("name: Acme\naddresses: [acme]\n", "line 2, addresses[0]: found 'acme'"),
        ("name: Acme\n  - x: [\n", "line 2"),
        ("name: '***'\n", "line 1, name: found '***'"),
        ("name: &a Acme\naliases: [*a]\n", "aliases (*name) are not supported"),
        ("name: Acme\nname: Zeta\n", "name: written twice, on lines 1 and 2"),
        ("aliases: [A]\n", "name: is missing"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    message = refused(kit(tmp_path / "kit", text))
    assert words in message
    assert "brand.yaml" in message


def test_pictures_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    secret = picture(tmp_path / "secret.png")
    linked = kit(tmp_path / "linked")
    (linked / "logos").mkdir()
    (linked / "logos/mark.png").symlink_to(secret)
    assert re.search(r"mark\.png: is a link out of the kit", refused(linked))
    outside = kit(tmp_path / "outside")
    (outside / "packs").symlink_to(tmp_path)
    assert "packs: leads out of the kit" in refused(outside)
    text = kit(tmp_path / "text")
    (text / "logos").mkdir()
    (text / "logos/mark.png").write_text("<svg/>")
    assert "'mark.png' is not an image" in refused(text)
    huge = kit(tmp_path / "huge")
    (huge / "packs").mkdir()
    Image.new("1", (9000, 9000)).save(huge / "packs/wall.png")
    assert "'wall.png' is larger than 50 MP" in refused(huge)
    many = kit(tmp_path / "many")
    for number in range(21):
        picture(many / f"logos/{number}.png")
    assert "holds 21 pictures; keep 20 at most" in refused(many)


def test_a_folder_that_is_no_kit_says_how_to_make_one(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "gone"):
        assert "is no brand kit" in refused(folder)
        assert "mediaan brand new" in refused(folder)
    for name in ("a", "b"):
        kit(tmp_path / name, f"name: {'Acme' if name == 'a' else 'Acmé'}\n")
    assert "a and b are both kits of" in refused(tmp_path)


def test_objectives_name_a_kit_beside_them(tmp_path: Path) -> None:
    logo = picture(kit(tmp_path / "kits/acme", "name: Acme\naliases: [ACME Inc]\n") / "logos/a.png")
    own = picture(tmp_path / "own.png")
    file = tmp_path / "objectives.yaml"
    file.write_text(
        "defaults:\n  brand_kit: kits/acme\nmedia:\n"
        "  - match: 'x/*'\n    brand_kit: kits/acme\n    brand: {name: acme, aliases: [Rocket], logos: own.png}\n"
        "  - match: z.png\n    brand: Zeta\n  - match: none.png\n    brand:\n"
    )
    config = load_objectives(file)
    for read in (config, restore_objectives(dump_objectives(config))):
        brands = [resolve_objective(read, path).brand for path in ("a.png", "x/a.png", "z.png", "none.png")]
        assert brands[0]
        assert brands[0].located(tmp_path).logos == (logo,)
        assert brands[0].aliases == ("ACME Inc",)
        assert brands[1]
        assert brands[1].located(tmp_path).logos == (logo, own)
        assert brands[1].aliases == ("ACME Inc", "Rocket")
        assert brands[2:] == [BrandSettings(name="Zeta"), None]
    (sentence,) = load_inputs(file, None).merged_brands
    assert "Acme" in sentence
    assert "taken together" in sentence


def test_a_kit_that_objectives_name_in_vain_is_told_by_line(tmp_path: Path) -> None:
    kit(tmp_path / "acme")
    file, table = tmp_path / "objectives.yaml", tmp_path / "media.csv"
    file.write_text("defaults:\n  brand: Zeta\n  brand_kit: acme\nmedia:\n  - match: a.png\n    brand_kit: gone\n")
    with pytest.raises(UsageError) as caught:
        load_objectives(file)
    assert "line 3, defaults.brand_kit: the brand is 'Zeta'" in caught.value.message
    assert re.search(r"line 6, media\[0\]\.brand_kit: .*gone: is no brand kit", caught.value.message)
    table.write_text("path,brand_kit\na.png,acme\nb.png,gone\n")
    with pytest.raises(UsageError, match=r"line 3, brand_kit: .*gone"):
        load_objectives(table)
    table.write_text("path,brand_kit\na.png,acme\n")
    brand = resolve_objective(load_objectives(table), "a.png").brand
    assert brand.name == "Acme"


def test_kits_describe_the_brands_that_media_have(tmp_path: Path) -> None:
    for name in ("Acme", "Zeta"):
        kit(tmp_path / "kits" / name, f"name: {name}\naliases: [{name} Inc]\n")
    both, acme = load_kits(tmp_path / "kits"), load_kits(tmp_path / "kits/Acme")
    assert describe_by_kits(None, both) is None  # nobody said whose ad it is
    assert describe_by_kits(None, acme) == BrandSettings(name="Acme", aliases=("Acme Inc",))
    assert describe_by_kits(BrandSettings(name="zeta inc"), both) == BrandSettings(name="Zeta", aliases=("Zeta Inc",))
    other = BrandSettings(name="Other")
    assert describe_by_kits(other, both) == other
    inputs = load_inputs(None, None, brand_kit=tmp_path / "kits/Acme")
    brand = inputs.options("any.png").brand
    assert brand.name == "Acme"
    facts = inputs.objective_facts(["any.png"])
    assert facts["any.png"]["brand"]["aliases"] == ["Acme Inc"]
