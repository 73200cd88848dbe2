"""Exports of eye trackers: files are written from known fixations as the programs document them, and read back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from mediaan.config.calibration import load_columns
from mediaan.errors import UsageError
from mediaan.evaluation.datasets.exports import DISPERSION, MAX_GAP_S, MIN_DURATION_S, idt_fixations, read_exports
from mediaan.evaluation.datasets.image_set import read_fixations, read_gaze_set
from mediaan.types.eye_tracking import GazeColumns

SIZES = {"ad one": (200, 100), "ad2": (100, 300)}

# image, viewer, x, y, onset_s, duration_s
KNOWN = [
    ("ad one", "P01", 0.25, 0.5, 0.3, 0.2),
    ("ad one", "P01", 0.75, 0.125, 0.6, 0.3),
    ("ad2", "P01", 0.5, 0.9, 0.2, 0.1),
    ("ad one", "P02", 0.1, 0.1, 0.15, 0.25),
    ("ad2", "P02", 0.9, 0.2, 0.4, 0.5),
]
COLUMNS = ["image", "viewer", "x", "y", "onset_s", "duration_s"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "images").mkdir()
    for name, size in SIZES.items():
        Image.new("RGB", size, "grey").save(tmp_path / "images" / f"{name}.png")
    return tmp_path


def check(table: pd.DataFrame, tolerance_s: float = 1e-9) -> None:
    """The fixations are the known ones, in any order."""
    known = pd.DataFrame(KNOWN, columns=COLUMNS).sort_values(["image", "viewer", "onset_s"])
    found = table[COLUMNS].sort_values(["image", "viewer", "onset_s"])
    assert found[["image", "viewer"]].to_numpy().tolist() == known[["image", "viewer"]].to_numpy().tolist()
    np.testing.assert_allclose(found[["x", "y"]].astype(float), known[["x", "y"]], atol=1e-6)
    np.testing.assert_allclose(found[["onset_s", "duration_s"]].astype(float), known[COLUMNS[4:]], atol=tolerance_s)


# ---- Tobii Pro Lab ---------------------------------------------------------------------------------------------------

STEP_MS = 10
SHOWN_MS = 1000
LEFT, TOP, SCALE = 60.0, 40.0, 2.0  # of pictures on the screen, px and px per px


def tobii_rows() -> Iterator[dict[str, object]]:
    """Samples every 10 ms: for each participant both pictures for a second, with something else in between."""
    for viewer in ("P01", "P02"):
        index, clock = 0, 5000
        for image in SIZES:
            yield {"Participant name": viewer, "Recording timestamp": clock, "Event": "ImageStimulusStart"}
            own = [row for row in KNOWN if row[:2] == (image, viewer)]
            counted: dict[int, int] = {}
            for at in range(0, SHOWN_MS, STEP_MS):
                yield tobii_sample(viewer, image, clock + at, at / 1000, own, index, counted)
            index += len(own)
            clock += SHOWN_MS + 500


def tobii_sample(
    viewer: str, image: str, clock: int, at_s: float, own: list[tuple], index: int, counted: dict[int, int]
) -> dict[str, object]:
    width, height = SIZES[image]
    row: dict[str, object] = {
        "Participant name": viewer,
        "Recording name": f"Recording of {viewer}",
        "Recording timestamp": clock,
        "Presented Stimulus name": image,
        "Presented Media name": f"{image}.png",
        "Presented Media width": width * SCALE,
        "Presented Media height": height * SCALE,
        "Presented Media position X (DACSpx)": LEFT,
        "Presented Media position Y (DACSpx)": TOP,
        "Eye movement type": "Saccade",
        "Gaze event duration": 20,
    }
    for number, (_, _, x, y, onset_s, duration_s) in enumerate(own, start=index + 1):
        if onset_s - 1e-9 <= at_s < onset_s + duration_s - 1e-9:
            row |= {
                "Eye movement type": "Fixation",
                "Eye movement type index": number,
                "Gaze event duration": round(duration_s * 1000),
                "Fixation point X (MCSnorm)": x,
                "Fixation point Y (MCSnorm)": y,
                "Fixation point X": LEFT + x * width * SCALE,
                "Fixation point Y": TOP + y * height * SCALE,
            }
    return row


def write_tobii(folder: Path, change: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame, **how: str) -> None:
    frame = change(pd.DataFrame(list(tobii_rows())))
    frame.to_csv(folder / "Project Data Export.tsv", sep="\t", index=False, **({"encoding": "utf-8"} | how))


def test_tobii_as_exported(folder: Path) -> None:
    write_tobii(folder)
    found = read_fixations(folder)
    check(found.table)
    assert found.notes == ()


def test_tobii_with_units_in_brackets_and_microseconds(folder: Path) -> None:
    names = {
        "Recording timestamp": "Recording timestamp [μs]",
        "Fixation point X (MCSnorm)": "Fixation point X [MCS norm]",
        "Fixation point Y (MCSnorm)": "Fixation point Y [MCS norm]",
        "Gaze event duration": "Eye movement event duration [ms]",
    }

    def change(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(**{"Recording timestamp": frame["Recording timestamp"] * 1000}).rename(columns=names)

    write_tobii(folder, change, encoding="utf-16")
    check(read_fixations(folder).table)


def test_tobii_microseconds_that_no_name_tells_are_told_by_the_durations(folder: Path) -> None:
    write_tobii(folder, lambda frame: frame.assign(**{"Recording timestamp": frame["Recording timestamp"] * 1000}))
    check(read_fixations(folder).table)


def test_tobii_from_the_screen_when_places_on_the_picture_are_missing(folder: Path) -> None:
    write_tobii(folder, lambda f: f.drop(columns=["Fixation point X (MCSnorm)", "Fixation point Y (MCSnorm)"]))
    check(read_fixations(folder).table)


def test_tobii_decimal_commas_without_index_and_duration(folder: Path) -> None:
    write_tobii(folder, lambda f: f.drop(columns=["Eye movement type index", "Gaze event duration"]), decimal=",")
    check(read_fixations(folder).table, tolerance_s=STEP_MS / 1000 + 1e-9)  # durations are those between samples


def test_tobii_fixations_from_before_the_picture_and_on_it_again_are_left_out(folder: Path) -> None:
    def change(frame: pd.DataFrame) -> pd.DataFrame:
        # P01 still fixates ad one's last place when ad2 comes on, and is shown ad one again at the end
        last = frame[(frame["Participant name"] == "P01") & (frame["Eye movement type index"] == 2)]
        late = frame[(frame["Participant name"] == "P01") & (frame["Presented Stimulus name"] == "ad2")]
        over = late.head(3).assign(**{c: last.iloc[0][c] for c in last if c.startswith(("Eye", "Fixation"))})
        frame = frame.copy()
        frame.loc[over.index] = over
        again = frame[(frame["Participant name"] == "P01") & (frame["Presented Stimulus name"] == "ad one")]
        again = again.assign(**{"Recording timestamp": again["Recording timestamp"] + 60_000})
        again["Eye movement type index"] += 10
        return pd.concat([frame, again])

    write_tobii(folder, change)
    found = read_fixations(folder)
    check(found.table)
    assert [note for note in found.notes if "had begun before their image" in note and note.startswith("1 ")]
    assert [note for note in found.notes if "shown again" in note and note.startswith("2 ")]


@pytest.mark.parametrize("column", ["Eye movement type", "Presented Stimulus name", "Fixation point X"])
def test_tobii_columns_that_were_not_exported_are_named(folder: Path, column: str) -> None:
    alike = {"Presented Stimulus name": "Presented Media name"}.get(column, column)
    write_tobii(folder, lambda f: f.drop(columns=[c for c in f if c.startswith((column, alike)) and "index" not in c]))
    with pytest.raises(UsageError, match=rf"Project Data Export\.tsv: .*{column}"):
        read_fixations(folder)


# ---- RealEye ---------------------------------------------------------------------------------------------------------


def write_realeye(folder: Path, **more: object) -> None:
    rows = [
        {
            "study_id": "s",
            "item_id": f"id of {image}",
            "item_filename": f"{image}.png",
            "participant_id": viewer,
            "participant_display_name": "Anna, Female, 27",
            "exposure_number": "",
            "fixation_point_x": 100 * x,
            "fixation_point_y": 100 * y,
            "fixation_starts_at_ms": round(1000 * onset_s),
            "fixation_ends_at_ms": round(1000 * (onset_s + duration_s)),
            "fixation_duration_ms": round(1000 * duration_s),
        }
        | more
        for image, viewer, x, y, onset_s, duration_s in KNOWN
    ]
    pd.DataFrame(rows).to_csv(folder / "fixations.csv", index=False)


def test_realeye(folder: Path) -> None:
    write_realeye(folder)
    check(read_fixations(folder).table)


def test_realeye_counts_the_first_showing_only(folder: Path) -> None:
    write_realeye(folder, exposure_number=1)
    table = pd.read_csv(folder / "fixations.csv")
    again = table.head(2).assign(exposure_number=2)
    pd.concat([table, again]).to_csv(folder / "fixations.csv", index=False)
    found = read_fixations(folder)
    check(found.table)
    assert "2 fixations of fixations.csv on images shown again are left out" in found.notes


def test_realeye_raw_gaze_is_refused_with_what_to_export(folder: Path) -> None:
    (folder / "raw.csv").write_text("participant_id,item_id,test_raw_data\na,b,[]\n")
    with pytest.raises(UsageError, match=r"raw\.csv: .*raw gaze; take its export of fixations"):
        read_fixations(folder)


# ---- as other locales and hands leave them ---------------------------------------------------------------------------


def tobii_lines(folder: Path) -> list[str]:
    write_tobii(folder)
    return (folder / "Project Data Export.tsv").read_text().splitlines()


@pytest.mark.parametrize("pair", [(40, 41), (40, 90), (40, None), (3, 300)])
@pytest.mark.parametrize("where", ["start", "end", "whole"])
def test_tobii_a_stray_quote_loses_no_row(folder: Path, pair: tuple[int, int | None], where: str) -> None:
    """Pro Lab quotes nothing: a quote in a name or an event is a character."""
    lines = tobii_lines(folder)
    column = lines[0].split("\t").index("Event")
    for line in pair:
        if line is not None:
            cells = lines[line].split("\t")
            cells[column] = {"start": '"key', "end": 'key"', "whole": '"'}[where]
            lines[line] = "\t".join(cells)
    (folder / "Project Data Export.tsv").write_text("\n".join(lines))
    check(read_fixations(folder).table)


def test_names_in_either_composition(folder: Path) -> None:
    (folder / "images" / "ad one.png").rename(folder / "images" / "cafe\u0301.png")
    write_realeye(folder)
    text = (folder / "fixations.csv").read_text().replace("ad one.png", "caf\u00e9.png")
    (folder / "fixations.csv").write_text(text)
    table = read_fixations(folder).table
    check(table.assign(image=table["image"].replace("cafe\u0301", "ad one")))


def test_a_row_with_more_cells_than_the_header_is_named(folder: Path) -> None:
    (folder / "a.csv").write_text("image,viewer,x,y\nad2,a,0.5,0.5\nad2,a,0,5,0,5\n")
    with pytest.raises(UsageError, match=r"a\.csv, line 3: has 6 cells, the header 4"):
        read_fixations(folder)


# ---- any table -------------------------------------------------------------------------------------------------------

GENERIC = "image: Stimulus\nviewer: Subject\nx: FixX\ny: FixY\nonset: Start\nduration: Length\n"


def write_generic(folder: Path, unit: str, ticks: float, sep: str = ",") -> None:
    rows = []
    for image, viewer, x, y, onset_s, duration_s in KNOWN:
        width, height = SIZES[image]
        sides = {"unit": (1, 1), "percent": (100, 100), "px": (width, height)}[unit]
        rows.append(
            (f"C:\\study\\{image}.PNG", viewer, x * sides[0], y * sides[1], onset_s * ticks, duration_s * ticks)
        )
    names = ["Stimulus", "Subject", "FixX", "FixY", "Start", "Length"]
    pd.DataFrame(rows, columns=names).to_csv(folder / "gaze.csv", index=False, sep=sep)


@pytest.mark.parametrize(
    ("unit", "time_unit", "ticks"), [("px", "ms", 1e3), ("unit", "s", 1.0), ("percent", "us", 1e6)]
)
def test_any_table_with_a_mapping(folder: Path, unit: str, time_unit: str, ticks: float) -> None:
    write_generic(folder, unit, ticks, sep=";")
    (folder / "columns.yaml").write_text(f"{GENERIC}unit: {unit}\ntime_unit: {time_unit}\n")
    check(read_fixations(folder, load_columns(folder)).table)


def test_places_on_a_screen(folder: Path) -> None:
    write_generic(folder, "px", 1e3)
    table = pd.read_csv(folder / "gaze.csv")
    sizes = np.array([SIZES[Path(name.replace("\\", "/")).stem] for name in table.Stimulus])
    table = table.assign(
        L=30, T=20, W=sizes[:, 0] * 3, H=sizes[:, 1] * 3, FixX=table.FixX * 3 + 30, FixY=table.FixY * 3 + 20
    )
    table.to_csv(folder / "gaze.csv", index=False)
    (folder / "columns.yaml").write_text(GENERIC + "left: L\ntop: T\nwidth: W\nheight: H\n")
    check(read_fixations(folder, load_columns(folder)).table)


def test_a_table_like_ours_needs_no_mapping(folder: Path) -> None:
    pd.DataFrame(KNOWN, columns=COLUMNS).to_csv(folder / "a.csv", index=False)
    check(read_fixations(folder).table)
    gaze = read_gaze_set(folder, window="start").stimuli
    assert [picture.gaze.x.tolist() for picture in gaze if picture.gaze] == [[0.25, 0.75, 0.1], [0.5, 0.9]]


def test_several_files_are_one_set(folder: Path) -> None:
    known = pd.DataFrame(KNOWN, columns=COLUMNS)
    for viewer, own in known.groupby("viewer"):
        own.to_csv(folder / f"{viewer}.csv", index=False)
    check(read_fixations(folder).table)


def test_what_lies_beside_its_picture_is_counted(folder: Path) -> None:
    rows = [*KNOWN, ("ad2", "P02", 1.2, 0.5, 1.0, 0.2), ("ad2", "P02", None, None, 1.3, 0.2)]
    pd.DataFrame(rows, columns=COLUMNS).to_csv(folder / "a.csv", index=False)
    found = read_fixations(folder)
    check(found.table)
    assert "2 of 7 fixations lie outside their image and are left out" in found.notes


def test_samples_become_fixations(folder: Path) -> None:
    rows = []
    for image, viewer, x, y, onset_s, duration_s in KNOWN:
        times = np.arange(onset_s, onset_s + duration_s + 1e-9, 0.01)
        rows += [(image, viewer, x + 0.002 * (i % 2) - 0.001, y, t) for i, t in enumerate(times)]
    pd.DataFrame(rows, columns=["i", "v", "gx", "gy", "t"]).to_csv(folder / "samples.csv", index=False)
    columns = GazeColumns("i", "v", "gx", "gy", "unit", onset="t", time_unit="s", rows="samples")
    table, _ = read_exports([folder / "samples.csv"], read_paths(folder), columns)
    assert len(table) == len(KNOWN)
    known = pd.DataFrame(KNOWN, columns=COLUMNS)
    both = table.merge(known, on=["image", "viewer"], suffixes=("", "_known"))
    nearest = both[(both.onset_s - both.onset_s_known).abs() < 0.01]
    assert len(nearest) == len(KNOWN)
    np.testing.assert_allclose(nearest[["x", "y"]], nearest[["x_known", "y_known"]], atol=2e-3)
    np.testing.assert_allclose(nearest.duration_s, nearest.duration_s_known, atol=0.011)


def read_paths(folder: Path) -> dict[str, Path]:
    return {path.stem: path for path in sorted((folder / "images").iterdir())}


# ---- errors ----------------------------------------------------------------------------------------------------------


def test_unknown_columns_are_answered_with_an_example(folder: Path) -> None:
    (folder / "gaze.csv").write_text("Stimulus,Subject,FixX,FixY\nad2,1,2,3\n")
    with pytest.raises(
        UsageError, match=r"(?s)gaze\.csv: .*Stimulus, Subject, FixX, FixY.*columns\.yaml.*image: Stimulus"
    ):
        read_fixations(folder)


def test_a_word_among_numbers_is_shown_with_its_line(folder: Path) -> None:
    write_generic(folder, "px", 1e3)
    lines = (folder / "gaze.csv").read_text().splitlines()
    lines[3] = lines[3].replace(lines[3].split(",")[2], "left")
    (folder / "gaze.csv").write_text("\n".join(lines))
    (folder / "columns.yaml").write_text(GENERIC)
    with pytest.raises(UsageError, match=r"gaze\.csv, line 4: 'FixX' is 'left', which is no number"):
        read_fixations(folder, load_columns(folder))


def test_pictures_under_other_names_are_told(folder: Path) -> None:
    rows = [("poster", "a", 0.5, 0.5), ("banner", "a", 0.5, 0.5)]
    pd.DataFrame(rows, columns=COLUMNS[:4]).to_csv(folder / "a.csv", index=False)
    with pytest.raises(
        UsageError, match=r"none of its images is in images/: it speaks of poster, banner, .* ad one, ad2"
    ):
        read_fixations(folder)


def test_a_mapping_with_mistakes_names_lines(folder: Path) -> None:
    (folder / "columns.yaml").write_text("image: a\nviewer: b\nx: c\nunit: inches\ncolour: d\n")
    with pytest.raises(UsageError, match=r"(?s)columns\.yaml: 3 problems.*line 4, unit: .*line 5, colour: unknown key"):
        load_columns(folder)
    assert load_columns(folder / "images") is None


RATE = 100


def steady(x: float, y: float, seconds: float) -> list[tuple[float, float]]:
    return [(x, y)] * round(seconds * RATE)


def found(places: list[tuple[float, float]], aspect: float = 1.0) -> list[tuple[float, ...]]:
    x, y = np.array(places).T
    return [tuple(round(v, 3) for v in one) for one in idt_fixations(x, y, np.arange(len(x)) / RATE, aspect)]


def test_short_stays_between_fixations_are_no_fixations() -> None:
    places = steady(0.2, 0.3, 0.3) + steady(0.5, 0.5, 0.05) + steady(0.8, 0.6, 0.2)
    assert found(places) == [(0.2, 0.3, 0.0, 0.29), (0.8, 0.6, 0.35, 0.19)]


def test_a_gap_parts_fixations_at_one_place() -> None:
    t = np.concatenate([np.arange(0, 0.3, 0.01), np.arange(0.3 + MAX_GAP_S, 0.7, 0.01)])
    fixations = list(idt_fixations(np.full(t.size, 0.5), np.full(t.size, 0.5), t))
    assert [round(onset, 3) for _, _, onset, _ in fixations] == [0.0, 0.375]


@pytest.mark.parametrize("seed", range(20))
def test_fixations_are_long_enough_and_do_not_overlap(seed: int) -> None:
    random = np.random.default_rng(seed)
    stays = random.random((30, 2)) * random.choice([0.05, 1.0], size=(30, 1))
    x, y = np.repeat(stays, random.integers(1, 15, 30), axis=0).T
    t = np.arange(x.size) / 60
    ends = -1.0
    for mean_x, mean_y, onset, duration in idt_fixations(x, y, t):
        assert duration >= MIN_DURATION_S
        assert onset > ends
        ends = onset + duration
        own = (t >= onset) & (t <= ends + 1e-9)
        assert np.ptp(x[own]) + np.ptp(y[own]) <= DISPERSION
        assert (mean_x, mean_y) == pytest.approx((x[own].mean(), y[own].mean()))
    assert ends > 0
