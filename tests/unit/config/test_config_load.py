"""Loading the configuration: strictness, places of mistakes, environment, origins."""

from datetime import timedelta
from pathlib import Path

import pytest

from proxy.config import ConfigError, load
from proxy.config.load import loads

MINIMAL = """\
apiVersion: expunge/v1
kind: Config
upstreams:
  - name: mem0
    url: http://127.0.0.1:9999
"""


def issues(text: str, environ: dict[str, str] | None = None) -> list[str]:
    """What is wrong, as text."""
    with pytest.raises(ConfigError) as caught:
        loads(text.encode(), environ or {}, source="expunge.yaml")
    return [str(issue) for issue in caught.value.issues]


def test_minimal_configuration_gets_defaults() -> None:
    """One upstream is enough; both planes listen on loopback."""
    config = loads(MINIMAL.encode(), {}).config
    assert str(config.listen.data) == "127.0.0.1:8080"
    assert str(config.listen.control) == "127.0.0.1:8081"
    assert config.policy == "builtin/gdpr-default"
    assert config.limits.body == 4 << 20


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("listne: {}\n", "expunge.yaml:6: listne: unknown key (did you mean 'listen'?)"),
        ("detection: {deadlin: PT1S}\n", "deadlin: unknown key (did you mean 'deadline'?)"),
        ("detection:\n  workers: no\n", "expunge.yaml:7: detection.workers:"),
        ("detection: {deadline: 5s}\n", "is an ISO 8601 duration"),
        ("limits: {body: 12 MB}\n", "is a size with a unit"),
        ("listen: {data: nowhere}\n", "is host:port"),
        ("listen: {data: '127.0.0.1:99999'}\n", "less than or equal to 65535"),
        ("keys: {provider: aws-kms}\n", "provider aws-kms needs key"),
        ("keys: {provider: env}\n", "provider env needs secret"),
        ("keys: {provider: env, secret: {env: A, file: b}}\n", "takes either env or file"),
        ("keys: {provider: env, secret: plain-text}\n", "keys.secret"),
        ("ledger: {url: mysql://x}\n", "ledger.url"),
        ("tenants: [{name: a}, {name: a}]\n", "tenants: each name stands once"),
        ("tenants: [{name: 'Ä'}]\n", "tenants.0.name"),
        ("kind: Policy\n", "stands twice"),
    ],
    ids=lambda value: value.strip()[:30],
)
def test_mistakes_are_named_with_their_place(extra: str, expected: str) -> None:
    """Each mistake is reported with line, path and what would be right."""
    assert any(expected in issue for issue in issues(MINIMAL + extra))


def test_all_mistakes_are_reported_at_once() -> None:
    """Three mistakes in file and environment give three issues."""
    found = issues(
        MINIMAL + "listne: {}\nlimits: {body: x}\n", {"EXPUNGE_DETECTION__WORKERS": "none"}
    )
    assert len(found) == 3
    assert any(issue.startswith("env EXPUNGE_DETECTION__WORKERS") for issue in found)


def test_values_of_secrets_are_not_in_messages() -> None:
    """A secret written in clear is refused without being repeated."""
    found = issues(MINIMAL + "keys: {provider: env, secret: SeCrEtCanary}\n")
    assert not any("SeCrEtCanary" in issue for issue in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "expunge.yaml"),
        ("- a\n", "is a mapping"),
        ("apiVersion: expunge/v1\nkind: Policy\n", "kind: must be 'Config'"),
        ("kind: Config\n", "apiVersion: must be 'expunge/v1'"),
        ("apiVersion: expunge/v1\nkind: Config\n", "upstreams: Field required"),
        ("a: [\n", "cannot be read"),
    ],
    ids=["empty", "list", "kind", "version", "no upstream", "syntax"],
)
def test_unusable_documents_are_refused(text: str, expected: str) -> None:
    """A document that is no configuration says why."""
    assert any(expected in issue for issue in issues(text))


def test_environment_beats_file_and_origins_say_so() -> None:
    """Each value knows where it came from."""
    text = MINIMAL + "detection: {workers: 3, queue: 7}\n"
    loaded = loads(
        text.encode(),
        {
            "EXPUNGE_DETECTION__WORKERS": "2",
            "EXPUNGE_UPSTREAMS__0__NAME": "other",
            "EXPUNGE_URL": "http://ignored",
            "EXPUNGE_PORT": "tcp://10.0.0.1:80",
        },
        source="expunge.yaml",
    )
    assert loaded.config.detection.workers == 2
    assert loaded.config.upstreams[0].name == "other"
    assert loaded.origins["detection.workers"] == "env EXPUNGE_DETECTION__WORKERS"
    assert loaded.origins["detection.queue"] == "expunge.yaml:6"
    assert loaded.origins["detection.tier"] == "default"
    assert loaded.origins["upstreams.0.url"] == "expunge.yaml:5"


@pytest.mark.parametrize("name", ["EXPUNGE_DETECTOIN__WORKERS", "EXPUNGE_NOWHERE__X"])
def test_unknown_override_is_refused(name: str) -> None:
    """A variable that looks like an override but fits nothing is a mistake."""
    assert any(name in issue for issue in issues(MINIMAL, {name: "1"}))


def test_unknown_field_of_an_override_is_refused() -> None:
    """The section exists, the field does not."""
    assert any("workerz" in issue for issue in issues(MINIMAL, {"EXPUNGE_DETECTION__WORKERZ": "1"}))


@pytest.mark.parametrize(
    ("data", "control", "refused"),
    [
        ("127.0.0.1:9", "127.0.0.1:9", True),
        ("0.0.0.0:9", "127.0.0.1:9", True),
        ("127.0.0.1:9", "[::]:9", True),
        ("127.0.0.1:0", "127.0.0.1:0", False),
        ("127.0.0.1:9", "127.0.0.1:10", False),
        ("127.0.0.1:9", "127.0.0.2:9", False),
    ],
)
def test_both_planes_cannot_share_an_address(data: str, control: str, refused: bool) -> None:
    """With a prefix neither: what serve cannot bind is not valid."""
    for prefix in ("", ", base_path: /-/expunge"):
        shared = f"{MINIMAL}listen: {{data: '{data}', control: '{control}'{prefix}}}\n"
        if refused:
            assert any("give each a port of its own" in issue for issue in issues(shared))
        else:
            assert (
                str(loads(shared.encode(), {}).config.listen.data.port) == data.rpartition(":")[2]
            )


def test_relative_paths_start_at_the_file(tmp_path: Path) -> None:
    """state_dir is relative to the configuration, not to where the command runs."""
    path = tmp_path / "expunge.yaml"
    path.write_text(MINIMAL + "state_dir: here\n")
    assert load(path, {}).config.state_dir == tmp_path / "here"


def test_missing_file_is_an_issue(tmp_path: Path) -> None:
    """No file, no stack trace."""
    with pytest.raises(ConfigError):
        load(tmp_path / "absent.yaml", {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PT5S", timedelta(seconds=5)),
        ("PT1M30S", timedelta(seconds=90)),
        ("P1D", timedelta(days=1)),
        ("P2W", timedelta(weeks=2)),
        ("PT0.5S", timedelta(milliseconds=500)),
    ],
)
def test_durations(text: str, expected: timedelta) -> None:
    """ISO 8601 durations are read exactly."""
    config = loads((MINIMAL + f"detection: {{deadline: {text}}}\n").encode(), {}).config
    assert config.detection.deadline == expected


@pytest.mark.parametrize("text", ["P", "PT", "5", "-PT5S", "P1Y"])
def test_other_durations_are_refused(text: str) -> None:
    """What is not a duration of days to seconds is refused."""
    assert issues(MINIMAL + f"detection: {{deadline: '{text}'}}\n")


def test_secrets_are_read_by_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a variable or a file; a missing one is named, not printed."""
    monkeypatch.setenv("CANARY_KEY", " abc ")
    (tmp_path / "key").write_text("def\n")
    text = (
        MINIMAL + "    credential: {env: CANARY_KEY}\ntenants: [{name: a, keys: [{file: key}]}]\n"
    )
    config = loads(text.encode(), {}, base=tmp_path).config
    credential = config.upstreams[0].credential
    assert credential is not None
    assert credential.read() == "abc"
    assert config.tenants[0].keys[0].read() == "def"
    monkeypatch.delenv("CANARY_KEY")
    with pytest.raises(LookupError, match="env:CANARY_KEY"):
        credential.read()
