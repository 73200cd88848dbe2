import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from moving_spot import samples, write_set

from mediaan.cli.commands.evaluate import evaluate
from mediaan.errors import UsageError
from mediaan.evaluation.datasets.stimulus import fit_grid
from mediaan.evaluation.datasets.video_set import holds_videos, read_video_gaze_set


def gaze(*rows: tuple[Any, ...]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=["video", "viewer", "t_s", "x", "y"])


TWO = gaze(("a", 3, 0.5, 0.2, 0.3), ("b", "x", 0.1, 0.9, 0.8), ("a", "x", 0.1, 0.4, 0.5)).astype({"viewer": "str"})


def test_a_set_is_read_in_order_of_names_and_times(tmp_path: Path) -> None:
    video_set = read_video_gaze_set(write_set(tmp_path, TWO.assign(more=1), ["b.webm", "a.mp4"]))
    first, second = video_set.stimuli
    assert (first.name, first.path.name, second.name) == ("a", "a.mp4", "b")
    assert first.start_s.tolist() == [0.1, 0.5]
    assert first.x.tolist() == [0.4, 0.2]
    assert first.end_s.tolist() == first.start_s.tolist()
    assert first.viewer[0] == second.viewer[0] != first.viewer[1]
    assert video_set.selected == {"a", "b"}
    assert video_set.notes == ()


def test_both_spellings_of_a_name_are_one_clip(tmp_path: Path) -> None:
    table = gaze(("a.b", 1, 0.2, 0.5, 0.5), ("a.b.mp4", 1, 0.1, 0.6, 0.5))
    assert [clip.x.tolist() for clip in read_video_gaze_set(write_set(tmp_path, table, ["a.b.mp4"])).stimuli] == [
        [0.6, 0.5]
    ]


def test_what_cannot_be_placed_is_counted_and_left_out(tmp_path: Path) -> None:
    nan = float("nan")
    table = gaze(
        ("a", 1, 0.1, 1.0, 0.5),
        ("a", 1, 0.1, -0.01, 0.5),
        ("a", 1, nan, 0.5, 0.5),
        ("a", 1, 0.1, 0.5, nan),
        ("a", 1, float("inf"), 0.5, 0.5),
        ("a", 1, -0.05, 0.5, 0.5),
        ("a", 1, 0.0, 0.25, 0.75),
    )
    video_set = read_video_gaze_set(write_set(tmp_path, table, ["a.mp4"]))
    assert video_set.stimuli[0].x.tolist() == [0.25]
    assert video_set.notes == (
        "3 of 7 rows of gaze lack a value and are left out",
        "2 of 7 rows of gaze lie outside the frame and are left out",
        "1 of 7 rows of gaze lie before the first frame and are left out",
    )


def test_a_fixation_that_lasts_into_the_clip_is_kept(tmp_path: Path) -> None:
    table = gaze(("a", 1, -0.3, 0.1, 0.1), ("a", 1, -0.3, 0.2, 0.2), ("a", 1, 0.5, 0.3, 0.3))
    table["duration_s"] = [0.2, 0.4, -1.0]
    video_set = read_video_gaze_set(write_set(tmp_path, table, ["a.mp4"]))
    assert video_set.stimuli[0].x.tolist() == [0.2]
    assert video_set.stimuli[0].end_s.tolist() == [0.1]
    assert video_set.stimuli[0].longest_s == pytest.approx(0.4)


def test_clips_can_be_chosen_while_all_form_the_centre_bias(tmp_path: Path) -> None:
    folder = write_set(tmp_path, TWO, ["a.mp4", "b.mp4"])
    chosen = read_video_gaze_set(folder, names=["b.mp4"])
    assert chosen.selected == {"b"}
    assert len(chosen.stimuli) == 2
    assert read_video_gaze_set(folder, limit=1).selected == {"a"}


def test_a_missing_video_is_named_unless_others_are_chosen(tmp_path: Path) -> None:
    folder = write_set(tmp_path, TWO, ["a.mp4"])
    with pytest.raises(UsageError, match=r"names 'b', which is not in .*videos; put the file there"):
        read_video_gaze_set(folder)
    assert read_video_gaze_set(folder, names=["a"]).notes == ("gaze on 1 videos that are not in videos/ is left out",)
    with pytest.raises(UsageError, match="the list names 'c'"):
        read_video_gaze_set(folder, names=["c"])


def test_videos_without_gaze_are_noted_but_cannot_be_asked_for(tmp_path: Path) -> None:
    folder = write_set(tmp_path, TWO, ["a.mp4", "b.mp4", "c.mp4", ".hidden"])
    assert read_video_gaze_set(folder).notes == ("1 of 3 videos have no gaze and are left out",)
    with pytest.raises(UsageError, match="no gaze within the frame on 'c'"):
        read_video_gaze_set(folder, names=["c"])


@pytest.mark.parametrize("column", ["video", "viewer", "t_s", "x", "y"])
def test_a_missing_column_is_named(tmp_path: Path, column: str) -> None:
    folder = write_set(tmp_path, TWO.drop(columns=column), ["a.mp4", "b.mp4"])
    with pytest.raises(UsageError, match=f"lacks the column {column}; needed are video, viewer, t_s, x, y"):
        read_video_gaze_set(folder)


def test_columns_that_hold_no_numbers_are_named(tmp_path: Path) -> None:
    folder = write_set(tmp_path, TWO.astype({"t_s": "str"}).assign(t_s="00:01"), ["a.mp4", "b.mp4"])
    with pytest.raises(UsageError, match="column t_s must hold numbers"):
        read_video_gaze_set(folder)


def test_folders_in_another_layout_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder videos/"):
        read_video_gaze_set(tmp_path)
    (tmp_path / "videos").mkdir()
    with pytest.raises(UsageError, match=r"fixations\.parquet is missing"):
        read_video_gaze_set(tmp_path)
    (tmp_path / "fixations.parquet").write_bytes(b"no table")
    with pytest.raises(UsageError, match="cannot be read as Parquet"):
        read_video_gaze_set(tmp_path)
    write_set(tmp_path, TWO.assign(x=2.0), ["a.mp4", "b.mp4"])
    with pytest.raises(UsageError, match="no gaze on any of the 2 videos"):
        read_video_gaze_set(tmp_path)
    write_set(tmp_path, TWO, ["a.webm"])
    with pytest.raises(UsageError, match="same name"):
        read_video_gaze_set(tmp_path)


def test_pictures_and_videos_in_one_folder_are_refused(tmp_path: Path) -> None:
    assert not holds_videos(tmp_path)
    write_set(tmp_path, TWO, ["a.mp4", "b.mp4"])
    assert holds_videos(tmp_path)
    (tmp_path / "images").mkdir()
    with pytest.raises(UsageError, match="give each a folder of its own"):
        holds_videos(tmp_path)


def test_options_of_the_other_kind_are_refused(tmp_path: Path) -> None:
    videos, pictures = write_set(tmp_path / "v", TWO, ["a.mp4", "b.mp4"]), tmp_path / "p" / "images"
    pictures.mkdir(parents=True)
    for folder, arguments, message in [
        (videos, ["--window", "start"], "--window start does not apply to videos"),
        (videos, ["--gallery", str(tmp_path / "g.jpg")], "no gallery for videos"),
        (pictures.parent, ["--fps", "5"], "apply only to videos"),
        (pictures.parent, ["--lag"], "apply only to videos"),
    ]:
        outcome = CliRunner().invoke(evaluate, [str(folder), "--model", "centre-prior", *arguments])
        assert isinstance(outcome.exception, UsageError)
        assert message in str(outcome.exception)


def test_the_grid_follows_the_frame() -> None:
    assert fit_grid(1920, 1080, 160) == (90, 160)
    assert fit_grid(720, 1280, 160) == (160, 90)
    assert fit_grid(10_000, 10, 160) == (1, 160)


@pytest.fixture
def film_set(tmp_path: Path) -> Path:
    """Two true clips of one second, in which a bright square circles on grey, and gaze that follows it."""
    av = pytest.importorskip("av")
    table = pd.concat([samples(name, np.random.default_rng(3), viewers=4) for name in ("one clip", "two")])
    folder = write_set(tmp_path / "films", table[table["t_s"] < 1], [])
    for name in ("one clip.mp4", "two.mkv"):
        _write_film(av, folder / "videos" / name)
    return folder


def _write_film(av: Any, path: Path) -> None:
    from moving_spot import circling

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.pix_fmt = 128, 128, "yuv420p"
        for number in range(25):
            x, y = (int(128 * at) for at in circling(number / 25))
            frame = np.full((128, 128, 3), 90, np.uint8)
            frame[y - 8 : y + 8, x - 8 : x + 8] = (255, 220, 40)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())


def test_the_command_scores_true_videos(film_set: Path, tmp_path: Path) -> None:
    arguments = [str(film_set), "--model", "centre-prior", "--json", "--lag", "--out", str(tmp_path / "o.parquet")]
    outcome = CliRunner().invoke(evaluate, arguments, catch_exceptions=False)
    result = json.loads(outcome.stdout)
    assert result["n_clips"] == 2
    assert [(clip["video"], clip["n_instants"]) for clip in result["clips"]] == [("one clip", 5), ("two", 5)]
    assert len(result["lag_curve"]["nss"]) == 11
    frame = pd.read_parquet(tmp_path / "o.parquet")
    assert frame["video"].tolist() == ["one clip", "two"]
    # The prior on each frame alone is the fixed prior, but for the way from its own grid to that of the clip.
    assert frame["frame_wise_nss"].to_numpy() == pytest.approx(frame["prior_nss"].to_numpy(), abs=0.02)
