"""The name pipeline: one component, checked weights, names of many cultures."""

import json
import shutil
from pathlib import Path

import pytest
from spacy.language import Language

from detectors.errors import DetectionUnavailable
from detectors.people.ner import FILES, MODEL_DIR, build_nlp, model_version


@pytest.fixture(scope="module")
def nlp() -> Language:
    """The committed pipeline."""
    return build_nlp()


def test_only_names_are_recognised(nlp: Language) -> None:
    """Nothing but NER runs: the rest costs most of the time and changes no entity."""
    assert nlp.pipe_names == ["ner"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ngozi Umeh sent the invoice", "Ngozi Umeh"),
        ("Friends with Nguyễn Thị Lan from work", "Nguyễn Thị Lan"),
        ("User's sister Xóchitl moved to Lisbon", "Xóchitl"),
        ("hey its keiko, lunch?", "keiko"),
        ("Meine Schwester Sieglinde kommt morgen", "Sieglinde"),
        ("Su hermano Lautaro vive en Lima", "Lautaro"),
        ("Had dinner with Tariq and Oksana", "Oksana"),
    ],
)
def test_people_of_many_cultures_are_found(nlp: Language, text: str, name: str) -> None:
    """The names that stock models miss most."""
    assert name in [entity.text for entity in nlp(text).ents if entity.label_ == "PERSON"]


@pytest.mark.parametrize(
    "text",
    ["Wants short answers", "The build failed again", "Prefers Python over Java", "ok thanks"],
)
def test_texts_without_people_have_none(nlp: Language, text: str) -> None:
    """Sentence-initial words and products are no people."""
    assert not [entity for entity in nlp(text).ents if entity.label_ == "PERSON"]


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_is_refused(tmp_path: Path, name: str) -> None:
    """One flipped byte in any file stops loading."""
    shutil.copytree(MODEL_DIR, tmp_path / "ner")
    changed = tmp_path / "ner" / name
    content = bytearray(changed.read_bytes())
    content[len(content) // 2] ^= 1
    changed.write_bytes(bytes(content))
    with pytest.raises(DetectionUnavailable):
        build_nlp(tmp_path / "ner")


def test_a_missing_file_or_manifest_is_refused(tmp_path: Path) -> None:
    """Nothing loads in part."""
    with pytest.raises(DetectionUnavailable):
        build_nlp(tmp_path)
    shutil.copy(MODEL_DIR / "manifest.json", tmp_path)
    with pytest.raises(DetectionUnavailable):
        build_nlp(tmp_path)


def test_the_manifest_states_version_and_origin() -> None:
    """The weights say what they are and what they were made from."""
    manifest = json.loads((MODEL_DIR / "manifest.json").read_text())
    assert model_version() == manifest["version"]
    assert manifest["base"] == "en_core_web_md 3.8.0"
    assert set(manifest["sha256"]) == set(FILES)
