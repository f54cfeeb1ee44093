"""What is generated from the schema: the JSON Schema for editors and the reference page."""

import json
from pathlib import Path as FilePath
from typing import Any

from policies.inventory import FieldFact, every_field
from policies.merge import NAMED_MAPS, RULE_LISTS
from policies.schema import CATEGORIES, ENTITY_TYPES, Document
from policies.yaml_tree import Path

ROOT = FilePath(__file__).parent
SCHEMA_FILE = ROOT / "schema.json"
REFERENCE_FILE = ROOT.parent / "docs" / "policy-reference.md"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> str:
    """The JSON Schema of policy files, as text; editors complete and check with it."""
    schema = Document.model_json_schema(by_alias=True)
    definitions = schema["$defs"]
    for path in NAMED_MAPS:
        _loosen(definitions, _property(definitions, path))
    for path in RULE_LISTS:
        field = _property(definitions, path)
        field["items"] = {"anyOf": [field["items"], _REMOVAL]}
    _without_effects(schema)
    whole = {"$schema": _DIALECT, "title": "Expunge policy"} | {
        key: value for key, value in schema.items() if key != "title"
    }
    return json.dumps(whole, indent=2, sort_keys=True) + "\n"


def _loosen(definitions: dict[str, Any], field: dict[str, Any]) -> None:
    """Entries may be removed by null, and given in part where the rest is inherited."""
    entries = field["patternProperties"]
    for entry in entries.values():
        definitions.get(entry.get("$ref", "").rpartition("/")[2], {}).pop("required", None)
    field["patternProperties"] = {
        pattern: {"anyOf": [entry, {"type": "null"}]} for pattern, entry in entries.items()
    }
    field["additionalProperties"] = False


def _property(definitions: dict[str, Any], path: Path) -> dict[str, Any]:
    section, name = path
    found: dict[str, Any] = definitions[str(section).capitalize()]["properties"][name]
    return found


_REMOVAL: dict[str, Any] = {
    "type": "object",
    "description": "Removes an inherited rule.",
    "properties": {"id": {"type": "string"}, "remove": {"const": True}},
    "required": ["id", "remove"],
    "additionalProperties": False,
}


def _without_effects(node: Any) -> None:
    if isinstance(node, dict):
        if isinstance(node.get("effect"), str) and "description" in node:
            del node["effect"]
        for value in node.values():
            _without_effects(value)
    elif isinstance(node, list):
        for value in node:
            _without_effects(value)


def reference() -> str:
    """The reference page: every field, what it takes, its default and where it has its effect."""
    sections: dict[str, list[FieldFact]] = {}
    for fact in every_field():
        head, dot, _ = fact.path.partition(".")
        sections.setdefault(head if dot else "", []).append(fact)
    pages = [_INTRODUCTION]
    for name, facts in sections.items():
        pages.append(_table(name, facts))
    return "\n".join([*pages, _vocabulary()])


_INTRODUCTION = """# Policy reference

Generated from the schema by `python -m policies.reference`; do not edit. How to write a policy:
[policy.md](policy.md). `NAME` stands for a name of your own, `[]` for each item of a list.
"Has its effect in" names the function or the part of Expunge that acts on the field.
"""


def _table(name: str, facts: list[FieldFact]) -> str:
    documented = {key: info.description for key, info in Document.model_fields.items()}
    title = f"## `{name}`\n\n{documented[name]}" if name else "## The file"
    rows = [
        "| field | takes | default | meaning | has its effect in |",
        "|---|---|---|---|---|",
        *(
            f"| `{f.path}` | {f.kind} | {_code(f.default)} | {f.description} | {f.effect} |"
            for f in facts
        ),
    ]
    return f"{title}\n\n" + "\n".join(rows).replace("|  |", "| |") + "\n"


def _code(default: str) -> str:
    return default if default in ("required", "none") else f"`{default}`"


def _vocabulary() -> str:
    types = ", ".join(f"`{name}`" for name in ENTITY_TYPES)
    categories = ", ".join(f"`{name}`" for name in CATEGORIES)
    return (
        f"## Words the language knows\n\nEntity types: {types}.\n\nCategories: {categories}, and"
        " those a policy names itself in `retention.categories` or gives by a text rule.\n"
    )


def main() -> None:
    """Write both files."""
    SCHEMA_FILE.write_text(json_schema(), encoding="utf-8")
    REFERENCE_FILE.parent.mkdir(exist_ok=True)
    REFERENCE_FILE.write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    main()
