"""Street addresses in Chinese and Japanese, and Japanese postcodes."""

import re

from detectors.recognisers.base import Recogniser, matches

# Signs of place names; what leads there is none: "我住在", "住所は".
_HAN = "(?:(?![我你他她们住在是于址到的了搬寄送至從从])[\u3400-\u9fff])"
_PARTICLES = "はのをにがでとも住所"
_KANA = f"(?:(?![{_PARTICLES}])[\u3040-\u30ff\u3400-\u9fff々])"
_BEGINS = f"(?:(?<![\u3040-\u30ff\u3400-\u9fff々])|(?<=[{_PARTICLES}]))"
_UNIT = (
    r"(?:\s?(?:\d{1,4}(?:号楼|號樓|幢|栋|棟|单元|單元|楼|樓|层|層|室|房)|[A-Z]座"
    rf"|{_HAN}{{2,8}}?(?:大厦|大廈|广场|廣場|花园|花園|小区|公寓|中心)))"
)
CHINESE = re.compile(
    rf"(?:{_HAN}{{2,8}}?(?:省|自治区))?(?:{_HAN}{{2,6}}?市)?(?:{_HAN}{{1,6}}?[区區县縣镇鎮])?"
    rf"{_HAN}{{1,8}}?(?:路|街|大道|巷|胡同|弄)(?:{_HAN}段)?\s?\d{{1,5}}(?:弄\d{{1,4}})?\s?[号號]{_UNIT}{{0,4}}"
)
_NUMBER = (
    r"(?:\d{1,3}丁目\s?\d{1,4}(?:番地?(?:の?\d{1,4}号?)?|-\d{1,4})?(?:\d{1,4}号)?"
    r"|\d{1,4}(?:-\d{1,4}){1,3}|\d{1,5}番地?(?:\d{1,4}号?)?)"
)
# From the beginning of a run of signs on, so that a long one is looked at once.
JAPANESE = re.compile(rf"{_BEGINS}(?={_KANA}{{1,30}}[市区郡町村]){_KANA}{{2,32}}{_NUMBER}(?:号室)?")
POSTCODE = re.compile(r"〒\s?(?P<code>\d{3}-?\d{4})(?!\d)")
SCORE = 0.8

RECOGNISERS = (
    Recogniser(
        "street_address",
        (r"[路街道巷同弄段]\s?\d{1,5}",),
        matches("STREET_ADDRESS", "street_address", CHINESE, SCORE),
    ),
    Recogniser(
        "street_address",
        (r"[市区郡町村][^\x00-\x7f]{0,10}\d",),
        matches("STREET_ADDRESS", "street_address", JAPANESE, SCORE),
    ),
    Recogniser("postcode", ("〒",), matches("POSTCODE", "postcode", POSTCODE, SCORE, "code")),
)
