"""A value is read with the name of its member: what says little alone says much beside it."""

from typing import Any

import pytest

from tests.support.fault_store import FaultStore, added
from tests.support.gateway import Plane

ADD = "/v3/memories/add/"

HIDDEN = [
    ({"phone": "4915112345664"}, "4915112345664"),
    ({"phone": 4915112345664}, "4915112345664"),
    ({"contactPhone": "2125550147"}, "2125550147"),
    ({"phones": ["4915112345664", "2125550147"]}, "2125550147"),
    ({"mobile_number": "4915112345664"}, "4915112345664"),
    ({"telefon": "4915112345664"}, "4915112345664"),
    ({"ssn": "536228145"}, "536228145"),
    ({"customer": {"ssn": 536228145}}, "536228145"),
    ({"dob": "1984-03-02"}, "1984-03-02"),
    ({"account_number": "12345678"}, "12345678"),
    ({"passport": "C01X00T47"}, "C01X00T47"),
    ({"first_name": "Gwenllian"}, "Gwenllian"),
    ({"lastName": "Eskildsen"}, "Eskildsen"),
    ({"author": "quist, orla"}, "quist"),
    *(
        ({member: name}, name)
        for member, name in (
            ("first_name", "Julia"),
            ("last_name", "Winter"),
            ("nachname", "Freitag"),
            ("user", "Ruby"),
            ("owner", "Jenkins"),
            ("patient", "April"),
            ("name", "Swift"),
            ("customer", "Cassandra"),
            ("contact", "Ash"),
            ("spouse", "Ruby"),
            ("partner", "Julia"),
            ("child", "April"),
            ("doctor", "Winter"),
            ("therapist", "Swift"),
            ("created_by", "Ruby"),
            ("signedBy", "Julia"),
            ("speaker", "Ruby"),
            ("person", "Ruby"),
            ("nick", "Ruby"),
            ("manager", "Ruby"),
            ("name", "Julia Winter"),
            ("姓名", "李晓红"),
        )
    ),
    ({"note": "2125550147"}, "2125550147"),
    ({"ref": "212-555-0147"}, "212-555-0147"),
    ({"ref": "004915112345664"}, "4915112345664"),
    ({"WLAN-Schlüssel": "rumpelfish"}, "rumpelfish"),
    ({"subscription-key": "k-Tern_41.x"}, "k-Tern_41.x"),
    ({"stripeKey": "3f9ac27be01d4586"}, "3f9ac27be01d4586"),
    ({"jwk": {"kty": "oct", "k": "tern-wharf-oslo-gable"}}, "tern-wharf-oslo-gable"),
    ({"kty": "EC", "x": "a", "d": "tern-wharf-oslo-gable"}, "tern-wharf-oslo-gable"),
    ({"電話": "09022345670"}, "09022345670"),
    ({"手机号码": 13922345670}, "13922345670"),
    ({"телефон": "89162234560"}, "89162234560"),
    ({"전화번호": "01022345670"}, "01022345670"),
    ({"生日": "1988-04-12"}, "1988-04-12"),
    ({"dob": 19880412}, "19880412"),
    ({"kontonummer": 532013000}, "532013000"),
    ({"iban_no": 370400440532013000}, "370400440532013000"),
    ({"cvv": 418}, "418"),
    ({"cvc": "419"}, "419"),
    ({"cookie": "sessionid=7e2j1i6g8d0s3a5p9oqk"}, "7e2j1i6g8d0s3a5p9oqk"),
    ({"wifi": "Otter9xLake"}, "Otter9xLake"),
    ({"PHPSESSID": "7e2j1i6g8d0s3a5p9oqk"}, "7e2j1i6g8d0s3a5p9oqk"),
]
TEN_DIGITS = 7542013488  # a telephone number by its digits
DIALLED = """
phone phones phone_number phoneNumber tel mobile mobileNumber cell_phone fax whatsapp msisdn Handy
handynummer telefon kontakt contact contact_phone telefono móvil téléphone celular
"""
COUNTED = """
order_id amount offset bytes revision invoice ticket timestamp ts customer_no reference seq n
orderNumber created_at phone_number_id phone_count contact_id mobileVersion
"""
BENEATH: list[tuple[dict[str, Any], bool]] = [
    ({"phone": {"home": TEN_DIGITS}}, True),
    ({"phones": [{"number": TEN_DIGITS}]}, True),
    ({"contact": {"main": [TEN_DIGITS]}}, True),
    ({"orders": [TEN_DIGITS]}, False),
    ({"orders": [{"number": TEN_DIGITS}]}, False),
    ({"phone": {"updated_at": TEN_DIGITS}}, False),
]
KEPT: list[dict[str, Any]] = [
    {"version": "4915112345664"},
    {"count": 536228145},
    {"created": "2024-03-02"},
    {"phone": "yes"},
    {"name": "blue lamp"},
    {"accounts": ["savings", "current"]},
    {"card": "queen of hearts"},
    {"language": "Julia", "season": "Winter", "server": "Jenkins", "user": "admin"},
    {"owner": "platform-team", "name": "redis", "client": "mobile app", "tenant": "t-17"},
    {"sizes": ["12345678"]},
    {"password": "required", "token": "cat", "max_tokens": 512, "auth": "oauth2"},
    {"password": "the password is wrong", "pass": "12 tests", "pin": 17, "secret": "***"},
    {"password": {"type": "string"}, "tokens": ["the", "cat"], "key": "value", "api_key": ""},
    {"next_token": "eyJvZmZzZXQiOjQwMH0", "nextPageToken": "CBQQAB"},
    {"cursor": "q7Vd2LxT9b58wE3kNn04Rz", "continuation": "Zm9yd2FyZDo0MDA1MTIzNA9x"},
    {"cursor": "dXNlcjpXMDdRQ1JQQTQ", "project": "Apollo"},
    {"pwd": "/srv/shop", "OLDPWD": "/app", "PWD": "/home/dev/shop", "pin": "GPIO27"},
    {"digest": "sha256-TFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc="},
    {"run": "run_xyz987ABC654jkl321", "thread": "thread_CG9arT3kQ8ZZ4m"},
    {"k": "tern-wharf-oslo-gable", "d": "tern-wharf-oslo-gable"},
    {"cvv": "required", "cvc": 7, "dob": 17, "wifi": "off", "cookie": "accepted", "电话": "没有"},
    {"订单": "13922345670", "slug": "green-lamp-2"},
]


@pytest.mark.parametrize(("metadata", "word"), HIDDEN, ids=lambda value: str(value))
async def test_a_value_that_its_member_explains_is_hidden(
    named: Plane, faults: FaultStore, metadata: dict[str, Any], word: str
) -> None:
    """As text, as a number, in a list, in an object of its own, in any spelling of the member."""
    faults.script = lambda _: added()
    assert (await _add(named, metadata))[0] == 200
    assert word.encode() not in faults.requests[-1].body


@pytest.mark.parametrize("metadata", KEPT, ids=lambda value: str(value))
async def test_a_value_that_is_nobodys_stays(
    named: Plane, faults: FaultStore, metadata: dict[str, Any]
) -> None:
    """The negative twin: the same digits under a word of no person, plain words under a name."""
    faults.script = lambda _: added()
    assert (await _add(named, metadata))[0] == 200
    stored = faults.requests[-1].json()["metadata"]
    stored.pop("expunge_w")
    assert stored == metadata


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("name", DIALLED.split())
async def test_a_number_that_can_be_dialled_is_hidden(
    named: Plane, faults: FaultStore, name: str, as_text: bool
) -> None:
    """Ten digits under a member that speaks of telephones, as a number and as a text."""
    faults.script = lambda _: added()
    await _add(named, {name: str(TEN_DIGITS) if as_text else TEN_DIGITS})
    assert str(TEN_DIGITS).encode() not in faults.requests[-1].body


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("name", COUNTED.split())
async def test_a_number_that_counts_stays_a_number(
    named: Plane, faults: FaultStore, name: str, as_text: bool
) -> None:
    """The same digits under a member that speaks of something else reach the store as they are."""
    faults.script = lambda _: added()
    value = str(TEN_DIGITS) if as_text else TEN_DIGITS
    await _add(named, {name: value})
    assert faults.requests[-1].json()["metadata"][name] == value


@pytest.mark.parametrize(("metadata", "hidden"), BENEATH, ids=lambda value: str(value))
async def test_a_number_is_read_with_all_that_it_stands_under(
    named: Plane, faults: FaultStore, metadata: dict[str, Any], hidden: bool
) -> None:
    """Objects and lists hand on what their member says."""
    faults.script = lambda _: added()
    await _add(named, metadata)
    assert (str(TEN_DIGITS).encode() not in faults.requests[-1].body) is hidden


@pytest.mark.parametrize("name", ["apiKey", "Kennwort", "PASSWORT", "Mot_De_Passe", "clientSecret"])
async def test_a_secrets_name_stays_a_name(named: Plane, faults: FaultStore, name: str) -> None:
    """Only its value is hidden: the member's name is nobody's."""
    faults.script = lambda _: added()
    assert (await _add(named, {name: "k-Tern_41.x"}))[0] == 200
    stored = faults.requests[-1].json()["metadata"]
    assert stored[name] in ("[password]", "[api_key]")


MARKS = [
    ("X-Request-Id", "Orla-Quist", False), ("X-Correlation-Id", "OrlaQuist", False),
    ("User-Agent", "alva.lindgren", False), ("X-Request-Id", "sprint-planning", True),
    ("User-Agent", "python-requests", True), ("X-Request-Id", "abc-def", True),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "passes"), MARKS)
async def test_a_persons_name_is_no_mark_of_a_request(
    named: Plane, faults: FaultStore, name: str, value: str, passes: bool
) -> None:
    """A header for marks that holds somebody's name does not reach the store with it."""
    faults.script = lambda _: added()
    await _add(named, {}, {name: value})
    said = [value for request in faults.requests for value in request.values(name)]
    assert (value in said) is passes


async def _add(
    plane: Plane, metadata: dict[str, Any], headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    body = {
        "messages": [{"role": "user", "content": "likes rye bread"}],
        "user_id": "u-1", "infer": False, "metadata": metadata,
    }  # fmt: skip
    return await plane.call("POST", ADD, body, headers=headers)
