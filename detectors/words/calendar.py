"""The names of days, months and seasons in English."""

from detectors.words import word_set

DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = word_set(
    "january february march april may june july august september october november december"
)
SEASONS = word_set("spring summer autumn fall winter")
