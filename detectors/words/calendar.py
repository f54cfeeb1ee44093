"""The names of days, months and seasons in English, and of days in other languages."""

from detectors.words import word_set

DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = word_set(
    "january february march april may june july august september october november december"
)
SEASONS = word_set("spring summer autumn fall winter")
# In the eight languages of the word lists; people are called "Domingo" and "Domenica".
_NEXT_DOOR = word_set(
    "montag dienstag mittwoch donnerstag freitag samstag sonntag "
    "lundi mardi mercredi jeudi vendredi samedi dimanche "
    "lunes martes miércoles jueves viernes sábado"
)
EVERY_DAY = (
    DAYS
    | _NEXT_DOOR
    | word_set(
        "easter christmas sonnabend "
        "lunedì martedì mercoledì giovedì venerdì sabato "
        "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira "
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag "
        "poniedziałek wtorek środa środę czwartek piątek sobota sobotę niedziela niedzielę"
    )
)
TIMES = (
    EVERY_DAY
    | MONTHS
    | SEASONS
    | word_set(
        "januar jänner februar märz mai juni juli oktober dezember frühling frühjahr sommer herbst "
        "janvier février mars avril juin juillet août septembre octobre novembre décembre "
        "printemps enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
        "diciembre primavera verano otoño invierno domingo domenica "
        "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre autunno inverno "
        "janeiro fevereiro março maio junho julho setembro outubro novembro dezembro outono "
        "januari februari maart mei augustus zomer herfst "
        "styczeń stycznia styczniu luty lutego lutym marzec marca marcu kwiecień kwietnia kwietniu "
        "maj maju czerwiec czerwca czerwcu lipiec lipca lipcu sierpień sierpnia sierpniu wrzesień "
        "września wrześniu październik października październiku listopad listopada listopadzie "
        "grudzień grudnia grudniu jesień"
    )
)
# As notes write them behind what is planned: "Tiler Mon", "Pádel lunes".
SHORT_DAYS = word_set("mon tue tues wed thu thur thurs fri sat sun")
SHORT_MONTHS = word_set("jan feb mar apr jun jul aug sep sept oct nov dec")
WEEK = DAYS | SHORT_DAYS | _NEXT_DOOR | {"domingo"}
