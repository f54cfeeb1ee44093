"""Retention: tiers, defaults, bounds, preferences, inheritance and what happens at the end."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from detectors.detection import CategoryScore
from policies import Context, Decision, Policy, Preferences, decide, load, load_text
from policies.decision import NO_PREFERENCES
from policies.durations import parse
from policies.preferences import PreferenceError, bound, check, read, write
from policies.retention import fate, marks

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
HEAD = "apiVersion: expunge/v1\nkind: Policy\nname: mine\n"
LONG = frozenset({"long_term"})
LEGALLY = "retention: {legal_maximum: P365D, "


@pytest.fixture(scope="module")
def gdpr() -> Policy:
    """The default policy."""
    return load("builtin/gdpr-default")


def mine(text: str) -> Policy:
    """A policy that changes the default."""
    return load_text((HEAD + text).encode())


def kept(policy: Policy, *categories: str, **circumstances: Any) -> Decision:
    """The decision about a write in these categories."""
    scores = [CategoryScore(name, 0.9) for name in categories]
    context: dict[str, Any] = {"operation": "write", "at": NOW, "text_length": 9}
    return decide(policy, (), scores, Context(**context | circumstances))


def wish(**wishes: Any) -> Preferences:
    """Preferences with durations given as text."""
    if "maximum" in wishes:
        wishes["maximum"] = parse(wishes["maximum"])
    if "categories" in wishes:
        wishes["categories"] = {k: parse(v) for k, v in wishes["categories"].items()}
    return Preferences(**wishes)


@pytest.mark.parametrize(
    ("category", "tier", "after", "consents"),
    [
        ("health", "sensitive", "P30D", LONG),
        ("financial", "sensitive_auto", "P30D", LONG),
        ("location", "ephemeral", "session", LONG),
        ("relationships", "long_term", None, LONG),
        ("relationships", "medium_term", "P90D", frozenset()),
        ("preferences", "long_term", None, frozenset()),
        ("professional", "medium_term", "P90D", LONG),
        ("other", "long_term", None, LONG),
        ("other", "medium_term", "P90D", frozenset()),
    ],
)
def test_category_defaults(
    gdpr: Policy, category: str, tier: str, after: str | None, consents: frozenset[str]
) -> None:
    """Health and financial 30 days, location the session, the rest for ever or 90 days."""
    decision = kept(gdpr, category, consents=consents)
    assert (decision.tier, decision.expires_after) == (tier, after)


@pytest.mark.parametrize(
    ("category", "accepted", "refused", "limit"),
    [
        ("health", "P365D", "P366D", "P1Y"),
        ("health", "P7D", "P2Y", "P1Y"),
        ("financial", "P1Y", "P366D", "P1Y"),
        ("location", "P7D", "P8D", "P7D"),
        ("conversation", "P90D", "P91D", "P90D"),
        ("relationships", "P10Y", None, "indefinite"),
        ("preferences", "P1D", None, "indefinite"),
        ("preferences", "P10Y", None, "indefinite"),
    ],
)
def test_bounds_of_what_a_subject_may_choose(
    gdpr: Policy, category: str, accepted: str, refused: str | None, limit: str
) -> None:
    """Within the bound a wish is granted; beyond it the error names the bound."""
    assert str(bound(gdpr, category)) == limit
    assert check(gdpr, wish(categories={category: accepted})) == ()
    assert kept(
        gdpr, category, preferences=wish(categories={category: accepted})
    ).expires_after == accepted  # fmt: skip
    if refused:
        (issue,) = check(gdpr, wish(categories={category: refused}))
        assert issue.bound == limit
        assert limit in issue.message
        cut = kept(gdpr, category, preferences=wish(categories={category: refused}))
        assert cut.expires_after == limit


@pytest.mark.parametrize(
    ("categories", "wishes", "circumstances", "after", "won"),
    [
        (["health"], {}, {}, "P30D", "category:health"),
        (["health"], {"categories": {"health": "P7D"}}, {}, "P7D", "preference:category:health"),
        (["health"], {"categories": {"health": "P6M"}}, {}, "P6M", "preference:category:health"),
        (["health"], {"pinned": True}, {}, "P1Y", "preference:pin:bound"),
        (["health"], {"pinned": True, "maximum": "P60D"}, {}, "P60D", "preference:maximum"),
        (["preferences"], {"maximum": "P1Y"}, {}, "P1Y", "preference:maximum"),
        (["preferences"], {}, {}, None, "category:preferences"),
        (["professional"], {"pinned": True}, {}, None, "preference:pin"),
        (["professional"], {"pinned": True, "categories": {"professional": "P1D"}}, {}, None,
         "preference:pin"),
        (["professional"], {"exceptions": frozenset({"ent_1"})}, {"entities": {"ent_1"}}, None,
         "preference:exception"),
        (["professional"], {"exceptions": frozenset({"ent_1"})}, {"entities": {"ent_2"}}, "P90D",
         "category:professional"),
        (["professional"], {"exceptions": frozenset({"ent_1"}), "maximum": "P1Y"},
         {"entities": {"ent_1"}}, "P1Y", "preference:maximum"),
        (["health"], {"exceptions": frozenset({"ent_1"})}, {"entities": {"ent_1"}}, "P1Y",
         "preference:exception:bound"),
        (["health", "location"], {}, {}, "session", "category:location"),
        (["preferences", "health"], {}, {}, "P30D", "category:health"),
        ([], {"pinned": True}, {}, None, "preference:pin"),
    ],
)  # fmt: skip
def test_precedence(
    gdpr: Policy,
    categories: list[str],
    wishes: dict[str, Any],
    circumstances: dict[str, Any],
    after: str | None,
    won: str,
) -> None:
    """Global maximum over bound over pin over exception over category wish over default."""
    given = {name: frozenset(value) for name, value in circumstances.items()}
    decision = kept(gdpr, *categories, preferences=wish(**wishes), **given)
    assert (decision.expires_after, decision.expiry_from) == (after, won)


def test_a_pin_may_override_the_subjects_own_maximum() -> None:
    """Only where the policy says so."""
    wishes = wish(pinned=True, maximum="P30D")
    policy = mine("retention: {pin_overrides_maximum: true}\n")
    assert kept(policy, "professional", preferences=wishes).expires_after is None
    assert kept(mine(""), "professional", preferences=wishes).expires_after == "P30D"


def test_what_cannot_be_extended_ignores_pins() -> None:
    """`user_extendable` of a tier that a text in no category falls into."""
    closed = (
        "retention: {default_tier: short_term, tiers: {short_term: {user_extendable: false}}}\n"
    )
    opened = "retention: {default_tier: short_term}\n"
    pinned = wish(pinned=True)
    assert kept(mine(closed), preferences=pinned).expires_after == "P7D"
    assert kept(mine(opened), preferences=pinned).expires_after is None


@pytest.mark.parametrize(
    ("inherited", "expires", "won"),
    [
        (NOW + timedelta(days=3), NOW + timedelta(days=3), "inherited"),
        (NOW + timedelta(days=60), NOW + timedelta(days=30), "category:health"),
        (NOW - timedelta(days=1), NOW - timedelta(days=1), "inherited"),
    ],
)
def test_expiry_is_inherited_and_the_strictest_wins(
    gdpr: Policy, inherited: datetime, expires: datetime, won: str
) -> None:
    """A summary never outlives its sources, nor its own category."""
    decision = kept(gdpr, inherited_categories=frozenset({"health"}), inherited_expiry=inherited)
    assert (decision.expires_at, decision.expiry_from) == (expires, won)
    assert decision.categories == ("health",)


def test_an_inherited_expiry_caps_a_pin(gdpr: Policy) -> None:
    """Pinning the summary does not keep what its source must lose."""
    limit = NOW + timedelta(days=3)
    decision = kept(gdpr, inherited_expiry=limit, preferences=wish(pinned=True))
    assert decision.expires_at == limit
    assert decision.expires_after == "PT259200S"


def test_a_rule_can_ask_for_a_tier() -> None:
    """The strictest of the rule's tier and the category's wins."""
    policy = mine(
        "write: {texts: [{id: t, when: {sources: [tool]}, action: tag, tier: short_term}]}\n"
    )
    assert kept(policy, "professional", source="tool").expires_after == "P7D"
    assert kept(policy, "location", source="tool").expires_after == "session"
    assert kept(policy, "professional", source="document").expires_after == "P90D"


def test_session_memories_end_by_themselves(gdpr: Policy) -> None:
    """A session nobody ends is over after the limit."""
    assert kept(gdpr, "location").expires_at == NOW + timedelta(days=1)


def test_missing_consent_can_shorten_to_the_session(gdpr: Policy) -> None:
    """Political views without consent live for the session; with it, 30 days."""
    assert kept(gdpr, "political_religious").expires_after == "session"
    given = kept(gdpr, "political_religious", consents=frozenset({"political_religious"}))
    assert given.expires_after == "P30D"


def test_the_legal_maximum_binds_everything() -> None:
    """Even pins and never-forget."""
    legal = mine("retention: {legal_maximum: P2Y}\n")
    assert kept(legal, "preferences", preferences=wish(pinned=True)).expires_after == "P2Y"
    never = mine("extends: builtin/never-forget\nretention: {legal_maximum: P2Y}\n")
    decision = kept(never, "health")
    assert (decision.expires_after, decision.expiry_from) == ("P2Y", "legal_maximum")
    assert fate(never, decision.tier, decision.expires_at, NOW).erased_at == decision.expires_at


FEBRUARY = datetime(2026, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "category", "wishes", "end", "after", "won"),
    [
        ("{legal_maximum: P1M, categories: {health: {default: P30D}}}", "health", {},
         FEBRUARY + timedelta(days=28), "P1M", "legal_maximum"),
        ("{categories: {health: {default: P30D, maximum: P1M}}}", "health", {},
         FEBRUARY + timedelta(days=28), "P1M", "category:health:bound"),
        ("{categories: {health: {default: P7D, maximum: P1M}}}", "health",
         {"categories": {"health": "P30D"}}, FEBRUARY + timedelta(days=28), "P1M",
         "preference:category:health:bound"),
        ("{categories: {health: {default: P30D}}}", "health", {"maximum": "P1M"},
         FEBRUARY + timedelta(days=28), "P1M", "preference:maximum"),
        ("{categories: {health: {default: P27D, maximum: P1M}}}", "health", {"maximum": "P1M"},
         FEBRUARY + timedelta(days=27), "P27D", "category:health"),
        ("{}", "location", {"maximum": "PT1H"}, FEBRUARY + timedelta(hours=1), "session",
         "preference:maximum"),
        ("{}", "location", {"maximum": "P2D"}, FEBRUARY + timedelta(days=1), "session",
         "category:location"),
        ("{session_limit: PT2H, categories: {location: {maximum: PT1H}}}", "location", {},
         FEBRUARY + timedelta(hours=1), "session", "category:location:bound"),
        ("{}", "preferences", {"maximum": "session"}, FEBRUARY + timedelta(days=1), "session",
         "preference:maximum"),
    ],
)  # fmt: skip
def test_bounds_are_compared_by_the_dates_they_come_to(
    text: str, category: str, wishes: dict[str, Any], end: datetime, after: str, won: str
) -> None:
    """A calendar month is short in February; an hour is shorter than a session's longest day."""
    found = kept(mine(f"retention: {text}\n"), category, at=FEBRUARY, preferences=wish(**wishes))
    assert (found.expires_at, found.expires_after, found.expiry_from) == (end, after, won)


def test_a_text_in_several_categories_ends_with_the_first_of_them() -> None:
    """A session tier does not lengthen what another category keeps for an hour."""
    policy = mine("retention: {categories: {health: {default: PT1H}}}\n")
    found = kept(policy, "health", "location", at=FEBRUARY)
    assert (found.expires_at, found.expires_after) == (FEBRUARY + timedelta(hours=1), "session")


def test_prompts_come_before_the_end_and_only_where_asked(gdpr: Policy) -> None:
    """Health is asked about a week before day 30; financial is not asked about."""
    assert kept(gdpr, "health").prompt_at == NOW + timedelta(days=23)
    assert kept(gdpr, "financial").prompt_at is None
    short = kept(gdpr, "health", preferences=wish(categories={"health": "P2D"}))
    assert short.prompt_at == NOW


@pytest.mark.parametrize(
    ("text", "tier", "hidden", "erased"),
    [
        ("", "sensitive", 0, 7),
        ("", "sensitive_auto", 0, 0),
        ("retention: {silence: {effect: erase}}\n", "sensitive", 0, 0),
        ("retention: {silence: {effect: keep}}\n", "sensitive", None, None),
        ("retention: {silence: {after: P30D}}\n", "sensitive", 0, 30),
        ("", "a_tier_of_yesterday", 0, 0),
        ("extends: builtin/never-forget\n", "sensitive_auto", None, None),
        (LEGALLY + "silence: {effect: keep}}\n", "sensitive", 10, 10),
        (LEGALLY + "silence: {effect: keep}}\n", "sensitive_auto", 0, 0),
        (LEGALLY + "silence: {after: P9D}}\n", "sensitive", 0, 9),
        (LEGALLY + "silence: {after: P90D}}\n", "sensitive", 0, 10),
    ],
)
def test_what_happens_at_the_end(
    text: str, tier: str, hidden: int | None, erased: int | None
) -> None:
    """Erased at once, hidden and erased later, or kept: by tier, silence and legal maximum."""
    since = NOW - timedelta(days=355)  # ten days before a year, the legal maximum, is over
    found = fate(mine(text), tier, NOW, since)
    days = [None if d is None else NOW + timedelta(days=d) for d in (hidden, erased)]
    assert [found.hidden_at, found.erased_at] == days
    assert fate(mine(text), tier, None, since) == (None, None)


@pytest.mark.parametrize(
    ("text", "own", "hidden", "erased"),
    [
        pytest.param("retention: {silence: {effect: keep}}\n", None, None, None, id="none of own"),
        pytest.param("retention: {silence: {effect: keep}}\n", "P360D", 5, 5, id="it ends keeping"),
        pytest.param("retention: {silence: {effect: keep}}\n", "P355D", 0, 0, id="it is the end"),
        pytest.param("", "P360D", 0, 5, id="it ends hiding"),
        pytest.param("", "P2Y", 0, 7, id="it is later than silence"),
        pytest.param("retention: {silence: {effect: erase}}\n", "P360D", 0, 0, id="silence first"),
        pytest.param(LEGALLY + "silence: {effect: keep}}\n", "P360D", 5, 5, id="before the legal"),
        pytest.param(LEGALLY + "silence: {effect: keep}}\n", "P2Y", 10, 10, id="behind the legal"),
        pytest.param(LEGALLY + "silence: {after: P9D}}\n", "P360D", 0, 5, id="of all three"),
    ],
)  # fmt: skip
def test_silence_outlasts_no_maximum_of_the_subject(
    text: str, own: str | None, hidden: int | None, erased: int | None
) -> None:
    """Where nobody answers, the stricter of silence, the legal maximum and the subject's wins."""
    since = NOW - timedelta(days=355)
    policy = mine(text)
    tags = marks(policy.retention, wish(maximum=own) if own else NO_PREFERENCES)
    assert bool(tags) is (own is not None)
    found = fate(policy, "sensitive", NOW, since, ("pii:person", *tags))
    days = [None if d is None else NOW + timedelta(days=d) for d in (hidden, erased)]
    assert [found.hidden_at, found.erased_at] == days


@pytest.mark.parametrize(
    ("wished", "text", "tag"),
    [
        (wish(maximum="P30D"), "", ("own-maximum:P30D",)),
        (wish(maximum="indefinite"), "", ()),
        (wish(categories={"health": "P2D"}), "", ()),
        (wish(maximum="P30D", pinned=True), "", ("own-maximum:P30D",)),
        (wish(maximum="P30D", pinned=True), "retention: {pin_overrides_maximum: true}\n", ()),
        (wish(maximum="P30D"), "extends: builtin/never-forget\n", ()),
    ],
    ids=["span", "for ever", "of a category", "pinned", "a pin goes first", "nothing ends"],
)  # fmt: skip
def test_the_own_maximum_is_remembered_with_what_it_bounds(
    wished: Preferences, text: str, tag: tuple[str, ...]
) -> None:
    """A tag tells it, where it counts at all."""
    decision = kept(mine(text), "health", preferences=wished)
    assert tuple(each for each in decision.tags if each.startswith("own-")) == tag


def test_never_forget_sets_no_expiry() -> None:
    """Whatever the category, the wish or the source."""
    policy = load("builtin/never-forget")
    for category in policy.retention.categories:
        decision = kept(policy, category, inherited_expiry=NOW, preferences=wish(maximum="P1D"))
        assert (decision.expires_at, decision.prompt_at) == (None, None)


def test_preferences_survive_json(gdpr: Policy) -> None:
    """What is written reads back equal."""
    wishes = wish(
        maximum="P1Y",
        categories={"health": "P7D"},
        exceptions=frozenset({"ent_1"}),
        pinned=True,
        refused_types=frozenset({"STREET_ADDRESS"}),
        refused_categories=frozenset({"location"}),
        denied_purposes=frozenset({"marketing"}),
        sharing=False,
        unshared=frozenset({"professional"}),
    )
    assert read(gdpr, write(wishes)) == wishes
    assert read(gdpr, write(Preferences())) == Preferences()


@pytest.mark.parametrize(
    ("wishes", "path"),
    [
        ({"maximun": "P1Y"}, "maximun"),
        ({"maximum": 30}, "maximum"),
        ({"maximum": "30 days"}, "maximum"),
        ({"maximum": "P0D"}, "maximum"),
        ({"pinned": "yes"}, "pinned"),
        ({"refused_types": "PERSON"}, "refused_types"),
        ({"refused_types": ["PERSONN"]}, "refused_types"),
        ({"refused_categories": ["helth"]}, "refused_categories"),
        ({"refused_categories": ["other"]}, "refused_categories"),
        ({"denied_purposes": ["nothing"]}, "denied_purposes"),
        ({"unshared": ["nothing"]}, "unshared"),
        ({"categories": ["health"]}, "categories"),
        ({"categories": {"helth": "P7D"}}, "categories.helth"),
        ({"categories": {"health": "P2Y"}}, "categories.health"),
        ({"categories": {"health": "7d"}}, "categories.health"),
    ],
)
def test_wishes_that_make_no_sense_are_refused(
    gdpr: Policy, wishes: dict[str, Any], path: str
) -> None:
    """Unknown keys, wrong types, unknown names and wishes beyond a bound."""
    with pytest.raises(PreferenceError) as caught:
        read(gdpr, wishes)
    assert [issue.path for issue in caught.value.errors] == [path]


def test_a_fallback_stays_within_the_categorys_bound() -> None:
    """Without consent the fallback tier applies, but never beyond the maximum."""
    policy = mine(
        "retention: {categories: {relationships:"
        " {tier: long_term, default: P20D, maximum: P30D}}}\n"
    )
    assert kept(policy, "relationships", consents=LONG).expires_after == "P20D"
    assert kept(policy, "relationships").expires_after == "P30D"
