"""Which full given names a short form may stand for; candidates, never proof."""

from functools import cache

from nicknames import NickNamer

# Beside the packaged English table: short forms of other languages, short: full names.
OTHER_LANGUAGES = """
pepe: jose giuseppe | paco: francisco | pancho: francisco | curro: francisco | lupe: guadalupe
nacho: ignacio | chema: jose | chuy: jesus | lola: dolores | concha: concepcion | charo: rosario
maite: maria | mayte: maria | quique: enrique | kike: enrique | beto: alberto roberto humberto
memo: guillermo | guille: guillermo | lalo: eduardo gonzalo | tono: antonio | nando: fernando
rafa: rafael | santi: santiago | javi: javier | xavi: xavier | manolo: manuel | manu: manuel
sasha: alexander aleksandr alexandra aleksandra | sascha: alexander | shura: alexander aleksandr
misha: mikhail michael | dima: dmitri dmitriy dmitry | mitya: dmitri dmitriy dmitry
vanya: ivan | kolya: nikolai nikolay | volodya: vladimir | vova: vladimir | zhenya: evgeny evgeniya
katya: ekaterina | nastya: anastasia anastasiya | tanya: tatiana tatyana | natasha: natalia natalya
olya: olga | lena: elena helena magdalena | masha: maria mariya | anya: anna | sveta: svetlana
lyosha: alexei aleksey | alyosha: alexei aleksey | pasha: pavel | petya: petr pyotr
seryozha: sergei sergey
hansi: hans johann johannes | hannes: johannes | sepp: josef joseph | jupp: josef | fritz: friedrich
heinz: heinrich | uli: ulrich | wolfi: wolfgang | klausi: klaus nikolaus | gitti: brigitte
steffi: stefanie stephanie | susi: susanne | resi: therese | lisl: elisabeth | lilo: liselotte
jojo: joel johannes josephine | manu: emmanuel manuela | fred: frederic alfred | seb: sebastien
loulou: louis louise | nico: nicolas nicola | titi: thierry | gigi: luigi giovanna
beppe: giuseppe | gianni: giovanni | nando: ferdinando | sandro: alessandro | tonio: antonio
ze: jose | chico: francisco | beto: roberto | duda: eduardo eduarda | nando: fernando
tonho: antonio | guga: gustavo | kika: francisca | bia: beatriz | gabi: gabriel gabriela
kasia: katarzyna | asia: joanna | basia: barbara | gosia: malgorzata | ania: anna | kuba: jakub
tomek: tomasz | piotrek: piotr | krzysiek: krzysztof | wojtek: wojciech | janek: jan
magda: magdalena
mo: mohammed mohamed muhammad | hamada: mohamed ahmed | abdu: abdullah | mimi: maryam mariam
jan: johannes | kees: cornelis | piet: pieter | wim: willem | henk: hendrik | joop: johannes
raju: rajesh rajendra | vicky: vikram victoria | sonu: sonia | bunty: balwinder
"""
# Spellings of one name, each in both directions.
VARIANTS = (
    "mohammed mohamed muhammad mohammad muhammed mohamad",
    "ahmed ahmad",
    "aleksandr alexander alexandr",
    "dmitri dmitriy dmitry",
    "yusuf youssef yousef yosef",
    "catherine katherine kathryn katharine",
    "sara sarah",
    "jon john",
    "sergei sergey",
    "aisha ayesha aicha",
    "hussein hussain husein hossein",
)


@cache
def _table() -> dict[str, frozenset[str]]:
    entries: dict[str, set[str]] = {}
    for entry in OTHER_LANGUAGES.replace("\n", "|").split("|"):
        short, _, names = entry.partition(":")
        if names:
            entries.setdefault(short.strip(), set()).update(names.split())
    for line in VARIANTS:
        names = line
        first = names.split()[0]
        for name in names.split():
            entries.setdefault(name, set()).add(first)
    return {short: frozenset(names) for short, names in entries.items()}


@cache
def _english() -> NickNamer:
    return NickNamer()


def canonical_given_names(given: str) -> frozenset[str]:
    """The name itself, what it may be short for, and the main spelling of each.

    Args:
        given: a lower-case ASCII given name.
    """
    names = {given, *_english().canonicals_of(given), *_table().get(given, ())}
    for name in tuple(names):
        names |= {spelling for spelling in _table().get(name, ()) if spelling != name}
    return frozenset(names)
