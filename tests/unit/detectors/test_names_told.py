"""In languages that the name model was not trained on, only known or told names are people."""

import pytest

from detectors.detection import Detection
from detectors.engine import Detector
from detectors.people.told import told_only
from detectors.settings import DetectorSettings

# By language: a sentence about somebody, with the name in brackets, and one about nobody.
ROWS = {
    "ru-sister": ("Моя сестра [Людмила] беременна.", "Пароль должен содержать цифры."),
    "ru-case": ("Позвони [Ольге] насчёт аренды.", "Позвони в сервис насчёт аренды."),
    "ru-two": ("Вчера я встретил [Сергея Кузнецова].", "Вчера я встретил рассвет."),
    "ru-title": ("Господин [Орлов] болен.", "Орлы живут в горах."),
    "ru-called": ("Мою начальницу зовут [Тамара].", "Мою улицу перекрыли с утра."),
    "ru-word": ("Её зовут [Надежда].", "Надежда умирает последней."),
    "uk": ("Моя подруга [Олена] хворіє.", "Завтра дощ, візьми парасольку."),
    "el": ("Ο [Νίκος] μετακόμισε.", "Προτιμώ το τσάι από τον καφέ."),
    "he": ("אחותי [רחל] בהיריון.", "הסיסמה חייבת לכלול ספרות."),
    "ar": ("أختي [فاطمة] مريضة", "أفضل الشاي على القهوة."),
    "ar-known": ("اتصل [محمد] أمس", "الاجتماع غدا في الساعة التاسعة."),
    "ko": ("우리 상사 [김민수]는 아파요.", "서버가 업데이트 후 시작되지 않습니다."),
    "ko-friend": ("제 친구 [박지은]이 이사했어요.", "저는 커피보다 차를 좋아해요."),
    "zh": ("我妹妹[李晓红]怀孕了。", "我喜欢喝茶,不喜欢咖啡。"),
    "zh-old": ("[老王]借了我五百块。", "老师给了我一本书。"),
    "ja": ("私の上司は[山田太郎]です。", "会議は明日の午後三時です。"),
    "hi": ("मेरी बहन [प्रिया] बीमार है।", "पासवर्ड में अंक होने चाहिए।"),
    "tr-brother": ("Kardeşim [Emre] hasta.", "Çayı kahveye tercih ederim."),
    "tr-two": ("Komşum [Mehmet Yılmaz] taşındı.", "Toplantı yarın saat üçte."),
    "tr-known": ("Dün [Zeynep] ile konuştum.", "Yarın yağmur yağacak, şemsiye al."),
    "pl": ("Pani [Kowalska] jest chora.", "Wolę herbatę niż kawę."),
    "pl-neighbour": ("Sąsiad [Zbigniew] pije.", "Spotkanie przełożono na piątek."),
    "pl-train": ("Mój brat [Krzysztof] jest chory.", "Pociąg odjeżdża o dziewiątej."),
    "cs": ("Moje sestra [Jana] je nemocná.", "Zítra bude pršet."),
    "sv": ("Min granne [Torbjörn] är sjuk.", "Mötet är flyttat till fredag."),
    "hu": ("A szomszédom [Zoltán] beteg.", "Jelszó legalább tizenkét karakter."),
    "fi": ("Veljeni [Mikko] on sairas.", "Salasanan pitää olla pitkä."),
    "ro": ("Sora mea [Ioana] este bolnavă.", "Parola trebuie să aibă cifre."),
    "vi": ("Chị tôi [Nguyễn Thị Lan] bị ốm.", "Tôi thích trà hơn cà phê."),
    "id": ("Kakak saya [Dewi] sakit.", "Kata sandi harus berisi angka."),
}


@pytest.fixture(scope="module")
def detector() -> Detector:
    """Names by model and rules, without the sentence encoder."""
    return Detector(DetectorSettings(tier="fast"))


@pytest.mark.parametrize(("marked", "twin"), ROWS.values(), ids=ROWS)
def test_a_person_is_known_or_told(detector: Detector, marked: str, twin: str) -> None:
    """The name is covered whole; in a sentence about nobody, no word is a person."""
    name = marked[marked.index("[") + 1 : marked.index("]")]
    found = people(detector, marked.replace("[", "").replace("]", ""))
    assert any(name in one for one in found)
    assert people(detector, twin) == []


def people(detector: Detector, text: str) -> list[str]:
    """Who is found in a text."""
    found = detector.analyse([text])[0].detections
    return [one.text for one in found if one.entity_type == "PERSON"]


@pytest.mark.parametrize(
    ("text", "claimed", "left"),
    [
        ("Вчера Анна Зубкова звонила", "Вчера Анна Зубкова звонила", ["Анна Зубкова"]),
        ("Вчера приходил мастер", "Вчера приходил", []),
        ("김민수", "김민수", ["김민수"]),
        ("서버가 느려요", "서버가 느려요", []),
        ("Zorvik came by", "Zorvik", ["Zorvik"]),
        ("Yesterday Ådne Bråtesen called me", "Ådne Bråtesen", ["Ådne Bråtesen"]),
    ],
)
def test_of_a_claim_what_is_known_is_left(text: str, claimed: str, left: list[str]) -> None:
    """A longer guess is cut to the name; in English the model keeps its word."""
    start = text.index(claimed)
    span = Detection("PERSON", start, start + len(claimed), 0.85, "model", claimed)
    assert [one.text for one in told_only(text, [span])] == left
