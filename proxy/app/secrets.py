"""Reading secrets that the configuration refers to."""

from proxy.config.types import Secret
from proxy.problems import Problem


def read(secret: Secret) -> str:
    """The secret.

    Raises:
        Problem: ``invalid-config`` naming the reference, never the value.
    """
    try:
        return secret.read()
    except LookupError:
        raise Problem("invalid-config", f"The secret {secret} is missing or empty.") from None
