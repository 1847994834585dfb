"""Static tokens: made for a person, shown once, narrowed, revoked at once."""

from unsession.services.tokens.listed import TokenRow, homes_of, operator_of, tokens_of
from unsession.services.tokens.making import create_token, revoke_token
from unsession.services.tokens.narrowing import Changed, Less, change_token, narrow
from unsession.services.tokens.placing import Place, place_for
from unsession.services.tokens.rights import rights_changed

__all__ = [
    "Changed",
    "Less",
    "Place",
    "TokenRow",
    "change_token",
    "create_token",
    "homes_of",
    "narrow",
    "operator_of",
    "place_for",
    "revoke_token",
    "rights_changed",
    "tokens_of",
]
