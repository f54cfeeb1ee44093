"""Makes the list of Han characters that are written in several ways.

``python -m detectors.training.variants Unihan_Variants.txt TARGET`` reads the Unihan database of
Unicode: simplified and traditional forms, and what differs in shape only; see the NOTICE.
"""

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

FIELDS = frozenset({"kSimplifiedVariant", "kTraditionalVariant", "kZVariant"})
CODE = re.compile(r"U\+([0-9A-F]{4,5})")
STANDARDS = ("gb2312", "big5")  # which two characters of are two characters there
# Forms in Japanese names that people write for each other, whatever the database says of them.
OF_NAMES = (
    "斎斉", "崎﨑", "滝瀧", "浜濱", "濱濵", "薗園", "国圀", "昇曻", "吉𠮷", "村邨", "真眞", "高髙",
    "島嶋", "島嶌", "峰峯", "富冨", "曽曾", "柏栢", "館舘", "野埜", "竜龍", "秋穐", "梅楳", "凛凜",
    "渕淵", "柳栁", "豊豐", "鉄鐵", "伝傳", "勲勳",
)  # fmt: skip
# Alike, and two names: Saitama, "to bloom", "to laugh".
APART = frozenset({"埼崎", "咲笑", "槻規", "堺界", "暗闇"})
HEAD = """\
# Characters that are one in names, a class a line, the form that stands for them first.
# Made by detectors/training/variants.py from the Unihan database of Unicode, see the NOTICE.
"""


def pairs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each two forms of a character that the database or a Japanese name knows."""
    for line in lines:
        fields = line.split("\t")
        if len(fields) == 3 and fields[1] in FIELDS:
            one = chr(int(fields[0].removeprefix("U+"), 16))
            others = [chr(int(code, 16)) for code in CODE.findall(fields[2])]
            in_shape = fields[1] == "kZVariant"
            yield from ((one, each) for each in others if not (in_shape and are_two(one, each)))
    for forms in OF_NAMES:
        yield forms[0], forms[1]


def are_two(one: str, other: str) -> bool:
    """Whether two shapes are two characters all the same: one standard has both of them."""
    return "".join(sorted((one, other))) in APART or any(
        _is_in(one, standard) and _is_in(other, standard) for standard in STANDARDS
    )


def _is_in(character: str, standard: str) -> bool:
    return bool(character.encode(standard, "ignore"))


def classes(found: Iterable[tuple[str, str]]) -> list[str]:
    """Classes of characters that are connected, without those that NFKC unifies anyhow."""
    by: dict[str, set[str]] = {}
    for one, other in found:
        if not (_is_plain(one) and _is_plain(other)):
            continue
        joined = by.get(one, {one}) | by.get(other, {other})
        by |= dict.fromkeys(joined, joined)
    made = {"".join(sorted(each, key=_usual)) for each in by.values()}
    return sorted(each for each in made if len(each) > 1 and not _usual(each[0])[0])


def _is_plain(character: str) -> bool:
    return unicodedata.normalize("NFKC", character) == character


def _usual(character: str) -> tuple[bool, str]:
    """Characters of the first block stand before rarer ones."""
    return not "\u4e00" <= character <= "\u9fff", character


def main(source: Path, target: Path) -> None:
    """Write the list."""
    lines = source.read_text("utf-8").splitlines()
    target.write_text(HEAD + "\n".join(classes(pairs(lines))) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
