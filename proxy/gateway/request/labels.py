"""What stands beside a value and says what it is: ``ssn: 536904399`` is more than a number."""

import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from detectors.detection import Analysis, Detection
from detectors.recognisers.named_secrets import RECOGNISER, SCORE, secret_kind
from detectors.recognisers.private_keys import PRIVATE_MEMBERS
from detectors.recognisers.secrets import RANDOM_STRING, names_no_secret
from detectors.recognisers.told_secrets import RECOGNISER as TOLD_SECRET
from proxy.gateway.exchange import Exchange, Text
from proxy.gateway.services import GatewayServices
from proxy.gateway.wire import request_headers
from proxy.tokens.forms.views import is_name_field

Analyse = Callable[[Sequence[str]], Awaitable[Sequence[Analysis]]]
MODEL_TYPES = frozenset(
    {"PERSON", "LOCATION", "ORGANIZATION", "NRP", "DATE_TIME", "MEDICATION", "MEDICAL_CONDITION",
     "RELATIONSHIP", "MONEY", "AGE"}
)  # fmt: skip
LONGEST_VALUE = 120
DEEPEST = 4  # members above a value that say something of it
_NAME = r"[^\W\d_a-z][\w'’.-]*"
_BARE = re.compile(rf"{_NAME}(?: {_NAME}){{1,3}}")
_JOINED = re.compile(r"[^\W_]+(?:_[^\W_]+)*")
_BREAK = re.compile(r"[-_.]|(?<=[a-z])(?=[A-Z])")
_SAID = """
account achternaam actor address adresse anschrift apellido apellidos assignee author birth
birthdate birthday birthplace boyfriend brother by card cell cellphone child clave client cognome
colleague contact credit customer dad daughter dob doctor driver employee father fax geboren
geburtsdatum geburtstag girlfriend given guest handle handy husband iban insurance kontakt konto
kunde kundin licence license login maiden manager member mieter mobil mobile mobilnummer mom mother
mum naam nachname naissance name national nationalid nephew nhs nick nickname niece nif nino nom
nombre nummer owner pan participant partner passport password passwort patient person pesel phone
phonenumber pin postal postcode prenom prénom recipient reporter rut secret sin sister sms sobrenome
social son sozialversicherungsnummer speaker spouse ssn steuer strasse straße street surname swift
tax tel telefon telefono telefoon telephone tenant tfn therapist tin user username vat voornaam wife
vorname whatsapp wohnort zip имя фамилия الاسم नाम 名前 姓名 氏名 성명 이름
bankkonto geboortedatum kontonr kontonummer nacimiento nascimento nascita rekening rekeningnummer
рождения паспорт отчество 生日 出生日期 誕生日 生年月日 생일 생년월일
身份证 身份证号 身份证号码 身份證 wifi wlan cookie cookies
"""
_TELLING = frozenset(_SAID.split())
# Of whom an id is no name: ``user_id``, by which a store is asked.
_HOLDERS = frozenset({"user", "owner", "tenant", "client", "guest", "assignee", "reporter"})
_CALLED = """
callback caller cell cellphone cellular celular cellulare contact contacto contatto fax handy
handynummer hotline kontakt landline mobil mobile mobilnummer movil msisdn móvil phone
phonenumber portable rufnummer signal sms tel telefon telefone telefonnummer telefono teléfono
telefoon telemovel telemóvel telephone téléphone viber voicemail whatsapp
телефон телефона мобильный 电话 电话号码 電話 電話番号 電話號碼 手机 手机号 手机号码 手機 手機號碼
携帯 携帯電話 携帯番号 联系电话 聯絡電話 联系方式 連絡先 전화 전화번호 휴대폰 휴대폰번호 핸드폰
연락처
"""
_DIALLED = frozenset(_CALLED.split()) | {"mobiel"}  # codespell:ignore mobiel
_COUNTS = """
amount at build bytes count created date height id index length model offset order price rank
revision rev sequence seq size time timestamp total ts updated version width
"""
_COUNTED = frozenset(_COUNTS.split())  # of a telephone, and nothing to dial: ``phone_id``
_UNSAID = re.compile(r"(?!00)\d{7,15}")
_BARE_PHONE = re.compile(r"phone(?:_[a-z]{2})?")  # the recogniser of numbers that nothing explains
# What stands there is anybody's words, a telephone number on its own too.
_ANYTHING = """
answer body comment content data description fact info memo memory message note number nummer query
said text value values
"""
_FREE = frozenset(_ANYTHING.split())

_UNDERTAKINGS = frozenset(
    {"project", "codename", "product", "repo", "repository", "service", "cluster", "namespace"}
    | {"package", "library", "framework"}
)  # called like people at times: ``{"project": "Apollo"}``
_ONE_WORD = re.compile(r"[^\W\d_]+")
_NAMES = ("name", "key", "field", "label", "id")
_VALUES = frozenset({"content", "data", "plain", "raw", "text", "val", "value", "values"})


@dataclass(frozen=True, slots=True)
class _Label:
    """A text with what names it.

    Args:
        start: where the text begins in it.
        whole: it is not the text to the letter, so that whatever is found stands for all of it.
    """

    text: Text
    said: str
    start: int
    takes: Callable[[Detection], bool]
    whole: bool = False


async def find_labelled(exchange: Exchange, analyse: Analyse) -> None:
    """Add what is seen only if a value is read with its label, or a bare name as one."""
    names = _Names(exchange.body)
    _leave_counts(exchange.texts, names)
    _leave_places(exchange.texts, names)
    _find_secrets(exchange.texts, names)
    labels = [*_bare(exchange.texts), *_valued(exchange.texts, names), *_in_headers(exchange.texts)]
    if not labels:
        return
    analyses = await analyse([label.said for label in labels])
    for label, analysis in zip(labels, analyses, strict=True):
        label.text.detections += tuple(_within(label, analysis))


def _within(label: _Label, analysis: Analysis) -> Iterator[Detection]:
    """Detections of the label's value that are not known yet, as they stand in the text."""
    text = label.text.text
    for found in analysis.detections:
        start, end = found.start - label.start, found.end - label.start
        if label.whole:
            start, end = 0, len(text)
        if start < 0 or end > len(text) or not label.takes(found):
            continue
        if not any(_covers(each, found, start, end) for each in label.text.detections):
            yield replace(found, start=start, end=end, text=text[start:end])


def _covers(known: Detection, found: Detection, start: int, end: int) -> bool:
    return known.entity_type == found.entity_type and known.start <= start and end <= known.end


def _is_person(found: Detection) -> bool:
    return found.entity_type == "PERSON"


def _is_personal(found: Detection) -> bool:
    return found.entity_type == "PERSON" or found.entity_type not in MODEL_TYPES


def _bare(texts: Collection[Text]) -> Iterator[_Label]:
    """Bare names that are keys or values: a model that wants a sentence sees them as labels."""
    for text in texts:
        if text.role in ("key", "value") and not text.detections and _BARE.fullmatch(text.text):
            yield _Label(text, f"{text.text}: x", 0, _is_person)


def _valued(texts: Collection[Text], names: "_Names") -> Iterator[_Label]:
    """Values whose member or header says what they are: ``lastName``, ``phones``, ``X-Patient``."""
    for text in texts:
        if text.role not in ("value", "number", "header") or len(text.text) > LONGEST_VALUE:
            continue
        above = names.above(text)
        label = _words(above[-1] if above else "")
        if not label and _UNSAID.fullmatch(text.text) and _is_dialled(above):
            label = "phone"
        if label:
            yield _Label(text, f"{label}: {text.text}", len(label) + 2, partial(_told, text, above))


def _told(text: Text, above: Sequence[str], found: Detection) -> bool:
    counted = found.entity_type == "PHONE_NUMBER" and _counts(text, above)
    return _is_personal(found) and not counted


def _find_secrets(texts: Collection[Text], names: "_Names") -> None:
    """Take the whole value of a secret's member for the secret: ``pwd``, ``apiKey``, ``pins``."""
    for text in texts:
        if text.role not in ("content", "query", "value", "number"):
            continue
        kinds = (secret_kind(name, text.text) for name in _names_of(text, names))
        kind = "PRIVATE_KEY" if _is_of_web_key(text) else next(filter(None, kinds), None)
        if kind:
            found = Detection(kind, 0, len(text.text), SCORE, RECOGNISER, text.text)
            text.detections = (*text.detections, found)


def _is_of_web_key(text: Text) -> bool:
    """Whether a value is a private member of a JSON Web Key."""
    container = text.slot.container
    named = isinstance(container, dict) and text.slot.key in PRIVATE_MEMBERS
    return named and "kty" in container and len(text.text) >= 16


def _names_of(text: Text, names: "_Names") -> Iterator[str]:
    """What may name a value: its member, what that stands in, ``{"name": …, "value": …}``."""
    above = names.above(text)
    yield from above[-1:]
    container = text.slot.container
    if above and isinstance(container, dict) and above[-1].lower() in _VALUES:
        yield from above[-2:-1]
        yield from (said for key in _NAMES if isinstance(said := container.get(key), str))


def _leave_counts(texts: Collection[Text], names: "_Names") -> None:
    """Take a number for no telephone number where no member says so: ``order_id``, ``offset``."""
    for text in texts:
        if text.role in ("value", "number") and text.detections:
            unsaid = _counts(text, names.above(text))
            text.detections = tuple(
                found for found in text.detections
                if not (unsaid and found.entity_type == "PHONE_NUMBER"
                        and _BARE_PHONE.fullmatch(found.recogniser))
            )  # fmt: skip


def _leave_places(texts: Collection[Text], names: "_Names") -> None:
    """Take for no key and nobody what its member says is none: ``cursor``, ``project``."""
    for text in texts:
        name = names.above(text)[-1:] if text.detections else ()
        if any(map(names_no_secret, name)):
            none = {RANDOM_STRING, TOLD_SECRET}
            text.detections = tuple(each for each in text.detections if each.recogniser not in none)
        elif _UNDERTAKINGS.intersection(map(str.lower, name)) and _ONE_WORD.fullmatch(text.text):
            text.detections = tuple(each for each in text.detections if not _is_person(each))


def _counts(text: Text, above: Sequence[str]) -> bool:
    """Whether it is digits alone, and nothing that it stands under says that one can dial them."""
    if _UNSAID.fullmatch(text.text) is None or _is_dialled(above):
        return False
    return text.role == "number" or (bool(above) and above[-1].lower() not in _FREE)


def _is_dialled(above: Sequence[str]) -> bool:
    last = _spelled(above[-1]).split()[-1:] if above else ()
    return _COUNTED.isdisjoint(last) and any(_DIALLED & _parts(name) for name in above)


def _parts(name: str) -> set[str]:
    """The words of a member's name, as they are and in the singular."""
    words = _spelled(name).split()
    return {*words, *(word.removesuffix("s") for word in words)}


def _spelled(name: str) -> str:
    return _BREAK.sub(" ", name).lower()


def _words(key: str) -> str:
    """A member's name as words, if they say what its value is; else empty."""
    parts = _parts(key)
    telling = (parts - _HOLDERS if "id" in parts else parts) & _TELLING
    foreign = not key.isascii() and parts & _DIALLED
    said = is_name_field(key) or telling or foreign
    return _spelled(key) if said else ""


class _Names:
    """The members under which each value of a body stands, outermost first."""

    def __init__(self, body: Any) -> None:
        self._body = body
        self._above: dict[int, tuple[str, ...]] | None = None

    def above(self, text: Text) -> tuple[str, ...]:
        """The names of what holds a text, and its own."""
        if text.role == "header":
            said, name, _ = text.slot.container
            return (request_headers.called(name),) if said == text.text else ()
        if self._above is None:
            self._above = dict(_places(self._body))
        names, key = self._above.get(id(text.slot.container), ()), text.slot.key
        return (*names, key) if isinstance(key, str) else names


def _places(body: Any) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every object and list with the member names above it, the last ``DEEPEST`` of them."""
    stack: list[tuple[Any, tuple[str, ...]]] = [(body, ())]
    while stack:
        part, names = stack.pop()
        if isinstance(part, dict):
            yield id(part), names
            stack += [(each, (*names, name)[-DEEPEST:]) for name, each in part.items()]
        elif isinstance(part, list):
            yield id(part), names
            stack += [(each, names) for each in part]


def _in_headers(texts: Collection[Text]) -> Iterator[_Label]:
    """Words in a row anywhere in a header, as a name has them: ``orla.quist``."""
    for text in texts:
        if text.role == "header":
            name = text.slot.container[1]
            for said in request_headers.joined_words(name, text.text):
                yield _Label(text, f"{said}: x", 0, _is_person, whole=True)


async def find_joined(exchange: Exchange, services: GatewayServices, rows: Collection[str]) -> None:
    """Known and blocked names that programs write in one word: ``orla_quist``, ``orlaQuist``."""
    words = [
        text
        for text in exchange.texts
        if text.role in ("key", "value")
        and _JOINED.fullmatch(text.text)
        and _spaced(text.text)[0].count(" ")
    ]
    spaced = [_spaced(text.text) for text in words]
    if not spaced:
        return
    known = await services.vault.known_mentions(exchange.tenant_id, [each for each, _ in spaced])
    blocked = await services.blocklist.blocked_mentions(
        exchange.tenant_id, [each for each, _ in spaced], rows
    )
    for text, (_, places), mine, theirs in zip(words, spaced, known, blocked, strict=True):
        found = [_moved(each, places, text.text) for each in (*mine, *theirs) if " " in each.text]
        text.detections = (*text.detections, *found)


def _spaced(word: str) -> tuple[str, list[int]]:
    """The word with spaces between its parts, and where each character stood."""
    said: list[str] = []
    places: list[int] = []
    for index, char in enumerate(word):
        if char.isupper() and index and word[index - 1].islower():
            said.append(" ")
            places.append(index)
        said.append(" " if char == "_" else char)
        places.append(index)
    return "".join(said), [*places, len(word)]


def _moved(found: Detection, places: Sequence[int], word: str) -> Detection:
    start, end = places[found.start], places[found.end - 1] + 1
    return replace(found, start=start, end=end, text=word[start:end])
