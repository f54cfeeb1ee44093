"""The policy language: every section, field, default and limit."""

from typing import Literal

from pydantic import Field

from policies.schema.detection import Detection
from policies.schema.erasure import Blocklist, Erasure
from policies.schema.fields import Identifier, Section, Text, section
from policies.schema.handling import Consent, Notifications, Poisoning, Residency
from policies.schema.read import Read
from policies.schema.retention import Retention
from policies.schema.write import Write

CATEGORIES = (
    "health",
    "financial",
    "biometric",
    "location",
    "political_religious",
    "relationships",
    "professional",
    "preferences",
)
ENTITY_TYPES = (
    "PERSON",
    "EMAIL_ADDRESS",
    "PHONE_NUMBER",
    "CREDIT_CARD",
    "IBAN_CODE",
    "BANK_ACCOUNT",
    "CRYPTO",
    "IP_ADDRESS",
    "MAC_ADDRESS",
    "URL",
    "US_SSN",
    "US_ITIN",
    "PASSPORT",
    "DRIVER_LICENSE",
    "NATIONAL_ID",
    "TAX_ID",
    "MEDICAL_LICENSE",
    "DATE_OF_BIRTH",
    "AGE",
    "STREET_ADDRESS",
    "POSTCODE",
    "LOCATION",
    "COORDINATES",
    "ORGANIZATION",
    "NRP",
    "DATE_TIME",
    "MONEY",
    "MEDICATION",
    "MEDICAL_CONDITION",
    "RELATIONSHIP",
    "API_KEY",
    "PASSWORD",
    "PRIVATE_KEY",
    "USERNAME",
)

__all__ = [
    "CATEGORIES",
    "ENTITY_TYPES",
    "Blocklist",
    "Consent",
    "Detection",
    "Document",
    "Erasure",
    "Notifications",
    "Poisoning",
    "Read",
    "Residency",
    "Retention",
    "Write",
]


class Document(Section):
    """A whole policy file."""

    api_version: Literal["expunge/v1"] = Field(
        alias="apiVersion", description="Version of the language."
    )
    kind: Literal["Policy"] = Field(description="What the file is.")
    name: Identifier = Field(description="Name shown in decisions and certificates.")
    description: Text | None = Field(None, description="For the reader; no effect.")
    extends: Text = Field(
        "builtin/gdpr-default",
        description="The policy this one changes: `builtin/NAME`, a path relative to this file,"
        " or `none` to start from the defaults of the schema.",
    )
    detection: Detection = section(
        Detection, "How much is done to find personal data: patterns, names, meaning."
    )
    write: Write = section(Write, "What may be remembered, and in which form.")
    blocklist: Blocklist = section(Blocklist, "What happens when the erased comes back.")
    retention: Retention = section(Retention, "How long what is remembered is kept.")
    read: Read = section(Read, "Who gets what back.")
    erasure: Erasure = section(Erasure, "How forgetting is done.")
    residency: Residency = section(Residency, "Where data may go.")
    consent: Consent = section(Consent, "Which consents there are, and what needs them.")
    notifications: Notifications = section(Notifications, "Who is told.")
    poisoning: Poisoning = section(Poisoning, "Writes that try to steer later sessions.")
