"""Works, shops and accounts that are called like somebody, and people in nearly the same words."""

from collections.abc import Callable

import pytest

# what it is, a sentence with a work or a shop, one about somebody, and who
ROWS = (
    ("read", "Reading Emma again this winter.", "Reading Emma a story.", "Emma"),
    ("novel", "Jonas lent me the novel Emma.", "The novel Emma lent me is dull.", "Emma"),
    ("film", "Watched the film Lucy yesterday.", "The film Lucy made is short.", "Lucy"),
    ("copy", "Got a copy of Dune and Emma.", "Got a copy of Emma's passport.", "Emma"),
    ("row", "Rewatched Juno and Carol at home.", "Rewatched it with Carol at home.", "Carol"),
    ("shown", "Watched Tilda with subtitles.", "Watched Tilda play football.", "Tilda"),
    ("title", "Watched Matilda with the class.", "Watched Matilda while her mum slept.", "Matilda"),
    ("imperative", "Finished Rebecca, loved it.", "Watch Rebecca until six.", "Rebecca"),
    ("work", "Saw Coraline at the cinema.", "Saw Emma at the cinema.", "Emma"),
    ("game", "Played Zelda until two.", "Played Emma at chess.", "Emma"),
    ("musical", "She loves Matilda the musical.", "Gave Matilda the musical box.", "Matilda"),
    ("singer", "Listening to Adele on the train.", "Listening to Adele complain.", "Adele"),
    ("author", "Her favourite author is Tilda Brenn.", "Her aunt is Tilda Brenn.", "Tilda Brenn"),
    ("list", "Book list: Dune, Emma, Piranesi", "Guests: Emma, Piran, Ida", "Emma"),
    ("doer", "To watch: Juno, Carol, Selma", "Movies: Carol picks, we pay, all cook", "Carol"),
    ("phrase", "They picked Klara and the Sun.", "They picked Klara and the twins.", "Klara"),
    ("eatery", "Lunch at Luigi's on Friday.", "Lunch at Luigi's place.", "Luigi"),
    ("cook", "Dinner at Franco's, all seven of us.", "Dinner at Franco's, he cooked.", "Franco"),
    ("home", "We ate at Mario's.", "We are staying at Mario's.", "Mario"),
    ("table", "A table at Tilda's for six.", "A party at Tilda's for six.", "Tilda"),
    ("served", "Dinner at Tilda's, the fish was raw.", "Dinner at Tilda's, all of us.", "Tilda"),
    ("chain", "Met at Nando's.", "Met at Anna's.", "Anna"),
    ("house", "The restaurant Anna is shut.", "The restaurant Anna owns is shut.", "Anna"),
    ("entitled", "The restaurant Nonna Rosa is shut.", "My nonna Rosa is ill.", "Rosa"),
    ("hotel", "Hotel Adlon was full.", "Adlon was late for our wedding.", "Adlon"),
    ("account", "Salary goes to my Marcus account.", "It goes to Marcus's account.", "Marcus"),
    ("insurer", "Home is insured with Hiscox.", "Lunch with Hiscox on Friday.", "Hiscox"),
    ("chatbot", "Asked Claude for a summary.", "Asked Claude for his number.", "Claude"),
    ("station", "Parks at Victoria and walks.", "Parks at Victoria's and walks.", "Victoria"),
)  # fmt: skip


@pytest.mark.parametrize("text", [row[1] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_work_or_a_shop_is_nobody(people_of: Callable[[str], list[str]], text: str) -> None:
    assert {"Jonas"}.issuperset(people_of(text))


@pytest.mark.parametrize(("text", "name"), [row[2:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_somebody_in_nearly_the_same_words_stays(
    people_of: Callable[[str], list[str]], text: str, name: str
) -> None:
    assert name in people_of(text)
