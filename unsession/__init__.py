"""Unsession: the speaker side of a conference, one service layer behind pages, REST and MCP."""

__version__ = "0.1.0"
