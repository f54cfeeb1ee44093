"""Rectification (GDPR Art. 16): the old text leaves every layer, the new one takes its place."""

from dataclasses import dataclass, replace

from policies import apply_edits, decide
from proxy.erasure.plans.planning import REWRITE
from proxy.erasure.requests.held import refuse_held, whose
from proxy.erasure.search.find import open_rows
from proxy.erasure.search.means import Means
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.service import ErasureService
from proxy.erasure.view import ErasureView
from proxy.ledger import memories, reach
from proxy.ledger.engine import Tx
from proxy.problems import Problem
from proxy.rights.covered import recorded
from proxy.rights.judging import Origin, context_of, named_in, subjects_of, tokens_for
from proxy.tokens.places import placed


@dataclass(frozen=True, slots=True)
class Rectified:
    """What a correction came to; the memory has a new id."""

    erasure: ErasureView
    memory_id: str | None


class Rectification:
    """Corrects memories."""

    def __init__(self, means: Means, erasure: ErasureService) -> None:
        self._means, self._erasure = means, erasure

    async def rectify(
        self, tenant_id: str, memory_id: str, text: str, *, actor: Actor
    ) -> Rectified:
        """Replace a memory's text; the policy, consents and objections treat it as any update.

        Raises:
            Problem: ``not-found``, ``held``, ``write-rejected``, ``detection-unavailable``,
                ``upstream-unreachable``.
        """
        if not text.strip():
            raise Problem("invalid-request", "A corrected text is not empty.")
        origin = await self._origin(tenant_id, memory_id)
        stored = await self._admitted(tenant_id, text, origin)
        view = await self._erasure.forget(
            tenant_id,
            Target(kind="memory", values=(memory_id,)),
            actor=actor,
            origin="client",
            reason="rectification",
            choices={"include": "direct", REWRITE: stored},
        )
        if view.outcome == "nothing_found":
            raise Problem("not-found", "There is no such memory.")
        return Rectified(view, await self._new_id(tenant_id, stored))

    async def _origin(self, tenant_id: str, memory_id: str) -> Origin:
        """Whose it is, by the ledger or as the stores tell; refused if a hold keeps it."""
        means = self._means
        names = await means.keyring.tenant(tenant_id)
        row = await recorded(means, tenant_id, memory_id)
        stores = [means.stores[row.upstream]] if row else means.stores.values()
        named = {row.id if row else memory_id: memory_id}
        owned: set[str] = set()
        for store in stores:
            await refuse_held(means.ledger, tenant_id, names, store, named)
            found = await whose(means.ledger, tenant_id, names, store, named)
            owned.update(*found.values())
        row_ids = sorted(owned)
        subjects = await means.ledger.read(lambda tx: subjects_of(tx, means, row_ids))
        return Origin(subjects, row_ids, [])

    async def _admitted(self, tenant_id: str, text: str, origin: Origin) -> str:
        """The text as the policy, and those whose it is, let it be stored."""
        means = self._means
        (analysis,) = await means.detectors.analyse([text], scope=tenant_id)
        named = await named_in(means, tenant_id, text, origin.row_ids)
        context = replace(
            await context_of(means, tenant_id, origin, "update"),
            text_length=len(text), language=analysis.language,
        )  # fmt: skip
        made = decide(
            means.policies(tenant_id), (*analysis.detections, *named), analysis.categories, context
        )
        if made.outcome != "allow":
            by = (*made.refused_by, *made.held_by)
            raise Problem("write-rejected", "The policy rejects the text.", rules=by)
        edits = placed(text, made.edits)
        tokens = await tokens_for(means, tenant_id, text, edits, origin.row_ids)
        return apply_edits(text, edits, lambda _, original: tokens[original])

    async def _new_id(self, tenant_id: str, stored: str) -> str | None:
        names = await self._means.keyring.tenant(tenant_id)
        ref = memories.content_ref(names, stored)

        async def load(tx: Tx) -> str | None:
            row = await reach.by_content(tx, tenant_id, ref)
            if row is None:
                return None
            found = await open_rows(tx, self._means, tenant_id, [row])
            return found[0].memory_id if found else None

        return await self._means.ledger.read(load)
