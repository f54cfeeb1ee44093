"""What is left of a text once something in it is forgotten: redaction, or the clauses that stay."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from detectors.words.namelists import is_name, is_ordinary
from proxy.erasure.texts.clauses import CLAUSE, FINITE, LEADING, VERBS, says_something, verb_first
from proxy.erasure.texts.fragments import has_subject
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.redaction import ERASED, phrase, redact
from proxy.erasure.texts.subjects import (
    is_its_subject,
    is_of_another,
    is_reported,
    is_without_subject,
    names_somebody,
    only_reports,
)
from proxy.erasure.texts.telling import Telling

SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]*\s*|\n+")
ELEMENT = re.compile(r"(?<=[;,])\s+|(?<!\s)\s++(?=[/|]\s)")
ADJUNCT = re.compile(
    r"(?:[/|]\s+)?(?:a[st]|in|on|with|without|for|from|to|near|since|until|till|before|after|during|by|who|"
    r"whose|which|where|when|while|and|but|or|because|though|although|about|of|over|under|mostly|"
    r"\w{2,}(?:ly|ing))\b",
    re.IGNORECASE,
)
FRONTED = re.compile(r"[A-Z][a-z]+(?:ed|ing)\b.*,$")  # "Engaged to Jon, Alva is ill"
ENDED = re.compile(r"(?:;|\s[-–—]+)$")  # "Dinner with Jon - she is ill"
# What goes on behind it may be said of whom the clause before it is about.
SUBORDINATE = re.compile(r"(?:because|since|when|once|after|before|weil)\s")
WORD = re.compile(r"\w+")
ABBREVIATED = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|no|nr|vs|approx|ca|jr|sr|e\.g|i\.e|etc|t[eé]l|ext|fax|mob|geb)|"
    r"[,(]\s*b|\b(?-i:[A-Z]))\.\s*$",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\d{1,3}\.[^\S\n]+")  # "2. " before what is listed
DAY = re.compile(r"(?<!\w)\d{1,2}\.\s+$")
MONTH = re.compile(
    r"(?:(?:Jan|Febr)uar|Jänner|März|April|Mai|Ju[nl]i|August|(?:Sept|Nov|Dez)ember|Okto?ber)\b"
)
PRONOUN = re.compile(
    r"\b(?:he|she|him|her|his|hers|himself|herself|they|them|their|theirs|"
    r"(?:the|this|that) (?:man|woman|boy|girl|person|patient|client|customer))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Judge:
    """By what the parts of a text about people stay or go.

    Args:
        needles: who is forgotten.
        others: those parts that name somebody else too; there a phrase stands for the mention.
        keep: what must stay.
        redacts: a phrase stands for a name beside others' names, else the clause goes.
        named: the forgotten one was named before it begins, in what it derives from.
        barred: pieces that identify them: with such a one a part goes.
    """

    needles: Needles
    others: Collection[str] = ()
    keep: Telling | None = None
    redacts: bool = False
    named: bool = False
    barred: Collection[str] = ()

    def kept(self, part: str) -> bool:
        """Whether something that must stay is in it."""
        return self.keep is not None and self.keep.mentioned(part)

    def parts(self, sentence: str) -> list[str]:
        """What of a sentence is judged as one; "Orla and Alva met" is one part if it may stay."""
        merged = parts(sentence, merged=True)
        split = (
            elements(each) if self.kept(each)
            else [each] if self.redacts
            else parts(each, merged=False)
            for each in merged
        )  # fmt: skip
        return [clause for clauses in split for clause in clauses]


def surviving(text: str, needles: Needles, keep: Telling | None = None) -> str:
    """The sentences and clauses of ``text`` that do not mention what is forgotten.

    What must stay needs no verb: of ``salary 5000, employer Norvane`` the employer is left.
    """
    kept = [_surviving_clauses(sentence, needles, keep) for sentence in sentences(text)]
    return " ".join(part for part in kept if part).strip()


def kept_of(text: str, keep: Telling) -> str:
    """The parts that tell what must stay, of a memory that goes as a whole otherwise."""
    stated = list[str]()
    for sentence in sentences(text):
        listed = _units(sentence)
        told = [part for part in listed if keep.mentioned(part)]
        stated.append(sentence if told == listed else _closed(told, keep))
    return " ".join(each for each in stated if each)


def mended(text: str, keep: Telling) -> str:
    """A text in which a phrase stands for what must go beside what must stay."""
    for part in units(text):
        shown = part
        for start, end in reversed(keep.torn(part)):
            shown = shown[:start] + ERASED + shown[end:]
        text = text.replace(part, shown)
    return text


def units(text: str) -> list[str]:
    """The smallest parts of a text that say something by themselves."""
    return [part for sentence in sentences(text) for part in _units(sentence)]


def _units(sentence: str) -> list[str]:
    first = WORD.match(sentence)
    named = (
        first is not None and is_name(first[0].casefold()) and not is_ordinary(first[0].casefold())
    )
    opened = sentence if named else sentence[:1].lower() + sentence[1:]
    found = [part for clause in parts(opened, merged=True) for part in elements(clause)]
    return [sentence[:1] + found[0][1:], *found[1:]] if found else []


def reduced(text: str, judge: Judge) -> str:
    """What a text about several people still says once one of them is forgotten.

    A part that names the forgotten one goes, unless it names somebody else too or holds what must
    stay: then a phrase takes the place of the name. What has a pronoun for its person, or no
    subject, tells about the forgotten one once they were named, whoever is named in between.
    """
    stated, everything = list[str](), True
    seen, stays = judge.named, not judge.named
    for sentence in sentences(text):
        told: list[str] = []
        listed = judge.parts(sentence)
        for before, part in zip(["", *listed], listed, strict=False):
            spans = judge.needles.sure(part)
            seen = seen or bool(spans)
            shown = _part(part, judge, seen=seen, follows=stays)
            another = part in judge.others or names_somebody(shown)
            another |= is_of_another(part, before, judge.needles.sure(before))
            of_them = bool(spans) and is_its_subject(part, spans)
            main = stays or not SUBORDINATE.match(part)
            stays = main and bool(shown) and not of_them and (another or (stays and not spans))
            told += [shown] if shown else []
        whole = len(told) == len(listed)
        if not whole and told and only_reports(told[-1]) and not judge.kept(told[-1]):
            told.pop()
        everything = everything and whole
        stated.append(" ".join(told) if whole else _closed(told, judge.keep))
    if everything:
        return redact(text, judge.needles)
    return " ".join(each for each in stated if each)


def parts(sentence: str, *, merged: bool) -> list[str]:
    """The clauses of a sentence; ``merged``: one without a verb belongs to the next."""
    found, before = list[str](), ""
    clauses = [each.strip() for each in CLAUSE.split(sentence) if each.strip()]
    for clause, behind in zip(clauses, [*clauses[1:], ""], strict=True):
        if merged and found and not before and _is_joined(clause, behind):
            found[-1] += f" {clause}"
            continue
        before = f"{before} {clause}".strip()
        apart = ENDED.search(before) and PRONOUN.match(behind)
        if not merged or apart or _speaks(before, opens=not found):
            found, before = [*found, before], ""
    if not before:
        return found
    return [*found[:-1], f"{found[-1]} {before}"] if found else [before]


def _speaks(clause: str, *, opens: bool) -> bool:
    return says_something(clause) or (opens and FRONTED.match(clause) is not None)


def _is_joined(clause: str, behind: str) -> bool:
    """Whether it goes on with the clause before: ``and vegan``, not ``and Tom,`` before a verb.

    Args:
        behind: the clause behind it: ``and Tom`` with ``and was arrested`` behind it goes on.
    """
    goes_on = LEADING.match(clause) is not None and not says_something(clause)
    verb_follows = LEADING.match(behind) is not None and verb_first(LEADING.sub("", behind))
    return goes_on and (not names_somebody(clause) or bool(verb_follows))


def elements(part: str) -> list[str]:
    """What a list tells one by one: ``earns 5000``, ``employer Norvane``, ``desk 4``."""
    found: list[str] = []
    for clause in (each.strip() for each in ELEMENT.split(part) if each.strip()):
        goes_on = ADJUNCT.match(clause) and not FINITE.search(clause)
        found = [*found[:-1], f"{found[-1]} {clause}"] if found and goes_on else [*found, clause]
    return found


def _part(part: str, judge: Judge, *, seen: bool, follows: bool) -> str:
    if any(each in part for each in judge.barred):
        return ""
    kept, spans = judge.kept(part), judge.needles.sure(part)
    if spans:
        stays = kept or (part in judge.others and not is_reported(part, spans))
        return redact(part, judge.needles) if stays else ""
    said = LEADING.sub("", part)
    opens = said == part
    bare = not follows and is_without_subject(said, opens=opens)
    if kept:
        subject = phrase(judge.needles.entity_type, part)
        return f"{subject} {said[:1].lower()}{said[1:]}" if bare and seen else part
    bare = bare or (not follows and _is_verbless(said, opens=opens))
    listed = judge.keep is not None and not FINITE.search(part)
    return "" if seen and (bare or listed or PRONOUN.search(part)) else part


def _is_verbless(said: str, *, opens: bool) -> bool:
    return not (says_something(said) or has_subject(said, opens=opens))


def _closed(told: Sequence[str], keep: Telling | None) -> str:
    """The parts that stay, as a sentence of their own."""
    joined = LEADING.sub("", " ".join(told)).strip(",;/| ").rstrip(",;–— -")
    asked = keep is not None and keep.mentioned(joined)
    apart = any(ENDED.search(each) and names_somebody(each) for each in told)
    if not (asked or apart or VERBS.search(joined) or says_something(joined)):
        return ""
    ending = "" if joined.endswith((".", "!", "?")) else "."
    return joined[:1].upper() + joined[1:] + ending


def combine(texts: Iterable[str]) -> str:
    """One text stated anew from the surviving sources, each as a sentence, in their order."""
    stated = [_as_sentence(text) for text in dict.fromkeys(texts) if text.strip()]
    return " ".join(stated)


def sentences(text: str) -> list[str]:
    """The sentences of a text, without surrounding space; ``Dr.`` ends none, nor ``4. Mai``."""
    found, before = list[str](), ""
    for match in SENTENCE.finditer(text):
        before += match[0]
        counted = NUMBER.fullmatch(before) or (
            DAY.search(match[0]) and MONTH.match(text, match.end())
        )
        if not (counted or ABBREVIATED.search(match[0])):
            found, before = [*found, before], ""
    return [each.strip() for each in (*found, before) if each.strip()]


def _surviving_clauses(sentence: str, needles: Needles, keep: Telling | None) -> str:
    if not needles.sure(sentence):
        return sentence
    clauses = [clause.strip() for clause in CLAUSE.split(sentence) if clause.strip()]
    kept = [clause for clause in clauses if not needles.sure(clause)]
    asked = keep is not None and any(map(keep.mentioned, kept))
    if not kept or not (asked or VERBS.search(" ".join(kept))):
        return ""
    return _closed(kept, keep)


def _as_sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."
