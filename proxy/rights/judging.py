"""A memory that the store has already, judged anew by the active policy."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from detectors.detection import Detection
from policies import Context, Decision, Edit, apply_edits, decide
from proxy.erasure.search.find import searchable
from proxy.erasure.search.means import Means
from proxy.ledger import memories, owners
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.rights.wishes import Wishes
from proxy.tokens import surrogate
from proxy.tokens.owners import opened
from proxy.tokens.places import REVERSIBLE, placed
from proxy.tokens.vault import Mention
from proxy.upstreams.store import Item

Suspect = Callable[[str], Mapping[str, float]]
_MARK = re.compile(r"\[[a-z_]+\]")  # what a redaction left


@dataclass(frozen=True, slots=True)
class Judged:
    """What the active policy makes of a memory now.

    Args:
        text: what it says, in clear.
        becomes: the text that may be kept, where the policy changes what the store has.
    """

    decision: Decision
    text: str
    becomes: str | None

    def body(self) -> dict[str, Any]:
        """JSON form, without the text."""
        found = self.decision
        return {
            "decision": found.outcome,
            "reason": found.reason,
            "rules": list(found.rules),
            "held_by": list(found.held_by),
            "changes_text": self.becomes is not None,
        }


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose memory it is, (kind, client's id) pairs and row ids, and whom it is about."""

    subjects: list[tuple[str, str]]
    row_ids: list[str]
    about: list[str]


async def judge(
    means: Means, tenant_id: str, memory: Memory, item: Item, suspect: Suspect
) -> Judged:
    """Decide on what a memory says in clear, and on the text as the store has it.

    Region, source and purpose of the write are not kept: a rule on them does not match.

    Args:
        suspect: how much a text looks like an order to the assistant.
    """
    policy = means.policies(tenant_id)
    restored = await means.vault.restore_many(tenant_id, [item.text, searchable(item)])
    said, whole = (each.text for each in restored)
    origin = await means.ledger.read(lambda tx: origin_of(tx, means, memory))
    context = replace(
        await context_of(means, tenant_id, origin, "write"),
        content_at=memory.created_at, inherited_categories=frozenset(memory.categories),
    )  # fmt: skip
    clear, stored = await means.detectors.analyse([whole, item.text], scope=tenant_id)
    named = await named_in(means, tenant_id, whole, origin.row_ids)
    said_of = replace(
        context, text_length=len(whole), language=clear.language, suspicion=suspect(said)
    )
    decision = decide(policy, (*clear.detections, *named), clear.categories, said_of)
    kept_as = replace(context, text_length=len(item.text), language=stored.language)
    edits = decide(policy, stored.detections, stored.categories, kept_as).edits
    becomes = await _changed(means, tenant_id, item.text, edits, origin.row_ids)
    return Judged(decision, said, becomes)


async def _changed(
    means: Means, tenant_id: str, text: str, found: Sequence[Edit], row_ids: Collection[str]
) -> str | None:
    """The text with what is not hidden yet hidden; None if there is nothing to hide."""
    done = [(token.start, token.end) for token in surrogate.find(text)]
    done += [match.span() for match in _MARK.finditer(text)]
    fresh = [edit for edit in found if not any(s <= edit.start and edit.end <= e for s, e in done)]
    if not fresh:
        return None
    edits = placed(text, fresh)
    tokens = await tokens_for(means, tenant_id, text, edits, row_ids)
    new = apply_edits(text, edits, lambda _, original: tokens[original])
    return new if new != text else None


async def named_in(
    means: Means, tenant_id: str, text: str, row_ids: Collection[str]
) -> list[Detection]:
    """Whom a text names of those that the tenant knows, and of those that are blocked.

    Args:
        row_ids: of its owners, for what is blocked under them only.
    """
    (known,) = await means.vault.known_mentions(tenant_id, [text])
    (blocked,) = await means.blocklist.blocked_mentions(tenant_id, [text], row_ids, initials=True)
    return [*known, *blocked]


async def tokens_for(
    means: Means, tenant_id: str, text: str, edits: Sequence[Edit], row_ids: Collection[str]
) -> dict[str, str]:
    """The token of every piece of a text that is to become one.

    Args:
        row_ids: of its owners, who read the words again.
    """
    wanted = [edit for edit in edits if edit.action in REVERSIBLE]
    mentions = [
        Mention(edit.entity_type, text[edit.start : edit.end], tuple(row_ids), edit.sealed_for)
        for edit in wanted
    ]
    minted = await means.ledger.write(lambda tx: means.vault.tokenise(tx, tenant_id, mentions))
    pairs = zip(wanted, minted, strict=True)
    return {text[edit.start : edit.end]: each.token for edit, each in pairs}


async def context_of(means: Means, tenant_id: str, origin: Origin, operation: str) -> Context:
    """What decides about a text of these owners, now: what they agreed and objected to."""
    consents, preferences = await Wishes(means).of(tenant_id, origin.subjects)
    return Context(
        operation=operation,
        at=means.clock.now(),
        owners=frozenset(map(":".join, origin.subjects)),
        consents=consents,
        preferences=preferences,
        infer=False,
        entities=frozenset(origin.about),
    )


async def origin_of(tx: Tx, means: Means, memory: Memory) -> Origin:
    """Owners in clear, as far as their keys are there, and whom a memory is about."""
    row_ids = (await memories.owners_of(tx, [memory.id])).get(memory.id, [])
    about = (await memories.entities_of(tx, [memory.id])).get(memory.id, [])
    return Origin(await subjects_of(tx, means, row_ids), row_ids, about)


async def subjects_of(tx: Tx, means: Means, row_ids: Collection[str]) -> list[tuple[str, str]]:
    """(kind, client's id) of owners, as far as their keys are there."""
    rows = [row for row in await owners.by_ids(tx, row_ids) if row.state != "erased"]
    return [(row.kind, name) for row, name in await opened(tx, means.keyring, rows)]
