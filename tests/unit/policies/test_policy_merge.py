"""Extending a policy: what merges, what replaces, what removes."""

from pathlib import Path

import pytest

from policies import Policy, PolicyError, load, load_text

HEAD = "apiVersion: expunge/v1\nkind: Policy\nname: mine\n"


def mine(text: str) -> Policy:
    """A policy that changes the default."""
    return load_text((HEAD + text).encode())


def ids(policy: Policy) -> list[str]:
    """The entity rules in order."""
    return [rule.id for rule in policy.write.entities]


def test_mappings_merge_and_scalars_replace() -> None:
    """One value changes, its neighbours stay."""
    policy = mine("retention: {categories: {health: {default: P7D}}}\n")
    health = policy.retention.categories["health"]
    assert str(health.default) == "P7D"
    assert str(health.maximum) == "P1Y"
    assert "financial" in policy.retention.categories


def test_lists_of_words_replace() -> None:
    """A list is given whole."""
    assert mine("read: {detokenise_roles: [privacy]}\n").read.detokenise_roles == ("privacy",)


def test_a_rule_of_the_same_id_takes_the_place() -> None:
    """Replaced where it stood, as a whole."""
    policy = mine("write: {entities: [{id: people, when: {entities: [PERSON]}, action: redact}]}\n")
    assert ids(policy) == ids(load("builtin/gdpr-default"))
    people = next(rule for rule in policy.write.entities if rule.id == "people")
    assert (people.action, people.when.entities) == ("redact", ("PERSON",))


def test_new_rules_come_first() -> None:
    """In the order of the file, before all inherited ones."""
    policy = mine(
        "write:\n  entities:\n"
        "    - {id: one, when: {entities: [PERSON], regions: [US]}, action: tag}\n"
        "    - {id: two, when: {entities: [PERSON], regions: [EU]}, action: tag}\n"
    )
    assert ids(policy)[:2] == ["one", "two"]
    assert ids(policy)[2:] == ids(load("builtin/gdpr-default"))


def test_removal_is_explicit() -> None:
    """Rules by `remove: true`, entries of maps by null."""
    policy = mine(
        "write: {entities: [{id: ordinary, remove: true}]}\nread: {purposes: {training: null}}\n"
    )
    assert "ordinary" not in ids(policy)
    assert "training" not in policy.read.purposes
    assert "marketing" in policy.read.purposes


def test_null_unsets_an_optional_value(tmp_path: Path) -> None:
    """A child can take back an optional setting of its parent."""
    (tmp_path / "base.yaml").write_text(HEAD + "retention: {legal_maximum: P5Y}\n")
    child = tmp_path / "child.yaml"
    child.write_text(HEAD + "extends: base.yaml\nretention: {legal_maximum: null}\n")
    assert load(child).retention.legal_maximum is None


def test_chains_and_relative_paths(tmp_path: Path) -> None:
    """A policy may extend one that extends another; paths are relative to the file."""
    folder = tmp_path / "teams"
    folder.mkdir()
    (tmp_path / "company.yaml").write_text(HEAD + "read: {max_items: 50}\n")
    (folder / "team.yaml").write_text(HEAD + "extends: ../company.yaml\nerasure: {grace: P1D}\n")
    policy = load(folder / "team.yaml")
    assert policy.read.max_items == 50
    assert str(policy.erasure.grace) == "P1D"
    assert policy.blocklist.action == "reject"


def test_a_circle_is_an_error(tmp_path: Path) -> None:
    """Two policies that extend each other."""
    (tmp_path / "a.yaml").write_text(HEAD + "extends: b.yaml\n")
    (tmp_path / "b.yaml").write_text(HEAD + "extends: a.yaml\n")
    with pytest.raises(PolicyError, match="circle"):
        load(tmp_path / "a.yaml")


def test_faults_are_named_in_the_file_they_stand_in(tmp_path: Path) -> None:
    """A wrong parent is reported with the parent's name and line."""
    (tmp_path / "base.yaml").write_text(HEAD + "\nread: {max_itms: 5}\n")
    child = tmp_path / "child.yaml"
    child.write_text(HEAD + "extends: base.yaml\nerasure: {grase: P1D}\n")
    with pytest.raises(PolicyError) as caught:
        load(child)
    found = {(Path(e.file).name, e.line, e.path) for e in caught.value.errors}
    assert found == {("base.yaml", 5, "read.max_itms"), ("child.yaml", 5, "erasure.grase")}


def test_a_missing_parent_is_named_where_it_is_asked_for(tmp_path: Path) -> None:
    """File, line and the names there are."""
    child = tmp_path / "child.yaml"
    child.write_text(HEAD + "extends: builtin/gdpr\n")
    with pytest.raises(PolicyError) as caught:
        load(child)
    (fault,) = caught.value.errors
    assert (fault.line, fault.path) == (4, "extends")
    assert "builtin/gdpr-default" in fault.suggestion
