"""The built-in texts of mail about accounts and invitations."""

from unsession.domain.mail import LINK_MARK, Text, one_line


def verify_letter(name: str) -> Text:
    """To somebody who signed up with this address."""
    return Text(
        "Finish your account",
        f"Hello {one_line(name)},\n\n"
        "somebody, we hope you, asked for an account with this address. Open this page to "
        f"finish it:\n\n{LINK_MARK}\n\n"
        "The link works for 3 days. If it was not you, do nothing: without it there is no "
        "account.\n",
    )


def known_letter(name: str) -> Text:
    """To somebody who signed up and has an account already."""
    return Text(
        "You have an account already",
        f"Hello {one_line(name)},\n\n"
        "somebody, we hope you, asked for an account with this address. You have one: this "
        f"link signs you in.\n\n{LINK_MARK}\n\n"
        "It works once, for 30 minutes. If it was not you, do nothing.\n",
    )


def signin_letter(name: str) -> Text:
    """To somebody who asked to be signed in by mail."""
    return Text(
        "Your link to sign in",
        f"Hello {one_line(name)},\n\n"
        f"this link signs you in:\n\n{LINK_MARK}\n\n"
        "It works once, for 30 minutes. If you did not ask for it, do nothing.\n",
    )


def reset_letter(name: str) -> Text:
    """To somebody who forgot their password."""
    return Text(
        "Choose a new password",
        f"Hello {one_line(name)},\n\n"
        f"choose a new password here:\n\n{LINK_MARK}\n\n"
        "The link works once, for an hour. If you did not ask for it, do nothing: your "
        "password stays as it is.\n",
    )


def draft_letter(*, event: str) -> Text:
    """To whoever wants to go on with a draft elsewhere; nothing of it is in the text."""
    name = one_line(event)
    return Text(
        f"Go on with your submission to {name}",
        "Hello,\n\n"
        f"somebody, we hope you, is writing a submission to {name} and asked for a link to go on "
        f"with it on another device:\n\n{LINK_MARK}\n\n"
        "The link works once, for 14 days. If it was not you, do nothing: nothing was submitted.\n",
    )


def draft_reminder(*, event: str, form: str, state: str, address: str) -> Text:
    """To whoever has an unfinished draft, before the form closes; nothing of it is in the text."""
    name, call = one_line(event), one_line(form)
    return Text(
        f"Your draft for {name} is not submitted yet",
        "Hello,\n\n"
        f"you began to write in “{call}” of {name} and have not submitted it. {one_line(state)}\n\n"
        f"This link goes on with your draft:\n\n{LINK_MARK}\n\n"
        f"It works once, for 14 days. The form itself is at {address}\n\n"
        "If you do not want to submit, do nothing, or give the draft up on its page; then we "
        "write no more about it.\n",
    )


def mention_letter(*, by: str, about: str, event: str, url: str) -> Text:
    """To a teammate who is to read a comment."""
    return Text(
        f"{one_line(by)} comments on {one_line(about)}",
        "Hello,\n\n"
        f"{one_line(by)} says something about {one_line(about)} ({one_line(event)}) and wants you "
        f"to read it:\n\n{url}\n",
    )


def invitation_letter(*, by: str, role: str, place: str) -> Text:
    """To somebody who is offered a role; ``place`` is an event or a workspace."""
    return Text(
        f"Your invitation to {one_line(place)}",
        "Hello,\n\n"
        f"{one_line(by)} invites you to {one_line(place)} as {role}. Accept on this page:\n\n"
        f"{LINK_MARK}\n\n"
        "The link works for 14 days. If you do not know what this is about, do nothing.\n",
    )
