"""Words that users do not meet: those of the table in docs/style.md."""

import re
from pathlib import Path

from user_texts import ROOT, user_texts

# A word that is right elsewhere: (word, files or texts where it may stand).
_ALLOWED = {
    "proxy": re.compile(
        r"reverse|HTTP|TLS|nginx|forward|header|trust|client|front|connection|behind|machine|an estimate",
        re.I,
    ),
    "population": re.compile(r"a population of", re.I),
}


def unwanted() -> list[str]:
    page = (ROOT / "docs/style.md").read_text("utf-8").partition("## Not used")[2]
    rows = re.findall(r"^\| (?!not \||---)(.+?) \| .+? \|$", page, flags=re.M)
    return [re.sub(r"\s*\(.*?\)", "", row) for row in rows]


def test_no_text_has_a_word_that_the_style_page_rules_out():
    words = unwanted()
    assert len(words) > 30
    pattern = re.compile(r"\b(?:" + "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words) + r")\b", re.I)
    found: list[str] = []
    for path, line, text in user_texts():
        for match in pattern.finditer(text):
            allowed = _ALLOWED.get(match[0].lower())
            if allowed is None or not allowed.search(text):
                found.append(f"{Path(path).relative_to(ROOT)}:{line}: {match[0]!r} in {' '.join(text.split())[:110]!r}")
    assert not found, "\n".join(found)
