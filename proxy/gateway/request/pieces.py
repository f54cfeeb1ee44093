"""Numbers of cards and accounts whose groups of digits are items of a list."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from detectors.detection import Detection
from detectors.recognisers.iban import find_ibans
from detectors.recognisers.payment import find_cards
from proxy.gateway.exchange import Text

PIECE = re.compile(r"[A-Za-z]{0,4}\d[\dA-Za-z]{0,11}|[A-Za-z]{2}")
MOST_PIECES = 34  # an IBAN, letter by letter


def find_in_pieces(texts: Collection[Text]) -> None:
    """Take every item of a list for a number if together they are one by its check digits."""
    for pieces in _lists(texts):
        joined = "".join(text.text.strip() for text in pieces)
        for found in (*find_cards(joined), *find_ibans(joined)):
            if found.score >= 1.0 and found.end - found.start == len(joined):
                _take(pieces, found)
                break


def _lists(texts: Iterable[Text]) -> Iterator[Sequence[Text]]:
    """The items of each list that are nothing but pieces of a number, and no series."""
    values = (text for text in texts if text.role in {"value", "number"})
    for _, group in groupby(values, lambda text: id(text.slot.container)):
        pieces = list(group)
        if not isinstance(pieces[0].slot.container, list):
            continue
        said = [text.text.strip() for text in pieces]
        counts = len(said[0]) > 1 and all(one < other for one, other in pairwise(said))
        if 1 < len(said) <= MOST_PIECES and not counts and all(map(PIECE.fullmatch, said)):
            yield pieces


def _take(pieces: Sequence[Text], found: Detection) -> None:
    for text in pieces:
        share = replace(found, start=0, end=len(text.text), text=text.text)
        text.detections = (*text.detections, share)
