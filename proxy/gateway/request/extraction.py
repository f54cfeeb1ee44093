"""Reading a memory empty: how many different items an owner sees, and queries that ask for all.

The attack is a search that says it lost its examples and asks for every earlier record (MEXTRA);
its defence is a budget of distinct items in a sliding window and a look at the query's words.
"""

import json
import unicodedata
from collections import defaultdict
from collections.abc import Collection
from importlib import resources

import re2

from policies.access import Budget, extraction
from proxy.gateway.exchange import Exchange
from proxy.gateway.services import GatewayServices
from proxy.problems import Problem
from proxy.telemetry import metrics

EVENT = "read.extraction_suspected"
SUSPICIOUS = 0.6
SIGNS = "extraction_signs.json"

_WEIGHTS = {
    "all": 0.2,  # how much
    "store": 0.3,  # of what: words for what a memory holds as such
    "talk": 0.2,  # or words that mean other things as well
    "before": 0.2,  # since when, or whose
    "dump": 0.2,  # what is to be done with it
    "list": 0.1,
    "turn": 0.3,  # away from the question, or into another channel
    "narrow": -0.2,  # it is about something after all
    "topic": -0.4,  # and says so
    "own": -0.3,  # it is what the speaker told or put there
    "wide": 0.0,  # it is about everybody, or whoever asks: nothing narrows it
}
_NARROWS = frozenset({"narrow", "topic", "wide"})
_OF_A_STORE = frozenset({"store", "talk", "before"})  # without any it is about something else
_NOT_ALL = -0.2  # whoever reads a memory empty says how much; a question seldom does
_ALIKE = str.maketrans({"ł": "l", "ß": "ss", "ı": "i", "ø": "o"})
_LONGEST = 4000  # code points that are looked at, from the beginning and from the end
_WITHOUT_SPACES = frozenset({"ja", "ko", "zh"})  # or with endings that hang on to the word
_EDGE = r"[^\pL\d]"  # of a word in any letters; "\b" knows only those of English


def _compiled() -> tuple[re2.Set, list[tuple[str, str]]]:
    """Every sign of every language in one automaton, and which of which language each is.

    The file has for each language and sign the words, without accents.
    """
    signs_of = json.loads(resources.files(__package__).joinpath(SIGNS).read_text("utf-8"))
    options = re2.Options()
    options.max_mem = 64 << 20  # for its states: without room it would find nothing
    found, meanings = re2.Set.SearchSet(options), []
    for language, signs in signs_of.items():
        for sign, listed in signs.items():
            words = f"(?:{_plain('|'.join(listed))})"
            spaced = language not in _WITHOUT_SPACES
            found.Add(f"(?:^|{_EDGE}){words}(?:{_EDGE}|$)" if spaced else words)
            meanings.append((language, sign))
    found.Compile()
    return found, meanings


def _plain(text: str) -> str:
    """Lower case, without accents, one space between words."""
    apart = unicodedata.normalize("NFKD", text.lower().translate(_ALIKE))
    return " ".join("".join(c for c in apart if not unicodedata.combining(c)).split())


def asks_for_everything(query: str) -> float:
    """How much a query reads like an attempt to get at the stored records, in [0, 1]."""
    ends = query if len(query) <= 2 * _LONGEST else f"{query[:_LONGEST]} {query[-_LONGEST:]}"
    signs: dict[str, set[str]] = defaultdict(set)
    for index in _SIGNS.Match(_plain(ends)) or ():
        language, sign = _MEANINGS[index]
        signs[language].add(sign)
    return max(map(_score, signs.values()), default=0.0)


def _score(signs: set[str]) -> float:
    """What the signs of one language add up to, in [0, 1]."""
    if _OF_A_STORE.isdisjoint(signs):
        return 0.0
    counted = signs - _NARROWS if "wide" in signs else signs
    total = sum(map(_WEIGHTS.__getitem__, counted)) + (0.0 if "all" in signs else _NOT_ALL)
    return round(min(1.0, max(0.0, total)), 3)


_SIGNS, _MEANINGS = _compiled()


async def check_query(exchange: Exchange, services: GatewayServices) -> None:
    """Look at a search before it is sent.

    Raises:
        Problem: ``rate-limited`` where the policy refuses such reads.
    """
    budget = extraction(exchange.policy)
    words = " ".join(text.text for text in exchange.texts if text.role == "query")
    if budget is not None and asks_for_everything(words) >= SUSPICIOUS:
        await _suspect(exchange, services, budget, "query")


async def check_items(
    exchange: Exchange, services: GatewayServices, refs: Collection[bytes]
) -> None:
    """Count what an answer shows against the budget of each reader; as ``check_query``."""
    budget = extraction(exchange.policy)
    if budget is None or not refs:
        return
    readers = [(exchange.tenant_id, owner.upstream_id) for owner in exchange.owners]
    for reader in readers or [(exchange.tenant_id, exchange.caller.key_id)]:
        if services.seen.add(reader, refs, budget, exchange.now) > budget.distinct_items:
            await _suspect(exchange, services, budget, "budget")


async def _suspect(
    exchange: Exchange, services: GatewayServices, budget: Budget, sign: str
) -> None:
    metrics.EXTRACTIONS.labels(sign).inc()
    fields = {"sign": sign, "refused": budget.refuse, "upstream": exchange.binding.name}
    await services.ledger.write(
        lambda tx: services.audit.append(tx, exchange.tenant_id, EVENT, fields)
    )
    exchange.flagged = True
    if budget.refuse:
        raise Problem(
            "rate-limited",
            "More of the memory was asked for than the policy lets one reader see.",
            retry_after=60,
            upstream="sent" if exchange.sent else "not_sent",
        )
