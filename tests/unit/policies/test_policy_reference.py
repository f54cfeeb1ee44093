"""Generated files are the ones the schema generates, and the documents keep up with them."""

import json
from pathlib import Path

import pytest

from policies import builtin_names
from policies.inventory import every_field
from policies.load import main_file
from policies.merge import NAMED_MAPS, RULE_LISTS
from policies.reference import REFERENCE_FILE, SCHEMA_FILE, json_schema, reference
from policies.schema import Document
from policies.schema.fields import Section
from policies.yaml_tree import parse

DOCS = REFERENCE_FILE.parent


def test_the_committed_json_schema_is_current() -> None:
    """`python -m policies.reference` writes it."""
    assert SCHEMA_FILE.read_text(encoding="utf-8") == json_schema()


def test_the_committed_reference_is_current() -> None:
    """`python -m policies.reference` writes it."""
    assert REFERENCE_FILE.read_text(encoding="utf-8") == reference()


def test_every_field_says_what_it_means() -> None:
    """No field without a description, none twice."""
    facts = list(every_field())
    assert all(fact.description for fact in facts)
    assert len({fact.path for fact in facts}) == len(facts) > 100


@pytest.mark.parametrize("name", builtin_names())
def test_the_json_schema_accepts_the_builtins(name: str) -> None:
    """Editors show no error in what we ship."""
    assert faults(parse(main_file(name).read_bytes(), name).data) == []


@pytest.mark.parametrize(
    "change",
    [
        {"raed": {}},
        {"read": {"max_itms": 5}},
        {"read": {"max_items": "5"}},
        {"retention": {"session_limit": "30 days"}},
        {"write": {"entities": [{"id": "a", "remove": False}]}},
        {"retention": {"automatic": "off"}},
    ],
)
def test_the_json_schema_refuses_what_loading_refuses(change: dict[str, object]) -> None:
    """Unknown keys and wrong types are shown while typing."""
    head = {"apiVersion": "expunge/v1", "kind": "Policy", "name": "mine"}
    assert faults(head) == []
    assert faults(head | change) != []


@pytest.mark.parametrize(
    "change",
    [
        {"write": {"entities": [{"id": "ordinary", "remove": True}]}},
        {"read": {"purposes": {"training": None}}},
        {"retention": {"categories": {"health": {"default": "P7D"}}}},
    ],
)
def test_the_json_schema_accepts_changes_of_a_parent(change: dict[str, object]) -> None:
    """Removals and partial entries are legal in a policy that extends another."""
    head = {"apiVersion": "expunge/v1", "kind": "Policy", "name": "mine"}
    assert faults(head | change) == []


def faults(data: object) -> list[object]:
    """What a validator says about a document."""
    import jsonschema

    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text()))
    return list(validator.iter_errors(data))


def test_merging_knows_every_map_and_rule_list() -> None:
    """A new map of named things or list of rules must be given its merge rule."""
    maps, lists = set(), set()
    for section, info in Document.model_fields.items():
        model = info.annotation
        if isinstance(model, type) and issubclass(model, Section):
            for name, field in model.model_fields.items():
                text = str(field.annotation)
                if text.startswith("dict["):
                    maps.add((section, name))
                elif "Rule" in text and text.startswith("tuple["):
                    lists.add((section, name))
    assert maps == NAMED_MAPS
    assert lists == RULE_LISTS


@pytest.mark.parametrize("name", builtin_names())
def test_every_builtin_has_a_page(name: str) -> None:
    """A page that explains it, and the guide links to it."""
    page = Path("policies") / f"{name.removeprefix('builtin/')}.md"
    assert (DOCS / page).is_file()
    assert str(page) in (DOCS / "policy.md").read_text(encoding="utf-8")
