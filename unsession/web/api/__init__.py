"""REST at /api/v1, made from the catalogue."""
