"""Blocked names that go on from one string to another: neighbouring fields, or messages."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from detectors.detection import Detection
from proxy.gateway.exchange import Exchange, Text
from proxy.gateway.services import GatewayServices
from proxy.tokens.forms.views import is_name_field

LONGEST_FIELD = 60
REACH = 60  # code points of a message looked at on either side of its edge


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a string, and where it stands in the joined one."""

    text: Text
    start: int  # in the string
    said: str
    at: int = 0  # in the joined one

    @property
    def end(self) -> int:
        return self.at + len(self.said)


async def find_across(
    exchange: Exchange, services: GatewayServices, owner_rows: Collection[str]
) -> None:
    """Add to each string its share of blocked names that go on in the next one."""
    joined = [_placed(pieces) for pieces in (*_fields(exchange.texts), *_edges(exchange.texts))]
    if not joined:
        return
    texts = [" ".join(piece.said for piece in pieces) for pieces in joined]
    found = await services.blocklist.blocked_mentions(
        exchange.tenant_id, texts, owner_rows, initials=True
    )
    for pieces, mentions in zip(joined, found, strict=True):
        for mention in mentions:
            _share(pieces, mention)


def _placed(pieces: Iterable[_Piece]) -> list[_Piece]:
    placed, at = [], 0
    for piece in pieces:
        placed.append(replace(piece, at=at))
        at += len(piece.said) + 1
    return placed


def _share(pieces: Sequence[_Piece], mention: Detection) -> None:
    touched = [piece for piece in pieces if piece.at < mention.end and mention.start < piece.end]
    if len(touched) < 2:
        return
    for piece in touched:
        start = piece.start + max(0, mention.start - piece.at)
        end = piece.start + min(len(piece.said), mention.end - piece.at)
        share = replace(mention, start=start, end=end, text=piece.text.text[start:end])
        piece.text.detections = (*piece.text.detections, share)


def _fields(texts: Iterable[Text]) -> Iterator[list[_Piece]]:
    """The values of an object's fields of names, in their order."""
    objects: dict[int, list[_Piece]] = {}
    for text in texts:
        container, key = text.slot.container, text.slot.key
        named = text.role == "value" and isinstance(container, dict) and is_name_field(str(key))
        if named and len(text.text) <= LONGEST_FIELD:
            objects.setdefault(id(container), []).append(_Piece(text, 0, text.text))
    yield from (pieces for pieces in objects.values() if len(pieces) > 1)


def _edges(texts: Iterable[Text]) -> Iterator[list[_Piece]]:
    """The end of each message with the beginning of the next one of the same memory."""
    contents = [text for text in texts if text.role == "content"]
    for one, other in pairwise(contents):
        if one.group == other.group and one.text[-1:].isalnum() and other.text[:1].isalnum():
            start = max(0, len(one.text) - REACH)
            yield [_Piece(one, start, one.text[start:]), _Piece(other, 0, other.text[:REACH])]
