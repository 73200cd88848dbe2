"""Words of advertisements: invented brands, claims, offers, calls to action, in several languages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Rng = np.random.Generator

SYLLABLES = [
    "ka",
    "lo",
    "mi",
    "ra",
    "ne",
    "vo",
    "ta",
    "su",
    "ri",
    "be",
    "lu",
    "za",
    "no",
    "fe",
    "da",
    "mo",
    "li",
    "ve",
    "sha",
    "pe",
    "ro",
    "ni",
    "ga",
    "to",
    "xi",
    "quo",
    "bra",
    "fel",
    "vin",
    "tor",
    "mar",
    "lex",
    "pol",
    "zen",
    "kur",
    "dal",
    "fi",
    "or",
    "el",
    "an",
    "ix",
    "um",
    "ia",
    "ea",
    "on",
    "us",
    "ara",
    "ella",
    "ino",
    "ette",
    "ova",
    "ium",
    "ara",
    "oni",
    "eau",
    "ost",
    "ard",
]
ENDINGS = ("", "", "", "o", "a", "ly", "ify", "er", "co", "ia", "ex", "on", "us", "ini", "éa", "æ", "y", "is")
SURNAMES = [
    "Harlow",
    "Bennett",
    "Castell",
    "Dumont",
    "Ferrante",
    "Grieve",
    "Hollis",
    "Ibsen",
    "Jardine",
    "Kessler",
    "Lindqvist",
    "Marlowe",
    "Norwood",
    "Okafor",
    "Pemberton",
    "Quill",
    "Rossetti",
    "Saint-Clair",
    "Thorne",
    "Ueda",
    "Valmont",
    "Winslow",
    "Yarrow",
    "Zeller",
    "Brandt",
    "Moreau",
    "Ortega",
    "Novak",
    "Silva",
    "Peeters",
]
TRADES = [
    "Cosmetics",
    "Coffee",
    "Motors",
    "Bank",
    "Foods",
    "Travel",
    "Sport",
    "Optics",
    "Paris",
    "London",
    "Milano",
    "Home",
    "Skin",
    "Labs",
    "Studio",
    "Outdoor",
    "Beer",
    "Watches",
    "Airlines",
    "Mobile",
    "Energy",
    "Chocolate",
    "Organics",
    "Jewellery",
    "Denim",
    "Kids",
    "Pharma",
    "Tea",
    "Hotels",
    "Insurance",
    "Audio",
]


@dataclass(frozen=True)
class Language:
    """Building blocks of one language."""

    claims: tuple[str, ...]  # headlines; {n} is a noun, {a} an adjective
    nouns: tuple[str, ...]
    adjectives: tuple[str, ...]
    fill: tuple[str, ...]  # words of which body text is strung together
    calls: tuple[str, ...]
    offers: tuple[str, ...]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().split("|"))


LANGUAGES = {
    "en": Language(
        _lines(
            "The {a} {n}|Feel the {n}|{n}. Redefined.|More {n}, less fuss|Your {n} deserves better|Made for {n}|"
            "Never miss a {n}"
            "|It's {n} time|Taste the {n}|{a} by nature|The art of {n}|Stay {a}|Big {n}. Small price.|Why wait "
            "for {n}?"
            "|Born {a}|Drive your {n}|New {a} {n}|Discover {a} {n}|Love every {n}|Nothing beats {a} {n}|{a}. "
            "{a}. Yours."
            "|Not just {n}|Once {a}, always {a}|Go {a}|One {n} can change everything|Introducing the {a} {n} "
            "collection"
            "|They said {n} was impossible. We said hold my {n}|Sale|Just {n}|Hello, {n}|Every {n} counts"
        ),
        _words(
            "summer flavour comfort speed skin morning freedom colour sound coffee adventure style power energy "
            "light silence "
            "taste magic beauty road home family weekend winter music water moment dream night chocolate crunch "
            "journey"
        ),
        _words(
            "new fresh bold pure smooth natural brilliant wild sweet real smart perfect soft fast golden crisp deep"
        ),
        _words(
            "the a our with and for in of to from your that is now more made every day best by finest quality "
            "skin formula "
            "ingredients energy taste experience it enjoy naturally up days hours only available selected "
            "stores offer "
            "ends terms apply see details new design you can we care about results tested proven years warranty "
            "engine "
            "comfort drive save on all range includes free delivery orders over while stocks last ask dealer"
        ),
        _lines(
            "Shop now|Learn more|Buy now|Sign up|Get started|Order online|Discover more|Try it free|Book now|"
            "Subscribe|"
            "Download the app|Find a store|Get yours today|Join now|See the collection|Request a demo|Add to "
            "cart|Call now"
        ),
        _lines("50% OFF|Up to 70% off|2 for 1|Sale|New|Free shipping|-30%|Only $9.99|Buy 1 get 1|$199|from $4.50"),
    ),
    "de": Language(
        _lines(
            "Die {a} {n}|Mehr {n}|{n} neu erleben|Einfach {a}|So schmeckt {n}|Zeit für {n}|Jetzt {a}|{n} für "
            "alle|Weil {n} zählt"
            "|Nur das Beste für Ihre {n}|Ganz schön {a}|Gönn dir {n}"
        ),
        _words(
            "Frische Freude Kraft Pflege Natur Reise Familie Zukunft Sicherheit Qualität Heimat Schönheit Energie Größe"
        ),
        _words("neue starke reine frische echte schnelle leichte sanfte günstige süße"),
        _words(
            "die der das und mit für ein eine auf von zu im Sie wir ist jetzt mehr Jahre Qualität täglich "
            "frisch Angebot gültig "
            "bis solange Vorrat reicht nur in teilnehmenden Märkten Haut Geschmack ohne Zucker natürlich "
            "schöner größer über"
        ),
        _lines("Jetzt kaufen|Mehr erfahren|Jetzt bestellen|Hier testen|Kostenlos anmelden|Termin buchen|Zum Angebot"),
        _lines("-50 %|Nur 9,99 €|Neu|Gratis|Aktion|ab 19 €|SALE|2+1 gratis"),
    ),
    "fr": Language(
        _lines(
            "L'art du {n}|Le {n} {a}|Osez le {n}|Vivez {a}|Plus de {n}|Votre {n} mérite mieux|Enfin {a}|Le goût "
            "du {n}|À vous le {n}"
        ),
        _words("plaisir goût voyage parfum style soleil confort bonheur café désir été rêve teint printemps"),
        _words("nouveau naturel intense frais pur léger élégant français unique doux"),
        _words(
            "le la les de des et avec pour un une dans votre vous nous est plus chaque jour peau été goût "
            "qualité offre valable "
            "jusqu'au en magasin à consommer avec modération l'abus d'alcool est dangereux pour santé fabriqué "
            "où déjà très"
        ),
        _lines("Achetez maintenant|En savoir plus|J'en profite|Découvrir|Commander|Réservez|Essayez gratuitement"),
        _lines("-40 %|Nouveau|Soldes|9,90 €|1 acheté = 1 offert|Dès 15 €|Gratuit"),
    ),
    "es": Language(
        _lines(
            "El {n} más {a}|Vive el {n}|Siente el {n}|Tu {n}, más {a}|Todo {n}|¿Listo para el {n}?|Más {n} que "
            "nunca|¡Qué {n}!"
        ),
        _words("sabor verano placer viaje momento corazón mundo cambio color café sueño ritmo"),
        _words("nuevo auténtico fresco único puro rápido natural suave"),
        _words(
            "el la los las de del y con para un una en tu su es más cada día mejor calidad oferta válida hasta "
            "agotar existencias "
            "tiendas piel sabor ahora nuestra energía años garantía consulta condiciones también después español"
        ),
        _lines("Compra ahora|Más información|Pide el tuyo|Reserva ya|Descúbrelo|Regístrate gratis"),
        _lines("-25 %|2x1|Oferta|Gratis|Nuevo|$299|Desde 12 €"),
    ),
    "it": Language(
        _lines("Il {n} più {a}|Vivi il {n}|Il gusto del {n}|Sempre {a}|Scopri il {n}|Un {n} così {a}|Tutto il {n}"),
        _words("gusto sapore viaggio piacere colore sogno caffè sole benessere profumo"),
        _words("nuovo fresco puro autentico leggero naturale unico"),
        _words(
            "il la i le di e con per un una in tuo è più ogni giorno qualità gusto offerta valida fino al nei "
            "negozi pelle così"
        ),
        _lines("Acquista ora|Scopri di più|Prenota|Ordina subito|Provalo gratis"),
        _lines("-20%|Novità|Saldi|9,90 €|Gratis|3x2"),
    ),
    "pt": Language(
        _lines("O {n} mais {a}|Viva o {n}|Sinta o {n}|Seu {n}, do seu jeito|Mais {n} para você|Abra a {n}"),
        _words("sabor verão prazer momento coração mundo sonho felicidade café ritmo"),
        _words("novo fresco puro natural leve único"),
        _words(
            "o a os as de e com para um uma em seu é mais cada dia melhor qualidade oferta válida até não você "
            "pele promoção"
        ),
        _lines("Compre agora|Saiba mais|Peça já|Aproveite|Cadastre-se"),
        _lines("-30%|Grátis|Novo|R$ 9,90|Leve 3 pague 2"),
    ),
    "nl": Language(
        _lines("De {a} {n}|Meer {n}|Proef de {n}|Altijd {a}|Tijd voor {n}|Zo {a} kan het zijn|Geniet van {n}"),
        _words("smaak zomer vrijheid kracht natuur reis familie kwaliteit energie rust"),
        _words("nieuwe frisse pure zachte echte slimme"),
        _words(
            "de het een en met voor van in op je jouw is nu meer elke dag beste kwaliteit aanbieding geldig "
            "zolang voorraad huid"
        ),
        _lines("Koop nu|Meer weten|Bestel direct|Probeer gratis|Meld je aan"),
        _lines("-50%|Nieuw|Gratis|€ 9,99|1+1 gratis|Actie"),
    ),
    "ru": Language(
        _lines("Новый {n}|Почувствуй {n}|Твой {a} {n}|Время {n}|Больше {n}|Просто {n}"),
        _words("вкус стиль мир день отдых выбор свет комфорт"),
        _words("новый лучший яркий твой настоящий"),
        _words(
            "и в на с для от это ваш мы каждый день лучший вкус качество цена только до скидка товар условия "
            "магазин кожа"
        ),
        _lines("Купить|Узнать больше|Заказать|Попробовать|Скачать"),
        _lines("-50%|Новинка|Скидки|999 ₽|Акция"),
    ),
    "zh": Language(
        _lines("新{n}新生活|{n}就在这里|{a}{n}|让{n}更{a}|感受{n}|每一天的{n}|为{n}而生"),
        _words("夏天 美味 自由 速度 肌肤 咖啡 未来 时光 力量"),
        _words("纯净 自然 新鲜 完美 闪亮"),
        _words("我们 为您 提供 最好的 品质 每天 新鲜 天然 健康 美丽 生活 限时 优惠 更多 详情 请见 官网 全新 设计 体验"),
        _lines("立即购买|了解更多|马上预订|免费试用|立即下载"),
        _lines("五折|新品|买一送一|￥99|限时优惠"),
    ),
}
WEIGHTS = {"en": 0.56, "de": 0.08, "fr": 0.09, "es": 0.08, "it": 0.04, "pt": 0.04, "nl": 0.03, "ru": 0.04, "zh": 0.04}
SPACELESS = {"zh"}


def one(rng: Rng, items: tuple[str, ...] | list[str]) -> str:
    return items[int(rng.integers(len(items)))]


def language(rng: Rng, languages: set[str]) -> str:
    """A language code of those that fonts are at hand for."""
    codes = [code for code in WEIGHTS if code in languages]
    shares = np.array([WEIGHTS[code] for code in codes])
    return codes[int(rng.choice(len(codes), p=shares / shares.sum()))]


def brand_name(rng: Rng) -> str:
    kind = rng.random()
    if kind < 0.55:
        name = "".join(one(rng, SYLLABLES) for _ in range(int(rng.integers(1, 4)))) + one(rng, ENDINGS)
        return name.capitalize() if len(name) > 2 else name.upper() + "X"
    if kind < 0.7:
        return one(rng, SURNAMES)
    if kind < 0.78:
        return f"{one(rng, SURNAMES)} & {one(rng, SURNAMES)}"
    if kind < 0.86:
        return "".join(chr(65 + int(v)) for v in rng.integers(0, 26, int(rng.integers(2, 5))))
    return f"{one(rng, SYLLABLES).capitalize()}{one(rng, SYLLABLES)} {one(rng, TRADES)}"


def claim(rng: Rng, code: str) -> str:
    words = LANGUAGES[code]
    text = one(rng, words.claims)
    while "{n}" in text or "{a}" in text:
        text = text.replace("{n}", one(rng, words.nouns), 1).replace("{a}", one(rng, words.adjectives), 1)
    return text[0].upper() + text[1:]


def sentence(rng: Rng, code: str, words: int) -> str:
    """Words of the language strung together; without sense, with the letters and lengths of the language."""
    fill = LANGUAGES[code].fill
    parts = [one(rng, fill) for _ in range(words)]
    text = ("" if code in SPACELESS else " ").join(parts)
    return text[0].upper() + text[1:] + ("。" if code in SPACELESS else ".")


def body(rng: Rng, code: str, words: int) -> str:
    parts = []
    while words > 0:
        length = min(words, int(rng.integers(4, 14)))
        parts.append(sentence(rng, code, length))
        words -= length
    return " ".join(parts)


def call(rng: Rng, code: str) -> str:
    return one(rng, LANGUAGES[code].calls)


def contact(rng: Rng, brand: str) -> str:
    """A web address, a telephone number, a tag or an e-mail address."""
    word = "".join(c for c in brand.lower() if c.isascii() and c.isalnum()) or "shop"
    digits = "".join(str(v) for v in rng.integers(0, 10, 7))
    ending = one(rng, ["com", "de", "fr", "co.uk", "es", "it", "org", "net", "com.br", "nl"])
    forms = [
        f"www.{word}.{ending}",
        f"{word}.{ending}",
        f"{word}.{ending}/now",
        f"Call 1-800-{digits[:3]}-{digits[3:]}",
    ]
    return one(rng, [*forms, f"+49 {digits[:3]} {digits[3:]}", f"@{word}", f"#{word}", f"info@{word}.{ending}"])


def offer(rng: Rng, code: str) -> str:
    return one(rng, LANGUAGES[code].offers)


def price(rng: Rng) -> str:
    whole = one(rng, ["1", "2", "3", "4", "5", "7", "9", "12", "19", "29", "49", "99", "199", "499"])
    value = whole + one(rng, [".99", ".49", ",90", ".00", ""])
    return one(rng, [f"${value}", f"{value} €", f"£{value}", f"€{value}", value])
