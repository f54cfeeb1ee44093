"""Fixtures of the retention tests: the service of the erasure tests."""

from tests.unit.erasure.conftest import bench, build

__all__ = ["bench", "build"]
