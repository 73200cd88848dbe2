"""The page about detectors of one's own names every key of their cards and no other, and its examples are cards."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mediaan.saliency.onnx.cards import DetectorCard, ModelCard
from mediaan.saliency.onnx.registry import read_detector_card

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "own_detector.md").read_text(encoding="utf-8")
KEYS = PAGE.partition("## Keys")[2].partition("`decode` in detail")[0]
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


def test_every_key_is_described_and_no_other() -> None:
    shared = set(re.findall(r"`(\w+)`", KEYS.partition("are those of")[0]))
    own = set(re.findall(r"^\| `(\w+)` \|", KEYS, re.MULTILINE))
    assert shared == set(ModelCard.model_fields) - {"folder"}
    assert own == set(DetectorCard.model_fields) - set(ModelCard.model_fields)


def test_defaults_are_as_described() -> None:
    card = DetectorCard(kind="detector", name="x", file="x", sha256="0" * 64, pixels=1, classes={"0": "face"})
    for key in ("confidence", "overlap", "fit", "decode", "box_unit", "overlaps"):
        assert re.search(rf"^\| `{key}` \| `?{getattr(card, key)}`? \|", KEYS, re.MULTILINE), key


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_hold_together(example: str, tmp_path: Path) -> None:
    (tmp_path / "example.toml").write_text(example.replace("SHA256", "0" * 64))
    assert read_detector_card(tmp_path / "example.toml").class_types()
