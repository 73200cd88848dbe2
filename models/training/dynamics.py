"""Fit the constants of gaze over time to gaze on film: `python models/training/dynamics.py DATA/gaze/video/hevc`.

Every clip is decoded once; what the image model says of each look, the facts of motion and cuts, and where viewers
looked are kept, with ``--cache DIR`` from run to run, so that another set of constants costs a fraction of a second.
A cache is that of one model file; remove it when `mediaan/saliency/frame_selection.py` or `motion.py` changed.

NSS at 5 instants a second, as `mediaan evaluate` counts gaze, is printed by kind of clip: centre bias of the other
clips, the clip's own mean map (half of the viewers, scored on the other half), the image model on each frame alone
(window total), the filter, and people (one viewer against the others).

``--fit`` searches the constants by coordinates, and reports what constants reach on clips that they were not fitted to:
the clips are dealt into folds over kinds, each fold is scored with constants fitted to the others. ``--against FILE``
compares, paired by clip with a bootstrap interval, with scores that an earlier run wrote with ``--out``. Sets named
after ``--also`` are scored and never fitted to.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import cv2
import numpy as np

from mediaan.evaluation.datasets.stimulus import GazePoints as GazeRows
from mediaan.evaluation.datasets.stimulus import Stimulus, fit_grid
from mediaan.evaluation.datasets.video_set import VIDEO_GRID_LONG_SIDE, VideoStimulus, read_video_gaze_set
from mediaan.evaluation.saliency.inter_observer import observer_consistency
from mediaan.evaluation.saliency.metrics import centre_bias
from mediaan.evaluation.saliency.video_evaluation import open_video
from mediaan.media import Sampling, open_medium
from mediaan.saliency import AttentionPredictor, GazeDynamics, load_frame_predictor
from mediaan.saliency.density import fixation_cells, fixation_density, resize_density
from mediaan.saliency.frame_selection import FrameDecision, select_frame
from mediaan.saliency.temporal import GazeFilter, stack_windows
from mediaan.types.arrays import Float32
from mediaan.types.densities import Densities

KINDS = {
    "people talking": ("FourPeople", "Johnny", "Lee", "Vidyo1", "Vidyo3", "Vidyo4", "Yan"),
    "crowds and traffic": ("BQMall", "BQSquare", "BQTerrace", "PartyScene", "PeopleOnStreet", "Traffic"),
    "moving things": ("BlowingBubbles", "Cactus", "ParkScene"),
    "sport": ("Keiba",),
    "screen": ("SlideEditing", "SlideShow"),
}
"""Clips of the set hevc by kind; those of other sets are of the kind that the set is named after."""

FOLDS = (
    ("FourPeople", "Keiba", "BQSquare"),
    ("Johnny", "ParkScene", "Traffic"),
    ("Lee", "Vidyo4", "SlideEditing", "BQTerrace"),
    ("Vidyo1", "BlowingBubbles", "PeopleOnStreet"),
    ("Vidyo3", "SlideShow", "PartyScene"),
    ("Yan", "Cactus", "BQMall"),
)
"""Clips that are left out together: each fold is a mixture of kinds."""

STEPS: Mapping[str, Sequence[float]] = {
    "persistence_s": (0.05, 0.1, 0.15, 0.2, 0.3),
    "centring_sd": (0.16, 0.19, 0.23, 0.28, 0.34, 0.42),
    "certain_nats": (1.5, 1.9, 2.25, 2.7, 3.3),
    "synchrony": (1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.75),
    "agreement": (0.0, 0.15, 0.3, 0.45, 0.6),
    "smoothing": (0.0, 0.35, 0.7, 1.0),
    "motion_gain": (0.0, 0.3, 0.6, 0.9, 1.3),
    "prior_share": (0.02, 0.05, 0.1, 0.15, 0.2),
}
"""Values that the search may take; few and coarse, for there are few clips."""

SWEEPS = 3
_FLOOR = 0.1  # NSS below which a clip's logarithm does not fall any further


@dataclass(slots=True)
class Clip:
    """A clip as the filter sees it, with its gaze.

    Attributes
    ----------
    decisions : list of Sight
    looks : list of (3, h, w) float32 or None
        What the image model says of the samples worth a look.
    frame_wise : list of (h, w) float32
        Window total of every sample.
    gaze : list of Gaze or None
        Of the viewers at each sample.
    """

    name: str
    kind: str
    source: VideoStimulus
    shape: tuple[int, int]
    centre: Float32
    decisions: list[FrameDecision] = field(default_factory=list)
    looks: list[Float32 | None] = field(default_factory=list)
    frame_wise: list[Float32] = field(default_factory=list)
    gaze: list[GazeRows | None] = field(default_factory=list)

    def cells(self, index: int, shape: tuple[int, int]) -> np.ndarray | None:
        """Cells that viewers look at in a sample; None where nobody looks."""
        rows = self.gaze[index]
        return None if rows is None else fixation_cells(rows.x, rows.y, shape)


def read_clips(folder: Path, model: AttentionPredictor, cache: Path | None = None) -> list[Clip]:
    """Decode and look at all clips of a set once, or take them from an earlier run of the same model."""
    kept = None if cache is None else cache / f"{folder.name}-{(model.sha256 or model.name)[:12]}.pickle"
    if kept is not None and kept.is_file():
        kept_clips: list[Clip] = pickle.loads(kept.read_bytes())
        return kept_clips
    clips = _read_set(folder, model)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(clips))
    return clips


def _read_set(folder: Path, model: AttentionPredictor) -> list[Clip]:
    clip_set = read_video_gaze_set(folder)
    bias = centre_bias(clip_set.stimuli)
    return [_read_clip(source, bias.without(source.truth()), folder.name, model) for source in clip_set.stimuli]


def _read_clip(source: VideoStimulus, centre: Float32, set_name: str, model: AttentionPredictor) -> Clip:
    kind = next((kind for kind, names in KINDS.items() if source.name in names), set_name)
    sampling = Sampling(threads=1)
    with open_video(source.path, model.view, open_medium, sampling) as opened:
        shape = fit_grid(opened.medium.width, opened.medium.height, VIDEO_GRID_LONG_SIDE)
        clip, last, total = Clip(source.name, kind, source, shape, resize_density(centre, shape)), None, None
        for chunk in opened.chunks():
            for i, frame in enumerate(chunk.views[model.view.name]):
                t, seconds = float(chunk.t[i]), float(chunk.weight_s[i])
                decision, last = select_frame(last, frame, t, seconds, int(chunk.shot[i]), fresh=bool(chunk.fresh[i]))
                plain: Densities | None = None
                if total is None or chunk.fresh[i]:
                    plain = model.predict(frame[None])[0]
                    total = plain["total"]
                look = None
                if decision.predict:
                    turned = np.ascontiguousarray(frame[None, :, ::-1] if decision.mirrored else frame[None])
                    predicted = model.predict(turned)[0] if decision.mirrored or plain is None else plain
                    look = stack_windows(predicted, mirrored=decision.mirrored)
                clip.decisions.append(decision)
                clip.looks.append(look)
                clip.frame_wise.append(total)
                clip.gaze.append(source.at(t, 1 / sampling.fps))
    return clip


def filtered(clip: Clip, dynamics: GazeDynamics, coarse: int = 1) -> list[Float32]:
    """Density of gaze at each sample, on the model's grid or one that is coarser by a factor."""
    model, gaze, densities = GazeFilter(dynamics), None, []
    for decision, look in zip(clip.decisions, clip.looks, strict=True):
        if look is not None and coarse > 1:
            shape = (max(1, look.shape[1] // coarse), max(1, look.shape[2] // coarse))
            look = np.stack([resize_density(window, shape) for window in look])
        gaze = model.step(gaze, decision, look)
        densities.append(model.density(gaze, decision.t, decision.weight_s))
    return densities


def mean_nss(clip: Clip, densities: Sequence[Float32], shape: tuple[int, int] | None = None) -> float:
    """Mean NSS over the samples at which somebody looks, on a grid or on that of the densities."""
    values = []
    for index, density in enumerate(densities):
        on_grid = density if shape is None else resize_density(density, shape)
        cells = clip.cells(index, (on_grid.shape[0], on_grid.shape[1]))
        if cells is not None:
            flat = on_grid.astype(np.float64).ravel()
            values.append((flat[cells].mean() - flat.mean()) / max(flat.std(), 1e-12))
    return float(np.mean(values))


def own_map(clip: Clip) -> float:
    """NSS of the mean map of half of the viewers over the whole clip, on the gaze of the other half; both ways."""
    viewers = np.random.default_rng(0).permutation(np.unique(clip.source.viewer))
    values = []
    for half in (viewers[::2], viewers[1::2]):
        inside = np.isin(clip.source.viewer, half)
        density = fixation_density(clip.source.x[inside], clip.source.y[inside], clip.shape).astype(np.float64)
        for rows in clip.gaze:
            others = None if rows is None else ~np.isin(rows.viewer, half)
            if rows is not None and others is not None and others.any():
                cells = fixation_cells(rows.x[others], rows.y[others], clip.shape)
                values.append((density.ravel()[cells].mean() - density.mean()) / density.std())
    return float(np.mean(values))


def people(clip: Clip, every: int = 4) -> float:
    """NSS of one viewer against the others, at every so many samples."""
    none = np.empty(0, np.int64)
    pictures = (
        Stimulus(clip.name, clip.source.path, clip.shape, rows) for rows in clip.gaze[::every] if rows is not None
    )
    scores = (observer_consistency(picture, clip.centre, none).nss for picture in pictures)
    return float(np.mean([value for value in scores if value is not None]))


class Search:
    """Find constants by coordinates; what a clip scores with a set of constants is computed once.

    Parameters
    ----------
    clips : sequence of Clip
    start : GazeDynamics
        Where every search begins.
    """

    def __init__(self, clips: Sequence[Clip], start: GazeDynamics) -> None:
        self._clips = {clip.name: clip for clip in clips}
        self._start = start
        self._known: dict[tuple[str, GazeDynamics], float] = {}

    def nss(self, name: str, dynamics: GazeDynamics) -> float:
        """NSS of a clip, on a grid coarser by 2."""
        key = (name, dynamics)
        if key not in self._known:
            self._known[key] = mean_nss(self._clips[name], filtered(self._clips[name], dynamics, coarse=2))
        return self._known[key]

    def worth(self, names: Sequence[str], dynamics: GazeDynamics) -> float:
        """Mean logarithm of NSS: a clip on which people agree little counts as much as one on which they agree."""
        return float(np.mean([np.log(max(_FLOOR, self.nss(name, dynamics))) for name in names]))

    def best(self, names: Sequence[str]) -> GazeDynamics:
        """Constants that do best on some clips, of those that can be reached one value at a time."""
        chosen = self._start
        for _ in range(SWEEPS):
            before = chosen
            for constant, values in STEPS.items():
                ordered = sorted({*values, getattr(chosen, constant)})
                here = ordered.index(getattr(chosen, constant))
                for step in (1, -1):  # uphill, one value after the other
                    at = here + step
                    while 0 <= at < len(ordered):
                        candidate = replace(chosen, **{constant: ordered[at]})
                        if self.worth(names, candidate) <= self.worth(names, chosen):
                            break
                        chosen, at = candidate, at + step
            if chosen == before:
                break
        return chosen


def bootstrap(values: Sequence[float], draws: int = 4000) -> tuple[float, float]:
    """95 % interval of a mean over clips."""
    array = np.asarray(values)
    means = array[np.random.default_rng(0).integers(0, len(array), (draws, len(array)))].mean(axis=1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def print_table(clips: Sequence[Clip], columns: Mapping[str, Mapping[str, float]]) -> None:
    """Print means over the clips of each kind, then of each clip."""
    print(f"{'':24s}" + "".join(f"{name:>13s}" for name in columns))
    kinds = list(dict.fromkeys(clip.kind for clip in clips))
    for kind in kinds:
        names = [clip.name for clip in clips if clip.kind == kind]
        means = (np.mean([values[name] for name in names]) for values in columns.values())
        print(f"{f'{kind} ({len(names)})':24s}" + "".join(f"{mean:13.2f}" for mean in means))
    for clip in clips:
        print(f"  {clip.name:22s}" + "".join(f"{values[clip.name]:13.2f}" for values in columns.values()))


def print_gain(title: str, clips: Sequence[Clip], ours: Mapping[str, float], theirs: Mapping[str, float]) -> None:
    """Print the mean difference over clips, paired, with its interval."""
    for set_name in dict.fromkeys(clip.source.path.parents[1].name for clip in clips):
        names = [clip.name for clip in clips if clip.source.path.parents[1].name == set_name and clip.name in theirs]
        if names:
            gains = [ours[name] - theirs[name] for name in names]
            low, high = bootstrap(gains)
            print(f"{set_name}, {title}: {np.mean(gains):+.3f} [{low:+.3f}, {high:+.3f}] ({len(names)} clips)")


def main() -> None:
    """Score the filter, and fit it where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="sets that are scored and not fitted to")
    parser.add_argument("--cache", type=Path, help="folder that keeps what does not depend on the constants")
    parser.add_argument("--fit", action="store_true", help="fit the constants, leaving clips out in turn")
    parser.add_argument("--out", type=Path, help="write the scores of the filter by clip as JSON")
    parser.add_argument("--against", type=Path, help="scores of an earlier run, to compare with")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    model = load_frame_predictor("attention", "cpu", threads=1)
    fitted = read_clips(args.folder, model, args.cache)
    clips = [*fitted, *(clip for folder in args.also for clip in read_clips(folder, model, args.cache))]
    now = {clip.name: mean_nss(clip, filtered(clip, GazeDynamics()), clip.shape) for clip in clips}
    frame_wise = {clip.name: mean_nss(clip, clip.frame_wise, clip.shape) for clip in clips}
    columns = {
        "centre bias": {clip.name: mean_nss(clip, [clip.centre] * len(clip.gaze)) for clip in clips},
        "own mean map": {clip.name: own_map(clip) for clip in clips},
        "frame by frame": frame_wise,
        "over time": now,
        "people": {clip.name: people(clip) for clip in clips},
    }
    print_table(clips, columns)
    print_gain("over time - frame by frame", clips, now, frame_wise)
    if args.against:
        print_gain(f"over time - {args.against.name}", clips, now, json.loads(args.against.read_text()))
    if args.out:
        args.out.write_text(json.dumps(now, indent=1))
    if args.fit:
        print_fit(fitted, frame_wise, now)


def print_fit(clips: Sequence[Clip], frame_wise: Mapping[str, float], now: Mapping[str, float]) -> None:
    """Fit to all clips but each fold, and to all; print the constants and what they reach on the clips left out."""
    search, names = Search(clips, GazeDynamics()), [clip.name for clip in clips]
    rest = tuple(name for name in names if not any(name in fold for fold in FOLDS))
    left_out: dict[str, float] = {}
    by_name = {clip.name: clip for clip in clips}
    for fold in [*FOLDS, *([rest] if rest else [])]:
        inside = [name for name in fold if name in by_name]
        chosen = search.best([name for name in names if name not in inside])
        print(f"without {', '.join(inside)}: {_changed(chosen)}", flush=True)
        for name in inside:
            left_out[name] = mean_nss(by_name[name], filtered(by_name[name], chosen), by_name[name].shape)
    print_table(clips, {"frame by frame": frame_wise, "as it is": now, "left out": left_out})
    print_gain("clips left out - frame by frame", clips, left_out, frame_wise)
    print_gain("clips left out - as it is", clips, left_out, now)
    print(f"fitted to all: {_changed(search.best(names))}")


def _changed(dynamics: GazeDynamics) -> str:
    names = [constant.name for constant in fields(dynamics) if constant.name in STEPS]
    return ", ".join(f"{name} {getattr(dynamics, name):g}" for name in names)


if __name__ == "__main__":
    main()
