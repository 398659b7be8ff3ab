"""One batch of appends in one transaction: the same for every database, but for one statement.

What the statement says about a row is all that is needed: returned, it has won; left out, another event
had its place. The rest is about neighbours, which must not suffer from each other:

- A game's row that loses (its command has made a game before) takes its event with it.
- An event that is not stored takes with it what comes later in the batch on the same game, for that was
  built upon it. If some of it went in, the transaction is rolled back and goes again without: nothing else
  can be undone in a log.
- A row that the database will not have is found by trying each append alone.

Rows of new games go in before events, though locks are otherwise taken events -> games -> ... (DESIGN 6):
nobody can hold a lock on a row that does not exist yet, so here a process can only meet another that opens
the same game, and both come here first and in the same order. Only then is it known which events may go in.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import NamedTuple, Protocol

from sqlalchemy import Connection

from server.play.records import Record
from server.store.eventlog import Append, Appended, Conflict, Failed, Won
from server.store.faults import Fault, fault, reason
from server.store.games import add_headers
from server.store.projection import project

Place = tuple[str, int]
"""Game and seq of an event."""

InsertEvents = Callable[[Connection, Sequence[Record]], set[Place]]
"""Insert events in one statement, leaving out those whose place is taken; the places of those that went in."""

TRIES = 5

event_row = attrgetter("game", "seq", "type", "v", "seat", "at", "command_id", "data", "link", "digest")
"""A record as a row of ``events``."""


class _Entangled(Exception):
    """The transaction has stored what belongs to something that it could not store; ``lost`` is all of it."""

    def __init__(self, lost: set[int]) -> None:
        self.lost = lost


class _CommitFailed(Exception):
    """COMMIT itself ended in an error, which leaves open whether it took place."""


class Transaction(Protocol):
    """One that has begun."""

    def commit(self) -> None: ...

    def rollback(self) -> None: ...


class Way(NamedTuple):
    """How a database is written to: what begins a transaction, and what inserts events in it."""

    begin: Callable[[Connection], Transaction]
    insert: InsertEvents


def append_batch(connection: Connection, batch: Sequence[Append], way: Way) -> list[Appended]:
    """Store a batch on a connection that has no transaction begun; one answer an append, in order.

    After a failure of the storage the connection is invalidated: its next use opens another.
    """
    answers: list[Appended | None] = [None] * len(batch)
    _answer(answers, with_followers(batch, range(len(batch)), _doubles(batch)), Conflict())
    tries = 1
    while waiting := [index for index, answer in enumerate(answers) if answer is None]:
        try:
            lost = _store(connection, batch, waiting, way)
        except _Entangled as entangled:
            _answer(answers, entangled.lost, Conflict())
        except _CommitFailed as error:
            _answer(answers, waiting, Failed(reason(error.__cause__ or error), unknown=True))
        except Exception as error:
            blame = fault(error)
            if blame is Fault.MOMENT and tries < TRIES:
                tries += 1
            elif blame is Fault.ROW and len(waiting) > 1:
                _one_by_one(connection, batch, answers, way)
            else:
                _answer(answers, waiting, Failed(reason(error), unknown=False))
        else:
            _answer(answers, lost, Conflict())
            _answer(answers, set(waiting) - lost, Won())
    return [answer for answer in answers if answer is not None]


def is_plain(batch: Sequence[Append]) -> bool:
    """Whether a batch touches the table of events only, and no game twice: then its one statement can be its own
    transaction."""
    games = {append.record.game for append in batch}
    return len(games) == len(batch) and all(append.is_plain for append in batch)


def with_followers(batch: Sequence[Append], among: Iterable[int], lost: Container[int]) -> set[int]:
    """The ``lost`` ones of ``among`` (indices, ascending) and what comes after them on the same games."""
    broken: set[str] = set()
    found: set[int] = set()
    for index in among:
        game = batch[index].record.game
        if index in lost or game in broken:
            broken.add(game)
            found.add(index)
    return found


def _store(connection: Connection, batch: Sequence[Append], waiting: Sequence[int], way: Way) -> set[int]:
    """One transaction for the appends at these indices; which of them lost. Raises `_Entangled` to go again."""
    with _transaction(connection, way):
        opening = [index for index in waiting if batch[index].header is not None]
        refused = with_followers(batch, waiting, _refused(connection, batch, opening))
        going = [index for index in waiting if index not in refused]
        stored = way.insert(connection, [batch[index].record for index in going]) if going else set()
        lost = {index for index in going if _place(batch[index]) not in stored}
        if lost:
            dragged = with_followers(batch, going, lost)
            if dragged != lost or not lost.isdisjoint(opening):
                raise _Entangled(refused | dragged)
        won = (batch[index] for index in going if index not in lost)
        if outcomes := [append.outcome for append in won if append.outcome is not None]:
            project(connection, outcomes)
        return refused | lost


def _refused(connection: Connection, batch: Sequence[Append], opening: Sequence[int]) -> set[int]:
    """Insert the rows of new games; those of ``opening`` whose row was not taken."""
    headers = {index: header for index in opening if (header := batch[index].header) is not None}
    if not headers:
        return set()
    made = add_headers(connection, list(headers.values()))
    return {index for index, header in headers.items() if header.id not in made}


def _one_by_one(connection: Connection, batch: Sequence[Append], answers: list[Appended | None], way: Way) -> None:
    """Each append that has no answer yet in a transaction of its own, since one of them spoils a common one."""
    broken: set[str] = set()
    gone: Failed | None = None
    for index, append in enumerate(batch):
        if answers[index] is not None:
            continue
        if append.record.game in broken:
            answers[index] = Conflict()
        elif gone is not None:
            answers[index] = gone
        else:
            answer = answers[index] = append_batch(connection, [append], way)[0]
            if isinstance(answer, Failed) and connection.invalidated:
                gone = Failed(answer.error, unknown=False)
        if not isinstance(answers[index], Won):
            broken.add(append.record.game)


@contextmanager
def _transaction(connection: Connection, way: Way) -> Iterator[None]:
    transaction = way.begin(connection)
    try:
        yield
    except BaseException as error:
        try:
            transaction.rollback()
        except Exception:
            connection.invalidate()
        if fault(error) is Fault.STORAGE:
            connection.invalidate()
        raise
    try:
        transaction.commit()
    except Exception as error:
        # Whatever state the driver has left it in, nobody shall go on with it.
        connection.invalidate()
        if fault(error) is Fault.STORAGE:
            raise _CommitFailed from error
        raise


def _doubles(batch: Sequence[Append]) -> set[int]:
    """Appends whose place an earlier one of the batch is asking for already."""
    seen: set[Place] = set()
    doubles: set[int] = set()
    for index, append in enumerate(batch):
        place = _place(append)
        if place in seen:
            doubles.add(index)
        seen.add(place)
    return doubles


def _place(append: Append) -> Place:
    return append.record.game, append.record.seq


def _answer(answers: list[Appended | None], indices: Iterable[int], answer: Appended) -> None:
    for index in indices:
        answers[index] = answer
