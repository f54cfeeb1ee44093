"""People and cities in scripts that the name model was not trained on."""

import pytest

from detectors.detection import Detection
from detectors.people.scripts import with_scripts

PEOPLE = {
    "zh-called": ("我叫王小明", "王小明"),
    "zh-short": ("我叫王明，住在北京", "王明"),
    "zh-wife": ("用户的妻子叫陈晓琳", "陈晓琳"),
    "zh-husband": ("她的丈夫李伟在银行工作", "李伟"),
    "zh-title": ("欧阳先生明天来", "欧阳"),
    "zh-doctor": ("约了刘医生周五看病", "刘"),
    "zh-met": ("昨天遇到周杰的时候下雨", "周杰"),
    "ja-san": ("田中さんに電話する", "田中"),
    "ja-sister": ("妹の中村さくらは札幌に住んでいる", "中村さくら"),
    "ja-colleague": ("同僚の佐藤健太が結婚した", "佐藤健太"),
    "ja-i-am": ("私は山田花子です", "山田花子"),
    "ja-kana": ("マイクさんと昼ごはん", "マイク"),
    "ja-doctor": ("主治医の高橋先生は水曜が休み", "高橋"),
    "ko-ssi": ("김민수 씨가 전화했다", "김민수"),
    "ko-husband": ("남편 김도현은 부산에서 일한다", "김도현"),
    "ko-my-name": ("제 이름은 박지은입니다", "박지은"),
    "ko-manager": ("최영호 과장님께 보고서를 보냈다", "최영호"),
    "ar-my-name": ("اسمي أحمد محمود", "أحمد محمود"),
    "ar-wife": ("زوجتها ليلى الحداد تعمل في عمّان", "ليلى الحداد"),
    "ar-friend": ("صديقي يوسف بن علي يسكن في دبي", "يوسف بن علي"),
    "ar-doctor": ("الدكتور سمير الخطيب يوم الأحد", "سمير الخطيب"),
    "hi-my-name": ("मेरा नाम अनिल शर्मा है", "अनिल शर्मा"),
    "hi-sister": ("उसकी बहन कविता राठौड़ जयपुर में रहती है", "कविता राठौड़"),
    "hi-wife": ("मेरी पत्नी सुनीता डॉक्टर है", "सुनीता"),
    "hi-title": ("श्री रमेश गुप्ता को फोन करना है", "रमेश गुप्ता"),
    "hi-ji": ("रोहन जी कल आएंगे", "रोहन"),
}
NOBODY = {
    "zh-called": "我叫外卖了",
    "zh-short": "我是老师，喜欢喝茶",
    "zh-wife": "妻子对花生过敏",
    "zh-husband": "他叫我明天去",
    "zh-title": "先生您好",
    "zh-doctor": "医生说要多喝水",
    "zh-met": "我喜欢黄山和华山",
    "ja-san": "お母さんは元気です",
    "ja-sister": "妹の誕生日は五月",
    "ja-colleague": "お客さんが多い",
    "ja-i-am": "私は学生です",
    "ja-kana": "コーヒーが好きです",
    "ja-doctor": "林の中を散歩する",
    "ko-ssi": "오늘은 비가 온다",
    "ko-husband": "친구와 점심을 먹었다",
    "ko-my-name": "저는 한국 음식을 좋아한다",
    "ko-manager": "선생님께 전화했다",
    "ar-my-name": "اسمي ليس مهما",
    "ar-wife": "زوجتي تعمل في المستشفى",
    "ar-friend": "صديقي في الجامعة",
    "ar-doctor": "أحب القهوة في الصباح",
    "hi-my-name": "मेरा नाम है",
    "hi-sister": "मेरी बहन को चाय पसंद है",
    "hi-wife": "मेरी माँ बीमार है",
    "hi-title": "मुझे चाय पसंद है",
    "hi-ji": "उसका भाई घर पर है",
}


def people(text: str, *spans: Detection) -> list[str]:
    """The people found, beside those found before."""
    return [one.text for one in with_scripts(text, spans) if one.entity_type == "PERSON"]


@pytest.mark.parametrize(("text", "name"), PEOPLE.values(), ids=PEOPLE)
def test_who_is_named_is_found(text: str, name: str) -> None:
    """A family name, or a word where a name must stand, whole and without its title."""
    assert set(people(text)) == {name}


@pytest.mark.parametrize("text", NOBODY.values(), ids=NOBODY)
def test_who_is_not_named_is_not(text: str) -> None:
    """The same words without a name."""
    assert people(text) == []


@pytest.mark.parametrize(
    ("text", "city"),
    [
        ("妹は札幌に住んでいる", "札幌"),
        ("他住在北京", "北京"),
        ("남편은 부산에서 일한다", "부산"),
        ("تعمل في عمّان", "عمّان"),
        ("वह जयपुर में रहती है", "जयपुर"),
    ],
)
def test_large_cities_are_places(text: str, city: str) -> None:
    """By list, in each of the scripts."""
    found = [one.text for one in with_scripts(text, ()) if one.entity_type == "LOCATION"]
    assert found == [city]


def test_a_longer_guess_loses_what_is_known_to_be_no_name() -> None:
    """The words that say who it is, and the verb behind the name."""
    text = "زوجتها ليلى الحداد تعمل في عمّان"
    guess = Detection("PERSON", 0, text.index(" في"), 0.85, "model", "")
    assert set(people(text, guess)) == {"ليلى الحداد"}


def test_a_longer_guess_keeps_what_may_be_a_name() -> None:
    """Nobody who stands beside somebody known is left out."""
    text = "친구 이수진과 박민호를 만났다"
    guess = Detection("PERSON", 3, 12, 0.85, "model", text[3:12])
    assert text[3:12] in people(text, guess)


def test_other_texts_are_left_as_they_are() -> None:
    """Latin letters have their own rules."""
    guess = Detection("PERSON", 0, 4, 0.85, "model", "Zoë ")
    assert with_scripts("Zoë called", [guess]) == [guess]
