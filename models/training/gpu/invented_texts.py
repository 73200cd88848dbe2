"""Invent short texts as advertisements, feeds and pages carry them, in many languages; needs `pip install faker`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from faker import Faker

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "objects")]
from ad_words import LANGUAGES, body, brand_name, call, claim, contact, offer, one, price  # noqa: E402
from feed_cards import BUTTONS, WORDS  # noqa: E402

Rng = np.random.Generator

LOCALES = (
    "en_US", "en_US", "en_US", "en_GB", "en_IN", "de_DE", "fr_FR", "es_ES", "es_MX", "it_IT", "pt_BR", "nl_NL", "pl_PL",
    "tr_TR", "sv_SE", "cs_CZ", "hu_HU", "ro_RO", "da_DK", "fi_FI", "no_NO", "id_ID", "ru_RU", "zh_CN", "ja_JP",
)  # fmt: skip

VERBS = (
    "Shop Buy Order Get Try Book Find Discover Explore See Start Join Download Install Watch Play Read Learn Call "
    "Visit Subscribe Register Apply Claim Reserve Request Contact Donate Save Upgrade Compare Build Design Create "
    "Send Choose Click Tap Swipe Scan Follow Share Enter Win Grab Hurry Check Sign Log View Browse Listen Unlock "
    "Schedule Add"
)
OBJECTS = (
    "now|today|here|online|more|it free|your free trial|the app|a demo|a store near you|your quote|the collection|"
    "tickets|an appointment|us|our website|for free|the menu|yours|in store|your seat|the guide|to cart|up|in|"
    "started|on the App Store|it on Google Play|the link in bio|the QR code|for more information|and save|before "
    "they are gone|the full story|new arrivals|all deals|your gift|a free consultation|with confidence|our "
    "newsletter|offer|details"
)
OFFERS = (
    "{n}% off|Save {n}%|Up to {n}% off|Buy {m} get 1 free|{m} for {m}|From {p}|Only {p}|Was {p}|Now {p}|{p} per "
    "month|Use code {c}|Code: {c}|Promo code {c}|Free shipping over {p}|Free delivery|Limited time offer|Today only|"
    "Ends {d}|Valid until {d}|Black Friday|Cyber Monday|Summer sale|Winter sale|Clearance|Special offer|Best price|"
    "{d}|{d}, {t}|{t}|Doors open {t}|Starting at {p}|{n}% discount|New|Bestseller|Sold out|Last chance|{m} days left|"
    "Members only|Free gift with purchase|Bundle and save {n}%|{p}/mo|0% APR|Flash sale|Early bird {p}|Tickets {p}|"
    "{n}% cashback"
)
LEGAL = (
    "Terms and conditions apply|See website for details|All rights reserved|© {y} {b}|{b}® is a registered trademark|"
    "While supplies last|Excludes sale items|Subject to availability|Please drink responsibly|Not valid with any "
    "other offer|Must be 18 or older|Results may vary|Individual results may vary|Individual offers may differ|Ask "
    "your doctor|Photo for illustration only|Serving suggestion|Privacy policy|Terms of service|Printed in the EU|"
    "Member FDIC|Licence no. {n}{n}{n}|Batteries not included|*Compared with the previous model|Read the label "
    "before use"
)
MENU = (
    "Home|About|About us|Contact|Products|Services|Solutions|Pricing|Blog|News|Shop|Cart|Account|Log in|Sign in|"
    "Search|Menu|Help|FAQ|Support|Careers|Company|Resources|Features|Gallery|Portfolio|Team|Events|Stories|Reels|For "
    "you|Following|Explore|Messages|Notifications|Profile|Settings|Men|Women|Kids|Sale|New in|Brands|Accept all "
    "cookies|Reply|Like|Comment|Share|Send|Save|Suggested for you|See translation|Liked by {b} and others|View all "
    "{n} comments|{n}K views|{n} likes|{m} hours ago|Add a comment...|Promoted|Sponsored|Follow|{b} and {n} others|"
    "5G|LTE|9:41"
)
NAMES = (
    "Flyer|Poster|Concert|Festival|Workshop|Webinar|Conference|Exhibition|Live music|Grand opening|Happy hour|We are "
    "hiring|Join our team|Save the date|Coming soon|Now open|Now streaming|In cinemas {d}|Directed by {q}|Starring "
    "{q}|A film by {q}|Written by {q}|With {q}|Hosted by {q}|Featuring {q}|Season {m}|Volume {m}|Issue {n}|Chapter "
    "{m}|Net wt. {n} g|{n} ml|{n} oz|Ingredients|Nutrition facts|Made in Italy|Vegan|Gluten free|Organic|Sugar free|"
    "No added sugar|Extra virgin|Premium quality|Original|Classic|Limited edition|Since {y}|Est. {y}|Serves {m}"
)


def invented(rng: Rng, fakers: dict[str, Faker]) -> str:
    """Invent one text."""
    locale = LOCALES[int(rng.integers(len(LOCALES)))]
    fake, code = fakers[locale], locale[:2]
    known = code if code in LANGUAGES else "en"
    worded = code if code in WORDS else "en"

    def phrase(phrases: str) -> str:
        return one(rng, phrases.split("|"))

    def filled(pattern: str) -> str:
        values = {
            "n": str(rng.integers(1, 100)), "m": str(rng.integers(1, 10)), "p": price(rng), "d": date(), "y":
            str(rng.integers(1850, 2027)), "b": brand_name(rng), "q": fake.name(), "t":
            one(rng, [f"{rng.integers(1, 13)} pm", f"{rng.integers(8, 23)}:30", f"{rng.integers(1, 12)}am"]),
            "c": fake.lexify("????").upper() + str(rng.integers(5, 60)),
        }  # fmt: skip
        return pattern.format(**values)

    def date() -> str:
        return fake.date_object().strftime(one(rng, ["%d %B", "%B %d, %Y", "%d.%m.%Y", "%a %d %b", "%A", "%d/%m/%y"]))

    kinds = (
        (4, lambda: claim(rng, known)),
        (5, lambda: body(rng, known, int(rng.integers(3, 12)))),
        (2, lambda: call(rng, known)),
        (2, lambda: phrase(BUTTONS[worded])),
        (5, lambda: f"{one(rng, VERBS.split())} {phrase(OBJECTS)}"),
        (2, lambda: offer(rng, known)),
        (5, lambda: filled(phrase(OFFERS))),
        (2, lambda: price(rng)),
        (3, lambda: contact(rng, brand_name(rng))),
        (3, lambda: brand_name(rng)),
        (2, lambda: phrase(one(rng, WORDS[worded]))),
        (4, lambda: filled(phrase(MENU))),
        (4, lambda: filled(phrase(LEGAL))),
        (4, lambda: filled(phrase(NAMES))),
        (4, lambda: fake.company()),
        (4, lambda: fake.catch_phrase() if hasattr(fake, "catch_phrase") else fake.bs()),
        (10, lambda: fake.sentence(int(rng.integers(2, 10)))),
        (3, lambda: " ".join(fake.words(int(rng.integers(1, 3)))).title()),
        (2, lambda: fake.job()),
        (2, lambda: fake.city()),
        (2, lambda: fake.address().replace("\n", ", ")),
        (2, lambda: fake.phone_number()),
        (2, lambda: one(rng, [fake.url(), fake.email(), fake.domain_name(), f"@{fake.user_name()}"])),
        (2, lambda: fake.name()),
    )
    weights = np.array([weight for weight, _ in kinds], float)
    text = kinds[int(rng.choice(len(kinds), p=weights / weights.sum()))][1]()
    return text.upper() if rng.random() < 0.15 else text


def invented_texts(count: int, seed: int = 0) -> list[str]:
    """Invent texts, none twice; the same of the same seed."""
    rng = np.random.default_rng(seed)
    fakers = {locale: Faker(locale) for locale in set(LOCALES)}
    for number, locale in enumerate(sorted(fakers)):
        fakers[locale].seed_instance(seed + number)
    texts: dict[str, None] = {}
    while len(texts) < count:
        texts[invented(rng, fakers)] = None
    return list(texts)
