"""Client-ID documents: read from public https addresses alone, and believed no further."""

import asyncio
import datetime as dt
import ipaddress
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.web.door import Door, opened
from tests.web.pages import read, rows, sign_in
from tests.web.test_oauth import Program
from tests.world import World
from unsession.db.types import utc_now
from unsession.domain.oauth import ClientKind
from unsession.models import OauthClient
from unsession.services.oauth.clients import BadMetadata, document_of
from unsession.settings import Settings
from unsession.web.oauth.documents import (
    Unreadable,
    is_document_address,
    read_at,
    read_document,
)

ADDRESS = "https://agent.example/client.json"
DOCUMENT = {
    "client_id": ADDRESS,
    "client_name": "Agent by document",
    "redirect_uris": ["http://127.0.0.1/callback"],
}


@pytest.mark.parametrize(
    ("address", "right"),
    [
        ("https://claude.ai/oauth/mcp-oauth-client-metadata", True),
        ("https://vscode.dev/oauth/client-metadata.json", True),
        ("https://agent.example:443/client.json", True),
        ("http://agent.example/client.json", False),
        ("https://agent.example", False),
        ("https://agent.example/", False),
        ("https://agent.example:8443/client.json", False),
        ("https://user@agent.example/client.json", False),
        ("https://agent.example/client.json#x", False),
        ("https://agent.example/a/../client.json", False),
        ("https://[::1/client.json", False),
        ("https://agent.example/" + "a" * 500, False),
    ],
)
def test_only_such_addresses_can_be_a_client(address: str, right: bool) -> None:
    assert is_document_address(address) is right


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "10.0.0.1", "192.168.1.1", "169.254.169.254", "[::1]", "[fd00::1]",
     "[::ffff:127.0.0.1]", "0.0.0.0", "100.64.0.1"],
)  # fmt: skip
async def test_nothing_inside_our_own_network_is_ever_read(host: str) -> None:
    with pytest.raises(Unreadable):
        await read_document(f"https://{host}/client.json")


def test_a_document_names_itself_and_keeps_no_secret() -> None:
    assert document_of(ADDRESS, DOCUMENT)["token_endpoint_auth_method"] == "none"
    for wrong in (
        [],
        {},
        {**DOCUMENT, "client_id": "https://other.example/client.json"},
        {**DOCUMENT, "redirect_uris": ["javascript:alert(1)"]},
        {**DOCUMENT, "redirect_uris": []},
    ):
        with pytest.raises(BadMetadata):
            document_of(ADDRESS, wrong)


Answering = Callable[[], bytes]


@asynccontextmanager
async def https(folder: Path, answer: bytes) -> AsyncIterator[tuple[str, ssl.SSLContext]]:
    """A real https server on loopback for a name of its own: its address, and whom to trust."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "agent.example")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName(
                [x509.DNSName("agent.example"), x509.IPAddress(ipaddress.ip_address("127.0.0.9"))]
            ),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    pem = folder / "server.pem"
    pem.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(pem)

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0, ssl=serving)
    port = server.sockets[0].getsockname()[1]
    trust = ssl.create_default_context(
        cadata=certificate.public_bytes(serialization.Encoding.PEM).decode()
    )
    async with server:
        yield f"https://agent.example:{port}/client.json", trust


def http_answer(body: bytes, status: str = "200 OK", more: str = "") -> bytes:
    """A whole answer."""
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{more}\r\n"
    return head.encode() + body


async def test_a_document_is_read_under_its_own_name(tmp_path: Path) -> None:
    body = msgspec.json.encode(DOCUMENT)
    async with https(tmp_path, http_answer(body)) as (address, trust):
        assert await read_at("127.0.0.1", address, trust) == DOCUMENT


async def test_another_names_certificate_does_not_count(tmp_path: Path) -> None:
    async with https(tmp_path, http_answer(b"{}")) as (address, trust):
        with pytest.raises(Exception, match=r"(?i)certificate|hostname"):
            await read_at("127.0.0.1", address.replace("agent", "other"), trust)


@pytest.mark.parametrize(
    "answer",
    [
        http_answer(b"{}", "404 Not Found"),
        http_answer(b"", "302 Found", "Location: https://127.0.0.1/\r\n"),
        http_answer(b"<html>"),
        http_answer(b'{"x":"' + b"y" * 20_000 + b'"}'),
    ],
)
async def test_what_is_no_short_json_is_not_read(tmp_path: Path, answer: bytes) -> None:
    async with https(tmp_path, answer) as (address, trust):
        with pytest.raises(Unreadable):
            await read_at("127.0.0.1", address, trust)


async def known(door: Door, fresh: bool) -> Program:
    """A client whose document was read before."""
    metadata = document_of(ADDRESS, DOCUMENT)
    until = utc_now() + dt.timedelta(hours=1 if fresh else -1)
    async with door.house.db.write() as session:
        session.add(
            OauthClient(
                client_id=ADDRESS,
                kind=ClientKind.DOCUMENT,
                name="Agent by document",
                document=metadata,
                fresh_until=until,
            )
        )
    await sign_in(door, "usr_ravi")
    return Program(door, ADDRESS, redirect="http://127.0.0.1:5555/callback")


@pytest.mark.parametrize("fresh", [True, False])
async def test_what_was_read_before_counts_also_when_it_cannot_be_read_now(
    settings: Settings, world: World, fresh: bool
) -> None:
    async with opened(replace(settings, client_documents=False)) as door:
        program = await known(door, fresh)
        page = read(await program.authorize())
        tokens = await program.connect()

        assert ADDRESS in page.words
        assert tokens["access_token"]


async def test_an_unknown_address_is_told_to_the_person(settings: Settings, world: World) -> None:
    async with opened(replace(settings, client_documents=False)) as door:
        await sign_in(door, "usr_ravi")
        answer = await Program(door, ADDRESS).authorize()
        told: dict[str, Any] = (
            await door.http.get("/.well-known/oauth-authorization-server")
        ).json()

        assert "is not known" in read(answer, 400).words
        assert told["client_id_metadata_document_supported"] is False
        assert await rows(door, OauthClient) == []
