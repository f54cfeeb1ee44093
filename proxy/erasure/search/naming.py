"""How whom or what a target names is recognised: all names, tokens and usable short forms."""

from collections.abc import Collection, Sequence

from detectors.identity.keys import PERSON_TYPES, are_namesakes
from detectors.identity.names import halves_of, significant
from detectors.identity.phones import has_country
from detectors.words.abbreviations import without_titles
from detectors.words.folding import fold
from detectors.words.namelists import is_name, is_ordinary
from detectors.words.titles import HONORIFICS
from proxy.erasure.search.means import Means
from proxy.erasure.search.target import Target
from proxy.erasure.texts.attribute_words import ATTRIBUTE
from proxy.erasure.texts.attributes import merged
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.surfaces import PERSON, RELATIONSHIP, is_person, shape
from proxy.erasure.texts.words import is_full_name
from proxy.ledger import entities
from proxy.tokens.forms.inflection import in_other_cases
from proxy.tokens.vault import Mention

SHORTEST_SHORT_FORM = 3
MAX_SHORT_FORMS = 40


async def needles_of(
    means: Means, tenant_id: str, target: Target, entity_ids: Sequence[str]
) -> Needles | None:
    """How mentions of whom or what a target names are recognised; None for other targets."""
    if not target.named:
        return None
    if target.kind == "attribute":
        return Needles.build(merged(target.attributes).words, entity_type=ATTRIBUTE)
    forms = await means.vault.surface_forms(tenant_id, entity_ids) if entity_ids else []
    tokens = await means.ledger.read(lambda tx: means.vault.tokens_of(tx, tenant_id, entity_ids))
    forms = forms if target.entity_ids else _of_the_name(forms, target.values)
    given = [*(target.words or target.values), *forms]
    kind = await _type(means, tenant_id, target, entity_ids)
    if not entity_ids and not target.relation:
        asked = [Mention(shape(each) or kind or PERSON, each) for each in target.values]
        tokens = [*tokens, *sorted(await means.vault.unrecorded_tokens(tenant_id, asked))]
    if is_person(kind):
        given += await _short_forms(means, tenant_id, given, entity_ids)
    if kind == "PHONE_NUMBER":
        given = [each for each in given if has_country(each)] or given
    relations = target.words if is_person(kind) else ()
    return Needles.build(given, tokens=tokens, entity_type=kind, relations=relations)


def _of_the_name(forms: Sequence[str], asked: Sequence[str]) -> list[str]:
    """Without what may be another's: older releases took Anna von Berg and Anna Berg for one."""
    return [form for form in forms if not any(are_namesakes(form, name) for name in asked)]


async def _type(
    means: Means, tenant_id: str, target: Target, entity_ids: Sequence[str]
) -> str | None:
    """What the names are said to be, else what the index takes them for, if it knows them.

    A word for what somebody is to others is nobody's name, and a name no such word. The same words
    may be known as several things, one of them by a slip of detection; if one of them is a person,
    they are a person's.
    """
    said = target.entity_type
    if target.relation:
        return PERSON if target.indexed else RELATIONSHIP
    if said is not None:
        return PERSON if said in PERSON_TYPES else said
    rows = await means.ledger.read(lambda tx: entities.by_id(tx, tenant_id, entity_ids))
    types = [rows[each].entity_type for each in entity_ids if each in rows]
    if not types:
        known = await means.vault.known_mentions(tenant_id, target.values)
        types = [str(found[0].entity_type) for found in known if found]
    if not types and any(map(is_full_name, target.values)):
        return PERSON
    return next((each for each in types if each in PERSON_TYPES), next(iter(types), None))


async def _short_forms(
    means: Means, tenant_id: str, given: Collection[str], entity_ids: Collection[str]
) -> list[str]:
    """Single words of the full names, unless the index knows someone else by them."""
    words = {word for name in given for word in _words_of(name)}
    halves = halves_of(given)
    words = {word for word in words if fold(word) not in halves}
    usable = []
    for word in sorted(words)[:MAX_SHORT_FORMS]:
        found = await means.vault.resolve(tenant_id, word, entity_type="PERSON")
        others = {*found.certain, *(each.entity_id for each in found.possible)} - {*entity_ids}
        if not others or await _only_called(means, tenant_id, sorted(others), word, given):
            usable.append(word)
    return usable


def _words_of(name: str) -> list[str]:
    """The words of a longer name that name somebody alone: no ``Officer``, no ``A-12``."""
    told = significant(name)
    words = without_titles(name, HONORIFICS).split()
    written = [word.strip(".,;:") for word in words] if len(told) > 1 else []
    return [
        word for word in written
        if not any(map(str.isdigit, word))
        and len(word) >= SHORTEST_SHORT_FORM and word[:1].isupper() and fold(word) not in HONORIFICS
        and (word != written[0] or is_name(fold(word)) or not is_ordinary(fold(word)))
    ]  # fmt: skip


async def _only_called(
    means: Means, tenant_id: str, entity_ids: Sequence[str], word: str, given: Collection[str]
) -> bool:
    """Whether nobody among them has more of a name than the word itself, or than was asked for."""
    forms = await means.vault.surface_forms(tenant_id, entity_ids)
    names = (word, *given)
    ours = [significant(each) for each in (*names, *in_other_cases(names))]
    return all(significant(_capitalised(form)) in ours for form in forms)


def _capitalised(form: str) -> str:
    """Without what detection took for a part of a name: ``Kolk fietst``."""
    words = form.split()
    while len(words) > 1 and words[-1].islower():
        words.pop()
    return " ".join(words)
