"""Housekeeping of connections: what is over goes, what lives stays."""

import datetime as dt
from typing import Any

from sqlalchemy import select

from tests.conftest import Call
from tests.world import NORTH, World
from unsession.access import ApprovalPolicy, system_actor
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.domain.oauth import ClientKind, Resource
from unsession.domain.people import TokenScope
from unsession.models import Activity, OauthClient, OauthCode, OauthGrant, OauthRefresh, Token

NOW = utc_now()
LONG_AGO, SOON = NOW - dt.timedelta(days=100), NOW + dt.timedelta(hours=1)


async def keys(db: Database, model: Any) -> set[str]:
    """The primary keys of a table."""
    (column,) = model.__table__.primary_key.columns
    return {row[0] for row in await db.rows(select(column))}


def client(name: str, made: dt.datetime) -> OauthClient:
    """A registration."""
    return OauthClient(
        id=f"ocl_{name}",
        client_id=name,
        kind=ClientKind.REGISTERED,
        name=name,
        document={},
        created_at=made,
    )


def grant(name: str, of: str, made: dt.datetime, *, connected: bool) -> OauthGrant:
    """A connection."""
    return OauthGrant(
        id=f"ogr_{name}",
        client_id=f"ocl_{of}",
        user_id="usr_ravi",
        workspace_id=NORTH,
        name=name,
        scope=TokenScope.READ,
        resource=Resource.MCP,
        approval_policy=ApprovalPolicy.PREVIEW,
        created_at=made,
        connected_at=made if connected else None,
    )


def token(name: str, of: str | None, expires: dt.datetime) -> Token:
    """An access token, or a static one."""
    return Token(
        id=f"tok_{name}",
        workspace_id=NORTH,
        user_id="usr_ravi",
        name=name,
        secret_hash=name,
        scope=TokenScope.READ,
        grant_id=of,
        resource=Resource.MCP if of else None,
        expires_at=expires,
    )


async def test_what_is_over_goes_and_what_lives_stays(
    call: Call, db: Database, world: World
) -> None:
    static = await keys(db, Token)
    async with db.write() as session:
        session.add_all(
            [client("used", LONG_AGO), client("unused", LONG_AGO), client("fresh", NOW)]
        )
        await session.flush()
        session.add_all(
            [
                grant("live", "used", LONG_AGO, connected=True),
                grant("never", "used", LONG_AGO, connected=False),
                grant("pending", "fresh", NOW, connected=False),
            ]
        )
        await session.flush()
        session.add_all(
            [
                token("over", "ogr_live", LONG_AGO),
                token("live", "ogr_live", SOON),
                token("static_over", None, LONG_AGO),
                OauthCode(
                    code_hash="over",
                    grant_id="ogr_live",
                    redirect_uri="https://x.example/",
                    challenge="c",
                    expires_at=LONG_AGO,
                ),
                OauthRefresh(
                    secret_hash="over",
                    grant_id="ogr_live",
                    scope=TokenScope.READ,
                    expires_at=LONG_AGO,
                ),
                OauthRefresh(
                    secret_hash="live", grant_id="ogr_live", scope=TokenScope.READ, expires_at=SOON
                ),
            ]
        )
    entries = len(await keys(db, Activity))

    done = (await call("forget_over", system_actor("housekeeping"))).result

    assert (done.codes, done.refresh_tokens, done.tokens) == (1, 1, 1)
    assert (done.connections, done.clients) == (1, 1)
    assert await keys(db, OauthClient) == {"ocl_used", "ocl_fresh"}
    assert await keys(db, OauthGrant) == {"ogr_live", "ogr_pending"}
    assert await keys(db, OauthRefresh) == {"live"}
    assert await keys(db, OauthCode) == set()
    assert await keys(db, Token) == static | {"tok_live", "tok_static_over"}
    assert len(await keys(db, Activity)) == entries
