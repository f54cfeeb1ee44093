"""A card's or an account's number whose groups are items of a list reaches no store."""

from typing import Any

import pytest

from tests.support.fault_store import FaultStore, added
from tests.support.gateway import Plane

NUMBERS = [
    ["4539", "1488", "0343", "6467"],
    ["3782", "822463", "10005"],
    list("4539148803436467"),
    ["DE89", "3704", "0044", "0532", "0130", "00"],
    [4111, 1111, 1111, 1111],
]
SERIES = [
    ["4539", "1488", "0343", "6468"],
    ["3000", "3100", "3200", "3300", "3400"],
    ["2019", "2021", "2020", "2022"],
    ["red", "4539", "1488", "0343", "6467"],
    ["v1", "v2"],
    [4111, 1111, 1111, 1112],
    [2019, 2021, 2020, 2022],
]


@pytest.mark.parametrize("pieces", NUMBERS)
async def test_every_piece_of_a_number_is_hidden(
    named: Plane, faults: FaultStore, pieces: list[Any]
) -> None:
    """Wherever the list stands, for the check digits say what it is."""
    faults.script = lambda _: added()
    stored = await _stored(named, faults, {"deep": {"a": pieces}})
    assert not set(stored["deep"]["a"]) & {piece for piece in pieces if len(str(piece)) > 1}


@pytest.mark.parametrize("pieces", SERIES)
async def test_other_lists_stay(named: Plane, faults: FaultStore, pieces: list[Any]) -> None:
    """The negative twins: wrong check digits, a series, years, other words."""
    faults.script = lambda _: added()
    assert (await _stored(named, faults, {"a": pieces}))["a"] == pieces


async def _stored(named: Plane, faults: FaultStore, metadata: dict[str, Any]) -> dict[str, Any]:
    body = {
        "messages": [{"role": "user", "content": "likes rye bread"}],
        "user_id": "u-1", "infer": False, "metadata": metadata,
    }  # fmt: skip
    assert (await named.call("POST", "/v3/memories/add/", body))[0] == 200
    stored: dict[str, Any] = faults.requests[-1].json()["metadata"]
    return stored
