"""Trains the name model: ``python -m detectors.training.train_names MODEL_DIR FORTUNES_DIR``.

MODEL_DIR is the ``_model`` directory of the wheel named in :mod:`detectors.training.base`.
FORTUNES_DIR holds the quotation files of Debian's package ``fortunes``; they are labelled by the
unchanged model and rehearsed, so that it does not forget ordinary prose. Nothing of them is kept.
"""

import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
from spacy.language import Language
from spacy.training import Example
from spacy.util import compounding, filter_spans, fix_random_seed, minibatch

from detectors.people.ner import MODEL_DIR, load_vectors
from detectors.training.base import compact_vectors, load_base, write_model
from detectors.training.grammar import Sentence
from detectors.training.names import NameTexts

VERSION = "1.0.0"
SEED = 20261127
GENERATED = 20_000
REHEARSED = 3_000
TECHNICAL = 900
EPOCHS = 6
LEARN_RATE = 0.0006
DROPOUT = 0.2
FORTUNES = (
    "people wisdom science food work kids love medicine miscellaneous "
    "humorists education law news pets platitudes politics sports songs-poems"
)


def main(model_dir: Path, fortunes_dir: Path, target: Path) -> None:
    """Train from the base and write the model files with their manifest."""
    fix_random_seed(SEED)
    chance = random.Random(SEED)  # noqa: S311  # the order of training, no secret
    nlp = load_base(model_dir)
    vectors = compact_vectors(nlp)
    nlp.vocab.vectors = load_vectors(nlp, vectors)
    texts = [*NameTexts(SEED).sentences(GENERATED)]
    texts += _rehearsal(nlp, fortunes_dir, chance)
    texts += _technical(chance)
    train(nlp, texts, chance)
    notes = {
        "base": "en_core_web_md 3.8.0",
        "seed": SEED,
        "texts": len(texts),
        "epochs": EPOCHS,
        "numpy": np.__version__,
    }
    write_model(target, nlp, vectors, version=VERSION, notes=notes)


def train(nlp: Language, texts: list[Sentence], chance: random.Random) -> None:
    """Update the NER in place."""
    examples = [_example(nlp, text) for text in texts]
    optimiser = nlp.resume_training()
    optimiser.learn_rate = LEARN_RATE
    started = time.monotonic()
    for epoch in range(EPOCHS):
        chance.shuffle(examples)
        losses: dict[str, float] = {}
        for batch in minibatch(examples, size=compounding(32.0, 256.0, 1.005)):
            nlp.update(batch, sgd=optimiser, drop=DROPOUT, losses=losses)
        seconds = round(time.monotonic() - started)
        sys.stdout.write(f"epoch {epoch} loss {losses['ner']:.0f} seconds {seconds}\n")
        sys.stdout.flush()


def _example(nlp: Language, sentence: Sentence) -> Example:
    reference = nlp.make_doc(sentence.text)
    spans = [
        reference.char_span(start, end, label=label, alignment_mode="expand")
        for start, end, label in sentence.entities
    ]
    reference.ents = filter_spans([span for span in spans if span is not None])
    return Example(nlp.make_doc(sentence.text), reference)


def _rehearsal(nlp: Language, directory: Path, chance: random.Random) -> Iterator[Sentence]:
    """General prose as the base model sees it; half of it also in lower case."""
    texts = [
        _one_line(text)
        for name in FORTUNES.split()
        for text in (directory / name).read_text("utf-8", "replace").split("\n%\n")
    ]
    texts = [text for text in texts if 25 < len(text) < 260]
    chance.shuffle(texts)
    for doc in nlp.pipe(texts[:REHEARSED]):
        entities = tuple((span.start_char, span.end_char, span.label_) for span in doc.ents)
        yield Sentence(doc.text, entities)
        lowered = doc.text.lower()
        if chance.random() < 0.5 and len(lowered) == len(doc.text):
            yield Sentence(lowered, tuple(filter(lambda entity: _sure(doc.text, entity), entities)))


def _sure(text: str, entity: tuple[int, int, str]) -> bool:
    start, end, label = entity
    return label != "PERSON" or " " in text[start:end]


def _technical(chance: random.Random) -> list[Sentence]:
    """Lines of Python's own manual: full of capitalised words, empty of people."""
    lines = [
        _one_line(line)
        for topic in topics.values()
        for line in re.split(r"(?<=[.:])\s+(?=[A-Z])", topic)
    ]
    lines = [line for line in lines if 20 < len(line) < 160]
    chance.shuffle(lines)
    return [Sentence(line) for line in lines[:TECHNICAL]]


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(*sys.argv[3:]) if sys.argv[3:] else MODEL_DIR)
