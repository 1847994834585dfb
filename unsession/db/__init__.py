"""The database: engines, the one-hop dialect, prepared reads, column types, migrations."""
