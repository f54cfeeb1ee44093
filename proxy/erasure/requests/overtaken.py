"""Plans that nobody has to confirm any more: another erasure of the same target took all."""

from proxy.erasure.requests.confirming import Confirmations
from proxy.keys.errors import KeyDestroyed, SealBroken
from proxy.ledger import kindred
from proxy.ledger.erasures import Erasure
from proxy.problems import Problem
from proxy.telemetry import get_logger

LOOKED = "looked_after"  # the erasure after whose end it was looked whether anything is left

log = get_logger("erasure")


class Overtaken(Confirmations):
    """Ends what was planned while another of the same target was carried out."""

    async def end_overtaken(self) -> int:
        """End such plans that find nothing any more, as if confirmed now; gives how many.

        What has come since stays planned, for a confirmation.
        """
        found = await self._means.ledger.read(kindred.overtaken)
        new = [(each, by) for each, by in found if each.details.get(LOOKED) != by]
        return sum([await self._end(each, by) for each, by in new])

    async def _end(self, erasure: Erasure, by: str) -> bool:
        try:
            if await self._check_plan(erasure, unseen=True) is not None:
                return True
            await self._change(erasure, details={**erasure.details, LOOKED: by})
        except Problem as problem:  # a store is away, or somebody was faster
            log.info("erasure.not_ended", erasure_id=erasure.id, slug=problem.slug)
        except (KeyDestroyed, SealBroken):  # one that is broken stops no other
            log.exception("erasure.not_ended", erasure_id=erasure.id)
        return False
