"""Invents people, places and firms of many cultures, from Faker's lists and from our own."""

import random

from faker import Faker

LOCALES = (
    "en_US en_GB en_IN en_NG en_PK es_ES es_MX es_CO fr_FR fr_CA de_DE de_AT it_IT pl_PL pt_BR "
    "pt_PT nl_NL nl_BE sv_SE no_NO da_DK fi_FI tr_TR cs_CZ sk_SK ro_RO hr_HR id_ID vi_VN tw_GH "
    "yo_NG zu_ZA hu_HU et_EE lv_LV lt_LT sl_SI ga_IE az_AZ uz_UZ ha_NG sw ng_NG"
)
ADDRESS_LOCALES = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pt_BR")
TITLES = ("Dr. ", "Mr. ", "Mrs. ", "Ms. ", "Prof. ", "Dr ", "Miss ", "Aunt ", "Uncle ")
FIRM_ENDINGS = (
    "Labs|Systems|Technologies|Inc|Ltd|GmbH|Logistics|Bank|Insurance|Consulting|Foods|Pharma|Media|"
    "Studio|Partners|Group|University|Hospital|Clinic|High School|College|Airlines|Motors|Energy|"
    "Credit Union|Foundation|Analytics|Freight|AB|& Sons|Bakery|Dental|Books"
)


class People:
    """A seeded source of names.

    Args:
        chance: the source of every choice.
        slots: our own lists: ``given``, ``surnames``, ``word_names`` and ``L``.
    """

    def __init__(self, chance: random.Random, slots: dict[str, list[str]]) -> None:
        self._chance = chance
        self._slots = slots
        self._words = frozenset(name.lower() for name in slots["word_names"])
        self._fakers = [faker for name in LOCALES.split() if (faker := _faker(name, chance))]
        self._street = [faker for name in ADDRESS_LOCALES if (faker := _faker(name, chance))]

    def is_word(self, name: str) -> bool:
        """Whether a part of the name is also an ordinary English word."""
        return any(part in self._words for part in name.lower().split())

    def given(self) -> str:
        draw = self._chance.random()
        if draw < 0.14:
            return self._chance.choice(self._slots["word_names"])
        if draw < 0.5:
            return self._chance.choice(self._slots["given"])
        return self._latin("first_name") or self._chance.choice(self._slots["given"])

    def family(self) -> str:
        if self._chance.random() < 0.35:
            return self._chance.choice(self._slots["surnames"])
        return self._latin("last_name") or self._chance.choice(self._slots["surnames"])

    def person(self) -> str:
        given, family = self.given(), self.family()
        draw = self._chance.random()
        if draw < 0.42:
            return given
        if draw < 0.82:
            return f"{given} {family}"
        if draw < 0.87:
            return self._chance.choice(TITLES) + family
        if draw < 0.90:
            return f"{given[0]}. {family}"
        if draw < 0.94:
            return f"{given} {family}{self._chance.choice('- ')}{self.family()}"
        if draw < 0.96:
            return f"{family}, {given}"
        return family if draw < 0.98 else f"{family} {given}"

    def city(self) -> str:
        return self._latin("city", longest=25) or self._chance.choice(self._slots["L"])

    def address(self) -> str:
        return self._chance.choice(self._street).street_address().replace("\n", ", ")

    def company(self) -> str:
        stem = self._chance.choice([self.family, self.city, self._word])()
        return f"{stem} {self._chance.choice(FIRM_ENDINGS.split('|'))}"

    def _word(self) -> str:
        return str(self._fakers[0].word()).title()

    def _latin(self, kind: str, longest: int = 40) -> str:
        for _ in range(6):
            value = str(getattr(self._chance.choice(self._fakers), kind)())
            if len(value) <= longest and all(map(_is_latin, value)):
                return value
        return ""


def _is_latin(char: str) -> bool:
    return not char.isalpha() or char < "\u0250" or "\u1e00" <= char < "\u1f00"


def _faker(locale: str, chance: random.Random) -> Faker | None:
    try:
        faker = Faker(locale)
    except AttributeError:
        return None
    faker.seed_instance(chance.randint(0, 10**9))
    return faker
