from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.ndimage import gaussian_filter

from mediaan.errors import UsageError
from mediaan.evaluation.datasets.image_set import grid_shape, read_gaze_set, read_names
from mediaan.evaluation.saliency.metrics import centre_bias, other_fixations
from mediaan.saliency.density import fixation_cells, normalise, resize_density


def picture(folder: Path, name: str, size: tuple[int, int] = (64, 48)) -> None:
    (folder / "images").mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, "grey").save(folder / "images" / name)


def fixations(folder: Path, rows: list[tuple[str, int, float, float, float]]) -> None:
    table = pd.DataFrame(rows, columns=["image", "viewer", "x", "y", "onset_s"])
    table.to_parquet(folder / "fixations.parquet")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three pictures of different formats and aspects, looked at for 5 s."""
    picture(tmp_path, "a.png")
    picture(tmp_path, "b.jpg", (48, 64))
    picture(tmp_path, "c.webp", (100, 20))
    fixations(
        tmp_path,
        [
            ("a", 3, 0.1, 0.1, 0.2),
            ("a", 3, 0.2, 0.3, 1.999),
            ("a", 7, 0.9, 0.8, 3.0),
            ("b", 3, 0.5, 0.5, 2.0),
            ("b", 7, 0.6, 0.5, 4.1),
            ("c", 3, 0.7, 0.1, 0.1),
        ],
    )
    return tmp_path


def test_a_set_is_read_in_order_with_grids_of_its_pictures(folder: Path) -> None:
    gaze_set = read_gaze_set(folder)
    assert [p.name for p in gaze_set.stimuli] == ["a", "b", "c"]
    assert [p.shape for p in gaze_set.stimuli] == [(240, 320), (320, 240), (64, 320)]
    assert gaze_set.selected == {"a", "b", "c"}
    assert gaze_set.notes == ()
    assert [p.gaze.n_viewers for p in gaze_set.stimuli] == [2, 2, 1]


def test_windows_split_the_fixations_at_two_and_three_seconds(folder: Path) -> None:
    start, end = read_gaze_set(folder, window="start"), read_gaze_set(folder, window="end")
    assert {p.name: p.gaze.x.tolist() for p in start.stimuli} == {"a": [0.1, 0.2], "c": [0.7]}
    assert {p.name: p.gaze.x.tolist() for p in end.stimuli} == {"a": [0.9], "b": [0.6]}
    assert start.notes == ("1 of 3 images have no human data and are left out",)


def test_onsets_are_needed_for_windows_only(folder: Path) -> None:
    table = pd.read_parquet(folder / "fixations.parquet").drop(columns="onset_s")
    table.to_parquet(folder / "fixations.parquet")
    assert len(read_gaze_set(folder).stimuli) == 3
    with pytest.raises(UsageError, match="lacks the column onset_s"):
        read_gaze_set(folder, window="start")


def test_pictures_can_be_chosen_while_all_form_the_centre_bias(folder: Path) -> None:
    gaze_set = read_gaze_set(folder, names=["c.webp", "a"], limit=1)
    assert gaze_set.selected == {"a"}
    assert len(gaze_set.stimuli) == 3


def test_fixations_off_the_picture_are_counted_and_left_out(folder: Path) -> None:
    fixations(
        folder,
        [("a", 0, 1.0, 0.5, 0.0), ("a", 0, 0.5, float("nan"), 0.1), ("a", 0, 0.2, 0.2, 0.3), ("b", 0, 0.1, 0.1, 0.1)],
    )
    gaze_set = read_gaze_set(folder)
    assert gaze_set.stimuli[0].gaze.x.tolist() == [0.2]
    assert "2 of 4 fixations lie outside their image and are left out" in gaze_set.notes


def test_fixations_without_a_picture_are_noted(folder: Path) -> None:
    (folder / "images" / "c.webp").unlink()
    assert read_gaze_set(folder).notes == ("fixations of 1 images that are not in images/ are left out",)


def test_two_pictures_of_one_name_are_refused(folder: Path) -> None:
    picture(folder, "a.jpg")
    with pytest.raises(UsageError, match="same name"):
        read_gaze_set(folder)


def test_folders_in_another_layout_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder images/"):
        read_gaze_set(tmp_path)
    picture(tmp_path, "a.png")
    with pytest.raises(UsageError, match=r"neither fixations\.parquet nor densities/"):
        read_gaze_set(tmp_path)
    (tmp_path / "fixations.parquet").write_bytes(b"no table")
    with pytest.raises(UsageError, match="cannot be read as Parquet"):
        read_gaze_set(tmp_path)
    fixations(tmp_path, [("a", 0, 0.5, 0.5, 0.1)])
    with pytest.raises(UsageError, match="at least 2 images"):
        read_gaze_set(tmp_path)


def test_the_grid_follows_the_picture_as_displayed(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (64, 48)).save(tmp_path / "turned.jpg", exif=exif)
    assert grid_shape(tmp_path / "turned.jpg") == (320, 240)


def test_densities_are_read_in_sixteen_bits(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    (tmp_path / "densities").mkdir()
    values = rng.integers(0, 65536, (240, 320)).astype(np.uint16)
    for name in ("a", "b"):
        picture(tmp_path, f"{name}.png")
        cv2.imwrite(str(tmp_path / "densities" / f"{name}.png"), values)
    picture(tmp_path, "without.png")
    gaze_set = read_gaze_set(tmp_path)
    assert gaze_set.notes == ("1 of 3 images have no human data and are left out",)
    truth = gaze_set.stimuli[0].truth()
    np.testing.assert_allclose(truth, values / values.sum(dtype=np.float64), rtol=1e-5)
    assert gaze_set.stimuli[0].cells.size == 0
    with pytest.raises(UsageError, match="only --window total"):
        read_gaze_set(tmp_path, window="start")


def test_a_colour_picture_is_no_density(tmp_path: Path) -> None:
    for name in ("a", "b"):
        picture(tmp_path, f"{name}.png")
    (tmp_path / "images").rename(tmp_path / "densities")
    for name in ("a", "b"):
        picture(tmp_path, f"{name}.png")
    with pytest.raises(UsageError, match=r"a\.png is not a density"):
        read_gaze_set(tmp_path).stimuli[0].truth()


@pytest.mark.parametrize("text", ["1001\n1002.jpg\n\n", '["1001", "1002.jpg"]', "\ufeff1001\r\n 1002.jpg"])
def test_lists_of_names(tmp_path: Path, text: str) -> None:
    (tmp_path / "names").write_text(text, encoding="utf-8")
    assert read_names(tmp_path / "names") == ["1001", "1002.jpg"]


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "empty"), ("[1, 2]", "JSON list of names"), ('["a"', "not valid JSON"), ("{}", "JSON list")],
)
def test_what_is_no_list_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "names").write_text(text)
    with pytest.raises(UsageError, match=message):
        read_names(tmp_path / "names")


def test_the_centre_bias_leaves_the_picture_itself_out(folder: Path) -> None:
    pictures = read_gaze_set(folder).stimuli
    bias = centre_bias(pictures)
    rest = bias.without(pictures[2].truth())
    others = np.mean([resize_density(p.truth(), (80, 80)) for p in pictures[:2]], axis=0)
    smooth = gaussian_filter(others, 80 * bias.extra_blur, mode="reflect") if bias.extra_blur else others
    expected = resize_density(normalise(0.99 * smooth + 0.01 / 6400), (64, 320))
    np.testing.assert_allclose(rest, expected, rtol=1e-2, atol=1e-8)
    assert rest.min() > 0


def test_few_pictures_get_a_smoother_centre_bias_than_many(tmp_path: Path) -> None:
    rng, blurs = np.random.default_rng(2), []
    for count in (4, 150):
        folder = tmp_path / str(count)
        for number in range(count):
            picture(folder, f"{number}.png", (16, 16))
        at = rng.beta(8, 8, (count, 8, 2))
        fixations(folder, [(str(n), v, *at[n, v], 0.1) for n in range(count) for v in range(8)])
        blurs.append(centre_bias(read_gaze_set(folder).stimuli).extra_blur)
    assert blurs[0] > blurs[1]


def test_other_fixations_come_from_other_pictures_in_cells_of_this_one(folder: Path) -> None:
    pictures = read_gaze_set(folder).stimuli
    others = other_fixations(pictures).without(1, (320, 240))
    expected = fixation_cells([0.1, 0.2, 0.9, 0.7], [0.1, 0.3, 0.8, 0.1], (320, 240))
    assert others.tolist() == expected.tolist()
