"""The configured key provider."""

from functools import partial

from proxy.app.genesis import key_file
from proxy.app.secrets import read
from proxy.config import Config, Secret
from proxy.keys.aws_kms import KmsKek
from proxy.keys.env import EnvKek
from proxy.keys.file import FileKek
from proxy.keys.kek import Kek
from proxy.keys.vault_transit import TransitKek
from proxy.problems import Problem


def open_kek(config: Config) -> Kek:
    """The provider that the section ``keys`` names.

    Raises:
        Problem: ``invalid-config``.
    """
    keys = config.keys
    match keys.provider:
        case "file":
            return FileKek(key_file(config))
        case "env":
            return EnvKek(partial(read, _given(keys.secret)))
        case "vault-transit":
            return TransitKek(
                keys.address or "", partial(read, _given(keys.token)), keys.key or "",
                mount=keys.mount, namespace=keys.namespace,
            )  # fmt: skip
        case "aws-kms":
            return KmsKek(keys.key, region=keys.region, endpoint=keys.address)


def _given(secret: Secret | None) -> Secret:
    if secret is None:
        raise Problem("invalid-config", "The key provider needs its secret.")
    return secret
