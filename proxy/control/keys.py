"""Keys: epochs of the key-encryption key, their rotation and destruction."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.ledger.engine import Tx
from proxy.ledger.wrapped import Epoch

_OPERATE = roles("operator")
_SEE = roles("operator", "auditor", "privacy")
_SHOWN = ("epoch", "provider", "state", "assurance")
_TIMES = ("created_at", "retired_at", "destroyed_at", "final_at")


class DestroyBody(Body):
    """Destroying an epoch cannot be taken back."""

    confirm: Literal["confirmed"] = Field(description="The word 'confirmed'.")


def time(value: datetime | None) -> str | None:
    """RFC 3339 in UTC."""
    return value.isoformat().replace("+00:00", "Z") if value else None


async def status(services: ControlServices, _ask: Ask) -> Mapping[str, Any]:
    """Every epoch, oldest first."""
    return {"items": [_epoch(epoch) for epoch in await services.keyring.status()]}


def _epoch(epoch: Epoch) -> dict[str, Any]:
    shown = {name: getattr(epoch, name) for name in _SHOWN}
    return shown | {name: time(getattr(epoch, name)) for name in _TIMES}


async def rotate(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Start a new epoch and rewrap every living key."""
    return await _done(services, ask, "keys.rotated", await services.keyring.rotate())


async def destroy(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Destroy older epochs at the provider, so that destroyed data keys open nowhere any more."""
    return await _done(
        services, ask, "keys.epoch_destroyed", await services.keyring.destroy_epoch()
    )


async def _done(services: ControlServices, ask: Ask, event: str, result: Any) -> dict[str, Any]:
    body = asdict(result)
    body |= {name: time(body[name]) for name in ("destroyed_at", "final_at")}
    body["retired"] = list(body["retired"])

    async def unit(tx: Tx) -> None:
        fields = {"epoch": body["epoch"], "rewrapped": body["rewrapped"],
                  "assurance": body["assurance"], "key": ask.caller.key_id}  # fmt: skip
        await services.audit.append(tx, None, event, fields)

    await services.ledger.write(unit)
    return body


ROUTES = (
    Route("GET", "/v1/keys", "getKeys", _SEE, status, "Key epochs, oldest first.", tenant=False),
    Route("POST", "/v1/keys/rotate", "rotateKeys", _OPERATE, rotate,
          "Start a new epoch and rewrap every living key.", tenant=False),
    Route("POST", "/v1/keys/destroy-epoch", "destroyKeyEpoch", _OPERATE, destroy,
          "Destroy older epochs at the provider.", body=DestroyBody, tenant=False),
)  # fmt: skip
