"""What an operator types, on a real data folder."""

import json
import re
import shutil
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from unsession import __version__
from unsession.catalogue import OPERATIONS
from unsession.cli import main
from unsession.db.migrate import head
from unsession.services.principals import secret_hash
from unsession.web.api.openapi import document
from unsession.web.mcp.tools import definition

#: ``unsession("verify")``: what it printed and how it ended; settings by keyword.
Unsession = Callable[..., Result]

SECRET = re.compile(r"uns_[0-9A-Za-z]{40}\n")
TOKEN = ("token", "create", "--workspace", "north", "--for", "ravi@example.org", "--name", "ci")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def unsession(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Unsession:
    """Runs a command in this process, with a data folder and no other setting."""
    for name in ("DATABASE_URL", "PUBLIC_URL", "SECRET_KEY", "LOG", "SMTP_URL", "MAIL_FROM"):
        monkeypatch.delenv(f"UNSESSION_{name}", raising=False)

    def running(*arguments: str, **settings: str) -> Result:
        env = {f"UNSESSION_{name}": value for name, value in settings.items()}
        return CliRunner().invoke(main, arguments, env={"UNSESSION_DATA_DIR": str(folder), **env})

    return running


@pytest.fixture
def installed(folder: Path, sqlite_world: Path) -> Path:
    """The database of an installation that holds the world."""
    folder.mkdir()
    shutil.copyfile(sqlite_world, folder / "unsession.db")
    return folder / "unsession.db"


def changed(database: Path, statement: str, *values: str) -> None:
    """Change rows behind the product's back."""
    connection = sqlite3.connect(database)
    try:
        with connection:
            connection.execute(statement, values)
    finally:
        connection.close()


class TestSettings:
    def test_a_wrong_value_stops_every_command_with_its_name(self, unsession: Unsession) -> None:
        for command in ("doctor", "migrate", "verify", "openapi"):
            done = unsession(command, LOG="loud")

            assert done.exit_code == 1
            assert done.output == "Error: UNSESSION_LOG must be json or text, not 'loud'.\n"

    def test_a_misspelt_variable_is_found(self, unsession: Unsession) -> None:
        done = unsession("doctor", PUBLIC_URI="https://conference.test")

        assert done.exit_code == 1
        assert "Did you mean UNSESSION_PUBLIC_URL?" in done.output

    def test_a_setting_of_the_future_is_not_silently_ignored(self, unsession: Unsession) -> None:
        done = unsession("doctor", REDIS_URL="redis://127.0.0.1")

        assert done.exit_code == 1
        assert "UNSESSION_REDIS_URL is not yet available" in done.output

    def test_the_version_is_said(self, unsession: Unsession) -> None:
        assert __version__ in unsession("--version").output

    @pytest.mark.parametrize("command", list(main.commands))
    def test_every_command_says_what_it_does(self, unsession: Unsession, command: str) -> None:
        done = unsession(command, "--help")

        assert done.exit_code == 0
        assert isinstance(main.commands[command], click.Command)
        assert main.commands[command].help


class TestMigrate:
    def test_it_makes_a_database_and_says_where_it_stands(
        self, unsession: Unsession, folder: Path
    ) -> None:
        first = unsession("migrate")
        again = unsession("migrate")

        assert first.exit_code == again.exit_code == 0
        assert first.output == again.output == f"The database is at revision {head()}.\n"
        assert (folder / "unsession.db").exists()

    def test_it_leaves_what_is_there(self, unsession: Unsession, installed: Path) -> None:
        before = installed.read_bytes()

        assert unsession("migrate").exit_code == 0
        assert installed.read_bytes() == before


class TestDoctor:
    def test_it_says_what_is_missing(self, unsession: Unsession, folder: Path) -> None:
        done = unsession("doctor", PUBLIC_URL="https://conference.test/")

        assert done.exit_code == 0
        assert f"version      {__version__}" in done.output
        assert "public URL   https://conference.test\n" in done.output
        assert f"data folder  {folder}" in done.output
        assert (
            f"SQLite, revision none, needs revision {head()}: run unsession migrate" in done.output
        )

    def test_it_says_that_all_is_well(self, unsession: Unsession, installed: Path) -> None:
        done = unsession("doctor")

        assert done.exit_code == 0
        assert f"SQLite, revision {head()}, up to date" in done.output

    def test_it_says_that_the_database_does_not_answer(self, unsession: Unsession) -> None:
        done = unsession("doctor", DATABASE_URL="postgresql://nobody@127.0.0.1:1/nothing")

        assert done.exit_code == 1
        assert "The PostgreSQL database does not answer:" in done.output

    def test_it_shows_no_secret(self, unsession: Unsession, installed: Path) -> None:
        done = unsession("doctor", SECRET_KEY="0123456789abcdef0123456789abcdef")

        assert "0123456789abcdef" not in done.output


class TestVerify:
    def test_a_chain_that_nobody_touched_is_whole(
        self, unsession: Unsession, installed: Path
    ) -> None:
        unsession(*TOKEN, "--scope", "read")
        unsession(*TOKEN, "--scope", "write")

        done = unsession("verify")

        assert done.exit_code == 0
        assert re.fullmatch(r"wsp_north: 2 entries, head [0-9a-f]{16}, whole\n", done.output)

    @pytest.mark.parametrize(
        ("statement", "fault"),
        [
            (
                "UPDATE activity SET content = replace(content, 'ci', 'xx') WHERE number = 1",
                "the content of entry 1 was changed",
            ),
            ("UPDATE activity SET operation = 'nothing' WHERE number = 2", "entry 2 was changed"),
            ("DELETE FROM activity WHERE number = 1", "entry 1 is missing"),
            ("DELETE FROM activity WHERE number = 2", "the last entries are missing"),
        ],
    )
    def test_a_chain_that_somebody_touched_is_broken(
        self, unsession: Unsession, installed: Path, statement: str, fault: str
    ) -> None:
        unsession(*TOKEN, "--scope", "read")
        unsession(*TOKEN, "--scope", "write")
        changed(installed, statement)

        done = unsession("verify")

        assert done.exit_code == 1
        assert f"broken: {fault}" in done.output

    def test_blanking_a_person_leaves_it_whole(self, unsession: Unsession, installed: Path) -> None:
        unsession(*TOKEN, "--scope", "read")
        changed(installed, "UPDATE activity SET salt = NULL, content = NULL, actor_name = NULL")

        assert unsession("verify").exit_code == 0

    def test_there_must_be_a_database(self, unsession: Unsession, folder: Path) -> None:
        done = unsession("verify")

        assert done.exit_code == 1
        assert done.output == f"Error: There is no database at {folder / 'unsession.db'}.\n"


class TestToken:
    def test_its_secret_is_printed_once_and_kept_nowhere(
        self, unsession: Unsession, installed: Path
    ) -> None:
        done = unsession(*TOKEN, "--scope", "write")

        assert done.exit_code == 0
        assert SECRET.fullmatch(done.output)
        secret = done.output.strip()
        stored = b"".join(path.read_bytes() for path in installed.parent.iterdir())
        assert secret.encode() not in stored
        assert secret_hash(secret).encode() in stored

    def test_it_is_what_was_asked_for(self, unsession: Unsession, installed: Path) -> None:
        unsession(*TOKEN, "--scope", "read", "--event", "devconf-2027", "--expires", "2090-02-28")

        connection = sqlite3.connect(installed)
        row = connection.execute(
            "SELECT name, scope, user_id, workspace_id, event_id, expires_at FROM token"
            " WHERE name = 'ci'"
        ).fetchone()
        entry = connection.execute("SELECT actor_name, operation FROM activity").fetchone()
        connection.close()
        assert row[:5] == ("ci", "read", "usr_ravi", "wsp_north", "evt_devconf")
        assert row[5].startswith("2090-03-01 00:00:00")
        assert entry == ("system:token create", "create_token")

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (
                {"--workspace": "nowhere"},
                "No workspace “nowhere” here, or it is not yours to see.",
            ),
            (
                {"--for": "who@example.org"},
                "No person “who@example.org” here, or it is not yours to see.",
            ),
            ({"--event": "rival-2027"}, "No event “rival-2027” here, or it is not yours to see."),
            (
                {"--for": "tom@example.org"},
                "Tom Idle has no role there, so a token for them could do nothing.",
            ),
            (
                {"--for": "mei@example.org", "--event": "pyday-2027"},
                "Mei Tanaka has no role there, so a token for them could do nothing.",
            ),
            ({"--expires": "2020-01-01"}, "/expiresAt: must lie in the future"),
            ({"--name": "x" * 81}, "/name: must be text of length <= 80"),
        ],
    )
    def test_it_is_refused_with_a_sentence(
        self, unsession: Unsession, installed: Path, options: dict[str, str], says: str
    ) -> None:
        given = {
            "--workspace": "north",
            "--for": "ravi@example.org",
            "--name": "ci",
            "--scope": "read",
        }
        arguments = [part for option in (given | options).items() for part in option]

        done = unsession("token", "create", *arguments)

        assert done.exit_code == 1
        assert done.output.startswith(f"Error: {says}")
        assert "uns_" not in done.output

    @pytest.mark.parametrize(
        "options",
        [("--scope", "all"), ("--scope", "read", "--approval", "later"), ()],
    )
    def test_what_cannot_be_is_not_offered(
        self, unsession: Unsession, installed: Path, options: tuple[str, ...]
    ) -> None:
        assert unsession(*TOKEN, *options).exit_code == 2


class TestServe:
    """What stops the server before it starts; that it serves is seen in test_serving.py."""

    def test_more_than_one_worker_is_refused_on_sqlite(self, unsession: Unsession) -> None:
        done = unsession("serve", "--workers", "2", "--port", "0")

        assert done.exit_code == 1
        assert done.stderr.startswith("Error: SQLite has one writer, so --workers must be 1.")

    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
    def test_rates_off_are_refused_on_an_address_others_reach(
        self, unsession: Unsession, host: str
    ) -> None:
        done = unsession("serve", "--host", host, "--port", "0", RATE_LIMITS="off")

        assert done.exit_code == 1
        assert done.stderr == (
            "Error: UNSESSION_RATE_LIMITS=off is for load tests on a loopback address, "
            f"not on {host}.\n"
        )

    def test_an_address_that_is_taken_is_named(self, unsession: Unsession) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = unsession("serve", "--port", str(port))

        assert done.exit_code == 1
        assert f"127.0.0.1:{port} cannot be bound" in done.stderr


class TestListings:
    def test_the_openapi_document_is_the_doors(self, unsession: Unsession) -> None:
        done = unsession("openapi", PUBLIC_URL="https://conference.test")

        described = document(list(OPERATIONS.values()), "https://conference.test")
        assert done.exit_code == 0
        assert json.loads(done.output) == json.loads(json.dumps(described))

    def test_the_tools_are_listed_as_mcp_lists_them(self, unsession: Unsession) -> None:
        done = unsession("tools", "--json")

        offered = [definition(op) for op in OPERATIONS.values() if op.route]
        assert done.exit_code == 0
        assert json.loads(done.output) == {"tools": json.loads(json.dumps(offered))}

    def test_the_tools_are_listed_for_people(self, unsession: Unsession) -> None:
        lines = unsession("tools").output.splitlines()

        assert len(lines) == len([op for op in OPERATIONS.values() if op.route])
        assert "write  decide_submission      Decide a submission (mails)" in lines
        assert "read   whoami                 Who am I" in lines
