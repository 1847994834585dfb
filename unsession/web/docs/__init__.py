"""Documentation pages, generated from the catalogue."""
