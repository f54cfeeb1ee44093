"""What two texts say: one telling word is another fact, a filler or an ending is none."""

import pytest

from proxy.erasure.texts.wording import same_sense, same_words, senses, wording

OTHER_FACTS = [
    # what is erased, and another fact in nearly the same words
    ("My mother takes insulin before breakfast", "My father takes insulin before breakfast"),
    ("My mother takes insulin before breakfast", "My mother takes insulin after breakfast"),
    ("My mother takes insulin before breakfast", "My mother takes warfarin before breakfast"),
    ("My mother takes insulin before breakfast", "My mother takes insulin before dinner"),
    ("My mother takes insulin before breakfast", "Her mother takes insulin before breakfast"),
    ("The red bike stands in the cellar", "The blue bike stands in the cellar"),
    ("The red bike stands in the cellar", "The red bike stands in the attic"),
    ("The red bike stands in the cellar", "The red bike stands on the cellar"),
    ("The red bike stands in the cellar", "The red car stands in the cellar"),
    ("The code hint is my third street", "The code hint is my first street"),
    ("The PIN hint is the green boat in Turku", "The PIN hint is the red boat in Turku"),
    ("The PIN hint is the green boat in Turku", "The PIN hint is not the green boat in Turku"),
    ("The PIN hint is the green boat in Turku", "The PIN hint is the green boat in Oulu"),
    ("The PIN hint is the green boat in Turku", "The PIN hint was the green boat in Turku"),
    ("The PIN hint is the green boat in Turku", "The password hint is the green boat in Turku"),
    ("Owes her sister 500 euro since May", "Owes her sister 600 euro since May"),
    ("Owes her sister 500 euro since May", "Owes her sister 500 euro since June"),
    ("Owes her sister €500 since May", "Owes her sister $500 since May"),
    ("Owes her sister 500 euro since May", "Owes his sister 500 euro since May"),
    ("My brother owes my sister money", "My sister owes my brother money"),
    ("The teacher taught the lawyer to sail", "The lawyer taught the teacher to sail"),
    ("Anna lent Tom the tent", "Tom lent Anna the tent"),
    ("Prefers coffee to tea at work", "Prefers tea to coffee at work"),
    ("The train from Lund to Malmo leaves early", "The train from Malmo to Lund leaves early"),
    ("Flew from Oslo to Bergen on Friday", "Flew to Oslo from Bergen on Friday"),
    ("The cat was chased by the dog", "The dog was chased by the cat"),
    ("The cat chased the dog", "The cat was chased by the dog"),
    ("Drinks tea in the morning, coffee in the evening",
     "Drinks coffee in the morning, tea in the evening"),
    ("Drinks tea in the morning, coffee in the evening", "Evening tea, morning coffee: drinks"),
    ("Red cup on the blue plate", "Blue cup on the red plate"),
    ("Lives on a house boat near the bridge", "Lives on a boat house near the bridge"),
    ("Takes the tablets with food", "Takes the tablets without food"),
    ("Is careful with the stove", "Is careless with the stove"),
    ("Likes her new landlord", "Dislikes her new landlord"),
    ("The flat costs 1.50 more a day", "The flat costs 150 more a day"),
    ("It was -5 degrees in the cabin", "It was 5 degrees in the cabin"),
    ("Writes the service in C++", "Writes the service in C"),
    ("The door code is aB3x9", "The door code is Ab3X9"),
    ("The operation is on Tuesday at noon", "The operation is on Thursday at noon"),
    ("The left knee hurts when climbing stairs", "The right knee hurts when climbing stairs"),
    ("Always locks the upper door", "Never locks the upper door"),
    ("Always locks the upper door", "Sometimes locks the upper door"),
    ("Always locks the upper door", "Always locks the lower door"),
    ("Must take the pills", "Must not take the pills"),
    ("Can eat shrimp", "Cannot eat shrimp"),
    ("Doesn't eat pork", "Does eat pork"),
    ("Will marry in Bergen next June", "Will divorce in Bergen next June"),
    ("Will marry in Bergen next June", "Married in Bergen next June"),
    ("Only the aunt knows about the loan", "The aunt knows about the loan"),
    ("Lives with her aunt or uncle", "Lives with her aunt and uncle"),
    ("Works as a nurse at Norvane", "Works as a nurse near Norvane"),
    ("Sold the piano and kept the violin", "Sold the violin and kept the piano"),
    ("Is she allergic to bees?", "She is allergic to bees"),
    ("My colleague has diabetes", "My neighbour has diabetes"),
    ("The spare garage key lies under the mat", "The garage key lies under the mat"),
    ("The brother of the bride is a pilot", "The bride of the brother is a pilot"),
    ("The old dog of the young farmer bites", "The young farmer of the old dog bites"),
    ("Hates the dog that the cat chased", "Hates the dog that chased the cat"),
    ("Allergic to cats and afraid of dogs", "Allergic to dogs and afraid of cats"),
    ("The bank pays the tenant 20 a month", "The tenant pays the bank 20 a month"),
    ("The letter of the landlord about the clinic", "The letter of the clinic about the landlord"),
    ("Sleeps above the kitchen", "Sleeps below the kitchen"),
    ("Bought a car from her uncle", "Bought her car from an uncle"),
    ("Hates the dog that the cat chased", "Hates the cat that the dog chased"),
    ("Lives on a house boat near the bridge", "Lives near a house boat on the bridge"),
    ("Knows the wife of the mayor's son", "Knows the son of the mayor's wife"),
]  # fmt: skip
AGAIN = [
    # what is erased, and the same in other words: held out, so some of them are missed
    ("Likes jasmine tea", "likes Jasmine TEA!"),
    ("Likes jasmine tea", "She likes the jasmine tea."),
    ("Likes jasmine tea", "Jasmine tea she likes"),
    ("Has a nut allergy since childhood", "Has an allergy to nuts since childhood"),
    ("My mother takes insulin before breakfast", "Before breakfast my mom takes insulin"),
    ("Moved to a flat over the bakery", "Has moved to the apartment above the bakery"),
    ("Moved to a flat over the bakery", "Moving to a flat above the bakery"),
    ("The red bike stands in the cellar", "In the cellar stands the red bicycle"),
    ("The operation is on Tuesday at noon", "On Tuesday at noon is the operation"),
    ("Carries an inhaler and a phone", "Also carries an inhaler, a telephone too"),
    ("Owes her sister 500 euro since May", "Since May owes her sister 500 euro"),
    ("Works at the harbour office in Oslo", "Works in Oslo at the harbor office"),
    ("Her favourite colour is green", "Her favorite color is green"),
    ("Dad repairs bicycles in the garage", "Father repairs bikes in the garage"),
    ("Is getting divorced in spring", "The divorce is in spring"),
    ("Plans a trip to Bergen in June", "Planning a trip to Bergen in June"),
    ("Plans a trip to Bergen in June", "In June plans a trip to Bergen"),
    ("Lost her job at the brewery in March", "In March lost her job at the brewery"),
    ("Visits the physician each Friday", "Each Friday visits the doctor"),
    ("Keeps two cats and a parrot", "Keeps a parrot and two cats"),
    ("Keeps two cats and a parrot", "Summary: keeps two cats and a parrot"),
    ("Sings in the church choir on Sundays", "Sings on Sundays in the choir of the church"),
    ("Bought a car from her uncle", "Purchased a car from her uncle"),
    ("Cannot sleep without a lamp", "Can't sleep without a lamp"),
    ("Suffers from migraine every winter", "Gets migraines each winter"),
]  # fmt: skip
LEAST_RECALL = 0.8  # 21 of 25


def _same(erased: str, other: str) -> bool:
    return same_words(wording(other), wording(erased)) or any(
        same_sense(each, next(senses(erased))) for each in senses(other) if not each.bearer
    )


def test_whose_it_is_counts_where_nobody_is_asked() -> None:
    """``Her mother`` and ``mother`` may be two people: alike in sense at most, never in words."""
    ours, theirs = "Her mother takes insulin daily", "Mother takes insulin daily"
    assert not same_words(wording(ours), wording(theirs))
    assert _same(ours, theirs)


@pytest.mark.parametrize(("erased", "other"), OTHER_FACTS)
def test_one_telling_word_is_another_fact(erased: str, other: str) -> None:
    """Whichever of the two is erased, and before any model is asked."""
    assert not _same(erased, other)
    assert not _same(other, erased)


@pytest.mark.parametrize("silent", ["...", "the", "is", "Note:", "?"])
def test_a_text_without_a_telling_word_is_like_no_other(silent: str) -> None:
    """And it is read without a fault: one such memory must not stop anybody's erasure."""
    assert not _same("Takes insulin daily", silent)
    assert not _same(silent, "Takes insulin daily")


def test_most_rewordings_are_seen() -> None:
    """Held out, and without a model: precision goes first, so a few are missed."""
    seen = [again for erased, again in AGAIN if _same(erased, again)]
    assert len(seen) >= LEAST_RECALL * len(AGAIN), sorted({b for _, b in AGAIN} - {*seen})
