"""What happens to a request, in order: one list of steps for each kind of operation."""

from collections.abc import Awaitable, Callable, Mapping

from proxy.gateway.again import note, show
from proxy.gateway.answers.restore import restore
from proxy.gateway.exchange import Exchange
from proxy.gateway.hop.decode import decode
from proxy.gateway.hop.forward import forward, send
from proxy.gateway.memories.address import address
from proxy.gateway.memories.delete import delete, secure
from proxy.gateway.memories.listing import filter_owners, own_event, settle_event
from proxy.gateway.memories.named import seek, seek_less
from proxy.gateway.memories.paged import fit
from proxy.gateway.memories.record import intend, mint
from proxy.gateway.memories.settle import abandon, settle
from proxy.gateway.memories.staying import stay
from proxy.gateway.request.admit import admit, admit_owner, check_purpose
from proxy.gateway.request.decide import decide
from proxy.gateway.request.detect import detect, may_judge
from proxy.gateway.request.extraction import check_query
from proxy.gateway.request.scope import scope
from proxy.gateway.request.sources import read_sources
from proxy.gateway.services import GatewayServices

Step = Callable[[Exchange, GatewayServices], Awaitable[None]]

UNDERSTAND = (admit, check_purpose, decode, scope, admit_owner)
SCAN = (read_sources, detect, decide)
HIDE = (may_judge, *SCAN, check_query, mint)
KEEP = (intend, forward, settle, restore)
SHOW = (note, send, show)
AGAIN = (admit, admit_owner, may_judge, send, show)  # what is left if the same was understood

STEPS: Mapping[str, tuple[Step, ...]] = {
    "write": (*UNDERSTAND, *SCAN, *KEEP),
    "search": (*UNDERSTAND, *HIDE, seek, note, send, seek_less, show),
    **dict.fromkeys(("list", "pass"), (*UNDERSTAND, *HIDE, fit, *SHOW)),
    **dict.fromkeys(("get", "history"), (*UNDERSTAND, *HIDE, address, *SHOW)),
    **dict.fromkeys(("update", "batch_update"), (*UNDERSTAND, address, *SCAN, stay, *KEEP)),
    "annotate": (*UNDERSTAND, address, *HIDE, forward, restore),
    **dict.fromkeys(("delete", "batch_delete"), (*UNDERSTAND, secure, address, delete)),
    **dict.fromkeys(("delete_owner", "reset"), (*UNDERSTAND, secure, delete)),
    "owners": (*UNDERSTAND, *HIDE, forward, filter_owners, restore),
    "event": (*UNDERSTAND, *HIDE, own_event, forward, settle_event, restore),
}


async def run(exchange: Exchange, services: GatewayServices) -> None:
    """Take the request through its steps; a step that answers ends it."""
    try:
        known = exchange.asked is not None and exchange.asked.request is not None
        for step in AGAIN if known else STEPS[exchange.route.op]:
            await step(exchange, services)
            if exchange.reply is not None and not exchange.sent:
                return
    except Exception as failure:
        await abandon(exchange, services, failure)
        raise
