"""What we would be without a group commit: each move is one session of an ORM, and one transaction.

No rules, no chain, nobody who watches: whatever is asked is stored as a row of our own table ``events``, then acked.
The rest is as good as it gets. On SQLite the pragmas are ours (WAL, ``synchronous=FULL``), and the sessions run in one
thread: with 2, 6 and 40 of them they wait for each other's locks and were 10 to 20 % slower, and an async session on
aiosqlite has half the speed. On PostgreSQL the sessions are async ones on several connections, whose commits
PostgreSQL itself can join.
"""

import asyncio
import hashlib
import json
import os
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Session
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send

from server.settings import Settings
from server.store import tables
from server.store.migrate import upgrade
from server.store.urls import database_url, is_sqlite

THREADS = int(os.environ.get("ORM_T", "1"))
POSTGRES_CONNECTIONS = int(os.environ.get("ORM_C", "16"))


class Base(DeclarativeBase):
    metadata = tables.metadata


class Event(Base):
    __table__ = tables.events


Store = Callable[[Event], Awaitable[None]]


class Live:
    """A WebSocket on which each text is a move; an ASGI application, as the echo is."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            command = json.loads(message["text"])
            await self._store(event_of(command))
            ack = {
                "t": "ack",
                "game": command["game"],
                "command_id": command["command_id"],
                "seq": command["after"] + 1,
            }
            await send({"type": "websocket.send", "text": json.dumps(ack)})


def event_of(command: dict[str, Any]) -> Event:
    data = json.dumps({name: value for name, value in command.items() if name in ("remove", "from", "to", "count")})
    return Event(
        game_id=command["game"],
        seq=command["after"] + 1,
        type="moved",
        v=1,
        seat=1,
        at=time.time_ns() // 1_000_000,
        command_id=command["command_id"],
        data=data,
        link=hashlib.sha256(data.encode()).hexdigest(),
        digest=None,
    )


def sqlite_engine(url: URL) -> Engine:
    engine = create_engine(url)

    @event.listens_for(engine, "connect")
    def _pragmas(connection: Any, _: object) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")

    return engine


def in_a_thread(engine: Engine) -> Store:
    thread = ThreadPoolExecutor(1)

    def insert(made: Event) -> None:
        with Session(engine) as session, session.begin():
            session.add(made)

    async def store(made: Event) -> None:
        await asyncio.get_running_loop().run_in_executor(thread, insert, made)

    return store


def in_the_loop(engine: AsyncEngine) -> Store:
    async def store(made: Event) -> None:
        async with AsyncSession(engine) as session, session.begin():
            session.add(made)

    return store


def create_orm(settings: Settings) -> Starlette:
    upgrade(settings.database)
    url = database_url(settings.database)
    if is_sqlite(url):
        store = in_a_thread(sqlite_engine(url))
    else:
        # as many connections as our server has; more of them are not faster, they cost the loop what they win
        store = in_the_loop(create_async_engine(url, pool_size=settings.database_connections, max_overflow=0))
    return Starlette(routes=[WebSocketRoute("/live", Live(store))])
