"""Who must be a person in Chinese, Japanese, Korean, Arabic and Hindi notes, by the words beside.

The name model was trained on Latin letters; these rules ask for a family name, or for a name where
a name must stand. They are no substitute for a model: what they miss, a policy can hold back.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from detectors.detection import Detection
from detectors.words.lexicons import sections
from detectors.words.variants import one_form

RECOGNISER = "names_scripts"
SCORE = 0.7
PLACE_SCORE = 0.65
ANY = re.compile("[\u0600-\u06ff\u0900-\u097f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")

# What is nobody's name behind a name: particles, a verb.
TAIL = re.compile(
    "\\s*(?:은|는|이|가|을|를|과|와|의|도|에게|한테|께서|이랑|랑|입니다|이에요|예요|이다)?\\s*"
    "|\\s*[يت][\u0621-\u0652]{3,5}\\s*"
)

HAN = "[\u3400-\u9fff々]"
JAPANESE = "[\u3040-\u30ff\u3400-\u9fff々]"
HANGUL = "[\uac00-\ud7a3]"
ARABIC = "[\u0621-\u0652\u0670]"
HINDI = "[\u0900-\u0963\u0970-\u097f]"


def _chinese(words: dict[str, str]) -> Iterator[str]:
    """Family name and one or two signs, as few as what follows allows."""
    family, close = words["zh_family"], words["zh_near"]
    name = f"(?P<name>(?:{family}){HAN}{{1,2}}?)"
    verbs = "在是的说和住去要会有来打喜想给跟与从到也都就把被将向对已正很不没最换买做吃下"
    deeds = "怀孕|生病|住院|辞职|离婚|结婚|搬家|借|当|教"
    goes_on = f"(?=$|(?!{HAN}).|[{verbs}]|[今明昨后]天|{deeds})"
    yield f"(?:(?:名字|姓名)(?:是|叫|[:：])?|[名我他她]叫|叫做|(?:{close})叫){name}{goes_on}"
    yield f"(?:{close}|我是|认识|遇到|遇见)(?:是|[:：])?{name}{goes_on}"
    yield f"(?<!{HAN})(?P<name>[老小](?:{family}))(?=[{verbs}]|{deeds})"
    title = "先生|女士|小姐|太太|老师|医生|经理|教授|律师|主任|总监|师傅|博士"
    begins = f"(?:(?<!{HAN})|(?<=[了的和跟给找见请与对问是约]))"
    yield f"{begins}(?P<name>(?:{family}){HAN}{{0,2}}?)(?:{title})"


def _japanese(words: dict[str, str]) -> Iterator[str]:
    """Family name and up to four signs, before a title or after a relation."""
    family = f"(?:{words['ja_family']})"
    name = f"(?P<name>{family} ?{JAPANESE}{{0,4}}?)"
    title = "さん|様|さま|ちゃん|くん|君|氏|先生|部長|課長|社長|教授|店長"
    goes_on = rf"(?=$|[はがをにともへ、。,.\s)）]|です|から|より|{title})"
    yield f"(?P<name>(?:{family}|[林原東辻関森堀]) ?{JAPANESE}{{0,4}}?)(?:{title})"
    yield f"(?:{words['ja_near']})[の、は]{name}{goes_on}"
    yield f"(?:名前は|私は|僕は|氏名[:：]?) ?{name}{goes_on}"
    yield f"{name}(?:と申します|といいます|と言います)"
    yield "(?<![\u30a0-\u30ff])(?P<name>[\u30a1-\u30fa\u30fc]{2,8})(?:さん|ちゃん|くん)"


def _korean(words: dict[str, str]) -> Iterator[str]:
    """Family name and one or two syllables, before a title, after a relation or "my name is"."""
    no_word = "(?!선생|고객|이모|고모|원장|전무|차장|주임|주인|변호|여러|공주|임금|우리|이사|기사)"
    name = f"(?P<name>{no_word}(?:{words['ko_family']}){HANGUL}{{1,2}}?)"
    particle = (
        "(?:은|는|이|가|을|를|과|와|의|도|에게|한테|께서|께|이랑|랑|입니다|이에요|예요|이다)?"
    )
    goes_on = rf"(?={particle}(?:$|[\s,.!?]))"
    title = "씨|님|군|양|선생님|교수님?|박사님?|과장님?|부장님?|대리님?|팀장님?|사장님?|원장님?"
    yield rf"(?<!{HANGUL}){name} ?(?:{title}){goes_on}"
    yield rf"(?<!{HANGUL})(?:{words['ko_near']})(?:인|의)? {name}{goes_on}"
    yield rf"(?<!{HANGUL})(?:이름은|성명[:：]?) ?{name}{goes_on}"
    yield rf"(?<!{HANGUL})저는 {name}(?=입니다|이에요|예요|이라고)"


def _arabic(words: dict[str, str]) -> Iterator[str]:
    """A word after "my name is", a title or a relation, with what belongs to it."""
    given = f"(?:{words['ar_given']})(?!{ARABIC})"
    no_verb = rf"(?!(?!{given})[يت]{ARABIC}{{3,5}}(?:\s|[.،]|$))"
    little = (
        "هو|هي|في|من|على|إلى|عن|مع|كان|كانت|لا|لم|لن|قد|أن|إن|التي|الذي|هذا|هذه|كل|ليس|ليست|يوم"
    )
    no_word = rf"(?!(?:{little})(?:\s|$))"
    family = f"(?:بن|ابن|بنت|أبو|أبي|أم|آل) {ARABIC}+|ال{ARABIC}+"
    joined = f"(?: (?:{family}|{given}))"
    name = f"(?P<name>{no_word}{no_verb}{ARABIC}{{2,}}{joined}*)"
    title = "السيدة?|الدكتورة?|الأستاذة?|الآنسة"
    yield rf"(?<!{ARABIC})و?(?:اسم(?:ي|ه|ها)|[يت]دعى|{title}) (?:هو |هي )?{name}"
    yield rf"(?<!{ARABIC})و?(?:{words['ar_near']}) (?:اسم(?:ه|ها) )?{name}"


def _hindi(words: dict[str, str]) -> Iterator[str]:
    """A word after "name", a title or a relation, or before a family name or "ji"."""
    no_word = (
        "(?!(?:है|हैं|था|थी|थे|को|ने|के|की|का|में|से|पर|और|भी|ही|नहीं|एक|यह|वह|जो|तो|मेरा|मेरी|मेरे|बहुत|अब|आज|कल|अभी|"
        f"हमेशा|क्या|साथ|बीमार|हो|कर|रहा|रही|रहे|घर|काम|डॉक्टर|{words['hi_near']})(?!{HINDI}))"
    )
    family = f"(?: (?:{words['hi_family']})(?!{HINDI}))"
    name = f"(?P<name>{no_word}{HINDI}+{family}*)"
    own = "मेर[ाीे]|उसक[ाीे]|उनक[ाीे]|हमार[ाीे]|इसक[ाीे]"
    yield rf"(?<!{HINDI})नाम {name}(?= (?:है|था|थी)|$|[,।])"
    yield rf"(?<!{HINDI})(?:श्रीमती|श्री|सुश्री|डॉ\.?|डॉक्टर) {name}"
    yield rf"(?<!{HINDI})(?:{own}) (?:{words['hi_near']}) {name}"
    yield rf"(?<!{HINDI})(?P<name>{no_word}{HINDI}+{family}+)"
    yield rf"(?<!{HINDI})(?P<name>{no_word}{HINDI}+) जी(?!{HINDI})"


RULES = (_chinese, _japanese, _korean, _arabic, _hindi)


@cache
def _people() -> tuple[re.Pattern[str], ...]:
    words = sections("script_names")
    return tuple(re.compile(one_form(rule)) for rules in RULES for rule in rules(words))


@cache
def _places() -> re.Pattern[str]:
    words = sections("script_names")
    after = {"ko": f"(?:에서|에|로|의|으로|까지|부터)?(?!{HANGUL})", "ar": f"(?!{ARABIC})"}
    before = {"ko": f"(?<!{HANGUL})", "ar": f"(?<!{ARABIC})", "hi": f"(?<!{HINDI})"}
    ends = after | {"hi": f"(?!{HINDI})", "zh": "(?!大学|银行|路)", "ja": "(?!大学|銀行)"}
    kinds = [
        f"{before.get(code, '')}(?P<{code}>{words[f'{code}_places']}){ends[code]}"
        for code in ("zh", "ja", "ko", "ar", "hi")
    ]
    return re.compile(one_form("|".join(kinds)))


def with_scripts(text: str, spans: Sequence[Detection]) -> list[Detection]:
    """Add who and where is named in these scripts; what a rule knows is cut off longer guesses.

    Args:
        text: the text (or window) that the spans refer to.
        spans: what was found before.
    """
    if text.isascii() or not ANY.search(text):
        return list(spans)
    named = list(_named(text))
    people = [person for _, person in named]
    places = [one for one in _located(text) if not any(_touch(one, each) for each in people)]
    return [*(_shortened(text, span, named, places) for span in spans), *people, *places]


def _named(text: str) -> Iterator[tuple[int, Detection]]:
    """People, each with where the words begin that say so."""
    read = one_form(text)
    for pattern in _people():
        for match in pattern.finditer(read):
            start, end = match.span("name")
            person = Detection("PERSON", start, end, SCORE, RECOGNISER, text[start:end])
            yield match.start(), person


def _located(text: str) -> Iterator[Detection]:
    for match in _places().finditer(one_form(text)):
        start, end = match.span(str(match.lastgroup))
        yield Detection("LOCATION", start, end, PLACE_SCORE, RECOGNISER, text[start:end])


def _touch(one: Detection, other: Detection) -> bool:
    return one.start < other.end and other.start < one.end


def _shortened(
    text: str,
    span: Detection,
    named: Sequence[tuple[int, Detection]],
    places: Sequence[Detection],
) -> Detection:
    """A model's person without the words that tell the name in it, a place, or an ending."""
    if span.entity_type != "PERSON":
        return span
    start, end = span.start, span.end
    for lead, person in named:
        if _touch(span, person):
            start = person.start if lead <= start < person.start else start
            after = [one.start for one in places if person.end <= one.start < end]
            end = min([end, *after])
            end = person.end if TAIL.fullmatch(text[person.end : end]) else end
    return replace(span, start=start, end=end, text=text[start:end])
