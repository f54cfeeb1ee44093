"""Facts about code points that detection relies on."""

import re

LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """The text with every lone surrogate replaced, so that it encodes; offsets stay the same."""
    return text if text.isascii() else LONE_SURROGATE.sub("\ufffd", text)
