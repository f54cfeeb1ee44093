"""Routes: decided on the raw path, byte for byte as it came."""

import re
from dataclasses import dataclass

from proxy.gateway.services import GatewayServices
from proxy.problems import Problem
from proxy.upstreams.binding import Dialect, UpstreamBinding
from proxy.upstreams.profile import Route

_PLAIN = re.compile(r"/[\x21-\x7e]*")
_DOTS = re.compile(r"(?i)(?:^|/)(?:\.|%(?:25)*2e){1,2}(?:/|$|;)")


@dataclass(frozen=True, slots=True)
class Matched:
    """The route that a request takes."""

    binding: UpstreamBinding
    dialect: Dialect
    route: Route
    variables: dict[str, str]
    query: str


def match(method: str, target: str, services: GatewayServices) -> Matched:
    """Find the route.

    Raises:
        Problem: ``route-not-covered`` for whatever is not listed, and for paths that two parsers
            could read differently.
    """
    path, _, query = target.partition("?")
    check(path, query)
    for binding in services.stores.values():
        found = binding.find(method, path)
        if found is not None:
            dialect, route, variables = found
            if route.op == "deny":
                raise Problem("route-not-covered", route.reason)
            return Matched(binding, dialect, route, variables, query)
    raise Problem("route-not-covered", "The store's profile does not list this route.")


def check(path: str, query: str) -> None:
    """Refuse paths whose meaning depends on who reads them.

    Raises:
        Problem: ``route-not-covered``.
    """
    if _PLAIN.fullmatch(path) is None or "#" in query or not query.isprintable():
        raise Problem("route-not-covered", "The path holds characters that must be encoded.")
    if "//" in path:
        raise Problem(
            "route-not-covered",
            "The path has an empty segment.",
            hint="Take the slash off the end of the client's host.",
        )
    if _DOTS.search(path):
        raise Problem(
            "route-not-covered",
            "The path has a segment of dots, which a client or a store may resolve away.",
            hint="An owner of that name is deleted by the query: DELETE /memories?user_id=..",
        )
    if any(char in path for char in "\\;#"):
        raise Problem("route-not-covered", "The path has parameters or a backslash.")
