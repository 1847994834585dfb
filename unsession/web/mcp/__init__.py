"""MCP at /api/mcp: a pure protocol core, and the tools of the catalogue."""
