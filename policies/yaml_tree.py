"""YAML 1.2 text to plain data, with the place of every key and every fault at once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from policies.errors import PolicyIssue

Path = tuple[str | int, ...]
MOST_NODES = 20_000
DEEPEST = 40
MOST_BYTES = 4_000_000
_STANDARD = "tag:yaml.org,2002:"
_PLAIN_TAGS = frozenset({"str", "int", "float", "bool", "null", "timestamp", "merge", "value"})
_HOLDERS = frozenset({"map", "seq"})
_INTEGER = re.compile(r"[-+]?[0-9]+", re.ASCII)
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False}
_TRUTHS["FALSE"] = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands; counts from 1."""

    file: str
    line: int
    column: int


@dataclass(slots=True)
class Tree:
    """One file as plain data; ``places`` maps a path to where its key (or item) stands."""

    file: str
    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    issues: list[PolicyIssue] = field(default_factory=list)
    nodes: int = 0

    def place(self, path: Path) -> Place:
        """The nearest known place at or above the path."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, Place(self.file, 1, 1))

    def fault(self, node: Node, path: Path, message: str, suggestion: str = "") -> None:
        """Record an issue at a node."""
        mark = node.start_mark
        self.issues.append(
            PolicyIssue(
                self.file, mark.line + 1, mark.column + 1, dotted(path), message, suggestion
            )
        )


def dotted(path: Path) -> str:
    """A path as people write it: ``write.entities[3].when``."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(parts).removeprefix(".")


def parse(raw: bytes, file: str) -> Tree:
    """Read one YAML document; never raises for what the file says, only records issues."""
    tree = Tree(file)
    node = _compose(raw, tree)
    if node is not None:
        tree.places[()] = _at(tree, node)
        tree.data = _value(tree, node, (), frozenset())
    if tree.nodes > MOST_NODES:
        tree.data = None
    if tree.data is None and not tree.issues:
        tree.issues.append(
            PolicyIssue(file, 1, 1, "", "the file is empty", "start with apiVersion: expunge/v1")
        )
    return tree


def _compose(raw: bytes, tree: Tree) -> Node | None:
    if len(raw) > MOST_BYTES:
        tree.issues.append(PolicyIssue(tree.file, 0, 0, "", "the file is too large"))
        return None
    try:
        text = raw.decode("utf-8-sig")
        node: Node | None = YAML(typ="safe", pure=True).compose(text)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        tree.issues.append(PolicyIssue(tree.file, line, 1, "", "the file is not UTF-8"))
    except MarkedYAMLError as error:
        tree.issues.append(_syntax(tree.file, error))
    except (YAMLError, ValueError, RecursionError):
        tree.issues.append(PolicyIssue(tree.file, 1, 1, "", "the file is not YAML"))
    else:
        return node
    return None


def _syntax(file: str, error: MarkedYAMLError) -> PolicyIssue:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    if "single document" in str(error.context):
        return PolicyIssue(file, line, column, "", "one file holds one document")
    suggestion = "check indentation, quotes and colons near here; tabs do not indent"
    return PolicyIssue(file, line, column, "", "the YAML cannot be read from here on", suggestion)


def _at(tree: Tree, node: Node) -> Place:
    return Place(tree.file, node.start_mark.line + 1, node.start_mark.column + 1)


def _value(tree: Tree, node: Node, path: Path, above: frozenset[int]) -> Any:
    tree.nodes += 1
    if id(node) in above or len(path) > DEEPEST or tree.nodes > MOST_NODES:
        if tree.nodes <= MOST_NODES + 1:
            tree.fault(node, path, "aliases or nesting go too deep")
        return None
    if isinstance(node, ScalarNode):
        return _scalar(tree, node, path)
    if str(node.tag or "").removeprefix(_STANDARD) not in _HOLDERS:
        tree.fault(node, path, "tags of your own are not allowed")
    within = above | {id(node)}
    if isinstance(node, SequenceNode):
        return [_item(tree, child, (*path, i), within) for i, child in enumerate(node.value)]
    assert isinstance(node, MappingNode)  # noqa: S101  (YAML has three kinds of node)
    return _mapping(tree, node, path, within)


def _item(tree: Tree, node: Node, path: Path, above: frozenset[int]) -> Any:
    tree.places[path] = _at(tree, node)
    return _value(tree, node, path, above)


def _mapping(tree: Tree, node: MappingNode, path: Path, above: frozenset[int]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, key, value in _keys(tree, node, path):
        here = (*path, name)
        if name in found:
            first = tree.places[here].line
            second = key.start_mark.line + 1
            tree.fault(
                key, here, f"the key stands twice, in lines {first} and {second}", "keep one"
            )
            continue
        tree.places[here] = _at(tree, key)
        found[name] = _value(tree, value, here, above)
    return found


def _keys(tree: Tree, node: MappingNode, path: Path) -> Iterator[tuple[str, Node, Node]]:
    for key, value in node.value:
        name = _scalar(tree, key, path) if isinstance(key, ScalarNode) else None
        if isinstance(name, str):
            yield name, key, value
        else:
            tree.fault(key, path, "a key must be a word", "put it in quotes")


def _scalar(tree: Tree, node: ScalarNode, path: Path) -> Any:
    text: str = node.value
    if node.style in ("'", '"', "|", ">"):
        return text
    if str(node.tag or "").removeprefix(_STANDARD) not in _PLAIN_TAGS:
        tree.fault(node, path, "tags of your own are not allowed")
    return _plain(text)


def _plain(text: str) -> Any:
    """The core schema of YAML 1.2: `no` and `off` are words, `010` is ten, dates are words."""
    if text in _NULLS:
        return None
    if text in _TRUTHS:
        return _TRUTHS[text]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < 20 else text
    if _BASED.fullmatch(text):
        return int(text, 0) if len(text) < 20 else text
    return float(text) if _FLOAT.fullmatch(text) else text
