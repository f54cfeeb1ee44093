"""What a database says of its own durability, for diagnosis."""

from sqlalchemy import text

from proxy.ledger.engine import Tx

_SQLITE: dict[str, dict[str, str]] = {
    "journal_mode": {},
    "synchronous": {"0": "off", "1": "normal", "2": "full", "3": "extra"},
    "secure_delete": {"0": "off", "1": "on", "2": "fast"},
    "foreign_keys": {"0": "off", "1": "on"},
}
_POSTGRES = ("server_version", "synchronous_commit")


async def settings(tx: Tx) -> dict[str, str]:
    """Names and values of the settings on which durability and erasure rest."""
    if tx.dialect.name == "postgresql":
        return {name: await _value(tx, f"SHOW {name}") for name in _POSTGRES}
    found = {name: await _value(tx, f"PRAGMA {name}") for name in _SQLITE}
    return {name: _SQLITE[name].get(value, value) for name, value in found.items()}


async def _value(tx: Tx, statement: str) -> str:
    return str((await tx.execute(text(statement))).scalar_one())
