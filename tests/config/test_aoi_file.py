"""Files of AOIs: our own JSON, CSV, and what annotation tools export, in and out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mediaan.config.aoi_formats.reading import AoiFile, load_aois
from mediaan.config.aoi_formats.writing import export_aois
from mediaan.errors import UsageError
from mediaan.types.aoi import Drawing


def sheet(tmp_path: Path, content: Any, name: str = "areas.json") -> AoiFile:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return load_aois(path)


def only(found: AoiFile, name: str) -> Drawing:
    (drawing,) = found.drawings(name) or ()
    return drawing


LOGO = {"type": "branding", "label": "Acme", "box": [0.7, 0.85, 0.95, 0.97]}


def test_our_own_json(tmp_path: Path) -> None:
    polygon = {"type": "product", "polygon": [[10, 10], [90, 10], [50, 80]], "unit": "px", "t0_s": 1, "t1_s": 2.5}
    found = sheet(tmp_path, {"ad.png": [LOGO, polygon]})
    logo, product = found.drawings("summer/ad.png") or ()
    assert (logo.type, logo.label, logo.points) == ("branding", "Acme", ((0.7, 0.85), (0.95, 0.97)))
    assert (product.unit, product.points) == ("px", ((10, 10), (90, 10), (50, 80)))
    assert (product.t0_s, product.t1_s) == (1, 2.5)


@pytest.mark.parametrize(
    ("key", "path", "fits"),
    [
        ("ad.png", "ad.png", True),
        ("ad.png", "x/y/ad.png", True),
        ("x/ad.png", "x/ad.png", True),
        ("x/ad.png", "y/ad.png", False),
        ("*.png", "x/ad.png", True),
        ("x/*", "x/ad.png", True),
        ("x/*", "y/ad.png", False),
        ("ad[1].png", "ad[1].png", True),  # brackets mean themselves
        ("a?.png", "ad.png", True),
        ("caf\u00e9.png", "cafe\u0301.png", True),  # composed and decomposed
    ],
)
def test_names_paths_and_patterns(tmp_path: Path, key: str, path: str, fits: bool) -> None:
    found = sheet(tmp_path, {key: [LOGO]})
    assert (found.drawings(path) is not None) == fits
    assert found.among([path]).unused == (() if fits else (key,))


def test_a_name_goes_before_patterns_and_patterns_add_up(tmp_path: Path) -> None:
    found = sheet(tmp_path, {"*.png": [LOGO], "b*": [LOGO], "ad.png": []})
    assert found.drawings("ad.png") == ()
    assert len(found.drawings("b.png") or ()) == 2
    assert found.drawings("c.jpg") is None


def test_null_is_not_judged(tmp_path: Path) -> None:
    found = sheet(tmp_path, {"ad.png": None, "b.png": []})
    assert found.drawings("ad.png") is None
    assert found.drawings("b.png") == ()


def test_csv(tmp_path: Path) -> None:
    text = "\ufeffname,type,label,x0,y0,x1,y1,polygon,unit\na.png,branding,Acme,10,20,30,40,,px\n" + (
        'a.png,product,,,,,,"0.1,0.1 0.5,0.1 0.3,0.9",\n'
    )
    logo, product = sheet(tmp_path, text, "areas.csv").drawings("a.png") or ()
    assert (logo.label, logo.unit, logo.points) == ("Acme", "px", ((10, 20), (30, 40)))
    assert product.points == ((0.1, 0.1), (0.5, 0.1), (0.3, 0.9))


def test_labelme_files_of_a_folder(tmp_path: Path) -> None:
    for name in ("a", "b"):
        shapes = [
            {"label": "face", "points": [[30, 40], [10, 20]], "shape_type": "rectangle", "group_id": None},
            {"label": "glow", "points": [[5, 5], [9, 9]], "shape_type": "line"},
        ]
        content = {"version": "5.4.1", "flags": {}, "shapes": shapes, "imagePath": f"..\\pictures\\{name}.jpg"}
        (tmp_path / f"{name}.json").write_text(json.dumps(content | {"imageData": None}))
    found = load_aois(tmp_path)
    assert only(found, "a.jpg").points == ((10, 20), (30, 40))
    assert only(found, "b.jpg").type == "face"
    assert found.problems == tuple(f"..\\pictures\\{name}.jpg, line 2 is no area" for name in "ab")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"a.png": [LOGO | {"type": "brandng"}]}, "a.png, AOI 1: type: no AOI type is called 'brandng'; did you mean"),
        ({"a.png": [LOGO | {"type": "logo"}]}, "did you mean 'branding'?"),
        ({"a.png": [LOGO, {"type": "face"}]}, "a.png, AOI 2: needs a box [x0, y0, x1, y1] or a polygon"),
        ({"a.png": [LOGO | {"box": [0.5, 0, 0.2, 1]}]}, "x0 < x1"),
        ({"a.png": [LOGO | {"box": [10, 20, 300, 400]}]}, 'if they are pixels, add "unit": "px"'),
        ({"a.png": [LOGO | {"lable": "x"}]}, "unknown key 'lable'; did you mean 'label'?"),
        ({"a.png": [{"type": "face", "polygon": [[0, 0], [1, 1]]}]}, "polygon"),
        ({"a.png": [LOGO | {"t0_s": 3, "t1_s": 2}]}, "must be before"),
        ({"a.png": LOGO}, "'a.png' must hold a list of AOIs"),
        ("not json", "neither JSON nor a .csv"),
        ("3", "AOIs by file name were expected"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, content: Any, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        sheet(tmp_path, content)
    assert said in caught.value.message
    assert "areas.json" in caught.value.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,x0\n", "lacks the column 'type'"),
        ("name,type,colour\n", "unknown column 'colour'"),
        ("name,type,x0,y0,x1,y1\na.png,face,0,0,1\n", "line 2"),
    ],
)
def test_what_is_wrong_with_a_csv_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        sheet(tmp_path, text, "areas.csv")


def test_an_absent_file_and_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_aois(tmp_path / "none.json")
    with pytest.raises(UsageError, match=r"holds no \.json"):
        load_aois(tmp_path)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UsageError, match="there are json, csv, coco, labelstudio, fiftyone"):
        export_aois([], "voc")
