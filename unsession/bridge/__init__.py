"""MCP on standard input and output, for clients that start their servers as commands."""
