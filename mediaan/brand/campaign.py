"""Propose whose ads a folder holds, from the names that recur in what was read in them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, NamedTuple

from rapidfuzz import fuzz, process

from mediaan.aoi.detection.brand_names import normalize_name
from mediaan.aoi.detection.call_to_action import is_sentence

if TYPE_CHECKING:
    from mediaan.run import Run


NameSource = Literal["mark", "begins_mark", "in_mark", "account", "address", "handle", "line", "words"]

SOURCE_WORDS: Mapping[NameSource, str] = {
    "mark": "a mark",
    "begins_mark": "the beginning of a mark",
    "in_mark": "in a mark",
    "account": "beside a post, as an account",
    "address": "an address",
    "handle": "a handle",
    "line": "a short line",
    "words": "in a text",
}
"""Where a name stands."""

MOST_WORDS, _LEAST_LETTERS, _MOST_LETTERS = 3, 3, 50
"""Words of a name, at most, and letters of it."""


class ReadText(NamedTuple):
    """A text that was read in a file."""

    text: str
    """Lines separated by newlines; of a mark, what it says."""
    type: str
    """Area type."""
    label: str = ""
    """Of the area."""


@lru_cache(maxsize=1)
def _common_words() -> Mapping[str, float]:
    stored = files("mediaan.brand").joinpath("ad_words.txt").read_text(encoding="utf-8")
    counts = dict(line.split() for line in stored.splitlines())
    everyday = files("mediaan.aoi.detection").joinpath("common_words.txt").read_text(encoding="utf-8").split()
    by_ads = {word: min(1.0, (1 + math.log2(int(count))) / 6) for word, count in counts.items()}
    return by_ads | dict.fromkeys(everyday, 1.0)


@lru_cache(maxsize=65536)
def commonness(name: str) -> float:
    """Return how common the rarest word of a name is in ads of other advertisers, 0-1; 0 for one that few ads hold.

    >>> commonness("Free Offers") > 0.3, commonness("Verizon")
    (True, 0.0)
    """
    words = [word for part in _WORD.findall(name) if (word := normalize_name(part)) and word not in _LEGAL]
    counts = _common_words()
    return min((1.0 if word.isdigit() or len(word) == 1 else counts.get(word, 0.0) for word in words), default=1.0)


_ADDRESS = re.compile(
    r"(?:https?\W{1,4})?(?:www\d?\s?[.,]\s?)?(?:[\w.+-]{1,64}@)?(?P<name>[^\W_][\w-]{1,62})(?:\.(?:com?|net|org|ac))?\s?\."
    r"(?:com?|net|org|edu|gov|info|biz|app|shop|store|online|io|ai|tv|eu|[a-z]{2})(?![\w@.])(?:/[\w./-]*)?",
    re.IGNORECASE,
)
_HANDLE = re.compile(r"(?<![\w.])[@©]\s?(?P<name>[^\W\d][\w.]{2,})")  # @ is often read as ©
_SEPARATORS = re.compile(r"[·•|–—:;,/\\()\[\]\"“”„«»!?+*=<>]+|\s-\s|(?<=\w{3})\.(?=\s|$)|\s{3,}")
_WORD = re.compile(r"[^\W_][\w'’&.-]*|&")
_LEGAL = frozenset(
    (
        *("inc", "ltd", "llc", "gmbh", "ag", "co", "corp", "company"),
        *("plc", "sa", "spa", "sarl", "bv", "pty", "pvt", "limited"),
    )
)
_HOSTS = frozenset(
    (
        *("gmail", "googlemail", "yahoo", "hotmail", "outlook", "icloud", "gmx", "protonmail"),
        *("google", "apple", "bit", "facebook", "instagram", "twitter", "youtube", "linkedin"),
        *("tiktok", "pinterest", "whatsapp", "linktr", "localhost", "example", "website"),
        *("yourwebsite", "yoursite", "reallygreatsite", "username"),
    )
)
"""Names in addresses and handles that are those of a host, or of a template."""


def names_in(text: ReadText) -> Iterator[tuple[NameSource, str]]:
    """Yield the names that a text may hold, and where they stand."""
    if text.type == "other" and text.label != "platform":
        return  # prices
    for line in text.text.splitlines():
        for match in _ADDRESS.finditer(line):
            yield from _name(match["name"], "address")
        for match in _HANDLE.finditer(line):
            yield from _name(re.sub(r"[_.]", " ", match["name"]), "handle")
        if text.type == "branding":
            yield from _runs(line, "mark")
            continue
        for part in _SEPARATORS.split(_HANDLE.sub(" | ", _ADDRESS.sub(" | ", line))):
            if len(part.split()) > MOST_WORDS + 1 or is_sentence(part):
                yield from _runs(part, None)
            else:
                yield from _runs(part, "account" if text.label == "platform" else "line")


def _runs(text: str, source: NameSource | None) -> Iterator[tuple[NameSource, str]]:
    """Yield a text that is short enough for a name, from its source, and runs of its words; of a longer text those
    with capitals."""
    words = [word for word in text.split() if _WORD.search(word)]
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + MOST_WORDS) + 1):
            run = words[start:end]
            if source and len(run) == len(words):
                yield from _name(" ".join(run), source)
            elif source == "mark":
                yield from _name(" ".join(run), "in_mark" if start else "begins_mark")
            elif source or all(word[:1].isupper() or word == "&" for word in run):
                yield from _name(" ".join(run), "words")


def _name(text: str, source: NameSource) -> Iterator[tuple[NameSource, str]]:
    spelling = "".join(letter for letter in text if letter.isprintable()).strip(" .,-'’&·")
    key = normalize_name(spelling)
    least = 2 if source == "mark" or not key.isascii() else _LEAST_LETTERS  # H&M; two ideographs are a name
    if least <= len(key) <= _MOST_LETTERS and any(map(str.isalpha, key)) and key not in _HOSTS:
        yield source, spelling


MOST_MEDIA = 10_000
"""Files of a run up to which they are compared."""


@dataclass(frozen=True, slots=True)
class ProposalSettings:
    """Weights and thresholds by which names become a proposal."""

    source_weights: Mapping[NameSource, float]
    """How much a source says in one file, 0-1."""
    single: tuple[float, ...]
    """Of an ad alone: log odds of a name without evidence, and the weight of each part of `NameFeatures`. Fitted, like
    the next, by ``python -m bench.campaigns DATA/ads/images --out RUN --fit``."""
    several: tuple[float, ...]
    """The same of several ads."""
    least_single: float = 0.8
    """Confidence from which on a name in one ad is proposed."""
    least_several: float = 0.5
    """Confidence from which on a name in several ads is proposed."""
    long_name: int = 6
    """Letters from which on a name may be misread."""
    similar: float = 86.0
    """Similarity of two readings of one name, 0-100."""
    too_common: float = 0.5
    """Commonness from which on it is no name: four advertisers say it."""
    tried: int = 40
    """Names that are compared, of those with the most evidence."""
    most_files: int = 100
    """Files of a folder that are compared, spread evenly; more say nothing new."""


SETTINGS = ProposalSettings(
    source_weights={
        "mark": 0.75,
        "begins_mark": 0.6,
        "in_mark": 0.4,
        "account": 0.6,
        "address": 0.6,
        "handle": 0.5,
        "line": 0.3,
        "words": 0.15,
    },
    single=(-2.59, 0.00, 2.36, 2.05, 1.52, -2.64, -1.95),
    several=(-4.58, 3.93, 0.00, 4.36, 0.00, -3.39, -2.36),
)


class NameFeatures(NamedTuple):
    """Evidence that a name is the advertiser's, and that it is not."""

    share: float
    """Share of the files that hold it, 0-1."""
    weight: float
    """Mean weight of the evidence in those, 0-1."""
    strong: float
    """Share of the files in which a mark, an account, an address or a handle says it, 0-1."""
    agreement: float
    """Independent kinds of sources that agree, beyond the first."""
    common: float
    """How common its rarest word is in advertisements, 0-1."""
    rival: float
    """Mean weight, over the files, of the next name that is no part of it, 0-1."""


class NameCandidate(NamedTuple):
    """A name that may be the advertiser's."""

    name: str
    confidence: float
    """0-1, by a logistic model of the features."""
    features: NameFeatures
    evidence: dict[str, tuple[str, ...]]
    """By path, where it stands, such as ``a mark: ACME``."""


@dataclass(frozen=True, slots=True)
class BrandProposal:
    """A name that the files of a folder seem to advertise: a question, nothing is taken for granted."""

    name: str
    folder: str
    """Folder in the run, ending with ``/``; empty for the whole run."""
    paths: tuple[str, ...]
    """All files in it for which no brand is named."""
    evidence: Mapping[str, tuple[str, ...]]
    """By path, of the files that hold the name: where it stands, such as ``a mark: ACME``."""
    confidence: float
    """How probable it is that the name is right, 0-1."""

    @property
    def text(self) -> str:
        """The proposal in a sentence, with what it rests on."""
        if len(self.paths) == 1:
            return f"This ad looks like one of {self.name} ({'; '.join(next(iter(self.evidence.values()), ()))})."
        where = f" in {self.folder}" if self.folder else ""
        holding = "all" if len(self.evidence) == len(self.paths) else f"{len(self.evidence):,}"
        return f"These {len(self.paths):,} ads{where} look like those of {self.name}: {holding} show the name."


def brand_proposals(run: Run) -> tuple[BrandProposal, ...]:
    """Propose whose ads the folders of a run hold, from the names that recur in texts and marks that were read in them.

    Only files for which no brand is named are looked at. A proposal is made for the outermost folder that it holds for;
    a folder inside with another name has a proposal of its own. Nothing in the run changes.

    Parameters
    ----------
    run : Run
        In runs of more than `MOST_MEDIA` files, and without areas of text or marks, nothing is proposed.

    Returns
    -------
    tuple of BrandProposal
        By folder; empty where nothing is sure enough.
    """
    return tuple(_of_folder("", read_texts(run))) if run.metadata.counts.done <= MOST_MEDIA else ()


def proposal_sentences(run: Run) -> list[str]:
    """Say whose ads the folders of a run seem to hold: a sentence each of the first, and how many more there are."""
    proposals = brand_proposals(run)
    sentences = [f"{proposal.text} {_IF_SO}" for proposal in proposals[:_TOLD]]
    if len(proposals) > _TOLD:
        sentences.append(f"{len(proposals) - _TOLD:,} more folders look like one advertiser's each.")
    return sentences


_TOLD = 3
"""Proposals that are told in full."""
_IF_SO = "If so, name the brand (mediaan review, mediaan brand)."


def read_texts(run: Run) -> dict[str, list[ReadText]]:
    """Return what was read in each analyzed file of a run for which no brand is named, by path."""
    media = run.media[run.media["status"] == "done"].drop_duplicates("medium_id")
    named = {path: run.metadata.brand(path) for path in media["path"]}
    paths = {id_: path for id_, path in zip(media["medium_id"], media["path"], strict=True) if not named[path]}
    texts: dict[str, list[ReadText]] = {path: [] for path in paths.values()}
    aois = run.aois[run.aois["medium_id"].isin(paths)]
    columns = (aois[name] for name in ("medium_id", "type", "label", "text"))
    for medium_id, aoi_type, label, text in zip(*columns, strict=True):
        read = label if aoi_type == "branding" else text
        if isinstance(read, str):
            texts[paths[medium_id]].append(ReadText(read, aoi_type, label or ""))
    return texts


def _of_folder(folder: str, texts: Mapping[str, Sequence[ReadText]]) -> list[BrandProposal]:
    inside: defaultdict[str, dict[str, Sequence[ReadText]]] = defaultdict(dict)
    for path, of_file in texts.items():
        name, slash, _ = path[len(folder) :].partition("/")
        if slash:
            inside[f"{folder}{name}/"][path] = of_file
    proposals = [inner for below in sorted(inside) for inner in _of_folder(below, inside[below])]
    if any(len(below) == len(texts) for below in inside.values()):  # nothing but one more folder
        return proposals
    proposal = propose_name(texts)
    if proposal is None:
        return proposals
    key = normalize_name(proposal.name)
    others = [inner for inner in proposals if not _overlap(key, normalize_name(inner.name))]
    taken = {path for inner in others for path in inner.paths}
    paths = tuple(sorted(texts.keys() - taken))
    evidence = {path: proposal.evidence[path] for path in paths if path in proposal.evidence}
    return [BrandProposal(proposal.name, folder, paths, evidence, proposal.confidence), *others]


def propose_name(texts: Mapping[str, Sequence[ReadText]]) -> NameCandidate | None:
    """Return the name that files seem to advertise; None rather than a name that is not sure."""
    paths = sorted(texts)
    step = max(1, math.ceil(len(paths) / SETTINGS.most_files))
    best = next(iter(name_candidates({path: texts[path] for path in paths[::step]})), None)
    least = SETTINGS.least_single if len(paths) == 1 else SETTINGS.least_several
    return best if best is not None and best.confidence >= least else None


_Readings = dict[str, dict[NameSource, str]]
"""Of a name: by path, its spelling by source."""

_KINDS: tuple[frozenset[NameSource], ...] = (
    frozenset({"mark", "begins_mark", "in_mark"}),
    frozenset({"account", "address", "handle"}),
    frozenset({"line"}),
)
_WITHIN: frozenset[NameSource] = frozenset({"begins_mark", "in_mark", "words"})
_STRONG: frozenset[NameSource] = frozenset({"mark", "begins_mark", "account", "address", "handle"})


def name_candidates(texts: Mapping[str, Sequence[ReadText]]) -> list[NameCandidate]:
    """Return the names that may be the advertiser's, the surest first."""
    readings: defaultdict[str, _Readings] = defaultdict(dict)
    for path, of_file in texts.items():
        for text in of_file:
            for source, spelling in names_in(text):
                readings[normalize_name(spelling)].setdefault(path, {}).setdefault(source, spelling)
    roughly = {
        key: sum(map(_weight, by_path.values())) * (1 - 0.8 * commonness(_spelling(by_path)))
        for key, by_path in readings.items()
    }
    tried = sorted(roughly, key=lambda key: (-roughly[key], key))[: SETTINGS.tried]
    merged = {key: _with_misread(key, readings) for key in tried}
    weights = {key: sum(map(_weight, by_path.values())) for key, by_path in merged.items()}
    candidates = []
    for key, by_path in merged.items():
        sources = [frozenset(of_file) for of_file in by_path.values()]
        spelling = _spelling(by_path)
        if commonness(spelling) >= SETTINGS.too_common:
            continue
        if frozenset().union(*sources) <= _WITHIN and commonness(spelling.rpartition(" ")[2]) > 0 and " " in spelling:
            continue  # a name that is never alone, and the first words of a slogan
        features = NameFeatures(
            share=len(by_path) / len(texts),
            weight=weights[key] / len(by_path),
            strong=sum(bool(of_file & _STRONG) for of_file in sources) / len(texts),
            agreement=max(0, sum(any(of_file & kind for of_file in sources) for kind in _KINDS) - 1),
            common=commonness(spelling),
            rival=max((weights[other] for other in tried if not _overlap(key, other)), default=0.0) / len(texts),
        )
        intercept, *fitted = SETTINGS.single if len(texts) == 1 else SETTINGS.several
        odds = intercept + sum(weight * value for weight, value in zip(fitted, features, strict=True))
        evidence = {
            path: tuple(
                f"{words}: {spellings[source]}" for source, words in SOURCE_WORDS.items() if source in spellings
            )
            for path, spellings in by_path.items()
        }
        candidates.append(NameCandidate(spelling, 1 / (1 + math.exp(-odds)), features, evidence))
    return sorted(candidates, key=lambda name: (-round(name.confidence, 2), -len(name.name), name.name))


def _weight(sources: Collection[NameSource]) -> float:
    return 1.0 - math.prod(1.0 - SETTINGS.source_weights[source] for source in sources)


def _similar(a: str, b: str) -> bool:
    return min(len(a), len(b)) >= SETTINGS.long_name and fuzz.ratio(a, b) >= SETTINGS.similar


def _overlap(a: str, b: str) -> bool:
    return a in b or b in a or _similar(a, b)


def _with_misread(key: str, readings: Mapping[str, _Readings]) -> _Readings:
    """Return the readings of a name, with those in which a letter or two differ."""
    keys = [key]
    if len(key) >= SETTINGS.long_name:
        near = process.extract(key, readings.keys(), scorer=fuzz.ratio, score_cutoff=SETTINGS.similar, limit=None)
        keys += [other for other, _, _ in near if other != key and _similar(key, other)]
    by_path: _Readings = {}
    for other in keys:
        for path, spellings in readings[other].items():
            by_path[path] = spellings | by_path.get(path, {})
    return by_path


def _spelling(by_path: _Readings) -> str:
    """Return the commonest spelling, those from telling places first, and those with capitals as in a sentence."""
    counts: defaultdict[str, float] = defaultdict(float)
    for spellings in by_path.values():
        for source, spelling in spellings.items():
            joined = source in ("address", "handle")
            cased = not spelling.isupper() and not spelling.islower()
            counts[spelling] += SETTINGS.source_weights[source] * (0.5 if joined else 1.5 if cased else 1.0)
    return max(counts, key=lambda spelling: (counts[spelling], spelling))
