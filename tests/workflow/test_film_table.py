"""The table `film`, on videos that are drawn: what is in them when is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pandas as pd
import pytest
from PIL import Image, ImageDraw, ImageFont

import mediaan as mn

SIZE, RATE = (640, 360), 10
SECONDS = 8.0
FONT = ImageFont.load_default(44)
SMALL = ImageFont.load_default(22)
TWENTY_WORDS = (
    "Fresh oil from our own old trees",
    "is pressed within a few hours after",
    "harvest in small mills by hand",
)
HALF_A_SAMPLE = 0.1


def picture(t_s: float) -> Image.Image:
    """A brand from 2 to 4 s and from 6 s, a cut at 6 s, and 20 words from 4.6 to 5.6 s."""
    image = Image.new("RGB", SIZE, (236, 232, 222) if t_s < 6 else (28, 60, 48))
    draw = ImageDraw.Draw(image)
    if 2 <= t_s < 4:
        draw.text((220, 140), "TOLMA", fill=(20, 30, 40), font=FONT)
    if 4.6 <= t_s < 5.6:
        for line, words in enumerate(TWENTY_WORDS):
            draw.text((60, 110 + 30 * line), words, fill=(20, 30, 40), font=SMALL)
    if t_s >= 6:
        draw.text((220, 80), "TOLMA", fill=(255, 255, 255), font=FONT)
        draw.rounded_rectangle((220, 220, 420, 290), 16, fill=(240, 180, 40))
        draw.text((250, 240), "Order now", fill=(10, 10, 10), font=ImageFont.load_default(28))
    return image


def write_film(path: Path, *, sound: bool) -> None:
    with av.open(str(path), "w") as container:
        video = container.add_stream("libx264", rate=RATE, options={"crf": "18"})
        video.width, video.height, video.pix_fmt = *SIZE, "yuv420p"
        audio = container.add_stream("aac", rate=16_000, layout="mono") if sound else None
        for k in range(int(SECONDS * RATE)):
            container.mux(video.encode(av.VideoFrame.from_image(picture(k / RATE))))
        container.mux(video.encode())
        if audio is not None:
            for k in range(int(SECONDS * 16_000 / 1024)):
                silence = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
                silence.sample_rate, silence.pts = 16_000, k * 1024
                container.mux(audio.encode(silence))
            container.mux(audio.encode())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    folder = tmp_path_factory.mktemp("film")
    (folder / "ads").mkdir()
    write_film(folder / "ads" / "silent.mp4", sound=False)
    write_film(folder / "ads" / "sound.mp4", sound=True)
    (folder / "objectives.yaml").write_text("defaults: {brand: Tolma, purpose: conversion}\n")
    recipe = mn.Recipe(maps=(), aois="text")
    settings = (recipe.replace(objectives=folder / "objectives.yaml"), mn.Execution(workers=1))
    return mn.analyze_folder(folder / "ads", folder / "run", *settings)


def row(run: mn.Run, name: str = "silent.mp4") -> dict[str, Any]:
    found = run.film.merge(run.media[["medium_id", "path"]]).set_index("path")
    return dict(found.loc[name])


def test_the_brand_is_on_screen_when_it_was_drawn(run: mn.Run) -> None:
    film = row(run)
    assert film["duration_s"] == pytest.approx(SECONDS)
    assert film["brand_appears_s"] == pytest.approx(2.0, abs=HALF_A_SAMPLE)
    assert film["brand_on_screen_s"] == pytest.approx(4.0, abs=2 * HALF_A_SAMPLE)  # 2 to 4 and 6 to 8
    assert film["brand_share"] == pytest.approx(50, abs=3)
    assert film["end_card_start_s"] == pytest.approx(6.0, abs=HALF_A_SAMPLE)
    assert film["brand_at_end_card"]
    assert film["brand_at_end"]
    assert 0 < film["brand_attention"] <= 100


def test_twenty_words_of_one_second_are_not_long_enough_and_a_button_of_two_is(run: mn.Run) -> None:
    times = run.screen_times.merge(run.media[["medium_id", "path"]])
    texts = times[(times["path"] == "silent.mp4") & times["aoi_id"].notna()]
    of_texts = texts.pivot_table(index=["aoi_type", "aoi_id"], columns="metric", values="value", aggfunc="max")
    long_one = of_texts[of_texts["words"] >= 15]
    assert long_one["long_enough"].to_list() == [0]
    assert long_one["words"].iloc[0] == pytest.approx(20, abs=2)  # readers of letters join and split words
    assert of_texts.loc["call_to_action", "long_enough"].to_list() == [1]
    assert row(run)["texts_too_short"] == 1


def test_columns_that_are_null_say_why(run: mn.Run) -> None:
    film = row(run)
    reasons = json.loads(film["reasons"])
    assert reasons == dict.fromkeys(
        ("faces_on_screen_s", "face_appears_s", "largest_face"), "Areas of the type face were not looked for in it."
    )
    assert all(pd.isna(film[name]) for name in reasons)


def test_rules_ask_for_them_and_audio_outlives_a_change_of_areas(run: mn.Run, tmp_path: Path) -> None:
    rules = ["brand_appears_s <= 2.1", "call_to_action.long_enough >= 1", "has_audio >= 1", "largest_face >= 15"]
    found = {(one.path, one.rule): one.status for one in mn.check_run(run, rules).results}
    assert [found["silent.mp4", rule] for rule in rules] == ["passed", "passed", "failed", "skipped"]
    assert found["sound.mp4", "has_audio >= 1"] == "passed"
    (tmp_path / "areas.json").write_text(json.dumps({"sound.mp4": [{"type": "face", "box": [0, 0, 0.5, 0.4]}]}))
    mn.apply_aois(run.path, tmp_path / "areas.json")
    film = row(mn.read_run(run.path), "sound.mp4")
    assert film["has_audio"]
    assert film["largest_face"] == pytest.approx(20)
    assert film["brand_on_screen_s"] == 0
