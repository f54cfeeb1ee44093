"""The `detection` section: how much is done to find personal data."""

from typing import Literal

from policies.schema.fields import Map, Section, field

Tier = Literal["structured", "fast", "full"]
ROUTES = ("write", "annotate", "update", "batch_update", "search", "list", "get", "history")


class Detection(Section):
    """How much is done to find personal data: patterns, names, meaning.

    The installation loads what its own `detection.tier` says; a policy that asks for more than
    that is answered with 503, never with less.
    """

    tier: Tier | None = field(
        None,
        "`structured`: patterns; `fast`: and names; `full`: and meaning. Without it, what the"
        " installation loads.",
        "policies.access.detection_tier()",
    )
    upstreams: Map[Tier] = field(
        {}, "Another tier for one store, by its name.", "policies.access.detection_tier()"
    )
    routes: Map[Tier] = field(
        {},
        "Another tier for one kind of route, in every store; it goes before `upstreams`: "
        + ", ".join(f"`{name}`" for name in ROUTES)
        + ".",
        "policies.access.detection_tier()",
    )
