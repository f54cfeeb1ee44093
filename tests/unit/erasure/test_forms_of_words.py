"""Other forms of a term: what means the same is found, what only looks alike is not."""

import pytest

from proxy.erasure.texts.mentions import Needles

SAME = """
autism: autistic
epilepsy: epileptic, epileptics
asthma: asthmatic, asthmatics
diabetes: diabetic, diabetics
leukaemia: leukaemic, leukemia, leukemic
leukemia: leukaemia, leukaemic, leukemic
anaemia: anaemic, anemic, anemia
haemophilia: haemophiliac, hemophiliac, hemophilia
hemophilia: haemophilia, haemophiliac
depression: depressive, depressed, depressions
allergy: allergic, allergies
anorexia: anorexic, anorectic
dyslexia: dyslexic, dyslexics
schizophrenia: schizophrenic
insomnia: insomniac, insomniacs
psychosis: psychotic, psychoses
psoriasis: psoriatic
cirrhosis: cirrhotic
arthritis: arthritic
neuropathy: neuropathic
alcoholism: alcoholic, alcoholics
narcolepsy: narcoleptic
hypertension: hypertensive
addiction: addicted
obesity: obese
anxiety: anxious
infertility: infertile
pregnancy: pregnant
dementia: demented
paranoia: paranoid
paraplegia: paraplegic
trauma: traumatic
eczema: eczematous
cancer: cancerous, cancers
tumour: tumor, tumors, tumours
diarrhoea: diarrhea
coeliac: celiac
tuberculosis: tubercular
deafness: deaf
diabetic: diabetes
autistic: autism
epileptic: epilepsy
vegetarian: vegetarians, vegetarianism
migraine: migraines
measles: measles
rickets: rickets
"""
OTHERS = """
measles: measly, measure
rickets: rickety, cricket
asthma: asthenia
autism: automatic, autumn
epilepsy: epilogue
diabetes: diabolic
depression: depressing, depth, deprecated
cancer: canceled, Cancun
allergy: energy, allegory
anxiety: society
hernia: her
scabies: scab
shingles: shingled, single
mumps: mumbles
addiction: addition
trauma: tram
paranoia: paragon
dementia: mental
obesity: observed
pregnancy: regent
malaria: material
migraine: migrating
"""


def rows(table: str) -> list[tuple[str, str]]:
    """Each word of a table with each of the others on its line."""
    lines = [line.split(": ") for line in table.strip().splitlines()]
    return [(word, other) for word, others in lines for other in others.split(", ")]


def takes(word: str, text: str, entity_type: str | None) -> bool:
    """Whether a text mentions a word that is forgotten."""
    return Needles.build([word], entity_type=entity_type).mentioned(text)


@pytest.mark.parametrize("kind", ["MEDICAL_CONDITION", "TERM", None])
@pytest.mark.parametrize(("word", "other"), rows(SAME))
def test_what_means_the_same_is_found(word: str, other: str, kind: str | None) -> None:
    """The illness and who has it, one and several, British and American."""
    assert takes(word, f"Her nephew is {other} since March", kind)


@pytest.mark.parametrize(("word", "other"), rows(OTHERS))
def test_what_only_looks_alike_stays(word: str, other: str) -> None:
    """Words of another root, though they begin alike."""
    assert not takes(word, f"That was {other} since March", "MEDICAL_CONDITION")
