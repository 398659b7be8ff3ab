"""PostgreSQL for many processes: a small pool of asyncpg connections, lent by SQLAlchemy's async engine."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import asyncpg
from sqlalchemy import URL, Connection, event, text
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from server.store.database import Database
from server.store.errors import StoreUnavailable, UnreadableDatabase
from server.store.faults import Fault, fault, reason
from server.store.urls import shown

log = logging.getLogger("moontide.store")

P = ParamSpec("P")
T = TypeVar("T")

CONNECT_S = 5
# A server that has gone silent (a pulled cable) must not hold an append for ever; no statement of ours is long.
COMMAND_S = 30
POOL_S = 5
CLOSE_S = 3
TRIES = 5

# A role or a database may have it off, and then an acknowledged move could be lost (DESIGN 6).
DURABLE = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"


class PostgresDatabase(Database):
    dialect = "postgresql"
    sole_writer = False

    def __init__(self, url: URL, *, connections: int) -> None:
        self.engine: AsyncEngine = create_async_engine(
            url,
            pool_size=connections,
            max_overflow=0,
            pool_timeout=POOL_S,
            connect_args={
                "timeout": CONNECT_S,
                "command_timeout": COMMAND_S,
                "server_settings": {"application_name": "moontide", "jit": "off"},
            },
        )
        event.listen(self.engine.sync_engine, "connect", _promise_durability)
        event.listen(self.engine.sync_engine, "checkout", _refuse_dead)
        self._at_work: set[asyncio.Task[Any]] = set()
        self._kept: list[tuple[AsyncConnection, asyncpg.Connection]] = []
        self._keep = connections // 2

    @classmethod
    async def start(cls, url: URL, *, connections: int) -> Self:
        database = cls(url, connections=connections)
        try:
            await database.time()
        except StoreUnavailable as error:
            await database.close()
            raise UnreadableDatabase(f"{shown(url)} cannot be used: {error}") from error
        return database

    async def read(self, job: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        async with self.reading() as connection:
            return await connection.run_sync(job, *args, **kwargs)

    async def snapshot(self, job: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        async with self.connection() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            async with connection.begin():
                return await connection.run_sync(job, *args, **kwargs)

    async def write(self, job: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        async def attempt() -> T:
            async with self.connection() as connection, connection.begin():
                return await connection.run_sync(job, *args, **kwargs)

        return await self.finish(self._persist(attempt))

    async def time(self) -> int | None:
        now = text("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        async with self.reading() as connection:
            return int((await connection.execute(now)).scalar_one())

    async def close(self) -> None:
        if self._at_work:
            await asyncio.wait(self._at_work)
        try:
            async with asyncio.timeout(CLOSE_S):
                while self._kept:
                    await self._kept.pop()[0].close()
                await self.engine.dispose()
        except TimeoutError:
            log.warning("the database did not say goodbye in %d s; its connections are dropped", CLOSE_S)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection]:
        """A connection of the pool, with no transaction begun; failures of the storage as `StoreUnavailable`."""
        try:
            async with self.engine.connect() as connection:
                yield connection
        except Exception as error:
            if fault(error) is Fault.STORAGE:
                raise StoreUnavailable(reason(error)) from error
            raise

    @asynccontextmanager
    async def driver(self) -> AsyncIterator[asyncpg.Connection]:
        """asyncpg's own connection, outside of any transaction, for the statements that every move costs. Some are kept
        for that: to borrow one of SQLAlchemy's pool and give it back takes longer than such a statement."""
        lent = await self._lend()
        try:
            yield lent[1]
        except BaseException:
            # Whatever state it is in, nobody shall go on with it.
            self._begin(_let_go(lent[0]))
            raise
        if len(self._kept) < self._keep:
            self._kept.append(lent)
        else:
            self._begin(lent[0].close())

    async def _lend(self) -> tuple[AsyncConnection, asyncpg.Connection]:
        while self._kept:
            lent = self._kept.pop()
            if not lent[1].is_closed():
                return lent
            self._begin(_let_go(lent[0]))
        try:
            connection = await self.engine.connect()
            driver: Any = (await connection.get_raw_connection()).driver_connection
        except Exception as error:
            if fault(error) is Fault.STORAGE:
                raise StoreUnavailable(reason(error)) from error
            raise
        return connection, driver

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        # Under READ COMMITTED each statement sees its own moment anyway: without BEGIN and COMMIT a read is
        # one round trip rather than three.
        async with self.connection() as connection:
            yield await connection.execution_options(isolation_level="AUTOCOMMIT")

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """The answer of ``work``, which is finished even if the caller is cancelled."""
        return await asyncio.shield(self._begin(work))

    def _begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)
        return task

    async def _persist(self, attempt: Callable[[], Coroutine[Any, Any, T]]) -> T:
        for tries in range(TRIES):
            try:
                return await attempt()
            except Exception as error:
                if fault(error) is not Fault.MOMENT or tries == TRIES - 1:
                    raise
        raise AssertionError("unreachable")


async def _let_go(connection: AsyncConnection) -> None:
    # An error here is one more of a connection that is being thrown away.
    with suppress(Exception):
        await connection.invalidate()
        await connection.close()


def _promise_durability(connection: Any, record: object) -> None:
    cursor = connection.cursor()
    cursor.execute(DURABLE)
    cursor.close()
    connection.commit()


def _refuse_dead(connection: Any, record: object, proxy: object) -> None:
    # After the server has been away every pooled connection is dead; the pool then makes a new one, and the
    # first requests after its return do not fail one by one.
    if connection.driver_connection.is_closed():
        raise DisconnectionError("the server closed it")
