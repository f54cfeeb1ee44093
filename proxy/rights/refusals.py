"""What is not to be remembered from now on, where a sentence says so: "don't remember my salary".

The past is erased, and for the future a preference is recorded, in the one way in which it can be
kept: by entity types or categories. A name needs none, since an erasure blocks it.
"""

from proxy.erasure.search.target import Target
from proxy.erasure.texts.attributes import merged
from proxy.problems import Problem

PAY = frozenset({"MONEY"})  # states what somebody is paid
FIRMS = frozenset({"ORGANIZATION"})  # states an employer, whose attribute has no type of its own
RELATIONS = frozenset({"RELATIONSHIP"})  # words that are everybody's, so none is blocked


def refused(target: Target) -> dict[str, list[str]]:
    """Settings that refuse what a target is about; empty where its erasure blocks that itself.

    Raises:
        Problem: ``invalid-request`` where nobody can refuse it, or nobody is said to.
    """
    match target.kind:
        case "entity":
            settings = {"refused_types": sorted(RELATIONS)} if target.relation else {}
        case "attribute":
            settings = {"refused_types": sorted(_types(target))}
        case "category":
            settings = {"refused_categories": sorted(target.values)}
        case _:
            raise _not("/future", "Of an entity, an attribute or a category only.")
    if settings and target.owner is None:
        raise _not("/target/owner", "Say whose it is: a preference is somebody's.")
    return settings


def _types(target: Target) -> frozenset[str]:
    attributes = [merged([name]) for name in target.attributes]
    types = (each.types or (PAY if each.paid else FIRMS) for each in attributes)
    return frozenset[str]().union(*types)


def _not(pointer: str, detail: str) -> Problem:
    return Problem("invalid-request", "This cannot be refused for the future.",
                   errors=[{"pointer": pointer, "detail": detail}])  # fmt: skip
