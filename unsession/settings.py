"""One frozen ``Settings``, read once from the environment; a wrong value stops the start."""

import ipaddress
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from email.utils import parseaddr
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PREFIX = "UNSESSION_"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})


class SettingsError(Exception):
    """A sentence that names the variable and says what it must be."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What one environment variable means. ``SPECS/operate.md`` lists them all (tested)."""

    name: str
    means: str


SETTINGS = (
    Setting("DATA_DIR", "folder of the database, the secret key and files; default ./var"),
    Setting("DATABASE_URL", "postgresql://… instead of the SQLite file in the data folder"),
    Setting(
        "FILES_URL",
        "s3://bucket/prefix for the bytes of files instead of the data folder; keys, region and "
        "endpoint as AWS_… variables; needs the extra s3",
    ),
    Setting("PUBLIC_URL", "the address people and agents use; default: the bound address"),
    Setting("TRUSTED_PROXIES", "addresses or networks whose X-Forwarded-For counts, by comma"),
    Setting("SECRET_KEY", "at least 32 characters; default: made and kept in the data folder"),
    Setting("ALLOWED_ORIGINS", "browser origins allowed at /api/mcp besides our own and loopback"),
    Setting("MCP_STRICT_HEADERS", "1 or 0 (default); 1 bears no connector's header quirks"),
    Setting(
        "CLIENT_DOCUMENTS",
        "on (default) or off; off: no agent may be known by a document that has to be fetched",
    ),
    Setting("RATE_LIMITS", "on or off; off only while bound to a loopback address"),
    Setting("HOT_INLINE", "1 or 0; 0 sends every prepared read to the reader thread"),
    Setting("LOG", "json or text"),
    Setting(
        "SMTP_URL",
        "smtp[s]://user:password@host:port that delivers mail, or file:///folder for .eml files; "
        "unset, mail is kept",
    ),
    Setting("MAIL_FROM", "the sender of mail, name@host or Name <name@host>; needed with SMTP_URL"),
    Setting("SIGNUP", "open or invite (default): who may make an account"),
    Setting("METRICS_TOKEN", "opens /metrics to a monitor elsewhere; at least 16 characters"),
)

#: Variables whose feature is not yet available: refused, so that nobody believes they work.
NOT_YET = {
    "REDIS_URL": "shared rate limits",
}

#: Not read by the server: the stdio bridge's and the test suite's.
_OTHERS = ("URL", "TOKEN", "TEST_POSTGRES_URL", "TEST_REDIS_URL")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the environment decides, already checked."""

    data_dir: Path = Path("var")
    database_url: str = ""  #: SQLAlchemy's async form
    files_url: str = ""  #: a bucket; empty: files lie in the data folder
    public_url: str = "http://127.0.0.1:8000"  #: no slash at the end
    secret_key: bytes = field(default=b"", repr=False)
    trusted_proxies: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    rate_limits: bool = True
    hot_inline: bool = True
    mcp_strict_headers: bool = False
    client_documents: bool = True  #: whether metadata documents of OAuth clients are fetched
    log_format: str = "json"
    smtp_url: str = field(default="", repr=False)  #: may hold a password; empty: mail is kept
    mail_from: str = ""
    open_signup: bool = False  #: whether anybody may make an account
    metrics_token: str = field(default="", repr=False)  #: empty: /metrics is for loopback alone
    preview_seconds: float = 10.0  #: what a preview may take while it holds the writer

    @property
    def sqlite_path(self) -> Path | None:
        """The database file, or None on PostgreSQL."""
        prefix = "sqlite+aiosqlite:///"
        if self.database_url.startswith(prefix):
            return Path(self.database_url.removeprefix(prefix))
        return None


def load_settings(
    environ: Mapping[str, str] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    data_dir: Path | None = None,
) -> Settings:
    """Read and check the environment. Makes the data folder and the secret key if need be.

    ``host`` and ``port`` are the bound address (the default public URL); ``data_dir`` wins over
    the variable. Raises :class:`SettingsError` with a sentence that names the variable.
    """
    env = _known(os.environ if environ is None else environ)
    folder = data_dir or Path(env.get("DATA_DIR", "var"))
    url = _database_url(env.get("DATABASE_URL"), folder)
    shown = f"[{host}]" if ":" in host else host
    bound = f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else shown}:{port}"  # noqa: S104
    rates = _choice(env, "RATE_LIMITS", {"on": True, "off": False}, True)
    if not rates and host not in LOOPBACK:
        raise SettingsError(
            f"UNSESSION_RATE_LIMITS=off is for load tests on a loopback address, not on {host}."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failed:
        raise SettingsError(f"UNSESSION_DATA_DIR: {folder} cannot be made ({failed}).") from None
    return Settings(
        data_dir=folder,
        database_url=url,
        files_url=_files_url(env.get("FILES_URL", "")),
        public_url=_public_url(env.get("PUBLIC_URL"), bound),
        secret_key=_secret_key(env.get("SECRET_KEY"), folder),
        trusted_proxies=_networks(env.get("TRUSTED_PROXIES", "")),
        allowed_origins=_origins(env.get("ALLOWED_ORIGINS", "")),
        rate_limits=rates,
        hot_inline=_choice(env, "HOT_INLINE", {"1": True, "0": False}, True),
        mcp_strict_headers=_choice(env, "MCP_STRICT_HEADERS", {"1": True, "0": False}, False),
        client_documents=_choice(env, "CLIENT_DOCUMENTS", {"on": True, "off": False}, True),
        log_format=_choice(env, "LOG", {"json": "json", "text": "text"}, "json"),
        smtp_url=_smtp_url(env),
        mail_from=_mail_from(env),
        open_signup=_choice(env, "SIGNUP", {"open": True, "invite": False}, False),
        metrics_token=_metrics_token(env.get("METRICS_TOKEN", "")),
    )


def _known(environ: Mapping[str, str]) -> dict[str, str]:
    given = {k.removeprefix(PREFIX): v for k, v in environ.items() if k.startswith(PREFIX)}
    names = [setting.name for setting in SETTINGS]
    for name in given:
        if name in NOT_YET:
            raise SettingsError(
                f"{PREFIX}{name} is not yet available: {NOT_YET[name]} is not part of this version."
            )
        if name not in names and name not in _OTHERS:
            near = get_close_matches(name, names, 1)
            hint = f" Did you mean {PREFIX}{near[0]}?" if near else ""
            raise SettingsError(f"{PREFIX}{name} is not a setting.{hint}")
    return {k: v for k, v in given.items() if k in names and v != ""}


def _choice(env: Mapping[str, str], name: str, choices: Mapping[str, Any], default: Any) -> Any:
    value = env.get(name)
    if value is None:
        return default
    if value not in choices:
        raise SettingsError(f"{PREFIX}{name} must be {' or '.join(choices)}, not {value!r}.")
    return choices[value]


def _database_url(value: str | None, folder: Path) -> str:
    if value is None:
        return f"sqlite+aiosqlite:///{folder / 'unsession.db'}"
    scheme, _, rest = value.partition("://")
    if scheme in ("postgres", "postgresql", "postgresql+asyncpg") and rest:
        return f"postgresql+asyncpg://{rest}"
    if scheme in ("sqlite", "sqlite+aiosqlite") and rest.startswith("/"):
        return f"sqlite+aiosqlite://{rest}"
    raise SettingsError(
        "UNSESSION_DATABASE_URL must be postgresql://user@host/name or sqlite:///path."
    )


def _files_url(value: str) -> str:
    """A bucket with or without a prefix. Keys have no place in it: logs and backups show it."""
    if not value:
        return ""
    parts = urlsplit(value)
    if parts.scheme != "s3" or not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,62}", parts.netloc):
        raise SettingsError("UNSESSION_FILES_URL must be s3://bucket or s3://bucket/prefix.")
    if parts.query or parts.fragment or ".." in parts.path:
        raise SettingsError("UNSESSION_FILES_URL must be s3://bucket or s3://bucket/prefix.")
    if find_spec("obstore") is None:
        raise SettingsError("UNSESSION_FILES_URL needs the extra s3: pip install unsession[s3].")
    return value


def _public_url(value: str | None, bound: str) -> str:
    if value is None:
        return bound
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path not in ("", "/"):
        raise SettingsError(
            f"UNSESSION_PUBLIC_URL must be https://host without a path, not {value!r}."
        )
    return f"{parts.scheme}://{parts.netloc}"


def _origins(value: str) -> tuple[str, ...]:
    origins = tuple(part.strip() for part in value.split(",") if part.strip())
    for origin in origins:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.path:
            raise SettingsError(
                f"UNSESSION_ALLOWED_ORIGINS must list origins such as https://host, not {origin!r}."
            )
    return origins


def _smtp_url(env: Mapping[str, str]) -> str:
    """The address of the mail server as given. What is wrong with it is said without it."""
    value = env.get("SMTP_URL", "")
    if not value:
        return ""
    wrong = SettingsError(
        "UNSESSION_SMTP_URL must be smtp://user:password@host:port, smtps://… or file:///folder."
    )
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.query or parts.fragment:
        raise wrong
    if parts.scheme == "file":
        if parts.netloc or not parts.path.strip("/"):
            raise wrong
        return value
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or port == 0:
        raise wrong
    if parts.path not in ("", "/") or bool(parts.username) != bool(parts.password):
        raise wrong
    if "MAIL_FROM" not in env:
        raise SettingsError("UNSESSION_MAIL_FROM is needed with UNSESSION_SMTP_URL.")
    return value


def _mail_from(env: Mapping[str, str]) -> str:
    value = env.get("MAIL_FROM", "")
    _, address = parseaddr(value)
    host = address.rpartition("@")[2]
    if value and (not host or "@" not in address or not value.isprintable()):
        raise SettingsError(
            f"UNSESSION_MAIL_FROM must be name@host or Name <name@host>, not {value!r}."
        )
    return value


def _metrics_token(value: str) -> str:
    plain = value.isascii() and value.isprintable() and " " not in value
    if value and (len(value) < 16 or not plain):
        raise SettingsError(
            "UNSESSION_METRICS_TOKEN must have at least 16 characters, all ASCII and no space."
        )
    return value


def _networks(value: str) -> tuple[str, ...]:
    networks = tuple(part.strip() for part in value.split(",") if part.strip())
    for network in networks:
        try:
            ipaddress.ip_network(network, strict=False)
        except ValueError:
            raise SettingsError(
                f"UNSESSION_TRUSTED_PROXIES must list addresses or networks, not {network!r}."
            ) from None
    return networks


def _secret_key(value: str | None, folder: Path) -> bytes:
    if value is not None:
        if len(value) < 32:
            raise SettingsError("UNSESSION_SECRET_KEY must have at least 32 characters.")
        return value.encode()
    path = folder / "secret.key"
    if not path.exists():
        # Written whole, then linked into place: two processes that start together agree on one.
        fresh = folder / f".secret.{secrets.token_hex(8)}"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_urlsafe(48).encode())
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_bytes().strip()
