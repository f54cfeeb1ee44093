"""Which of Presidio's pattern recognisers run, for which country, and how each is tamed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """One of Presidio's recognisers.

    Args:
        name: how we call it.
        recogniser: class name in ``presidio_analyzer.predefined_recognizers``.
        entity_type: our type for what it finds.
        trigger: RE2 pattern that must occur before it is run, unless its context is required.
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


PASSPORT_WORDS = "passports?|travel document|pasaporte|passaporto|reisepass|pass|passnummer"
LICENCE_WORDS = r"driv(?:er['’]?s?|ing) licen[cs]e|licen[cs]e|dvla|f[üu]hrerschein|patente|permit"
TAX_WORDS = "tax|tin|taxpayer|vat|steuer(?:nummer|-?id)?|finanzamt|ust-?id|iva|piva"

PRESETS = (
    Preset("crypto", "CryptoRecognizer", "CRYPTO", r"(?:bc1|[13])[a-z0-9]{25}"),
    Preset("iban", "IbanRecognizer", "IBAN_CODE", r"[a-z]{2}\d{2}[ -]?[a-z0-9]{4}"),
    # United States
    Preset(
        "us_ssn",
        "UsSsnRecognizer",
        "US_SSN",
        r"\d{9}|\d{3}[- .]\d{2}[- .]\d{4}|\d{5}-\d{4}|\d{3}-\d{6}",
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
        "us_medical_license",
        "MedicalLicenseRecognizer",
        "MEDICAL_LICENSE",
        r"[a-z][a-z9]\d{7}",
        "us",
        "medical|dea|prescriber|physician|licen[cs]e",
    ),
    Preset(
        "us_npi",
        "UsNpiRecognizer",
        "MEDICAL_LICENSE",
        r"[12]\d{3}",
        "us",
        "npi|national provider|provider id(?:entifier)?",
        required=True,
    ),
    Preset(
        "us_mbi",
        "UsMbiRecognizer",
        "NATIONAL_ID",
        r"\d[a-z][a-z0-9]\d-?[a-z]",
        "us",
        "medicare|mbi|beneficiary",
    ),
    Preset(
        "us_passport",
        "UsPassportRecognizer",
        "PASSPORT",
        r"[a-z]?\d{8}",
        "us",
        PASSPORT_WORDS,
        required=True,
    ),
    # United Kingdom
    Preset(
        "gb_nhs",
        "NhsRecognizer",
        "NATIONAL_ID",
        r"\d{3}[- ]?\d{3}[- ]?\d{4}",
        "gb",
        "nhs|national health service|health authority",
        required=True,
    ),
    Preset(
        "gb_nino",
        "UkNinoRecognizer",
        "NATIONAL_ID",
        r"[a-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[a-d]",
        "gb",
        "national insurance|ni number|nino",
    ),
    Preset(
        "gb_driving_licence",
        "UkDrivingLicenceRecognizer",
        "DRIVER_LICENSE",
        r"[a-z9]{5}\d{6}[a-z9]{2}",
        "gb",
        LICENCE_WORDS,
    ),
    Preset(
        "gb_passport",
        "UkPassportRecognizer",
        "PASSPORT",
        r"[a-z]{2}\d{7}",
        "gb",
        PASSPORT_WORDS,
        required=True,
    ),
    # Germany
    Preset("de_tax_id", "DeTaxIdRecognizer", "TAX_ID", r"\d{11}", "de", TAX_WORDS, required=True),
    Preset(
        "de_tax_number",
        "DeTaxNumberRecognizer",
        "TAX_ID",
        r"\d{13}|\d/\d{3}",
        "de",
        TAX_WORDS,
        required=True,
    ),
    Preset("de_vat_id", "DeVatIdRecognizer", "TAX_ID", r"DE[\s.-]?\d{3}", "de", TAX_WORDS),
    Preset(
        "de_id_card",
        "DeIdCardRecognizer",
        "NATIONAL_ID",
        r"[a-z][a-z0-9]{7}\d",
        "de",
        "personalausweis|ausweis(?:nummer)?|dokumentennummer|id card|identity card",
        required=True,
    ),
    Preset(
        "de_passport",
        "DePassportRecognizer",
        "PASSPORT",
        r"[a-z][a-z0-9]{7}\d",
        "de",
        PASSPORT_WORDS,
        required=True,
    ),
    Preset(
        "de_social_security",
        "DeSocialSecurityRecognizer",
        "NATIONAL_ID",
        r"\d{8}[a-z]\d{3}",
        "de",
        "rentenversicherung|sozialversicherung|versicherungsnummer|rvnr|svnr",
    ),
    Preset(
        "de_health_insurance",
        "DeHealthInsuranceRecognizer",
        "NATIONAL_ID",
        r"[a-z]\d{9}",
        "de",
        "krankenversicher\\w+|krankenkasse|versichertennummer|kvnr|gesundheitskarte",
        required=True,
    ),
    Preset(
        "de_licence",
        "DeFuehrerscheinRecognizer",
        "DRIVER_LICENSE",
        r"[a-z]{2}\d{8}",
        "de",
        LICENCE_WORDS,
        required=True,
    ),
    # Spain, Italy
    Preset(
        "es_nif",
        "EsNifRecognizer",
        "NATIONAL_ID",
        r"\d{7}-?[a-z]",
        "es",
        "dni|nif|identidad|identificaci[óo]n",
    ),
    Preset(
        "es_nie", "EsNieRecognizer", "NATIONAL_ID", r"[x-z]\d{7}-?[a-z]", "es", "nie|extranjero"
    ),
    Preset(
        "es_passport",
        "EsPassportRecognizer",
        "PASSPORT",
        r"[a-z]{3}\d{6}",
        "es",
        PASSPORT_WORDS,
        required=True,
    ),
    Preset(
        "it_fiscal_code",
        "ItFiscalCodeRecognizer",
        "TAX_ID",
        r"[a-z]{6}\w{2}[a-z]\w{2}[a-z]\w{3}[a-z]",
        "it",
        "codice fiscale|cf",
    ),
    Preset(
        "it_vat",
        "ItVatCodeRecognizer",
        "TAX_ID",
        r"(?:\d[ _]?){11}",
        "it",
        TAX_WORDS,
        required=True,
    ),
    Preset(
        "it_identity_card",
        "ItIdentityCardRecognizer",
        "NATIONAL_ID",
        r"[a-z]{2}\s?\d{5}|\d{7}[a-z]{2}",
        "it",
        "carta d['’]identit[àa]|identit[àa]|documento|cie",
        required=True,
    ),
    Preset(
        "it_passport",
        "ItPassportRecognizer",
        "PASSPORT",
        r"[a-z]{2}\d{7}",
        "it",
        PASSPORT_WORDS,
        required=True,
    ),
    Preset(
        "it_licence",
        "ItDriverLicenseRecognizer",
        "DRIVER_LICENSE",
        r"[a-z]{2}\d{7}[a-z]|u1",
        "it",
        LICENCE_WORDS,
        required=True,
    ),
    # Elsewhere; off unless asked for
    Preset(
        "ca_sin",
        "CaSinRecognizer",
        "NATIONAL_ID",
        r"\d{3}[- ]?\d{3}[- ]?\d{3}",
        "ca",
        "sin|social insurance(?: number)?|nas|assurance sociale",
        required=True,
    ),
    Preset(
        "au_tfn",
        "AuTfnRecognizer",
        "TAX_ID",
        r"\d{3}\s?\d{3}\s?\d{3}",
        "au",
        "tfn|tax file(?: number)?",
        required=True,
    ),
    Preset(
        "au_medicare",
        "AuMedicareRecognizer",
        "NATIONAL_ID",
        r"[2-6]\d{3}\s?\d{5}",
        "au",
        "medicare",
        required=True,
    ),
    Preset(
        "au_abn",
        "AuAbnRecognizer",
        "TAX_ID",
        r"\d{2}\s?\d{3}\s?\d{3}",
        "au",
        "abn|australian business",
        required=True,
    ),
    Preset(
        "in_pan",
        "InPanRecognizer",
        "TAX_ID",
        r"[a-z]{5}\d{4}[a-z]",
        "in",
        "pan|permanent account",
        required=True,
    ),
    Preset(
        "in_aadhaar",
        "InAadhaarRecognizer",
        "NATIONAL_ID",
        r"\d{4}[- :]?\d{4}[- :]?\d{4}",
        "in",
        "aadhaar|uidai",
    ),
    Preset(
        "in_passport",
        "InPassportRecognizer",
        "PASSPORT",
        r"[a-z]\d{2}\s?\d{4}",
        "in",
        PASSPORT_WORDS,
        required=True,
    ),
    Preset("sg_nric", "SgFinRecognizer", "NATIONAL_ID", r"[stfgm]\d{7}[a-z]", "sg", "nric|fin"),
    Preset("pl_pesel", "PlPeselRecognizer", "NATIONAL_ID", r"\d{11}", "pl", "pesel"),
    Preset(
        "fi_hetu",
        "FiPersonalIdentityCodeRecognizer",
        "NATIONAL_ID",
        r"\d{6}[-+a-z]\d{3}",
        "fi",
        "hetu|henkilötunnus",
    ),
    Preset(
        "se_personnummer",
        "SePersonnummerRecognizer",
        "NATIONAL_ID",
        r"\d{6}[-+]?\d{4}",
        "se",
        "personnummer|samordningsnummer",
    ),
    Preset(
        "tr_national_id",
        "TrNationalIdRecognizer",
        "NATIONAL_ID",
        r"\d{11}",
        "tr",
        "kimlik|tckn|tc no|national id",
        required=True,
    ),
    Preset(
        "kr_rrn",
        "KrRrnRecognizer",
        "NATIONAL_ID",
        r"\d{6}-?\d{7}",
        "kr",
        "rrn|resident registration",
    ),
    Preset(
        "th_tnin", "ThTninRecognizer", "NATIONAL_ID", r"\d{13}", "th", "thai id|national id|tnin"
    ),
    Preset(
        "za_id",
        "ZaIdNumberRecognizer",
        "NATIONAL_ID",
        r"\d{13}",
        "za",
        "id|identity|id number|south african id",
        required=True,
    ),
    Preset(
        "ng_nin",
        "NgNinRecognizer",
        "NATIONAL_ID",
        r"\d{11}",
        "ng",
        "nin|national identi\\w+ number",
        required=True,
    ),
)
