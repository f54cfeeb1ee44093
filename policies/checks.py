"""Faults that only show when the parts of a policy are seen together."""

from collections.abc import Callable, Iterable, Iterator

from policies import suggest
from policies.durations import INDEFINITE, Duration
from policies.gates import EVERY_CATEGORY
from policies.generalise import forms
from policies.schema import CATEGORIES, ENTITY_TYPES, Document
from policies.schema.detection import ROUTES
from policies.schema.erasure import CHANNELS, METHODS
from policies.schema.retention import CategoryRetention
from policies.schema.write import EntityRule, TextRule
from policies.shadow import FileOf, Shadow, shadowed_entities, shadowed_texts
from policies.yaml_tree import Path

Fault = tuple[Path, str, str]
Origin = Callable[[Path], str]
_LONGEST_GRACE_DAYS = 30
_ENTITIES: Path = ("write", "entities")
_TEXTS: Path = ("write", "texts")
_REST = "other"  # what is in no category goes by this word; no text is found to be in it
_OF_YOUR_OWN = "a rule of write.texts gives texts a category of your own"


def faults(document: Document, origin: Origin) -> Iterator[Fault]:
    """Path, message and suggestion of each fault; ``origin`` tells the file of a path."""
    for name in sorted(set(document.detection.routes) - set(ROUTES)):
        yield _unknown(("detection", "routes", name), "kind of route", name, ROUTES)
    yield from _rule_faults(document)
    yield from _shadow_faults(document, origin)
    yield from _tier_faults(document)
    yield from _category_faults(document, origin)
    yield from _handling_faults(document)
    yield from _read_faults(document)
    yield from _identify_faults(document)
    if document.erasure.grace.rank > _LONGEST_GRACE_DAYS * 86_400:
        yield ("erasure", "grace"), "longer than 30 days is no erasure any more", "at most P30D"


def _identify_faults(document: Document) -> Iterator[Fault]:
    for channel, methods in document.erasure.identify.items():
        path = ("erasure", "identify", channel)
        if channel not in CHANNELS:
            yield _unknown(path, "channel", channel, CHANNELS)
        if not methods:
            yield path, "no way of identification would do", "name one, or leave the channel out"
        yield from _listed(path, "way of identification", methods, METHODS)


def _unknown(path: Path, what: str, word: str, known: Iterable[str], hint: str = "") -> Fault:
    return path, f"there is no {what} {word}", suggest.nearest(word, known) or hint


def _listed(
    path: Path, what: str, words: Iterable[str], known: Iterable[str], hint: str = ""
) -> Iterator[Fault]:
    names = set(known)
    for index, word in enumerate(words):
        if word not in names:
            yield _unknown((*path, index), what, word, names, hint)


def known_categories(document: Document) -> set[str]:
    """The built-in categories and those the policy gives a retention or assigns by a rule."""
    return {*CATEGORIES, *document.retention.categories, *_given(document)}


def _given(document: Document) -> set[str]:
    return {name for rule in document.write.texts for name in rule.categories}


def _rule_faults(document: Document) -> Iterator[Fault]:
    write = document.write
    rules: list[tuple[Path, EntityRule | TextRule]] = [
        *((("write", "entities", i), rule) for i, rule in enumerate(write.entities)),
        *((("write", "texts", i), rule) for i, rule in enumerate(write.texts)),
    ]
    seen: set[str] = set()
    for path, rule in rules:
        if rule.id in seen or rule.id == "default":
            yield (*path, "id"), "another rule has this id", "ids are unique in a policy"
        seen.add(rule.id)
        yield from _references(document, path, rule)
        yield from _at_reading(path, rule)
        if isinstance(rule, EntityRule):
            yield from _parameters(path, rule)


def _shadow_faults(document: Document, origin: Origin) -> Iterator[Fault]:
    hint = "move it up, narrow the other, or remove it"
    lists: tuple[tuple[Path, Iterable[Shadow]], ...] = (
        (_ENTITIES, shadowed_entities(document.write.entities, _file_of(_ENTITIES, origin))),
        (_TEXTS, shadowed_texts(document.write.texts, _file_of(_TEXTS, origin))),
    )
    for path, shadows in lists:
        for index, message in shadows:
            yield (*path, index), message, hint


def _file_of(path: Path, origin: Origin) -> FileOf:
    return lambda index: origin((*path, index))


def _references(document: Document, path: Path, rule: EntityRule | TextRule) -> Iterator[Fault]:
    when, here = rule.when, (*path, "when")
    yield from _listed(
        (*here, "categories"), "category", when.categories, known_categories(document), _OF_YOUR_OWN
    )
    consents = document.consent.names
    hint = "list it in consent.names"
    yield from _listed((*here, "consent"), "consent", when.consent, consents, hint)
    yield from _listed((*here, "no_consent"), "consent", when.no_consent, consents, hint)
    yield from _listed(
        (*here, "purposes"),
        "purpose",
        when.purposes,
        document.read.purposes,
        "list it in read.purposes",
    )
    if both := sorted(set(when.consent) & set(when.no_consent)):
        yield here, f"{both[0]} cannot be given and missing at once", "remove one of the two"
    if rule.tier is not None and rule.tier not in document.retention.tiers:
        yield _unknown((*path, "tier"), "tier", rule.tier, document.retention.tiers)
    if isinstance(rule, EntityRule):
        yield from _types(document, (*here, "entities"), rule.when.entities)


_NOT_READ = ("entities", "sources", "languages", "infer")


def _at_reading(path: Path, rule: EntityRule | TextRule) -> Iterator[Fault]:
    """What comes back is judged by what is known of the memory, and not looked through anew."""
    if "read" not in rule.when.operations:
        return
    for name in _NOT_READ:
        if getattr(rule.when, name, None) not in (None, [], ()):
            hint = "give categories, owners or purposes, or leave out 'read'"
            yield (*path, "when", name), "cannot be told of what is read", hint


def _types(document: Document, path: Path, types: Iterable[str]) -> Iterator[Fault]:
    known = {*ENTITY_TYPES, *document.write.custom_types, "*"}
    yield from _listed(
        path,
        "entity type",
        types,
        known,
        "list types of your own recognisers in write.custom_types",
    )


_PARAMETERS = {"replacement": "replace", "mask": "mask", "to": "generalise"}


def _parameters(path: Path, rule: EntityRule) -> Iterator[Fault]:
    for name, action in _PARAMETERS.items():
        if getattr(rule, name) is not None and rule.action != action:
            yield (*path, name), f"has no effect with the action {rule.action}", f"use {action}"
    types = rule.when.entities
    if rule.to and "*" not in types and not any(rule.to in forms(name) for name in types):
        usual = sorted({form for name in types for form in forms(name)})
        hint = f"these types can become {', '.join(usual)}" if usual else "use redact"
        yield (*path, "to"), f"{', '.join(types)} cannot become a {rule.to}", hint
    if rule.action == "replace" and rule.replacement is None:
        yield path, "replace needs a replacement", "add replacement, or use redact"


def _tier_faults(document: Document) -> Iterator[Fault]:
    section = document.retention
    here: Path = ("retention", "tiers")
    if section.default_tier not in section.tiers:
        name = section.default_tier
        hint = f"say how long things are kept: retention: {{tiers: {{{name}: {{duration: P1Y}}}}}}"
        yield _unknown(("retention", "default_tier"), "tier", name, section.tiers, hint)
    for name, tier in section.tiers.items():
        if tier.fallback is not None and tier.fallback not in section.tiers:
            yield _unknown((*here, name, "fallback"), "tier", tier.fallback, section.tiers)
        elif tier.explicit_consent and not _settles(document, name):
            yield (*here, name), "needs consent, and no fallback works without it", "add fallback"
        if tier.fallback is not None and not tier.explicit_consent:
            yield (*here, name, "fallback"), "has no effect without explicit_consent", ""
        if tier.auto_delete and tier.user_prompted:
            yield (*here, name), "is erased without asking, yet asks", "choose one of the two"
        yield from _positive((*here, name, "duration"), tier.duration)
    if any(t.explicit_consent for t in section.tiers.values()):
        yield from _listed_one(("retention", "consent"), section.consent, document)


def _listed_one(path: Path, consent: str, document: Document) -> Iterator[Fault]:
    if consent not in document.consent.names:
        yield _unknown(path, "consent", consent, document.consent.names, "list it in consent.names")


def _settles(document: Document, name: str) -> bool:
    tiers, seen = document.retention.tiers, set()
    while name in tiers and tiers[name].explicit_consent and name not in seen:
        seen.add(name)
        name = tiers[name].fallback or name
    return name in tiers and not tiers[name].explicit_consent


def _positive(path: Path, duration: Duration) -> Iterator[Fault]:
    if duration.rank == 0:
        yield path, "nothing can be kept for no time", "write session, or reject it by a rule"


def _category_faults(document: Document, origin: Origin) -> Iterator[Fault]:
    section = document.retention
    known = known_categories(document)
    for name, rule in section.categories.items():
        here: Path = ("retention", "categories", name)
        if name == _REST and name not in _given(document):
            yield here, "nothing is found to be in it", "say it by retention.default_tier"
        if rule.tier not in section.tiers:
            yield _unknown((*here, "tier"), "tier", rule.tier, section.tiers)
            continue
        yield from _types(document, (*here, "types"), rule.types)
        yield from _bounds(document, here, rule, origin)
    for label in (*document.residency.local_only, *document.consent.required):
        if label not in known:
            path: Path = ("consent", "required", label)
            if label in document.residency.local_only:
                path = ("residency", "local_only")
            yield _unknown(path, "category", label, known, _OF_YOUR_OWN)


def _own(origin: Origin, *paths: Path) -> Path:
    """The first of the paths that stands in the author's file, not in one it extends."""
    return next((path for path in paths if origin(path) == origin(())), paths[0])


def _bounds(
    document: Document, here: Path, rule: CategoryRetention, origin: Origin
) -> Iterator[Fault]:
    duration = rule.default or document.retention.tiers[rule.tier].duration
    yield from _positive((*here, "maximum"), rule.maximum)
    if rule.default is not None:
        yield from _positive((*here, "default"), rule.default)
    if duration.rank > rule.maximum.rank:
        path = _own(origin, (*here, "maximum"), (*here, "default"))
        message = f"the maximum, {rule.maximum}, is less than the default, {duration}"
        yield path, message, "shorten the default or raise the maximum"
    legal = document.retention.legal_maximum
    path = (*here, "default")
    own = origin(path) == origin(())  # what is inherited, the legal maximum just shortens
    if own and legal is not None and legal.rank < duration.rank < INDEFINITE.rank:
        yield path, f"is more than the legal maximum, {legal}", f"at most {legal}"


def _handling_faults(document: Document) -> Iterator[Fault]:
    for name, rule in document.consent.required.items():
        path: Path = ("consent", "required", name, "consent")
        yield from _listed(
            path, "consent", rule.consent, document.consent.names, "list it in consent.names"
        )
    for name, recipient in document.notifications.recipients.items():
        if recipient.url is None and recipient.contact is None:
            here: Path = ("notifications", "recipients", name)
            yield here, "needs a url or a contact", "add one of them"


def _read_faults(document: Document) -> Iterator[Fault]:
    read, known = document.read, known_categories(document)
    if read.default_purpose is not None and read.default_purpose not in read.purposes:
        yield _unknown(("read", "default_purpose"), "purpose", read.default_purpose, read.purposes)
    for name, purpose in read.purposes.items():
        yield from _listed(
            ("read", "purposes", name, "deny"),
            "category",
            purpose.deny,
            {*known, EVERY_CATEGORY},
            _OF_YOUR_OWN,
        )
    path: Path = ("read", "export", "confirm")
    yield from _listed(path, "category", read.export.confirm, known, _OF_YOUR_OWN)
