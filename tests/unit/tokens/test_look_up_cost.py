"""What looking up names costs: each word once, and how a word stands only where it is known."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from detectors.identity.keys import NameKey
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.index import blocked, keyed, known
from proxy.tokens.mentions import handles
from proxy.tokens.mentions.standing import standing

NAMES = Pseudonyms(b"k" * 32)
BERTA = keyed.key_of(NAMES, NameKey("full", "berta"))
KNOWN = known._Filter(1, {known._short(BERTA)})


def _in_index(text: str) -> int:
    (found,) = known._candidates(NAMES, KNOWN, [text])
    return len(found)


def _in_blocklist(text: str) -> int:
    known = {"berta": BERTA}
    return len(list(blocked._all_hits(text, lambda _, value, __: known.get(value))))


@pytest.mark.parametrize("look", [_in_index, _in_blocklist])
@pytest.mark.parametrize(
    ("text", "stands"),
    [
        pytest.param("apple12 garden_77 " * 500, 0, id="nobody"),
        pytest.param("apple12 garden_77 " * 500 + "x_Berta_x", 1, id="one-known"),
    ],
)
def test_how_a_word_stands_is_asked_of_known_words_only(
    monkeypatch: pytest.MonkeyPatch, look: Callable[[str], int], text: str, stands: int
) -> None:
    """A thousand words of letters and digits that nobody bears cost no look around them."""
    seen: Counter[str] = Counter()
    real = standing

    def counted(text: str, start: int, end: int) -> Any:
        seen[text[start:end]] += 1
        return real(text, start, end)

    monkeypatch.setattr(handles, "standing", counted)
    found = look(text)
    assert set(seen) == ({"Berta"} if stands else set())
    assert bool(found) is bool(stands)


def test_each_word_is_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long text of few words costs as many keys as it has words and names, not places."""
    asked: Counter[str] = Counter()
    real = keyed.key_of

    def counted(names: Pseudonyms, key: NameKey) -> bytes:
        asked[key.value] += 1
        return real(names, key)

    monkeypatch.setattr(keyed, "key_of", counted)
    known._candidates(NAMES, KNOWN, ["garden12 apple river. " * 500, "apple garden12. " * 500])
    assert max(asked.values()) == 1
