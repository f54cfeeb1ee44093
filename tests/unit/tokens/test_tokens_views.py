"""Names in wrappers and disguises, with middle names, in fields; and what others are called."""

import base64

import pytest

from proxy.erasure.texts.mentions import Needles
from proxy.ledger.engine import Ledger
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.forms.views import views
from proxy.tokens.index.spelling import Name

WRAPPED: dict[str, tuple[str, str]] = {
    # id: a text that names Sten Lode, the same kind of text that does not
    "slug in a link": ("https://x.example/sten-lode", "https://x.example/sten-lodestar"),
    "slug, other order": ("https://x.example/lode-sten?a=1", "https://x.example/lode-stena?a=1"),
    "joined in a link": ("https://x.example/stenlode", "https://x.example/stenlodestar"),
    "dots in a link": ("https://x.example/sten.lode", "https://x.example/stella.lode"),
    "handle in a path": ("/u/sten_lode", "/u/sten_lodestar"),
    "plus in a link": ("https://x.example/?q=Sten+Lode", "https://x.example/?q=Stella+Lode"),
    "percent": ("see Sten%20Lode page", "see Sten%20Lodestar page"),
    "percent in a query": (
        "see https://x.example/?q=Sten%20Lode&x=1", "see https://x.example/?q=Sten%20Lund&x=1",
    ),
    "percent in a path": ("https://x.example/u/Sten%20Lode", "https://x.example/u/Sten%20Lodestar"),
    "percent in a written link": ("[her](https://x.example/Sten%20Lode)", "[a](https://x.example/Sten)"),
    "percent in a link": ("https://x.example/a%2Fsten-lode", "https://x.example/a%2Fstenalode"),
    "entity": ("Sten&nbsp;Lode", "Sten&nbsp;Lund"),
    "entities of letters": ("&#83;ten L&#111;de", "&#83;ten L&#117;nd"),
    "escape": ("\\u0053ten Lode", "\\u0053tan Lode"),
    "escape of bytes": ("\\x53ten Lode", "\\x53tan Lode"),
    "leet": ("5t3n L0de", "5t4n L0de"),
    "leet, half": ("Sten L0d3 came", "Sten L0ck came"),
    "base64": (
        base64.b64encode(b"Sten Lode").decode(), base64.b64encode(b"Stan Lode").decode(),
    ),
    "base64 of more": (
        base64.b64encode(b"I met Sten Lode there").decode(),
        base64.b64encode(b"I met Sten Lund there").decode(),
    ),
    "full-width": ("Ｓｔｅｎ Ｌｏｄｅ", "Ｓｔａｎ Ｌｏｄｅ"),
    "title and initial": ("Dr. Sten M. Lode", "Dr. Sten M. Lund"),
    "two initials": ("Sten M. K. Lode", "Stella M. K. Lode"),
    "middle name": ("Sten Mikael Lode", "Sten Mikael Lund"),
    "middle name, small": ("sten mikael lode", "sten met lode"),
    "middle name, capitals": ("STEN MIKAEL LODE", "STEN MET LODE"),
    "title in between": ("Sten Dr. Lode", "Sten. Dr. Lode"),
    "two middle names": ("Sten Mikael Anders Lode", "Sten Lund. Anders Lode"),
    "middle name in a slug": ("/people/sten-mikael-lode", "/people/sten-likes-lode"),
    "an enumeration": ("Sten Lode, Mira Lode", "Sten, Mira Lode"),
    "two of a family": ("Sten Lode and Mira", "Sten and Mira Lode"),
    "fields": ('{"first":"Sten","last":"Lode"}', '{"first":"Sten","last":"Lund"}'),
    "fields, other order": (
        '{"last_name": "Lode", "first_name": "Sten"}', '{"last_name": "Lode", "town": "Sten"}',
    ),
    "fields with a middle name": (
        '{"firstName":"Sten","middleName":"M.","lastName":"Lode"}',
        '{"firstName":"Mira","middleName":"M.","lastName":"Lode"}',
    ),
    "fields, escaped": (
        '{\\"first\\":\\"Sten\\",\\"last\\":\\"Lode\\"}',
        '{\\"street\\":\\"Sten\\",\\"town\\":\\"Lode\\"}',
    ),
    "fields of Python": ("{'first': 'Sten', 'last': 'Lode'}", "{'city': 'Sten', 'river': 'Lode'}"),
    "fields on lines": ("first: Sten\nlast: Lode", "first: Sten\nsecond lake: the Lode"),
    "fields of a form": ("first=Sten&last=Lode", "first=Sten&lake=Lode"),
    "a guess is no field": ("first name: Sten, last name: Lode", "At first: Sten, a Lode of ore"),
}  # fmt: skip


@pytest.mark.parametrize(("said", "other"), WRAPPED.values(), ids=WRAPPED.keys())
def test_an_erasure_finds_it(said: str, other: str) -> None:
    """In any wrapper it is a certain mention; the twin is none at all."""
    needles = Needles.build(("Sten Lode",), entity_type="PERSON")
    assert needles.mentioned(said)
    assert not needles.mentioned(other)


async def test_a_write_is_stopped(ledger: Ledger, blocklist: Blocklist, tenant_id: str) -> None:
    """The blocklist reads what an erasure reads: the same table, each twin let through."""
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, [Name("Sten Lode")]))
    texts = [text for pair in WRAPPED.values() for text in pair]
    found = await blocklist.blocked_mentions(tenant_id, texts, initials=True)
    stopped = {text for text, hits in zip(texts, found, strict=True) if hits}
    assert stopped == {said for said, _ in WRAPPED.values()}


@pytest.mark.parametrize(
    ("known", "said", "other"),
    [
        ("Kira T. Moss", "Kira Moss", "Kira Voss"),
        ("Kira T. Moss", "Kira T. Moss", "Tilda Moss"),
        ("Kira Moss", "Dr. Kira T. Moss", "Dr. Tilda K. Moss"),
    ],
)
def test_initials_in_the_middle(known: str, said: str, other: str) -> None:
    """Known with an initial or without it: the same person either way, nobody else."""
    needles = Needles.build((known,), entity_type="PERSON")
    assert needles.mentioned(said)
    assert not needles.mentioned(other)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("see Sten%20Lode now", "Sten%20Lode"),
        ('x {"first":"Sten","last":"Lode"} y', 'Sten","last":"Lode'),
        ("by 5t3n L0de", "5t3n L0de"),
        ("key U3RlbiBMb2Rl end", "U3RlbiBMb2Rl"),
    ],
)
def test_where_it_stands(text: str, at: str) -> None:
    """The span covers what has to go in the text as it was written."""
    (span,) = Needles.build(("Sten Lode",), entity_type="PERSON").find(text)
    assert text[span.start : span.end] == at


@pytest.mark.parametrize(
    "text", ["Met Sten – “yes” – in Turku", "Plain words only", "Zoë und Jörg kommen mit"]
)
def test_plain_texts_have_one_reading(text: str) -> None:
    """What typing produces is no disguise and costs nothing."""
    assert [view.text for view in views(text)] == [text]


def test_only_what_reads_differently_is_read_again() -> None:
    """Around a wrapper whole words are kept; the rest of a long text is read once."""
    text = "plain words " * 100 + "seen with Sten%20Lodestar today " + "plain words " * 100
    _, opened = views(text)
    assert "Sten Lodestar today" in opened.text
    assert len(opened.text) < 250
    assert opened.text.split()[0] in {"plain", "words"}
    start = opened.text.index("Sten")
    assert text[slice(*opened.span(start, start + len("Sten Lodestar")))] == "Sten%20Lodestar"
