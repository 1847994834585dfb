"""A mail row for a text: who it goes to, what caused it, and the link delivery writes into it."""

from urllib.parse import urlsplit

from unsession.context import Context
from unsession.domain.mail import Text, one_line
from unsession.domain.text import fold_address
from unsession.ids import new_id
from unsession.models import Mail, OneTimeLink


def add_letter(
    ctx: Context,
    kind: str,
    text: Text,
    *,
    subject_id: str,
    to_address: str,
    to_name: str,
    to_user_id: str | None = None,
    link: OneTimeLink | None = None,
    workspace_id: str | None = None,
    event_id: str | None = None,
) -> Mail:
    """Queue one message to one person, caused by the running write. Effects: one mail row."""
    mail_id = new_id("mai")
    host = urlsplit(ctx.settings.public_url).hostname or "localhost"
    family = kind.partition(":")[0]
    cause = f"{family}:{subject_id}:{fold_address(to_address)}:{ctx.writing.activity_id}"
    mail = Mail(
        id=mail_id,
        workspace_id=workspace_id,
        event_id=event_id,
        kind=kind,
        subject_id=subject_id,
        to_address=to_address,
        to_name=one_line(to_name),
        to_user_id=to_user_id,
        subject=text.subject,
        body=text.body,
        link_id=link.id if link else None,
        cause_key=cause,
        message_id=f"<{mail_id}@{host}>",
    )
    ctx.session.add(mail)
    return mail
