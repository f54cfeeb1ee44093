"""Entity types are a closed list: a misspelt one would be reported as nothing found."""

from policies import Policy
from policies.schema import ENTITY_TYPES
from proxy.problems import Problem

TERM = "TERM"  # a name of nothing that is detected: a project, a term


def check_entity_type(policy: Policy, given: str | None, pointer: str) -> None:
    """Refuse a type that neither this release nor the tenant's policy knows.

    Args:
        given: in capitals; None means that none was given.
        pointer: where it stands in the request.

    Raises:
        Problem: ``invalid-request``; says which there are.
    """
    known = {*ENTITY_TYPES, *policy.write.custom_types, TERM}
    if given is None or given in known:
        return
    listed = ", ".join(sorted(map(str.lower, known)))
    detail = f"There is no such entity type. Known here: {listed}."
    raise Problem(
        "invalid-request",
        "The entity type is not known.",
        errors=[{"pointer": pointer, "detail": detail}],
    )
