"""``expunge demo``: the whole story on invented people, checked."""

from pathlib import Path

import click


@click.command()
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Keep all files of the run in this folder.")  # fmt: skip
def demo(keep: Path | None) -> int:
    """Run the main job on an embedded store, narrated; exit 0 only if every promise held.

    \b
    Example:
      expunge demo
    """
    from proxy.demo.run import main

    return main(keep)
