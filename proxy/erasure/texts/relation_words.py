"""Words for one and the same relation, for several of a kind, and for what is left of one."""

from collections.abc import Mapping

FORMER = (
    "former|ehemalig\\w{1,2}|früher\\w{1,2}|ancienne?|antigu[oa]|antig[oa]|vroegere|voormalige?"
)
# Of whom there may be a former one and another: a former boss is a boss.
PARTNERS = (
    "wife|husband|spouse|partner|girlfriend|boyfriend|fianc[ée]e?|frau|mann|ehefrau|ehemann|"
    "freundin|freund|femme|mari|copine|copain|esposa|esposo|marido|mujer|mulher|novia|novio|"
    "namorada|namorado|moglie|marito|fidanzata|fidanzato|vrouw|man|vriendin|vriend"
)
EX_ONLY = "mujer|mulher|man"  # words for a partner behind ``ex`` alone

# One relation in its words, as they are written in small letters; the first names it.
_GROUPS = (
    "mother mom mum mommy mummy mutter mama maman mère madre mãe moeder mamma",
    "father dad daddy vater papa père padre pai vader papà",
    "sister sis schwester sœur soeur hermana sorella irmã zus",
    "brother bro bruder frère hermano fratello irmão broer",
    "daughter tochter fille hija figlia filha dochter",
    "son sohn fils hijo figlio filho zoon",
    "child kid kind enfant",
    "sibling",
    "parent",
    "wife wifey ehefrau frau femme esposa moglie vrouw",
    "husband hubby ehemann mann mari esposo marido marito",
    "ex-wife ex-frau ex-ehefrau ex-femme ex-esposa ex-mujer ex-mulher ex-moglie ex-vrouw",
    "ex-husband ex-mann ex-ehemann ex-mari ex-esposo ex-marido ex-marito ex-man",
    "ex-girlfriend ex-freundin ex-copine ex-novia ex-namorada ex-fidanzata ex-vriendin",
    "ex-boyfriend ex-freund ex-copain ex-novio ex-namorado ex-fidanzato ex-vriend",
    "ex",
    "ex-partner",
    "ex-spouse",
    "spouse",
    "partner",
    "fiancé fiance fiancée fiancee verlobte verlobter",
    "grandmother grandma granny gran nan nana oma grossmutter grand-mère abuela nonna avó",
    "grandfather grandpa opa grossvater grand-père abuelo nonno avô",
    "grandparent",
    "grandchild",
    "granddaughter enkelin",
    "grandson enkel",
    "aunt auntie tante tía zia",
    "uncle onkel oncle tío zio oom",
    "niece nichte nièce",
    "nephew neffe neveu",
    "boss manager chef chefin patron patronne jefe jefa chefe capo baas",
    "doctor gp physician arzt ärztin hausarzt hausärztin médecin médico médica medico dottore "
    "dottoressa dokter huisarts",
    "neighbour nachbar nachbarin voisin voisine vecino vecina vizinho vizinha vicino vicina "
    "buurman buurvrouw",
    "colleague kollege kollegin collègue colega collega",
    "roommate mitbewohner mitbewohnerin colocataire coinquilino coinquilina huisgenoot huisgenote",
)
GROUPS: Mapping[str, frozenset[str]] = {
    each.split()[0]: frozenset(each.split()) for each in _GROUPS
}
# What may be one of several, and nobody can tell: my child is my son or my daughter.
_WIDER = (
    "child: son daughter", "sibling: brother sister", "parent: mother father",
    "spouse: wife husband", "partner: wife husband girlfriend boyfriend",
    "ex: ex-wife ex-husband ex-girlfriend ex-boyfriend ex-partner ex-spouse",
    "ex-spouse: ex-wife ex-husband",
    "ex-partner: ex-wife ex-husband ex-girlfriend ex-boyfriend",
    "grandparent: grandmother grandfather", "grandchild: granddaughter grandson",
    "twin: brother sister",
)  # fmt: skip
WIDER: Mapping[str, frozenset[str]] = {
    wide: frozenset(narrow.split()) for wide, narrow in (each.split(": ") for each in _WIDER)
}
# Several of a relation that no plain ``s`` tells; what may be of either sex is the wider one.
_PLURALS = (
    "child: kids children kinder enfants hijos figli filhos kinderen",
    "sibling: siblings geschwister hermanos fratelli irmãos",
    "parent: parents eltern padres genitori pais ouders",
    "twin: twins",
    "grandparent: grandparents grosseltern grands-parents abuelos nonni avós grootouders",
    "grandchild: grandkids grandchildren enkelkinder petits-enfants nietos netos kleinkinderen",
    "wife: wives", "ex-wife: ex-wives", "ex: exes",
    "sister: schwestern sorelle zussen", "brother: brüder", "daughter: töchter figlie",
    "son: söhne zonen zoons", "aunt: tanten zie", "uncle: zii", "niece: nichten",
    "nephew: neffen", "doctor: ärzte médicos medici",
    "neighbour: nachbarn voisins vecinos vizinhos vicini buren",
    "colleague: kollegen kolleginnen colleghi collega's",
    "freund: freunde", "freundin: freundinnen", "amico: amici", "amica: amiche",
    "vriend: vrienden", "vriendin: vriendinnen",
)  # fmt: skip
PLURALS: Mapping[str, str] = {
    word: role for role, words in (each.split(": ") for each in _PLURALS) for word in words.split()
}
