"""The lists of steps: complete, and closed by construction."""

import inspect

import pytest

from proxy.gateway import pipeline
from proxy.gateway.again import show
from proxy.gateway.hop.forward import forward, send
from proxy.gateway.memories.record import intend, mint
from proxy.gateway.memories.settle import settle
from proxy.gateway.request.decide import decide
from proxy.gateway.request.detect import detect
from proxy.gateway.request.scope import scope
from proxy.upstreams.profile import OPERATIONS


def test_every_operation_of_a_profile_has_its_steps() -> None:
    """`deny` never gets that far."""
    assert pipeline.STEPS.keys() == OPERATIONS - {"deny"}


@pytest.mark.parametrize("op", sorted(pipeline.STEPS))
def test_nothing_is_forwarded_before_it_is_scoped_scanned_and_decided(op: str) -> None:
    """And what was decided is applied, and what was intended is settled."""
    steps = pipeline.STEPS[op]
    sends = {forward, send}.intersection(steps)
    if not sends:
        return
    sent = steps.index(sends.pop())
    assert steps.index(scope) < steps.index(detect) < steps.index(decide) < sent
    assert (intend in steps[:sent]) != (mint in steps[:sent])
    if intend in steps:
        assert settle in steps[sent:]


@pytest.mark.parametrize("op", ["search", "list", "get", "history"])
def test_what_is_read_is_filtered(op: str) -> None:
    """No list of items leaves without a look at each."""
    steps = pipeline.STEPS[op]
    assert steps.index(send) < steps.index(show)


def test_the_list_stays_readable() -> None:
    """It is what a newcomer reads first."""
    assert len(inspect.getsource(pipeline).splitlines()) < 60
