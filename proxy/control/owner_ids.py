"""An owner's kind written into the id (``user:kim``): refused, unless an owner's id is just that.

Taken as it stands it would mean nobody, and whoever asked would be told that nothing was found.
"""

import re
from collections.abc import Iterator
from functools import partial

from proxy.control.routing import Body
from proxy.control.services import ControlServices
from proxy.ledger import owners
from proxy.problems import Problem

_WITH_KIND = re.compile(r"\s*(user|agent|run|app)([_-]?id)?\s*[:=]\s*\S", re.IGNORECASE)


async def check_owner_ids(services: ControlServices, tenant_id: str, body: object) -> None:
    """Refuse ids that say a kind in the id alone.

    With ``owner_kind`` given the id is what it says: so one is reached that only a store knows.

    Raises:
        Problem: ``invalid-request``.
    """
    for pointer, kind, owner_id in _with_kind(body):
        key = owners.ref(await services.keyring.tenant(tenant_id), kind, owner_id)
        known = partial(owners.find, tenant_id=tenant_id, kind=kind, owner_ref=key)
        found = await services.ledger.read(known)
        if found is None:
            raise Problem(
                "invalid-request", "No owner has this id, which says a kind of owner.",
                hint="Give the id alone, and its kind as owner_kind (--owner-kind): user if it is "
                "absent. If the id itself is written so, give owner_kind as well.",
                errors=[{"pointer": pointer, "detail": "The id alone, without its kind."}],
            )  # fmt: skip


def _with_kind(body: object, at: str = "") -> Iterator[tuple[str, str, str]]:
    """Where a body has such an id without a kind of its own: (pointer, kind by default, id)."""
    if not isinstance(body, Body):
        return
    yield from _with_kind(getattr(body, "target", None), "/target")
    if "owner_kind" not in type(body).model_fields or "owner_kind" in body.model_fields_set:
        return
    kind = str(getattr(body, "owner_kind"))  # noqa: B009 - of some bodies only
    for name, given in _ids(body):
        if _WITH_KIND.match(given):
            yield f"{at}/{name}", kind, given


def _ids(body: Body) -> Iterator[tuple[str, str]]:
    """The owner ids of a body, by their member."""
    members = ("owner", "value", "values") if getattr(body, "kind", "") == "owner" else ("owner",)
    for name in members:
        given = getattr(body, name, None)
        yield from ((name, each) for each in ([given] if isinstance(given, str) else given or ()))
