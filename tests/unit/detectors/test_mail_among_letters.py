"""An address ends where letters of another script begin: it is the same in every sentence."""

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings

ROWS = (
    ("我的邮箱是haimei@mail.example。", "haimei@mail.example"),
    ("给haimei@mail.example发邮件说我迟到了", "haimei@mail.example"),
    ("我的邮箱是linyue88@163.example,请记住", "linyue88@163.example"),
    ("QQ邮箱:10001@qq.example谢谢", "10001@qq.example"),
    ("邮箱是10001@qq.example.谢谢", "10001@qq.example"),
    ("メールはa.kobayashi@mail.exampleです。", "a.kobayashi@mail.example"),
    ("제 이메일은 minji.seo@mail.example입니다.", "minji.seo@mail.example"),
    ("อีเมลของผมคือsomchai@mail.exampleครับ", "somchai@mail.example"),
    ("почтаo.petrenko@mail.example", "o.petrenko@mail.example"),
    ("почта-o.petrenko@mail.exampleи всё", "o.petrenko@mail.example"),
    ("البريدalva@mail.exampleشكرا", "alva@mail.example"),
    ("Mail: jörg.müßig@mail.example", "jörg.müßig@mail.example"),
    ("Mail: jörg@bücher.example", "jörg@bücher.example"),
    # addresses of other letters, as a whole
    ("Пишите: иван@почта.рф", "иван@почта.рф"),
    ("Пишите: иван.петренко2я@mail.example", "иван.петренко2я@mail.example"),
    ("联系 用户@例子.广告", "用户@例子.广告"),
    ("δοκιμή@παράδειγμα.ελ", "δοκιμή@παράδειγμα.ελ"),
    ("alva@例え.example", "alva@例え.example"),
    ("alva@xn--r8jz45g.xn--zckzah", "alva@xn--r8jz45g.xn--zckzah"),
)  # fmt: skip
NONE = ("版本是v1.2@latest。", "我们在@公司见面", "三点@公园.见", "import {x} from '包@1.2.3'")


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(DetectorSettings(tier="structured"))


@pytest.mark.parametrize(("text", "address"), ROWS)
def test_letters_of_another_script_are_no_part_of_an_address(
    detector: Detector, text: str, address: str
) -> None:
    found = detector.analyse([text])[0].detections

    assert [text[one.start : one.end] for one in found if one.entity_type == "EMAIL_ADDRESS"] == [
        address
    ]


@pytest.mark.parametrize("text", NONE)
def test_a_sign_alone_makes_no_address(detector: Detector, text: str) -> None:
    found = detector.analyse([text])[0].detections

    assert not [one for one in found if one.entity_type == "EMAIL_ADDRESS"]
