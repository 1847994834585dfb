"""The environment, read once; a wrong value stops the start with a sentence that names it."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from unsession.settings import LOOPBACK, NOT_YET, SETTINGS, Settings, SettingsError, load_settings

KEY = "0123456789abcdef0123456789abcdef"


def load(tmp_path: Path, host: str = "127.0.0.1", **variables: str) -> Settings:
    """Settings from these variables alone, in a data folder of the test's own."""
    environ = {f"UNSESSION_{name}": value for name, value in variables.items()}
    return load_settings({"UNSESSION_DATA_DIR": str(tmp_path), **environ}, host=host)


RIGHT: list[tuple[str, str, str, Any]] = [
    ("DATABASE_URL", "postgresql://ana@db.example/u", "database_url",
     "postgresql+asyncpg://ana@db.example/u"),
    ("DATABASE_URL", "postgres://ana@db.example/u", "database_url",
     "postgresql+asyncpg://ana@db.example/u"),
    ("DATABASE_URL", "postgresql+asyncpg://ana@db.example/u", "database_url",
     "postgresql+asyncpg://ana@db.example/u"),
    ("DATABASE_URL", "sqlite:////srv/u.db", "database_url", "sqlite+aiosqlite:////srv/u.db"),
    ("DATABASE_URL", "sqlite+aiosqlite:////srv/u.db", "database_url",
     "sqlite+aiosqlite:////srv/u.db"),
    ("PUBLIC_URL", "https://talks.example.org", "public_url", "https://talks.example.org"),
    ("PUBLIC_URL", "https://talks.example.org/", "public_url", "https://talks.example.org"),
    ("PUBLIC_URL", "http://localhost:8080", "public_url", "http://localhost:8080"),
    ("TRUSTED_PROXIES", "10.0.0.1", "trusted_proxies", ("10.0.0.1",)),
    ("TRUSTED_PROXIES", " 10.0.0.0/8 , fd00::/8, ", "trusted_proxies", ("10.0.0.0/8", "fd00::/8")),
    ("SECRET_KEY", KEY, "secret_key", KEY.encode()),
    ("ALLOWED_ORIGINS", "https://a.example, http://b.example:81", "allowed_origins",
     ("https://a.example", "http://b.example:81")),
    ("RATE_LIMITS", "on", "rate_limits", True),
    ("RATE_LIMITS", "off", "rate_limits", False),
    ("HOT_INLINE", "1", "hot_inline", True),
    ("HOT_INLINE", "0", "hot_inline", False),
    ("MCP_STRICT_HEADERS", "1", "mcp_strict_headers", True),
    ("MCP_STRICT_HEADERS", "0", "mcp_strict_headers", False),
    ("CLIENT_DOCUMENTS", "off", "client_documents", False),
    ("LOG", "json", "log_format", "json"),
    ("LOG", "text", "log_format", "text"),
    ("FILES_URL", "s3://files.example", "files_url", "s3://files.example"),
    ("FILES_URL", "s3://files/of/unsession", "files_url", "s3://files/of/unsession"),
    ("SMTP_URL", "file:///srv/mail", "smtp_url", "file:///srv/mail"),
    ("MAIL_FROM", "Dev Conf <talks@conf.example>", "mail_from", "Dev Conf <talks@conf.example>"),
    ("MAIL_FROM", "talks@conf.example", "mail_from", "talks@conf.example"),
    ("SIGNUP", "open", "open_signup", True),
    ("SIGNUP", "invite", "open_signup", False),
    ("METRICS_TOKEN", "0123456789abcdef", "metrics_token", "0123456789abcdef"),
]  # fmt: skip

WRONG = [
    ("DATABASE_URL", "mysql://ana@db.example/u"),
    ("DATABASE_URL", "postgresql://"),
    ("DATABASE_URL", "sqlite://relative.db"),
    ("DATABASE_URL", "unsession.db"),
    ("PUBLIC_URL", "talks.example.org"),
    ("PUBLIC_URL", "ftp://talks.example.org"),
    ("PUBLIC_URL", "https://talks.example.org/cfp"),
    ("PUBLIC_URL", "https://"),
    ("TRUSTED_PROXIES", "proxy.example"),
    ("TRUSTED_PROXIES", "10.0.0.1 10.0.0.2"),
    ("TRUSTED_PROXIES", "10.0.0.0/33"),
    ("SECRET_KEY", "short"),
    ("SECRET_KEY", KEY[:31]),
    ("ALLOWED_ORIGINS", "*"),
    ("ALLOWED_ORIGINS", "null"),
    ("ALLOWED_ORIGINS", "https://a.example/path"),
    ("ALLOWED_ORIGINS", "https://a.example,b.example"),
    ("RATE_LIMITS", "false"),
    ("RATE_LIMITS", "OFF"),
    ("HOT_INLINE", "yes"),
    ("MCP_STRICT_HEADERS", "on"),
    ("CLIENT_DOCUMENTS", "1"),
    ("LOG", "xml"),
    ("FILES_URL", "/srv/files"),
    ("FILES_URL", "https://files.example/bucket"),
    ("FILES_URL", "s3://key:secret@files"),
    ("FILES_URL", "s3://files/../others"),
    ("FILES_URL", "s3://files?key=secret"),
    ("SMTP_URL", "mail.example"),
    ("SMTP_URL", "http://mail.example"),
    ("SMTP_URL", "smtp://"),
    ("SMTP_URL", "smtp://ana@mail.example"),
    ("SMTP_URL", "smtp://mail.example:what"),
    ("SMTP_URL", "smtp://mail.example/inbox"),
    ("SMTP_URL", "file://mail/folder"),
    ("SMTP_URL", "file:///"),
    ("MAIL_FROM", "Dev Conf"),
    ("MAIL_FROM", "talks@conf.example\nBcc: x@y.example"),
    ("SIGNUP", "closed"),
    ("METRICS_TOKEN", "0123456789abcde"),
    ("METRICS_TOKEN", "0123456789 abcdef"),
    ("METRICS_TOKEN", "0123456789abcdéf"),
]


@pytest.mark.parametrize(("name", "value", "field", "meant"), RIGHT)
def test_a_right_value_is_taken(
    name: str, value: str, field: str, meant: Any, tmp_path: Path
) -> None:
    assert getattr(load(tmp_path, **{name: value}), field) == meant


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_is_refused_with_a_sentence_that_names_it(
    name: str, value: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, **{name: value})

    sentence = str(refused.value)
    assert f"UNSESSION_{name}" in sentence
    assert sentence.endswith(".")


def test_every_setting_is_tried_right_and_wrong() -> None:
    tried = {name for name, *_ in RIGHT} & {name for name, _ in WRONG}
    assert tried | {"DATA_DIR"} == {setting.name for setting in SETTINGS}


def test_a_secret_that_is_refused_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, SECRET_KEY="hunter2hunter2")
    assert "hunter2" not in str(refused.value)


def test_a_mail_server_needs_a_sender(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="UNSESSION_MAIL_FROM"):
        load(tmp_path, SMTP_URL="smtp://mail.example:587")


@pytest.mark.parametrize("url", ["smtp://ana:hunter2@mail.example/inbox", "smtp://a:hunter2@:25"])
def test_a_mail_password_is_neither_repeated_nor_shown(url: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, SMTP_URL=url, MAIL_FROM="talks@conf.example")
    assert "hunter2" not in str(refused.value)

    right = load(
        tmp_path, SMTP_URL="smtp://ana:hunter2@mail.example", MAIL_FROM="talks@conf.example"
    )

    assert right.smtp_url == "smtp://ana:hunter2@mail.example"
    assert "hunter2" not in repr(right)


def test_the_secret_key_is_not_shown_with_the_settings(tmp_path: Path) -> None:
    assert KEY not in repr(load(tmp_path, SECRET_KEY=KEY))


def test_without_any_variable_everything_has_a_default(tmp_path: Path) -> None:
    settings = load_settings({}, data_dir=tmp_path)

    assert settings.sqlite_path == tmp_path / "unsession.db"
    assert settings.public_url == "http://127.0.0.1:8000"
    assert (settings.rate_limits, settings.hot_inline, settings.log_format) == (True, True, "json")
    assert settings.trusted_proxies == settings.allowed_origins == ()


def test_the_data_folder_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    settings = load_settings({"UNSESSION_DATA_DIR": str(folder)})
    assert settings.data_dir == folder
    assert folder.is_dir()


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="UNSESSION_DATA_DIR"):
        load_settings({"UNSESSION_DATA_DIR": str(tmp_path / "file" / "data")})


def test_the_folder_of_the_command_wins_over_the_variable(tmp_path: Path) -> None:
    environ = {"UNSESSION_DATA_DIR": str(tmp_path / "variable")}
    settings = load_settings(environ, data_dir=tmp_path / "command")
    assert settings.data_dir == tmp_path / "command"
    assert not (tmp_path / "variable").exists()


def test_an_empty_variable_counts_as_none(tmp_path: Path) -> None:
    assert load(tmp_path, LOG="", PUBLIC_URL="").public_url == "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "http://127.0.0.1:9000"),
        ("0.0.0.0", "http://127.0.0.1:9000"),
        ("::", "http://127.0.0.1:9000"),
        ("::1", "http://[::1]:9000"),
        ("localhost", "http://localhost:9000"),
    ],
)
def test_the_public_address_is_the_bound_one_by_default(
    host: str, shown: str, tmp_path: Path
) -> None:
    assert load_settings({}, host=host, port=9000, data_dir=tmp_path).public_url == shown


@pytest.mark.parametrize("name", NOT_YET)
def test_a_variable_whose_feature_is_not_there_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, **{name: "anything"})

    assert f"UNSESSION_{name} is not yet available" in str(refused.value)
    assert NOT_YET[name] in str(refused.value)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("DATABASE_URI", "DATABASE_URL"),
        ("PUBLICURL", "PUBLIC_URL"),
        ("RATE_LIMIT", "RATE_LIMITS"),
        ("SECRETKEY", "SECRET_KEY"),
    ],
)
def test_an_unknown_variable_is_refused_with_what_may_be_meant(
    typed: str, meant: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, **{typed: "value"})

    assert f"UNSESSION_{typed} is not a setting" in str(refused.value)
    assert f"Did you mean UNSESSION_{meant}?" in str(refused.value)


def test_an_unknown_variable_unlike_any_other_gets_no_guess(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, ZZZ="value")
    assert str(refused.value) == "UNSESSION_ZZZ is not a setting."


@pytest.mark.parametrize("name", ["URL", "TOKEN", "TEST_POSTGRES_URL", "TEST_REDIS_URL"])
def test_variables_of_the_bridge_and_the_suite_are_let_pass(name: str, tmp_path: Path) -> None:
    assert load(tmp_path, **{name: "value"}) == load(tmp_path)


def test_other_programs_variables_are_none_of_ours(tmp_path: Path) -> None:
    assert load_settings({"PATH": "/bin", "DATABASE_URL": "mysql://x/y"}, data_dir=tmp_path)


def test_the_secret_key_is_made_once_and_kept_for_its_owner_alone(tmp_path: Path) -> None:
    first = load(tmp_path).secret_key
    again = load(tmp_path).secret_key

    kept = tmp_path / "secret.key"
    assert len(first) >= 32
    assert first == again == kept.read_bytes()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_another_folder_has_another_key(tmp_path: Path) -> None:
    assert load(tmp_path / "a").secret_key != load(tmp_path / "b").secret_key


def test_processes_that_start_together_agree_on_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as starts:
        keys = set(starts.map(lambda _: load(tmp_path).secret_key, range(32)))
    assert len(keys) == 1


def test_a_given_key_is_not_written_down(tmp_path: Path) -> None:
    load(tmp_path, SECRET_KEY=KEY)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("host", sorted(LOOPBACK))
def test_rate_limits_may_be_off_on_loopback(host: str, tmp_path: Path) -> None:
    assert load(tmp_path, host=host, RATE_LIMITS="off").rate_limits is False


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "talks.example.org"])
def test_rate_limits_may_not_be_off_where_others_can_call(host: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, host=host, RATE_LIMITS="off")

    assert "UNSESSION_RATE_LIMITS" in str(refused.value)
    assert host in str(refused.value)
