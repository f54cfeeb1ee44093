"""Sentences and what they ask for; what is unclear becomes a question."""

from datetime import UTC, datetime

import pytest

from proxy.rights.interpret import interpret

CONDITION, RELATION, PERSON, MAIL = (
    "MEDICAL_CONDITION", "RELATIONSHIP", "PERSON", "EMAIL_ADDRESS",
)  # fmt: skip
NOW = datetime(2026, 1, 5, 9, 30, tzinfo=UTC)  # a Monday


def target(text: str):
    """Action, kind, value and type of the only request."""
    (found,) = interpret(text, now=NOW).requests
    return found.action, found.kind, found.value, found.entity_type


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Forget everything about my diabetes", ("forget", "entity", "diabetes", CONDITION)),
        ("Delete all memories of my ex-wife", ("forget", "entity", "ex-wife", RELATION)),
        ("I don't want you to remember my address", ("forget", "attribute", "address", None)),
        ("Clear all health information", ("forget", "category", "health", None)),
        ("Forget about John", ("forget", "entity", "John", PERSON)),
        ("please erase all you know about Alva Brenn.", ("forget", "entity", "Alva Brenn", PERSON)),
        ("Forget my salary", ("forget", "attribute", "salary", None)),
        ("Forget everything about me", ("forget", "owner", None, None)),
        ("What do you know about me?", ("tell", "owner", None, None)),
        ("Do you remember my diabetes?", ("tell", "entity", "diabetes", CONDITION)),
        ("Export my data", ("export", "owner", None, None)),
        ("Stop using my data for now", ("restrict", "owner", None, None)),
        ("Forget my sister Ada Falk", ("forget", "entity", "Ada Falk", PERSON)),
        ("Remove all info on my ex wife Dana", ("forget", "entity", "Dana", PERSON)),
        ("Forget what I told you about Ada", ("forget", "entity", "Ada", PERSON)),
        ("Forget where I work", ("forget", "attribute", "employer", None)),
        ("Forget where I live.", ("forget", "attribute", "address", None)),
        ("forget how much I earn", ("forget", "attribute", "salary", None)),
        ("remove alva@example.org", ("forget", "entity", "alva@example.org", MAIL)),
    ],
)  # fmt: skip
def test_a_clear_sentence_is_one_request(text: str, expected: tuple) -> None:
    """The sentences of everyday use."""
    assert target(text) == expected


def test_yesterday_is_the_authors_day() -> None:
    """A period is a day of the author's own calendar."""
    (found,) = interpret(
        "Forget our conversation from yesterday", now=NOW, zone="Asia/Tokyo"
    ).requests
    assert found.kind == "time_range"
    assert found.since.isoformat() == "2026-01-04T00:00:00+09:00"
    assert found.until.isoformat() == "2026-01-05T00:00:00+09:00"


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("Delete what I said last week", "2025-12-29", "2026-01-05"),
        ("Delete everything from last month", "2025-12-01", "2026-01-01"),
        ("Forget what we discussed on Friday", "2026-01-02", "2026-01-03"),
        ("Erase everything between 2025-11-03 and 2025-11-05", "2025-11-03", "2025-11-06"),
    ],
)
def test_periods(text: str, since: str, until: str) -> None:
    """Weeks, months, days and dates."""
    (found,) = interpret(text, now=NOW).requests
    assert (found.since.date().isoformat(), found.until.date().isoformat()) == (since, until)


def test_what_must_stay_is_named() -> None:
    """Partial forgetting carries what to keep."""
    text = "Forget my salary, but you can remember I work at Acme Corp"
    (found,) = interpret(text, now=NOW).requests
    assert (found.kind, found.value, found.keep) == ("attribute", "salary", ("Acme Corp",))


def test_not_to_remember_is_about_the_future_too() -> None:
    """ "Don't remember" erases the past and adds a rule."""
    assert interpret("I don't want you to remember my address", now=NOW).requests[0].future
    assert not interpret("Forget my address", now=NOW).requests[0].future


ADDRESS, PHONE = ("attribute", "address", None), ("attribute", "phone", None)
ADA, BEN = ("entity", "Ada Falk", PERSON), ("entity", "Ben Ebert", PERSON)


@pytest.mark.parametrize(
    ("text", "topics", "future"),
    [
        ("Forget my address, please.", [ADDRESS], ""),
        ("Forget my address right now, thank you!", [ADDRESS], ""),
        ("Please forget that I ever mentioned Ada Falk", [ADA], ""),
        ("Delete any reference to Ada Falk for good", [ADA], ""),
        ("Could you remove Ada Falk from your memory?", [ADA], ""),
        ("Don't remember my address, please.", [ADDRESS], "F"),
        ("Don't remember my address anymore", [ADDRESS], "F"),
        ("Don't store my address any more!", [ADDRESS], "F"),
        ("Do not ever save my phone number again, thanks.", [PHONE], "F"),
        ("I don't want you to remember my address, please", [ADDRESS], "F"),
        ("Forget my address and don't save it again", [ADDRESS], "F"),
        ("Forget Ada Falk and don't store anything about her again", [ADA], "F"),
        ("Delete my address. Please never store it.", [ADDRESS], "F"),
        ("Forget my address or phone number", [ADDRESS, PHONE], ""),
        ("Delete Ada Falk, Ben Ebert and my address.", [ADA, BEN, ADDRESS], ""),
        ("Forget Ada Falk and Ben Ebert", [ADA, BEN], ""),
        ("Forget Ada Falk, and delete my address", [ADA, ADDRESS], ""),
        ("stop storing my address and phone number for me", [ADDRESS, PHONE], "F"),
        ("Forget Falk and Falk", [("entity", "Falk and Falk", None)], ""),
        ("forget rice and beans", [("entity", "rice and beans", None)], ""),
    ],
)  # fmt: skip
def test_politeness_and_several_things(text: str, topics: list, future: str) -> None:
    """What is only said besides is no part of what is asked for; each thing is a request."""
    found = interpret(text, now=NOW).requests
    assert [(each.kind, each.value, each.entity_type) for each in found] == topics
    assert {"F" if each.future else "" for each in found} == {future}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Always remember things about my mom", ("keep", "entity", "mom", RELATION)),
        ("Correct my address: 5 Elm Road", ("rectify", "attribute", "address", None)),
        ("Please update my phone number to 555 0100", ("rectify", "attribute", "phone", None)),
    ],
)
def test_what_is_to_be_kept_or_corrected(text: str, expected: tuple) -> None:
    assert target(text) == expected


def test_one_clause_may_be_about_the_future_alone() -> None:
    found = interpret("Forget my address and don't keep my phone number", now=NOW).requests
    assert [(each.value, each.future) for each in found] == [("address", False), ("phone", True)]


@pytest.mark.parametrize(
    "text",
    [
        "", "hello there", "Don't forget my mother's birthday", "forget it", "Nice weather today",
        "Forget how we met", "Keep my job, delete everything else.", "Forget me not.",
        "Forget everything except my job",
        "Delete everything but my name", "Forget all memories apart from my job",
        "Forget what I said yesterday and my bank account",
        "Correct my birthday to 1 May, and forget everything else",
        "Update my address to 5 Elm Road and delete the old one",
        "I don't remember my address", "I forget my password all the time",
        "We never keep my address",
        "Forget that I wanted to delete my account yesterday with Ada",
        "delete the thing we talked about when it was raining that one time",
    ],
)  # fmt: skip
def test_what_is_unclear_becomes_a_question(text: str) -> None:
    """No request is guessed."""
    found = interpret(text, now=NOW)
    assert found.requests == ()
    assert found.questions


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("please delete Johan Berg from 2026-01-01 to 2026-02-01", True),
        ("forget what I said about Alva Brenn yesterday", True),
        ("forget Orla last week", True),
        ("please delete everything from 2026-01-01 to 2026-02-01", False),
        ("forget what I said on Monday", False),
        ("forget everything that I said yesterday", False),
    ],
)
def test_a_name_is_not_dropped_for_a_period(text: str, asks: bool) -> None:
    """Who names somebody and a period is asked which; a period alone is one request."""
    found = interpret(text, now=datetime(2026, 3, 4, 12, tzinfo=UTC))
    assert (bool(found.questions), bool(found.requests)) == (asks, not asks)
    assert all(each.kind == "time_range" for each in found.requests)


@pytest.mark.parametrize(
    "text",
    ["You can't forget Anselm Dorfler", "I can't forget that night", "I won't forget his birthday",
     "I always forget my keys", "We can't delete the logs", "He told me to forget Anselm Dorfler",
     "My therapist says I should forget my father", "Did you delete my address?",
     "I didn't delete it", "They often forget the milk", "The manual says to erase the disk",
     "I’ll keep forgetting her name", "Nobody can forget Ada Falk"],
)  # fmt: skip
def test_what_somebody_does_or_says_asks_for_nothing(text: str) -> None:
    """A wrong guess deletes: it is asked back."""
    found = interpret(text, now=NOW)
    assert (found.requests, len(found.questions)) == ((), 1)


@pytest.mark.parametrize(
    "text", ["You should forget my address", "I want you to forget my address",
             "Could you please erase my address", "You can delete my address"],
)  # fmt: skip
def test_what_is_wanted_of_you_is_asked_for(text: str) -> None:
    """The twins: who is to forget is you."""
    assert target(text) == ("forget", "attribute", "address", None)
