"""Keeps third-party code from reaching the network and from logging what it matched."""

import logging

import tldextract

CHATTY_LOGGERS = ("presidio-analyzer", "decision_process", "tldextract", "spacy", "phonenumbers")


def isolate() -> None:
    """Switch off look-ups of the public-suffix list and loggers that print matched text."""
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    for name in CHATTY_LOGGERS:
        silence(logging.getLogger(name))


def silence(logger: logging.Logger) -> None:
    """Make a logger drop every record, whatever handlers are added later."""
    logger.handlers[:] = [logging.NullHandler()]
    logger.propagate = False
    logger.setLevel(logging.CRITICAL + 1)
    logger.disabled = True
