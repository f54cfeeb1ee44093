"""What a data subject decided for the future: consents and preferences, sealed under their key."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from policies import Preferences
from policies import preferences as rules
from policies.preferences import PreferenceError
from policies.suggest import nearest
from proxy import ids
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import Holder, holder
from proxy.erasure.search.target import Actor
from proxy.ledger import owners
from proxy.ledger import preferences as rows
from proxy.ledger.engine import Tx
from proxy.ledger.owners import Owner
from proxy.ledger.preferences import Preference
from proxy.problems import Problem
from proxy.rights.in_force import CONSENT, SETTINGS, Decisions
from proxy.tokens.owners import checked, ensure


class Wishes:
    """Consents (GDPR Art. 7) and preferences (retention, objections, sharing) of owners."""

    def __init__(self, means: Means) -> None:
        self._means, self.now = means, Decisions(means)

    async def of(
        self, tenant_id: str, subjects: Sequence[tuple[str, str]]
    ) -> tuple[frozenset[str], Preferences]:
        """Consents and preferences of the owners of one memory; see ``Decisions.of``.

        Args:
            subjects: (kind, client's id) pairs.
        """
        names = await self._means.keyring.tenant(tenant_id)
        group = [(kind, owners.ref(names, kind, name)) for kind, name in subjects]
        (found,) = await self.now.of(tenant_id, [group])
        return found.consents, found.preferences

    async def register(self, tenant_id: str, owner: tuple[str, str], *, actor: Actor) -> str:
        """Make an owner known before anything is remembered of them; gives the row's id.

        A consent comes before what needs it (GDPR Art. 7), and so does an objection.

        Raises:
            Problem: ``invalid-request`` for what is no owner id, ``write-rejected`` for an owner
                who was erased and is not let back, ``subject-locked`` during an erasure.
        """
        means, kind = self._means, owner[0]
        client_id = checked(owner[1], "/owner")
        if await means.blocklist.owner_blocked(tenant_id, kind, client_id):
            raise Problem("write-rejected", "This owner was erased and is blocked.")
        names = await means.keyring.tenant(tenant_id)
        place = Holder(kind, client_id, None).place(names, next(iter(means.stores.values())))

        async def unit(tx: Tx) -> str:
            pair = kind, client_id
            row = await ensure(
                tx, means.keyring, means.clock, names, tenant_id, pair, place.upstream_id
            )
            await self._audit(tx, tenant_id, "owner.registered", actor)
            return row.id

        return await means.ledger.write(unit)

    async def consent(
        self, tenant_id: str, owner: tuple[str, str], name: str, *, actor: Actor
    ) -> str:
        """Record that a consent was given; gives the record's id.

        Raises:
            Problem: ``invalid-request`` for a consent the policy does not list.
        """
        names = self._means.policies(tenant_id).consent.names
        if name not in names:
            error = {"pointer": "/name", "detail": nearest(name, names) or "not in consent.names"}
            raise Problem(
                "invalid-request",
                "The policy knows no such consent.",
                hint=f"The policy lists: {', '.join(names) or 'none'}.",
                errors=[error],
            )
        return await self._put(tenant_id, owner, CONSENT, {"name": name}, actor)

    async def withdraw(self, tenant_id: str, record_id: str, *, actor: Actor) -> None:
        """Withdraw a consent or a setting; raises ``not-found``."""
        now = self._means.clock.now()

        async def unit(tx: Tx) -> None:
            if not await rows.lift(tx, tenant_id, record_id, now):
                raise Problem("not-found", "There is no such decision.")
            await self._audit(tx, tenant_id, "preference.withdrawn", actor)

        await self._means.ledger.write(unit)

    async def prefer(
        self, tenant_id: str, owner: tuple[str, str], settings: dict[str, Any], *, actor: Actor
    ) -> str:
        """Record settings; they replace those of the same names.

        Raises:
            Problem: ``invalid-request`` naming each setting and the bound that it breaks.
        """
        policy = self._means.policies(tenant_id)
        try:
            rules.read(policy, settings)
        except PreferenceError as refused:
            raise Problem(
                "invalid-request", "The policy does not allow it.", errors=_errors(refused)
            ) from None
        return await self._put(tenant_id, owner, SETTINGS, settings, actor)

    async def refuse(
        self, tenant_id: str, owner: tuple[str, str], refused: Mapping[str, Collection[str]], *,
        actor: Actor,
    ) -> str:  # fmt: skip
        """Record what more is refused, beside what was before; an owner is made known for it.

        Args:
            refused: entity types and categories, by the settings' names.

        Raises:
            Problem: as ``register`` and ``prefer`` do.
        """
        if await self._row(tenant_id, owner) is None:
            await self.register(tenant_id, owner, actor=actor)
        _, known = await self.of(tenant_id, [owner])
        settings = {name: sorted({*getattr(known, name), *more}) for name, more in refused.items()}
        return await self.prefer(tenant_id, owner, settings, actor=actor)

    async def in_force(self, tenant_id: str, owner: tuple[str, str]) -> list[dict[str, Any]]:
        """Everything in force, with the ids under which it can be withdrawn."""
        row = await self._row(tenant_id, owner)
        if row is None:
            return []
        found = await self._means.ledger.read(lambda tx: self.now.opened(tx, tenant_id, [row.ref]))
        return [
            {"id": each.id, "kind": each.kind, "at": each.created_at.isoformat(), **body}
            for each, body in found.get(row.ref, [])
        ]

    async def _put(
        self, tenant_id: str, owner: tuple[str, str], kind: str, body: dict[str, Any], actor: Actor
    ) -> str:
        row = await self._row(tenant_id, owner)
        if row is None:
            raise Problem("not-found", "There is no such owner.")
        record_id = ids.new("prf")
        now = self._means.clock.now()

        async def unit(tx: Tx) -> None:
            plain = json.dumps(body).encode()
            where = rows.aad(tenant_id, record_id)
            sealed = await self._means.keyring.seal(tx, row.dek_id, plain, where)
            made = Preference(record_id, tenant_id, row.ref, kind, sealed, row.dek_id, now)
            await rows.insert(tx, made)
            await self._audit(tx, tenant_id, f"preference.{kind}", actor)

        await self._means.ledger.write(unit)
        return record_id

    async def _row(self, tenant_id: str, owner: tuple[str, str]) -> Owner | None:
        names = await self._means.keyring.tenant(tenant_id)
        found = await holder(self._means, tenant_id, names, *owner)
        return found.row if found.row and found.row.state != "erased" else None

    async def _audit(self, tx: Tx, tenant_id: str, event: str, actor: Actor) -> None:
        names = await self._means.keyring.tenant(tenant_id, tx)
        who = actor.ref(names).hex()
        await self._means.audit.append(tx, tenant_id, event, {"actor": who})


def _errors(refused: PreferenceError) -> list[dict[str, str]]:
    return [{"pointer": f"/{issue.path}", "detail": issue.message} for issue in refused.errors]
