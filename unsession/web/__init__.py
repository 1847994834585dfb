"""The doors: REST, MCP and pages, all of them onto the one catalogue."""
