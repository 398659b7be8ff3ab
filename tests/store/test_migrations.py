"""From nothing to this version's schema, once, and nothing else gets overwritten on the way."""

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, text

from server.store.errors import NewerDatabase, UnreadableDatabase
from server.store.migrate import check, on_connection, upgrade
from server.store.tables import metadata
from server.store.urls import database_url, is_sqlite, sqlite_path
from tests.parts.ports import free_port


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'not' / 'yet' / 'games.db'}"
    return str(request.getfixturevalue("new_postgres_url"))


def test_upgrading_an_empty_database_gives_the_tables_of_the_code(empty_url: str) -> None:
    upgrade(empty_url)
    check(empty_url)
    upgrade(empty_url)


def test_every_constraint_has_the_name_that_the_code_gives_it(empty_url: str) -> None:
    def named(connection: Connection) -> dict[str, set[str | None]]:
        found = inspect(connection)
        return {
            table: {
                found.get_pk_constraint(table)["name"],
                *(one["name"] for one in found.get_foreign_keys(table)),
                *(one["name"] for one in found.get_unique_constraints(table)),
                *(one["name"] for one in found.get_check_constraints(table)),
                *(one["name"] for one in found.get_indexes(table) if "duplicates_constraint" not in one),
            }
            for table in found.get_table_names()
            if table != "alembic_version"
        }

    upgrade(empty_url)
    expected = {
        name: {str(one.name) for one in (*table.constraints, *table.indexes)} for name, table in metadata.tables.items()
    }
    assert on_connection(database_url(empty_url), named) == expected


def test_processes_that_start_together_migrate_once(empty_url: str) -> None:
    script = "import sys; from server.store.migrate import upgrade; upgrade(sys.argv[1])"
    started = [subprocess.Popen([sys.executable, "-c", script, empty_url], stderr=subprocess.PIPE) for _ in range(4)]
    assert [(one.communicate()[1], one.returncode) for one in started] == [(b"", 0)] * 4
    check(empty_url)


async def test_upgrading_works_where_a_loop_runs(empty_url: str) -> None:
    await asyncio.to_thread(upgrade, empty_url)
    upgrade(empty_url)


def test_a_database_of_a_newer_version_is_left_alone(empty_url: str) -> None:
    upgrade(empty_url)
    on_connection(
        database_url(empty_url), lambda one: one.execute(text("UPDATE alembic_version SET version_num = 'zz'"))
    )
    with pytest.raises(NewerDatabase, match=r"^.* was made by a newer version of this program \(schema zz\)$"):
        upgrade(empty_url)


def test_a_database_of_another_program_is_left_alone(empty_url: str) -> None:
    where = database_url(empty_url)
    if is_sqlite(where):
        sqlite_path(where).parent.mkdir(parents=True)
    on_connection(where, lambda one: one.execute(text("CREATE TABLE books (title text)")))
    with pytest.raises(UnreadableDatabase, match=r"is the database of another program$"):
        upgrade(empty_url)
    assert on_connection(where, lambda one: inspect(one).get_table_names()) == ["books"]


def test_a_migration_that_fails_leaves_nothing_behind(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from alembic import command

    real = command.upgrade

    def upgrade_then_fail(*args: object) -> None:
        real(*args)  # type: ignore[arg-type]
        raise UnreadableDatabase("the power is cut here")

    monkeypatch.setattr(command, "upgrade", upgrade_then_fail)
    with pytest.raises(UnreadableDatabase, match="power"):
        upgrade(empty_url)
    monkeypatch.undo()
    assert on_connection(database_url(empty_url), lambda one: inspect(one).get_table_names()) == []
    upgrade(empty_url)
    check(empty_url)


class TestUnreadable:
    def test_a_file_that_is_no_database_is_not_touched(self, tmp_path: Path) -> None:
        path = tmp_path / "letter.txt"
        path.write_text("Dear Ada,\n" * 1000)
        with pytest.raises(UnreadableDatabase, match=r"^.*letter\.txt is no SQLite database$"):
            upgrade(f"sqlite:///{path}")
        assert path.read_text() == "Dear Ada,\n" * 1000
        assert [one.name for one in tmp_path.iterdir()] == ["letter.txt"]

    def test_a_damaged_database(self, tmp_path: Path) -> None:
        path = tmp_path / "games.db"
        upgrade(f"sqlite:///{path}")
        sqlite3.connect(path).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
        content = bytearray(path.read_bytes())
        content[100:4096] = b"\x55" * 3996
        path.write_bytes(content)
        with pytest.raises(UnreadableDatabase, match=r"games\.db cannot be used: "):
            upgrade(f"sqlite:///{path}")

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableDatabase, match=r"cannot be used: it is a folder$"):
            upgrade(f"sqlite:///{tmp_path}")

    def test_a_folder_that_cannot_be_made(self) -> None:
        with pytest.raises(UnreadableDatabase, match=r"^/proc/no/games\.db cannot be used: "):
            upgrade("sqlite:////proc/no/games.db")

    def test_nobody_listens(self) -> None:
        with pytest.raises(UnreadableDatabase) as caught:
            upgrade(f"postgresql+asyncpg://ada:secret@127.0.0.1:{free_port()}/games")
        assert str(caught.value).endswith("/games cannot be used: Connection refused")
        assert "secret" not in str(caught.value)

    def test_no_such_database(self, postgres_url: str) -> None:
        with pytest.raises(UnreadableDatabase, match=r'nowhere cannot be used: database "nowhere" does not exist$'):
            upgrade(postgres_url.rpartition("/")[0] + "/nowhere")

    @pytest.mark.parametrize(
        "url", ["mysql://ada:secret@host/games", "sqlite://", "sqlite:///:memory:", "games", "", "::"]
    )
    def test_no_address_of_a_database(self, url: str) -> None:
        with pytest.raises(UnreadableDatabase, match=r"^not ") as caught:
            upgrade(url)
        assert "secret" not in str(caught.value)


def test_the_first_migration_is_never_taken_back(tmp_path: Path) -> None:
    from alembic import command
    from alembic.config import Config

    from server.store.migrate import PROJECT

    url = f"sqlite:///{tmp_path / 'games.db'}"
    upgrade(url)
    config = Config(toml_file=PROJECT)

    def downgrade(connection: Connection) -> None:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")

    with pytest.raises(NotImplementedError, match="would delete every game"):
        on_connection(database_url(url), downgrade)
    check(url)
