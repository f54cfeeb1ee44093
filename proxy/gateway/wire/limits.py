"""Limits: sizes, times, rates; each with a default and a name."""

from dataclasses import dataclass, field

from proxy.gateway.wire.decoding_limits import DecodeLimits

REPLY = DecodeLimits(size=64 * 1024 * 1024, ratio=1000)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take.

    Args:
        body: packed bytes of a request's body.
        values: values of a request's body: members, elements and what holds them.
        text: characters that are scanned at once: all texts of a request, or one of an answer.
        decode: limits of unpacking a request.
        decode_reply: limits of unpacking an answer.
        body_seconds: how long a client may take to send its body.
        headers: number of header lines.
        line: bytes of the request line and of one header.
        concurrent: requests at once.
        concurrent_of_tenant: requests of one tenant at once.
        connections: clients connected at once.
        idle_seconds: how long a connection may be without a whole head of a request.
        failed_attempts: refused credentials of one address per minute.
    """

    body: int = 4 * 1024 * 1024
    values: int = 50_000
    text: int = 200_000
    decode: DecodeLimits = field(default_factory=DecodeLimits)
    decode_reply: DecodeLimits = REPLY
    body_seconds: float = 30.0
    headers: int = 100
    line: int = 16 * 1024
    concurrent: int = 1000
    concurrent_of_tenant: int = 500
    connections: int = 10_000
    idle_seconds: float = 75.0
    failed_attempts: int = 30
