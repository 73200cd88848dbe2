"""What synthetic ads are made of: `python assets.py DATA KIT --teachers FILE [--packages DIR] [--labels FILE ...]`.

Writes to the folder KIT: photographs with what teachers saw in them, cut-outs of things and people, and, from unpacked
npm packages of permissive licences (@fontsource/*, simple-icons, @iconify-json/*, @lobehub/fluent-emoji-3d), fonts,
marks and pictures of things. Nothing of it is part of the project.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

CUT = re.compile(
    "bicycle|car|motorcycle|airplane|boat|bus|truck|umbrella|handbag|suitcase|backpack|tie|sports ball|kite|"
    "surfboard|"
    "tennis racket|skateboard|bottle|wine glass|cup|fork|knife|spoon|bowl|banana|apple|sandwich|orange|carrot|"
    "hot dog|"
    "pizza|donut|cake|chair|couch|potted plant|bed|tv|laptop|mouse|remote|keyboard|cell phone|microwave|oven|toaster|"
    "refrigerator|book|clock|vase|scissors|teddy bear|hair drier|toothbrush|bench|person|dog|cat|bird|horse"
)
ANIMALS = {"dog", "cat", "bird", "horse"}
LEAST_PX = 64  # of a cut-out's shorter side in its photograph
LEAST_PERSON_PX = 110
MOST_PEOPLE = 400  # people tried
LARGEST_CUT_PX = 260  # of a cut's longer side while its edges are sought
ADS = ("ads/", "gaze/saleci/")  # their print would be in the drawn ones, and in no list of lines
THINGS = re.compile(
    r"\b(lipstick|shoe|boots?|sandal|handbag|backpack|satchel|briefcase|camera|telephone|phone|watch|computer|"
    r"headphone|"
    r"television|radio|bottle|beer|wine|cocktail|tropical drink|beverage|cup|glass|teapot|hamburger|pizza|taco|"
    r"burrito|"
    r"sandwich|hot dog|fries|doughnut|cookie|cake|shortcake|chocolate|candy|lollipop|ice cream|honey|bread|cheese|"
    r"croissant|bagel|pretzel|sushi|noodle|canned|salad|soap|lotion|toothbrush|razor|ring|gem|crown|eyeglasses|"
    r"goggles|"
    r"sunglasses|t-shirt|jeans|dress|kimono|coat|scarf|gloves|socks|hat|cap|automobile|taxi|truck|bus|bicycle|"
    r"motorcycle|"
    r"scooter|skateboard|couch|chair|bed|candle|light bulb|wrapped present|teddy bear|guitar|violin|saxophone|"
    r"trumpet|"
    r"drum|ball|baseball|football|racquet|ski|joystick|video game|puzzle|pill|books?|pen|hammer|wrench|"
    r"screwdriver|broom|"
    r"basket|bucket|sponge|umbrella|luggage|airplane|rocket|sailboat|apple|banana|grapes|strawberry|lemon|watermelon|"
    r"pineapple|avocado|tomato|popcorn|bento|curry|pie|custard|cupcake|pancakes|waffle|bacon|meat|poultry|shrimp|egg|"
    r"sake|mate|clinking|tumbler|kiwifruit|peach|cherries|mango|coconut|pot of food|bubble tea|jar)\b"
)


def _rgb(path: Path) -> np.ndarray:
    return cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)


def _number(name: str) -> int:
    match = re.search(r"advertisement_(\d+)", name)
    return int(match[1]) if match else 1


def held_out(name: str) -> bool:
    """Advertisements that judge the detector."""
    return _number(name) % 3 == 0


def is_dev(name: str) -> bool:
    """Advertisements that choose between recipes (as in `examples.py`, which needs torch)."""
    return _number(name) % 4 == 3


def cut_out(rgb: np.ndarray, box: Sequence[float]) -> np.ndarray | None:
    """RGBA of the thing in a box (unit coordinates), cut tight along its edges; None where no clean cut was found."""
    outline = silhouette(rgb, box)
    if outline is None:
        return None
    (x0, y0, x1, y1), soft = outline
    return np.ascontiguousarray(np.dstack([rgb[y0:y1, x0:x1], soft]))


def silhouette(rgb: np.ndarray, box: Sequence[float]) -> tuple[tuple[int, int, int, int], np.ndarray] | None:
    """Tight bounds, px, of the thing in a box (unit coordinates), and its mask there, 0-255; None without a clean cut.

    Reference: Rother et al. 2004, GrabCut.
    """
    height, width = rgb.shape[:2]
    x0, y0, x1, y1 = (round(v * s) for v, s in zip(box, (width, height, width, height), strict=True))
    pad_x, pad_y = (x1 - x0) // 6 + 4, (y1 - y0) // 6 + 4
    ax, ay = max(0, x0 - pad_x), max(0, y0 - pad_y)
    part = rgb[ay : y1 + pad_y, ax : x1 + pad_x]
    scale = min(1.0, LARGEST_CUT_PX / max(part.shape[:2]))
    small = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    state = np.zeros(small.shape[:2], np.uint8)
    inner = (x0 - ax, y0 - ay, x1 - x0, y1 - y0)
    cv2.setRNGSeed(0)
    within = tuple(int(v * scale) for v in inner)
    if not 0 < within[2] * within[3] < small.shape[0] * small.shape[1]:
        return None  # nothing inside, or nothing around it to tell it from
    cv2.grabCut(np.ascontiguousarray(small[..., ::-1]), state, within, np.zeros((1, 65)), np.zeros((1, 65)), 3, 0)
    mask = _largest(np.isin(state, (1, 3)).astype(np.uint8))
    if scale < 1:
        soft = cv2.GaussianBlur(mask * 255, (0, 0), 1)
        mask = (cv2.resize(soft, part.shape[1::-1], interpolation=cv2.INTER_CUBIC) > 127).astype(np.uint8)
    ys, xs = np.nonzero(mask)
    if not len(ys) or not _plausible(mask, inner, xs, ys):
        return None
    soft = cv2.GaussianBlur(cv2.erode(mask, np.ones((3, 3), np.uint8)) * 255, (0, 0), 0.8)
    left, top, right, bottom = int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1
    return (ax + left, ay + top, ax + right, ay + bottom), soft[top:bottom, left:right]


def _largest(mask: np.ndarray) -> np.ndarray:
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    if count < 2:
        return np.zeros_like(mask)
    outline, _ = cv2.findContours(
        (labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())).astype(np.uint8),
        cv2.RETR_EXTERNAL,
        cv2.CHAIN_APPROX_NONE,
    )
    return cv2.drawContours(np.zeros_like(mask), outline, -1, 1, -1)


def _plausible(mask: np.ndarray, box: tuple[int, int, int, int], xs: np.ndarray, ys: np.ndarray) -> bool:
    """Whether the cut fills its box as things do, is not the box itself, and is compact."""
    across, down = (np.ptp(xs) + 1) / box[2], (np.ptp(ys) + 1) / box[3]
    fill = float(mask.sum()) / (box[2] * box[3])
    hull = cv2.convexHull(np.column_stack([xs, ys]).astype(np.int32))
    solidity = float(mask.sum()) / max(1.0, cv2.contourArea(hull))
    return min(across, down) > 0.82 and 0.25 < fill < 0.96 and solidity > 0.62


def wanted_cuts(row: dict, least: float = 0.6) -> Iterator[tuple[str, list[float]]]:
    """Kind and box of the things of a photograph that stand whole in it, clear of its edges and of each other."""
    seen = [b for b in (*row["boxes"], *row["zones"]) if b["type"] != "face"]
    for b in seen:
        x0, y0, x1, y1 = b["box"]
        kind = b["label"] or b["type"]
        least_px = LEAST_PERSON_PX if kind == "person" else LEAST_PX
        small = min((x1 - x0) * row["width"], (y1 - y0) * row["height"]) < least_px
        edge = min(x0, y0, 1 - x1) < 0.004 or (y1 > 0.996 and kind != "person")
        crossed = any(other is not b and _share(b["box"], other["box"]) > 0.25 for other in seen)
        if CUT.fullmatch(kind) and b["confidence"] >= least and not (small or edge or crossed):
            yield kind, b["box"]


def _share(a: Sequence[float], b: Sequence[float]) -> float:
    """Share of box `a` that box `b` covers."""
    across = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    down = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    return across * down / max(1e-9, (a[2] - a[0]) * (a[3] - a[1]))


def role(kind: str) -> str:
    return "person" if kind == "person" else "animal" if kind in ANIMALS else "product"


def write_cuts(rows: Sequence[dict], data: Path, kit: Path) -> None:
    """Cut-outs as PNG, listed in `cuts.jsonl`: file, role, kind, faces within it; things first, some people then."""
    (kit / "cuts").mkdir(parents=True, exist_ok=True)
    jobs = [(row, k, kind, box) for row in rows for k, (kind, box) in enumerate(wanted_cuts(row))]
    things, people = ([job for job in jobs if (job[2] == "person") == human] for human in (False, True))
    with (kit / "cuts.jsonl").open("w") as out:
        for row, k, kind, box in (*things, *people[:: max(1, len(people) // MOST_PEOPLE)]):
            cut = cut_out(_rgb(data / row["image"]), box)
            if cut is None:
                continue
            faces = [_within(b["box"], box) for b in row["boxes"] if b["type"] == "face"]
            faces = [f for f in faces if min(f) > -0.05 and max(f) < 1.05]
            if kind == "person" and any(_filled(cut, f) < 0.6 for f in faces):
                continue
            name = f"cuts/{Path(row['image']).stem}_{k}.png"
            cv2.imwrite(str(kit / name), cv2.cvtColor(cut, cv2.COLOR_RGBA2BGRA))
            out.write(json.dumps({"file": name, "role": role(kind), "kind": kind, "faces": faces}) + "\n")
            out.flush()


def _within(inner: Sequence[float], outer: Sequence[float]) -> list[float]:
    w, h = outer[2] - outer[0], outer[3] - outer[1]
    return [(inner[0] - outer[0]) / w, (inner[1] - outer[1]) / h, (inner[2] - outer[0]) / w, (inner[3] - outer[1]) / h]


def _filled(cut: np.ndarray, box: Sequence[float]) -> float:
    """Share of a box (unit coordinates) of a cut-out that is not transparent."""
    h, w = cut.shape[:2]
    x0, y0, x1, y1 = (max(0, round(v * side)) for v, side in zip(box, (w, h, w, h), strict=True))
    part = cut[y0:y1, x0:x1, 3]
    return float((part > 127).mean()) if part.size else 0.0


def write_drawn_cuts(files: Iterable[Path], images: Path, kit: Path) -> None:
    """Products cut from advertisements in which people drew boxes, never from those that judge or choose."""
    (kit / "cuts").mkdir(parents=True, exist_ok=True)
    with (kit / "drawn.jsonl").open("w") as out:
        for file in files:
            for name, aois in json.loads(file.read_text()).items():
                if held_out(name) or is_dev(name):
                    continue
                rgb = _rgb(images / name)
                for k, aoi in enumerate(a for a in aois or () if a["type"] == "product"):
                    x0, y0, x1, y1 = aoi["box"]
                    if min((x1 - x0) * rgb.shape[1], (y1 - y0) * rgb.shape[0]) < 40:
                        continue
                    cut = cut_out(rgb, aoi["box"])
                    if cut is not None:
                        place = f"cuts/{Path(name).stem}_p{k}.png"
                        cv2.imwrite(str(kit / place), cv2.cvtColor(cut, cv2.COLOR_RGBA2BGRA))
                        row = {"file": place, "role": "product", "kind": aoi["label"], "faces": []}
                        out.write(json.dumps(row) + "\n")


def write_fonts(packages: Path, kit: Path) -> None:
    """Latin and Cyrillic faces of unpacked @fontsource packages as TTF."""
    from fontTools.ttLib import TTFont

    (kit / "fonts").mkdir(parents=True, exist_ok=True)
    for woff in sorted(packages.glob("fontsource-*/package/files/*.woff2")):
        match = re.fullmatch(r"(.+)-(latin|cyrillic)-(300|400|700|900)-(normal|italic)", woff.stem)
        target = kit / "fonts" / f"{woff.stem}.ttf"
        if match and not target.exists():
            font = TTFont(io.BytesIO(woff.read_bytes()))
            font.flavor = None
            font.save(target)


def write_marks(packages: Path, kit: Path) -> None:
    """Marks as [side of the square view, path data, title] of simple-icons and of icon sets in iconify's shape."""
    brands, shapes = [], []
    for svg in sorted(packages.glob("simple-icons-*/package/icons/*.svg")):
        text = svg.read_text()
        title, d = re.search(r"<title>(.*?)</title>", text), re.search(r' d="([^"]+)"', text)
        if title and d:
            brands.append([24, d[1], title[1].replace("&amp;", "&")])
    for file in sorted(packages.glob("iconify-json-*/package/icons.json")):
        seen = json.loads(file.read_text())
        side = seen.get("width", seen.get("height", 16))
        for name, icon in seen["icons"].items():
            paths = re.findall(r' d="([^"]+)"', icon["body"])
            plain = "stroke" not in icon["body"] and "opacity" not in icon["body"]
            if len(paths) == 1 and plain and ("fill" in name or "game" in str(file)):
                shapes.append([side, paths[0], name])
    (kit / "marks.json").write_text(json.dumps({"brands": brands, "shapes": shapes}))


def write_things(packages: Path, kit: Path) -> None:
    """Pictures of things, cut tight, listed in `things.jsonl`."""
    (kit / "things").mkdir(parents=True, exist_ok=True)
    with (kit / "things.jsonl").open("w") as out:
        for picture in sorted(packages.glob("lobehub-*/package/assets/*.webp")):
            point = re.fullmatch("([0-9a-f]{4,5})(-fe0f)?", picture.stem)
            kind = unicodedata.name(chr(int(point[1], 16)), "").lower() if point else ""
            if not THINGS.search(kind):
                continue
            rgba = cv2.imread(str(picture), cv2.IMREAD_UNCHANGED)
            ys, xs = np.nonzero(rgba[..., 3] > 16)
            rgba = rgba[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
            cv2.imwrite(str(kit / f"things/{picture.stem}.png"), rgba)
            out.write(json.dumps({"file": f"things/{picture.stem}.png", "role": "product", "kind": kind}) + "\n")


def without_muzzles(row: dict) -> dict:
    """The row, less faces that are an animal's."""
    animals = [
        b["box"] for b in (*row["boxes"], *row["zones"]) if b["label"] in ANIMALS | {"bear", "teddy bear", "sheep"}
    ]
    boxes = [b for b in row["boxes"] if b["type"] != "face" or all(_share(b["box"], a) < 0.6 for a in animals)]
    return {**row, "boxes": boxes}


def write_photos(rows: Sequence[dict], data: Path, kit: Path) -> None:
    with (kit / "photos.jsonl").open("w") as out:
        for row in rows:
            out.write(json.dumps({**row, "image": str((data / row["image"]).resolve())}) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("kit", type=Path)
    parser.add_argument("--teachers", type=Path, required=True, help="what teachers.py wrote")
    parser.add_argument("--packages", type=Path, help="folder of unpacked npm packages, NAME-VERSION/package/...")
    parser.add_argument("--labels", type=Path, nargs="*", default=[], help="drawn boxes to cut products from")
    args = parser.parse_args()
    args.kit.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in args.teachers.open()]
    rows = [without_muzzles(row) for row in rows if not held_out(row["image"]) and not row["image"].startswith(ADS)]
    write_photos(rows, args.data, args.kit)
    if args.packages:
        for write in (write_marks, write_things, write_fonts):
            write(args.packages, args.kit)
    if args.labels:
        write_drawn_cuts(args.labels, args.data / "complexity" / "images", args.kit)
    write_cuts(rows, args.data, args.kit)


if __name__ == "__main__":
    main()
