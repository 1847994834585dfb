"""The official MCP conformance suite and clients against the running product."""
