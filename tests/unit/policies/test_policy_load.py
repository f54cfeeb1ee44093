"""Loading: every fault is found, placed and explained; nothing loads partly."""

from pathlib import Path

import pytest

from policies import Policy, PolicyError, PolicyIssue, builtin_names, load, load_text
from policies.policy import resolved

HEAD = "apiVersion: expunge/v1\nkind: Policy\nname: mine\n"


def faults(text: str, head: str = HEAD) -> list[PolicyIssue]:
    """The faults of a policy text; fails if it loads."""
    with pytest.raises(PolicyError) as caught:
        load_text((head + text).encode(), "mine.yaml")
    return list(caught.value.errors)


def rule(text: str) -> str:
    """A policy with these entity rules."""
    return f"write:\n  entities:\n{text}"


PERSON_RULE = "    - {id: a, when: {entities: [PERSON]}, action: tag}\n"


@pytest.mark.parametrize("name", builtin_names())
def test_every_builtin_loads(name: str) -> None:
    """What we ship is valid."""
    assert f"builtin/{load(name).name}" == name


def test_a_duplicate_key_names_both_lines() -> None:
    """The last one never wins silently."""
    (fault,) = faults("retention: {session_limit: P30D}\nretention: {session_limit: P10Y}\n")
    assert (fault.line, fault.path) == (5, "retention")
    assert "lines 4 and 5" in fault.message


def test_a_duplicate_rule_names_both_lines() -> None:
    """Two rules of one id in a file are an error, also where the id is inherited."""
    people = "    - {id: people, when: {entities: [PERSON]}, action: tag}\n"
    messages = [f.message for f in faults(rule(people + people))]
    assert any("lines 6 and 7" in message for message in messages)
    assert any("id" in f.path for f in faults(rule(PERSON_RULE + PERSON_RULE)))


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        ("retention: {session_limit: 010}", "retention.session_limit", "the number 10"),
        ("retention: {session_limit: 22:30}", "retention.session_limit", "not an ISO 8601"),
        ("retention: {session_limit: 1.10}", "retention.session_limit", "the number 1.1"),
        ("retention: {automatic: off}", "retention.automatic", "write false"),
        ("retention: {automatic: yes}", "retention.automatic", "write true"),
        ('retention: {automatic: "true"}', "retention.automatic", "true or false"),
        ("retention: {consent: 007}", "retention.consent", "put it in quotes"),
        ("write: {max_characters: '5'}", "write.max_characters", "whole number"),
        ("write: {max_characters: 1.5}", "write.max_characters", "whole number"),
        ("write: {max_characters: true}", "write.max_characters", "whole number"),
        ("write: {category_threshold: 1.5}", "write.category_threshold", "at most"),
        ("write: {max_characters: 0}", "write.max_characters", "at least"),
        ("write: [a]", "write", "a mapping, found a list"),
        ("write:", "write", "a mapping, found nothing"),
        ("write: {languages: en}", "write.languages", "a list, found a word"),
        ("write: {languages: [no, no]}", "write.languages", "does not fit"),
        ("write: {languages: [12]}", "write.languages[0]", "put it in quotes"),
        ("read: {unknown: hidden}", "read.unknown", "did you mean hide?"),
        ("raed: {}", "raed", "did you mean read?"),
        ("read: {max-items: 5}", "read.max-items", "did you mean max_items?"),
        ("description: 2026-11-27\nextends: 5", "extends", "put it in quotes"),
        ("retention: {session_limit: 30 days}", "retention.session_limit", "write P30D"),
        ("retention: {prompt_before: session}", "retention.prompt_before", "span of time"),
        ("retention: {tiers: {x: {duration: forever}}}", "retention.tiers.x.duration",
         "write indefinite"),
        ("retention: {tiers: {x: {duration: P0D}}}", "retention.tiers.x.duration", "no time"),
        ("retention: {tiers: {X: {duration: P1D}}}", "retention.tiers.X", "not written"),
        ("retention: {tiers: {x: {}}}", "retention.tiers.x.duration", "missing"),
        ("retention: {legal_maximum: P9999Y}", "retention.legal_maximum", "9999"),
        ("erasure: {identify: {e_mail: [document]}}", "erasure.identify.e_mail",
         "did you mean email?"),
        ("erasure: {identify: {email: [documents]}}", "erasure.identify.email[0]",
         "did you mean document?"),
        ("erasure: {identify: {letter: []}}", "erasure.identify.letter", "name one"),
        ("erasure: {grace: P31D}", "erasure.grace", "at most P30D"),
        ("poisoning: {checks: [instructions]}", "poisoning.checks[0]", "did you mean instruction?"),
        ("poisoning: {release_after: PT0S}", "poisoning.release_after", "no time at all"),
        ("read: {detokenise_roles: [ap]}", "read.detokenise_roles[0]", "did you mean app?"),
        ("read: {extraction: {window: P0D}}", "read.extraction.window", "no time at all"),
        ("retention: {session_limit: PT0M}", "retention.session_limit", "no time at all"),
        ("notifications: {recipients: {a: {contact: x, events: [erasur]}}}",
         "notifications.recipients.a.events[0]", "did you mean erasure?"),
        *((f"notifications: {{recipients: {{a: {{contact: x, url: '{url}'}}}}}}",
           "notifications.recipients.a.url", said) for url, said in (
            ("ftp://x.example", "only https:// is called"),
            ("http://crm.example.org/hook", "only https:// is called"),
            ("http://127.0.0.1:9/hook", "only https:// is called"),
            ("https://", "names no host"), ("https://a b.example", "names no host"),
            ("https://[", "no URL"), ("https://crm.example.org:x", "no URL"),
            ("https://me:word@crm.example.org", "with a user in it"),
            *((f"https://{host}/hook", "only hosts with a public address") for host in (
                "127.0.0.1", "localhost:8443", "crm.localhost", "10.0.0.7", "[::1]",
                "169.254.169.254", "[ff02::1]")),
        )),
        ("write: {languages: [english]}", "write.languages[0]", "not written as it must be"),
        ("write: {languages: [EN]}", "write.languages[0]", "not written as it must be"),
        ("write: {languages: []}", "write.languages", "the least is 1"),
        ("write: {mark: '[{typ}]'}", "write.mark", "the only placeholder is {type}"),
        *((f"write: {{texts: [{{id: a, action: tag, when: {{owners: ['{owner}']}}}}]}}",
           "write.texts[0].when.owners[0]", "not written as it must be")
          for owner in ("u-17", "usr:17", "user:ab*", "user:")),
    ],
)  # fmt: skip
def test_wrong_values_are_refused_with_a_suggestion(text: str, path: str, words: str) -> None:
    """Strict types: nothing is converted, each fault says where and what was meant."""
    found = faults(text)
    assert [fault.path for fault in found] == [path]
    assert words in str(found[0])
    assert found[0].line >= 4


def test_other_is_a_category_where_a_rule_gives_it() -> None:
    """As any word of one's own."""
    text = "write: {texts: [{id: a, action: tag, categories: [other], when: {sources: [x]}}]}\n"
    more = "retention: {categories: {other: {tier: short_term, maximum: P7D}}}\n"
    assert (
        load_text((HEAD + text + more).encode()).retention.categories["other"].maximum.text == "P7D"
    )


@pytest.mark.parametrize(
    "text",
    ["poisoning: {trusted_sources: ['no', off]}", "description: 2026-11-27",
     "description: 22:30", "description: off", "description: no"],
)  # fmt: skip
def test_words_that_look_like_something_else_stay_words(text: str) -> None:
    """YAML 1.2: `no`, `off`, dates and times are text where text is wanted."""
    load_text((HEAD + text).encode())


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        (rule("    - {id: a, when: {entities: [CREDIT_CRAD]}, action: tag}"),
         "write.entities[0].when.entities[0]", "did you mean CREDIT_CARD?"),
        (rule("    - {id: a, when: {entities: [PERSON], categories: [helth]}, action: tag}"),
         "write.entities[0].when.categories[0]", "did you mean health?"),
        *((text, path, "a rule of write.texts gives texts a category of your own")
          for path, text in {
            "write.entities[0].when.categories[0]": rule(
                "    - {id: a, when: {entities: [PERSON], categories: [other]}, action: tag}"),
            "read.purposes.a.deny[0]": "read: {purposes: {a: {deny: [other]}}}",
            "read.export.confirm[0]": "read: {export: {confirm: [other]}}",
            "consent.required.other": "consent: {required: {other: {consent: [biometric]}}}",
            "residency.local_only": "residency: {local_only: [other]}",
        }.items()),
        ("retention: {categories: {other: {tier: short_term, maximum: P7D}}}",
         "retention.categories.other", "nothing is found to be in it"),
        (rule("    - {id: a, when: {entities: [PERSON], consent: [home_adress]}, action: tag}"),
         "write.entities[0].when.consent[0]", "did you mean home_address?"),
        (rule("    - {id: a, when: {entities: [PERSON], no_consent: [x]}, action: tag}"),
         "write.entities[0].when.no_consent[0]", "list it in consent.names"),
        (rule("    - {id: a, when: {entities: [PERSON], consent: [biometric],"
              " no_consent: [biometric]}, action: tag}"),
         "write.entities[0].when", "at once"),
        (rule("    - {id: a, when: {entities: [PERSON], purposes: [marketin]}, action: tag}"),
         "write.entities[0].when.purposes[0]", "did you mean marketing?"),
        (rule("    - {id: a, tier: short, when: {entities: [PERSON]}, action: tag}"),
         "write.entities[0].tier", "short_term"),
        (rule("    - {id: a, replacement: x, when: {entities: [PERSON]}, action: tag}"),
         "write.entities[0].replacement", "no effect"),
        (rule("    - {id: a, mask: {}, when: {entities: [PERSON]}, action: redact}"),
         "write.entities[0].mask", "no effect"),
        (rule("    - {id: a, when: {entities: [PERSON]}, action: replace}"),
         "write.entities[0]", "replacement"),
        (rule("    - {id: default, when: {entities: [PERSON]}, action: tag}"),
         "write.entities[0].id", "another rule"),
        (rule("    - {id: a, when: {entities: []}, action: tag}"),
         "write.entities[0].when.entities", "too short"),
        ("write: {texts: [{id: a, when: {}, action: mask}]}", "write.texts[0].action",
         "must be one of"),
        (rule("    - {id: a, when: {entities: [PERSON], operations: [write, read]}, action: tag}"),
         "write.entities[0].when.entities", "of what is read"),
        ("write: {texts: [{id: a, when: {operations: [read], languages: [de]}, action: reject}]}",
         "write.texts[0].when.languages", "of what is read"),
        ("write: {texts: [{id: a, when: {operations: [read], infer: false}, action: reject}]}",
         "write.texts[0].when.infer", "of what is read"),
        ("read: {default_purpose: asistant}", "read.default_purpose", "did you mean assistant?"),
        ("read: {purposes: {x: {deny: [heath]}}}", "read.purposes.x.deny[0]", "health"),
        ("read: {export: {confirm: [heath]}}", "read.export.confirm[0]", "health"),
        ("retention: {default_tier: lng_term}", "retention.default_tier", "long_term"),
        ("retention: {consent: ever}", "retention.consent", "list it in consent.names"),
        ("retention: {categories: {health: {tier: sensitiv}}}",
         "retention.categories.health.tier", "sensitive"),
        ("retention: {categories: {health: {default: P2Y}}}",
         "retention.categories.health.default", "raise the maximum"),
        ("retention: {categories: {health: {types: [MEDICATON]}}}",
         "retention.categories.health.types[0]", "MEDICATION"),
        ("retention: {legal_maximum: P7D, categories: {health: {default: P8D}}}",
         "retention.categories.health.default", "at most P7D"),
        ("retention: {tiers: {medium_term: {explicit_consent: true}}}",
         "retention.tiers.long_term", "fallback"),
        ("retention: {tiers: {short_term: {fallback: sensitive}}}",
         "retention.tiers.short_term.fallback", "no effect"),
        ("retention: {tiers: {short_term: {user_prompted: true}}}",
         "retention.tiers.short_term", "without asking"),
        ("retention: {tiers: {nothing: null}}", "retention.tiers.nothing", "to remove"),
        ("residency: {local_only: [biometrics]}", "residency.local_only", "biometric"),
        ("consent: {required: {helth: {consent: [biometric]}}}", "consent.required.helth",
         "health"),
        ("consent: {required: {health: {consent: [biometrc]}}}",
         "consent.required.health.consent[0]", "biometric"),
        ("notifications: {recipients: {x: {}}}", "notifications.recipients.x", "url"),
        (rule("    - {id: nothing, remove: true}"), "write.entities[0]", "to remove"),
        (rule("    - {id: a, when: {entities: [AGE]}, action: generalise, to: city}"),
         "write.entities[0].to", "these types can become band"),
        (rule("    - {id: a, when: {entities: [PERSON]}, action: generalise, to: city}"),
         "write.entities[0].to", "use redact"),
    ],
)  # fmt: skip
def test_faults_between_the_parts_are_found(text: str, path: str, words: str) -> None:
    """Unknown names, settings without effect, impossible bounds: at load, not in production."""
    found = faults(text)
    assert path in [fault.path for fault in found]
    assert words in "\n".join(map(str, found))


@pytest.mark.parametrize(
    ("first", "second", "reachable"),
    [
        ("entities: [PERSON]", "entities: [PERSON]", False),
        ("entities: [PERSON]", "entities: [PERSON, URL]", False),
        ('entities: ["*"]', "entities: [URL]", False),
        ("entities: [PERSON]", "entities: [PERSON], regions: [EU]", False),
        ("entities: [PERSON], regions: [EU, US]", "entities: [PERSON], regions: [EU]", False),
        ("entities: [PERSON], min_score: 0.5", "entities: [PERSON], min_score: 0.6", False),
        ("entities: [PERSON], older_than: P1D", "entities: [PERSON], older_than: P2D", False),
        ("entities: [URL], owners: ['user:*']", "entities: [URL], owners: ['user:42']", False),
        ("entities: [URL], owners: ['user:*']", "entities: [URL], owners: ['run:4']", True),
        ("entities: [URL], owners: ['user:4']", "entities: [URL], owners: ['user:*']", True),
        ("entities: [PERSON], min_score: 0.6", "entities: [PERSON]", True),
        ("entities: [PERSON], regions: [EU]", "entities: [PERSON], regions: [US]", True),
        ("entities: [PERSON], regions: [EU]", "entities: [PERSON]", True),
        ("entities: [URL]", "entities: [PERSON]", True),
        ("entities: [PERSON], consent: [biometric]", "entities: [PERSON]", True),
        ("entities: [PERSON], infer: true", "entities: [PERSON], infer: false", True),
        ("entities: [PERSON], older_than: P2D", "entities: [PERSON], older_than: P1D", True),
        ("entities: [PERSON], operations: [search]", "entities: [PERSON]", True),
    ],
)
def test_a_rule_that_can_never_fire_is_an_error(first: str, second: str, reachable: bool) -> None:
    """An earlier rule that takes everything hides a later one; a narrower one does not."""
    text = rule(
        f"    - {{id: a, when: {{{first}}}, action: tag}}\n"
        f"    - {{id: b, when: {{{second}}}, action: redact}}\n"
    )
    if reachable:
        assert load_text((HEAD + text).encode())
    else:
        (fault,) = faults(text)
        assert "always goes to a" in fault.message


def test_a_text_rule_that_can_never_fire_is_an_error() -> None:
    """The same for rules about whole texts."""
    texts = "write:\n  texts:\n    - {id: a, when: {}, action: tag}\n"
    again = "    - {id: b, when: {regions: [EU]}, action: reject}\n"
    (fault,) = faults(texts + again)
    assert "all go to a" in fault.message


def test_a_rule_may_hide_an_inherited_one() -> None:
    """That is what changing a policy means."""
    text = rule('    - {id: mine, when: {entities: ["*"]}, action: redact}\n')
    policy = load_text((HEAD + text).encode())
    assert policy.write.entities[0].id == "mine"


def test_all_faults_come_at_once() -> None:
    """Syntax of values, names, bounds and duplicates are reported together, in order."""
    found = faults(
        "retention:\n  automatic: off\n  default_tier: lng\n"
        "erasure: {grace: P40D, grace: P1D}\nwrite: {defualt_action: tag}\n"
    )
    assert [fault.line for fault in found] == [5, 6, 7, 7, 8]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "empty"),
        (b"# only a comment\n", "empty"),
        (b"null", "empty"),
        (b"- a\n", "mapping"),
        (b"word", "mapping"),
        (b"a: [", "cannot be read"),
        (b"a:\n\t- b\n", "cannot be read"),
        (b"a: 1\n---\nb: 2\n", "one document"),
        (b"\xff\xfe", "UTF-8"),
        (b"a: &x [*x]\n", "too deep"),
        (b"a: !!python/object:os.system x\n", "tags"),
        (b"a: !mine x\n", "tags"),
        (b"1: x\n", "key must be a word"),
        (b"a: " + b"[" * 200 + b"]" * 200, "too deep"),
        (b"x" * 5_000_000, "too large"),
        (b"a: \x00\n", ""),
    ],
)
def test_what_is_not_a_policy_is_refused(raw: bytes, words: str) -> None:
    """Empty, binary, hostile and half-finished files are errors, never defaults."""
    with pytest.raises(PolicyError) as caught:
        load_text(raw)
    assert words in str(caught.value)


def test_many_aliases_do_not_fill_the_memory() -> None:
    """A few lines that expand to millions of values are stopped early."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(PolicyError) as caught:
        load_text("\n".join(lines).encode())
    assert "too deep" in str(caught.value)


def test_an_empty_mapping_lacks_what_it_needs() -> None:
    """`{}` is not a policy: it says what is missing."""
    with pytest.raises(PolicyError) as caught:
        load_text(b"{}")
    assert {fault.path for fault in caught.value.errors} == {"apiVersion", "kind", "name"}


def test_a_policy_with_a_name_only_is_the_default_policy() -> None:
    """Without `extends` a policy changes gdpr-default; the effective defaults can be shown."""
    policy = load_text(HEAD.encode())
    default = load("builtin/gdpr-default")
    assert policy.write == default.write
    assert policy.digest != default.digest
    assert resolved(policy)["retention"]["tiers"]["sensitive"]["duration"] == "P30D"


def test_a_policy_from_nothing_redacts_what_it_does_not_name() -> None:
    """`extends: none` without rules lets no detection pass in clear."""
    tiers = "retention: {default_tier: t, tiers: {t: {duration: P1D}}}\n"
    policy = load_text((HEAD + "extends: none\n" + tiers).encode())
    assert policy.write.default_action == "redact"


def test_a_policy_from_nothing_must_say_how_long() -> None:
    """The one thing that has no default; the hint is what helps."""
    with pytest.raises(PolicyError) as caught:
        load_text((HEAD + "extends: none\n").encode())
    (issue,) = caught.value.errors
    hint = "retention: {tiers: {long_term: {duration: P1Y}}}"
    assert issue.message == "there is no tier long_term"
    assert issue.suggestion == f"say how long things are kept: {hint}"
    policy = load_text(f"{HEAD}extends: none\n{hint}\n".encode())
    assert (policy.write.default_action, policy.retention.default_tier) == ("redact", "long_term")


def test_a_missing_file_is_named_with_the_nearest_builtin(tmp_path: Path) -> None:
    """A typing error in a builtin's name, and a file that is not there."""
    with pytest.raises(PolicyError, match="did you mean builtin/gdpr-default"):
        load("builtin/gdpr-defualt")
    with pytest.raises(PolicyError, match="cannot be read"):
        load(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize(
    ("stem", "meant"),
    [("never-forgot", "did you mean builtin/never-forget"), ("acme", "give a file, or one of")],
)
def test_a_missing_file_is_compared_by_its_own_name(tmp_path: Path, stem: str, meant: str) -> None:
    """What every builtin's name begins with makes no file similar to one."""
    with pytest.raises(PolicyError, match=meant):
        load(tmp_path / f"{stem}.yaml")


def test_no_other_file_can_be_reached_from_text() -> None:
    """A policy posted to the service extends builtin policies only."""
    (fault,) = faults("extends: /etc/passwd\n")
    assert fault.path == "extends"
    assert faults("extends: builtin/../../secrets\n")


def test_the_digest_follows_the_effect(tmp_path: Path) -> None:
    """Comments, order of keys and descriptions do not change it; values do."""
    same = load_text((HEAD + "# note\ndescription: other words\n").encode())
    plain = load_text(HEAD.encode())
    other = load_text((HEAD + "read: {max_items: 999}\n").encode())
    assert same.digest == plain.digest
    assert other.digest != plain.digest
    assert plain.digest.startswith("sha256:")


def test_a_policy_never_changes_and_travels_to_other_processes() -> None:
    """Sections refuse changes; pickling gives an equal policy."""
    import pickle

    policy: Policy = load("builtin/gdpr-default")
    with pytest.raises(Exception, match="frozen"):
        policy.read.max_items = 5
    with pytest.raises(TypeError):
        policy.retention.tiers["x"] = policy.retention.tiers["short_term"]  # type: ignore[index]
    copy = pickle.loads(pickle.dumps(policy))
    assert copy == policy
    assert copy.digest == policy.digest


@pytest.mark.parametrize(
    "raw", [b"\xef\xbb\xbf" + HEAD.encode(), HEAD.replace("\n", "\r\n").encode()]
)
def test_files_from_other_editors_load(raw: bytes) -> None:
    """A byte-order mark and Windows line ends change nothing."""
    assert load_text(raw).digest == load_text(HEAD.encode()).digest


def test_lines_and_columns_point_at_the_key() -> None:
    """Counted from one, in code points, comments and empty lines included."""
    (fault,) = faults("# größe 😀\n\nread:\n    {max_items: 5, unknwon: hide}\n")
    assert (fault.line, fault.column, fault.path) == (7, 20, "read.unknwon")
    assert str(fault).startswith(
        "mine.yaml:7:20: read.unknwon: unknown key (did you mean unknown?)"
    )


def test_equal_policies_are_equal_and_can_be_keys() -> None:
    """Two loads of one file are one policy."""
    assert load("builtin/gdpr-default") == load("builtin/gdpr-default")
    assert len({load("builtin/gdpr-default"), load("builtin/gdpr-default")}) == 1
