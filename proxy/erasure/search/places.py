"""Where to look: the owners of a tenant, as its clients and as each store call them."""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from detectors.identity.keys import canonical
from proxy.erasure.search.means import Means
from proxy.ledger import owners
from proxy.ledger.engine import Tx
from proxy.ledger.owners import Owner
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.owners import opened
from proxy.upstreams.store import Store

JOINTS = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class Place:
    """One owner id of a store; ``row`` is None for an owner the ledger has never seen."""

    kind: str
    upstream_id: str
    row: Owner | None

    @property
    def scope(self) -> Mapping[str, str]:
        """What a store is asked with."""
        return {self.kind: self.upstream_id}


@dataclass(frozen=True, slots=True)
class Holder:
    """An owner by the client's id; ``row`` is None if the ledger has never seen it.

    Args:
        upstream: the store that keeps memories under this very id, behind the ledger's back; no
            other store is meant then.
    """

    kind: str
    client_id: str
    row: Owner | None
    upstream: str | None = None

    @property
    def key(self) -> tuple[str, str, str | None]:
        """What tells it from every other one."""
        return self.kind, self.client_id, self.upstream

    def place(self, names: Pseudonyms, store: Store) -> Place:
        """What this store calls it."""
        if self.upstream is not None:
            return Place(self.kind, self.client_id, None)
        name = owners.upstream_id(names, store.owner_form, self.kind, self.client_id)
        return Place(self.kind, name, self.row)


async def holder(
    means: Means, tenant_id: str, names: Pseudonyms, kind: str, client_id: str
) -> Holder:
    """The owner behind a client's id."""
    key = owners.ref(names, kind, client_id)
    row = await means.ledger.read(lambda tx: owners.find(tx, tenant_id, kind, key))
    return Holder(kind, client_id, row)


async def holders(means: Means, tenant_id: str) -> list[Holder]:
    """Every living owner of the tenant."""

    async def load(tx: Tx) -> list[Holder]:
        rows = await owners.of_tenant(tx, tenant_id)
        return [Holder(row.kind, name, row) for row, name in await opened(tx, means.keyring, rows)]

    return await means.ledger.read(load)


async def spellings(means: Means, tenant_id: str, asked: Sequence[Holder]) -> list[Holder]:
    """The owners asked for, and those whose id is the same one written otherwise.

    An address means the same person in any case. Any other id may be two people's in two cases, so
    another spelling of it counts only where nobody has the one asked for and only one has another.

    Raises:
        Problem: ``invalid-request`` where several have it in other spellings and nobody as asked.
    """
    named = [each for each in asked if each.row is None or "@" in each.client_id]
    if not named:
        return list(asked)
    known: dict[tuple[str, str], list[Holder]] = {}
    for each in await holders(means, tenant_id):
        known.setdefault((each.kind, _plain(each.client_id)), []).append(each)
    found = {(each.kind, each.client_id): each for each in asked}
    for each in named:
        others = known.get((each.kind, _plain(each.client_id)), [])
        if each.row is None and len(others) > 1 and "@" not in each.client_id:
            raise _several_spellings()
        if "@" in each.client_id or len(others) == 1:
            found |= {(other.kind, other.client_id): other for other in others}
    return list(found.values())


def _several_spellings() -> Problem:
    return Problem(
        "invalid-request", "Nobody has this owner id, but several have it in another spelling.",
        hint="Give the id exactly as the client writes it, once for each owner that is meant.",
    )  # fmt: skip


def _plain(client_id: str) -> str:
    """An id without the accidents of writing: case, width, which sign joins, surrounding space."""
    plain = canonical(unicodedata.normalize("NFKC", client_id), "EMAIL_ADDRESS")
    return plain if "@" in plain else JOINTS.sub("-", plain)


async def all_places(
    means: Means, tenant_id: str, names: Pseudonyms, store: Store, alone: bool
) -> list[Place]:
    """Every owner id of the store that is the tenant's, also those the ledger never saw.

    Args:
        alone: the installation has no other tenant, so whatever the store holds is this one's.
    """
    known = [each.place(names, store) for each in await holders(means, tenant_id)]
    seen = {(place.kind, place.upstream_id) for place in known}
    own = owners.prefix(names) + "-"
    strange = [
        Place(kind, name, None)
        for kind, name in await store.list_owners()
        if (kind, name) not in seen
        and (alone or store.owner_form == "keep" or name.startswith(own))
    ]
    return [*known, *strange]


def places_of(holders: Collection[Holder], names: Pseudonyms, store: Store) -> Sequence[Place]:
    """What one store calls the holders, of kinds that it knows."""
    here = [each for each in holders if each.upstream in (None, store.name)]
    return [each.place(names, store) for each in here if each.kind in store.profile.owner_fields]


def of_place(place: Place, store: Store) -> Holder:
    """The owner behind an id of a store that the ledger has never seen."""
    upstream = None if store.owner_form == "keep" else store.name
    return Holder(place.kind, place.upstream_id, None, upstream)
