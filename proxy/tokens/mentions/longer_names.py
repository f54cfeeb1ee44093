"""Whether a whole name goes on as another's: ``Anna Lee Jones``, ``John Smith Jr.``, ``李静雯``.

Where it does, nobody can tell whether whoever bears the shorter one is meant.
"""

import re
from collections.abc import Collection
from functools import cache

from detectors.identity.names import coupled
from detectors.people.foreign import is_foreign
from detectors.words.folding import UNSPACED, ascii_form, fold
from detectors.words.lexicons import sections
from detectors.words.namelists import (
    foreign_verbs,
    given_names,
    is_given_name,
    is_name,
    is_ordinary,
    rarely_words,
)
from detectors.words.titles import HONORIFICS
from detectors.words.variants import one_form
from proxy.tokens.mentions.named_after import is_a_family
from proxy.tokens.mentions.specificity import begins_sentence
from proxy.tokens.mentions.standing import ARTICLES, is_caseless_name
from proxy.tokens.mentions.usage import CALENDAR, REACH, TOWNS, reads_as_word

JOIN = frozenset({"and", "y", "e"})  # "Tilda Brenn and Alva" are two
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_BEFORE = re.compile(r"([^\W\d_]+(?:['’-][^\W\d_]+)*)[ \t\u00a0]{1,2}$")
_AFTER = re.compile(r"[ \t\u00a0]{1,2}([^\W\d_]+(?:['’-][^\W\d_]+)*)")
_YOUNGER = re.compile(r",?[ \t\u00a0]{1,2}(Jr|Sr|Jnr|Snr|Junior|Senior|II|III|IV)(?![\w-])\.?")
_LISTED = re.compile(r",? (?:and|und|y|et|e|en|&|or) |, ")
_LISTED_BEFORE = re.compile(r"(?<![\w’'-])([^\W\d_]+), $")
# The other half of what a hyphen couples: ``-Luc`` behind a word, ``Jean-`` before it.
_HALF_BEHIND, _HALF_BEFORE = re.compile(r"[-‐‑]([^\W\d_]+)"), re.compile(r"([^\W\d_]+)[-‐‑]$")
_SYLLABLE = re.compile(r"[-‐‑]([a-z]{2,5})(?!\w)")  # "Li Jing-wen"
_JOINED_ON = frozenset(
    {"style", "like", "free", "led", "born", "owned", "based", "run", "type", "era", "made",
     "esque", "ish", "and", "or", "to", "on", "at", "und", "et"}
)  # fmt: skip
_PLACE = re.compile(r"(?<![\w’'-])(?:in|to|near|from|nach|aus|à|en|a|em|di|naar) $", re.IGNORECASE)

_HAN = "[\u3400-\u9fff\uf900-\ufaff々]"
_TITLE = re.compile(
    "部長|課長|係長|社長|会長|専務|常務|店長|院長|校長|先生|教授|博士|選手|監督|医師|弁護士|夫妻|一家|家|宅"
)
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]")
_KOREAN = "[\uac00-\ud7a3]"
_RUN = re.compile(f"[{UNSPACED}]")
# What follows a name in a sentence and ends hardly any given name: verbs, adverbs, whose relative.
_FOLLOWS = frozenset(
    "在是的说說和住去要会會有来來打喜想给給跟与與从從到也都就把被将將向对對已很不没沒换換买買做吃下"
    "为為让讓叫问問看听聽写寫学學教用找带帶等同以之于及或但而了着著过過又再还還能应應该該今昨"
    "后後先每总總曾刚剛因当當前上里裡患得病请請结結离離搬开開出回喝认認觉覺知属屬早晚周週自目最只支收"
    "送接见見推邀帮幫骑騎坐跑走站怀懷需必拒提辞辭退毕畢获獲赢贏输輸卖賣租借付欠赚賺挣掙哭笑唱跳"
    "弹彈画畫拍读讀比按根打抽戒怕讨討恨比擅负負担擔拥擁参參答准準计計决決感告承犯逃老医醫家妈媽爸父"
    "母哥弟孩丈妻男电電手邮郵地身护護车車房账賬号號种種吗嗎呢吧啊呀几幾多少什怎哪谁誰这這那我你他她它您"
    "申使服拿更终終约約转轉胖瘦报報取失受养養戴任主重偶突投创創管训訓摔存加月活动動经經进進入其只仍却卻"
    "はがをにともへでやさ様氏君"
)
# Second signs of given names that no list of names has.
_LAST = (
    "郎太子介助一二三代奈菜香斗翔怡琪琳瑶瑾萌涛涵浩然宇轩梓睿泽博鑫磊鹏飞刚勇毅俊峰超波辉斌宁凯健伟芳娜"
    "秀娟英慧巧雅芝玉红春菊兰凤洁梅云莲真环雪爱妹霞莉桂叶璧璐娅琦晶妍茜秋珊莎锦黛青倩婷姣婉娴瑞凡"
    "佳嘉琼勤珍贞荔眉竹馨媛艳荷纯悦昭冰爽茹伊欢枫芸菲寒亚宜露蓓洋梦思晨雨欣诗恒松柏坤龙虎豪强军"
)
# What does both: what comes behind it tells.
_FOLLOWS_TOO = frozenset("明正可爱愛中常才工生发發女儿兒太小年天安定成立平真一")
_WORDS = re.compile(
    "[正现現]在|可[以能是]|生[病日气氣]|[爱愛][吃喝看玩打听聽上人]|中午|[发發][现現烧燒了给給送来來到出微短邮郵消帖布表]|真[的正是心]|工[作资資]|正[好是]|一[直起个個次]|"
    "文[章件化字]|思[考想]|超[过過]|[强強][调調]|成[为為]|健[康身]|[宁寧][可愿願]|勇敢|[华華][为為]|[梦夢]见|"
    "天[天生]|年[轻輕纪紀初底末]|立[即刻]|[爱愛生成定][了过過]|太[累忙高好早晚]|晨跑|志愿|安排|平[时時]|立刻|定期|[经經]常|女[儿兒士]|太太|小[姐时時]|明[天年白]|常常"
)
_PARTICLES = re.compile(
    "(?:은|는|이|가|을|를|과|와|의|도|에|한테|께|랑|로|으로|만|부터|까지|처럼|보다|씨|님|군|양|아|야|"
    "입|예|였|라|하고|네|이나|이든|이라|선생|교수|박사|대리|과장|부장|팀장|사장)"
)
_KOREAN_END = re.compile(f"(?={_PARTICLES.pattern}|(?!{_KOREAN}))")


def is_longer(text: str, start: int, end: int, own: Collection[str] = ()) -> bool:
    """Whether the name at [start, end) is part of a longer one, or of several, or a family's.

    Args:
        own: folded words that are known to be the bearer's.
    """
    if is_a_family(text, start, end):
        return True
    written = text[start:end]
    if _RUN.match(written):
        return _goes_on_unspaced(text, start, end)
    words = [match[0] for match in _WORD.finditer(written)]
    if len(words) < 2 or not JOIN.isdisjoint(words):
        return False
    return (
        is_list(text, start, end) or _has_half(text[start:end], own)
        or is_coupled(text, start, end, own)
        or _goes_on(text, end, own) or _begins_before(text, start, own)
    )  # fmt: skip


def are_words(text: str, start: int, end: int) -> bool:
    """Whether a whole name reads as words of the language in small letters: ``a rusty nail``.

    One with a name in it that is rarely a word does not: ``met john smith``.
    """
    words = [match[0] for match in _WORD.finditer(text, start, end)]
    if len(words) < 2 or not all(word.islower() for word in words[1:]):
        return False
    if not (words[0].islower() or begins_sentence(text, start)):
        return False
    return all(reads_as_word(word) and fold(word) not in rarely_words() for word in words)


def is_list(text: str, start: int, end: int) -> bool:
    """Whether what looks like a family name before a given one lists people: ``Anne, Frank``.

    So it is in ``Anne, Frank and Otto`` and ``Otto, Anne, Frank``, and not in ``Frank, Anne; Falk,
    Otto``.
    """
    if ", " not in text[start:end]:
        return False
    before = _LISTED_BEFORE.search(text, max(0, start - REACH), start)
    if before is not None and before[1][0].isupper() and is_given_name(fold(before[1])):
        return True
    following = _LISTED.match(text, end)
    return following is not None and text[following.end() : following.end() + 1].isalpha()


def _has_half(written: str, own: Collection[str]) -> bool:
    """``Jean-Luc Falk`` where Jean Falk is looked for."""
    known = {form for word in own for form in (word, ascii_form(word))}
    return any(
        sum(fold(half) in known or ascii_form(fold(half)) in known for half in pair) == 1
        for pair in coupled(written)
    )


def is_coupled(text: str, start: int, end: int, own: Collection[str]) -> bool:
    """Whether a hyphen couples it with another name: ``Ann-Marie``, ``Anna Lee-Jones``."""
    before = _HALF_BEFORE.search(text, max(0, start - REACH), start)
    words = {fold(match[1]) for match in (before, _HALF_BEHIND.match(text, end)) if match}
    return any(is_name(word) and word not in own for word in words - ARTICLES)


def _goes_on(text: str, end: int, own: Collection[str]) -> bool:
    younger = _YOUNGER.match(text, end)
    if younger is not None:
        return fold(younger[1]) not in own
    syllable = _SYLLABLE.match(text, end)
    if syllable is not None:
        return syllable[1] not in _JOINED_ON
    after = _AFTER.match(text, end)
    if after is None or len(after[1]) < 2:
        return False
    if after[1].islower():
        return text.islower() and _is_only_a_name(fold(after[1]))
    folded = fold(after[1])
    if not after[1][0].isupper():  # a script without capitals
        return folded not in own and is_caseless_name(after[1])
    if folded in own or folded in CALENDAR or folded in HONORIFICS:
        return False
    known = is_name(folded) or any(map(is_name, re.split(r"['’-]", folded)))
    if is_ordinary(folded):
        return folded in rarely_words()
    sure = is_foreign(text) or text.isupper() or after[1].isupper()
    return known or not sure


def _is_only_a_name(folded: str) -> bool:
    return is_name(folded) and not is_ordinary(folded) and folded not in foreign_verbs()


def _begins_before(text: str, start: int, own: Collection[str]) -> bool:
    before = _BEFORE.search(text, max(0, start - REACH), start)
    if before is None:
        return False
    folded = fold(before[1])
    if not (before[1][0].isupper() and text[start].isupper()) and not is_caseless_name(before[1]):
        return False
    if folded in own or folded in HONORIFICS or not is_given_name(folded):
        return False
    if folded in TOWNS and _PLACE.search(text, max(0, before.start() - REACH), before.start()):
        return False
    return not is_ordinary(folded) or folded in rarely_words()


def _goes_on_unspaced(text: str, start: int, end: int) -> bool:
    """A name of two signs before a third that begins nothing usual behind a name: ``李伟明``.

    Of signs that do both, what follows tells: ``李伟明在`` is a name, ``李伟明天`` is tomorrow.
    So is a Japanese family name of three before another sign that begins no title.
    """
    following = text[end : end + 1]
    if not following:
        return False
    if _KATAKANA.match(text, end - 1) and _KATAKANA.match(following):
        return True  # a word in katakana ends where another script begins
    if one_form(text[start:end]) in _long_families():
        title = following in _FOLLOWS or _TITLE.match(text, end) is not None
        return re.match(_HAN, following) is not None and not title
    if end - start != 2:
        return False
    if re.match(_KOREAN, following):
        return not _PARTICLES.match(text, end) and _KOREAN_END.match(text, end + 1) is not None
    if not re.match(_HAN, following) or following in _FOLLOWS:
        return False
    behind = text[end + 1 : end + 2]
    ends = not _RUN.match(behind) or behind in _FOLLOWS
    if _WORDS.match(text, end):
        return False
    if following in _FOLLOWS_TOO:
        return ends
    repeated = following == text[end - 1]
    return not _RUN.match(behind) or repeated or one_form(following) in _last_signs()


@cache
def _long_families() -> frozenset[str]:
    """Japanese family names of three signs and more."""
    names = sections("script_names")["ja_family"].split("|")
    return frozenset(one_form(name) for name in names if len(name) > 2)


@cache
def _last_signs() -> frozenset[str]:
    """Second signs of Chinese and Japanese given names."""
    known = (name[1] for name in given_names() if re.fullmatch(f"{_HAN}{{2}}", name))
    return frozenset(one_form("".join([*known, *_LAST])))
