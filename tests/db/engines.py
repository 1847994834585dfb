"""Which engine a test is about, where one of them alone has what is tested."""

import pytest

#: The test is about SQLite's file, connections or dialect.
only_sqlite = pytest.mark.parametrize("engine_url", ["sqlite"], indirect=True)
