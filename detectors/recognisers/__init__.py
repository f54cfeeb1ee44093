"""All recognisers of structured personal data, one module per family."""

from detectors.recognisers import (
    address,
    address_eastern,
    address_plain,
    birth,
    contact,
    coordinates,
    iban,
    money,
    named_secrets,
    near_secrets,
    network,
    passwords,
    payment,
    plates,
    private_keys,
    relations,
    secret_commands,
    secret_links,
    secret_tables,
    secrets,
    told_secrets,
)
from detectors.recognisers.base import Recogniser
from detectors.recognisers.custom import custom_recognisers
from detectors.recognisers.identity_numbers import identity_recognisers
from detectors.recognisers.phone import phone_recognisers
from detectors.recognisers.presidio import presidio_recognisers
from detectors.recognisers.told_numbers import told_number_recognisers
from detectors.settings import DetectorSettings

EVERYWHERE = (
    *contact.RECOGNISERS,
    *network.RECOGNISERS,
    *payment.RECOGNISERS,
    *plates.RECOGNISERS,
    *iban.RECOGNISERS,
    *birth.RECOGNISERS,
    *money.RECOGNISERS,
    *coordinates.RECOGNISERS,
    *address.RECOGNISERS,
    *address_plain.RECOGNISERS,
    *address_eastern.RECOGNISERS,
    *private_keys.RECOGNISERS,
    *secrets.RECOGNISERS,
    *passwords.RECOGNISERS,
    *named_secrets.RECOGNISERS,
    *told_secrets.RECOGNISERS,
    *near_secrets.RECOGNISERS,
    *secret_tables.RECOGNISERS,
    *secret_commands.RECOGNISERS,
    *secret_links.RECOGNISERS,
    *relations.RECOGNISERS,
)


def recognisers(settings: DetectorSettings) -> list[Recogniser]:
    """Every recogniser that the settings ask for."""
    file = settings.recognisers_file
    return [
        *presidio_recognisers(settings.countries),
        *EVERYWHERE,
        *phone_recognisers(settings.countries),
        *identity_recognisers(settings.countries),
        *told_number_recognisers(settings.countries),
        *(custom_recognisers(file, settings.regex_timeout) if file else ()),
    ]
