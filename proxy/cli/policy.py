"""``expunge policy``: check, explain, test, compare; all of it without a running service."""

import json
import sys
from typing import Any, Literal

import click

from proxy.cli.connection import Connection, connected
from proxy.cli.output import emit, emit_line, json_option, say, table
from proxy.problems import EXIT_ERROR, EXIT_OK

Tier = Literal["structured", "fast", "full"]
_DEFAULT = "builtin/gdpr-default"
_policy = click.option(
    "--policy", "source", default=_DEFAULT, show_default=True, envvar="EXPUNGE_POLICY",
    help="builtin/NAME or a file.",
)  # fmt: skip


@click.group()
def policy() -> None:
    """Check, explain and test policies; needs no running service.

    \b
    Examples:
      expunge policy check my-policy.yaml
      expunge policy explain "Alva Brenn takes metformin since May"
      expunge policy test my-policy.yaml
    """


@policy.command("check")
@click.argument("source")
@json_option
def check(source: str, as_json: bool) -> None:
    """Check a policy: exit 0 and its digest, or exit 3 with every fault and its place.

    \b
    Example:
      expunge policy check my-policy.yaml --json
    """
    from policies import PolicyError, load

    try:
        loaded = load(source)
    except PolicyError as error:
        if as_json:
            emit({"valid": False, "errors": [_issue(issue) for issue in error.errors]})
        raise
    if as_json:
        emit({"valid": True, "name": loaded.name, "digest": loaded.digest, "errors": []})
    else:
        say(f"{source}: valid\n{loaded.name} {loaded.digest}")


def _issue(issue: Any) -> dict[str, Any]:
    names = ("file", "line", "column", "path", "message", "suggestion")
    return {name: getattr(issue, name) for name in names}


@policy.command("show")
@click.argument("source", default=_DEFAULT)
def show(source: str) -> None:
    """Print a policy with every default filled in, as JSON.

    \b
    Example:
      expunge policy show builtin/health-strict
    """
    from policies import load
    from policies.policy import resolved

    emit(resolved(load(source)))


@policy.command("explain")
@click.argument("text", required=False)
@_policy
@click.option("--owner", metavar="ID", help="Owner, as kind:id (user:u-17) or an id.")
@click.option("--purpose", metavar="P", help="Stated purpose.")
@click.option("--operation", type=click.Choice(["write", "update", "search", "read"]),
              default="write", show_default=True, help="What is done with the text.")  # fmt: skip
@click.option("--at", metavar="TIME", help="As if it were this instant (RFC 3339).")
@click.option("--consent", "consents", multiple=True, help="A consent that was given.")
@click.option("--region", help="Region of the data subject, such as EU.")
@click.option("--source", "origin", help="conversation, tool, document or import.")
@click.option("--infer/--no-infer", default=None, help="Whether the store draws facts from it.")
@click.option("--prefer", "preferences", multiple=True, metavar="NAME=VALUE",
              help="A setting of the data subject, as in 'subject prefer --set'.")  # fmt: skip
@click.option("--about", multiple=True, metavar="ID",
              help="An entity that the text is about, for settings that name it.")  # fmt: skip
@click.option("--tier", type=click.Choice(["structured", "fast", "full"]), default="full",
              show_default=True, help="How text is analysed.")  # fmt: skip
@click.option("--jsonl", is_flag=True, help="One JSON object a line in, one result a line out.")
@json_option
def explain(source: str, text: str | None, jsonl: bool, as_json: bool, **given: Any) -> int:
    """Show what is found in a text, which rule fires, and what comes of it.

    What fixed the expiry is named (won); settings of the data subject count within the bounds.
    With --jsonl, each line of standard input is an object with id and text (and optionally owner,
    purpose, operation, at, consents, region, source, infer, preferences, about), answered by one
    line of output.

    \b
    Examples:
      expunge policy explain "Alva Brenn takes metformin since May" --json
      expunge policy explain "Takes metformin" --prefer 'categories={"health": "P7D"}'
      expunge policy explain --jsonl < texts.jsonl > results.jsonl
    """
    from proxy.cli.explain import Explainer, run_lines
    from proxy.cli.subject import setting

    if jsonl == (text is not None):
        raise click.UsageError("give either TEXT or --jsonl")
    given["preferences"] = dict(map(setting, given["preferences"]))
    explainer = Explainer(source, given)
    if jsonl:
        return run_lines(explainer, sys.stdin.buffer, emit_line)
    result = explainer.explain([{"id": None, "text": text}])[0]
    if as_json:
        emit(result)
    else:
        _show_explained(result)
    return EXIT_OK


def _show_explained(result: dict[str, Any]) -> None:
    columns = ("entity_type", "start", "end", "score")
    table(columns, [[found[name] for name in columns] for found in result["detections"]])
    categories = ", ".join(f"{c['name']} {c['score']:.2f}" for c in result["categories"])
    say(f"Categories  {categories or 'none'}")
    reason = f" ({result['reason']})" if result["reason"] else ""
    say(f"Decision    {result['decision']}{reason}")
    say(f"Text        {result['text']}")
    won = result["retention"]["won"]
    say(f"Tier        {result['tier']}, expires after {result['expires_after'] or 'never'} ({won})")
    say(f"Rules       {', '.join(result['rules']) or 'none'}")


@policy.command("schema")
def schema() -> None:
    """Print the JSON Schema of policies, for editors.

    \b
    Example:
      expunge policy schema > policy.schema.json
    """
    from policies.reference import json_schema

    say(json_schema().rstrip())


@policy.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the policies that come with Expunge.

    \b
    Example:
      expunge policy list
    """
    from policies import builtin_names, load

    found = [{"source": name, "digest": load(name).digest} for name in builtin_names()]
    if as_json:
        emit({"items": found})
    else:
        table(("source", "digest"), [[item["source"], item["digest"]] for item in found])


@policy.command("test")
@click.argument("source")
@click.option("--require-rule-coverage", is_flag=True, help="Fail when a rule never fired.")
@click.option("--tier", type=click.Choice(["structured", "fast", "full"]), default="full",
              show_default=True, help="How text is analysed.")  # fmt: skip
@json_option
def test(source: str, require_rule_coverage: bool, tier: Tier, as_json: bool) -> int:
    """Run the cases kept beside a policy (NAME.test.yaml); exit 1 when one fails.

    \b
    Example:
      expunge policy test my-policy.yaml --require-rule-coverage
    """
    from policies import load
    from policies.load import main_file
    from policies.testing import run_tests

    load(source)  # its own faults first, before models are loaded
    from detectors.engine import Detector
    from detectors.settings import DetectorSettings

    report = run_tests(main_file(source), Detector(DetectorSettings(tier=tier)))
    if as_json:
        emit(report.plain())
    else:
        _show_tests(report)
    uncovered = require_rule_coverage and report.never_fired
    return EXIT_OK if report.ok and not uncovered else EXIT_ERROR


def _show_tests(report: Any) -> None:
    for case in report.cases:
        if case.status in ("failed", "unexpected"):
            say(f"{case.status}: {case.name}")
            for line in case.differences:
                say(f"  {line}")
    say(report.summary())


@policy.command("diff")
@click.argument("before")
@click.argument("after")
@json_option
def diff(before: str, after: str, as_json: bool) -> None:
    """Say in words what changes from one policy to another.

    \b
    Example:
      expunge policy diff builtin/gdpr-default my-policy.yaml
    """
    from policies import load
    from policies.diff import diff as changes

    found = changes(load(before), load(after))
    if as_json:
        emit({"changes": found})
    else:
        say("\n".join(found) or "They do the same.")


@policy.command("simulate")
@click.argument("source")
@json_option
@connected
def simulate(connection: Connection, source: str, as_json: bool) -> None:
    """Judge what is kept by another policy, compared with the active one; nothing is changed.

    Judged are the tags that the ledger keeps of every memory. Counted is only what would come
    out otherwise than under the active policy: of the active policy itself, nothing.

    What is kept keeps the dates that it was given, but for the legal maximum: of those the numbers
    tell what it would get if it was written anew. What decay takes is not among them.

    \b
    Example:
      expunge policy simulate my-policy.yaml --dev ./data
    """
    from policies import load
    from policies.policy import resolved

    body = {"policy": json.dumps(resolved(load(source))), "resolved": True}
    found = connection.post("/v1/policies/simulate", body)
    if as_json:
        emit(found)
        return
    say(f"Memories: {found['memories']}, judged otherwise: {found['different']}")
    rows = [[words, *_counted(found[name])] for name, words in _SIMULATED.items()]
    rows = [row for row in rows if row[1]]
    if rows:
        table(("would then be", "count", "of which"), rows)


_SIMULATED = {
    "rejected": "rejected on writing",
    "quarantined": "held for review",
    "changed": "edited in another way (edits)",
    "rules": "caught by a rule that did not fire (rules)",
    "tiers": "in another tier",
    "shortened": "kept for a shorter time",
    "lengthened": "kept longer",
    "erased_now": "past their period: erased by the next sweep",
    "hidden_now": "past their period: unreadable at once",
    "erased_soon": "erased within seven days",
    "prompted": "due for a review",
}


def _counted(value: Any) -> tuple[int, str]:
    if not isinstance(value, dict):
        return int(value), ""
    return int(value["total"]), ", ".join(f"{name} {n}" for name, n in value["by"].items())
