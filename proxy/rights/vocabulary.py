"""Words in which people ask for their rights."""

import re


def _set(words: str) -> frozenset[str]:
    return frozenset(part.strip() for part in words.split(",") if part.strip())


_FORGET = (
    r"(?<!\bi )(?:forget|delete|erase|remove|clear|wipe|purge|drop|get rid of|stop remembering|"
    r"take out|scrub)\b"
)
# "I don't remember" asks for nothing.
_NOT = (
    r"(?:(?:don't|do not|never) (?:ever )?want (?:you|it|this|that) to "
    r"(?:remember|store|save|keep|record)|"
    r"(?<!\bi )(?<!\bwe )(?:don't|do not|never) (?:ever )?(?:remember|store|save|keep|record)|"
    r"stop (?:remembering|storing|saving|recording))\b"
)
FORGETTING = re.compile(rf"\b{_FORGET}", re.IGNORECASE)
FUTURE = re.compile(rf"\b{_NOT}", re.IGNORECASE)
# The next clause of a sentence: "…, and please don't store it again".
JOINED = re.compile(
    r"(?:[,;.!?]\s*|\s+(?:and|but|then|also|plus)\s+)"
    r"(?:(?:and|but|then|also|please|kindly|you|can|could|should|must|i)\s+)*"
    rf"(?<=[,;.!?\s])(?:{_NOT}|{_FORGET})",
    re.IGNORECASE,
)
COURTESY = re.compile(
    r"(?:[,\s]+(?:please|thanks(?: in advance)?|thank you|thx|forever|for good|permanently|"
    r"completely|(?:from|out of) (?:your|my|the|our) (?:memor(?:y|ies)|data|records?)|any ?more|"
    r"any longer|ever again|again|from now on|in (?:the )?future|going forward|for me|right now|"
    r"at once|immediately|asap|ok(?:ay)?|if you can|will you|would you|could you))+(?=[\s.!?]*$)",
    re.IGNORECASE,
)
KEEPING = re.compile(
    r"[,;]?\s*\b(?:but|except|however|while|and)\s+(?:please\s+)?(?:you\s+(?:can|may|should)\s+)?"
    r"(?:still\s+)?(?:keep|remember|retain|leave|not)\b\s*(?:that|the fact that)?",
    re.IGNORECASE,
)
# What is left out has no name of its own: "everything except my job", "everything else".
EXCEPTING = re.compile(
    r"\b(?:except|other than|apart from|aside from|besides|(?:everything|all|anything) but|"
    r"everything else|all else|me not)\b",
    re.IGNORECASE,
)
REMEMBERING = re.compile(r"\b(?:always|keep) remember(?:ing)?\b", re.IGNORECASE)
CORRECTING = re.compile(
    r"(?<!\bi )\b(?:correct|rectify|fix|update|change)\b(?= (?:my|the|what|everything)\b)",
    re.IGNORECASE,
)
ASKING = re.compile(
    r"(?P<export>\b(?:export|download|send me|give me a copy of|port)\b)|"
    r"(?P<tell>\b(?:what do you (?:know|remember|have)|do you (?:know|remember)|"
    r"show me what you (?:know|remember)|tell me what you (?:know|remember))\b)",
    re.IGNORECASE,
)
ASKING_FOR = {  # attributes put as a question: "where I work"
    "employer": re.compile(r"(?:where|who(?:m)?|which company) i work(?: for| at)?"),
    "address": re.compile(r"where i live"),
    "salary": re.compile(r"(?:how much|what) i (?:earn|make|am paid|get paid)"),
    "birthday": re.compile(r"when i was born|how old i am"),
}
RESTRICTING = re.compile(r"\b(?:restrict|freeze|stop using|stop processing|pause)\b", re.IGNORECASE)
SUBJECT_WORDS = _set("me, myself, my data, everything, all, memories, account, all of it, it all")
CATEGORIES = {
    "health": "health", "medical": "health", "financial": "financial", "finance": "financial",
    "finances": "financial", "money": "financial", "biometric": "biometric",
    "biometrics": "biometric", "location": "location", "whereabouts": "location",
    "political": "political_religious", "religious": "political_religious",
    "politics": "political_religious", "religion": "political_religious",
    "relationship": "relationships", "relationships": "relationships", "family": "relationships",
    "professional": "professional", "work": "professional", "job": "professional",
    "preferences": "preferences", "preference": "preferences",
}  # fmt: skip
RELATIONS = _set(
    "ex-wife, ex-husband, ex, ex-girlfriend, ex-boyfriend, wife, husband, partner, mother, mom, "
    "mum, father, dad, brother, sister, son, daughter, boss, manager, neighbour, neighbor, "
    "girlfriend, boyfriend, uncle, aunt, cousin, grandmother, grandfather, therapist, doctor"
)
CONDITIONS = _set(
    "diabetes, asthma, cancer, depression, anxiety, hiv, epilepsy, migraine, migraines, allergy, "
    "allergies, pregnancy, hypertension, arthritis, adhd, autism, bipolar disorder, ptsd, "
    "heart disease, heart condition, high blood pressure, eating disorder, addiction"
)
