"""The doors of tests/web, for the cases of the field."""

from tests.web.conftest import built, door, pytest_generate_tests, stage, window

__all__ = ["built", "door", "pytest_generate_tests", "stage", "window"]
