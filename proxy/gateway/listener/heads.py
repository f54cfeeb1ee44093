"""Heads of answers: the status line and the headers, with the headers that they have.

No name of a server is added, and a line that would end where it should not is not sent.
"""

from collections.abc import Sequence
from functools import cache
from http import HTTPStatus

from aiohttp.helpers import rfc822_formatted_time

from proxy.gateway.listener.call import Answer
from proxy.upstreams.transport import Headers

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def whole(answer: Answer, method: str, *, old: bool, stays: bool) -> bytes:
    """An answer in one piece, head and body; arguments and errors as of ``head``.

    What is sent again within a second is made once.
    """
    reply, mute = answer.reply, answer.bare or method == "HEAD"
    key = rfc822_formatted_time(), answer.bare, mute, old, stays
    if key not in reply.sent:
        more = () if answer.bare else (f"Content-Length: {len(reply.body)}",)
        start = head(reply.status, reply.headers, more, old=old, stays=stays)
        reply.sent[key] = start if mute else start + reply.body
    return reply.sent[key]


def head(status: int, headers: Headers, more: Sequence[str], *, old: bool, stays: bool) -> bytes:
    """The head of an answer.

    Args:
        more: lines of the listener's own, such as the length.
        old: whether the client speaks HTTP/1.0.
        stays: whether the connection stays open after it.

    Raises:
        ValueError: a header holds a line break.
    """
    lines = [_start(status, old), *[f"{name}: {value}" for name, value in headers], *more]
    if not stays:
        lines.append("Connection: close")
    elif old:
        lines.append("Connection: keep-alive")
    text = "\r\n".join(lines)
    breaks = len(lines) - 1
    if text.count("\r") != breaks or text.count("\n") != breaks:
        raise ValueError("a header holds a line break")
    if "\r\ndate:" not in text.lower():
        text += f"\r\nDate: {rfc822_formatted_time()}"
    return f"{text}\r\n\r\n".encode("utf-8", "surrogateescape")


@cache
def _start(status: int, old: bool) -> str:
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
    return f"HTTP/1.{0 if old else 1} {status} {phrase}"
