"""One line in the log for each answer that is a problem, so that its id can be found there."""

import logging
import re

from proxy.telemetry.logs import get_logger

_REASONED = frozenset({"ledger-unavailable", "keys-sealed", "detection-unavailable"})
_log = get_logger("refusals")


def tell_refusal(request_id: str, slug: str, status: int, detail: str, **where: str) -> None:
    """Log a refusal: from status 500 on as a warning, else at level info; nothing of the request.

    Args:
        request_id: the answer's ``instance``.
        detail: a sentence of ours; of parts of this service that are away it is logged as a code.
        where: ``method`` and ``route`` of ours, ``operation``, ``upstream``, ``tenant_id``; never
            what came in.
    """
    if slug in _REASONED:
        where["reason_code"] = coded(detail)
    level = logging.WARNING if status >= 500 else logging.INFO
    _log.log(level, "request.refused", request_id=request_id, slug=slug, status=status, **where)


def coded(sentence: str) -> str:
    """A constant sentence as one word: ``the_disk_is_full``."""
    return re.sub(r"\W+", "_", sentence.lower()).strip("_")
