"""What deploy/ ships, read by the code that will read it in earnest."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from ruamel.yaml import YAML

from policies import load as load_policy
from proxy.config import Config, ConfigError, load
from proxy.problems import SLUGS
from proxy.telemetry import metrics

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
KUSTOMIZE = DEPLOY / "kustomize"
GATEWAY = KUSTOMIZE / "overlays/gateway/deployment.yaml"
SIDECAR = KUSTOMIZE / "overlays/sidecar/sidecar.yaml"
APP = KUSTOMIZE / "overlays/sidecar/app.yaml"
CONFIGS = (KUSTOMIZE / "base/expunge.yaml", DEPLOY / "compose/expunge.yaml")
POD_ADDRESS = "fd00::17"
ONLY_SIDECAR = {"restartPolicy"}
ONLY_GATEWAY = {"lifecycle"}


def documents(path: Path) -> list[Any]:
    """All documents of a YAML file as plain data."""
    return list(YAML(typ="safe", pure=True).load_all(path))


def pod(path: Path) -> dict[str, Any]:
    """The pod specification of a Deployment."""
    spec: dict[str, Any] = documents(path)[0]["spec"]["template"]["spec"]
    return spec


def container(path: Path) -> dict[str, Any]:
    """Expunge's container in a pod."""
    spec = pod(path)
    every = [*spec.get("containers", ()), *spec.get("initContainers", ())]
    (found,) = [each for each in every if each["name"] == "expunge"]
    return dict(found)


def environment(path: Path) -> dict[str, str]:
    """The variables of a container, with the pod's address filled in as a cluster would."""
    given = {each["name"]: each.get("value", POD_ADDRESS) for each in container(path)["env"]}
    return {name: value.replace("$(POD_IP)", POD_ADDRESS) for name, value in given.items()}


def configuration(overlay: Path) -> Config:
    """The configuration that an overlay's container ends up with."""
    return load(KUSTOMIZE / "base/expunge.yaml", environment(overlay)).config


@pytest.mark.parametrize("path", sorted(DEPLOY.rglob("*.yaml")), ids=lambda p: p.name)
def test_every_file_is_yaml(path: Path) -> None:
    """Each file parses without duplicate keys and holds something."""
    assert all(isinstance(each, dict) for each in documents(path))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.parent.name)
def test_configurations_load(path: Path) -> None:
    """What is shipped is accepted as it is."""
    assert load(path, {}).config.upstreams


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.parent.name)
def test_a_misspelt_configuration_would_be_noticed(path: Path, tmp_path: Path) -> None:
    """The twin: one wrong key and the file is refused."""
    wrong = tmp_path / "expunge.yaml"
    wrong.write_text(path.read_text("utf-8").replace("upstreams:", "upstream:"), "utf-8")
    with pytest.raises(ConfigError):
        load(wrong, {})


def test_policy_loads() -> None:
    """The shipped policy builds on the default one."""
    assert load_policy(KUSTOMIZE / "base/policy.yaml").name == "house"


def test_sidecar_listens_on_loopback_only_and_gateway_for_all() -> None:
    """Beside an agent nobody outside of the pod reaches the data plane; a gateway is for others."""
    assert configuration(SIDECAR).listen.data.host == "127.0.0.1"
    assert configuration(GATEWAY).listen.data.host == "0.0.0.0"


@pytest.mark.parametrize("overlay", [SIDECAR, GATEWAY], ids=["sidecar", "gateway"])
def test_control_plane_answers_to_the_pods_address(overlay: Path) -> None:
    """Prometheus scrapes by address; the list in the variable is read as a list."""
    assert POD_ADDRESS in configuration(overlay).listen.allowed_hosts


@pytest.mark.parametrize("overlay", [SIDECAR, GATEWAY], ids=["sidecar", "gateway"])
@pytest.mark.parametrize("probe", ["startupProbe", "readinessProbe", "livenessProbe"])
def test_probes_reach_the_control_plane(overlay: Path, probe: str) -> None:
    """They ask the control port, for a path it serves, under a name it answers to."""
    asked = container(overlay)[probe]["httpGet"]
    alive = probe == "livenessProbe"
    assert asked["port"] == configuration(overlay).listen.control.port
    assert asked["path"] == ("/healthz" if alive else "/readyz")
    assert asked["httpHeaders"] == [{"name": "Host", "value": "localhost"}]


@pytest.mark.parametrize("overlay", [SIDECAR, GATEWAY], ids=["sidecar", "gateway"])
def test_container_is_confined(overlay: Path) -> None:
    """Not root, nothing writable but its mounts, no capability, no service variables."""
    security = container(overlay)["securityContext"]
    assert security["runAsNonRoot"] is True
    assert security["runAsUser"] > 0
    assert security["readOnlyRootFilesystem"] is True
    assert security["allowPrivilegeEscalation"] is False
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert pod(overlay)["enableServiceLinks"] is False


@pytest.mark.parametrize("overlay", [SIDECAR, GATEWAY], ids=["sidecar", "gateway"])
def test_key_files_keep_their_mode(overlay: Path) -> None:
    """Without OnRootMismatch a restart opens the keys to the group, and they are refused."""
    assert pod(overlay)["securityContext"]["fsGroupChangePolicy"] == "OnRootMismatch"


@pytest.mark.parametrize("overlay", [SIDECAR, GATEWAY], ids=["sidecar", "gateway"])
def test_every_path_of_the_configuration_is_mounted(overlay: Path) -> None:
    """State, secrets and policy lie below a mount, and only the state is writable."""
    config = configuration(overlay)
    mounts = {each["mountPath"]: each for each in container(overlay)["volumeMounts"]}
    secrets = {reference.file.parent for reference in references(config) if reference.file}
    assert secrets == {Path("/run/secrets/expunge")}
    assert mounts["/run/secrets/expunge"]["readOnly"] is True
    assert mounts[str(Path(config.policy).parent)]["readOnly"] is True
    assert "readOnly" not in mounts[str(config.state_dir)]
    assert "/tmp" in mounts


@pytest.mark.parametrize("overlay", [SIDECAR, GATEWAY], ids=["sidecar", "gateway"])
def test_there_is_time_to_drain(overlay: Path) -> None:
    """A pod is not killed before both planes had their time."""
    limits = configuration(overlay).limits
    needed = (limits.grace + 2 * limits.drain).total_seconds()
    assert pod(overlay)["terminationGracePeriodSeconds"] > needed


def references(config: Config) -> list[Any]:
    """Every secret that a configuration refers to."""
    stores = [store.credential for store in config.upstreams if store.credential]
    keys = [key for tenant in config.tenants for key in tenant.keys]
    tokens = [token.secret for token in config.tokens]
    return [*stores, *keys, *tokens, *([config.keys.secret] if config.keys.secret else [])]


def test_compose_gives_every_secret_of_its_configuration() -> None:
    """Names of the files that the configuration reads are names that compose mounts."""
    given = documents(DEPLOY / "compose.yaml")[0]
    config = load(DEPLOY / "compose/expunge.yaml", {}).config
    wanted = {str(reference.file) for reference in references(config)}
    assert wanted == {f"/run/secrets/{name}" for name in given["services"]["expunge"]["secrets"]}
    assert set(given["secrets"]) == set(given["services"]["expunge"]["secrets"])


def test_compose_publishes_on_loopback_and_hides_the_store() -> None:
    """No port is open to the network, and none at all is the store's."""
    services = documents(DEPLOY / "compose.yaml")[0]["services"]
    assert all(port.startswith("127.0.0.1:") for port in services["expunge"]["ports"])
    assert "ports" not in services["mem0"]
    assert services["expunge"]["read_only"] is True


def test_sidecar_is_native_and_otherwise_the_gateways_container() -> None:
    """Both overlays describe one container; what differs is named here."""
    sidecar, gateway = container(SIDECAR), container(GATEWAY)
    assert sidecar["restartPolicy"] == "Always"
    assert "initContainers" in pod(SIDECAR)
    named = {"env", "ports"}
    assert {k: v for k, v in sidecar.items() if k not in ONLY_SIDECAR | named} == {
        k: v for k, v in gateway.items() if k not in ONLY_GATEWAY | named
    }
    assert pod(SIDECAR)["volumes"] == pod(GATEWAY)["volumes"]


def test_agent_does_not_get_the_stores_credential() -> None:
    """The agent refers to its own secret only, and mounts nothing of Expunge's."""
    text = APP.read_text("utf-8")
    assert "expunge-client" in text
    assert "expunge-secrets" not in text
    assert "volumeMounts" not in text


def test_store_admits_only_expunge() -> None:
    """One policy selects the store, and one peer is admitted: Expunge's pods, on one port."""
    policies = documents(KUSTOMIZE / "overlays/gateway/networkpolicy.yaml")
    (store,) = [each["spec"] for each in policies if "store" in each["metadata"]["name"]]
    labels = documents(GATEWAY)[0]["spec"]["template"]["metadata"]["labels"]
    (rule,) = store["ingress"]
    assert rule["from"] == [{"podSelector": {"matchLabels": labels}}]
    assert [port["port"] for port in rule["ports"]] == [8000]


def test_kustomizations_name_files_that_exist() -> None:
    """Resources, patches and generated files are all there."""
    for path in KUSTOMIZE.rglob("kustomization.yaml"):
        given = documents(path)[0]
        named = [*given.get("resources", ()), *(each["path"] for each in given.get("patches", ()))]
        named += [file for each in given.get("configMapGenerator", ()) for file in each["files"]]
        assert named
        assert [name for name in named if not (path.parent / name).exists()] == []


def test_image_is_neither_root_nor_holds_secrets() -> None:
    """The last user is a number above 0; nothing secret-like is set; hashes are required."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    assert int(re.findall(r"^USER (\d+):", text, re.MULTILINE)[-1]) > 0
    assert "--require-hashes" in text
    assert "PYTHONSAFEPATH=1" in text
    assert re.findall(r"(?im)^(?:ENV|ARG)[^\n]*(?:secret|token|password|_key)", text) == []


def test_the_build_sees_only_what_it_needs() -> None:
    """Everything is left out of the build but what the Dockerfile copies."""
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    allowed = {line.removeprefix("!") for line in lines if line.startswith("!")}
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    copied = {
        word
        for line in re.findall(r"^COPY (?!--)(.+) \S+$", dockerfile, re.MULTILINE)
        for word in line.split()
    }
    assert "*" in lines
    assert allowed == copied


def alerts() -> list[dict[str, Any]]:
    """All alert rules."""
    return [
        rule for group in documents(DEPLOY / "alerts.yaml")[0]["groups"] for rule in group["rules"]
    ]


def samples(registry: CollectorRegistry) -> Iterator[tuple[str, str]]:
    """Every name a metric can be asked for by, with the name it is declared under."""
    suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
    for family in registry.collect():
        for suffix in suffixes[family.type]:
            yield family.name + suffix, family.name


def declared() -> dict[str, tuple[str, Any]]:
    """By sample name: the variable that holds the instrument, and the instrument."""
    instruments = {
        each._name: (name, each) for name, each in vars(metrics).items() if hasattr(each, "_name")
    }
    return {sample: instruments[family] for sample, family in samples(metrics.REGISTRY)}


def states() -> set[str]:
    """The states that the code puts erasures into."""
    sources = (ROOT / "proxy/erasure").rglob("*.py")
    return {
        word
        for path in sources
        for line in path.read_text("utf-8").splitlines()
        if "state" in line
        for word in re.findall(r'"([a-z_]+)"', line)
    }


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: rule["alert"])
def test_alerts_ask_for_metrics_that_exist(rule: dict[str, Any]) -> None:
    """Each metric is declared, each label is its own, each slug and state can occur."""
    known = declared()
    asked = re.findall(r"(expunge_\w+)(?:\{([^}]*)\})?", rule["expr"])
    assert asked
    for name, matchers in asked:
        assert name in known
        for label, value in re.findall(r'(\w+)=~?"([^"]*)"', matchers):
            assert label in known[name][1]._labelnames
            assert label != "slug" or set(value.split("|")) <= set(SLUGS)
            assert label != "state" or set(value.split("|")) <= states()


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: rule["alert"])
def test_alerts_can_fire(rule: dict[str, Any]) -> None:
    """Somebody sets the metric: an alert on one that nobody sets would be silent for ever."""
    sources = [
        path.read_text("utf-8")
        for path in (ROOT / "proxy").rglob("*.py")
        if path.name != "metrics.py"
    ]
    for name in re.findall(r"expunge_\w+", rule["expr"]):
        variable = declared()[name][0]
        sets = re.compile(
            rf"\b{variable}(\.labels\(|\.inc\(|\.set\(|\.observe\()|\blabelled\(\s*(metrics\.)?{variable}\b"
        )
        assert any(sets.search(text) for text in sources)


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: rule["alert"])
def test_alerts_say_what_to_do(rule: dict[str, Any]) -> None:
    """A severity, a summary, and an action."""
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
    assert rule["annotations"]["summary"].endswith(".")
    assert rule["annotations"]["action"].endswith(".")


def test_libraries_are_told_not_to_report() -> None:
    """The variables stand in the image, whatever it is deployed with."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    assert "MEM0_TELEMETRY=False" in text
    assert "ORT_DISABLE_TELEMETRY=1" in text


def test_clients_are_told_the_value_that_both_know() -> None:
    """The npm client compares with ``false`` and nothing else; to the Python client all is one."""
    said = re.compile(r"""MEM0_TELEMETRY(?:"\])?\s?=\s?"?(\w+)""")
    files = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    values = {path.name: said.findall(path.read_text("utf-8")) for path in files}
    assert {name: each for name, each in values.items() if each} == {
        "README.md": ["false"], "mem0.md": ["false"],
    }  # fmt: skip
