"""What data subjects decided, as it is in force now: for all who own a memory together."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from policies import Preferences
from policies.preferences import granted_once, stricter
from proxy.erasure.search.means import Means
from proxy.ledger import preferences as rows
from proxy.ledger.engine import Tx

CONSENT, SETTINGS = "consent", "settings"
SUBJECT = "user"  # the kind of owner that is a person; agents, runs and apps are about one
Subject = tuple[str, bytes]  # kind and pseudonym of an owner
MAX_TENANTS = 10_000


@dataclass(frozen=True, slots=True)
class Decided:
    """Consents that were given, and preferences."""

    consents: frozenset[str] = frozenset()
    preferences: Preferences = field(default_factory=Preferences)


NOTHING = Decided()


class Decisions:
    """Consents (GDPR Art. 7), objections and preferences of owners, by pseudonym."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._any: dict[str, tuple[int, bool]] = {}  # by tenant, with the count of changes

    async def any_of(self, tenant_id: str) -> bool:
        """Whether anybody in a tenant decided anything; mostly known without a transaction."""
        ledger = self._means.ledger
        known = self._any.get(tenant_id)
        if known is not None and known[0] == ledger.recall.counter(rows.version(tenant_id)):
            return known[1]
        if len(self._any) >= MAX_TENANTS:
            self._any.clear()
        found = await ledger.read(lambda tx: rows.any_of(tx, tenant_id))
        self._any[tenant_id] = found
        return found[1]

    async def of(self, tenant_id: str, groups: Sequence[Collection[Subject]]) -> list[Decided]:
        """For each group of owners what holds for what is theirs together.

        Consent is the data subject's: all users among the owners must have given it, and only
        where there is none all owners. Refusals and objections of any owner count.
        """
        if not any(groups) or not await self.any_of(tenant_id):
            return [NOTHING for _ in groups]
        refs = {ref for group in groups for _, ref in group}
        known = await self._means.ledger.recall.many(
            ("wishes", tenant_id), refs, lambda missing: self._read(tenant_id, missing)
        )
        return [_together([(kind, known[ref]) for kind, ref in group]) for group in groups]

    async def _read(self, tenant_id: str, refs: list[bytes]) -> dict[bytes, Decided]:
        async def load(tx: Tx) -> dict[bytes, Decided]:
            found = await self.opened(tx, tenant_id, refs)
            return {ref: _decided(found.get(ref, [])) for ref in refs}

        return await self._means.ledger.read(load)

    async def opened(
        self, tx: Tx, tenant_id: str, refs: Collection[bytes]
    ) -> dict[bytes, list[tuple[rows.Preference, dict[str, Any]]]]:
        """Decisions of each subject with what they say; without a key nothing is left of them."""
        found = await rows.of_subjects(tx, tenant_id, refs)
        listed = [each for decisions in found.values() for each in decisions]
        sealed = [(each.dek_id, each.sealed, rows.aad(tenant_id, each.id)) for each in listed]
        bodies = await self._means.keyring.unseal_many(tx, sealed) if sealed else []
        said = {each.id: body for each, body in zip(listed, bodies, strict=True)}
        return {
            ref: [(each, json.loads(body)) for each in decisions if (body := said[each.id])]
            for ref, decisions in found.items()
        }


def _decided(found: Sequence[tuple[rows.Preference, dict[str, Any]]]) -> Decided:
    """What one subject decided; a later setting replaces an earlier one of its name."""
    settings: dict[str, Any] = {}
    for each, body in found:
        if each.kind != CONSENT:
            settings |= body
    given = frozenset(str(body["name"]) for each, body in found if each.kind == CONSENT)
    return Decided(given, granted_once(settings)) if settings or given else NOTHING


def _together(found: Sequence[tuple[str, Decided]]) -> Decided:
    if not found:
        return NOTHING
    asked = [each for kind, each in found if kind == SUBJECT] or [each for _, each in found]
    return Decided(
        frozenset.intersection(*(each.consents for each in asked)),
        reduce(stricter, (each.preferences for _, each in found)),
    )
