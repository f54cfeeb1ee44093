"""Account, card, passport and phone numbers are found in every grouping, and beside any sign."""

from collections.abc import Callable

import pytest

from detectors.recognisers.iban import checked

WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"
# entity type, a text that holds one, its exact value, and a text that holds none
ROWS = (
    ("IBAN_CODE", "her iban is nl91abna0417164300", "nl91abna0417164300", "id nl91abna0417164301"),
    (
        "IBAN_CODE",
        "my iban: D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0",
        "D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0",
        "grid D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 1",
    ),
    (
        "IBAN_CODE",
        "iban gb29 nwbk 6016 1331 9268 19",
        "gb29 nwbk 6016 1331 9268 19",
        "ref gb29 nwbk 6016 1331 9268 18",
    ),
    (
        "IBAN_CODE",
        "IBAN DE 89 37 04 00 44 05 32 01 30 00",
        "DE 89 37 04 00 44 05 32 01 30 00",
        "Line DE 89 37 04 00 44 05 32 01 30 01",
    ),
    (
        "IBAN_CODE",
        "pay to NO93.8601.1117.947 please",
        "NO93.8601.1117.947",
        "no 93 of 8601, in 1117 and 947",
    ),
    (
        "IBAN_CODE",
        "IBAN DE89 3704 0044 0532 0130 01",
        "DE89 3704 0044 0532 0130 01",
        "at 10 people came to the party at 12",
    ),
    (
        "CREDIT_CARD",
        "card 4111 – 1111 – 1111 – 1111",
        "4111 – 1111 – 1111 – 1111",
        "rows 4111 – 1111 – 1111 – 1112",
    ),
    ("CREDIT_CARD", "4111x1111x1111x1111", "4111x1111x1111x1111", "4111x1111x1111x1112 px"),
    ("CREDIT_CARD", "4111.1111.1111.1111", "4111.1111.1111.1111", "4111, 1111, 1111, 1111"),
    ("CREDIT_CARD", "card 4111,1111,1111,1111", "4111,1111,1111,1111", "2019/2020/2021/2022"),
    ("CREDIT_CARD", "visa 4111·1111·1111·1111", "4111·1111·1111·1111", "visas for 4111 people"),
    ("CRYPTO", f"eth address {WALLET}", WALLET, "Address 0x7fff5fbff8c0 caused the fault."),
    (
        "PASSPORT",
        "Passport number X4RTBPFW4, issued",
        "X4RTBPFW4",
        "The passport office opens at 9.",
    ),
    ("PASSPORT", "his passport (no. 567843219)", "567843219", "Passport photos cost 12 euros."),
    ("PASSPORT", "passport: AB 1234567", "AB 1234567", "passport in 2 weeks"),
    ("TAX_ID", "My PAN is ABCPE1234F.", "ABCPE1234F", "My PAN holds five pancakes at once."),
    ("NATIONAL_ID", "CURP GOMC850101HDFRRL09", "GOMC850101HDFRRL09", "the CURP is required"),
    ("NATIONAL_ID", "PESEL 44051401359", "44051401359", "the PESEL has eleven digits"),
    ("PHONE_NUMBER", "/+4791234567", "+4791234567", "12/+4"),
    ("PHONE_NUMBER", "Alva/+4791234567", "+4791234567", "Trains run 10/20/30 minutes past."),
    ("PHONE_NUMBER", "Alva+4791234567", "+4791234567", "a+1234 is more than b+1234"),
    ("PHONE_NUMBER", "call Kari/415-555-0134", "415-555-0134", "see issues/4155550134"),
    ("PHONE_NUMBER", "wa.me/4791234567", "wa.me/4791234567", "read.me/4791234567"),
    ("PHONE_NUMBER", "tlf.+4791234567", "+4791234567", "v.+4"),
    ("PHONE_NUMBER", "(+47)91234567", "(+47)91234567", "(+4)91"),
    ("PHONE_NUMBER", "415-555-0134/415-555-0135", "415-555-0135", "2019/2020/2021"),
    ("PHONE_NUMBER", "tel:+4791234567", "+4791234567", "hotel:47912345"),
    (
        "PHONE_NUMBER",
        "phone five five five oh one three four, area code four one five",
        "four one five",
        "The area code is part of a phone number.",
    ),
    ("PHONE_NUMBER", "area code 415, then 555-0134", "415", "area code 415 covers the bay"),
    (
        "PHONE_NUMBER",
        "plus four seven nine one two three four five six seven",
        "plus four seven nine one two three four five six seven",
        "plus four or five of the others",
    ),
)


@pytest.mark.parametrize(("entity_type", "text", "value", "twin"), ROWS, ids=[r[1] for r in ROWS])
def test_number_is_found_and_its_twin_left_alone(
    values_of: Callable[[str, str], list[str]], entity_type: str, text: str, value: str, twin: str
) -> None:
    """The value is found with exact bounds and the right type; the twin holds nothing of it."""
    assert value in values_of(entity_type, text)
    assert values_of(entity_type, twin) == []


@pytest.mark.parametrize(
    ("number", "right"), [("GB82WEST12345698765432", True), ("GB28WEST12345698765432", False)]
)
def test_check_digits_of_an_account_number(number: str, right: bool) -> None:
    """The modulo-97 check accepts the published example and refuses swapped check digits."""
    assert checked(number) is right
