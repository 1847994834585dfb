"""What differs between two releases, and what speakers are told."""

from unsession.domain.releases import Item, Moved, difference, notice_text


def item(session="a", place=("d1", 600), words=("t",), where="Thu 20 May 10:00, Main hall") -> Item:
    return Item(session, f"Title {session}", ("Ana",), where, place, words)


def test_each_session_differs_in_one_way_at_most() -> None:
    was = {
        "stays": item("stays"),
        "gone": item("gone"),
        "both": item("both"),
        "words": item("words"),
    }
    moved = item("both", place=("d1", 660), words=("other",))
    reworded = item("words", words=("other",))
    now = {"stays": item("stays"), "both": moved, "words": reworded, "new": item("new")}

    found = difference(was, now)

    assert [one.session_id for one in found.new] == ["new"]
    assert found.moved == (Moved(was["both"], moved),)
    assert [one.session_id for one in found.gone] == ["gone"]
    assert found.reworded == (Moved(was["words"], reworded),)
    assert found.count == 4
    assert found.sentence == "1 new, 1 moved, 1 taken off, 1 reworded"


def test_nothing_is_said_to_change_when_nothing_does() -> None:
    assert difference({"a": item()}, {"a": item()}).sentence == "nothing changes"


def test_a_speaker_reads_all_of_their_sessions_in_one_mail() -> None:
    was = item("b", where="Thu 20 May 09:00, Lab")
    text = notice_text(
        name="Ana\nLima",
        event="DevConf",
        new=[item("a")],
        moved=[Moved(was, item("b"))],
        zone="Lisbon",
        url="https://conference.test/devconf/agenda",
    )

    assert text.subject == "The agenda of DevConf has changed for you"
    assert text.body == (
        "Hello Ana Lima,\n\n"
        "the agenda of DevConf is published. Your sessions:\n\n"
        "“Title a”\n  Thu 20 May 10:00, Main hall\n\n"
        "“Title b”\n  Thu 20 May 10:00, Main hall\n  (was Thu 20 May 09:00, Lab)\n\n"
        "Times are Lisbon time. The whole agenda: https://conference.test/devconf/agenda\n\n"
        "DevConf\n"
    )
