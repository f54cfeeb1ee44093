"""Why a key operation fails. Each is caught somewhere, so each has its own type."""


class KekUnavailable(Exception):
    """The provider cannot be reached or is sealed; nothing is known about the key."""


class KekRefused(Exception):
    """The provider answers, and will not open this: destroyed, trimmed, or not from this key."""


class KeyDestroyed(Exception):
    """The data key was destroyed; what it sealed is gone for good."""


class SealBroken(Exception):
    """The ciphertext does not belong to this record, or was changed."""
