"""Where the running Expunge is and how to call its control plane."""

import functools
import http.client
import json
import os
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from urllib.parse import SplitResult, urlencode, urlsplit

import click
from click.core import ParameterSource

from proxy.cli.failures import Refused, Unreachable, problem_of

P = ParamSpec("P")
R = TypeVar("R")
_TIMEOUT_SECONDS = 600
_LINES = "application/x-ndjson"
CA_VARIABLE, CERTIFICATE_VARIABLE = "EXPUNGE_CA", "EXPUNGE_CLIENT_CERT"


@dataclass(frozen=True, slots=True)
class Connection:
    """A control plane.

    Args:
        url: its base URL, with the base path.
        token: bearer token.
        tenant: name of the tenant; None lets the service choose the only or default one.
        folder: where certificates go.
    """

    url: str
    token: str
    tenant: str | None
    folder: Path

    def get(self, path: str, **query: str | None) -> Any:
        """GET and decode JSON."""
        return json.loads(self.send("GET", path, query=query)[1])

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """POST JSON and decode JSON."""
        return json.loads(self.send("POST", path, body=body or {})[1])

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """PATCH JSON and decode JSON."""
        return json.loads(self.send("PATCH", path, body=body)[1])

    def delete(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """DELETE and decode JSON; None for an empty answer."""
        raw = self.send("DELETE", path, body=body)[1]
        return json.loads(raw) if raw else None

    def not_ready(self) -> list[str]:
        """Parts of the service that stand in the way of work now; none where it cannot tell."""
        link, reply = self._ask("GET", "/readyz")
        try:
            parts = json.loads(reply.read())["parts"]
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            return []
        finally:
            link.close()
        return [name for name, good in parts.items() if not good]

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | None] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> tuple[int, bytes]:
        """One request.

        Raises:
            Refused: the service answered with a problem.
            Unreachable: it did not answer.
        """
        link, reply = self._ask(method, path, query=query, body=body)
        try:
            data = reply.read()
        except (OSError, http.client.HTTPException) as failure:
            raise self._unreachable(failure) from None
        finally:
            link.close()
        if reply.status >= 400:
            raise problem_of(data, reply.status)
        return reply.status, data

    def follow(self, path: str, body: Mapping[str, Any], told: Callable[[Any], None]) -> Any:
        """POST to long work and give its result; ``told`` gets the counts on the way.

        Raises:
            Refused: the service answered with a problem, at once or later.
            Unreachable: it did not answer, or the connection ended before the work.
        """
        link, reply = self._ask("POST", path, body=body, accept=_LINES)
        try:
            if reply.status >= 400:
                raise problem_of(reply.read(), reply.status)
            if reply.headers.get_content_type() != _LINES:
                return json.loads(reply.read())
            for line in reply:
                document = json.loads(line)
                if "problem" in document:
                    raise Refused(document["problem"])
                if "result" in document:
                    return document["result"]
                told(document["progress"])
        except (OSError, http.client.HTTPException):
            pass
        finally:
            link.close()
        raise self._unreachable()

    def _ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | None] | None = None,
        body: Mapping[str, Any] | None = None,
        accept: str = "application/json",
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        base = urlsplit(self.url)
        given = {key: value for key, value in (query or {}).items() if value is not None}
        target = base.path.rstrip("/") + path + (f"?{urlencode(given)}" if given else "")
        link = _link(base)
        try:
            raw = None if body is None else json.dumps(body).encode()
            link.request(method, target, raw, self._headers(accept, raw is not None))
            return link, link.getresponse()
        except (OSError, http.client.HTTPException) as failure:
            raise self._unreachable(failure) from None

    def _unreachable(self, failure: Exception | None = None) -> Unreachable:
        base = urlsplit(self.url)
        where, tls = f"{base.scheme}://{base.netloc}", base.scheme == "https"
        match failure:
            case ssl.SSLCertVerificationError():
                hint = f"Name the PEM file of the authority that signed it in {CA_VARIABLE}."
                return Unreachable(f"the certificate of {where} is not trusted", hint)
            case ssl.SSLError() | ConnectionResetError() | BrokenPipeError() if tls:
                hint = f"It may ask for a certificate ({CERTIFICATE_VARIABLE}), or speak no TLS."
                return Unreachable(f"{where} ended the TLS handshake", hint)
            case _:
                return Unreachable(f"no answer from {where}")

    def _headers(self, accept: str, with_body: bool) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self.token}", "Accept": accept}
        if self.tenant:
            headers["Expunge-Tenant"] = self.tenant
        if with_body:
            headers["Content-Type"] = "application/json"
        return headers


def _link(base: SplitResult) -> http.client.HTTPConnection:
    """A connection not yet made; EXPUNGE_CA and EXPUNGE_CLIENT_CERT say how to speak TLS.

    Raises:
        click.UsageError: a file they name cannot be used.
    """
    if base.scheme != "https":
        return http.client.HTTPConnection(base.hostname or "", base.port, timeout=_TIMEOUT_SECONDS)
    try:
        context = ssl.create_default_context(cafile=os.environ.get(CA_VARIABLE))
        if shown := os.environ.get(CERTIFICATE_VARIABLE):
            context.load_cert_chain(shown)
    except OSError:
        names = f"{CA_VARIABLE} and {CERTIFICATE_VARIABLE}"
        raise click.UsageError(f"the PEM files that {names} name cannot be read") from None
    return http.client.HTTPSConnection(
        base.hostname or "", base.port, timeout=_TIMEOUT_SECONDS, context=context
    )


def read_dev(folder: Path) -> dict[str, Any]:
    """The contents of a running ``expunge dev``'s dev.json.

    Raises:
        click.UsageError: there is none.
    """
    try:
        return dict(json.loads((folder / "dev.json").read_text("utf-8")))
    except (OSError, ValueError):
        raise click.UsageError(
            f"{folder}/dev.json cannot be read: is 'expunge dev --data-dir {folder}' running?"
        ) from None


def dev_configuration(folder: Path) -> Path:
    """The configuration that ``expunge dev`` last ran with on a folder."""
    return folder / "expunge" / "config.json"


def connect(url: str | None, token: str | None, dev: Path | None, tenant: str | None) -> Connection:
    """The connection that the options or the environment describe."""
    if dev is not None and url is None:
        found = read_dev(dev)
        folder = dev / "certificates"
        return Connection(found["control_url"], token or found["admin_token"], tenant, folder)
    if url is None or token is None:
        raise click.UsageError(
            "say where Expunge runs: --dev DIR, or --url and --token, "
            "or EXPUNGE_DEV, or EXPUNGE_URL and EXPUNGE_TOKEN"
        )
    return Connection(url, token, tenant, Path.cwd() / "certificates")


@dataclass(frozen=True, slots=True)
class Given:
    """What the connection options say; nothing has been asked for yet."""

    url: str | None
    token: str | None = field(repr=False)
    dev: Path | None
    tenant: str | None

    def connect(self) -> Connection:
        """The connection that they describe."""
        return connect(self.url, self.token, self.dev, self.tenant)


def connectable(command: Callable[P, R]) -> Callable[..., R]:
    """Add the connection options; the command gets them as its first argument."""

    @click.option("--url", envvar="EXPUNGE_URL", help="URL of the control plane.")
    @click.option("--token", envvar="EXPUNGE_TOKEN", help="Bearer token of the control plane.")
    @click.option("--dev", envvar="EXPUNGE_DEV", type=click.Path(path_type=Path), metavar="DIR",
                  help="Data folder of a running 'expunge dev'.")  # fmt: skip
    @click.option("--tenant", "tenant_name", envvar="EXPUNGE_TENANT", help="Name of the tenant.")
    @functools.wraps(command)
    def run(
        *args: Any,
        url: str | None,
        token: str | None,
        dev: Path | None,
        tenant_name: str | None,
        **kwargs: Any,
    ) -> R:
        given = as_said(url, token, dev, tenant_name)
        return command(given, *args, **kwargs)  # type: ignore[arg-type]

    return run


def is_said(option: str) -> bool:
    """Whether the command line itself, not the environment, has an option of this command."""
    source = click.get_current_context().get_parameter_source(option)
    return source is ParameterSource.COMMANDLINE


def as_said(url: str | None, token: str | None, dev: Path | None, tenant: str | None) -> Given:
    """What the options say; where one names an installation, the environment's is not meant.

    Raises:
        click.UsageError: two installations are named.
    """
    if is_said("dev") and is_said("url"):
        raise click.UsageError("--dev and --url name two installations: say which is meant")
    if is_said("dev"):
        return Given(None, token if is_said("token") else None, dev, tenant)
    return Given(url, token, None if url else dev, tenant)


def connected(command: Callable[P, R]) -> Callable[..., R]:
    """The same for a command that always asks: it gets the connection itself."""

    @functools.wraps(command)
    def run(given: Given, *args: Any, **kwargs: Any) -> R:
        return command(given.connect(), *args, **kwargs)  # type: ignore[arg-type]

    return connectable(run)


def dev_default() -> Path | None:
    """The folder named by EXPUNGE_DEV."""
    named = os.environ.get("EXPUNGE_DEV")
    return Path(named) if named else None
