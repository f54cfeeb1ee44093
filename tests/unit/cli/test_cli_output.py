"""What the commands print can always be printed."""

import json

import pytest

from proxy.cli.output import emit_line


@pytest.mark.parametrize("text", ["half \ud800 of a pair", "Zoë 山田 🙂"])
def test_any_text_is_printed_as_json(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Half a surrogate is escaped; what can be encoded stays readable."""
    emit_line({"text": text})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"text": text}
    assert ("\\ud800" in printed) == ("\ud800" in text)
