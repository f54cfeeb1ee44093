"""Third-party code neither phones home nor logs what it matched."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tldextract

from detectors.isolation import CHATTY_LOGGERS, isolate

ENCODE = (
    "from detectors.categories.encoder import Encoder;"
    "assert Encoder().encode(['hello']).shape[0] == 1"
)


def test_encoder_leaves_the_home_directory_empty(tmp_path: Path) -> None:
    """Nothing, the encoder's runtime included, keeps device ids or usage data at home."""
    environment = {key: value for key, value in os.environ.items() if "ORT" not in key}
    subprocess.run(
        [sys.executable, "-c", ENCODE], check=True, env=environment | {"HOME": str(tmp_path)}
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", CHATTY_LOGGERS)
def test_chatty_logger_drops_everything(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """Not even a critical record passes, whatever handlers were added."""
    isolate()
    logger = logging.getLogger(name)
    with caplog.at_level(logging.DEBUG):
        logger.critical("Orla Quist")
    assert caplog.records == []


def test_public_suffixes_come_from_the_package() -> None:
    """Domains are split without a list from the network or a cache on disk."""
    isolate()
    extractor = tldextract.tldextract.TLD_EXTRACTOR
    assert extractor.suffix_list_urls == ()
    assert tldextract.extract("kim@mail.example.co.uk").suffix == "co.uk"
