"""A file (and what it extends) to a policy, or every fault in it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from policies import checks, faults
from policies.checks import Fault
from policies.errors import PolicyError, PolicyIssue
from policies.mend import mended
from policies.merge import Located, locate, merge, plain
from policies.policy import Policy, from_document
from policies.schema import Document
from policies.suggest import nearest
from policies.yaml_tree import Path, Place, Tree, dotted, parse

BUILTIN = "builtin/"
BUILTIN_DIR = FilePath(__file__).parent / "builtin"
PARENT = "builtin/gdpr-default"
NO_PARENT = "none"
LONGEST_CHAIN = 10


@dataclass(slots=True)
class Loading:
    """What has been read so far, and from where.

    Not ``whole`` when a parent is missing; it ``inherits`` when parents are in the file itself.
    """

    issues: list[PolicyIssue] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    whole: bool = True
    inherits: bool = False


def builtin_names() -> list[str]:
    """The policies that come with Expunge, as ``builtin/NAME``."""
    return sorted(
        BUILTIN + path.stem
        for path in BUILTIN_DIR.glob("*.yaml")
        if not path.name.endswith(".test.yaml")
    )


def load(source: str | FilePath) -> Policy:
    """Load ``builtin/NAME`` or a file.

    Raises:
        PolicyError: with every fault found, each with file, line, column, path and suggestion.
    """
    return _finish(*_read_chain(source))


def load_text(raw: bytes, file: str = "policy") -> Policy:
    """Load a policy that is not in a file; it can extend builtin policies only.

    Raises:
        PolicyError: as `load`.
    """
    loading = Loading([], [file])
    return _finish(_resolve(parse(raw, file), None, loading), loading)


def load_resolved(raw: bytes, file: str = "policy") -> Policy:
    """Load what ``policy.resolved`` made of a policy: its rules may hide those it had inherited.

    Raises:
        PolicyError: as `load`.
    """
    loading = Loading([], [file], inherits=True)
    return _finish(_resolve(parse(raw, file), None, loading), loading)


def files_of(source: str | FilePath) -> list[FilePath]:
    """The files a policy is made of, itself first; as far as they can be read."""
    _, loading = _read_chain(source)
    return [FilePath(name) for name in loading.files]


def main_file(source: str | FilePath) -> FilePath:
    """The file that a policy's name or path stands for."""
    return _path_of(str(source), FilePath())


def _read_chain(source: str | FilePath) -> tuple[Located | None, Loading]:
    loading = Loading()
    return _read(main_file(source), loading, None), loading


def _path_of(source: str, folder: FilePath) -> FilePath:
    if source.startswith(BUILTIN):
        return BUILTIN_DIR / f"{source.removeprefix(BUILTIN)}.yaml"
    return folder / source


def _read(path: FilePath, loading: Loading, asked: PolicyIssue | None) -> Located | None:
    name = str(path)
    try:
        raw = path.read_bytes()
    except (OSError, ValueError):
        missing = PolicyIssue(name, 0, 0, "", "the file cannot be read", _meant(path.stem))
        loading.issues.append(asked or missing)
        return None
    loading.files.append(name)
    return _resolve(parse(raw, name), path.parent, loading)


def _meant(stem: str) -> str:
    """The builtin that is nearest by its own name, else what could be given."""
    names = {name.removeprefix(BUILTIN): name for name in builtin_names()}
    if nearest(stem, names):
        return nearest(BUILTIN + stem, names.values())
    return f"give a file, or one of {', '.join(names.values())}"


def _resolve(tree: Tree, folder: FilePath | None, loading: Loading) -> Located | None:
    """A tree merged over everything it extends."""
    loading.issues += tree.issues
    if not isinstance(tree.data, dict):
        if not tree.issues:
            place = PolicyIssue(tree.file, 1, 1, "", "the file must be a mapping of keys")
            loading.issues.append(place)
        return None
    top = locate(tree, tree.data)
    extends = tree.data.get("extends", PARENT)
    if extends == NO_PARENT:
        return top
    base = _parent(extends, tree, folder, loading) if isinstance(extends, str) else None
    if base is None:
        loading.whole = False
        return top
    return merge(base, top, loading.issues)


def _parent(extends: str, tree: Tree, folder: FilePath | None, loading: Loading) -> Located | None:
    place = tree.place(("extends",))
    missing = PolicyIssue(
        place.file,
        place.line,
        place.column,
        "extends",
        "the policy to extend is not there",
        nearest(extends, builtin_names()) or f"use {', '.join(builtin_names())} or none",
    )
    if folder is None and not extends.startswith(BUILTIN):
        loading.issues.append(missing)
        return None
    path = _path_of(extends, folder or FilePath())
    if str(path) in loading.files or len(loading.files) >= LONGEST_CHAIN:
        circle = PolicyIssue(
            place.file,
            place.line,
            place.column,
            "extends",
            "the policies extend each other in a circle",
        )
        loading.issues.append(circle)
        return None
    return _read(path, loading, missing)


def _finish(found: Located | None, loading: Loading) -> Policy:
    if found is None:
        raise PolicyError(_ordered(loading.issues))
    places: dict[Path, Place] = {}
    data = plain(found, places)
    origin = dotted if loading.inherits else lambda path: _place(places, path).file
    document, wrong = _judge(data, origin, whole=loading.whole)
    loading.issues += (_issue(places, path, message, hint) for path, message, hint in wrong)
    if document is None or loading.issues:
        raise PolicyError(_ordered(loading.issues))
    return from_document(document)


def _judge(
    data: Any, origin: Callable[[Path], str], *, whole: bool
) -> tuple[Document | None, list[Fault]]:
    """The document if it is valid in itself, and every fault.

    Faults that show only between the parts are looked for in what is left when the wrong values
    are taken out, so that an author sees all of them at once.
    """
    try:
        document = Document.model_validate(data)
    except ValidationError as error:
        wrong = list(faults.faults(Document, error))
        rest = mended(data, error) if whole else None
        if rest is None:
            return None, wrong
        document, touched = rest
        more = checks.faults(document, origin)
        return None, wrong + [f for f in more if not _touches(f[0], touched)]
    return document, list(checks.faults(document, origin)) if whole else []


def _touches(path: Path, touched: list[Path]) -> bool:
    """Whether a fault is about what was taken out, or about a list that lost a member."""
    return any(
        path[: len(other)] == other or (isinstance(other[-1], int) and path[:-1] == other[:-1])
        for other in touched
        if other
    )


def _issue(places: dict[Path, Place], path: Path, message: str, hint: str) -> PolicyIssue:
    place = _place(places, path)
    return PolicyIssue(place.file, place.line, place.column, dotted(path), message, hint)


def _place(places: dict[Path, Place], path: Path) -> Place:
    """The place of the path, or of the nearest thing above it that is in a file."""
    return places[next(p for p in _upwards(path) if p in places)]


def _upwards(path: Path) -> Iterator[Path]:
    for length in range(len(path), -1, -1):
        yield path[:length]


def _ordered(issues: list[PolicyIssue]) -> list[PolicyIssue]:
    return sorted(dict.fromkeys(issues), key=lambda i: (i.file, i.line, i.column, i.path))
