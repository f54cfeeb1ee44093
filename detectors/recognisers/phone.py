"""Telephone numbers: international, national, and seven-digit local ones."""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache, partial

import phonenumbers

from detectors.detection import Detection
from detectors.identity.phones import begins
from detectors.readings.obfuscation import DIGIT_WORD
from detectors.recognisers.base import UNSPACED, Recogniser, before, matches, near, words

COUNTED = "元円원块塊万萬명个個件"  # behind a number: money, people, things
# A slash, or letters before a plus, may stand close before a number: "Alva/+47…", "Alva+47…".
# Minutes and seconds begin none: "12:00:01.123456".
CANDIDATE = re.compile(
    r"(?<!\d:\d\d:)(?<!\d\d:(?=[0-5]\d(?!\d)))"
    r"(?:(?<![\w@#$€£+./-])|(?<=[^\W\d_]/)|(?<=[^\W\d]|#)(?=\+\d)|(?<=[^\W\d_]\.)(?=\+\d)"
    rf"|(?<=[{UNSPACED}])"
    r"|(?<=\d{4}/)(?=\(?\d{3}[-. )]{1,2}\d{3}[-. ])|(?<![/\w]/)(?<=/)(?=\+\d))"
    r"(?:\((?=\+\d{1,3}\)))?(?P<international>\+|00[ ]?(?=[1-9]))?"
    r"\(?\d(?:[ ()./\u00a0-]{0,3}\d){6,14}"
    r"(?P<extension>[ ,]{0,2}(?:x|ext\.?|extension)[ ]?\d{1,6})?"
    rf"(?:(?!(?![{UNSPACED}])[\w@]| ?[{COUNTED}]"
    r"|[.,:-]\d|/\d(?!\d{2}[-. ]\d{3})|%)|(?(international)(?=[^\W\d_]{2})|(?!)))",
    re.IGNORECASE,
)
LINKED = re.compile(
    r"(?<![\w-])(?:wa\.me/|(?:api\.)?whatsapp\.com/send/?\?phone=|t\.me/\+|signal\.me/#p/"
    r"|(?:tel|sms|callto|facetime):(?://)?)\+?(?P<value>\d{7,15})(?!\d)",
    re.IGNORECASE,
)
AREA_CODE = re.compile(
    rf"(?<!\w)area\s+code(?:\s+is)?[\s:=(]+(?P<value>\d{{3}}|(?:{DIGIT_WORD})"
    rf"(?:[\s-]+(?:{DIGIT_WORD})){{2}})(?!\w)",
    re.IGNORECASE,
)
REST_OF_NUMBER = re.compile(
    rf"\d{{3}}[-. ]?\d{{4}}|(?:(?:{DIGIT_WORD})[\s,-]+){{5}}(?:{DIGIT_WORD})", re.IGNORECASE
)
LOCAL = re.compile(r"(?<![\w@#$€£+.,/()-])\d{3}[-. ]\d{4}(?![\w@%]|[.,:/-]\d|[- ]\d)")
EASTERN_WORDS = (
    "电话|電話|手机|手機|携帯|联系方式|聯絡方式|連絡先|联系我|打给|拨打|撥打|呼び?出|致电|微信"
    "|전화|휴대|핸드폰|연락"
)
EASTERN_OTHER = (
    "订单|訂單|单号|單號|编号|編號|账号|帳號|证号|證號|卡号|快递|发票|版本|注文|口座|伝票|商品|会員"
    "|주문|계좌|송장|등록|회원"
)
WESTERN_WORDS = words(
    r"phones?|tel|telephone|cell|cellphone|mobile|mob|call(?:s|ed|ing)?|ring|dial|fax|whatsapp"
    r"|text(?:s|ed|ing)?|sms|reach(?:ed|able)?|hotline|landline|voicemail|signal"
    r"|telefon|telefonnummer|handy|handynummer|rufnummer|nummer|anrufen|ruf|mobil"
    r"|t[ée]l[ée]phone|portable|appel(?:le|er|ez)?|num[ée]ro|joindre"
    r"|tel[ée]fono|m[óo]vil|ll[áa]m(?:a|ame|ar)|celular|n[úu]mero"
    r"|cellulare|chiam(?:a|ami|are)|telefone|telem[óo]vel|lig(?:a|ar|ue)"
    r"|telefoon|telefoonnummer|mobiel|bel(?:len)?"
    r"|(?:my|his|her|their|our|new|\w+['’]s|contact) (?:new )?number|number(?= is)|number:"
    r"|телефон\w{0,3}|тел|моб|мобильн\w{2,3}|сотов\w{2,3}|звони\w{0,3}|позвони\w{0,3}|номер\w{0,3}|ватсап|телефонувати",
)
WESTERN_OTHER = words(
    r"order|ticket|invoice|case|ref|reference|sku|version|build|isbn|issn|tracking|serial|model"
    r"|part|error|(?<!area )code|port|account|acct|iban|id|commit|batch"
    r"|imei|imsi|iccid|transaction|shipment|parcel|booking|confirmation|policy|claim|bestellung|rechnung|konto"
    r"|commande|facture|pedido|factura|ordine|fattura|passport|licen[cs]e|ssn|itin|nhs|npi|routing"
    r"|заказ\w{0,3}|сч[её]т\w{0,3}|инн|снилс|паспорт\w{0,3}|договор\w{0,3}|версия"
)
PHONE_WORDS = re.compile(f"{WESTERN_WORDS.pattern}|{EASTERN_WORDS}", re.IGNORECASE)
OTHER_NUMBERS = re.compile(f"{WESTERN_OTHER.pattern}|{EASTERN_OTHER}", re.IGNORECASE)
NANP_SHAPE = re.compile(r"(?:1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}")
# Also as in Russia and China: "8 (916) 123-45-67", "138 0013 8000".
TRUNK_SHAPE = re.compile(
    r"8[ (-]{1,2}\d{3}[) -]|1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)"
    r"|\(?0\d{1,4}[)/ .-]|\(0\)[ ]?\d{2,4}[/ .-]"
)
DATE_SHAPE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)|\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)\d{2}(?!\d)"
)
# Anywhere within: "1 2026-11-29"; a number's own groups are no date.
ISO_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])(?!\d)")
DOTTED_QUAD = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
GROUPS_LIKE_SSN = re.compile(r"\d{3}[- ]\d{2}[- ]\d{4}")
NANP_REGIONS = frozenset({"US", "CA"})
# Of whom a text is by its letters, and so which national numbers it may hold.
SCRIPTS = (
    (re.compile("[\u3040-\u30ff]"), ("JP",)),
    (re.compile("[\uac00-\ud7af]"), ("KR",)),
    (re.compile("[\u3400-\u9fff]"), ("CN", "TW", "JP")),
    (re.compile("[\u0400-\u04ff]"), ("RU", "UA")),
)
NEAR = 40  # code points before a number in which a word tells what it is


def phone_recognisers(countries: Collection[str]) -> list[Recogniser]:
    """Phone numbers of the given countries, and of any country when written internationally."""
    regions = tuple(country.upper() for country in countries)
    linked = matches("PHONE_NUMBER", "phone_link", LINKED, 0.9, "value")
    return [
        Recogniser("phone", (r"\d(?:[ ()./\x{a0}-]{0,3}\d){6}",), partial(find, regions)),
        Recogniser("phone_link", (r"\.me/|phone=|(?:tel|sms|callto|facetime):",), linked),
        Recogniser("area_code", (r"area\s+code\W",), find_area_codes),
    ]


def find_area_codes(text: str) -> Iterator[Detection]:
    """Area codes that stand beside the rest of a number, in digits or spelled out."""
    for match in AREA_CODE.finditer(text):
        if near(text, *match.span(), REST_OF_NUMBER):
            yield Detection("PHONE_NUMBER", *match.span("value"), 0.7, "area_code")


def find(regions: tuple[str, ...], text: str) -> Iterator[Detection]:
    """Phone numbers in a text; the recogniser's name ends with the number's region if known."""
    if not text.isascii():
        told = (more for script, more in SCRIPTS if script.search(text))
        regions = (*regions, *(region for more in told for region in more))
    for match in CANDIDATE.finditer(text):
        yield from _judge(match, regions)
    for match in LOCAL.finditer(text):
        score = 0.7 if in_context(text, match.start()) else 0.0
        if match[0].startswith("555"):
            score = max(score, 0.0 if about_something_else(text, match.start()) else 0.6)
        if score:
            yield Detection("PHONE_NUMBER", *match.span(), score, "phone_local")


def in_context(text: str, start: int) -> bool:
    """Whether the words before a number say that it is a phone number, and none denies it."""
    return before(text, start, PHONE_WORDS, NEAR) and not about_something_else(text, start)


def about_something_else(text: str, start: int) -> bool:
    """Whether the words before a number say that it counts or names something else."""
    lead = text[max(0, start - NEAR) : start]
    other = _last(OTHER_NUMBERS, lead)
    return other >= 0 and other > _last(PHONE_WORDS, lead)


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max((match.start() for match in pattern.finditer(text)), default=-1)


def _judge(match: re.Match[str], regions: tuple[str, ...]) -> Iterator[Detection]:
    number, text, start = match[0], match.string, match.start()
    if match["international"]:
        for shorter in _without_trailing_groups(number):
            region, valid = parse(shorter.replace("00", "+", 1) if number[0] == "0" else shorter)
            glued = text[start + len(shorter) : start + len(shorter) + 1].isalpha()
            if region is not None and (valid or not glued):
                yield _found(start, shorter, region, 0.9 if valid else 0.7)
                return
    if _is_other_shape(number) or about_something_else(text, start):
        return
    in_words = before(text, start, PHONE_WORDS, NEAR)
    if number.isdecimal() and text[start - 1 : start] == "/" and not in_words:
        return  # the end of a path
    score, region = _national(number, regions, in_words)
    if score:
        yield _found(start, number, region, score)


def _found(start: int, number: str, region: str, score: float) -> Detection:
    name = f"phone_{region.lower()}" if region else "phone"
    return Detection("PHONE_NUMBER", start + begins(number), start + len(number), score, name)


def _without_trailing_groups(number: str) -> Iterator[str]:
    """The number, then without its last group of digits, then without its last two."""
    for _ in range(3):
        yield number
        shorter = re.sub(r"[ ()./\u00a0-]+\d+$", "", number)
        if shorter == number:
            return
        number = shorter


def _is_other_shape(number: str) -> bool:
    shapes = (DATE_SHAPE, GROUPS_LIKE_SSN)
    if any(shape.match(number) for shape in shapes) or DOTTED_QUAD.fullmatch(number):
        return True
    return ISO_DATE.search(number) is not None


def _national(number: str, regions: tuple[str, ...], in_words: bool) -> tuple[float, str]:
    shaped = bool(TRUNK_SHAPE.match(number) or NANP_SHAPE.fullmatch(number))
    for region in regions:
        home, valid = parse(number, region)
        if not valid or home is None:
            continue
        if in_words:
            return 0.85, home
        if shaped:
            return 0.7, home
        if home in NANP_REGIONS and number.isdecimal():
            return 0.45, home
    if NANP_SHAPE.fullmatch(number):
        return 0.6, ""
    return (0.6, "") if in_words else (0.0, "")


@lru_cache(maxsize=1024)
def parse(number: str, region: str | None = None) -> tuple[str | None, bool]:
    """A number's region ('' if it has none) and whether it is valid there; None if impossible."""
    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return None, False
    if not phonenumbers.is_possible_number(parsed):
        return None, False
    home = phonenumbers.region_code_for_number(parsed)
    if not home:
        home = phonenumbers.region_code_for_country_code(parsed.country_code or 0)
    return ("" if home == "ZZ" else home), phonenumbers.is_valid_number(parsed)
