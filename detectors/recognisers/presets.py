"""Which of Presidio's pattern recognisers run, for which country, and how each is tamed."""

from dataclasses import dataclass

DIGITS = r"\d{4}|\d[ .-]\d{2}"


@dataclass(frozen=True, slots=True)
class Preset:
    """One of Presidio's recognisers.

    Args:
        name: how we call it.
        recogniser: class name in ``presidio_analyzer.predefined_recognizers``.
        entity_type: our type for what it finds.
        trigger: RE2 pattern that must occur before it is run.
        country: ISO 3166-1 alpha-2 code that switches it on; empty: always on.
        context: alternatives of a regular expression; near a match they raise its score.
        required: drop matches without context, even those with a valid checksum.
    """

    name: str
    recogniser: str
    entity_type: str
    trigger: str
    country: str = ""
    context: str = ""
    required: bool = False


PRESETS = (
    Preset(
        "credit_card",
        "CreditCardRecognizer",
        "CREDIT_CARD",
        r"\d{4}[- ]?\d{2}",
        context="credit|debit|card|visa|mastercard|amex|maestro|karte|tarjeta|carte|carta",
    ),
    Preset("crypto", "CryptoRecognizer", "CRYPTO", r"(?:bc1|[13])[a-z0-9]{25}"),
    Preset("iban", "IbanRecognizer", "IBAN_CODE", r"[a-z]{2}\d{2}[ -]?[a-z0-9]{4}"),
    Preset("mac", "MacAddressRecognizer", "MAC_ADDRESS", r"[0-9a-f]{2}[:.-][0-9a-f]{2}"),
    Preset(
        "us_ssn",
        "UsSsnRecognizer",
        "US_SSN",
        r"\d{3}[- .]?\d{2}",
        "us",
        r"social|social security(?: number)?|ssns?|ss#",
    ),
    Preset(
        "us_itin",
        "UsItinRecognizer",
        "US_ITIN",
        r"9\d{2}[- ]?\d{2}",
        "us",
        r"itin|taxpayer|tax ?id|tin|individual tax",
        required=True,
    ),
    Preset(
        "medical_license",
        "MedicalLicenseRecognizer",
        "MEDICAL_LICENSE",
        r"[a-z][a-z9]\d{7}",
        "us",
        r"medical|dea|prescriber|physician|licen[cs]e",
    ),
)
