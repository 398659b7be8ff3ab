"""What follows from the events of a batch, written in the transaction of the batch."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, update

from server.play.records import Outcome
from server.store.tables import games

_SET_STATUS = update(games).where(games.c.id == bindparam("game")).values(status=bindparam("new_status"))


def project(connection: Connection, outcomes: Sequence[Outcome]) -> None:
    """Bring the stored projections up to date; ``outcomes`` in the order of the events they follow from.

    Of several of one game the last counts. Rows are written in the order of their keys, as every
    transaction does: two that touch the same rows then wait for each other instead of locking for ever.
    """
    newest = {outcome.game: outcome for outcome in outcomes}
    if newest:
        connection.execute(_SET_STATUS, [{"game": game, "new_status": newest[game].status} for game in sorted(newest)])
