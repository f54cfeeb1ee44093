"""One request on its way: what came in, what each step found out, what goes back."""

import asyncio
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from detectors.detection import Analysis, Detection
from policies import Decision, Policy
from proxy.gateway.repeats import Moment
from proxy.gateway.services import NOBODY, Concerned
from proxy.gateway.wire.query import Query
from proxy.ledger.memories import Memory
from proxy.ledger.owners import Owner
from proxy.ledger.writes import Write
from proxy.pseudonyms import Pseudonyms
from proxy.upstreams.binding import Dialect, UpstreamBinding
from proxy.upstreams.profile import Profile, Route
from proxy.upstreams.selectors import Slot
from proxy.upstreams.transport import Headers, UpstreamReply, UpstreamRequest, UpstreamStream


@dataclass(slots=True)  # frozen it would take a microsecond to make
class RawCall:
    """A request as it came off the wire, which nobody changes; ``target`` is path and query."""

    method: str
    target: str
    headers: Headers
    body: bytes = field(repr=False)
    origin: str  # scheme and host that the client used
    peer: str  # address of the client, only to limit failed attempts
    certificate: Mapping[str, Any] | None = field(default=None, repr=False)  # verified by TLS
    named: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.headers and not self.named:
            self.named = by_name(self.headers)

    def header(self, name: str) -> str:
        """All values of a header, joined; empty if absent.

        Args:
            name: in lower case.
        """
        return self.named.get(name, "")


def by_name(headers: Headers) -> dict[str, str]:
    """Headers by their names in lower case, the values of each joined."""
    named: dict[str, str] = {}
    for name, value in headers:
        lower = name.lower()
        named[lower] = f"{named[lower]}, {value}" if lower in named else value
    return named


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back to the client."""

    status: int
    headers: Headers
    body: bytes = field(repr=False)
    sent: dict[Hashable, bytes] = field(default_factory=dict, repr=False, compare=False)  # as bytes


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: exactly one tenant, with roles; ``key_id`` names the credential.

    Args:
        operations: what it may do: ``read``, ``write``, ``delete``; None: all.
        purposes: purposes it may state; None: any.
        internal: whether it is Expunge itself, which has no credential for a store but ours.
    """

    tenant_id: str
    roles: frozenset[str]
    key_id: str
    operations: frozenset[str] | None = None
    purposes: frozenset[str] | None = None
    internal: bool = False


@dataclass(frozen=True, slots=True)
class ScopedOwner:
    """An owner named by the request, in both worlds."""

    kind: str
    client_id: str = field(repr=False)
    upstream_id: str


@dataclass(slots=True)
class Text:
    """One string (or number, or key) that could carry content, where it stands."""

    slot: Slot
    text: str = field(repr=False)
    role: str  # content | query | value | key | number | parameter | header
    decision: Decision | None = None
    detections: tuple[Detection, ...] = ()
    analysis: Analysis | None = None
    group: int = -1  # index of the batch item it belongs to
    about: frozenset[str] = frozenset()  # ids of known entities, where a preference names some


@dataclass(frozen=True, slots=True)
class Staying:
    """What a memory says beside the text that a request replaces, as the store showed it.

    Args:
        after: the write that the ledger knew last of it, before the store was asked.
        texts: judged, for the record alone: they are neither edited nor sent.
        codes: of the tokens that stand there.
    """

    after: str | None
    texts: tuple[Text, ...] = field(default=(), repr=False)
    codes: frozenset[str] = frozenset()


@dataclass(slots=True)
class Sources:
    """What a write says about its origin."""

    names: list[bytes] = field(default_factory=list)  # refs the new memories are known by
    edges: list[tuple[bytes, str]] = field(default_factory=list)
    given: list[tuple[bytes, ...]] = field(default_factory=list)  # each source by its names
    unknown: int = 0  # of the given sources: those that are no readable memory (yet)
    categories: frozenset[str] = frozenset()
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sought:
    """Whom a search names of those that its owners' memories mention.

    Args:
        named: for each name the entities that it may mean, and whether one bears all of it.
        limit: how many items the client wants.
        places: where the request says so.
    """

    named: tuple[Mapping[str, bool], ...]
    limit: int
    places: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Sifted:
    """What an answer shows, by its pseudonyms, and why each other item was taken out."""

    shown: frozenset[bytes] = frozenset()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer of the store and what it became."""

    answer: UpstreamReply
    found: Sifted
    reply: Reply
    rewritten: bool


@dataclass(slots=True)
class Asked:
    """A request that may come again, and what became of the latest answer to it."""

    key: Hashable = field(repr=False)
    moment: Moment
    leads: bool = False  # others who ask the same wait until this one is understood
    judging: asyncio.Event | None = None  # set when an answer to it has been judged
    exchange: "Exchange | None" = None  # as it was when the request was ready
    request: UpstreamRequest | None = field(default=None, repr=False)
    shown: Shown | None = None
    spare: list["Exchange"] = field(default_factory=list)  # copies that served and are as they were


@dataclass(slots=True)
class Exchange:
    """The state of one request; each step reads what came before and adds its own."""

    raw: RawCall
    caller: Caller
    names: Pseudonyms
    policy: Policy
    binding: UpstreamBinding
    dialect: Dialect
    route: Route
    variables: Mapping[str, str]
    query: Query
    now: datetime
    body: list[Any] = field(default_factory=lambda: [None])  # a holder, so that `$` has a place
    has_body: bool = False
    heavy: bool = False  # what was read last is large: it is walked beside the event loop
    changed: bool = False
    owners: list[ScopedOwner] = field(default_factory=list)
    required: dict[str, frozenset[str]] = field(default_factory=dict)  # kind → upstream ids
    known: dict[tuple[str, str], str] = field(
        default_factory=dict
    )  # (kind, upstream id) → client's
    skipped: set[tuple[int, Any]] = field(default_factory=set)  # places already understood
    targets: list[str] = field(default_factory=list)  # store ids addressed by the request
    rows: dict[str, Memory] = field(default_factory=dict)  # store id → what the ledger knows
    owner_rows: list[Owner] = field(default_factory=list)  # of the addressed memories
    texts: list[Text] = field(default_factory=list)
    staying: dict[str, Staying] = field(default_factory=dict)  # by the store's id
    sources: Sources = field(default_factory=Sources)
    concerned: Concerned = NOBODY
    anybody_decided: bool | None = None  # in the tenant, about anything; None: not asked yet
    infers: bool | None = None
    client_expiry: datetime | None = None
    dropped_headers: set[tuple[str, str]] = field(default_factory=set)
    tokens: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)
    sought: Sought | None = None
    write_id: str | None = None
    write: Write | None = None  # as its intent was committed
    intended_at: int | None = None  # the ledger's state then, if it can tell
    held: int = 0  # memories of the write that wait for a review
    concluded: bool = False  # the ledger knows how the write ended, or is being told
    asked: Asked | None = None  # as what the request is known, if it may come again
    reply: UpstreamReply | None = None
    ready: Reply | None = None  # as the reply goes on, if it was made before
    stream: UpstreamStream | None = None  # the reply's body, while it is still arriving
    flagged: bool = False  # a read that looks like extraction
    sent: bool = False  # something was sent to the store
    answer: list[Any] = field(default_factory=lambda: [None])
    answered: bool = False  # `answer` holds the parsed reply
    rewritten: bool = False  # `answer` differs from the store's bytes
    seconds_upstream: float = 0.0

    @property
    def profile(self) -> Profile:
        """Profile of the dialect in use."""
        return self.dialect.profile

    @property
    def operation(self) -> str:
        """The policy's word for what the request does."""
        if self.route.op in ("write", "annotate"):
            return "write"
        return "update" if self.route.op in ("update", "batch_update") else "search"

    @property
    def purpose(self) -> str | None:
        """The purpose that is stated, or the only one that the caller may have."""
        stated = self.raw.header("expunge-purpose")
        allowed = self.caller.purposes
        only = next(iter(allowed)) if allowed is not None and len(allowed) == 1 else None
        return stated or only

    @property
    def tenant_id(self) -> str:
        """The caller's tenant."""
        return self.caller.tenant_id
