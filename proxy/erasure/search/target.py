"""What an erasure is about: the request as given, its checks, and its sealed form."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, cast, get_args

from proxy.erasure.texts.addressed import is_role, without_role
from proxy.erasure.texts.attributes import ATTRIBUTES, attribute_named
from proxy.erasure.texts.several import spelled_otherwise
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms

TargetKind = Literal[
    "owner", "entity", "memory", "category", "tag", "time_range", "tenant", "subject", "attribute"
]
Scope = Literal["any_mention", "primary"]
Origin = Literal["control", "client", "sweeper", "agent"]
OwnerKind = Literal["user", "agent", "run", "app"]

BEARER = "brr_"  # how the ids of those begin whom only the memories tell apart
KIND = "knd_"  # and those of kinds of things: of a name that may be a person's or a city's
WORD = "wrd_alone"  # the answer that a relation asked for means nobody by name
ALL, NONE = ("all",), ("none",)  # answers to the question which owners are meant
MAX_VALUES = 10_000
MAX_VALUE_LENGTH = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Who or what is to be forgotten.

    Args:
        kind: how ``values`` are to be read.
        values: owner ids, names or terms, memory ids, category names, tags, or a scope path.
        scope: every mention, or only memories whose main subject it is.
        entity_type: upper-case type of a named entity; ``None`` leaves it to the index.
        owner: the client's owner id that limits the search; no other owner is read then.
        owner_kind: kind of ``owner``, and of ``values`` where they are owner ids.
        upstream: the configured store's name; ``None`` means all.
        since: first instant of a time range, inclusive.
        until: end of a time range, exclusive.
        entity_ids: the candidates chosen when the name was ambiguous, or ``("all",)``.
        owners: of the owners whose id holds the name and more those that are the person's: their
            ids or the candidates', ``("all",)`` or ``("none",)``; None: not said yet.
    """

    kind: TargetKind
    values: tuple[str, ...] = ()
    scope: Scope = "any_mention"
    entity_type: str | None = None
    owner: str | None = None
    owner_kind: OwnerKind = "user"
    upstream: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    entity_ids: tuple[str, ...] = ()
    owners: tuple[str, ...] | None = None

    @property
    def named(self) -> bool:
        """Whether it is found by mentions in text."""
        return self.kind in {"entity", "subject", "attribute"}

    @property
    def relation(self) -> bool:
        """Whether it names nobody, but says what somebody is to others: ``ex-wife``."""
        named = self.kind == "entity"
        return named and all(is_role(value, self.entity_type) for value in self.values)

    @property
    def words(self) -> tuple[str, ...]:
        """Of a relation the words for it: in small letters nobody's name, whoever is chosen."""
        if not self.relation:
            return ()
        listed = [[value.lower(), *sorted(spelled_otherwise(value))] for value in self.values]
        return tuple(dict.fromkeys(word for each in listed for word in each))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that are meant, whichever of their words was given."""
        return tuple(name for each in self.values if (name := attribute_named(each)))

    @property
    def bearers(self) -> tuple[str, ...]:
        """Those chosen of the people of one name whom only the memories tell apart."""
        return tuple(each for each in self.entity_ids if each.startswith(BEARER))

    @property
    def indexed(self) -> tuple[str, ...]:
        """The chosen ones whom the index knows."""
        others = {*ALL, WORD}
        return tuple(e for e in self.entity_ids if not e.startswith(BEARER) and e not in others)

    def choose(self, entity_ids: tuple[str, ...]) -> "Target":
        """The same target, narrowed to the chosen candidates."""
        kinds = [each for each in entity_ids if each.startswith(KIND)]
        if not kinds:
            return replace(self, entity_ids=entity_ids)
        if len(entity_ids) > 1:
            raise Problem(
                "invalid-request", "Only one kind of thing can be meant.",
                hint="Choose one of them, and ask for the other one after it.",
            )  # fmt: skip
        return replace(self, entity_type=kinds[0].removeprefix(KIND).upper(), entity_ids=())

    def meant(self) -> dict[str, Any]:
        """What tells one target from another: all but the answer which owners are meant."""
        return {name: value for name, value in self.dump().items() if name != "owners"}

    def dump(self) -> dict[str, Any]:
        """A JSON object that ``load`` reads back; personal data, only to be sealed."""
        return {
            "kind": self.kind,
            "values": list(self.values),
            "scope": self.scope,
            "type": self.entity_type,
            "owner": self.owner,
            "owner_kind": self.owner_kind,
            "upstream": self.upstream,
            "from": self.since.isoformat() if self.since else None,
            "to": self.until.isoformat() if self.until else None,
            "entity_ids": list(self.entity_ids),
            "owners": None if self.owners is None else list(self.owners),
        }


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a role and an opaque id that only ever leaves as a pseudonym."""

    role: str
    id: str

    def ref(self, names: Pseudonyms) -> bytes:
        """The pseudonym under which a tenant's records name who acts."""
        return names.of("actor", self.role, self.id)


@dataclass(frozen=True, slots=True)
class Asked:
    """The whole request: target, what must stay, and what the requester decided."""

    target: Target
    keep: tuple[str, ...] = ()
    choices: Mapping[str, str] | None = None

    def seal_bytes(self) -> bytes:
        """Plaintext for sealing under the erasure's key."""
        body = {
            "target": self.target.dump(), "keep": list(self.keep),
            "choices": dict(self.choices or {}),
        }  # fmt: skip
        return json.dumps(body, ensure_ascii=False).encode()

    @classmethod
    def unseal(cls, plaintext: bytes) -> "Asked":
        """Read ``seal_bytes`` back."""
        body = json.loads(plaintext)
        return cls(load(body["target"]), tuple(body["keep"]), body["choices"])


def load(body: Mapping[str, Any]) -> Target:
    """A checked target from a request's JSON object.

    Accepts ``value`` or ``values``, ``type``, ``owner``, ``owner_kind``, ``scope``, ``from``,
    ``to`` (RFC 3339), ``upstream``, ``entity_ids``, ``owners``.

    Raises:
        Problem: ``invalid-request`` with one error per wrong member.
    """
    errors: list[dict[str, str]] = []
    values = _values(body, errors)
    kind = _word(body, "kind", get_args(TargetKind), None, errors)
    scope = _word(body, "scope", get_args(Scope), "any_mention", errors)
    owner_kind = _word(body, "owner_kind", get_args(OwnerKind), "user", errors)
    since, until = _instant(body, "from", errors), _instant(body, "to", errors)
    if errors:
        raise Problem("invalid-request", "The target cannot be read.", errors=errors)
    if kind in {"entity", "subject"}:
        within = kind == "entity" and _text(body.get("owner")) is not None
        said = _upper(body.get("type"))
        values = tuple(without_role(each, said, within=within) for each in values)
    target = Target(
        kind=cast("TargetKind", kind),
        values=values,
        scope=cast("Scope", scope),
        entity_type=_upper(body.get("type")),
        owner=_text(body.get("owner")),
        owner_kind=cast("OwnerKind", owner_kind),
        upstream=_text(body.get("upstream")),
        since=since,
        until=until,
        entity_ids=tuple(str(each) for each in body.get("entity_ids") or ()),
        owners=tuple(str(each) for each in body.get("owners") or ()) or None,
    )
    check(target)
    return target


def check(target: Target) -> None:
    """Refuse targets that say nothing, or more than they may.

    Raises:
        Problem: ``invalid-request``.
    """
    errors = [*_missing(target), *_bad_values(target), *_bad_owners(target)]
    if errors:
        raise Problem("invalid-request", "The target is not valid.", errors=errors)


def _missing(target: Target) -> list[dict[str, str]]:
    if target.kind == "time_range":
        return _bad_range(target)
    if target.kind == "subject" and not target.values and target.owner:
        return []
    if target.kind == "tenant" or target.values:
        return []
    return [_error("values", "Give at least one value.")]


def _bad_range(target: Target) -> list[dict[str, str]]:
    if target.since is None and target.until is None:
        return [_error("from", "Give 'from', 'to' or both.")]
    if target.since and target.until and target.since >= target.until:
        return [_error("to", "'to' must lie after 'from'.")]
    return []


def _bad_values(target: Target) -> list[dict[str, str]]:
    if len(target.values) > MAX_VALUES:
        return [_error("values", f"At most {MAX_VALUES} values.")]
    bad = [value for value in target.values if not value.strip() or len(value) > MAX_VALUE_LENGTH]
    if bad:
        return [_error("values", f"Each value has 1 to {MAX_VALUE_LENGTH} characters.")]
    if target.kind == "attribute" and not all(map(attribute_named, target.values)):
        return [_error("values", f"Attributes are: {', '.join(sorted(ATTRIBUTES))}.")]
    if any(value.strip() == "*" or "\0" in value for value in (*target.values, target.owner or "")):
        return [_error("values", "Wildcards are not ids.")]
    if target.kind == "subject" and any(map(is_role, target.values)):
        said = "What somebody is to others names nobody: ask for the entity, within an owner."
        return [_error("values", said)]
    return [_error("values", "A name needs at least one letter or digit.")] if (
        target.named and not all(any(map(str.isalnum, value)) for value in target.values)
    ) else []  # fmt: skip


def _bad_owners(target: Target) -> list[dict[str, str]]:
    given = target.owners
    if given is None or given in (ALL, NONE) or {*given}.isdisjoint({*ALL, *NONE}):
        return []
    return [_error("owners", "Either owners, or 'all', or 'none'.")]


def _error(member: str, detail: str) -> dict[str, str]:
    return {"pointer": f"/target/{member}", "detail": detail}


def _values(body: Mapping[str, Any], errors: list[dict[str, str]]) -> tuple[str, ...]:
    given = body.get("values", body.get("value"))
    listed = [given] if isinstance(given, str) else given
    if listed is None:
        return ()
    if not isinstance(listed, list | tuple) or not all(isinstance(each, str) for each in listed):
        errors.append(_error("values", "A string or a list of strings."))
        return ()
    return tuple(dict.fromkeys(listed))


def _word(
    body: Mapping[str, Any],
    member: str,
    allowed: tuple[str, ...],
    default: str | None,
    errors: list[dict[str, str]],
) -> str:
    given = body.get(member, default)
    given = given.replace("-", "_") if isinstance(given, str) else given
    if given not in allowed:
        errors.append(_error(member, f"One of {', '.join(allowed)}."))
        return ""
    return str(given)


def _instant(body: Mapping[str, Any], member: str, errors: list[dict[str, str]]) -> datetime | None:
    given = body.get(member)
    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(given)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError):
        errors.append(_error(member, "An RFC 3339 date or time."))
        return None


def _text(value: Any) -> str | None:
    return str(value) if value not in (None, "") else None


def _upper(value: Any) -> str | None:
    return str(value).upper() if value else None
