"""Coarser forms of precise values; None when no coarser form is safe."""

import re
from collections.abc import Callable

from policies.schema import ENTITY_TYPES

_MONTHS = "january february march april may june july august september october november december"
_MONTH = re.compile(
    rf"\b({'|'.join(rf'{m}|{m[:3]}' for m in _MONTHS.split())}|sept)\b\.?", re.IGNORECASE
)
_MONTH_ELSEWHERE = re.compile(
    r"\b(?:(?:janu|febru)ari?|märz|mai|ju[nl]i|okto?ber|dez(?:ember|embro)|janvier|février|mars"
    r"|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo"
    r"|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio"
    r"|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro"
    r"|outubro|novembro|maart|mei|augustus)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d)")
_ISO = re.compile(r"(?<!\d)((?:1[89]|20)\d\d)[-./](\d{1,2})[-./]\d{1,2}(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)\d{1,2}\.\s?(\d{1,2})\.\s?((?:1[89]|20)\d\d)(?!\d)")
_EITHER_FIRST = re.compile(r"(?<!\d)(\d{1,2})([/-])(\d{1,2})\2((?:1[89]|20)\d\d)(?!\d)")
_EASTERN = re.compile(r"(?<!\d)((?:1[89]|20)\d\d)\s?[年년]\s?(\d{1,2})\s?[月월]")
_NUMBER = re.compile(r"(?<!\d)\d{1,3}(?!\d)")
_DECIMAL = re.compile(r"[-+]?\d{1,3}\.\d+")
_HOUSE = re.compile(r"\d")
_STREET = re.compile(
    r"\b(street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|way|court|ct|place|pl|"
    r"square|sq|terrace|close|crescent|apt|apartment|flat|suite|unit|floor|rue|avenida|calle|"
    r"house|building|tower|block|estate|lodge|cottage|villa|mansions?|residence|haus|gebäude|"
    r"via|weg|platz|allee|str|strasse|straße|straat|laan|\w+(?:stra(?:ss|ß)e|str|weg|straat|laan))"
    r"\b\.?",
    re.IGNORECASE,
)
_PART = re.compile(r"[,\n;]")
_POSTCODE = re.compile(r"^(?:[A-Z]{1,2}-)?\d{4,5}\s+(?=\D+$)")
_OUTWARD = re.compile(r"([A-Z]{1,2}\d[A-Z\d]?)\s*\d[A-Z]{2}", re.IGNORECASE)


def coarser(entity_type: str, text: str, to: str | None) -> str | None:
    """The generalised form of a detection, or None: the caller then redacts."""
    form = to or next(iter(_FITTING.get(entity_type, ())), None)
    return _FORMS[form](text.strip()) if form in forms(entity_type) else None


def forms(entity_type: str) -> tuple[str, ...]:
    """The forms that make a type coarser, the usual one first; of an own type any, if named."""
    return _FITTING.get(entity_type, () if entity_type in ENTITY_TYPES else tuple(_FORMS))


def city(text: str) -> str | None:
    """The part of an address that names no street and no house."""
    parts = [_POSTCODE.sub("", part.strip()) for part in _PART.split(text)][1:]
    places = [part for part in parts if part and not (_HOUSE.search(part) or _STREET.search(part))]
    return places[0] if places else None


def month(text: str) -> str | None:
    """``14 May 1987`` to ``May 1987``, ``1987-05-14`` to ``1987-05``; else the year alone.

    Of ``03/04/1987`` nobody can tell the month, of ``14/05/1987`` and ``14.05.1987`` one can.
    """
    numeric = _numeric(text)
    if numeric is not None:
        said, number = numeric
        return f"{said}-{number:02d}" if 1 <= number <= 12 else said
    name, found = _MONTH.search(text), _YEAR.search(text)
    elsewhere = _MONTH_ELSEWHERE.search(text)
    if name or elsewhere:
        spelled = name[1].capitalize() if name else elsewhere[0] if elsewhere else ""
        return f"{spelled} {found[1]}" if found else spelled
    return found[1] if found else None


def _numeric(text: str) -> tuple[str, int] | None:
    """Year and month of a date in digits; 0 where the month is not to be told from the day."""
    for pattern in (_ISO, _EASTERN):
        if found := pattern.search(text):
            return found[1], int(found[2])
    if found := _DAY_FIRST.search(text):
        return found[2], int(found[1])
    if found := _EITHER_FIRST.search(text):
        one, other = int(found[1]), int(found[3])
        told = one == other or max(one, other) > 12
        return found[4], min(one, other) if told else 0
    return None


def year(text: str) -> str | None:
    """The year of a date."""
    found = _YEAR.search(text)
    return found[1] if found else None


def band(text: str) -> str | None:
    """``34 years old`` to ``30-39``."""
    numbers = _NUMBER.findall(text)
    if len(numbers) != 1:
        return None
    low = int(numbers[0]) // 10 * 10
    return f"{low}-{low + 9}" if low < 90 else "90+"


def area(text: str) -> str | None:
    """Coordinates to a tenth of a degree (about 11 km); a postcode to its first part."""
    decimals = _DECIMAL.findall(text)
    if len(decimals) == 2:
        return ", ".join(f"{float(value):.1f}" for value in decimals)
    outward = _OUTWARD.fullmatch(text)
    if outward:
        return outward[1]
    return f"{text[:2]}***" if re.fullmatch(r"\d{5}(-\d{4})?", text) else None


_FORMS: dict[str, Callable[[str], str | None]] = {
    "city": city,
    "month": month,
    "year": year,
    "band": band,
    "area": area,
}
_FITTING = {
    "STREET_ADDRESS": ("city",),
    "DATE_OF_BIRTH": ("month", "year"),
    "DATE_TIME": ("month", "year"),
    "AGE": ("band",),
    "COORDINATES": ("area",),
    "POSTCODE": ("area",),
}
