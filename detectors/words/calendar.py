"""The names of days, months and seasons in English, and of days in other languages."""

from detectors.words import word_set

DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = word_set(
    "january february march april may june july august september october november december"
)
SEASONS = word_set("spring summer autumn fall winter")
# As notes write them behind what is planned: "Tiler Mon", "Pádel lunes".
SHORT_DAYS = word_set("mon tue tues wed thu thur thurs fri sat sun")
SHORT_MONTHS = word_set("jan feb mar apr jun jul aug sep sept oct nov dec")
WEEK = (
    DAYS
    | SHORT_DAYS
    | word_set(
        "montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi "
        "vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo"
    )
)
