"""The command tree documents itself, and the generated references are up to date."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

from proxy.cli.root import tree
from proxy.control.routes import ROUTES
from proxy.retention.reviews import ACTIONS, OLD

ROOT = Path(__file__).parents[3]


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command with its path."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


COMMANDS = dict(commands(tree))


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """docs/generate.py as a module."""
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_teaches(path: str) -> None:
    """Each command has a sentence and an example that starts with its own name."""
    text = COMMANDS[path].help or ""
    assert text.strip()
    assert f"expunge {path}" in text


@pytest.mark.parametrize("path", COMMANDS)
def test_every_option_is_explained(path: str) -> None:
    """No option without a help text."""
    silent = [
        parameter.name
        for parameter in COMMANDS[path].params
        if isinstance(parameter, click.Option) and not parameter.help
    ]
    assert silent == []


@pytest.mark.parametrize("name", ["cli.md", "configuration.md", "problems.md", "roles.md"])
def test_references_are_up_to_date(generator: ModuleType, name: str) -> None:
    """What is committed is what would be generated: run python docs/generate.py."""
    assert (ROOT / "docs" / name).read_text("utf-8") == generator.GENERATED[name]()


@pytest.mark.parametrize(
    ("role", "may", "may_not"),
    [
        ("app", {"requestErasure", "confirmErasure", "consent"}, {"addTenant", "listHolds"}),
        (
            "operator",
            {"addTenant", "rotateKeys", "confirmErasure"},
            {"exportSubject", "listAuditEntries"},
        ),
        (
            "privacy",
            {"placeHoldByOwner", "refuseErasure", "listAuditEntries"},
            {"addTenant", "rotateKeys"},
        ),
        ("auditor", {"listAuditEntries", "recheckErasure"}, {"requestErasure", "exportSubject"}),
    ],
)
def test_the_words_about_roles_are_true(role: str, may: set[str], may_not: set[str]) -> None:
    """What docs/roles.md says of each in a sentence is what the routes let it do."""
    allowed = {route.name for route in ROUTES if role in route.roles}
    assert (may - allowed, may_not & allowed) == (set(), set())


def test_an_auditor_changes_nothing() -> None:
    """All it may do beyond reading is to have something looked at again, or looked up by its id."""
    acts = {each.path for each in ROUTES if "auditor" in each.roles and each.method != "GET"}
    assert acts == {"/v1/erasures/{id}/recheck", "/v1/audit/verify", "/v1/audit/who-deleted"}


def test_the_help_says_what_a_review_deletes() -> None:
    """Without a category only what is old is meant."""
    help_ = COMMANDS["retention review"].help or ""
    assert f"older than {OLD.days} days; with --category, all of that category." in help_
    assert {line.split()[0] for line in help_.splitlines() if line.split()} >= {*ACTIONS}


def test_example_configuration_is_valid() -> None:
    """The documented example loads."""
    from proxy.config import load

    loaded = load(ROOT / "docs" / "config-example.yaml", {})
    assert loaded.config.upstreams[0].profiles == ("mem0-oss",)


def test_json_shapes_are_documented() -> None:
    """Every command with --json has a heading in docs/cli-json.md."""
    text = (ROOT / "docs" / "cli-json.md").read_text("utf-8")
    missing = [
        path
        for path, command in COMMANDS.items()
        if any(parameter.name == "as_json" for parameter in command.params)
        and f"expunge {path}" not in text
    ]
    assert missing == []
