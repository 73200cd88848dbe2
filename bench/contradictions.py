"""Find sentences on the page of an ad that exclude each other, or say nothing.

    python -m bench.contradictions RUN [RUN ...]

Reads all that a page says of each ad: checks, what they advise, suggestions, and whether the text of each area can be
read. Prints each contradiction with its kind, and ends with 1 if there are any.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator

import mediaan as mn
from mediaan.aoi.detection.brand_names import names_brand
from mediaan.aoi.detection.call_to_action import call_to_action_confidence
from mediaan.aoi.legibility import with_legibility
from mediaan.aoi.scoring.main_area import lies_on_object
from mediaan.types.result import Result

ASKS = 0.7
"""`call_to_action_confidence` of a line that asks for something."""

MEANINGLESS = 2.0
"""Share of viewers or of attention that is no finding in favour of an ad, %."""

_PLACE = re.compile("on a (?:phone|desktop)|in a banner’s slot")
_QUOTE = re.compile("“([^”]*)”")


def contradictions(result: Result) -> Iterator[tuple[str, str]]:
    """Yield the kind of each contradiction of an ad, and the sentences."""
    checks = {check.name: check for check in result.checks}
    areas = {str(area.aoi_id): area for area in result.aois or ()}
    yield from _legibility(result)
    named = [area for area in areas.values() if result.brand and names_brand(area.words, (result.brand.name,))]
    named += [area for area in areas.values() if area.type == "branding"]
    for check in result.checks:
        if "could not be read anywhere" in check.text and named:
            yield "brand there and not found", f"{check.text} / {named[0].words or named[0].label}"
    action = checks.get("action_seen")
    if action and "No call to action was found" in action.text and action.status == "failed":
        asking = [line for area in areas.values() for line in (area.words or "").splitlines()
                  if call_to_action_confidence(line) >= ASKS]  # fmt: skip
        asking += [area.label for area in areas.values() if area.type == "call_to_action"]
        if asking:
            yield "call to action there and to be added", f"{action.todo} / {asking[0]}"
    larger, smaller = set(), set()
    for sentence in (*(check.todo or "" for check in result.checks), *(edit.text for edit in result.suggestions)):
        quotes = _QUOTE.findall(sentence)
        if not quotes:
            if re.search(r"\b[Mm]ake (it|them)\b", sentence):
                yield "no subject", sentence
            continue
        if sentence.startswith("Enlarge") or re.match("Make .* larger or more", sentence):
            larger.add(quotes[0])
        if re.search("smaller", sentence):
            smaller.add(quotes[0])
            larger.update(quotes[1:])
    message = checks.get("message_seen")
    if message and message.status == "passed" and smaller & set(_QUOTE.findall(message.text)):
        yield "the message distracts from itself", message.text
    for words in larger & smaller:
        yield "larger and smaller", words
    for check in result.checks:
        shares = [float(share) for share in re.findall(r"(\d+)(?: ± \d+)? %", check.text.split("(minimum")[0])]
        if check.status == "passed" and shares and max(shares) < MEANINGLESS:
            yield "a number without meaning", check.text
        area = areas.get(check.aoi_id or "")
        alone = check.todo and check.todo.startswith("Make ") and "with the object" not in check.todo
        if alone and area and lies_on_object(area, areas.values()):
            yield "advice on lettering of an object", check.todo
    for edit in result.suggestions:
        if lies_on_object(areas[str(edit.aoi_id)], areas.values()):
            yield "advice on lettering of an object", edit.text
        for check in result.checks:
            about = check.aoi_id == str(edit.gains_aoi_id) and "of viewers see" in check.text
            if about and check.value is not None and abs(check.value - edit.before) > 1:
                yield "two shares of viewers", f"{check.text} / {edit.text}"
    failed = [check.text for check in result.checks if check.required and check.status == "failed"]
    if result.verdict == "works" and failed:
        yield "works and fails", ", ".join(failed)
    places = {place for check in result.checks for place in _PLACE.findall(check.text)}
    if len(places) > 1:
        yield "two places", ", ".join(places)


def _legibility(result: Result) -> Iterator[tuple[str, str]]:
    areas = {str(area.aoi_id): area for area in result.aois or ()}
    for area in with_legibility(areas.values(), result.medium, result.platform):
        if area.legible is not areas[str(area.aoi_id)].legible:
            yield "area read by another measure", f"{area.label}: {areas[str(area.aoi_id)].legible}, {area.legible}"
    for check in result.checks:
        area_of_check = areas.get(check.aoi_id or "")
        if area_of_check is None:
            continue
        if re.search("can be read (?:on|in) ", check.text) and area_of_check.legible is not True:
            yield "can be read and hard to read", check.text
        if "hard to read" in check.text and area_of_check.legible is not False:
            yield "can be read and hard to read", check.text
    if any("No text is large enough" in check.text for check in result.checks):
        for check in result.checks:
            if "can be read" in check.text:
                yield "can be read and hard to read", check.text


def main() -> int:
    """Print the contradictions of runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", help="run directories")
    counts: Counter[str] = Counter()
    ads = 0
    for path in parser.parse_args().runs:
        for result in mn.read_run(path).results():
            ads += 1
            for kind, sentences in contradictions(result):
                counts[kind] += 1
                print(f"{result.path}: {kind}: {sentences}")
    print(f"{ads} ads, {sum(counts.values())} contradictions", dict(counts))
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
