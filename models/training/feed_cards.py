"""Draw invented posts of feeds and cards of ad networks around labelled designs and photographs.

    python models/training/feed_cards.py --data DATA --kit KIT --out FEEDS --count 400

Of the labelled designs few show what platforms put around an ad: the row with the page's name, "Sponsored", close
icons, display addresses, reactions. Here they are drawn, so that text_layout.py can learn them. KIT is that of
objects/assets.py, for its fonts. Writes `images/NNNNN_DESIGN.jpg`, and `areas.json` and `undecided.json` as in
`labels`; designs of check are never used. A picture depends on the seed and its number alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).resolve().parent
LABELS = HERE / "labels"
sys.path.append(str(HERE / "objects"))
from ad_words import LANGUAGES, body, brand_name, call, claim, offer, one, price  # noqa: E402

Rng = np.random.Generator
Colour = tuple[int, int, int]

FONTS = ("roboto", "inter", "open-sans", "lato", "work-sans", "nunito")
CODES = ("en", "en", "en", "en", "de", "fr", "es", "it", "pt", "nl")
BUTTONS = {
    "en": "Learn more|Shop now|Sign up|Book now|Download|Contact us|Apply now|Subscribe|Get offer|Order now|Get quote|"
    "Install|Install now|Open|Visit site|Send message|Watch more|Play game|See menu|Donate now|View site",
    "de": "Mehr dazu|Jetzt einkaufen|Registrieren|Jetzt buchen|Herunterladen|Kontaktieren|Installieren|Öffnen",
    "fr": "En savoir plus|Acheter|S’inscrire|Réserver|Télécharger|Nous contacter|Postuler|Installer|Ouvrir|Visiter",
    "es": "Más información|Comprar|Registrarte|Reservar|Descargar|Contactarnos|Instalar|Abrir|Ver oferta",
    "it": "Scopri di più|Acquista ora|Iscriviti|Prenota ora|Scarica|Contattaci|Installa|Apri",
    "pt": "Saiba mais|Comprar agora|Cadastre-se|Reservar|Baixar|Fale conosco|Instalar|Abrir",
    "nl": "Meer informatie|Nu kopen|Aanmelden|Boek nu|Downloaden|Contact opnemen|Installeren|Openen",
}
"""What the buttons of platforms say, by language."""

WORDS = {
    "en": ("Sponsored|Promoted|Ad", "Like|Comment|Share|Send|Repost", "likes|comments|shares|followers|views|reactions",
           "See more|View all 12 comments|Suggested for you|Follow"),
    "de": ("Gesponsert|Anzeige", "Gefällt mir|Kommentieren|Teilen|Senden", "„Gefällt mir“-Angaben|Kommentare|Follower",
           "Mehr anzeigen|Vorgeschlagen für dich|Folgen"),
    "fr": ("Sponsorisé|Annonce", "J’aime|Commenter|Partager|Envoyer", "J’aime|commentaires|partages|abonnés",
           "Voir plus|Suggestions|Suivre"),
    "es": ("Publicidad|Promocionado", "Me gusta|Comentar|Compartir|Enviar", "Me gusta|comentarios|seguidores",
           "Ver más|Sugerencia para ti|Seguir"),
    "it": ("Sponsorizzato|Annuncio", "Mi piace|Commenta|Condividi|Invia", "Mi piace|commenti|follower",
           "Altro|Suggerito per te|Segui"),
    "pt": ("Patrocinado|Anúncio", "Curtir|Comentar|Compartilhar|Enviar", "curtidas|comentários|seguidores",
           "Ver mais|Sugestões|Seguir"),
    "nl": ("Gesponsord|Advertentie", "Leuk|Reageren|Delen|Verzenden", "vind-ik-leuks|reacties|volgers",
           "Meer bekijken|Voorgesteld|Volgen"),
}  # fmt: skip
"""By language: label of an ad, actions, what is counted, other words of the interface; divided by bars."""

LEAST_SHOWN = 0.85
"""Share of a design that is left when it is cut to a shape; one of which less would be left is shown whole."""

TALL = 0.65
"""Width to height up to which a design fills a story."""

SITES = ("com", "com", "com", "de", "fr", "co.uk", "net", "io", "shop", "org")
LIGHT, DARK = ((255, 255, 255), (24, 25, 26), (101, 103, 107)), ((24, 25, 26), (228, 230, 235), (176, 179, 184))
"""Ground, text and secondary text of an interface, light and dark."""


class Design(NamedTuple):
    """A picture to be advertised, its labelled areas, and those in doubt."""

    name: str
    path: Path
    areas: list[dict]
    undecided: list[dict]


class Card:
    """A picture that grows downwards, and the areas drawn so far, in px until it is done."""

    def __init__(self, rng: Rng, fonts: Path, code: str, width: int) -> None:
        self.rng, self.fonts, self.code, self.width = rng, fonts, code, width
        self.ground, self.ink, self.grey = DARK if rng.random() < 0.2 else LIGHT
        self.image = Image.new("RGB", (width, 4 * width + 400), self.ground)
        self.draw = ImageDraw.Draw(self.image)
        self.areas: list[dict] = []
        self.undecided: list[dict] = []
        self.unit = width / 100 * rng.uniform(0.9, 1.15)
        family = one(rng, FONTS)
        self.files = {weight: fonts / f"{family}-latin-{weight}-normal.ttf" for weight in (400, 700)}
        self.name = brand_name(rng)
        words = "".join(c for c in self.name.lower() if c.isascii() and c.isalnum()) or "shop"
        self.site = f"{words}.{one(rng, SITES)}"
        self.handle = words + one(rng, ["", "", "official", "_de", ".co", "hq"])
        self.y = 0.0

    def call(self) -> str:
        """What a button says: one of the platform's texts, or one of the advertiser's."""
        return one(self.rng, BUTTONS[self.code].split("|")) if self.rng.random() < 0.7 else call(self.rng, self.code)

    def words(self, kind: int) -> tuple[str, ...]:
        return tuple(WORDS[self.code][kind].split("|"))

    def text(
        self, x: float, y: float, text: str, size: float, *, bold: bool = False, grey: bool = False,
        colour: Colour | None = None, most: float | None = None, lines: int = 1, middle: bool = False,
    ) -> tuple[float, float, float, float]:  # fmt: skip
        """Write text from its left (or middle) and top, in lines of at most `most` px; bounds of its ink."""
        face = ImageFont.truetype(self.files[700 if bold else 400], max(9, round(size)))
        rows, row = [], ""
        for word in text.split():
            longer = f"{row} {word}".strip()
            if row and most is not None and face.getlength(longer) > most:
                rows.append(row)
                row = word
            else:
                row = longer
        rows = [*rows, row]
        if len(rows) > lines:
            rows = [*rows[: lines - 1], rows[lines - 1] + "…"]
        bounds = []
        for i, row in enumerate(rows):
            at = (x - face.getlength(row) / 2 if middle else x, y + 1.32 * i * face.size)
            self.draw.text(at, row, fill=colour or (self.grey if grey else self.ink), font=face)
            bounds.append(self.draw.textbbox(at, row, font=face))
        low, high = np.min(bounds, axis=0), np.max(bounds, axis=0)
        return float(low[0]), float(low[1]), float(high[2]), float(high[3])

    def area(
        self, kind: str, *boxes: tuple[float, float, float, float], label: str = "", is_known: bool = True
    ) -> None:
        low, high = np.min(boxes, axis=0), np.max(boxes, axis=0)
        box = [float(low[0]), float(low[1]), float(high[2]), float(high[3])]
        (self.areas if is_known else self.undecided).append({"type": kind, "label": label, "box": box})

    def platform(self, *boxes: tuple[float, float, float, float]) -> None:
        self.area("other", *boxes, label="platform")

    def avatar(self, x: float, y: float, size: float) -> tuple[float, float, float, float]:
        colour = tuple(int(v) for v in self.rng.integers(20, 235, 3))
        box = (x, y, x + size, y + size)
        (self.draw.ellipse if self.rng.random() < 0.75 else self.draw.rectangle)(box, fill=colour)
        if self.rng.random() < 0.6:
            letters = self.name[: int(self.rng.integers(1, 3))]
            self.text(
                x + size / 2, y + 0.22 * size, letters, 0.42 * size, bold=True, colour=(255, 255, 255), middle=True
            )
        return box

    def dots(self, x: float, y: float) -> tuple[float, float, float, float]:
        u = self.unit
        if self.rng.random() < 0.5:
            self.draw.line((x, y, x + 3 * u, y + 3 * u), fill=self.grey, width=2)
            self.draw.line((x, y + 3 * u, x + 3 * u, y), fill=self.grey, width=2)
            return x, y, x + 3 * u, y + 3 * u
        for i in range(3):
            self.draw.ellipse((x + 1.4 * i * u, y, x + (1.4 * i + 0.8) * u, y + 0.8 * u), fill=self.grey)
        return x, y, x + 4 * u, y + 0.8 * u

    def status_bar(self) -> None:
        if self.rng.random() < 0.3:
            u = self.unit
            time = self.text(
                3 * u, 1.2 * u, f"{self.rng.integers(1, 13)}:{self.rng.integers(10, 60)}", 3 * u, bold=True
            )
            net = self.text(self.width - 14 * u, 1.2 * u, one(self.rng, ["5G", "LTE", "4G"]), 2.6 * u)
            self.draw.rectangle((self.width - 8 * u, 1.5 * u, self.width - 3 * u, 4 * u), outline=self.ink)
            self.platform(time, net)
            self.y += 6 * u

    def header(self, second: str, *, size: float = 3.4) -> None:
        """Avatar, name of the page, and a line in grey."""
        u, x, y = self.unit, 3 * self.unit, self.y + 2.5 * self.unit
        picture = self.avatar(x, y, 9 * u)
        name = self.text(x + 11 * u, y + 0.6 * u, self.name, size * u, bold=True)
        line = self.text(x + 11 * u, y + 5.2 * u, second, 0.78 * size * u, grey=True)
        self.platform(picture, name, line, self.dots(self.width - 9 * u, y + 2 * u))
        self.y = y + 11.5 * u

    def creative(self, picture: Image.Image, design: Design, *, aspect: float | None = None, margin: float = 0) -> bool:
        """Paste the design across the card; whether it has a headline."""
        width = round(self.width - 2 * margin)
        left, top, right, bottom = 0.0, 0.0, 1.0, 1.0  # the part that is shown
        shown = 1.0 if aspect is None else aspect * picture.height / picture.width
        if min(shown, 1 / shown) >= LEAST_SHOWN or not design.areas:
            if shown < 1:
                left, right = (1 - shown) / 2, (1 + shown) / 2
            else:
                top, bottom = (1 - 1 / shown) / 2, (1 + 1 / shown) / 2
        size = picture.size
        part = picture.crop(
            (round(left * size[0]), round(top * size[1]), round(right * size[0]), round(bottom * size[1]))
        )
        height = round(width * part.height / part.width)
        self.image.paste(part.resize((width, height), Image.Resampling.LANCZOS), (round(margin), round(self.y)))
        for areas, into in ((design.areas, self.areas), (design.undecided, self.undecided)):
            for area in areas:
                x0, y0, x1, y1 = area["box"]
                x0, x1 = ((min(1, max(0, (x - left) / (right - left)))) for x in (x0, x1))
                y0, y1 = ((min(1, max(0, (y - top) / (bottom - top)))) for y in (y0, y1))
                if x1 > x0 and y1 > y0:
                    box = [margin + x0 * width, self.y + y0 * height, margin + x1 * width, self.y + y1 * height]
                    into.append({"type": area["type"], "label": area.get("label", ""), "box": box})
        if not design.areas:  # who and what is in a photograph, nobody has said
            place = (margin, self.y, margin + width, self.y + height)
            for kind in ("branding", "product", "person", "face"):
                self.area(kind, place, is_known=False)
        self.y += height
        return any(area["type"] == "headline_text" for area in design.areas)

    def title(self) -> str:
        rng = self.rng
        return one(rng, [claim(rng, self.code), f"{self.name} – {claim(rng, self.code)}", offer(rng, self.code),
                         f"{claim(rng, self.code)} | {self.name}", body(rng, self.code, 7).rstrip(".")])  # fmt: skip

    def message(self, lines: int) -> None:
        """What the advertiser writes above or below the picture."""
        u, rng = self.unit, self.rng
        text = body(rng, self.code, int(rng.integers(4, 9 * lines)))
        if rng.random() < 0.25:
            text += f" {offer(rng, self.code)} {price(rng)}"
        written = self.text(3 * u, self.y + u, text, 3.3 * u, most=self.width - 6 * u, lines=lines)
        self.area("body_text", written)
        self.y = written[3] + 2.5 * u

    def button(
        self, right: float, y: float, *, filled: bool | None = None, width: float | None = None
    ) -> tuple[float, float, float, float]:
        """Draw a button from its right side and top."""
        u, rng = self.unit, self.rng
        text = self.call()
        face = ImageFont.truetype(self.files[700], max(9, round(3.1 * u)))
        across = width or face.getlength(text) + 6 * u
        box = (right - across, y, right, y + 7 * u)
        ground: Colour | None = one(rng, [(228, 230, 235), (24, 119, 242), (0, 0, 0), (26, 115, 232), (46, 139, 87)])
        if filled is False:
            ground = None
        radius = int(rng.choice([4, 8, 40]))
        self.draw.rounded_rectangle(
            box, min(radius, 3.5 * u), fill=ground, outline=self.grey if ground is None else None
        )
        light = self.ink if ground is None else (20, 20, 20) if sum(ground) > 500 else (255, 255, 255)
        self.text((box[0] + box[2]) / 2, y + 1.6 * u, text, 3.1 * u, bold=True, colour=light, middle=True)
        self.area("call_to_action", box, label="button")
        return box

    def link(self, has_headline: bool) -> None:
        """The strip under the picture: address, title, description, button."""
        u, rng = self.unit, self.rng
        ground = tuple(max(0, v - 15) if sum(self.ground) > 300 else min(255, v + 20) for v in self.ground)
        top = self.y
        if rng.random() < 0.7:
            self.draw.rectangle((0, top, self.width, top + 19 * u), fill=ground)
        with_button = rng.random() < 0.85
        most = self.width - (38 * u if with_button else 6 * u)
        if with_button:
            self.button(self.width - 3 * u, top + 5 * u, filled=rng.random() < 0.7)
        y = top + 1.5 * u
        if rng.random() < 0.8:
            site = self.site.upper() if rng.random() < 0.6 else self.site
            address = self.text(3 * u, y, site, 2.5 * u, grey=True, most=most)
            self.platform(address)
            y = address[3] + 0.9 * u
        title = self.text(3 * u, y, self.title(), 3.4 * u, bold=True, most=most, lines=2)
        self.area("body_text" if has_headline else "headline_text", title)
        y = title[3] + 0.9 * u
        if rng.random() < 0.5:
            words = body(rng, self.code, int(rng.integers(3, 9)))
            y = (below := self.text(3 * u, y, words, 2.7 * u, grey=True, most=most))[3]
            self.area("body_text", below)
        self.y = max(top + 14 * u, y) + 3 * u

    def counts(self) -> None:
        """Reactions, comments and shares."""
        u, rng = self.unit, self.rng
        kinds = self.words(2)
        number = one(
            rng,
            [str(rng.integers(2, 999)), f"{rng.integers(1, 99)},{rng.integers(100, 999)}", f"{rng.integers(1, 99)}K"],
        )
        left = self.text(
            8 * u, self.y + u, number if rng.random() < 0.5 else f"{number} {kinds[0]}", 2.6 * u, grey=True
        )
        self.draw.ellipse((3 * u, self.y + u, 6.5 * u, self.y + 4.5 * u), fill=(24, 119, 242))
        row = [left]
        if rng.random() < 0.7:
            some = " · ".join(f"{rng.integers(2, 300)} {kind}" for kind in kinds[1 : int(rng.integers(2, 4))])
            row.append(self.text(0.62 * self.width, self.y + u, some, 2.6 * u, grey=True))
        self.platform(*row)
        self.y += 6 * u

    def actions(self) -> None:
        """Like, comment, share."""
        u, row = self.unit, []
        self.draw.line((3 * u, self.y, self.width - 3 * u, self.y), fill=self.grey)
        some = self.words(1)[: int(self.rng.integers(3, 5))]
        for i, word in enumerate(some):
            x = (i + 0.5) * self.width / len(some)
            self.draw.ellipse((x - 12 * u, self.y + 2 * u, x - 9 * u, self.y + 5 * u), outline=self.grey, width=2)
            row.append(self.text(x - 7.5 * u, self.y + 2 * u, word, 2.9 * u, grey=True))
        self.platform(*row)
        self.y += 8 * u

    def icons(self) -> None:
        u, row = self.unit, []
        for i in range(int(self.rng.integers(3, 5))):
            box = (3 * u + 9 * i * u, self.y + 2 * u, 8 * u + 9 * i * u, self.y + 7 * u)
            (self.draw.ellipse if i % 2 else self.draw.polygon)(
                box if i % 2 else [(box[0], box[1]), (box[2], box[1]), ((box[0] + box[2]) / 2, box[3])],
                outline=self.ink,
            )
            row.append(box)
        self.platform(*row)
        self.y += 9 * u

    def done(self) -> tuple[Image.Image, list[dict], list[dict]]:
        height = round(self.y)
        sides = np.array([self.width, height, self.width, height])
        for area in (*self.areas, *self.undecided):
            area["box"] = np.clip(np.array(area["box"]) / sides, 0, 1).round(4).tolist()
        return self.image.crop((0, 0, self.width, height)), self.areas, self.undecided


def post(card: Card, picture: Image.Image, design: Design) -> None:
    """A post with a link, as of Facebook or LinkedIn."""
    card.status_bar()
    followers = f"{card.rng.integers(1, 999)},{card.rng.integers(100, 999)} {card.words(2)[-1]}"
    card.header(one(card.rng, [f"{card.words(0)[0]} · ", f"{one(card.rng, card.words(0))}", followers]))
    if card.rng.random() < 0.85:
        card.message(int(card.rng.integers(1, 5)))
    aspect = one(card.rng, [1.0, 1.91, 0.8, None, None])
    has_headline = card.creative(picture, design, aspect=aspect)
    if card.rng.random() < 0.85:
        card.link(has_headline)
    if card.rng.random() < 0.7:
        card.counts()
    if card.rng.random() < 0.7:
        card.actions()


def photo_feed(card: Card, picture: Image.Image, design: Design) -> None:
    """A post as of Instagram: a bar that asks to act below the picture, icons, likes, caption."""
    rng, u = card.rng, card.unit
    card.status_bar()
    full, card.name = card.name, card.handle
    card.header(card.words(0)[0], size=3.1)
    card.creative(picture, design, aspect=one(rng, [1.0, 0.8, None]))
    if rng.random() < 0.85:
        ground: Colour = one(rng, [card.ground, (0, 149, 246), (38, 38, 38)])
        bar = (0, card.y, card.width, card.y + 9 * u)
        card.draw.rectangle(bar, fill=ground)
        light = card.ink if ground == card.ground else (255, 255, 255)
        text = card.text(3 * u, card.y + 2.6 * u, card.call(), 3.2 * u, bold=True, colour=light)
        card.text(card.width - 6 * u, card.y + 2.4 * u, ">", 3.4 * u, bold=True, colour=light)
        card.area("call_to_action", bar if ground != card.ground else text, label="button")
        card.y += 9 * u
    card.icons()
    likes = card.text(
        3 * u, card.y, f"{rng.integers(1, 99)},{rng.integers(100, 999)} {card.words(2)[0]}", 3 * u, bold=True
    )
    card.platform(likes)
    card.y = likes[3] + 1.2 * u
    card.message(int(rng.integers(1, 4)))
    if rng.random() < 0.5:
        card.platform(card.text(3 * u, card.y, one(rng, card.words(3)), 2.7 * u, grey=True))
        card.y += 5 * u
    card.name = full


def short_post(card: Card, picture: Image.Image, design: Design) -> None:
    """A post as of X: name and handle in one row, text, picture, numbers."""
    rng, u = card.rng, card.unit
    y = 2.5 * u
    row = [card.avatar(3 * u, y, 9 * u), card.text(14 * u, y, card.name, 3.3 * u, bold=True)]
    row.append(card.text(row[1][2] + 1.5 * u, y, f"@{card.handle}", 3.1 * u, grey=True))
    if rng.random() < 0.7:
        row.append(card.text(card.width - 9 * u, y, card.words(0)[-1], 3 * u, grey=True))
    card.platform(*row)
    card.y = y + 5 * u
    card.message(int(rng.integers(1, 4)))
    has_headline = card.creative(picture, design, aspect=one(rng, [1.91, 1.0, None]), margin=3 * u)
    if rng.random() < 0.6:
        title = card.text(3 * u, card.y + 1.5 * u, card.title(), 3.1 * u, most=card.width - 6 * u)
        card.area("body_text" if has_headline else "headline_text", title)
        card.y = title[3]
        card.platform(address := card.text(3 * u, card.y + u, f"From {card.site}", 2.7 * u, grey=True))
        card.y = address[3]
    numbers = [
        card.text((6 + 22 * i) * u, card.y + 2 * u, str(rng.integers(1, 999)), 2.7 * u, grey=True) for i in range(4)
    ]
    card.platform(*numbers)
    card.y += 7 * u


def network_card(card: Card, picture: Image.Image, design: Design) -> None:
    """A native ad as networks show it: picture, title, description, advertiser, what it asks for."""
    rng, u = card.rng, card.unit
    has_headline = card.creative(picture, design, aspect=one(rng, [1.91, 1.91, 1.5, 1.0, None]))
    if rng.random() < 0.8:
        card.draw.rectangle((u, u, 7.5 * u, 5.5 * u), fill=(240, 240, 240))
        card.platform(
            card.text(2 * u, 1.2 * u, one(rng, ["Ad", card.words(0)[-1][:3]]), 3 * u, bold=True, colour=(40, 40, 40))
        )
    if rng.random() < 0.8:
        x = card.width - 9 * u
        card.draw.rectangle((x, u, card.width - u, 5 * u), fill=(245, 245, 245))
        card.draw.line((x + 5 * u, 1.8 * u, x + 7.4 * u, 4.2 * u), fill=(0, 150, 200), width=2)
        card.draw.line((x + 5 * u, 4.2 * u, x + 7.4 * u, 1.8 * u), fill=(0, 150, 200), width=2)
        card.platform((x, u, card.width - u, 5 * u))
    margin = rng.uniform(3, 8) * u
    size, most = rng.uniform(3.8, 6) * u, card.width - 2 * margin
    title = card.text(margin, card.y + 3.5 * u, card.title(), size, most=most, lines=2, bold=rng.random() < 0.5)
    card.area("body_text" if has_headline else "headline_text", title)
    card.y = title[3]
    if rng.random() < 0.7:
        text = body(rng, card.code, int(rng.integers(5, 18)))
        below = card.text(
            margin, card.y + 1.5 * u, text, rng.uniform(3, 4.4) * u, grey=True, most=card.width - 2 * margin, lines=2
        )
        card.area("body_text", below)
        card.y = below[3]
    if rng.random() < 0.5:
        card.draw.line((0, card.y + 3.5 * u, card.width, card.y + 3.5 * u), fill=(225, 225, 225))
    y = card.y + 6 * u
    advertiser = card.text(margin, y, one(rng, [card.name, card.name, card.site]), rng.uniform(3, 4) * u, grey=True)
    if card.site[:4] in card.name.lower() or rng.random() < 0.5:
        card.area("branding", advertiser, is_known=False)
    else:
        card.area("branding", advertiser, label=card.name)
    if rng.random() < 0.5:
        right = card.width - margin
        words = card.call()
        ask = card.text(right - 3.6 * u * 0.62 * len(words) - 4 * u, y, words, 3.6 * u)
        mark = card.text(right - 2 * u, y, ">", 3.6 * u)
        card.area("call_to_action", ask, mark)
    else:
        card.button(card.width - margin, y - 2 * u)
    card.y = y + 8 * u


def story(card: Card, picture: Image.Image, design: Design) -> None:
    """A full picture with the interface over it, as stories and short videos have it."""
    rng, u = card.rng, card.unit
    card.creative(picture, design, aspect=0.5625)
    height = card.y
    shade = Image.new("L", (card.width, round(0.3 * height)))
    shade.putdata([int(190 * (i // card.width) / shade.height) for i in range(shade.width * shade.height)])
    card.image.paste((0, 0, 0), (0, round(0.7 * height)), shade)
    # what the interface covers is not known any more
    covered = [area for area in card.areas if area["box"][3] >= 0.74 * height or area["box"][1] <= 0.1 * height]
    card.areas = [area for area in card.areas if area not in covered]
    card.undecided += covered
    white: Colour = (255, 255, 255)
    if rng.random() < 0.5:
        card.draw.rectangle((0, 0, card.width, 11 * u), fill=(30, 30, 30))
        avatar = card.avatar(3 * u, 2 * u, 7 * u)
        name = card.text(12 * u, 1.8 * u, card.handle, 3 * u, bold=True, colour=white)
        card.platform(avatar, name, card.text(12 * u, 5.8 * u, card.words(0)[0], 2.5 * u, colour=white))
    y = 0.77 * height
    if rng.random() < 0.6:
        name = card.text(
            4 * u, y, f"@{card.handle}" if rng.random() < 0.5 else card.name, 3.2 * u, bold=True, colour=white
        )
        card.platform(name)
        y = name[3] + u
    written = card.text(
        4 * u, y, body(rng, card.code, int(rng.integers(4, 14))), 3 * u, colour=white, most=0.7 * card.width, lines=2
    )
    card.area("body_text", written)
    if rng.random() < 0.6:
        card.platform(card.text(4 * u, written[3] + u, card.words(0)[0], 2.5 * u, colour=white))
    card.button(card.width - 10 * u, height - 12 * u, width=card.width - 20 * u)
    if rng.random() < 0.5:
        row = [
            card.text(card.width - 9 * u, (0.4 + 0.09 * i) * height, f"{rng.integers(1, 99)}K", 2.6 * u, colour=white)
            for i in range(3)
        ]
        card.platform(*row)


def beside(card: Card, picture: Image.Image, design: Design) -> None:
    """A post as on a desktop: the picture on black, what is said of it in a column beside it."""
    rng, whole = card.rng, card.width
    column = round(rng.uniform(0.26, 0.36) * whole)
    height = round(rng.uniform(0.45, 0.62) * whole)
    card.draw.rectangle((0, 0, whole - column, height), fill=(0, 0, 0))
    shown = min((whole - column) / picture.width, height / picture.height)
    left = (whole - column - shown * picture.width) / 2
    text = Card(rng, card.fonts, card.code, column)
    text.files, text.name, text.handle, text.site = card.files, card.name, card.handle, card.site
    text.unit = column / 100 * rng.uniform(1.2, 1.7)
    text.header(one(rng, [card.words(0)[0], f"{rng.integers(1, 29)}.{rng.integers(1, 13)}.2025"]))
    text.message(int(rng.integers(2, 9)))
    text.counts()
    text.actions()
    card.width = round(shown * picture.width)
    card.y = (height - shown * picture.height) / 2
    card.image, whole_image = Image.new("RGB", (card.width, 2 * whole)), card.image
    card.creative(picture, design)
    whole_image.paste(card.image.crop((0, round((height - shown * picture.height) / 2), card.width, round(card.y))),
                      (round(left), round((height - shown * picture.height) / 2)))  # fmt: skip
    for area in (*card.areas, *card.undecided):
        area["box"] = [value + left * (i % 2 == 0) for i, value in enumerate(area["box"])]
    for areas, into in ((text.areas, card.areas), (text.undecided, card.undecided)):
        for area in areas:
            x0, y0, x1, y1 = area["box"]
            if y1 < height:
                into.append({**area, "box": [x0 + whole - column, y0, x1 + whole - column, y1]})
    whole_image.paste(text.image.crop((0, 0, column, height)), (whole - column, 0))
    card.image, card.draw, card.width, card.y = whole_image, ImageDraw.Draw(whole_image), whole, height


LAYOUTS: tuple[Callable[[Card, Image.Image, Design], None], ...] = (
    post, post, post, photo_feed, photo_feed, short_post, network_card, network_card, story, beside,
)  # fmt: skip


def designs(data: Path) -> Iterator[Design]:
    """Labelled designs of train and dev, without those that show a feed, a page or an app themselves."""
    undecided = json.loads((LABELS / "modern_undecided.json").read_text())
    for side in ("train", "dev"):
        for name, areas in json.loads((LABELS / f"modern_{side}.json").read_text()).items():
            if not any(area.get("label") == "platform" for area in areas):
                yield Design(name, data / "ads" / "images" / name, areas, undecided.get(name, []))


def photographs(data: Path) -> list[Design]:
    return [Design("photo.jpg", path, [], []) for path in sorted((data / "gaze" / "scene" / "images").glob("*.jpg"))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--kit", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    assert set(CODES) <= set(LANGUAGES)
    (args.out / "images").mkdir(parents=True, exist_ok=True)
    ads, photos = list(designs(args.data)), photographs(args.data)
    areas, undecided = {}, {}
    for number in range(args.count):
        rng = np.random.default_rng([args.seed, number])
        layout = LAYOUTS[int(rng.integers(len(LAYOUTS)))]
        plain = rng.random() < (0.7 if layout is network_card else 0.35)
        pool = photos if plain else ads
        design = pool[int(rng.integers(len(pool)))]
        if layout is story and design.areas:
            with Image.open(design.path) as picture:
                tall = picture.width <= TALL * picture.height
            design = design if tall else photos[int(rng.integers(len(photos)))]
        width = int(rng.integers(360, 800)) * (2 if layout is beside else 1)
        card = Card(rng, args.kit / "fonts", CODES[int(rng.integers(len(CODES)))], width)
        layout(card, Image.open(design.path).convert("RGB"), design)
        image, *placed = card.done()
        name = f"{number:05d}_{design.name}"
        image.save(args.out / "images" / name, quality=int(rng.integers(75, 95)))
        areas[name], undecided[name] = placed
    (args.out / "areas.json").write_text(json.dumps(areas))
    (args.out / "undecided.json").write_text(json.dumps(undecided))


if __name__ == "__main__":
    main()
