"""Short films with known things in them, a detector that errs as it is told to, and how well tracks fit the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from uuid import UUID

import cv2
import numpy as np

from mediaan.aoi.tracking.association import class_compatibility
from mediaan.aoi.tracking.tracker import DetectionScope, Tracker
from mediaan.types.aoi import TEXT_TYPES, Aoi, AoiType, Box, Candidate, TextFacts

WIDTH, HEIGHT = 384, 216
RATE = 5.0
PHOTOS = Path(__file__).resolve().parents[2] / "sample_ads" / "source" / "photos"


@lru_cache
def photo(name: str, long_side: int = 400) -> np.ndarray:
    """A photo of the sample ads, RGB."""
    picture = cv2.imread(str(next(PHOTOS.glob(f"{name}.*"))))
    scale = long_side / max(picture.shape[:2])
    return cv2.cvtColor(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)


@dataclass
class SceneObject:
    """A thing and where it is by sample; None where it cannot be seen."""

    name: str
    type: AoiType
    said: str = ""
    boxes: dict[int, Box] = field(default_factory=dict)
    partly: dict[int, Box] = field(default_factory=dict)


@dataclass
class Film:
    """Samples as they come from a decoder, and what they show."""

    name: str
    frames: list[np.ndarray] = field(default_factory=list)
    shots: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    things: dict[str, SceneObject] = field(default_factory=dict)
    missed: float = 0.0
    false: float = 0.0
    jitter: float = 0.02

    def show(self, name: str, kind: AoiType, box: Box, said: str = "") -> None:
        """Note where a thing is in the frame that is being made."""
        thing = self.things.setdefault(name, SceneObject(name, kind, said))
        share = box.clipped().area / box.area
        if share > 0.15:
            (thing.boxes if share >= 0.5 else thing.partly)[len(self.frames)] = box.clipped()

    def add(self, frame: np.ndarray, shot: int = 0, t: float | None = None) -> None:
        self.frames.append(np.clip(frame, 0, 255).astype(np.uint8))
        self.shots.append(shot)
        self.times.append(len(self.times) / RATE if t is None else t)

    def fresh(self, at: int) -> bool:
        return at == 0 or not np.array_equal(self.frames[at], self.frames[at - 1])


def camera(picture: np.ndarray, x: float, y: float, zoom: float) -> tuple[np.ndarray, np.ndarray]:
    """What a camera sees that looks at (x, y) of a photo and takes in `zoom` of it; and where that puts things."""
    high, wide = picture.shape[:2]
    scale = max(WIDTH / wide, HEIGHT / high) / zoom
    matrix = np.array([[scale, 0, WIDTH / 2 - scale * wide * x], [0, scale, HEIGHT / 2 - scale * high * y]])
    frame = cv2.warpAffine(picture, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return frame, matrix


def box_px(x0: float, y0: float, x1: float, y1: float) -> Box:
    return Box(x0 / WIDTH, y0 / HEIGHT, x1 / WIDTH, y1 / HEIGHT)


def paste(
    frame: np.ndarray,
    part: np.ndarray,
    centre: tuple[float, float],
    scale: float = 1.0,
    angle: float = 0.0,
    alpha: float = 1.0,
) -> tuple[np.ndarray, Box]:
    """Lay a picture on a frame; px, degrees."""
    high, wide = part.shape[:2]
    matrix = cv2.getRotationMatrix2D((wide / 2, high / 2), angle, scale)
    matrix[:, 2] += np.array(centre) - (wide / 2, high / 2)
    mask = cv2.warpAffine(np.ones((high, wide), np.float32), matrix, (WIDTH, HEIGHT))[..., None]
    laid = cv2.warpAffine(part, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    corners = np.array([[0, 0, 1], [wide, 0, 1], [0, high, 1], [wide, high, 1]]) @ matrix.T
    return frame * (1 - mask) + laid * mask, box_px(*corners.min(axis=0), *corners.max(axis=0))


def write(
    frame: np.ndarray, said: str, corner: tuple[float, float], size: float = 0.9, alpha: float = 1.0
) -> tuple[np.ndarray, Box]:
    """Write a line with its lower left corner at (x, y) px; parts of px count."""
    thick = max(1, round(2 * size))
    (wide, high), below = cv2.getTextSize(said, cv2.FONT_HERSHEY_DUPLEX, size, thick)
    x, y = corner
    spot = (round(x * 16), round(y * 16))
    mask = np.zeros((HEIGHT, WIDTH), np.float32)
    big = np.zeros((high + below + 8, wide + 8), np.float32)
    cv2.putText(big, said, (4, high + 4), cv2.FONT_HERSHEY_DUPLEX, size, 1.0, thick, cv2.LINE_AA)
    matrix = np.array([[1, 0, spot[0] / 16 - 4], [0, 1, spot[1] / 16 - high - 4]], np.float64)
    mask = cv2.warpAffine(big, matrix, (WIDTH, HEIGHT))[..., None] * alpha
    shadow = cv2.GaussianBlur(mask, (5, 5), 0)[..., None]
    frame = frame * (1 - 0.7 * shadow)
    return frame * (1 - mask) + 255 * mask, box_px(x, y - high, x + wide, y + below)


def find(film: Film, at: int, wanted: DetectionScope, rng: np.random.Generator) -> list[Candidate] | None:
    """What a detector finds: boxes that tremble, some missed, some that are nothing."""
    if wanted == DetectionScope.NOTHING:
        return None
    found = []
    for thing in film.things.values():
        text = thing.type in TEXT_TYPES
        if at not in thing.boxes or (text and wanted != DetectionScope.ALL) or rng.random() < film.missed:
            continue
        box = thing.boxes[at]
        off = rng.normal(0, film.jitter, 4) * (box.width, box.height, box.width, box.height)
        facts = TextFacts(thing.said, 100 * box.height, None, None) if text else None
        shaken = Box(*(float(side + step) for side, step in zip(box, off, strict=True))).clipped()
        confidence = float(rng.uniform(0.5, 0.79))
        label = thing.said if text else "" if thing.type == "branding" else thing.type
        found.append(Candidate(thing.type, label, shaken, confidence, "text" if text else "detector", text=facts))
    if rng.random() < film.false:
        x, y = rng.uniform(0, 0.7, 2)
        found.append(
            Candidate("product", "product", Box(x, y, x + 0.2, y + 0.3), float(rng.uniform(0.3, 0.6)), "detector")
        )
    return found


def tracked(film: Film, seed: int = 0) -> tuple[tuple[Aoi, ...], list[DetectionScope]]:
    """Run a tracker over a film."""
    rng = np.random.default_rng(seed)
    tracker = Tracker(UUID(int=7))
    wanted = []
    ends = [*film.times[1:], film.times[-1] + 1 / RATE]
    for at, (frame, shot, t) in enumerate(zip(film.frames, film.shots, film.times, strict=True)):
        fresh = film.fresh(at)
        wanted.append(tracker.due(t, shot, fresh, frame))
        found = find(film, at, wanted[-1], rng)
        tracker.add(t, ends[at] - t, shot, fresh, frame, found, scope=wanted[-1])
    return tracker.aois(), wanted


@dataclass(frozen=True)
class Fit:
    """How well tracks fit the truth."""

    name: str
    iou: float
    recall: float
    precision: float
    switches: int
    aois: int
    things: int
    objects_looks: int
    text_looks: int
    samples: int

    def row(self) -> str:
        return (
            f"{self.name:34s} {self.iou:5.3f} {self.recall:6.3f} {self.precision:9.3f} {self.switches:8d}"
            f" {self.aois:4d}/{self.things:<4d} {self.objects_looks:7d} {self.text_looks:4d} {self.samples:7d}"
        )


HEAD = f"{'scene':34s}   IoU recall precision switches      AOIs objects text samples"


def fit(film: Film, aois: Sequence[Aoi], wanted: Sequence[DetectionScope]) -> Fit:
    """Compare: a sighting is right if it overlaps by half with a thing of its kind that no other is nearer to."""
    number = {t: at for at, t in enumerate(film.times)}
    seen: dict[int, list[tuple[Aoi, Box]]] = {}
    for aoi in aois:
        for sighting in aoi.track:
            seen.setdefault(number[sighting.t_s], []).append((aoi, sighting.box))
    overlaps, switches, partly, last = [], 0, 0, dict[str, str]()
    for at in range(len(film.frames)):
        pairs = sorted(
            (
                (thing.boxes[at].iou(box), thing.name, str(aoi.aoi_id))
                for thing in film.things.values()
                if at in thing.boxes
                for aoi, box in seen.get(at, [])
                if class_compatibility(thing.type, aoi.type)
            ),
            reverse=True,
        )
        taken: set[str] = set()
        for iou, name, aoi_id in pairs:
            if iou >= 0.5 and name not in taken and aoi_id not in taken:
                taken |= {name, aoi_id}
                overlaps.append(iou)
                switches += last.get(name, aoi_id) != aoi_id
                last[name] = aoi_id
        left = [box for aoi, box in seen.get(at, []) if str(aoi.aoi_id) not in taken]
        half = [thing.partly[at] for thing in film.things.values() if at in thing.partly]
        partly += sum(any(box.iou(other) >= 0.3 for other in half) for box in left)  # neither right nor wrong
    shown = sum(len(thing.boxes) for thing in film.things.values())
    told = sum(len(aoi.track) for aoi in aois) - partly
    return Fit(
        film.name,
        float(np.mean(overlaps)) if overlaps else 0.0,
        len(overlaps) / max(1, shown),
        len(overlaps) / max(1, told),
        switches,
        len(aois),
        len(film.things),
        sum(w == DetectionScope.OBJECTS for w in wanted),
        sum(w == DetectionScope.ALL for w in wanted),
        len(film.frames),
    )


def product(name: str = "coffee") -> np.ndarray:
    return photo(name, 120)


def logo() -> np.ndarray:
    """A mark on a plate of its own."""
    plate = np.full((36, 90, 3), (200, 20, 40), np.uint8)
    cv2.putText(plate, "ACME", (6, 27), cv2.FONT_HERSHEY_DUPLEX, 0.9, (255, 255, 255), 2, cv2.LINE_AA)
    return plate


def face(name: str) -> np.ndarray:
    """The astronaut's face, or the cat's."""
    place = {"astronaut": (slice(20, 150), slice(115, 230)), "cat": (slice(60, 260), slice(100, 300))}[name]
    return cv2.resize(photo(name, 400)[place], (72, 80), interpolation=cv2.INTER_AREA)


SCENES: dict[str, Callable[[], Film]] = {}


def scene(make: Callable[[Film], None]) -> Callable[[Film], None]:
    name = make.__name__

    def build() -> Film:
        film = Film(name.replace("_", " "))
        make(film)
        return film

    SCENES[name] = build
    return make


@scene
def logo_on_a_pan(film: Film) -> None:
    for at in range(30):
        frame, _ = camera(photo("rocket"), 0.3 + 0.012 * at, 0.5, 0.5)
        frame, box = paste(frame, logo(), (310, 40))
        film.show("logo", "branding", box)
        film.add(frame)


@scene
def letters_on_a_pan(film: Film) -> None:
    for at in range(30):
        frame, _ = camera(photo("astronaut"), 0.3 + 0.012 * at, 0.4, 0.5)
        frame, box = write(frame, "ACME", (260, 200), 1.2)
        film.show("letters", "branding", box)
        film.add(frame)


@scene
def turning_product(film: Film) -> None:
    ground, _ = camera(photo("hubble"), 0.5, 0.5, 0.8)
    for at in range(30):
        frame, box = paste(ground, product(), (80 + 7 * at, 110 + 30 * np.sin(at / 5)), 0.8 + 0.015 * at, 8 * at)
        film.show("product", "product", box)
        film.add(frame)


Parts = dict[str, tuple[AoiType, tuple[float, float, float, float]]]


def _on_photo(
    film: Film, name: str, parts: Parts, path: Callable[[int], tuple[float, float, float]], samples: int = 30
) -> None:
    """Film a photo; parts are boxes on it, unit coordinates of the photo."""
    picture = photo(name, 800)
    high, wide = picture.shape[:2]
    for at in range(samples):
        frame, matrix = camera(picture, *path(at))
        for part, (kind, (x0, y0, x1, y1)) in parts.items():
            corners = np.array([[x0 * wide, y0 * high, 1], [x1 * wide, y1 * high, 1]]) @ matrix.T
            film.show(part, kind, box_px(*corners[0], *corners[1]))
        film.add(frame)


@scene
def pan(film: Film) -> None:
    parts: Parts = {"cup": ("product", (0.25, 0.15, 0.7, 0.75)), "spoon": ("other", (0.02, 0.5, 0.24, 0.9))}
    _on_photo(film, "coffee", parts, lambda at: (0.35 + 0.01 * at, 0.45, 0.6))


@scene
def fast_pan(film: Film) -> None:
    parts: Parts = {"face": ("face", (0.36, 0.1, 0.56, 0.38)), "rocket": ("product", (0.62, 0.05, 0.9, 0.6))}
    _on_photo(film, "astronaut", parts, lambda at: (0.2 + 0.03 * at, 0.35, 0.5), 20)


@scene
def zoom(film: Film) -> None:
    parts: Parts = {"face": ("face", (0.36, 0.1, 0.56, 0.38)), "person": ("person", (0.05, 0.05, 0.85, 0.98))}
    _on_photo(film, "astronaut", parts, lambda at: (0.46, 0.3, 1.0 * 0.975**at))


@scene
def handheld_with_five(film: Film) -> None:
    parts: Parts = {
        "face": ("face", (0.36, 0.1, 0.56, 0.38)),
        "person": ("person", (0.05, 0.05, 0.85, 0.98)),
        "rocket": ("product", (0.62, 0.05, 0.9, 0.6)),
        "flag": ("other", (0.0, 0.1, 0.3, 0.5)),
        "badge": ("branding", (0.2, 0.62, 0.34, 0.78)),
    }
    _on_photo(
        film, "astronaut", parts, lambda at: (0.46 + 0.03 * np.sin(at * 1.3), 0.45 + 0.03 * np.sin(at * 2.1), 0.8), 30
    )


@scene
def title_on_a_pan(film: Film) -> None:
    alphas = np.interp(np.arange(40), [8, 11, 28, 31], [0, 1, 1, 0])
    for at, alpha in enumerate(alphas):
        frame, _ = camera(photo("rocket"), 0.3 + 0.008 * at, 0.5, 0.5)
        frame, box = write(frame, "Summer Sale", (60, 120), 1.2, alpha)
        if alpha >= 0.4:
            film.show("title", "headline_text", box, "Summer Sale")
        film.add(frame)


@scene
def title_on_a_still(film: Film) -> None:
    alphas = np.interp(np.arange(40), [8, 11, 28, 31], [0, 1, 1, 0])
    ground, _ = camera(photo("coffee"), 0.5, 0.5, 0.9)
    for alpha in alphas:
        frame, box = write(ground, "Fresh Coffee", (60, 60), 1.2, alpha)
        if alpha >= 0.4:
            film.show("title", "headline_text", box, "Fresh Coffee")
        film.add(frame)


@scene
def cut_away_and_back(film: Film) -> None:
    for shot, (ground, who) in enumerate([("rocket", "astronaut"), ("coffee", None), ("rocket", "astronaut")]):
        for at in range(12):
            frame, _ = camera(photo(ground), 0.4 + 0.005 * at, 0.5, 0.7)
            if who:
                frame, box = paste(frame, face(who), (120 + 2 * at + 20 * shot, 110), 1.0 + 0.1 * shot)
                film.show(who, "face", box)
                frame, box = paste(frame, logo(), (320, 180 - 70 * shot))
                film.show("logo", "branding", box)
            film.add(frame, shot)


@scene
def another_face_after_a_cut(film: Film) -> None:
    for shot, who in enumerate(["astronaut", "cat"]):
        for at in range(12):
            frame, _ = camera(photo("rocket"), 0.4 + 0.005 * at, 0.5, 0.7)
            frame, box = paste(frame, face(who), (120 + 2 * at, 110))
            film.show(who, "face", box)
            film.add(frame, shot)


@scene
def logo_through_cuts(film: Film) -> None:
    for at in range(40):
        shot = at // 8
        frame, _ = camera(
            photo(["rocket", "coffee", "astronaut", "cat", "hubble"][shot]), 0.5, 0.5, 0.6 + 0.01 * (at % 8)
        )
        frame, box = paste(frame, logo(), (310, 40))
        film.show("logo", "branding", box)
        film.add(frame, shot)


@scene
def occlusion(film: Film) -> None:
    ground, _ = camera(photo("hubble"), 0.5, 0.5, 0.8)
    for at in range(18):
        frame, box = paste(ground, product(), (20 + 20 * at, 120), 0.5)
        left, right = 170, 230
        frame = np.array(frame)
        frame[:, left:right] = photo("cat", 384)[:HEIGHT, left:right]
        hidden = box.intersection(box_px(left, 0, right, HEIGHT)) / box.area
        if hidden <= 0.5:
            film.show("product", "product", box)
        film.add(frame)


@scene
def two_alike_crossing(film: Film) -> None:
    ground, _ = camera(photo("rocket"), 0.5, 0.5, 0.8)
    one, other = product(), cv2.flip(product(), 1)
    for at in range(30):
        frame, first = paste(ground, one, (50 + 9 * at, 90), 0.6)
        frame, second = paste(frame, other, (330 - 9 * at, 112), 0.6)
        if first.intersection(second) <= 0.5 * first.area:
            film.show("one", "product", first)
        film.show("other", "product", second)
        film.add(frame)


@scene
def credits_that_scroll(film: Film) -> None:
    names = ["Director Ann Lee", "Camera Bo Diaz", "Sound Cy Young", "Light Di Moss", "Cut Ed Nunn", "Music Flo Orr"]
    for at in range(50):
        frame: np.ndarray = np.zeros((HEIGHT, WIDTH, 3), np.float32)
        for line, name in enumerate(names):
            y = HEIGHT + 20 + 44 * line - 8 * at
            if -20 < y < HEIGHT + 20:
                frame, box = write(frame, name, (80, y), 0.8)
                film.show(name, "body_text", box, name)
        film.add(frame)


@scene
def kinetic_type(film: Film) -> None:
    ground, _ = camera(photo("coffee"), 0.5, 0.5, 0.9)
    for at in range(35):
        x = max(30.0, 380 - 25.0 * max(0, at - 5))
        frame, box = write(ground, "Taste it", (x, 110), 0.9 + 0.02 * max(0, at - 18))
        if at >= 5:
            film.show("title", "headline_text", box, "Taste it")
        film.add(frame)


@scene
def slides_in_one_shot(film: Film) -> None:
    ground = np.full((HEIGHT, WIDTH, 3), 40.0)
    for at in range(30):
        said = ["Ask your doctor", "Order it today", "Only this week"][at // 10]
        frame, box = write(ground, said, (50, 110), 1.0)
        film.show(said, "headline_text", box, said)
        film.add(frame)


@scene
def flicker(film: Film) -> None:
    film.missed = 0.3
    parts: Parts = {"cup": ("product", (0.25, 0.15, 0.7, 0.75)), "spoon": ("other", (0.02, 0.5, 0.24, 0.9))}
    _on_photo(film, "coffee", parts, lambda at: (0.35 + 0.005 * at, 0.45, 0.6), 50)


@scene
def false_detections(film: Film) -> None:
    film.false = 0.3
    parts: Parts = {"cup": ("product", (0.25, 0.15, 0.7, 0.75))}
    _on_photo(film, "coffee", parts, lambda at: (0.35 + 0.005 * at, 0.45, 0.6), 50)


@scene
def held_frames(film: Film) -> None:
    for at in range(40):
        stage = at // 10
        frame, _ = camera(photo("coffee" if stage < 3 else "rocket"), 0.5, 0.5, 0.8)
        if stage >= 1:
            frame, box = write(frame, "Good morning", (60, 60), 1.0)
            film.show("title", "headline_text", box, "Good morning")
        if stage == 2:
            frame, box = paste(frame, logo(), (310, 180))
            film.show("logo", "branding", box)
        film.add(frame)


@scene
def uneven_rate(film: Film) -> None:
    rng = np.random.default_rng(5)
    t = 0.0
    for _ in range(40):
        ground, _ = camera(photo("rocket"), 0.3 + 0.05 * t, 0.5, 0.6)
        frame, box = paste(ground, product(), (80 + 40 * t, 110), 0.8 + 0.05 * t)
        film.show("product", "product", box)
        film.add(frame, t=round(t, 3))
        t += float(rng.choice([0.04, 0.12, 0.2, 0.36]))


@scene
def light_goes_up_and_down(film: Film) -> None:
    for at in range(30):
        frame, _ = camera(photo("coffee"), 0.4 + 0.004 * at, 0.5, 0.8)
        frame, box = paste(frame, face("astronaut"), (280, 110))
        film.show("face", "face", box)
        film.add(frame * (0.65 + 0.35 * np.sin(at / 3)))
