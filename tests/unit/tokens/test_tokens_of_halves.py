"""First and family name told one by one in a sentence are one name."""

import pytest

from proxy.erasure.texts.mentions import Needles
from proxy.ledger.engine import Ledger
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.index.spelling import Name
from proxy.tokens.mentions.standing import stands_alone

TOLD = {
    # id: a text, whether it names Elin Falk, whether "Elin" stands alone in it
    "is": ("Her first name is Elin and her family name is Falk", True, False),
    "no verb": ("first name Elin, family name Falk", True, False),
    "colons": ("first name: Elin, family name: Falk", True, False),
    "family name first": ("Surname Falk, first name Elin", True, False),
    "two sentences": ("Her first name is Elin. Her last name is Falk.", True, False),
    "small": ("her first name is elin and her surname is falk", True, False),
    "quoted": ("The first name is “Elin”, the family name “Falk”", True, False),
    "twin: another family name": ("first name Elin, family name Reed", False, False),
    "twin: another's, family name first": ("Surname Reed, first name Elin", False, False),
    "twin: first name alone": ("first name Elin came by", False, True),
    "twin: first name alone, said": ("her first name is Elin", False, True),
    "twin: every word with a capital": ("Her First Name Is Elin", False, True),
    "twin: what is far apart": ("first name Elin. It rained. Family name Falk", False, True),
}


@pytest.mark.parametrize(("text", "named", "alone"), TOLD.values(), ids=TOLD)
async def test_halves_told_one_by_one(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str, text: str, named: bool, alone: bool
) -> None:
    """Both halves name the person; one of them beside another half is somebody else's."""
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, [Name("Elin Falk")]))
    names = [Name("Elin Falk"), Name("Elin")]
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, names, owner_id="own_1"))
    for owner, hit in (("own_1", named or alone), ("own_2", named)):
        [found] = await blocklist.blocked_mentions(tenant_id, [text], [owner])
        assert bool(found) is hit, owner
    start = text.lower().index("elin")
    assert stands_alone(text, start, start + 4) is alone
    needles = Needles.build(("Elin Falk", "Elin", "Falk"), entity_type="PERSON")
    whole = Needles.build(("Elin Falk",), entity_type="PERSON")
    assert whole.mentioned(text) is named
    if "Reed" in text:
        assert not needles.mentioned(text)


@pytest.mark.parametrize("text", ["family name: Falk", "Family Name Falk", "her surname is Falk"])
def test_a_family_name_alone(text: str) -> None:
    """What names the half is no name beside it."""
    start = text.index("Falk")
    assert stands_alone(text, start, start + 4)
