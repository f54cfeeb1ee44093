"""``python -m proxy.embedded``: start the store and say where it is."""

import argparse
import asyncio
import os
import sys
from pathlib import Path

from proxy import telemetry
from proxy.embedded.engine import StoreLocked
from proxy.embedded.server import serve
from proxy.embedded.settings import ModelEndpoint, StoreSettings


def main(arguments: list[str] | None = None) -> int:
    """Run until stopped; gives the exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if bool(given.llm_url) != bool(given.llm_model):
        parser.error("--llm-url and --llm-model go together")
    telemetry.configure(level="warning")
    try:
        asyncio.run(serve(_settings(given), stop_with_input=given.stop_with_input))
    except StoreLocked:
        sys.stderr.write("Another process has this store open. Stop it first.\n")
        return 1
    except OSError as failure:
        sys.stderr.write(f"Cannot start: {os.strerror(failure.errno or 0)}.\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("proxy.embedded", description=__doc__)
    add = parser.add_argument
    add("--data-dir", type=Path, required=True, help="holds qdrant/, history.db and mem0/")
    add("--host", default="127.0.0.1", help="address to listen on")
    add("--port", type=int, default=0, help="0 takes a free one")
    add("--api-key", default=os.environ.get("EXPUNGE_STORE_KEY"), metavar="KEY",
        help="what callers send; also EXPUNGE_STORE_KEY; random by default")  # fmt: skip
    add("--llm-url", default=os.environ.get("EXPUNGE_STORE_LLM_URL"), metavar="URL",
        help="OpenAI-compatible endpoint for infer=true; also EXPUNGE_STORE_LLM_URL")  # fmt: skip
    add("--llm-model", default=os.environ.get("EXPUNGE_STORE_LLM_MODEL"), metavar="NAME",
        help="its model; also EXPUNGE_STORE_LLM_MODEL")  # fmt: skip
    add("--llm-key-env", default="EXPUNGE_STORE_LLM_KEY", metavar="VARIABLE",
        help="environment variable that holds its key")  # fmt: skip
    add("--stop-with-input", action="store_true", help="stop when standard input ends")
    return parser


def _settings(given: argparse.Namespace) -> StoreSettings:
    llm = None
    if given.llm_url:
        key = os.environ.get(given.llm_key_env) or "none"
        llm = ModelEndpoint(given.llm_url, given.llm_model, key)
    settings = StoreSettings(given.data_dir.resolve(), given.host, given.port, llm=llm)
    if given.api_key:
        settings = StoreSettings(
            given.data_dir.resolve(), given.host, given.port, given.api_key, llm
        )
    return settings


if __name__ == "__main__":
    sys.exit(main())
