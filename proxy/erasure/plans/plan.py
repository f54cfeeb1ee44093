"""What is to be done with each memory found: pure decisions, and the digest that binds them."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Relation = Literal["direct", "derived", "near_duplicate", "summary", "shared", "mixed"]
Role = Literal["author", "about", "mentioned"]
Action = Literal["delete", "redact", "regenerate", "hold", "keep"]

Row = tuple[str, bytes, str, str]  # store, pseudonym, relation, action

_SHOWN = {"derived": "indirect"}
INDIRECT = frozenset({"derived", "summary", "near_duplicate"})
REWRITES = frozenset({"redact", "regenerate"})
FORMER = "older_version"
PARTIAL = "partial"
DOUBTFUL = "doubtful"  # may mean somebody else, so it stays
BARE_NAMES = "bare_names"  # of those: under owners who do not know the whole name
OF_NAMESAKES = "of_namesakes"
INDEPENDENT = "independent"  # of those: made from what goes, and another person's by their name
UNDER_WAY = "under_way"  # writes; what they bring is looked at before the erasure ends
DRAWN_BESIDE = "drawn_beside"  # of those: by a store's model, from a chat that mentions it
DESCRIBED = "described"  # of those: as somebody's relative, as whom is forgotten is told of
IDENTIFIERS = "unclear_identifiers"  # of those: written anew, with one in fields beside the text
UNREAD_LANGUAGES = "other_languages"  # of those: in languages in which the target is not told
NAMESAKE = "namesake"  # kept under an owner said to be another person of the name
KEPT = "kept_on_request"  # it says nothing but what the requester wants to keep
REWRITTEN = "partially_redacted"  # the tag of what was written anew as something was to be kept
INSEPARABLE = "inseparable"  # what was to be kept cannot be said without what goes


@dataclass(frozen=True, slots=True)
class Edge:
    """A memory's source within the found set or outside it."""

    source: str
    contribution: str  # primary | context | inference


@dataclass(frozen=True, slots=True)
class Finding:
    """One memory as the planner sees it, without its text.

    Args:
        key: unique within the plan.
        direct: found by id, owner, mention, category or time.
        near_duplicate: says nothing beyond a direct one.
        alike: says in other words what a direct one says, and names nobody.
        primary: what is forgotten is what it is mainly about.
        role: whether the data subject wrote it, it is about them, or it only addresses them.
        mixed: it also holds what is not to be forgotten.
        shared: it belongs to someone who is not the data subject.
        independent: another person's name opens it, and it does not mention the forgotten one.
        whole: for whose it is, or for being named itself, whatever it says: nothing replaces it.
        kept: something that the requester wants to keep is in it.
        entire: and nothing else, so it stays as it is.
        namesake: it is kept under an owner who was not chosen, and may be of that person.
        former: only an older version of it mentions what is forgotten.
        edges: what it was derived from.
        held: code of a hold that is in force.
        restricted: it may only be kept (GDPR Art. 18), whatever a store's client asks.
    """

    key: str
    direct: bool = False
    near_duplicate: bool = False
    alike: bool = False
    primary: bool = True
    role: Role = "about"
    mixed: bool = False
    shared: bool = False
    independent: bool = False
    whole: bool = False
    kept: bool = False
    entire: bool = False
    namesake: bool = False
    former: bool = False
    edges: tuple[Edge, ...] = ()
    held: str | None = None
    restricted: bool = False

    @property
    def repeats(self) -> bool:
        """Whether it is concerned for what it says alone."""
        return self.near_duplicate or self.alike


@dataclass(frozen=True, slots=True)
class Rules:
    """The part of the policy's erasure section that plans depend on, with choices applied."""

    derived: str = "delete"
    mixed: str = "delete"
    shared: str = "delete"
    inferences: str = "explicit"
    scope: str = "any_mention"
    only_direct: bool = False
    partial: bool = False  # something is to be kept: whole deletion of mixed ones is no option


@dataclass(frozen=True, slots=True)
class Decided:
    """What happens to one memory, and why."""

    key: str
    relation: Relation
    action: Action
    depth: int = 0
    reason: str | None = None
    sources: tuple[str, ...] = ()  # the surviving ones that a regeneration is made from
    role: Role = "about"

    @property
    def cascades(self) -> bool:
        """Whether what derives from it is affected: not from an item that only says "hey Jon"."""
        spared = self.action == "keep" or self.reason == FORMER
        return not spared and self.role != "mentioned"


def decide(findings: Sequence[Finding], rules: Rules) -> list[Decided]:
    """Decide on every finding: direct ones first, then along provenance to any depth.

    Keys in edges that no finding has are sources that stay.
    """
    known = {finding.key: finding for finding in findings}
    decided = {f.key: _direct(f, rules) for f in findings if f.direct or f.repeats}
    depth = 0
    while not rules.only_direct:
        depth += 1
        level = [f for f in findings if f.key not in decided and _reached(f, decided)]
        if not level:
            break
        decided |= {f.key: _derived(f, decided, rules, depth) for f in level}
    decided = _settle_sources(known, decided, rules)
    return [_with_hold(decided[f.key], f) for f in findings if f.key in decided]


class Digesting:
    """Digest of an exact plan that is read in parts; equal plans have equal digests."""

    def __init__(self) -> None:
        self._found, self._first = hashlib.sha256(b"[["), True

    def add(self, rows: Iterable[Row]) -> None:
        """Take in the next items: (upstream, pseudonym of the memory id, relation, action).

        Args:
            rows: all of them behind those before, in the order of their values.
        """
        for upstream, ref, relation, action in sorted(rows):
            row = _canonical([upstream, ref.hex(), relation, action])
            self._found.update(row if self._first else b"," + row)
            self._first = False

    def end(self, *, scope: str, target: str, policy_digest: str, away: Sequence[str] = ()) -> str:
        """The digest of all of it.

        Args:
            scope: primary or any_mention.
            target: the target's pseudonym.
            policy_digest: digest of the policy that the plan was made under.
            away: stores that could not be read for it.
        """
        more = [sorted(away)] if away else []
        self._found.update(b"]," + _canonical([scope, target, policy_digest, *more])[1:])
        return f"sha256:{self._found.hexdigest()}"


def digest(decided: Iterable[Row], *, scope: str, target: str, policy_digest: str) -> str:
    """The same of a plan that is at hand as a whole, in any order."""
    digesting = Digesting()
    digesting.add(decided)
    return digesting.end(scope=scope, target=target, policy_digest=policy_digest)


def _canonical(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).encode()


@dataclass(slots=True)
class Tally:
    """What a plan comes to, counted item by item."""

    counted: Counter[str] = field(default_factory=Counter)
    relations: Counter[str] = field(default_factory=Counter)
    roles: Counter[str] = field(default_factory=Counter)

    def add(self, item: Decided) -> None:
        """Count one item."""
        self.relations[group_of(item.relation)] += 1
        if item.action == "keep":
            self.counted["kept"] += 1
            if item.reason == KEPT:
                self.counted[KEPT] += 1
            if item.reason == NAMESAKE:
                self.counted.update((DOUBTFUL, OF_NAMESAKES))
            if item.reason == INDEPENDENT:
                self.counted.update((DOUBTFUL, INDEPENDENT))
            return
        self.count(item.relation, item.action)
        if item.reason == INSEPARABLE:
            self.counted[INSEPARABLE] += 1
        if item.depth == 0:
            self.roles[item.role] += 1

    def count(self, relation: str, action: str, number: int = 1) -> None:
        """Count items that are to be dealt with."""
        group = group_of(relation)
        for name in ("found", _SHOWN.get(group, group), f"to_{action}"):
            self.counted[name] += number

    @property
    def counts(self) -> dict[str, int]:
        """The four groups of a preview, and what would happen."""
        groups = ("found", "direct", "indirect", "shared", "mixed")
        return {name: self.counted[name] for name in groups} | dict(self.counted)

    def questions(self, settings: Mapping[str, str]) -> list[dict[str, Any]]:
        """Which decisions the policy leaves to a person, for the items at hand."""
        return [
            {
                "code": "choose_action",
                "id": name,
                "relation": name,
                "items": self.relations[name],
                "options": ["delete", "redact", "regenerate"],
            }
            for name, setting in settings.items()
            if setting == "ask" and self.relations[name]
        ]


def group_of(relation: str) -> str:
    """Under which of the groups of a preview a relation counts, and is asked about."""
    return "derived" if relation in INDIRECT else relation


def _direct(finding: Finding, rules: Rules) -> Decided:
    relation, action, reason = _direct_fate(finding, rules)
    depth = 1 if relation == "near_duplicate" else 0
    return Decided(finding.key, relation, action, depth, reason, role=finding.role)


def _direct_fate(finding: Finding, rules: Rules) -> tuple[Relation, Action, str | None]:
    if (aside := _set_aside(finding, rules)) is not None:
        return aside
    if finding.near_duplicate and not finding.direct:
        return "near_duplicate", "delete", None
    if finding.alike and not finding.direct:
        return "near_duplicate", *_alike(finding)
    if rules.partial and finding.kept:
        return "mixed", _partial(rules), PARTIAL
    if finding.shared:
        return "shared", _action(rules.shared), None
    if finding.mixed or finding.role == "mentioned":
        return "mixed", _action(rules.mixed), None
    return "direct", "delete", None


def _set_aside(finding: Finding, rules: Rules) -> tuple[Relation, Action, str] | None:
    """What becomes of a memory whose text of today stays, whatever it mentions."""
    if finding.namesake:
        return "mixed", "keep", NAMESAKE
    if finding.former:
        return "mixed", "regenerate", FORMER
    if rules.partial and finding.entire and finding.direct:
        return "direct", "keep", KEPT
    if rules.scope == "primary" and not finding.primary:
        return "mixed", "keep", "not_primary"
    return None


def _alike(finding: Finding) -> tuple[Action, str]:
    """What only means the same goes, unless it is another person's or about another person."""
    others = finding.shared or finding.independent
    return ("keep" if others else "delete"), "same_meaning"


def _partial(rules: Rules) -> Action:
    return "redact" if rules.mixed == "redact" else "regenerate"


def _action(setting: str) -> Action:
    match setting:
        case "redact":
            return "redact"
        case "regenerate":
            return "regenerate"
        case _:
            return "delete"


def _reached(finding: Finding, decided: Mapping[str, Decided]) -> bool:
    return any(_touches(edge, decided) for edge in finding.edges)


def _touches(edge: Edge, decided: Mapping[str, Decided]) -> bool:
    source = decided.get(edge.source)
    return source is not None and source.cascades


def _survives(edge: Edge, decided: Mapping[str, Decided]) -> bool:
    """Whether something of a source stays: untouched, or written anew without the erased part."""
    source = decided.get(edge.source)
    return source is None or not source.cascades or source.action in REWRITES


def _derived(finding: Finding, decided: Mapping[str, Decided], rules: Rules, depth: int) -> Decided:
    relation: Relation = "summary" if len(finding.edges) > 1 else "derived"
    if finding.shared:
        relation = "shared"
    gone = [edge for edge in finding.edges if _touches(edge, decided)]
    left = [edge.source for edge in finding.edges if _survives(edge, decided)]
    action, reason = _fate(finding, gone, left, rules)
    return Decided(finding.key, relation, action, depth, reason, tuple(left))


def _fate(
    finding: Finding, gone: Sequence[Edge], left: Sequence[str], rules: Rules
) -> tuple[Action, str | None]:
    if rules.inferences != "strict" and finding.independent:
        return "keep", INDEPENDENT
    inferred = all(edge.contribution == "inference" for edge in gone)
    if inferred and rules.inferences == "keep":
        return "keep", "inference_kept"
    if inferred and rules.inferences == "explicit" and left:
        return "keep", "supported_elsewhere"
    if not left:
        return "delete", None
    return _action(rules.shared if finding.shared else rules.derived), None


def _settle_sources(
    known: Mapping[str, Finding], decided: Mapping[str, Decided], rules: Rules
) -> dict[str, Decided]:
    """Let every derived one see the final fate of all its sources, until nothing changes."""
    settled = dict(decided)
    for _ in range(len(decided) + 1):
        again = {
            key: _with_sources(known[key], item, settled, rules) for key, item in settled.items()
        }
        if again == settled:
            break
        settled = again
    return settled


def _with_sources(
    finding: Finding, item: Decided, decided: Mapping[str, Decided], rules: Rules
) -> Decided:
    if item.depth and not finding.repeats:
        return _derived(finding, decided, rules, item.depth)
    if finding.former or finding.whole:
        return item
    if finding.direct and finding.edges and item.relation in {"direct", "mixed", "summary"}:
        return _stated(finding, item, decided, rules)
    return item


def _stated(
    finding: Finding, item: Decided, decided: Mapping[str, Decided], rules: Rules
) -> Decided:
    """A derived memory that itself mentions what is erased, with sources that stay."""
    left = tuple(edge.source for edge in finding.edges if _survives(edge, decided))
    if item.action == "keep" or rules.derived not in REWRITES or not left:
        return item
    return replace(item, relation="summary", action=_action(rules.derived), sources=left)


def _with_hold(item: Decided, finding: Finding) -> Decided:
    if item.action == "keep":
        return item
    if finding.restricted:
        return replace(item, action="keep", reason="restricted")
    if finding.held is None:
        return item
    return replace(item, action="hold", reason=finding.held)
