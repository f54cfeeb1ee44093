"""Numbers of people in Chinese, Japanese, Korean, Russian, Swiss notes are found; others stay."""

from collections.abc import Callable

import pytest

Values = Callable[[str, str], list[str]]

PHONES = """
电话{}: 13800138111
电话是{}: 13922345670
手机：{}: 139-2234-5670
我的手机号码是{}。: 13922345670
请打给我 {}: 138 0013 8111
联系我{}吧: 13922345670
電話番号は{}です: 090-2234-5670
携帯は{}です: 09022345670
電話:{}: 03-2234-5670
전화번호는 {}입니다: 010-2234-5670
휴대폰 {}: 01022345670
тел. {}: 8 (916) 223-45-60
Мой номер {}: 89162234560
позвони мне: {}: 8-916-223-45-60
телефон {}: 8 916 223 45 60
""".strip().split("\n")
NO_PHONES = """
订单号13922345670已发货
订单编号:20231129123456
2026年11月29日10点
价格是12000000元
价格13922345670元
매출 12345678901원
注文番号は09022345670です
商品番号1234567
2026年に1500000人
주문번호 01022345670
인구 51234567명
заказ № 89162234560
в 2026 году 12345678 рублей
счёт 40817810099910004312
""".strip().split("\n")
# What says of whom a number is, the number, and one that is wrong by its check digit or its form.
IDENTITIES = [
    ("NATIONAL_ID", "身份证号 {}", "11010519491231002X", "110105194912310021"),
    ("NATIONAL_ID", "我的身份证是{}。", "11010519491231002X", "110105194913310028"),
    ("NATIONAL_ID", "her number is {}", "11010519491231002X", "11010519491231002"),
    ("NATIONAL_ID", "AHV {}", "756.9217.0769.85", "756.9217.0769.84"),
    ("NATIONAL_ID", "seen on the card: {}", "7569217076985", "7569217076986"),
    ("DATE_OF_BIRTH", "dob: {}", "19880412", "19881342"),
    ("DATE_OF_BIRTH", "dob: {}", "880412", "881342"),
    ("DATE_OF_BIRTH", "Geburtsdatum {}", "120488", "124588"),
    ("DATE_OF_BIRTH", "生日: {}", "1988-04-12", "soon"),
    ("DATE_OF_BIRTH", "她生于{}，喜欢茶", "1988年4月12日", "上海"),
    ("DATE_OF_BIRTH", "我的生日是{}", "1988年4月12日", "后天"),
    ("DATE_OF_BIRTH", "생년월일: {}", "1988년 4월 12일", "미정"),
    ("DATE_OF_BIRTH", "дата рождения {}", "12.04.1988", "неизвестна"),
    ("BANK_ACCOUNT", "iban_no: {}", "370400440532013000", "3704"),
    ("BANK_ACCOUNT", "kontonummer: {}", "532013000", "53"),
]


@pytest.mark.parametrize("row", PHONES)
def test_a_telephone_number_is_found_in_the_words_of_its_country(
    row: str, values_of: Values
) -> None:
    """Glued to the words before and behind it too."""
    said, number = row.rsplit(": ", 1)
    assert values_of("PHONE_NUMBER", said.format(number)) == [number]


@pytest.mark.parametrize("text", NO_PHONES)
def test_another_number_there_is_no_telephone(text: str, values_of: Values) -> None:
    """Orders, amounts, dates, accounts."""
    assert values_of("PHONE_NUMBER", text) == []


@pytest.mark.parametrize(("entity_type", "said", "number", "wrong"), IDENTITIES)
def test_a_number_of_a_person_is_found_by_its_check_digit_or_its_name(
    entity_type: str, said: str, number: str, wrong: str, values_of: Values
) -> None:
    """Negative twin: the same words with a number that cannot be one."""
    assert values_of(entity_type, said.format(number)) == [number]
    assert values_of(entity_type, said.format(wrong)) == []
