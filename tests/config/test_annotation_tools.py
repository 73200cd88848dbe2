"""What annotation tools write: each shape has its ground, each name its file, and what cannot be read is named."""

from __future__ import annotations

import base64
import io
import json
import math
import os
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import cv2
import numpy as np
import pytest

from mediaan.aoi.medium_coordinates import aois_from_drawings
from mediaan.aoi.region import coverage, region_area
from mediaan.config.aoi_formats.reading import AoiFile, load_aois
from mediaan.config.aoi_formats.shapes import MOST_POINTS, ShapeError, ellipse, from_mask, joined, polygon
from mediaan.config.aoi_formats.writing import EXPORT_FORMATS, AnnotatedMedium, export_aois
from mediaan.errors import UsageError
from mediaan.types.aoi import Aoi, Box
from mediaan.types.media import Medium

WIDTH, HEIGHT = 200, 100
MEDIUM = Medium(UUID(int=7), "ad.png", "image", WIDTH, HEIGHT, "png")


def read(tmp_path: Path, content: Any, name: str = "areas.json") -> AoiFile:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return load_aois(path)


def areas(file: AoiFile, name: str = "ad.png") -> tuple[Aoi, ...]:
    return aois_from_drawings(file.drawings(name) or (), MEDIUM)[0]


def ground(aoi: Aoi) -> float:
    """Ground in px²."""
    return region_area(aoi.box, aoi.polygon) * WIDTH * HEIGHT


def mask() -> np.ndarray:
    """Two parts, one with a hole."""
    found = np.zeros((HEIGHT, WIDTH), np.uint8)
    found[10:20, 10:30] = 1
    found[40:80, 50:120] = 1
    found[50:60, 60:90] = 0
    return found


def runs(flat: np.ndarray) -> list[int]:
    edges = np.flatnonzero(np.diff(flat)) + 1
    lengths = np.diff([0, *edges, flat.size]).tolist()
    return [0, *lengths] if flat[0] else lengths


def compressed(counts: Sequence[int]) -> str:
    """Run lengths as COCO packs them."""
    text = ""
    for i, count in enumerate(counts):
        number = count - (counts[i - 2] if i > 2 else 0)
        while True:
            bits, number = number & 0x1F, number >> 5
            more = number != (-1 if bits & 0x10 else 0)
            text += chr((bits | (0x20 if more else 0)) + 48)
            if not more:
                break
    return text


def brush(inside: np.ndarray) -> list[int]:
    """An RGBA image as Label Studio packs it: runs, and here and there values one by one."""
    values = np.repeat(inside.ravel() * 255, 4).astype(int)
    sizes = [3, 4, 8, 15]
    bits = f"{values.size:032b}{7:05b}" + "".join(f"{size - 1:04b}" for size in sizes)
    at = 0
    while at < values.size:
        end = at + 1
        while end < values.size and values[end] == values[at] and end - at < 2**15:
            end += 1
        if end - at < 50 and at % 3 == 0:
            end = min(at + 8, values.size)
            bits += f"000{end - at - 1:03b}" + "".join(f"{value:08b}" for value in values[at:end])
        else:
            index = next(i for i, size in enumerate(sizes) if end - at <= 2**size)
            bits += f"1{index:02b}{end - at - 1:0{sizes[index]}b}{values[at]:08b}"
        at = end
    bits += "0" * (-len(bits) % 8)
    return [int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)]


def png(inside: np.ndarray) -> str:
    return base64.b64encode(cv2.imencode(".png", inside * 255)[1].tobytes()).decode()


# ---- files of one shape ----------------------------------------------------------------------------------------------


def coco(annotation: dict[str, Any], **image: Any) -> dict[str, Any]:
    return {
        "images": [{"id": 1, "file_name": "ad.png", "width": WIDTH, "height": HEIGHT} | image],
        "annotations": [{"id": 5, "image_id": 1, "category_id": 1} | annotation],
        "categories": [{"id": 1, "name": "logo"}],
    }


def label_studio(value: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    labels = {"labels": ["logo"]} if not any(key.endswith("labels") for key in value) else {}
    result = {"id": "r1", "type": "shape", "original_width": WIDTH, "original_height": HEIGHT, "value": value | labels}
    return [
        {"id": 3, "data": {"image": "/data/upload/1/ab12cd34-ad.png"}, "annotations": [{"result": [result | more]}]}
    ]


def labelme(kind: str, points: Sequence[Sequence[float]], **more: Any) -> dict[str, Any]:
    shape = {"label": "logo", "points": points, "shape_type": kind} | more
    size = {"imageWidth": WIDTH, "imageHeight": HEIGHT}
    return {"version": "5.4.1", "shapes": [shape], "imagePath": "C:\\ads\\ad.png", "imageData": None} | size


def via(shape: dict[str, Any], said: Any = None) -> dict[str, Any]:
    region = {"shape_attributes": shape, "region_attributes": {"class": "logo"} if said is None else said}
    entry = {"filename": "ad.png", "size": 99, "regions": [region], "file_attributes": {}}
    return {"_via_settings": {}, "_via_img_metadata": {"ad.png99": entry}}


def fiftyone(*labels: dict[str, Any], field: str = "ground_truth", **more: Any) -> dict[str, Any]:
    """The samples.json of a dataset, with a field of detections or polylines."""
    kind = "Polylines" if labels[0]["_cls"] == "Polyline" else "Detections"
    content = {"_cls": kind, kind.lower(): [{"_id": {"$oid": "0"}, "label": "logo"} | label for label in labels]}
    return {"samples": [{"_id": {"$oid": "1"}, "filepath": "/home/me/ad.png", "tags": [], field: content} | more]}


def cvat(shape: str, **more: Any) -> str:
    return (
        f'<?xml version="1.0" encoding="utf-8"?><annotations><version>1.1</version><meta/>'
        f'<image id="0" name="default/ad.png" width="{WIDTH}" height="{HEIGHT}">{shape}</image></annotations>'
    )


VOC = f"""<annotation><folder>x</folder><filename>ad.png</filename><size><width>{WIDTH}</width><height>{HEIGHT}</height>
</size><object><name>logo</name>%s</object></annotation>"""
SQUARES = [[10, 10, 30, 10, 30, 30, 10, 30], [100, 50, 140, 50, 140, 70, 100, 70]]
STAR = [[10, 10], [60, 10], [60, 60], [10, 60]]
MASKED = int(mask().sum())
OVAL = math.pi * 40 * 20
BOXED = 30 * 20

SHAPES: dict[str, tuple[Any, float]] = {
    "COCO box": (coco({"bbox": [10, 20, 30, 20]}), BOXED),
    "COCO box as text": (coco({"bbox": ["10", "20", "30", "20"], "image_id": "1", "category_id": "1"}), BOXED),
    "COCO turned box of CVAT": (coco({"bbox": [50, 40, 30, 20], "attributes": {"rotation": 33.0}}), BOXED),
    "COCO polygon": (coco({"segmentation": [[10, 10, 60, 10, 60, 60, 10, 60]]}), 2500),
    "COCO flat polygon": (coco({"segmentation": [10, 10, 60, 10, 60, 60, 10, 60]}), 2500),
    "COCO polygons": (coco({"segmentation": SQUARES, "bbox": [10, 10, 130, 60]}), 400 + 800),
    "COCO the same polygon twice": (coco({"segmentation": [SQUARES[0]] * 2}), 400),
    "COCO polygons that overlap": (
        coco({"segmentation": [[10, 10, 30, 10, 30, 30, 10, 30], [20, 20, 40, 20, 40, 40, 20, 40]]}),
        700,
    ),
    "COCO runs": (
        coco({"segmentation": {"size": [HEIGHT, WIDTH], "counts": runs(mask().T.ravel())}, "iscrowd": 1}),
        MASKED,
    ),
    "COCO runs, packed": (
        coco({"segmentation": {"size": [HEIGHT, WIDTH], "counts": compressed(runs(mask().T.ravel()))}}),
        MASKED,
    ),
    "Label Studio rectangle": (label_studio({"x": 5, "y": 20, "width": 15, "height": 20}), BOXED),
    "Label Studio turned": (label_studio({"x": 50, "y": 50, "width": 15, "height": 20, "rotation": 71}), BOXED),
    "Label Studio ellipse": (label_studio({"x": 50, "y": 50, "radiusX": 20, "radiusY": 20}), OVAL),
    "Label Studio turned ellipse": (
        label_studio({"x": 50, "y": 50, "radiusX": 20, "radiusY": 20, "rotation": 30}),
        OVAL,
    ),
    "Label Studio polygon": (label_studio({"points": [[5, 10], [30, 10], [30, 60], [5, 60]]}), 2500),
    "Label Studio brush": (label_studio({"format": "rle", "rle": brush(mask())}), MASKED),
    "Label Studio bit mask": (label_studio({"imageDataURL": f"data:image/png;base64,{png(mask())}"}), MASKED),
    "LabelMe rectangle": (labelme("rectangle", [[40, 40], [10, 20]]), BOXED),
    "LabelMe polygon": (labelme("polygon", STAR), 2500),
    "LabelMe circle": (labelme("circle", [[100, 50], [120, 50]]), math.pi * 400),
    "LabelMe mask": (labelme("mask", [[0, 0], [WIDTH, HEIGHT]], mask=png(mask())), MASKED),
    "X-AnyLabeling rotation": (labelme("rotation", STAR, direction=0.1), 2500),
    "X-AnyLabeling rectangle of four corners": (labelme("rectangle", STAR), 2500),
    "VIA rect": (via({"name": "rect", "x": 10, "y": 20, "width": 30, "height": 20}), BOXED),
    "VIA polygon": (
        via(
            {"name": "polygon", "all_points_x": [10, 60, 60, 10], "all_points_y": [10, 10, 60, 60]},
            {"type": {"logo": True}},
        ),
        2500,
    ),
    "VIA circle": (via({"name": "circle", "cx": 100, "cy": 50, "r": 20}), math.pi * 400),
    "VIA ellipse": (via({"name": "ellipse", "cx": 100, "cy": 50, "rx": 40, "ry": 20, "theta": 0.3}), OVAL),
    "FiftyOne detection": (fiftyone({"_cls": "Detection", "bounding_box": [0.05, 0.2, 0.15, 0.2]}), BOXED),
    "FiftyOne polyline": (
        fiftyone({"_cls": "Polyline", "points": [[[0.05, 0.1], [0.3, 0.1], [0.3, 0.6], [0.05, 0.6]]], "closed": True}),
        2500,
    ),
    "CVAT box": (cvat('<box label="logo" xtl="10" ytl="20" xbr="40" ybr="40"/>'), BOXED),
    "CVAT turned box": (cvat('<box label="logo" xtl="50" ytl="40" xbr="80" ybr="60" rotation="45"/>'), BOXED),
    "CVAT polygon": (cvat('<polygon label="logo" points="10,10;60,10;60,60;10,60"/>'), 2500),
    "CVAT ellipse": (cvat('<ellipse label="logo" cx="100" cy="50" rx="40" ry="20" rotation="12"/>'), OVAL),
    "CVAT mask": (
        cvat(
            f'<mask label="logo" left="10" top="10" width="110" height="70" '
            f'rle="{", ".join(map(str, runs(mask()[10:80, 10:120].ravel())))}"/>'
        ),
        MASKED,
    ),
    "VOC box": (VOC % "<bndbox><xmin>10</xmin><ymin>20</ymin><xmax>40</xmax><ymax>40</ymax></bndbox>", BOXED),
    "VOC turned box": (
        VOC % "<robndbox><cx>100</cx><cy>50</cy><w>30</w><h>20</h><angle>0.7</angle></robndbox>",
        BOXED,
    ),
    "CreateML": (
        [{"image": "ad.png", "annotations": [
            {"label": "logo", "coordinates": {"x": 25, "y": 30, "width": 30, "height": 20}}]}],
        BOXED,
    ),
    "Label Studio JSON-MIN": (
        [{"id": 1, "image": "/data/upload/1/ab12cd34-ad.png", "annotator": 1, "label": [
            {"x": 5, "y": 20, "width": 15, "height": 20, "rotation": 0, "rectanglelabels": ["logo"]}]}],
        BOXED,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_covers_its_ground_not_its_bounds(tmp_path: Path, name: str) -> None:
    content, wanted = SHAPES[name]
    suffix = "xml" if isinstance(content, str) else "json"
    file = read(tmp_path, content, f"areas.{suffix}")
    (aoi,) = areas(file)
    assert (aoi.type, file.problems) == ("branding", ())
    assert ground(aoi) == pytest.approx(wanted, rel=0.003)


def test_tables_of_other_programs(tmp_path: Path) -> None:
    results = json.dumps([{"x": 5, "y": 20, "width": 15, "height": 20, "rectanglelabels": ["logo"]}]).replace('"', '""')
    for text in (
        f'annotation_id,annotator,image,label\n1,1,/data/upload/1/ab12cd34-ad.png,"{results}"\n',
        f"filename,width,height,class,xmin,ymin,xmax,ymax\nad.png,{WIDTH},{HEIGHT},logo,10,20,40,40\n",
        "filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,region_attributes\n"
        'ad.png,9,{},1,0,"{""name"":""rect"",""x"":10,""y"":20,""width"":30,""height"":20}","{""type"":""logo""}"\n',
    ):
        (aoi,) = areas(read(tmp_path, text, "areas.csv"))
        assert aoi.type == "branding"
        assert aoi.box == pytest.approx((0.05, 0.2, 0.2, 0.4))


@pytest.mark.parametrize("seed", range(8))
def test_the_outline_of_any_mask_covers_its_pixels(seed: int) -> None:
    noise = np.random.default_rng(seed).random((HEIGHT, WIDTH))
    inside = (cv2.GaussianBlur(noise, (0, 0), 3 + seed) > 0.5).astype(np.uint8)
    corners = from_mask(inside)
    assert len(corners) <= MOST_POINTS
    found = coverage(Box(0, 0, 1, 1), tuple((x / WIDTH, y / HEIGHT) for x, y in corners), (HEIGHT, WIDTH))
    assert np.abs(found - inside).sum() < 0.05 * inside.sum()


def test_outlines_of_many_corners_keep_their_ground() -> None:
    angles = np.linspace(0, 2 * np.pi, 5000, endpoint=False)
    fine = [(100 + 40 * math.cos(a), 50 + 40 * math.sin(a)) for a in angles]
    corners = polygon(fine)
    assert len(corners) <= MOST_POINTS
    assert region_area(Box(0, 0, 1, 1), tuple((x / 200, y / 100) for x, y in corners)) == pytest.approx(
        math.pi * 1600 / 20000, rel=0.01
    )
    assert len(joined([fine, ellipse(30, 30, 5, 5)])) <= MOST_POINTS
    ragged = np.random.default_rng(1).integers(0, 2, (400, 400)).astype(np.uint8)
    with pytest.raises(ShapeError, match="too ragged"):
        from_mask(ragged)


# ---- what cannot be read ---------------------------------------------------------------------------------------------

GOOD = {"id": 9, "image_id": 1, "category_id": 1, "bbox": [10, 20, 30, 20]}


@pytest.mark.parametrize(
    ("annotation", "why"),
    [
        ({"bbox": [1, 2, 0, 3]}, "annotation 5 has a box of 0 x 3 px"),
        ({"bbox": [1, 2, 3]}, "annotation 5 cannot be understood"),
        ({"bbox": [1, 2, "wide", 3]}, "annotation 5 cannot be understood"),
        ({"bbox": None}, "annotation 5 has neither a box nor an outline"),
        ({"bbox": [float("nan"), 2, 3, 4]}, "annotation 5"),
        ({"bbox": [1, 2, float("inf"), 4]}, "annotation 5"),
        ({"segmentation": [[1, 2, 3, 4]]}, "annotation 5 has 2 corners"),
        ({"segmentation": [[1, 2, 3, 4, 5]]}, "odd number"),
        ({"segmentation": [[1, 1, 2, 2, 3, 3]]}, "has no extent"),
        ({"segmentation": {"size": [10**6, 10**6], "counts": [1]}}, "mask of 1000000 x 1000000"),
        ({"segmentation": {"size": [9, 9], "counts": [99]}}, "do not fit"),
        ({"segmentation": {"counts": "abc"}}, "lacks 'size'"),
        ({"image_id": 99, "bbox": [1, 2, 3, 4]}, "annotation 5 is of image 99, which the file lacks"),
        ({"image_id": None, "bbox": [1, 2, 3, 4]}, "annotation 5 is of image None"),
    ],
)
def test_one_bad_record_of_coco_is_named_and_the_others_are_read(
    tmp_path: Path, annotation: dict[str, Any], why: str
) -> None:
    content = coco(annotation)
    content["annotations"].append(GOOD)
    file = read(tmp_path, content)
    (problem,) = file.problems
    assert why in problem
    assert [ground(aoi) for aoi in areas(file)] == pytest.approx([BOXED])


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ({"type": "relation", "from_id": "a", "to_id": "b", "value": None}, "relation"),
        ({"type": "keypointlabels", "value": {"x": 5, "y": 5, "width": 1}}, "keypointlabels r1"),
        ({"type": "brushlabels", "value": {"rle": [0, 1]}}, "brushlabels r1 is a brush that cannot be decoded"),
        ({"type": "brushlabels", "value": {"rle": "x"}}, "brushlabels r1 is a brush that cannot be decoded"),
        ({"type": "rectanglelabels", "value": {"x": 5, "y": 5, "width": 0, "height": 1}}, "r1 has no extent"),
        ({"image_rotation": 90}, "shape r1 was drawn on the picture turned in Label Studio"),
        ({"type": "videorectangle", "value": {"sequence": []}}, "videorectangle r1 is no area"),
        ({"type": "vectorlabels", "value": {"vertices": []}}, "vectorlabels r1 is no area"),
    ],
)  # fmt: skip
def test_a_foreign_element_of_label_studio_is_named_and_the_others_are_read(
    tmp_path: Path, result: dict[str, Any], why: str
) -> None:
    content = label_studio({"x": 5, "y": 20, "width": 15, "height": 20})
    results = content[0]["annotations"][0]["result"]
    results.append(results[0] | {"id": "r2"})
    results[0] |= result
    file = read(tmp_path, content)
    (problem,) = file.problems
    assert why in problem
    assert [ground(aoi) for aoi in areas(file)] == pytest.approx([BOXED])


def test_samples_of_fiftyone(tmp_path: Path) -> None:
    box = {"_cls": "Detection", "bounding_box": [0.05, 0.2, 0.15, 0.2]}
    predicted = fiftyone(box, field="yolo")["samples"][0]["yolo"]
    ours = fiftyone(box | {"label": "branding", "name": "Acme", "aoi_id": TWICE}, field="areas", yolo=predicted)
    (aoi,) = areas(read(tmp_path, ours))
    assert (aoi.type, aoi.label, str(aoi.aoi_id)) == ("branding", "Acme", TWICE)
    open_line = {"_cls": "Polyline", "points": [[[0, 0], [1, 1], [0, 1]]], "closed": False}
    second = fiftyone(open_line)["samples"][0]["ground_truth"]
    file = read(tmp_path, fiftyone(box | {"mask": {"$binary": {}}}, second=second))
    assert len(areas(file)) == 1
    assert [problem.rpartition(", ")[2] for problem in file.problems] == [
        "ground_truth 1 is a mask: its box is read instead",
        "second 1 is an open line",
    ]
    unseen = read(tmp_path, {"samples": [{"filepath": "ad.png"}]})
    assert unseen.drawings("ad.png") is None
    assert "has no areas" in unseen.problems[0]


def test_the_density_of_an_image_goes_along_to_fiftyone() -> None:
    density = np.array([[0.0, 0.1], [0.2, 0.7]], np.float32)
    media = [
        AnnotatedMedium("ad.png", 200, 100, (), density=density),
        AnnotatedMedium("ad.mp4", 200, 100, (), kind="video", density=density),
    ]
    (sample,) = json.loads(export_aois(media, "fiftyone"))["samples"]
    packed = base64.b64decode(sample["heat"]["map"]["$binary"]["base64"])
    assert np.load(io.BytesIO(zlib.decompress(packed))).tolist() == [[0, 36], [73, 255]]


def test_other_foreign_shapes_are_named(tmp_path: Path) -> None:
    for content, why in (
        (labelme("line", [[1, 1], [9, 9]]), "line 1 is no area"),
        (labelme("point", [[1, 1]]), "point 1 is no area"),
        (labelme("rectangle", [[1, 1]]), "rectangle 1 has no extent"),
        (labelme("mask", [[1, 1], [2, 2]], mask="!!"), "mask 1 is a mask that cannot be decoded"),
        (via({"name": "point", "cx": 1, "cy": 1}), "point 1 is no area"),
        (via({"name": "polyline", "all_points_x": [1, 2, 3], "all_points_y": [1, 2, 5]}), "polyline 1 is a line"),
        (cvat('<points label="x" points="1,1"/>'), "points 1 is no area"),
        (cvat('<box label="x" xtl="1"/>'), "box 1 lacks 'ytl'"),
        (VOC % "", "object 1 has no box"),
    ):
        file = read(tmp_path, content, "areas.xml" if isinstance(content, str) else "areas.json")
        assert why in file.problems[0]
        assert file.drawings("ad.png") is None, "what could not be read says nothing of the picture"
        assert file.among(["ad.png"]).unused == ()


def test_of_several_annotations_the_one_that_counts_is_read(tmp_path: Path) -> None:
    def annotation(x: float, **more: Any) -> dict[str, Any]:
        (task,) = label_studio({"x": x, "y": 20, "width": 15, "height": 20})
        return task["annotations"][0] | more

    for several, x in (
        ([{"was_cancelled": True, "result": []}, annotation(30)], 0.3),
        ([annotation(10, was_cancelled=True), annotation(30)], 0.3),
        ([{"skipped": True, "result": []}, annotation(30)], 0.3),
        ([annotation(10), annotation(30, ground_truth=True)], 0.3),
        ([annotation(10), annotation(30)], 0.1),
        ([{"id": 1, "result": None}, annotation(30)], 0.3),
    ):
        file = read(tmp_path, [{"data": {"image": "ad.png"}, "annotations": several}])
        assert [aoi.box.x0 for aoi in areas(file)] == pytest.approx([x])
    for task in (
        {"annotations": [annotation(10, was_cancelled=True)]},
        {"annotations": []},
        {"annotations": [], "predictions": [annotation(10)]},
    ):
        file = read(tmp_path, [{"data": {"image": "ad.png"}} | task])
        assert file.drawings("ad.png") is None
        assert "no areas" in file.problems[0]
    empty = read(tmp_path, [{"data": {"image": "ad.png"}, "annotations": [{"result": []}]}])
    assert empty.drawings("ad.png") == ()


def test_results_of_one_shape_are_one_area(tmp_path: Path) -> None:
    """OCR templates write geometry, label and text of a shape as three results."""
    place = {"x": 5, "y": 20, "width": 15, "height": 20, "rotation": 0}
    results = [
        {"id": "a", "type": "rectangle", "value": place},
        {"id": "a", "type": "labels", "value": place | {"labels": ["cta"]}},
        {"id": "a", "type": "textarea", "value": place | {"text": ["Buy"]}},
        {"id": "b", "type": "choices", "value": {"choices": ["good"]}},
    ]
    file = read(tmp_path, [{"data": {"image": "ad.png"}, "annotations": [{"result": results}]}])
    assert [aoi.type for aoi in areas(file)] == ["call_to_action"]
    assert file.problems == ()


# ---- copies of another size ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [0.1, 0.5, 0.999, 2, 7])
def test_pixels_of_a_copy_are_scaled_by_its_stated_size(tmp_path: Path, factor: float) -> None:
    size = {"width": round(WIDTH * factor), "height": round(HEIGHT * factor)}
    box = [side * factor for side in (10, 20, 30, 20)]
    shape = labelme("rectangle", [box[:2], [box[0] + box[2], box[1] + box[3]]])
    for content in (coco({"bbox": box}, **size), shape | {"imageWidth": size["width"], "imageHeight": size["height"]}):
        (drawing,) = read(tmp_path, content).drawings("ad.png") or ()
        (aoi,), problems = aois_from_drawings([drawing], MEDIUM)
        assert aoi.box == pytest.approx((0.05, 0.2, 0.2, 0.4), abs=0.01)
        assert problems == ()


def test_a_copy_that_was_turned_or_has_another_shape(tmp_path: Path) -> None:
    turned = read(tmp_path, coco({"bbox": [10, 20, 30, 20]}, width=HEIGHT, height=WIDTH)).drawings("ad.png") or ()
    aois, (problem,) = aois_from_drawings(turned, MEDIUM)
    assert (aois, problem.code) == ((), "aoi_turned")
    square = read(tmp_path, coco({"bbox": [32, 128, 96, 128]}, width=640, height=640)).drawings("ad.png") or ()
    (aoi,), (problem,) = aois_from_drawings(square, MEDIUM)
    assert problem.code == "aoi_stretched"
    assert aoi.box == pytest.approx((0.05, 0.2, 0.2, 0.4))
    assert (
        aois_from_drawings(read(tmp_path, coco({"bbox": [10, 20, 30, 20]}, width=0)).drawings("ad.png") or (), MEDIUM)[
            1
        ]
        == ()
    )


# ---- names -----------------------------------------------------------------------------------------------------------


def named(tmp_path: Path, *names: str) -> AoiFile:
    images = [{"id": i, "file_name": name, "width": 200, "height": 100} for i, name in enumerate(names)]
    notes = [{"id": i, "image_id": i, "category_id": 1, "bbox": [10 + i, 20, 30, 20]} for i in range(len(names))]
    return read(tmp_path, {"images": images, "annotations": notes, "categories": [{"id": 1, "name": "logo"}]})


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("/data/upload/3/90fbb0c7-ad.png", "summer/ad.png"),
        ("90fbb0c7-ad.png", "ad.png"),
        ("/data/local-files/?d=campaign/ad.png", "ad.png"),
        ("/data/local-files/?d=campaign%2Fmy%20ad.png", "campaign/my ad.png"),
        ("https://host/x/ad.png?X-Amz-Signature=ab%2F", "ad.png"),
        ("s3://bucket/summer/ad.png", "summer/ad.png"),
        ("gs://bucket/caf%C3%A9.png", "café.png"),
        ("/data/upload/1/90fbb0c7-Caf%C3%A9_promo_50.png", "Café promo 50%.png"),
        ("C:\\Users\\me\\ads\\ad.png", "ads/ad.png"),
        ("file:///home/me/ad.png", "ad.png"),
        ("ad_png.rf.1a2b3c4d5e6f.jpg", "ad.png"),
        ("my-ad_jpeg.rf.1a2b3c4d5e6f.jpg", "my-ad.jpeg"),
        ("AD.PNG", "ad.png"),
        ("cafe\u0301.png", "caf\u00e9.png"),
        ("caf\u00e9.png", "cafe\u0301.png"),
        ("what?.png", "what?.png"),
        ("50%25.png", "50%25.png"),
        ("50%.png", "50%.png"),
        ("a#b&c=d.png", "a#b&c=d.png"),
        ("deadbeef-ad.png", "deadbeef-ad.png"),
        ("./ads//ad.png", "ads/ad.png"),
        ("*.png", "*.png"),
    ],
)
def test_a_name_as_other_programs_write_it(tmp_path: Path, name: str, path: str) -> None:
    matched = named(tmp_path, name).among(["other/thing.png", path, "xad.png"])
    assert list(matched.by_path) == [path]
    assert (matched.unused, matched.problems) == ((), ())


@pytest.mark.parametrize(
    ("names", "paths", "places"),
    [
        (("/x/a/ad.png", "/x/b/ad.png"), ("b/ad.png", "a/ad.png"), {"a/ad.png": 0, "b/ad.png": 1}),
        (("deadbeef-ad.png", "ad.png"), ("ad.png", "deadbeef-ad.png"), {"deadbeef-ad.png": 0, "ad.png": 1}),
        (("a%20b.png", "a b.png"), ("a b.png", "a%20b.png"), {"a%20b.png": 0, "a b.png": 1}),
        (("e\u0301.png", "\u00e9.png"), ("\u00e9.png", "e\u0301.png"), {"e\u0301.png": 0, "\u00e9.png": 1}),
        (("AD.png", "ad.png"), ("ad.png", "AD.png"), {"AD.png": 0, "ad.png": 1}),
        (("x?.png", "x.png"), ("x.png", "x?.png"), {"x?.png": 0, "x.png": 1}),
    ],
)  # fmt: skip
def test_names_that_are_alike(
    tmp_path: Path, names: tuple[str, ...], paths: tuple[str, ...], places: dict[str, int]
) -> None:
    matched = named(tmp_path, *names).among(paths)
    assert {path: round(drawings[0].points[0][0]) - 10 for path, drawings in matched.by_path.items()} == places


def test_names_that_may_mean_several_files_are_told_and_not_guessed(tmp_path: Path) -> None:
    matched = named(tmp_path, "ad.png").among(["a/ad.png", "b/ad.png"])
    assert (dict(matched.by_path), matched.unused) == ({}, ())
    assert "ad.png could be a/ad.png or b/ad.png" in matched.problems[0]
    matched = named(tmp_path, "11111111-ad.png", "22222222-ad.png").among(["ad.png"])
    assert dict(matched.by_path) == {}
    assert "could both be ad.png" in matched.problems[0]
    assert named(tmp_path, "poster.png").among(["ad.png"]).unused == ("poster.png",)


def test_the_picture_of_a_task_is_its_address_not_another_text(tmp_path: Path) -> None:
    (task,) = label_studio({"x": 5, "y": 20, "width": 15, "height": 20})
    for data in (
        {"campaign": "Spring 2026", "image": "/data/upload/1/ab12cd34-ad.png"},
        {"note": "a/b", "ad": "https://x/ad.png?sig=1"},
        {"text": "Buy now", "picture": "ad.png", "id": 7},
    ):
        assert areas(read(tmp_path, [task | {"data": data}]))
    assert areas(read(tmp_path, [task | {"data": {"text": "Buy now"}, "file_upload": "ab12cd34-ad.png"}]))


# ---- ids and keys that stand twice -----------------------------------------------------------------------------------

BOX = {"type": "face", "box": [0.1, 0.1, 0.2, 0.2]}
TWICE = "11111111-1111-4111-8111-111111111111"


@pytest.mark.parametrize(
    ("content", "places"),
    [
        ({"ad.png": [BOX | {"aoi_id": TWICE}, BOX, BOX | {"aoi_id": TWICE}]}, ("ad.png, AOI 3", "ad.png, AOI 1")),
        ({"a": [BOX | {"aoi_id": TWICE}], "b": [BOX | {"aoi_id": TWICE.upper()}]}, ("b, AOI 1", "a, AOI 1")),
        ('{"ad.png": [],\n "b.png": [],\n "ad.png": []}', ("line 1, column 2", "line 3, column 2")),
        ('{"ad.png": [{"type": "face", "box": [0, 0, 1, 1],\n"box": [0, 0, 1, 0.5]}]}', ("'box'", "line 1", "line 2")),
        ('{"caf\\u00e9.png": [], "caf\u00e9.png": []}', ("line 1, column 2", "line 1, column 23")),
        (
            {"images": [{"id": 1, "file_name": "a.png"}, {"id": "1", "file_name": "b.png"}], "annotations": []},
            ("images: entries 1 and 2 have the same id 1",),
        ),
    ],
)  # fmt: skip
def test_what_stands_twice_is_refused_with_both_places(tmp_path: Path, content: Any, places: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as refused:
        read(tmp_path, content)
    assert all(place in refused.value.message for place in places)
    assert refused.value.code == "aois_invalid"


def test_drawings_of_one_id_are_refused_wherever_they_come_from(tmp_path: Path) -> None:
    drawings = (read(tmp_path, {"ad.png": [BOX | {"aoi_id": TWICE}]}).drawings("ad.png") or ()) * 2
    with pytest.raises(UsageError, match=r"AOI 2: aoi_id .* is that of AOI 1"):
        aois_from_drawings(drawings, MEDIUM)


# ---- there and back --------------------------------------------------------------------------------------------------

HOSTILE = (
    "ad.png", "x/ad.png", "y/ad.png", "what?.png", "*.png", "50%.png", "a%20b.png", "deadbeef-ad.png", "=1+1.png",
    "'x'.png", 'say "hi".png', "a, b; c.png", " space .png", "cafe\u0301.png", "caf\u00e9.png", "line\nend.png",
    "cr\rx.png", "AD.png", "null", "ad_png.rf.1a2b.jpg", "?d=x.png", "100%25.png", "data.json", "\u202egnp.png",
    "images", "ünï/ß.png", "../up/ad.png", "a/../b.png", "😀 100 % 🛒.png", f"{'long name ' * 24}.png",
    "a+b&c=d;e#f.png",
)  # fmt: skip


@pytest.mark.parametrize(
    ("format", "prefix"),
    [
        *((format, "") for format in EXPORT_FORMATS),
        ("coco", "my ads/"),
        ("labelstudio", "my ads/"),
        ("fiftyone", "/home/me/100%/"),
    ],
)
def test_our_export_comes_back_equal_whatever_files_are_called(tmp_path: Path, format: str, prefix: str) -> None:
    media = []
    for i, name in enumerate(HOSTILE):
        box = Box(0.01 * i, 0.1, 0.5 + 0.01 * i, 0.6)
        triangle = ((0.1, 0.2), (0.9, 0.2), (0.4, 0.01 * i + 0.5))
        aois = (
            Aoi(UUID(int=2 * i + 1), "branding", "=Acme; “x”, y", box, None, "drawn", t0_s=0.5, t1_s=1.25),
            Aoi(
                UUID(int=2 * i + 2),
                "other",
                "offer",
                Box(0.1, 0.2, 0.9, triangle[2][1]),
                None,
                "drawn",
                polygon=triangle,
            ),
        )
        media.append(AnnotatedMedium(name, 640, 360, aois if i % 5 else ()))
    text = export_aois([replace(medium, name=prefix + medium.name) for medium in media], format)
    path = tmp_path / ("areas.csv" if format == "csv" else "areas.json")
    path.write_bytes(text.encode())
    file = load_aois(path)
    matched = file.among(HOSTILE)
    assert (file.problems, matched.problems, matched.unused) == ((), (), ())
    film = Medium(UUID(int=9), "x", "video", 640, 360, "h264", duration_s=10)
    for medium in media:
        found, problems = aois_from_drawings(matched.drawings(medium.name) or (), film)
        assert problems == ()
        assert matched.drawings(medium.name) is not None
        assert [(a.aoi_id, a.type, a.label, a.t0_s, a.t1_s) for a in found] == [
            (a.aoi_id, a.type, a.label, a.t0_s, a.t1_s) for a in medium.aois
        ]
        for aoi, before in zip(found, medium.aois, strict=True):
            assert aoi.box == pytest.approx(before.box, abs=1.1e-5)
            assert (aoi.polygon is None) == (before.polygon is None)


# ---- CSV as spreadsheets save it, and what is no file of areas -------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "name;type;x0;y0;x1;y1\r\nad.png;branding;0,8;0,9;0,95;0,98\r\n",
        "NAME\tType\tX0\tY0\tX1\tY1\nAD.PNG\tBranding\t0,8\t0,9\t0,95\t0,98\n",
        "sep=;\nname;type;x0;y0;x1;y1;;\nad.png;branding;0.8;0.9;0.95;0.98;;\n;;;;;;;\n",
        'name,type,x0,y0,x1,y1\n"C:\\ads\\ad.png",branding,"0,8","0,9","0,95","0,98"\n',
        "path,type,x0,y0,x1,y1,,\nad,branding,.8,.9,.95,.98\n\n",
        "name,type,label,x0,y0,x1,y1,unit\nad.png,branding,,160,90,190,98,PX\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_areas_as_spreadsheets_save_them(tmp_path: Path, text: str, encoding: str) -> None:
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    (aoi,) = areas(load_aois(tmp_path / "a.csv"))
    assert aoi.type == "branding"
    assert aoi.box == pytest.approx((0.8, 0.9, 0.95, 0.98))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x1f\x8b\x08\x00abc", "is a gzip archive"),
        (b"PK\x03\x04abc", "is a ZIP archive or an Excel workbook"),
        (b"%PDF-1.7", "is a PDF"),
        (b"\x89PNG\r\n\x1a\n", "is a PNG image"),
        (b"<html><body/></html>", "XML of an unknown kind"),
        (b"<!DOCTYPE html><html/>", "HTML, or XML with a document type"),
        ('<?xml version="1.0" encoding="utf-16"?><!DOCTYPE a []><a/>'.encode("utf-16"), "document type"),
        (b"<annotations>", "no XML that can be read"),
        (b"0 0.5 0.5 0.2 0.2\n", "neither JSON nor a .csv"),
        (b"\xff\xff\xff", "neither JSON nor a .csv"),
        (b"[" * 100_000, "nested too deep"),
        (b'"text"', "AOIs by file name were expected"),
        (b"[1, 2]", "AOIs by file name were expected"),
        (b"", "neither JSON nor a .csv"),
    ],
)  # fmt: skip
def test_what_is_no_file_of_areas_is_named(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "areas").write_bytes(data)
    with pytest.raises(UsageError) as refused:
        load_aois(tmp_path / "areas")
    assert why in refused.value.message


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "empty").mkdir()
    wrong: list[tuple[Any, str]] = [
        (tmp_path / "pipe.json", "is a named pipe"),
        (str(tmp_path / "pipe.json"), "is a named pipe"),
        ("/dev/zero", "is a device"),
        (tmp_path / "empty", "is a folder and holds no .json or .xml"),
        ("x", "x: cannot be read: No such file"),
        ("a\0b", "NUL"),
    ]
    for path, why in wrong:
        with pytest.raises(UsageError) as refused:
            load_aois(path)
        assert why in refused.value.message


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "areas.json").open("wb") as file:
        file.truncate(100_000_001)  # sparse
    with pytest.raises(UsageError, match="is larger than 100 MB"):
        load_aois(tmp_path / "areas.json")
