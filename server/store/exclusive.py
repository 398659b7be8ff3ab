"""One server a SQLite file: the second is told so, before it migrates or serves anything."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from server.store.errors import DatabaseInUse, UnreadableDatabase
from server.store.filelock import Held, file_lock
from server.store.sqlite_engine import refuse_other_file
from server.store.urls import database_url, is_sqlite, sqlite_path


@contextmanager
def exclusively(url: str) -> Iterator[None]:
    """Be the only server of this database while the block lasts; on PostgreSQL, which many share, does nothing.

    For servers alone: command-line tools read and write beside one. Raises `DatabaseInUse` where another
    server has the file.
    """
    where = database_url(url)
    with ExitStack() as stack:
        if is_sqlite(where):
            path = sqlite_path(where)
            refuse_other_file(path)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                stack.enter_context(file_lock(path.with_name(path.name + ".lock"), wait=False))
            except Held:
                raise DatabaseInUse(f"{path} is in use by another server") from None
            except OSError as error:
                raise UnreadableDatabase(f"{path} cannot be used: {error.strerror}") from error
        yield
