"""Memories that speak of whom is forgotten as of somebody's relative alone: they are in doubt.

Where an owner's memories say ``Judith's ex-husband Karl``, ``Judith's ex-husband has asthma`` may
be about him. She may have several, so it stays and is counted.
"""

from collections import defaultdict

from proxy.erasure.search.found import Hunt, Scope
from proxy.erasure.search.resolve import Aim
from proxy.erasure.texts.relatives import Relation, spoken_of, told_of
from proxy.erasure.texts.surfaces import is_person


def mark_described(aim: Aim, lot: Hunt) -> None:
    """Count memories that name nobody who is forgotten, but what they are said to be to others."""
    needles, target = aim.needles, aim.target
    if needles is None or not is_person(needles.entity_type) or target.scope != "any_mention":
        return
    known: dict[Scope, set[Relation]] = defaultdict(set)
    for one in lot.found.values():
        for relation in told_of(one.text, one.spans) if one.direct else ():
            for scope in one.scopes:
                known[scope].add(relation)
    for key, one in lot.texts.items() if known else ():
        relations = [each for scope in one.scopes for each in known.get(scope, ())]
        if relations and spoken_of(one.text, relations):
            lot.doubtful.add(key)
            lot.described.add(key)
