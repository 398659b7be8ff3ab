"""What follows from the events of a batch, written in the transaction of the batch.

In this order, always and everywhere, each statement in the order of its keys (DESIGN 6): events -> games ->
attempts -> results -> standings -> streaks -> rank_buckets. Two transactions that touch the same rows then wait
for each other instead of locking for ever.
"""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, update

from server.play.records import Outcome
from server.store.prepared import Prepared
from server.store.results import record
from server.store.tables import games

_SET_STATUS = Prepared(update(games).where(games.c.id == bindparam("game")).values(status=bindparam("new_status")))


def project(connection: Connection, outcomes: Sequence[Outcome]) -> None:
    """Bring the stored projections up to date; ``outcomes`` in the order of the events they follow from.

    Of several of one game the last counts.
    """
    newest = {outcome.game: outcome for outcome in outcomes}
    if not newest:
        return
    _SET_STATUS.write(connection, [{"game": game, "new_status": newest[game].status} for game in sorted(newest)])
    made = [newest[game].result for game in sorted(newest)]
    if ended := [result for result in made if result is not None]:
        record(connection, ended)
