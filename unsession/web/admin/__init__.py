"""The organisers' pages at /app."""
