"""The policy language: what may be remembered, for how long, about whom and for whom."""

from policies.decide import decide
from policies.decision import Context, Decision, Edit, Preferences
from policies.durations import Duration, DurationError
from policies.errors import PolicyError, PolicyIssue
from policies.load import builtin_names, load, load_resolved, load_text
from policies.policy import Policy
from policies.transform import EditError, apply_edits

__all__ = [
    "Context",
    "Decision",
    "Duration",
    "DurationError",
    "Edit",
    "EditError",
    "Policy",
    "PolicyError",
    "PolicyIssue",
    "Preferences",
    "apply_edits",
    "builtin_names",
    "decide",
    "load",
    "load_resolved",
    "load_text",
]
