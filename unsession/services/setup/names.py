"""Names as set-up keeps them."""

from unsession.domain.text import fold, typed_line
from unsession.errors import Invalid


def name_of(typed: str, at: str = "/name") -> str:
    """A name as it is kept: one line, no white space around it. Refuses a blank one."""
    name = typed_line(typed)
    if not fold(name):
        raise Invalid.at(at, "must not be empty")
    return name
