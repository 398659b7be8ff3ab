"""Threads that keep one connection each and take jobs from one queue.

SQLite is called in threads of its own, so that a commit's wait for the disk does not hold up the event
loop. One worker makes a writer; a few make the readers. A plain `SimpleQueue` and one wake-up a job: a pool
of the standard library costs several times as much, and cannot keep a connection to a thread.
"""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

from sqlalchemy import Connection

from server.store.errors import StoreUnavailable

T = TypeVar("T")

Settle = Callable[[object, BaseException | None], None]
Job = tuple[Callable[[Connection], object], Settle]


class Workers:
    """``count`` threads, each with a connection from ``connect`` that it opens when it first needs one.

    A connection is let go when ``spoiled`` says of an error that it may be, or when ``current`` says that it
    no longer leads to the database; the next job gets a new one.
    """

    def __init__(
        self,
        name: str,
        count: int,
        connect: Callable[[], Connection],
        *,
        current: Callable[[Connection], bool],
        spoiled: Callable[[BaseException], bool],
    ) -> None:
        self._connect = connect
        self._current = current
        self._spoiled = spoiled
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"{name}-{number}", daemon=True) for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def run(
        self, job: Callable[[Connection], T], otherwise: Callable[[Exception], T] | None = None
    ) -> "asyncio.Future[T]":
        """The answer of ``job(connection)``, to be awaited; the job is queued at once. One that waits or runs is
        finished even if the caller is cancelled. Where it ends in an error, ``otherwise`` may make an answer of that.

        Raises `StoreUnavailable` once closed.
        """
        if self._closed:
            raise StoreUnavailable("the database is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(answer: object, error: BaseException | None) -> None:
            # In the worker's thread. The loop is closed where a caller went away with all of its program.
            try:
                if otherwise is not None and isinstance(error, Exception):
                    answer, error = otherwise(error), None
            except Exception as raised:
                error = raised
            try:
                loop.call_soon_threadsafe(_resolve, future, answer, error)
            except RuntimeError:
                pass

        self._jobs.put((job, settle))
        return future

    async def close(self) -> None:
        """Finish the jobs that are queued, close the connections, end the threads."""
        self._closed = True
        for _ in self._threads:
            self._jobs.put(None)
        await asyncio.to_thread(self._join)

    def _join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        connection: Connection | None = None
        while (task := self._jobs.get()) is not None:
            job, settle = task
            answer: object = None
            error: BaseException | None = None
            try:
                if connection is not None and not self._current(connection):
                    _let_go(connection)
                    connection = None
                if connection is None:
                    connection = self._connect()
                answer = job(connection)
            except BaseException as caught:
                error = caught
                if connection is not None and self._spoiled(caught):
                    _let_go(connection)
                    connection = None
            settle(answer, error)
            # Nothing of a job stays alive while its thread waits for the next one.
            del task, job, settle, answer, error
        if connection is not None:
            _let_go(connection)


def _let_go(connection: Connection) -> None:
    # An error here is one more of a connection that is being thrown away.
    try:
        connection.close()
    except Exception:
        connection.invalidate()


def _resolve(future: "asyncio.Future[Any]", answer: object, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(answer)
    else:
        future.set_exception(error)
