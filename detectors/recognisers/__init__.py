"""All recognisers of structured personal data, one module per family."""

from collections.abc import Collection

from detectors.recognisers import contact
from detectors.recognisers.base import Recogniser
from detectors.recognisers.presidio import presidio_recognisers


def builtin(countries: Collection[str]) -> list[Recogniser]:
    """Every recogniser we ship that applies to the given countries."""
    return [*presidio_recognisers(countries), *contact.RECOGNISERS]
