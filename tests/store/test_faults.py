"""Whose fault an error is decides what happens to the batch; these are the errors as the drivers raise them."""

import errno
import sqlite3

import asyncpg
import pytest
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from server.store.faults import Fault, fault, reason


def postgres(state: str) -> BaseException:
    return asyncpg.PostgresError.new({"C": state, "M": "as the server says"})


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (postgres("23505"), Fault.ROW),
        (postgres("23514"), Fault.ROW),
        (postgres("22021"), Fault.ROW),
        (postgres("42P01"), Fault.ROW),
        (postgres("40001"), Fault.MOMENT),
        (postgres("40P01"), Fault.MOMENT),
        (postgres("0A000"), Fault.MOMENT),
        (postgres("53100"), Fault.STORAGE),
        (postgres("53300"), Fault.STORAGE),
        (postgres("57P01"), Fault.STORAGE),
        (postgres("58030"), Fault.STORAGE),
        (postgres("08006"), Fault.STORAGE),
        (postgres("25006"), Fault.STORAGE),
        (postgres("XX001"), Fault.STORAGE),
        (asyncpg.InterfaceError("connection is closed"), Fault.STORAGE),
        (asyncpg.DataError("invalid input for query argument $1"), Fault.ROW),
        (ConnectionRefusedError(errno.ECONNREFUSED, "x"), Fault.STORAGE),
        (TimeoutError(), Fault.STORAGE),
        (PoolTimeout(), Fault.STORAGE),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"), Fault.ROW),
        (KeyError("a bug of ours"), Fault.ROW),
    ],
    ids=str,
)
def test_whose_fault(error: BaseException, expected: Fault) -> None:
    assert fault(error) is expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("INSERT INTO one VALUES (1)", Fault.ROW),
        ("SELECT * FROM none", Fault.ROW),
        ("CREATE TABLE t (x)", Fault.STORAGE),
    ],
)
def test_whose_fault_in_sqlite(statement: str, expected: Fault) -> None:
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE one (x INTEGER PRIMARY KEY)")
        connection.exec_driver_sql("INSERT INTO one VALUES (1)")
        connection.exec_driver_sql("PRAGMA max_page_count = 1")
        with pytest.raises(DBAPIError) as caught:
            connection.exec_driver_sql(statement)
        assert isinstance(caught.value.orig, sqlite3.Error)
        assert fault(caught.value) is expected
    engine.dispose()


def test_a_reason_is_one_line_without_the_statement_or_its_values() -> None:
    engine = create_engine("sqlite://")
    with engine.connect() as connection, pytest.raises(DBAPIError) as caught:
        connection.exec_driver_sql("SELECT ? FROM none", ("a secret",))
    assert reason(caught.value) == "no such table: none"
    assert (
        reason(ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 1)"))
        == "Connection refused"
    )
    assert reason(TimeoutError()) == "TimeoutError"
    engine.dispose()
