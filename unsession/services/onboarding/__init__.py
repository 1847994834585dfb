"""Onboarding: speakers, what they owe, the files they send, and their own portal."""

from unsession.services.onboarding import (
    assigning,
    files,
    own,
    own_part,
    own_submission,
    speakers,
    tasks,
    templates,
)

__all__ = [
    "assigning",
    "files",
    "own",
    "own_part",
    "own_submission",
    "speakers",
    "tasks",
    "templates",
]
