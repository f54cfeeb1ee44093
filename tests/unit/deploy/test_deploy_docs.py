"""What docs/deploy.md tells people to do fits what deploy/ expects."""

import re
from pathlib import Path

import pytest

from proxy.config import load

ROOT = Path(__file__).parents[3]
DEPLOY = (ROOT / "docs/deploy.md").read_text("utf-8")
PAGES = ("docs/deploy.md", "docs/glossary.md", "THREAT_MODEL.md")


def secrets_read() -> set[str]:
    """Names of the secret files that the base configuration reads."""
    config = load(ROOT / "deploy/kustomize/base/expunge.yaml", {}).config
    text = config.model_dump_json()
    return set(re.findall(r"/run/secrets/expunge/([a-z0-9-]+)", text))


def test_the_commands_make_every_secret() -> None:
    """Each file that the configuration reads is made by a command, and no other."""
    made = set(re.findall(r"--from-(?:literal|file)=([a-z0-9-]+)=", DEPLOY))
    assert made == secrets_read()
    assert made


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    """Files exist, and headings too."""
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#:]*(?:#[^)]*)?)\)", path.read_text("utf-8")):
        file, _, heading = target.partition("#")
        linked = (path.parent / file).resolve() if file else path
        assert linked.exists(), target
        lines = linked.read_text("utf-8").splitlines()
        anchors = {anchor(line) for line in lines if line.startswith("#")}
        assert not heading or heading in anchors, target


def anchor(heading: str) -> str:
    """The link to a heading, as Markdown renderers make it."""
    words = re.sub(r"[^\w\s-]", "", heading.lstrip("# ").lower())
    return re.sub(r"\s", "-", words)


def test_paths_in_the_page_exist() -> None:
    """Files and folders of deploy/ that the page names are there."""
    named = set(re.findall(r"(deploy/[\w./-]+\w)", DEPLOY))
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_alerts_in_the_page_exist() -> None:
    """An alert that the page mentions is in the rules."""
    rules = (ROOT / "deploy/alerts.yaml").read_text("utf-8")
    named = set(re.findall(r"`(Expunge[A-Z]\w+)`", DEPLOY))
    assert named
    assert all(f"alert: {name}" in rules for name in named)
