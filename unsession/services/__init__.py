"""The verbs: what the product can do, one module per family.

Importing this package registers every operation.
"""

from unsession.services import decisions, events, orientation, submissions, tokens

__all__ = ["decisions", "events", "orientation", "submissions", "tokens"]
