"""A program's words in code, settings, markup and tables are no people; known names there are."""

import pytest

from detectors.detection import Detection
from detectors.people.code import without_code

# A claim in code that is nobody, and nearly the same text in which it is somebody.
ROWS = {
    "package": ("|java.lang|.NullPointerException: x", "|wren.tolliver| wrote it"),
    "call": ("|os.path|(name)", "|Oscar|(the tall one)"),
    "struct tag": ('|Pass string `json|:"pass"`', '|Wren Tolliver| `json:"pass"`'),
    "ending of a file": ("see main.|py| now", "see main.|tilda| now"),
    "markup": ("<|div class|=x>", "<|wren tolliver|>"),
    "type": ("let v: |Vec|<u32> = x", "from: |Alva|<alva@example.org>"),
    "member": ('{\n  |ami|    = "ami-0abc"\n}', "{\n  nurse = |wren tolliver|\n}"),
    "attribute": ("Set-Cookie: x; |Max-Age|=0", "Set-Cookie: x; |Oscar|=0"),
    "setting": ("credential_helper = |osxkeychain|", "assignee = |osxkeychain|"),
    "setting of a map": ("secret: |changeme|", "secret: |Wren| knows"),
    "labelled": ("backend: |zorvik|", "owner: |zorvik|"),
    "cell": ("id,|qty|,date", "id,|wren|,date"),
    "known in a setting": ("driver_class = |sqlx|", "driver_class = |monika|"),
}


def people(marked: str) -> list[str]:
    """Who is left of the claim between the bars."""
    before, name, after = marked.split("|")
    start = len(before)
    person = Detection("PERSON", start, start + len(name), 0.85, "model", name)
    return [one.text for one in without_code(before + name + after, [person])]


@pytest.mark.parametrize(("code", "twin"), ROWS.values(), ids=ROWS)
def test_words_of_a_program_are_nobody(code: str, twin: str) -> None:
    """The claim is dropped in code and kept where a name, a label or a sentence says so."""
    assert people(code) == []
    assert people(twin) == [twin.split("|")[1]]


def test_other_detections_in_code_stay() -> None:
    """Only people are judged."""
    mail = Detection("EMAIL_ADDRESS", 4, 20, 0.9, "email", "wren@example.org")
    assert without_code("id=`wren@example.org`", [mail]) == [mail]
