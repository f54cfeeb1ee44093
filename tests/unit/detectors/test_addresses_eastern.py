"""Addresses in Chinese and Japanese, whole and without the words that lead there."""

import time
from collections.abc import Callable

import pytest

FOUND = (
    ("我住在北京市朝阳区建国路88号", "北京市朝阳区建国路88号"),
    ("地址：上海市徐汇区漕溪北路331号5楼。", "上海市徐汇区漕溪北路331号5楼"),
    ("家住杭州市西湖区文三路478号3幢201室", "杭州市西湖区文三路478号3幢201室"),
    ("请寄到文三路478号", "文三路478号"),
    ("地址:台北市信義區市府路45號", "台北市信義區市府路45號"),
    ("住所は東京都渋谷区神南1-19-11です", "東京都渋谷区神南1-19-11"),
    ("住所：大阪市北区梅田3丁目1番3号", "大阪市北区梅田3丁目1番3号"),
    ("京都市左京区吉田本町36-1に住んでいます", "京都市左京区吉田本町36-1"),
)
NONE = (
    "坐10路公交车",
    "会议在5号楼",
    "第3号决议",
    "電話は03-1234-5678です",
    "10月1日に渋谷区で会う",
)


@pytest.mark.parametrize(("text", "address"), FOUND)
def test_an_address_is_found_whole(
    values_of: Callable[[str, str], list[str]], text: str, address: str
) -> None:
    assert values_of("STREET_ADDRESS", text) == [address]


@pytest.mark.parametrize("text", NONE)
def test_what_only_has_its_signs_is_left(
    values_of: Callable[[str, str], list[str]], text: str
) -> None:
    assert values_of("STREET_ADDRESS", text) == []


def test_a_japanese_postcode_is_told_by_its_sign(
    values_of: Callable[[str, str], list[str]],
) -> None:
    assert values_of("POSTCODE", "〒150-0041 東京都") == ["150-0041"]


@pytest.mark.parametrize("text", ["市" * 20_000 + "1", "区町市村" * 5_000 + "12", "路1" * 10_000])
def test_long_rows_of_its_signs_are_read_in_time(
    values_of: Callable[[str, str], list[str]], text: str
) -> None:
    """Each sign a few times at most: seconds would hold everybody up."""
    begun = time.perf_counter()
    assert values_of("STREET_ADDRESS", text) == []
    assert time.perf_counter() - begun < 5
