"""Why a run of an erasure failed: what is away and may come back, or what is broken, and where."""

import traceback
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from detectors.errors import DetectionError
from proxy.erasure.search import away, layers
from proxy.erasure.view import LayerView
from proxy.keys.errors import KekRefused, KekUnavailable, KeyDestroyed, SealBroken
from proxy.ledger.erasures import Erasure
from proxy.problems import Problem
from proxy.upstreams.errors import StoreError

_GATEWAY = range(502, 505)  # statuses of problems that say that somebody else does not answer
_BROKEN: Mapping[type[Exception], str] = {
    SealBroken: "unreadable_record", KeyDestroyed: "key_destroyed",
}  # fmt: skip
_ELSE = "internal_error"
_STALE = frozenset({"planned", "unreachable"})  # states of layers that only a run can change
_STILL_TRUE = frozenset({"not_configured", away.ASKED})
_GOES_ON = "The erasure goes on by itself when that is back."
_RETRY = "When that is back: 'expunge erasure retry {}'."
_LOOK = "Look for erasure.step_failed in the service's log."
_CLOSE = (
    "It does not go on by itself. When the cause is removed: 'expunge erasure retry {0}'. "
    "If it cannot be: 'expunge erasure cancel {0}' closes it, then forget the same target anew."
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a run ended.

    Args:
        kind: a code, such as ``keys_sealed`` or ``unreadable_record``; never content.
        step: the step of ours in which it was noticed.
        away: whether it is something that may come back, so that it is waited for with patience.
    """

    kind: str
    step: str
    away: bool

    @property
    def code(self) -> str:
        """The reason of the layers that wait for it."""
        return self.kind if self.away else f"{self.kind}_at_{self.step}"


def failure_of(error: Exception, course: Collection[str]) -> Failure:
    """What kind of failure an exception is.

    Args:
        course: modules that only call the steps one after another.
    """
    away = _away(error)
    kind = away or _broken(error)
    return Failure(kind, _step(error, course), away is not None)


def _broken(error: Exception) -> str:
    return next((code for type_, code in _BROKEN.items() if isinstance(error, type_)), _ELSE)


def _away(error: Exception) -> str | None:
    match error:
        case StoreError():
            return "store_unavailable"
        case KekUnavailable() | KekRefused():
            return "keys_sealed"
        case DetectionError():
            return "detection_unavailable"
        case Problem() if error.status in _GATEWAY:
            return error.slug.replace("-", "_")
        case OSError():  # a full disk, a broken connection, too little time
            return "system_unavailable"
        case _:
            return None


def _step(error: Exception, course: Collection[str]) -> str:
    """The function that the course called last."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    ours = [n for n, each in enumerate(frames) if each.f_globals.get("__name__") in course]
    if not ours:
        return "start"
    return frames[min(ours[-1] + 1, len(frames) - 1)].f_code.co_name.strip("_<>")


def told(erasure: Erasure, failure: Failure, *, last: bool) -> Sequence[LayerView]:
    """The layers of an erasure that a failure stopped; what a run looked at last stays as it was.

    Args:
        last: it is not tried again by itself.
    """
    if failure.away:
        action = _RETRY.format(erasure.reference) if last else _GOES_ON
    else:
        action = f"{_LOOK} {_CLOSE.format(erasure.reference)}" if last else _LOOK
    return [
        _stopped(view, failure, action)
        if view.status in _STALE and view.reason not in _STILL_TRUE
        else view
        for view in layers.load(erasure.layers)
    ]


def given_up(erasure: Erasure, views: Sequence[LayerView]) -> list[LayerView]:
    """The layers at the last attempt: what did not answer is no longer waited for."""
    action = _RETRY.format(erasure.reference)
    return [
        replace(view, action=action)
        if (view.status == "unreachable" or view.reason == away.REASON)
        and view.reason not in _STILL_TRUE
        else view
        for view in views
    ]


def _stopped(view: LayerView, failure: Failure, action: str) -> LayerView:
    if view.status == "planned":  # what was expected is nothing that was looked at
        view = replace(view, found=None, erased=None)
    return replace(
        view, status="unreachable", residual=None, reason=failure.code, action=action
    )  # fmt: skip
