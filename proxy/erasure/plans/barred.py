"""By which names somebody who is forgotten is blocked, and which texts those names would hide."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from proxy.erasure.search.resolve import Aim
from proxy.erasure.texts.mentions import Needles
from proxy.tokens.index.blocked import would_be_found
from proxy.tokens.index.spelling import Name, is_bare, is_initialled, may_be_blocked


@dataclass(frozen=True, slots=True)
class Barred:
    """Names that are blocked.

    Args:
        wide: for every owner, but as an erasure within one owner asks.
        borne: others bear them too; only for owners who knew the person.
    """

    needles: Needles
    wide: tuple[Name, ...]
    borne: tuple[Name, ...]

    def under(self, called: Collection[str]) -> list[Name]:
        """The names for one owner more.

        Args:
            called: short names that mean the person there; then no other word of a name does.
        """
        short = [name for name in (*self.borne, *filter(is_initialled, self.wide))
                 if not (called and self.needles.is_part(name.text))]  # fmt: skip
        return [*short, *map(Name, sorted(called))]


def barred(aim: Aim, needles: Needles) -> Barred:
    """The names that an erasure blocks."""
    rivals = aim.rivals
    borne_by = [each for each in needles.surfaces if each not in aim.target.words]
    own = [text for text in borne_by if rivals is None or not rivals.bear(text)]
    named = [Name(text, needles.blocked_as(text)) for text in own]
    named += [Name(text, younger=True) for text in needles.surfaces
              if rivals is not None and rivals.bear(text) and rivals.are_elders(text)]  # fmt: skip
    borne = tuple(name for name in named if needles.is_part(name.text) or is_bare(name))
    return Barred(needles, tuple(name for name in named if name not in borne), borne)


def would_hide(aim: Aim, called: Collection[str], texts: Sequence[str]) -> list[bool]:
    """Whether each text would be hidden from its readers, once the names are blocked.

    Args:
        called: short names that mean the person under the owner of the texts.
    """
    target = aim.target
    if aim.needles is None or target.scope == "primary" or target.bearers:
        return [False] * len(texts)
    names = barred(aim, aim.needles)
    wide = [name for name in names.wide if may_be_blocked(name, None)]
    here = [name for name in names.under(called) if may_be_blocked(name, "")]
    return would_be_found([*wide, *here], texts)
