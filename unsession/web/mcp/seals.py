"""Sealing for the protocol core: with the installation's key, for one purpose."""

from typing import Any

from unsession.seal import BrokenSeal, Purpose, seal, unseal


class Seals:
    """See :class:`unsession.web.mcp.turns.Sealing`, whose methods these are."""

    def __init__(self, secret_key: bytes) -> None:
        self._secret_key = secret_key

    def seal(self, value: Any) -> str:
        """Sealed for the state of a request that waits for a person."""
        return seal(self._secret_key, Purpose.REQUEST_STATE, value)

    def unseal(self, text: str) -> Any:
        """What was sealed; None for anything else."""
        try:
            return unseal(self._secret_key, Purpose.REQUEST_STATE, text)
        except BrokenSeal:
            return None
