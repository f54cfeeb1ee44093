"""Key provider ``aws-kms``: one KMS key per epoch, because KMS keeps old material of rotated keys.

Destroying schedules the deletion of the older keys. KMS refuses them at once, but could bring them
back until the date it names: that date goes into the certificate.
"""

import asyncio
import base64
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from proxy.keys.errors import KekRefused, KekUnavailable
from proxy.keys.kek import Trim, Wrapped
from proxy.problems import Problem

WINDOW_DAYS = 7
_REFUSALS = frozenset(
    {
        "KMSInvalidStateException",
        "NotFoundException",
        "DisabledException",
        "InvalidCiphertextException",
        "IncorrectKeyException",
    }
)


class KmsKek:
    """Keys in AWS KMS, used by this installation only: rotation makes new, destruction deletes.

    Args:
        key_id: the key of the first epoch; made when None.
        region: AWS region.
        endpoint: another endpoint URL, e.g. of a private network.
        window_days: days until a scheduled deletion is final, 7 to 30.
    """

    provider = "aws-kms"

    def __init__(
        self,
        key_id: str | None = None,
        *,
        region: str | None = None,
        endpoint: str | None = None,
        window_days: int = WINDOW_DAYS,
    ) -> None:
        self._client = _client(region, endpoint)
        self._current, self._window_days = key_id, window_days

    async def wrap(self, plaintext: bytes, aad: bytes) -> Wrapped:
        key = self._current or await self.rotate()
        reply = await self._call(
            self._client.encrypt, KeyId=key, Plaintext=plaintext, EncryptionContext=_context(aad)
        )
        return Wrapped(key, bytes(reply["CiphertextBlob"]))

    async def unwrap(self, wrapped: Wrapped, aad: bytes) -> bytes:
        reply = await self._call(
            self._client.decrypt,
            KeyId=wrapped.key_ref,
            CiphertextBlob=wrapped.blob,
            EncryptionContext=_context(aad),
        )
        return bytes(reply["Plaintext"])

    async def rotate(self) -> str:
        reply = await self._call(self._client.create_key, Description="Expunge key epoch")
        self._current = str(reply["KeyMetadata"]["KeyId"])
        return self._current

    async def trim(self, keep: str, older: Sequence[str]) -> Trim:
        dates = [await self._schedule(key) for key in dict.fromkeys(older) if key != keep]
        known = [date for date in dates if date is not None]
        return Trim("external-kek-pending", max(known, default=None))

    async def close(self) -> None:
        await asyncio.to_thread(self._client.close)

    async def _schedule(self, key: str) -> datetime | None:
        """When the key's deletion is final; scheduled once. None if the key is gone already."""
        try:
            known = await self._call(self._client.describe_key, KeyId=key)
            if (date := _date(known["KeyMetadata"].get("DeletionDate"))) is not None:
                return date
            reply = await self._call(
                self._client.schedule_key_deletion,
                KeyId=key,
                PendingWindowInDays=self._window_days,
            )
        except KekRefused:
            return None
        return _date(reply.get("DeletionDate"))

    async def _call(self, operation: Callable[..., Any], **arguments: Any) -> dict[str, Any]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            return dict(await asyncio.to_thread(operation, **arguments))
        except ClientError as failure:
            code = failure.response.get("Error", {}).get("Code", "")
            if code in _REFUSALS:
                raise KekRefused("KMS refuses the key") from None
            raise KekUnavailable("KMS does not answer properly") from None
        except (BotoCoreError, OSError):
            raise KekUnavailable("KMS cannot be reached") from None


def _client(region: str | None, endpoint: str | None) -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        raise Problem(
            "invalid-config",
            "The key provider aws-kms needs boto3.",
            hint="Install expunge[kms].",
        ) from None
    limits = Config(connect_timeout=3, read_timeout=5, retries={"max_attempts": 2})
    return boto3.client("kms", region_name=region, endpoint_url=endpoint, config=limits)


def _context(aad: bytes) -> dict[str, str]:
    return {"expunge": base64.b64encode(aad).decode()}


def _date(value: object) -> datetime | None:
    return value.astimezone(UTC) if isinstance(value, datetime) else None
