"""What identifies the forgotten one in the metadata of a memory that stays goes with them."""

import base64
import json
from typing import Any

import pytest

from proxy.erasure.proof.certificate import BESIDE, SHORT_NAMES
from proxy.erasure.search.target import Target
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing

LOUISA = Target(kind="entity", values=("Louisa Merton",), entity_type="PERSON")
TEXT = "James Orimoto met Louisa Merton at the fair."
LEFT = "James Orimoto met a person at the fair."
HERS, HIS = "+44 20 7946 0106", "+44 20 7946 0111"
Case = tuple[dict[str, Any], dict[str, Any]]

# What the memory has beside its text, and what of it stays.
GOES: dict[str, Case] = {
    "a phone beside her name":
        ({"contact": "Louisa Merton", "phone": HERS, "topic": "budget"}, {"topic": "budget"}),
    "a mail address": ({"name": "Louisa Merton", "email": "lm77@mail.example"}, {}),
    "a birthday and an address":
        ({"person": "Louisa Merton", "birthday": "3 May 1980", "address": "14 Rosebery Lane",
          "city": "Leeds"}, {"city": "Leeds"}),
    "what they were reduced to":
        ({"person": "Louisa Merton", "birthday": "May 1980", "address": "[street_address]",
          "phone": "[phone_number]", "iban": "******************3000"}, {}),
    "a birthday as a machine writes it": ({"person": "Louisa Merton", "dob": "1980-05-03"}, {}),
    "an account, a card and a passport":
        ({"person": "Louisa Merton", "iban": "DE89 3704 0044 0532 0130 00",
          "card": "4111 1111 1111 1111", "passport_no": "533380006"}, {}),
    "a handle and a link": ({"contact": "Louisa Merton", "handle": "@rosebery_77",
                             "linkedin": "https://social.example/rosebery77"}, {}),
    "a handle of her initial and family name": ({"twitter": "@lmerton", "topic": "budget"},
                                                {"topic": "budget"}),
    "the same beside another name": ({"slack": {"name": "James Orimoto"}, "by": "lmerton"},
                                     {"slack": {"name": "James Orimoto"}}),
    "the same in words that detection does not know": ({"seen": "with lmerton99 and all"}, {}),
    "a user name": ({"contact": "Louisa Merton", "username": "rosebery77"}, {}),
    "a national number": ({"person": "Louisa Merton", "ssn": "536904399"}, {}),
    "a customer's number": ({"customer": "Louisa Merton", "customer_id": "C-44718"}, {}),
    "a number": ({"contact": "Louisa Merton", "mobile": 442079460106}, {}),
    "several": ({"contact": "Louisa Merton", "phones": [HERS, "+44 20 7946 0107"]}, {}),
    "her first name in its name": ({"louisa_phone": HERS, "topic": "budget"}, {"topic": "budget"}),
    "written in one": ({"louisaPhone": HERS}, {}),
    "her family name": ({"merton_email": "lm77@mail.example"}, {}),
    "her whole name in it": ({"louisa_merton_address": "14 Rosebery Lane"}, {}),
    "her name above it": ({"louisa": {"phone": HERS}, "james": {"phone": HIS}},
                          {"james": {"phone": HIS}}),
    "an object within": ({"contact": "Louisa Merton", "details": {"phone": HERS, "floor": 3}},
                         {"details": {"floor": 3}}),
    "an object that is all hers":
        ({"person": {"name": "Louisa Merton", "phone": HERS, "diet": "vegan"}}, {}),
    "an unexplained number": ({"contact": "Louisa Merton", "callback": HERS}, {}),
    "a note that names nobody": ({"contact": "Louisa Merton", "note": f"reach on {HERS}"}, {}),
    "a note that names her": ({"note": "Louisa Merton came by", "phone": HERS}, {}),
    "a title": ({"contact": "Dr. Louisa Merton", "phone": HERS}, {}),
    "in German": ({"ansprechpartner": "Louisa Merton", "telefonnummer": "030 5550123",
                   "geburtsdatum": "3.5.1980", "anschrift": "Lindenstraße 12"}, {}),
    "in Spanish": ({"contacto": "Louisa Merton", "teléfono": "912 345 678",
                    "dirección": "Calle Mayor 4"}, {}),
    "first and last name apart": ({"first": "Louisa", "last": "Merton", "phone": HERS}, {}),
    "both named, and a word that both fields share":
        ({"contact": "Louisa Merton", "contact_phone": HERS,
          "author": "James Orimoto", "author_phone": HIS},
         {"author": "James Orimoto", "author_phone": HIS}),
    "numbered": ({"name1": "Louisa Merton", "phone1": HERS, "name2": "James Orimoto",
                  "phone2": HIS}, {"name2": "James Orimoto", "phone2": HIS}),
    "a list of objects":
        ({"people": [{"name": "Louisa Merton", "phone": HERS},
                     {"name": "James Orimoto", "phone": HIS}]},
         {"people": [{"name": "James Orimoto", "phone": HIS}]}),
    "an object in the object": ({"contact": {"name": "Louisa Merton"}, "phone": HERS}, {}),
    "parts of an address": ({"contact": "Louisa Merton",
                             "address": {"street": "14 Rosebery Lane", "city": "Leeds"}}, {}),
    "a handle that looks like a name": ({"user": "Louisa Merton", "slack": "@tom"}, {}),
    "an address with her name beside a number":
        ({"email": "louisa.merton@mail.example", "phone": HERS}, {}),
    "names as keys": ({"phones": {"Louisa Merton": HERS, "James Orimoto": HIS}},
                      {"phones": {"James Orimoto": HIS}}),
    "names as keys of the whole": ({"Louisa Merton": HERS, "James Orimoto": HIS},
                                   {"James Orimoto": HIS}),
    "given to her by another field":
        ({"louisa_phone": HERS, "last_call": "020 7946 0106"}, {}),
}  # fmt: skip
STAYS: dict[str, Case] = {
    "beside another's name":
        ({"contact": "James Orimoto", "phone": HIS}, {"contact": "James Orimoto", "phone": HIS}),
    "beside another's first name": ({"contact": "James", "phone": HIS},
                                    {"contact": "James", "phone": HIS}),
    "a namesake of one word": ({"Louisa Quarrington": HIS}, {"Louisa Quarrington": HIS}),
    "another's name in its name": ({"james_phone": HIS}, {"james_phone": HIS}),
    "another's name in its name, beside hers": ({"contact": "Louisa Merton", "james_phone": HIS},
                                                {"james_phone": HIS}),
    "an address with another's name":
        ({"contact": "Louisa Merton", "cc": "j.orimoto@mail.example"},
         {"cc": "j.orimoto@mail.example"}),
    "a name beside a note about her":
        ({"contact": "James Orimoto", "note": "ask Louisa Merton", "phone": HIS},
         {"contact": "James Orimoto", "phone": HIS}),
    "a number that counts":
        ({"contact": "Louisa Merton", "order_id": "55501423", "priority": 2, "ts": 1748563200},
         {"order_id": "55501423", "priority": 2, "ts": 1748563200}),
    "no identifier": ({"contact": "Louisa Merton", "phone": True, "mail": "sent", "room": "B 12",
                       "date": "2027-05-03", "source_url": "https://docs.example/minutes"},
                      {"phone": True, "mail": "sent", "room": "B 12", "date": "2027-05-03",
                       "source_url": "https://docs.example/minutes"}),
    "an object of another's": ({"contact": "Louisa Merton",
                                "host": {"name": "James Orimoto", "phone": HIS}},
                               {"host": {"name": "James Orimoto", "phone": HIS}}),
    "a note of another's": ({"contact": "Louisa Merton", "note": f"James Orimoto is on {HIS}"},
                            {"note": f"James Orimoto is on {HIS}"}),
    "another's, who speaks of her": ({"contact": "James Orimoto", "phone": HIS, "empty": []},
                                     {"contact": "James Orimoto", "phone": HIS, "empty": []}),
}  # fmt: skip
UNTOLD: dict[str, Case] = {
    "nobody named": ({"phone": HERS}, {"phone": HERS}),
    "nobody named beside an address": ({"birthday": "3 May 1980", "address": "14 Rosebery Lane"},
                                       {"birthday": "3 May 1980", "address": "14 Rosebery Lane"}),
    "both named": ({"contact": "Louisa Merton", "author": "James Orimoto", "phone": HERS},
                   {"author": "James Orimoto", "phone": HERS}),
    "objects of both": ({"guest": {"name": "Louisa Merton"}, "host": {"name": "James Orimoto"},
                         "phone": HERS}, {"host": {"name": "James Orimoto"}, "phone": HERS}),
    "both in a list": ({"attendees": ["Louisa Merton", "James Orimoto"], "phone": HERS},
                       {"phone": HERS}),
}  # fmt: skip


# By what the text says: the text, the metadata, the text and the metadata that stay.
TOLD: dict[str, tuple[str, dict[str, Any], str, dict[str, Any]]] = {
    "hers by the text, written otherwise":
        (f"James Orimoto met Louisa Merton (tel. {HERS}) in Leeds.", {"last_call": "020 7946 0106"},
         "James Orimoto met a person in Leeds.", {}),
    "his by the text":
        (f"James Orimoto ({HIS}) met Louisa Merton.", {"phone": "020 7946 0111"},
         f"James Orimoto ({HIS}) met a person.", {"phone": "020 7946 0111"}),
    "of another who is named in the object, beside hers in the text":
        (f"James Orimoto met Louisa Merton (tel. {HERS}) in Leeds.",
         {"contact": "James Orimoto", "phone": HIS},
         "James Orimoto met a person in Leeds.", {"contact": "James Orimoto", "phone": HIS}),
}  # fmt: skip


async def _metadata(bench: Erasing, owner: str) -> list[tuple[str, dict[str, Any]]]:
    place = {"user": await bench.upstream_id(owner)}
    return [
        (item.text, {key: value for key, value in item.metadata.items() if key[:8] != "expunge_"})
        async for item in bench.store.crawl(place)
    ]


async def _forget(bench: Erasing, cases: dict[str, Case], **asked: Any) -> tuple[Any, dict]:
    for at, (given, _) in enumerate(cases.values()):
        await bench.remember(f"u-{at}", TEXT, metadata=given)
    view = await bench.forget(LOUISA, **asked)
    assert view.state == "complete", view.body()
    return view, {name: await _metadata(bench, f"u-{at}") for at, name in enumerate(cases)}


@pytest.mark.parametrize("cases", [GOES, STAYS], ids=["goes", "stays"])
async def test_it_goes_with_whose_it_is(build, cases: dict[str, Case]) -> None:
    """By the name of its field, by who is named in its object; nothing is in doubt."""
    view, left = await _forget(await build(mixed="redact"), cases)
    wrong = {name: left[name] for name, (_, said) in cases.items() if left[name] != [(LEFT, said)]}
    assert wrong == {}
    assert (view.counts.get("doubtful", 0), view.redacted) == (0, len(cases))


async def test_where_nothing_tells_whose_it_is_it_stays_and_is_named(build) -> None:
    """Counted in the plan, and in what the certificate does not cover."""
    bench = await build(mixed="redact")
    view, left = await _forget(bench, UNTOLD)
    assert left == {name: [(LEFT, said)] for name, (_, said) in UNTOLD.items()}
    assert view.counts["doubtful"] == view.counts["unclear_identifiers"] == len(UNTOLD)
    bundle = await bench.service.certificate(bench.tenant_id, view.id)
    said = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert BESIDE in said["claim"]["not_covered"]
    assert SHORT_NAMES not in said["claim"]["not_covered"]


async def test_it_goes_where_somebody_says_so(build) -> None:
    """With everything else that is in doubt."""
    bench = await build(mixed="redact")
    view, left = await _forget(bench, UNTOLD, choices={"doubtful": "delete"})
    stays = {"both named": {"author": "James Orimoto"},
             "objects of both": {"host": {"name": "James Orimoto"}}}  # fmt: skip
    assert left == {name: [(LEFT, stays.get(name, {}))] for name in UNTOLD}
    assert "unclear_identifiers" not in view.counts


async def test_the_text_says_whose_it_is(build) -> None:
    """Where no field does; however the number is written there."""
    bench = await build(mixed="redact")
    for at, (text, given, _, _) in enumerate(TOLD.values()):
        await bench.remember(f"u-{at}", text, metadata=given)
    view = await bench.forget(LOUISA)
    left = {name: await _metadata(bench, f"u-{at}") for at, name in enumerate(TOLD)}
    assert left == {name: [(text, said)] for name, (_, _, text, said) in TOLD.items()}
    assert (view.state, view.counts.get("doubtful", 0)) == ("complete", 0)


@pytest.mark.parametrize(
    ("keep", "stays"),
    [
        ("fair", {"topic": "budget"}),
        (HERS, {"phone": HERS, "topic": "budget"}),
        ("phone", {"phone": HERS, "topic": "budget"}),
    ],
    ids=["something else", "the number itself", "its kind"],
)
async def test_beside_what_is_to_be_kept(build, keep: str, stays: dict[str, Any]) -> None:
    """Under the default rules; unless it is itself what is to be kept."""
    bench = await build()
    given = {"contact": "Louisa Merton", "phone": HERS, "topic": "budget"}
    await bench.remember("u-1", TEXT, metadata=given)
    assert (await bench.forget(LOUISA, keep=("fair", keep))).state == "complete"
    assert await _metadata(bench, "u-1") == [(LEFT, stays)]


async def test_tokens_are_what_they_stand_for(build) -> None:
    """Names and numbers that the store has as tokens, in the text and beside it."""
    bench = await build(mixed="redact")
    said = [Mention("PERSON", "Louisa Merton"), Mention("PERSON", "James Orimoto"),
            Mention("PHONE_NUMBER", HERS), Mention("PHONE_NUMBER", HIS)]  # fmt: skip
    minted = await bench.ledger.write(
        lambda tx: bench.means.vault.tokenise(tx, bench.tenant_id, said)
    )
    louisa, james, hers, his = [each.token for each in minted]
    given = {"contact": louisa, "phone": hers, "host": {"name": james, "callback": his}}
    text = f"{james} met {louisa} at the fair."
    await bench.remember("u-1", text, mentions=said, metadata=given)
    assert (await bench.forget(LOUISA)).state == "complete"
    left = f"{james} met a person at the fair."
    assert await _metadata(bench, "u-1") == [(left, {"host": {"name": james, "callback": his}})]
