"""Generates ordinary sentences without personal data, of the kinds that upset normalisers."""

import random
from collections.abc import Callable, Iterator

SUBJECTS = ("The user", "She", "He", "The team", "Nobody", "Everyone", "The printer", "The parser")
HABITS = (
    "likes {thing}",
    "prefers {thing} over {thing}",
    "wants the answer in {n} bullet points",
    "keeps {n} jars of {thing} at home",
    "never eats {thing}",
    "finished {thing} after {n} tries",
    "is learning {tech}",
    "moved {tech} to version {n}.{n}.{n}",
    "needs {n} more {unit}",
    "got a {n}:{n} score",
    "watches films about {thing}",
    "asked for {thing} at {n} pm",
)
THINGS = (
    "black coffee",
    "long walks",
    "rye bread",
    "the old sofa",
    "board games",
    "spicy soup",
    "naïve art",
    "crème brûlée",
    "jalapeño dip",
    "smørrebrød",
    "tea – no sugar",
    "R&D budgets",
    "50% off sales",
    "20% cream",
    "point and shoot cameras",
    "dot matrix printers",
    "e-mail lists",
)
TECHS = (
    "Rust",
    "Kubernetes",
    "C++",
    "K8s",
    "i18n",
    "IPv6",
    "UTF-8",
    "W3C rules",
    "MP3 files",
    "H2O models",
    "B2B tools",
    "x86 code",
    "sha256 sums",
    "OAuth2",
    "Web3",
    "log4j",
    "S3",
)
UNITS = ("minutes", "days", "metres", "m²", "km/h", "°C", "GB", "pages", "boxes", "rows")
LINES = (
    "Chapter {n} is about bees",
    "The build failed with error code 0x{hex}",
    "SKU {n}-X costs {n} points",
    "Step 1️⃣ then step 2️⃣",
    "one two three four five six, then rest",
    "grades A B C D E F",
    "count 1 2 3 4 5 6 7 8 9 10",
    "It was fun 😀😀!",
    "“Quoted” – with dashes … and dots",
    "½ cup of flour, ¼ tsp salt",
    "a.m. or p.m., i.e. any time",
    "for i in range({n}): print(i)",
    "array[at] returns the item",
    "ratio {n}:{n}:{n}",
    "№ {n} of {n}",
    "def f(x): return x['at'] @ y",
    "C:\\users\\temp\\{hex}",
    "path=%TEMP%\\x",
    "AT&amp;T style markup",
    "commit {hex}{hex}{hex}{hex}{hex}",
    "{n}\n{n}\n{n}",
    "{n} {n} {n} {n} {n}",
    "v{n}.{n}.{n}-rc{n}",
    "temperature {n}.{n} °C, wind {n} km/h",
    "Привет, как дела",
    "今日は雨です",
    "schöne Grüße",
    "¿Qué tal? Muy bien",
    "ça va, merci",
    "order {big} has shipped",
    "ticket {n}-{n} is open",
    "ISBN 978-3-16-148410-0 is out of print",
    "meeting moved to room {n}",
    "2026-0{d}-1{d} is a date",
    "lunch @ noon . Bring cake",
    "look at the dot on page {n}",
    "the O2 arena and 4K video at 60Hz",
    "on the dot, at the point of no return",
    "double or nothing, triple jump",
    "zero waste in one year",
    "x = a / b / c / d",
    "- - - - - - - -",
    "* * * * *",
    "1. First\n2. Second\n3. Third",
    "|---|---|---|",
    "{n}/10 would read again",
    "flight AB{n} leaves at {n}",
    "R2D2 and C3PO in 3D",
)


def sentences(count: int, seed: int) -> Iterator[str]:
    """Ordinary sentences and lines, the same ones for the same seed."""
    chooser = random.Random(seed)
    fields: dict[str, Callable[[], str]] = {
        "{thing}": lambda: chooser.choice(THINGS),
        "{tech}": lambda: chooser.choice(TECHS),
        "{unit}": lambda: chooser.choice(UNITS),
        "{hex}": lambda: f"{chooser.getrandbits(32):08x}",
        "{big}": lambda: str(chooser.randrange(1_000_000_000, 1_100_000_000)),
        "{n}": lambda: str(chooser.choice((chooser.randrange(10), chooser.randrange(10_000)))),
        "{d}": lambda: str(chooser.randrange(1, 10)),
    }
    for _ in range(count):
        if chooser.random() < 0.5:
            sentence = f"{chooser.choice(SUBJECTS)} {chooser.choice(HABITS)}"
        else:
            sentence = chooser.choice(LINES)
        yield _filled(sentence, fields)


def _filled(sentence: str, fields: dict[str, Callable[[], str]]) -> str:
    for field, value in fields.items():
        while field in sentence:
            sentence = sentence.replace(field, value(), 1)
    return sentence
