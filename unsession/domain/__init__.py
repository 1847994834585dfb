"""The rules of the field: pure functions and tables, no I/O, no framework."""
