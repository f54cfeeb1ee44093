"""Makes the committed medical lists: ``python -m detectors.training.medical TARGET_DIR``.

Medicines: names of the package drug-named-entity-recognition (MIT) that have an entry in
MedlinePlus or the NHS list. Conditions: ICD-10-CM (public domain) from the package
simple-icd-10-cm, cut to the words people use. Both packages take seconds to load, so detection
reads the lists instead.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import simple_icd_10_cm as icd
from drug_named_entity_recognition import drugs_finder

from detectors.training.lists import write_list
from detectors.words.namelists import given_names

MEDICINE = re.compile(r"[a-z][a-z'-]{3,}(?: [a-z'-]{2,}){0,2}")
# Among them brands that are everyday words of some language.
_NO_MEDICINE = "actos allegra aman banan cambia cera copal dala emend gana generics hemel rayos"
NO_MEDICINE = frozenset(_NO_MEDICINE.split())
CHAPTERS = "ABCDEFGHIJKLMNOQ"
CONDITION = re.compile(r"[a-z][a-z'’-]{3,}(?: [a-z0-9'’-]+){0,3}")
TAIL = re.compile(
    r",| with | without | due to | in | of unspec| not elsewhere| complicating| following "
)
HEAD = re.compile(
    r"^(?:other|unspecified|certain|acute|chronic|primary|secondary)"
    r"(?: and (?:other|unspecified))? |^(?:other|unspecified) | unspecified$"
)
VAGUE = re.compile(
    r"\b(?:other|unspecified|specified|status|encounter|and|or|elsewhere|individual|disorders?)\b"
)
VAGUE_CONDITIONS = (
    "abnormality absent agenesis blood calculus changes defects deformity deletions derangement "
    "deviation disorders dissection disturbances duplications effusion endocrine enlargement "
    "eversion excessive female fissured folds freckles fusion individual infestation infestations "
    "injury instability lobulated lump male nerve pain prolonged retained rupture scarring shock "
    "stenosis stress swelling transplant twinning unstable weakness worries complications "
    "contracture disruption failure fever hemorrhage infection infections polyp loss mass "
    "malposition perforation problem problems retention stricture symptoms syndrome trauma "
    "strangulation personality dependence abuse intoxication fragments torsion spasm complication "
    "variations sinus thoracic spotting smoking stiffness plague pica ganglion sedative osteopathy "
    "atrophy exhibitionism yaws"
)
NO_CONDITION = frozenset(VAGUE_CONDITIONS.split())
BRITISH = (
    ("leukemia", "leukaemia"),
    ("anemia", "anaemia"),
    ("edema", "oedema"),
    ("hemo", "haemo"),
    ("rrhea", "rrhoea"),
    ("esoph", "oesoph"),
    ("tumor", "tumour"),
    ("celiac", "coeliac"),
    ("apnea", "apnoea"),
    ("glycemi", "glycaemi"),
)


def medicines() -> Iterator[str]:
    """Names of medicines as patients know them."""
    for name, substances in drugs_finder.drug_variant_to_canonical.items():
        if name in NO_MEDICINE or name in given_names() or not MEDICINE.fullmatch(name):
            continue
        if any(map(_is_medicine, substances)):
            yield name


def _is_medicine(substance: str) -> bool:
    data = drugs_finder.drug_canonical_to_data.get(substance, {})
    return bool(data.get("medline_plus_id") or data.get("nhs_url"))


def conditions() -> Iterator[str]:
    """Short names of diseases, in American and British spelling."""
    for code in icd.get_all_codes():
        if code[0] not in CHAPTERS or len(code) < 3:
            continue
        name = _shortened(icd.get_description(code).lower())
        if CONDITION.fullmatch(name) and not VAGUE.search(name) and name not in NO_CONDITION:
            yield name
            yield _british(name)


def _shortened(description: str) -> str:
    description = re.sub(r"\(.*?\)|\[.*?\]", "", description)
    return HEAD.sub("", TAIL.split(description)[0]).strip()


def _british(name: str) -> str:
    for american, british in BRITISH:
        name = name.replace(american, british)
    return name


if __name__ == "__main__":
    write_list(Path(sys.argv[1]) / "medicines.txt.gz", set(medicines()))
    write_list(Path(sys.argv[1]) / "conditions.txt.gz", set(conditions()))
