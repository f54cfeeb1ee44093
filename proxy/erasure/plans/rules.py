"""The rules of one plan: the policy's erasure section with the requester's choices applied."""

from policies import Policy
from proxy.erasure.plans.plan import Rules
from proxy.erasure.search.resolve import Aim


def rules_of(policy: Policy, aim: Aim) -> Rules:
    """What the planner decides by."""
    section, choices = policy.erasure, aim.asked.choices or {}
    whole_person = aim.target.kind == "subject"
    return Rules(
        derived=choices.get("derived", section.derived),
        mixed=choices.get("mixed", section.mixed),
        shared=choices.get("shared", section.shared),
        inferences="strict" if whole_person else section.inferences,
        scope=aim.target.scope,
        only_direct=choices.get("include") == "direct",
        partial=aim.keep is not None,
    )
