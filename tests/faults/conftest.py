"""Fixtures of the fault tests: the same service as in the unit tests of erasure."""

from tests.unit.erasure.conftest import bench, build

__all__ = ["bench", "build"]
