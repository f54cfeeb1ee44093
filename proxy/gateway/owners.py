"""Owner ids of the client and of the store: one to one within a tenant, never across tenants."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from proxy.keys.ring import KeyRing
from proxy.ledger import owners
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.owners import Form
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.owners import opened

CACHED = 20_000
REMEMBERED = 60.0  # seconds
KINDS = ("user", "agent", "run", "app")


class OwnerMap:
    """Looks owner ids up; remembers the latest."""

    def __init__(self) -> None:
        self._clients: OrderedDict[tuple[str, str, str], tuple[str, float]] = OrderedDict()
        self._rows: OrderedDict[tuple[str, str, str], str] = OrderedDict()

    def remember(
        self, tenant_id: str, kind: str, upstream_id: str, client_id: str, now: float
    ) -> None:
        """Keep a pair that is known to be true, for a minute: the owner may be erased."""
        self._clients[(tenant_id, kind, upstream_id)] = client_id, now + REMEMBERED
        if len(self._clients) > CACHED:
            self._clients.popitem(last=False)

    def forget(self, tenant_id: str) -> None:
        """Drop what is remembered of a tenant: one of its owners was erased."""
        for key in [key for key in self._clients if key[0] == tenant_id]:
            del self._clients[key]

    async def row_ids(
        self,
        ledger: Ledger,
        names: Pseudonyms,
        tenant_id: str,
        pairs: Iterable[tuple[str, str]],
    ) -> set[str]:
        """Row ids of (kind, store's id) pairs, as far as they have a row."""
        wanted = set(pairs)
        known = {pair for pair in wanted if (tenant_id, *pair) in self._rows}
        missing = {owners.upstream_ref(names, up): up for _, up in wanted - known}
        if missing:
            rows = await ledger.recall.one(
                ("owner-rows", tenant_id, frozenset(missing)),
                lambda: ledger.read(lambda tx: owners.find_upstream(tx, tenant_id, missing.keys())),
            )
            for row in rows:
                self._rows[(tenant_id, row.kind, missing[row.upstream_ref])] = row.id
            while len(self._rows) > CACHED:
                self._rows.popitem(last=False)
        keys = [(tenant_id, *pair) for pair in wanted]
        return {self._rows[key] for key in keys if key in self._rows}

    async def client_ids(
        self,
        ledger: Ledger,
        keyring: KeyRing,
        names: Pseudonyms,
        tenant_id: str,
        form: Form,
        pairs: Iterable[tuple[str, str]],
        now: float,
    ) -> dict[tuple[str, str], str]:
        """The client's ids of (kind, store's id) pairs; pairs of other tenants are left out."""
        wanted = set(pairs)
        if form == "keep":
            return {pair: pair[1] for pair in wanted}
        known = self._fresh(tenant_id, wanted, now)
        mine = owners.prefix(names) + "-"
        missing = {pair for pair in wanted - known.keys() if pair[1].startswith(mine)}
        if missing:
            found = await ledger.read(lambda tx: _unsealed(tx, keyring, names, tenant_id, missing))
            for pair, client_id in found.items():
                self.remember(tenant_id, *pair, client_id, now)
            known |= found
        return known

    def _fresh(
        self, tenant_id: str, pairs: set[tuple[str, str]], now: float
    ) -> dict[tuple[str, str], str]:
        found = {pair: self._clients.get((tenant_id, *pair), ("", 0.0)) for pair in pairs}
        return {pair: client_id for pair, (client_id, until) in found.items() if now < until}


async def _unsealed(
    tx: Tx, keyring: KeyRing, names: Pseudonyms, tenant_id: str, pairs: set[tuple[str, str]]
) -> dict[tuple[str, str], str]:
    by_ref = {owners.upstream_ref(names, upstream_id): upstream_id for _, upstream_id in pairs}
    rows = await owners.find_upstream(tx, tenant_id, by_ref.keys())
    return {
        (row.kind, by_ref[row.upstream_ref]): client_id
        for row, client_id in await opened(tx, keyring, rows)
        if (row.kind, by_ref[row.upstream_ref]) in pairs
    }


def by_precedence(pairs: Mapping[str, str]) -> list[tuple[str, str]]:
    """Owners in the order in which the first one's key seals what belongs to several."""
    return [(kind, pairs[kind]) for kind in KINDS if kind in pairs]
