"""Owners that are, or may be, whom is forgotten: by what their ids hold."""

import asyncio
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Literal
from urllib.parse import unquote

from detectors.identity.keys import PERSON_TYPES
from detectors.identity.names import person_tokens, without_particles
from detectors.words.folding import ascii_form, expand_umlauts, fold
from proxy.erasure.search.crawl import stores_of
from proxy.erasure.search.find import restored, searchable
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import Holder, all_places, holders, of_place, places_of
from proxy.erasure.search.resolve import Aim, forgets_everywhere
from proxy.erasure.search.target import ALL, NONE, Target
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.surfaces import shape
from proxy.erasure.view import OWNER_ID, CandidateView
from proxy.problems import Problem
from proxy.tokens.forms.views import views
from proxy.upstreams.store import Item

MOST_JOINED = 3
LEAST_JOINED = 6
GENERIC = frozenset(
    {
        "user", "usr", "u", "customer", "cust", "client", "member", "person", "account", "acct",
        "auth", "id", "uid",
    }
)  # fmt: skip
HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
COMPACT = re.compile(r"[\W_]+")
DIGITS = tuple(str.maketrans("01345789", f"o{one}eastbg") for one in "il")
LETTERS = re.compile(r"[^\W\d_]+")

Why = Literal["is_the_name", "holds_the_name", "given_name_only"]


@dataclass(frozen=True, slots=True)
class Alike:
    """An owner whose id holds the name and more: whether it is the person's is to be asked."""

    id: str
    holder: Holder
    why: Why
    memories: int
    names_them: bool

    @property
    def view(self) -> CandidateView:
        """As it is asked; the id itself is the hint, which no row keeps."""
        return CandidateView(self.id, OWNER_ID, self.memories, self.holder.client_id, self.why)


async def with_owners(means: Means, aim: Aim) -> Aim:
    """The aim with the owners that go because their id is the name, or because they were chosen.

    Where it was not said yet which of those whose id holds more than the name are meant, or where
    the answer names another one, they are the candidates. Those not chosen are ``spared``: they
    may go on.

    Raises:
        StoreUnavailable, StoreUnknown: a store does not say whose memories it holds.
    """
    needles = aim.needles if forgets_everywhere(aim.target) else None
    own = needles.of_ids() if needles else None
    if own is None or needles is None:
        return aim
    known = {each.key for each in (*aim.wholes, *aim.spared)}
    every = [each for each in await _everybody(means, aim) if each.key not in known]
    judged = await asyncio.to_thread(_judged, own, every)
    sure = tuple(each for each, why in judged if why == "is_the_name")
    aim = replace(aim, wholes=(*aim.wholes, *sure))
    unread = "holds_the_name" if aim.target.owners == NONE else None
    held = tuple(each for each, why in judged if why == unread)
    found = [
        await _looked_at(means, aim, own, each, why)
        for each, why in judged
        if why not in ("is_the_name", unread)
    ]
    found = [each for each in found if _is_named(aim, each) or _worth_asking(needles, each)]
    if aim.target.owners == NONE:
        return replace(aim, spared=(*aim.spared, *held, *(each.holder for each in found)))
    return _answered(aim, found)


def _is_named(aim: Aim, found: Alike) -> bool:
    """Whether the answer names it, whether or not it would have been asked about."""
    return not {*(aim.target.owners or ())}.isdisjoint(_names(found))


def _answered(aim: Aim, found: Sequence[Alike]) -> Aim:
    given = aim.target.owners
    met = {n for each in found for n in _names(each)}
    met |= {n for each in (*aim.wholes, *aim.spared) for n in (_opaque(aim, each), each.client_id)}
    unmet = given not in (None, ALL) and not {*given} <= met
    if given is None or unmet:
        return replace(aim, candidates=tuple(each.view for each in found), unmet=unmet)
    chosen = [each for each in found if given == ALL or not {*given}.isdisjoint(_names(each))]
    spared = (*aim.spared, *(each.holder for each in found if each not in chosen))
    wholes = (*aim.wholes, *(each.holder for each in chosen))
    return replace(aim, wholes=wholes, spared=spared)


def answered(
    target: Target, offered: Mapping[str, str], entity_ids: Sequence[str], owners: Sequence[str]
) -> Target:
    """The target with the answer to what was asked.

    Args:
        offered: types of the candidates by their ids.
        entity_ids: candidates of either kind, ``all`` of them, or ``none`` of the owners.
        owners: owners that are meant: candidates, owner ids, ``all`` or ``none``.

    Raises:
        Problem: ``invalid-request`` for what was not asked about.
    """
    chosen = tuple(offered if list(entity_ids) == ["all"] else entity_ids)
    asked_of_owners = OWNER_ID in offered.values()
    if asked_of_owners and chosen == NONE:
        chosen, owners = (), NONE
    if not {*chosen} <= {*offered}:
        raise Problem("invalid-request", "Choose among the candidates.")
    if asked_of_owners and chosen:
        return replace(target, owners=(*chosen, *owners))
    target = target.choose(chosen) if chosen else target
    return replace(target, owners=tuple(owners)) if owners else target


def _names(found: Alike) -> tuple[str, str]:
    return found.id, found.holder.client_id


async def _everybody(means: Means, aim: Aim) -> list[Holder]:
    """Every owner of the tenant, those that only a store knows included."""
    found = {each.key: each for each in await holders(means, aim.tenant_id)}
    for store in stores_of(means, aim):
        places = await all_places(means, aim.tenant_id, aim.names, store, aim.alone)
        strange = [of_place(place, store) for place in places if place.row is None]
        found = {each.key: each for each in strange} | found
    return sorted(found.values(), key=lambda each: (each.kind, each.client_id, each.upstream or ""))


# -- by the id -------------------------------------------------------------------------------------


def _judged(own: Needles, every: Sequence[Holder]) -> list[tuple[Holder, Why]]:
    names = [words for each in own.surfaces if (words := _words(each, own.entity_type))]
    names += [kept for words in names if 1 < len(kept := without_particles(words, 1)) < len(words)]
    hints = _hints(own)
    likely = [each for each in every if _may_resemble(each.client_id, hints)]
    pairs = ((each, resemblance(own, names, each.client_id)) for each in likely)
    return [(each, why) for each, why in pairs if why is not None]


def _hints(own: Needles) -> frozenset[str]:
    """Letters of which an id must hold some to be read at all, in any spelling of them."""
    words = [word for each in own.surfaces for word in _pieces(each) if len(word) > 1]
    forms = {form(word) for word in words for form in (ascii_form, expand_umlauts)}
    return frozenset(COMPACT.sub("", each) for each in {*forms, *map(ascii_form, forms)})


def _pieces(surface: str) -> list[str]:
    return [surface.lower()] if shape(surface) else person_tokens(surface)


def _may_resemble(identifier: str, hints: frozenset[str]) -> bool:
    """Rule most ids out without taking them apart; what is in other letters stays."""
    if not identifier.isascii():
        return True
    read = {COMPACT.sub("", each.text.lower()) for each in views(identifier)}
    read |= {each.translate(digits) for each in read for digits in DIGITS}
    return any(not each.isascii() or hint in each for each in read for hint in hints)


def resemblance(own: Needles, names: Sequence[Sequence[str]], identifier: str) -> Why | None:
    """How an owner id resembles whom is forgotten, if it does.

    Args:
        own: how mentions are recognised: whole names and addresses only.
        names: the words of each whole name of a person, given name first.
        identifier: the id; ``rosten`` and ``lodestar`` hold neither word of Sten Lode.
    """
    if own.is_id(identifier):
        return "is_the_name"
    words = id_words(identifier)
    if (own.sure(identifier) and _personal(own)) or any(_holds(words, each) for each in names):
        return "holds_the_name"
    left = [word for word in words if word not in GENERIC]
    return "given_name_only" if any(left == [each[0]] for each in names) else None


def id_words(identifier: str) -> list[str]:
    """The folded words of an id, however they are set apart: ``user:StenLode-42``."""
    plain = HUMP.sub(" ", unicodedata.normalize("NFKC", unquote(identifier)))
    return [ascii_form(fold(match[0])) for match in LETTERS.finditer(plain)]


def _holds(words: Sequence[str], name: Sequence[str]) -> bool:
    """Whether all words of a name are among those of an id, apart or joined in any order."""
    if set(name) <= set(words):
        return True
    if len(name) > MOST_JOINED or sum(map(len, name)) < LEAST_JOINED:
        return False
    return any("".join(order) in words for order in permutations(name))


def _words(surface: str, entity_type: str | None) -> list[str]:
    """The words of a whole name of somebody; initials and addresses have none."""
    words = [ascii_form(word) for word in person_tokens(surface)]
    named = entity_type in PERSON_TYPES or all(word[:1].isupper() for word in surface.split())
    whole = named and shape(surface) is None and all(len(word) > 1 for word in words)
    return words if whole and len(words) > 1 else []


def _personal(own: Needles) -> bool:
    if own.entity_type is not None:
        return True
    return any(shape(each) or _words(each, None) for each in own.surfaces)


# -- by what is kept under it ----------------------------------------------------------------------


async def _looked_at(means: Means, aim: Aim, own: Needles, holder: Holder, why: Why) -> Alike:
    memories, named = 0, False
    for store in stores_of(means, aim):
        for place in places_of([holder], aim.names, store):
            items = [item async for item in store.crawl(place.scope)]
            memories += len(items)
            named = named or await _named(means, aim.tenant_id, own, items)
    return Alike(_opaque(aim, holder), holder, why, memories, named)


def _opaque(aim: Aim, holder: Holder) -> str:
    name = aim.names.of("owner-alike", holder.kind, holder.client_id, holder.upstream or "")
    return f"own_{name.hex()}"


async def _named(means: Means, tenant_id: str, own: Needles, items: Iterable[Item]) -> bool:
    texts = await restored(means, tenant_id, [searchable(item) for item in items])
    return await asyncio.to_thread(lambda: any(map(own.mentioned, texts)))


def _worth_asking(needles: Needles, found: Alike) -> bool:
    """A given name alone may be anybody's: it counts with the full name, or if nobody else has it.

    It is among what the person is called only if the index knows nobody else by it.
    """
    if found.why != "given_name_only":
        return True
    if found.names_them:
        return True
    numbered = any(map(str.isdigit, found.holder.client_id))
    called = {ascii_form(fold(each)) for each in needles.surfaces}
    words = [word for word in id_words(found.holder.client_id) if word not in GENERIC]
    return not numbered and called.issuperset(words)
