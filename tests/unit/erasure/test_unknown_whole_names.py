"""A whole name that no index knows, asked for without a type: it is a person's all the same."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.words import is_full_name
from tests.support.erasing import Erasing


async def test_its_short_forms_go_and_stay_away(bench: Erasing) -> None:
    """Under who tells of her by the whole name; strangers may speak of another one."""
    await bench.remember("u-1", "Alice Quirrell rows boats", known=False)
    await bench.remember("u-1", "Alice called", known=False)
    await bench.remember("u-2", "Alice likes tea", known=False)
    view = await bench.forget(Target(kind="entity", values=("Alice Quirrell",)))
    assert view.state == "complete", view.body()
    assert (await bench.texts("u-1"), await bench.texts("u-2")) == ([], ["Alice likes tea"])


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("Alice Quirrell", True), ("Alice Maria Quirrell", True), ("Alice", False),
        ("alice quirrell", False), ("Florence Cathedral", False), ("Victoria Station", False),
        ("Norvane Ltd", False), ("Alice 7", False),
    ],
)  # fmt: skip
def test_only_a_given_name_with_others_is_one(name: str, whole: bool) -> None:
    """An ordinary word in it makes it something else."""
    assert is_full_name(name) is whole
