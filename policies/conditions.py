"""The conditions of rules as small tests, each asked once per decision however many rules ask."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from policies.decision import Context
from policies.durations import as_utc
from policies.schema.write import Condition

Labels = frozenset[str]
Test = Callable[[Context, Labels], bool]
Named = tuple[tuple[object, ...], Test]


@dataclass(slots=True)
class Conditions:
    """The distinct conditions of a policy; a rule needs some of them, as bits of a mask."""

    default_purpose: str | None
    tests: list[tuple[int, Test]] = field(default_factory=list)
    _bits: dict[tuple[object, ...], int] = field(default_factory=dict)

    def mask(self, when: Condition) -> int:
        """The bits that must be set for a rule to apply."""
        needed = 0
        for name, test in _conditions(when, self.default_purpose):
            if name not in self._bits:
                self._bits[name] = 1 << len(self.tests)
                self.tests.append((self._bits[name], test))
            needed |= self._bits[name]
        return needed


def _conditions(when: Condition, default_purpose: str | None) -> Iterator[Named]:
    """The conditions a rule gives, each named by what it asks."""
    if when.categories:
        categories = frozenset(when.categories)
        yield ("categories", categories), lambda _, labels: not categories.isdisjoint(labels)
    if when.consent:
        given = frozenset(when.consent)
        yield ("consent", given), lambda context, _: given <= context.consents
    if when.no_consent:
        absent = frozenset(when.no_consent)
        yield ("no_consent", absent), lambda context, _: absent.isdisjoint(context.consents)
    yield from _words(when, default_purpose)
    yield from _others(when)


def _words(when: Condition, default: str | None) -> Iterator[Named]:
    if when.purposes:
        purposes = frozenset(when.purposes)
        yield ("purposes", purposes), lambda context, _: (context.purpose or default) in purposes
    if when.regions:
        regions = frozenset(region.casefold() for region in when.regions)
        yield ("regions", regions), lambda context, _: (context.region or "").casefold() in regions
    if when.sources:
        sources = frozenset(when.sources)
        yield ("sources", sources), lambda context, _: context.source in sources
    if when.languages:
        languages = frozenset(when.languages)
        yield ("languages", languages), lambda context, _: context.language in languages
    if when.owners:
        yield ("owners", frozenset(when.owners)), _owner_test(when.owners)


def _owner_test(owners: tuple[str, ...]) -> Test:
    """Ids are compared letter by letter; only a whole `*` after the kind stands for any.

    One of a text's owners is enough: most have a user and a run, or an agent, beside them.
    """
    exact = frozenset(owner for owner in owners if not owner.endswith(":*"))
    kinds = tuple(owner[:-1] for owner in owners if owner.endswith(":*"))

    def test(context: Context, _: Labels) -> bool:
        return any(owner in exact or owner.startswith(kinds) for owner in context.owners)

    return test


def _others(when: Condition) -> Iterator[Named]:
    if when.infer is not None:
        infer = when.infer
        yield ("infer", infer), lambda context, _: context.infer is infer
    if when.older_than is not None:
        age = when.older_than

        def old(context: Context, _: Labels) -> bool:
            made = context.content_at
            return made is not None and age.after(made) < as_utc(context.at)

        yield ("older_than", age), old
