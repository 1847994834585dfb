"""Public pages of events: rendered once per release, served from memory."""
