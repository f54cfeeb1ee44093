"""``expunge openapi``: the description of the control plane."""

import click

from proxy.cli.output import emit


@click.command()
@click.option("--base-path", default="", help="Prefix of the control plane.")
def openapi(base_path: str) -> None:
    """Print the OpenAPI 3.1 document of the control plane.

    \b
    Example:
      expunge openapi > openapi.json
    """
    from proxy.control.openapi import document
    from proxy.control.routes import ROUTES

    emit(document(ROUTES, base_path))
