"""Training on a GPU, in its small form on a CPU: packs, scenes, the clock, resuming, export."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch")
import torch

sys.path += [str(Path(__file__).resolve().parents[2] / "models" / "training" / room) for room in ("gpu", "objects", "")]
sys.path.append(str(Path(__file__).resolve().parent))
import attention
import detector
import made_up_data
import pack
import scenes
import schedule
from architecture import Config, Detector, grid, load
from labelled import PART, TYPES, Labelled, labelled
from loss import loss
from network import Encoder
from to_onnx import MOST, Exported, export

TRAINING = Path(__file__).resolve().parents[2] / "models" / "training"
SIDE = 96
EXPORTS = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Constant folding")
"""PyTorch warns of the exporter that opset 17 needs."""


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder as it is at home, with the labels beside it."""
    folder = tmp_path_factory.mktemp("data")
    made_up_data.make(folder, folder / "labels")
    return folder


@pytest.fixture(scope="module")
def packs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    out = tmp_path_factory.mktemp("packs")
    made = {
        "detector": pack.detector_entries(data, data / "teachers.jsonl", "avif", data / "labels"),
        "attention": pack.attention_entries(data, data / "lines.jsonl", "avif"),
    }
    return {name: pack.write(entries, out / name, name, 26.0) for name, entries in made.items()}


@pytest.fixture(scope="module")
def unpacked(packs: dict[str, list[Path]], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Data folders as they are where training runs, with weights of encoders that nothing was learned with."""
    folders = {}
    for name, parts in packs.items():
        folders[name] = tmp_path_factory.mktemp(name)
        pack.unpack(parts, folders[name])
        torch.manual_seed(0)
        (folders[name] / "weights").mkdir()
        convolutions = [m for m in Encoder("efficientnet_lite0").modules() if isinstance(m, torch.nn.Conv2d)]
        arrays = {}
        for i, conv in enumerate(convolutions):
            torch.nn.init.kaiming_normal_(conv.weight, nonlinearity="relu")
            arrays |= {f"{i:02d}.weight": conv.weight.detach().numpy(), f"{i:02d}.bias": np.zeros(len(conv.weight))}
        np.savez(folders[name] / "weights" / "efficientnet_lite0.npz", **arrays)
    return folders


def test_the_same_data_give_the_same_bytes(data: Path, packs: dict[str, list[Path]], tmp_path: Path) -> None:
    again = pack.write(
        pack.detector_entries(data, data / "teachers.jsonl", "avif", data / "labels"),
        tmp_path / "again",
        "detector",
        26,
    )
    assert [(f / "data.zip").read_bytes() for f in again] == [(f / "data.zip").read_bytes() for f in packs["detector"]]


def test_a_pack_brings_pictures_boxes_and_fixations(data: Path, unpacked: dict[str, Path]) -> None:
    there = unpacked["detector"]
    before, after = (labelled(f, f / "teachers.jsonl", f / "labels") for f in (data, there))
    assert [p.path for p in before] == [p.path for p in after]
    assert all((a.boxes == b.boxes).all() and (a.zones == b.zones).all() for a, b in zip(before, after, strict=True))
    assert {p.source for p in after} == set(scenes.SHARES)
    assert sum(p.dev for p in after) == 2 + 1  # two designs and print ad 911
    for picture in after:
        small, large = (scenes.read_rgb(f / picture.path).astype(int) for f in (there, data))
        assert small.shape == large.shape
        assert abs(small - large).mean() < 12


@pytest.mark.parametrize(
    "path", ["gaze/dev/fiwi/images/a.jpg", "rated_ads/images/a.jpg", "gaze/osie.jpg", "other/a.jpg"]
)
def test_what_may_not_be_trained_on_does_not_get_in(path: str) -> None:
    with pytest.raises(ValueError, match="may be trained on"):
        pack.checked(["gaze/osie/images/a.jpg", path])


def test_pictures_that_judge_do_not_get_in(data: Path, tmp_path: Path) -> None:
    judges = sorted(pack.judging())
    assert len(judges) == 129 + 65
    for path in (judges[0], judges[-1]):
        with pytest.raises(ValueError, match="judges"):
            pack.checked([path])
    copy = tmp_path / "data"
    shutil.copytree(data, copy)
    held_out = (TRAINING / "split" / "held_out" / "osie.txt").read_text().split()[0]
    shutil.copy(copy / "gaze/osie/images/photo_0.jpg", copy / f"gaze/osie/images/{held_out}.jpg")
    entries = [entry.path for entry in pack.attention_entries(copy, copy / "lines.jsonl", "webp")]
    assert not any(held_out in path for path in entries)
    assert "gaze/osie/images/photo_0.jpg.webp" in entries


def test_a_folder_that_is_missing_or_damaged_is_said(packs: dict[str, list[Path]], tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    entries = [pack.Entry(f"ads/images/{k}.txt", rng.bytes(90_000)) for k in range(4)]
    first, second = pack.write(entries, tmp_path / "out", "detector", 0.25)
    with pytest.raises(ValueError, match=r"folders \[2\] were given, the pack has 1 to 2"):
        pack.unpack([second], tmp_path / "to")
    content = bytearray((first / "data.zip").read_bytes())
    content[len(content) // 2] ^= 1
    (first / "data.zip").write_bytes(content)
    with pytest.raises(ValueError, match=r"1/data.zip is damaged"):
        pack.unpack([first, second], tmp_path / "to")


def red_pictures(folder: Path) -> tuple[list[Labelled], np.ndarray]:
    """Grey pictures, each with a red product, and those products as parts."""
    pictures, rows = [], []
    rng = np.random.default_rng(3)
    for k in range(6):
        rgb = np.full((80, 64 + 8 * k, 3), 90, np.uint8)
        x0, y0 = rng.uniform(0.1, 0.5, 2)
        box = np.array([x0, y0, x0 + 0.35, y0 + 0.4], np.float32)
        left, top, right, bottom = np.round(box * np.tile(rgb.shape[1::-1], 2)).astype(int)
        rgb[top:bottom, left:right] = (255, 0, 0)
        exact = np.array([left, top, right, bottom]) / np.tile(rgb.shape[1::-1], 2)
        scenes.cv2.imwrite(str(folder / f"{k}.png"), rgb[..., ::-1])
        product = np.array([[TYPES.index("product"), *exact]])
        pictures.append(Labelled(f"{k}.png", "drawn", False, product, np.zeros((0, 5)), np.array([-1.0])))
        rows.append((f"{k}.png", TYPES.index("product"), exact, np.full((scenes.CELLS, scenes.CELLS), 255)))
    return pictures, np.array(rows, PART)


@pytest.mark.parametrize("size", [(96, 96), (64, 128)])
def test_boxes_are_where_things_are_in_composed_scenes(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is cut, zoomed, mirrored and pasted: all that is red is in a box or zone, and boxes are red."""
    monkeypatch.setattr(scenes.Composer, "recoloured", lambda self, rgb: rgb)
    monkeypatch.setattr(scenes.Composer, "tinted", lambda self, layer, kind: layer)
    pictures, parts = red_pictures(tmp_path)
    composer = scenes.Composer(scenes.stock(tmp_path, pictures, parts, 96), seed=0)
    asked = 0
    for number in range(12):
        rgb, truth = composer.batch(number, 8, size)
        red = (rgb[:, 0] > 170) & (rgb[:, 1] < 60) & (rgb[:, 2] < 60)
        for i in range(len(rgb)):
            told = torch.zeros(size, dtype=torch.bool)
            boxes = truth.objects[i][truth.types[i] >= 0]
            for box in torch.cat([boxes, truth.zones[i][truth.zone_types[i] >= 0]]):
                x0, y0, x1, y1 = (round(v) for v in box.tolist())
                told[max(0, y0 - 1) : y1 + 1, max(0, x0 - 1) : x1 + 1] = True
            fill = red[i] & ~told  # the ground beside a picture has any colour, red at times
            assert fill.sum() < 4 or is_ground(fill, rgb[i])
            for box in boxes:
                x0, y0, x1, y1 = (round(v) for v in box.tolist())
                assert red[i, y0:y1, x0:x1].float().mean() > scenes.LEAST_SEEN - 0.15
                asked += 1
    assert asked > 150


def is_ground(mask: torch.Tensor, rgb: torch.Tensor) -> bool:
    """Whether these pixels have all one colour that is not that of the products."""
    colours = rgb[:, mask]
    return bool((colours - colours[:, :1]).abs().max() < 1 and (colours[0, 0] < 250 or colours[1, 0] > 5))


def test_a_batch_depends_on_its_number_alone(tmp_path: Path) -> None:
    pictures, parts = red_pictures(tmp_path)
    stock = scenes.stock(tmp_path, pictures, parts, 96)
    one, other = scenes.Composer(stock, seed=0), scenes.Composer(stock, seed=0)
    one.batch(0, 4, (64, 64))
    (a, _), (b, _) = one.batch(5, 4, (64, 64)), other.batch(5, 4, (64, 64))
    assert torch.equal(a, b)
    assert not torch.equal(a, one.batch(6, 4, (64, 64))[0])


class Clock:
    """A clock on which every look takes as long as is said."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 1000.0, step

    def monotonic(self) -> float:
        self.now += self.step
        return self.now


def test_a_schedule_ends_at_its_time_whatever_the_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    for step in (0.01, 3.0):
        monkeypatch.setattr(schedule, "time", Clock(step))
        timed, steps = schedule.Schedule(60.0, begun=0.25), 0
        assert timed.progress(0) < 0.32
        while timed.progress(steps) < 1:
            steps += 1
        assert schedule.time.now - timed.started < 60 + 2 * step
    rates = [timed.rate(p) for p in np.linspace(0, 1, 101)]
    assert max(rates) <= 1
    assert rates[0] < 0.1
    assert rates[-1] == pytest.approx(schedule.LEAST)
    assert all(a >= b for a, b in itertools.pairwise(rates[3:]))


SMALL = f"--trunk efficientnet_lite0 --width 16 --depth 1 1 1 1 --head 1 --side {SIDE} --batch 4 --rate .004"


def options(data: Path, out: Path, *more: object) -> list[str]:
    weights = data / "weights" / "efficientnet_lite0.npz"
    return [*map(str, ("--data", data, "--weights", weights, "--out", out, *more)), *SMALL.split()]


def log(out: Path) -> list[dict]:
    return [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]


def loss_after(data: Path, out: Path) -> float:
    """Loss, on batches that are always the same, of the network that a run left, or of one that begins."""
    trainer = detector.Trainer(detector.arguments(options(data, out)))
    if out.exists():
        trainer.resume(out / "checkpoint.pt")
    pictures = labelled(data, data / "teachers.jsonl", data / "labels")
    composer = scenes.Composer(scenes.stock(data, pictures, np.load(data / "parts.npy"), SIDE), seed=9)
    values = []
    for number in range(4):
        rgb, truth = composer.batch(number, 8, (SIDE, SIDE))
        with torch.no_grad():
            values.append(sum(loss(trainer.net(rgb), truth, *grid(SIDE, SIDE)).values()))
    return float(torch.stack(values).mean())


@pytest.mark.full
@EXPORTS
def test_the_detector_learns_goes_on_where_it_was_stopped_and_exports(
    unpacked: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = unpacked["detector"]
    monkeypatch.setattr(detector, "LOG_STEPS", 5)
    detector.main(options(data, tmp_path / "once", "--steps", 20))
    assert 0 <= log(tmp_path / "once")[-1]["dev"]["product_ap50"] <= 1
    assert loss_after(data, tmp_path / "once") < 0.97 * loss_after(data, tmp_path / "new")

    monkeypatch.setattr(detector, "SAVE_S", -1.0)
    update, stopped = detector.Trainer.update, tmp_path / "stopped"

    def interrupted(self: detector.Trainer, *args: object) -> dict:
        if self.step == 11:
            raise KeyboardInterrupt
        return update(self, *args)

    monkeypatch.setattr(detector.Trainer, "update", interrupted)
    with pytest.raises(KeyboardInterrupt):
        detector.main(options(data, stopped, "--steps", 20))
    monkeypatch.setattr(detector.Trainer, "update", update)
    detector.main(options(data, stopped, "--steps", 20))
    one, other = (torch.load(f / "weights.pt", weights_only=True)["average"] for f in (tmp_path / "once", stopped))
    assert all(torch.equal(one[name], other[name]) for name in one)

    export(load(stopped / "weights.pt"), tmp_path / "objects.onnx")  # which fails where ONNX and torch differ


def test_logos_on_products_have_a_label_of_their_own() -> None:
    torch.manual_seed(0)
    net = Detector(Config("efficientnet_lite0", 16, (1, 1, 1, 1), 1, TYPES, on_pack=True)).eval()
    with torch.no_grad():
        rgb = torch.randint(0, 255, (2, 96, 96, 3), dtype=torch.uint8)
        output = net(rgb.permute(0, 3, 1, 2).float())
        _, scores, labels = Exported(net)(rgb)
    logo = TYPES.index("logo")
    rows = slice(logo * MOST, (logo + 1) * MOST)
    best, at = output.logits[..., logo].topk(MOST, 1)
    assert torch.allclose(scores[:, rows], best.sigmoid())
    assert torch.equal(labels[:, rows] == len(TYPES), output.on_pack.gather(1, at) > 0)
    assert set(labels[:, rows].unique().tolist()) <= {logo, len(TYPES)}
    others = torch.cat([labels[:, : rows.start], labels[:, rows.stop :]], 1)
    assert set(others.unique().tolist()) == set(range(len(TYPES))) - {logo}


@pytest.mark.full
def test_attention_is_taught_by_folds_then_by_their_opinions(
    unpacked: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "TEACHERS", (("efficientnet_lite0", 1),))
    monkeypatch.setattr(attention, "LOG_S", -1.0)
    arguments = [
        "--data",
        str(unpacked["attention"]),
        "--pixels",
        "9216",
        "--batch",
        "4",
        "--workers",
        "0",
        "--steps",
        "20",
    ]
    both, apart = tmp_path / "both", tmp_path / "apart"
    attention.main([*arguments, "--out", str(both)])
    rows = log(both)
    for name in ("teacher-0", "teacher-1", "teacher-2", "student"):
        losses = [row["loss"] for row in rows if row.get("network") == name and "loss" in row]
        assert len(losses) == 20
        assert np.mean(losses[10:]) < np.mean(losses[:10])
    assert next(row["opinions"] for row in rows if "opinions" in row) == rows[0]["pictures"]
    teachers = [both / f"teacher-{k}.pt" for k in range(3)]
    assert [torch.load(file, weights_only=True)["fold"] for file in teachers] == [0, 1, 2]

    # another lease: the student alone, from the teachers' files
    attention.main([*arguments, "--out", str(apart), "--stage", "student", "--teachers", *map(str, teachers)])
    one, other = (torch.load(f / "student.pt", weights_only=True)["average"] for f in (both, apart))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_what_runs_on_the_machine_needs_nothing_of_mediaan() -> None:
    """There is no network there to install what mediaan needs."""
    code = "import sys; sys.modules['mediaan'] = None; import attention, detector, pack"
    paths = [str(TRAINING / "gpu"), str(TRAINING / "objects"), str(TRAINING)]
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})


def row(name: str, cc: float, difference: float) -> SimpleNamespace:
    change = SimpleNamespace(mean=difference, lo=None, hi=None)
    return SimpleNamespace(
        name=name, window="total", metrics={"cc": SimpleNamespace(model=cc)}, differences={"cc": change}
    )
