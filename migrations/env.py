"""How alembic meets a database of ours: on a connection that `server.store.migrate` has opened.

It comes in ``config.attributes["connection"]`` with its transaction begun, so that a migration is whole or
not there at all. By hand: ``alembic -x url=sqlite:////path/to/games.db ...`` opens one in the same way.
"""

from alembic import context
from sqlalchemy import Connection

from server.store.migrate import on_connection
from server.store.tables import metadata
from server.store.urls import database_url


def run(connection: Connection) -> None:
    context.configure(connection=connection, target_metadata=metadata, compare_type=True, compare_server_default=True)
    with context.begin_transaction():
        context.run_migrations()


def main() -> None:
    if context.is_offline_mode():
        raise SystemExit("migrations run on a live database only: their locks and triggers need one")
    given = context.config.attributes.get("connection")
    url = context.get_x_argument(as_dictionary=True).get("url")
    if given is not None:
        run(given)
    elif isinstance(url, str):
        on_connection(database_url(url), run)
    else:
        raise SystemExit("say which database: alembic -x url=sqlite:////path/to/games.db ...")


main()
