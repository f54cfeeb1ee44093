"""JSON as a Python server reads and writes it: whole numbers of any size keep every digit."""

import json
import math
from typing import Any


def loads(content: bytes) -> Any:
    """The value.

    Raises:
        ValueError: it is no JSON in UTF-8, or holds a number that has no finite value.
    """
    return json.loads(content.decode("utf-8"), parse_float=_finite, parse_constant=_finite)


def dumps(value: Any) -> bytes:
    """Compact JSON."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def _finite(text: str) -> float:
    found = float(text)
    if not math.isfinite(found):
        raise ValueError("a number is not finite")
    return found
