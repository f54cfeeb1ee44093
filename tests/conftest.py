"""Fixtures that every test may use, and how property tests choose their inputs."""

import os

import structlog
from hypothesis import settings

pytest_plugins = ["tests.support.ledger"]

# The check on a submission repeats the same inputs; runs by hand go on looking for new ones.
settings.register_profile("ci", derandomize=True, deadline=None, database=None)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

# A traceback with every local in it takes seconds to draw, and nobody reads it where a test passes.
structlog.configure(
    processors=[
        *structlog.get_config()["processors"][:-1],
        structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        ),
    ]
)
