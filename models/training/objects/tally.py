"""Detections of one type counted against what was drawn: precision, recall, average precision."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

OVERLAP = 0.5  # intersection over union from which on a detection is right


@dataclass
class Tally:
    """Detections of one type: confidence, whether right, picture, and place among those of it; and what there was."""

    boxes: list[int] = field(default_factory=list)  # by picture
    confidence: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    rank: list[int] = field(default_factory=list)
    picture: list[int] = field(default_factory=list)

    @property
    def there(self) -> int:
        """How many boxes were drawn."""
        return sum(self.boxes)

    def add(self, confidence: np.ndarray, overlap: np.ndarray, doubtful: np.ndarray) -> None:
        """Count the D detections of a picture with T drawn boxes, by falling confidence; each box is found once.

        Parameters
        ----------
        confidence : (D,), falling
        overlap : (D, T)
            Intersection over union.
        doubtful : (D,) bool
            Lies where nobody can say: counts only if it is right.
        """
        self.boxes.append(overlap.shape[1])
        left = overlap.copy()
        for rank, value in enumerate(confidence):
            best = int(left[rank].argmax()) if left.shape[1] else -1
            hit = best >= 0 and left[rank, best] >= OVERLAP
            if hit:
                left[:, best] = -1
            elif doubtful[rank]:
                continue
            self.confidence.append(float(value))
            self.right.append(hit)
            self.rank.append(rank)
            self.picture.append(len(self.boxes) - 1)

    def at(self, least: float) -> tuple[float | None, float | None]:
        """Precision and recall of what is at least so confident; None where undefined."""
        right = np.array(self.right, bool)[np.array(self.confidence) >= least]
        return (float(right.mean()) if len(right) else None), (float(right.sum() / self.there) if self.there else None)

    def recall_within(self, first: int) -> float | None:
        """Share of the boxes that are found by the first so many proposals of their picture."""
        hits = np.array(self.right, bool)[np.array(self.rank) < first]
        return float(hits.sum() / self.there) if self.there else None

    def possible_within(self, first: int) -> float | None:
        """Greatest share that so many proposals a picture can find."""
        return sum(min(first, n) for n in self.boxes) / self.there if self.there else None

    def recall_by_picture(self, first: int) -> float | None:
        """Mean over the pictures that have such boxes of the share that the first so many proposals find."""
        early = np.array(self.right, bool) & (np.array(self.rank, int) < first)
        hits = np.bincount(np.array(self.picture, int)[early], minlength=len(self.boxes))
        shares = [h / n for h, n in zip(hits, self.boxes, strict=True) if n]
        return float(np.mean(shares)) if shares else None

    def average_precision(self, times: np.ndarray | None = None) -> float | None:
        """Area under precision over recall, precision made non-increasing (PASCAL VOC 2010 on).

        `times` (pictures,) says how often each picture counts; once, if it is not given. None without any box.
        """
        times = np.ones(len(self.boxes)) if times is None else times
        there = float(times @ np.array(self.boxes))
        if not there:
            return None
        order = np.argsort(-np.array(self.confidence), kind="stable")
        weight = times[np.array(self.picture, int)[order]]
        right = np.array(self.right, bool)[order] * weight
        precision = right.cumsum() / np.maximum(weight.cumsum(), 1e-12)
        best = np.maximum.accumulate(precision[::-1])[::-1]
        return float((best * right).sum() / there)

    def best(self) -> tuple[float, float, float]:
        """Greatest F1, with the precision and recall that make it."""
        order = np.argsort(-np.array(self.confidence), kind="stable")
        right = np.array(self.right, bool)[order].cumsum()
        if not len(right) or not self.there:
            return 0.0, 0.0, 0.0
        precision, recall = right / np.arange(1, len(right) + 1), right / self.there
        f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
        i = int(f1.argmax())
        return float(f1[i]), float(precision[i]), float(recall[i])
