"""Connections of agents: who may ask, what a person allows, and the secrets that follow."""

from unsession.services.oauth import clients, connections, consent, housekeeping, tokens

__all__ = ["clients", "connections", "consent", "housekeeping", "tokens"]
