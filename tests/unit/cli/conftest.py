"""Fixtures of the command line's tests."""

from tests.support.scripted_control import script

__all__ = ["script"]
