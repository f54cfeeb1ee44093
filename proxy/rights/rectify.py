"""Rectification (GDPR Art. 16): the old text leaves every layer, the new one takes its place."""

from collections.abc import Sequence
from dataclasses import dataclass

from detectors.detection import Analysis, Detection
from policies import Context, Decision, Edit, apply_edits, decide
from proxy.erasure.plans.planning import REWRITE
from proxy.erasure.requests.held import refuse_held
from proxy.erasure.search.find import open_rows
from proxy.erasure.search.means import Means
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.service import ErasureService
from proxy.erasure.view import ErasureView
from proxy.ledger import memories, reach
from proxy.ledger.engine import Tx
from proxy.problems import Problem
from proxy.rights.covered import recorded
from proxy.tokens.places import REVERSIBLE, placed
from proxy.tokens.vault import Mention


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
        """Replace a memory's text; the policy treats the new one as any write.

        Raises:
            Problem: ``not-found``, ``held``, ``write-rejected``, ``detection-unavailable``,
                ``upstream-unreachable``.
        """
        if not text.strip():
            raise Problem("invalid-request", "A corrected text is not empty.")
        await self._check_held(tenant_id, memory_id)
        stored = await self._admitted(tenant_id, text)
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

    async def _check_held(self, tenant_id: str, memory_id: str) -> None:
        means = self._means
        names = await means.keyring.tenant(tenant_id)
        row = await recorded(means, tenant_id, memory_id)
        stores = [means.stores[row.upstream]] if row else means.stores.values()
        for store in stores:
            named = {row.id if row else memory_id: memory_id}
            await refuse_held(means.ledger, tenant_id, names, store, named)

    async def _admitted(self, tenant_id: str, text: str) -> str:
        """The text as the policy lets it be stored."""
        (analysis,) = await self._means.detectors.analyse([text], scope=tenant_id)
        (blocked,) = await self._means.blocklist.blocked_mentions(tenant_id, [text], initials=True)
        made = self._decide(tenant_id, text, analysis, blocked)
        if made.outcome != "allow":
            by = (*made.refused_by, *made.held_by)
            raise Problem("write-rejected", "The policy rejects the text.", rules=by)
        edits = placed(text, made.edits)
        tokens = await tokens_for(self._means, tenant_id, text, edits)
        return apply_edits(text, edits, lambda _, original: tokens[original])

    def _decide(
        self, tenant_id: str, text: str, analysis: Analysis, blocked: Sequence[Detection]
    ) -> Decision:
        context = Context(
            operation="update", at=self._means.clock.now(), text_length=len(text),
            language=analysis.language,
        )  # fmt: skip
        policy = self._means.policies(tenant_id)
        clear = [d for d in analysis.detections if not any(_overlap(d, b) for b in blocked)]
        return decide(policy, [*clear, *blocked], analysis.categories, context)

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


async def tokens_for(
    means: Means, tenant_id: str, text: str, edits: Sequence[Edit]
) -> dict[str, str]:
    """The token of every piece of a text that is to become one."""
    wanted = [edit for edit in edits if edit.action in REVERSIBLE]
    mentions = [
        Mention(edit.entity_type, text[edit.start : edit.end], (), edit.sealed_for)
        for edit in wanted
    ]
    minted = await means.ledger.write(lambda tx: means.vault.tokenise(tx, tenant_id, mentions))
    pairs = zip(wanted, minted, strict=True)
    return {text[edit.start : edit.end]: each.token for edit, each in pairs}


def _overlap(one: Detection, other: Detection) -> bool:
    return one.start < other.end and other.start < one.end
