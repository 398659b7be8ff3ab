"""Games that end as a test wants it: as the store sees them, without a card being played."""

import os
from hashlib import sha256
from itertools import count

from sqlalchemy import Connection

from server.play.board import board_of
from server.play.ranking import Ranking
from server.play.records import Header, Outcome, Record, Result
from server.solitaires.codes import draw_code
from server.store.eventlog import Append, Won
from server.store.open import Store
from server.store.players import create_player
from tests.store.records import new_id

_times = count(1_796_000_000_000, 1000)


def new_code(ruleset: str = "HM1-N") -> str:
    """A code that no other test has. (Not from `random`, which Hypothesis seeds anew for every example.)"""
    return str(draw_code(ruleset, os.urandom, sealed=True))


def dealt(code: str, player: str | None, **fields: object) -> Header:
    """The row of a new game."""
    game = new_id()
    given = {"purpose": "open", **fields}
    return Header(
        id=game,
        code=code,
        ruleset=code.rsplit("-", 1)[0],
        owner=sha256(game.encode()).hexdigest(),
        salt=None if player is None else "00" * 16,
        player=player,
        command_id=f"open-{game}",
        created_at=next(_times),
        **given,  # type: ignore[arg-type]
    )


def result_of(
    header: Header,
    *,
    won: bool = True,
    score: int = 520,
    undos: int = 0,
    moves: int = 48,
    seconds: int = 100,
    finished_at: int | None = None,
) -> Result:
    return Result(
        game=header.id,
        ruleset=header.ruleset,
        board=board_of(header),
        won=won,
        score=score,
        undos=undos,
        moves=moves,
        seconds=seconds,
        finished_at=next(_times) if finished_at is None else finished_at,
        link=sha256(b"end" + header.id.encode()).hexdigest(),
    )


def opening(header: Header) -> Append:
    return Append(_record(header, 1, "dealt", header.created_at), header)


def ending(header: Header, result: Result) -> Append:
    """The last event of a game, with what follows from it."""
    status = "won" if result.won else "resigned"
    outcome = Outcome(game=header.id, status=status, result=result)
    return Append(_record(header, 2, "moved" if result.won else "resigned", result.finished_at), None, outcome)


async def play(store: Store, code: str, player: str, *, ranked: bool = True, **keys: int) -> Result:
    """One game from its deal to its end."""
    header = dealt(code, player, ranked=ranked)
    result = result_of(header, **keys)  # type: ignore[arg-type]
    answers = [*await store.log.append([opening(header)]), *await store.log.append([ending(header, result)])]
    assert answers == [Won(), Won()]
    return result


async def new_players(store: Store, number: int) -> list[str]:
    """Players in the order of their ids."""
    made = sorted(new_id() for _ in range(number))
    await store.database.write(add_players, made)
    return made


def add_players(connection: Connection, players: list[str]) -> None:
    for player in players:
        secret = sha256(player.encode()).hexdigest()
        create_player(connection, id=player, name=None, recovery_hash=secret, now=1)


class Model:
    """A board as plainly as it can be said: every result of every player, compared with every other."""

    def __init__(self, ranking: Ranking) -> None:
        self.ranking = ranking
        self.best: dict[str, Result] = {}

    def add(self, entrant: str, result: Result) -> None:
        known = self.best.get(entrant)
        if known is None or self.keys(result) < self.keys(known):
            self.best[entrant] = result

    def keys(self, result: Result) -> tuple[int, ...]:
        """Smaller is better."""
        signs = {"won": -1, "score": -1}
        return tuple(signs.get(name, 1) * int(getattr(result, name)) for name in self.ranking.ranked_by)

    def rows(self) -> list[tuple[int, str, str]]:
        """Rank, entrant and game of every row, in the order of the board."""
        ordered = sorted(self.best, key=lambda entrant: (self.keys(self.best[entrant]), entrant))
        return [(self.rank(entrant), entrant, self.best[entrant].game) for entrant in ordered]

    def rank(self, entrant: str) -> int:
        mine = self.keys(self.best[entrant])
        return 1 + sum(self.keys(other) < mine for other in self.best.values())

    def percentile(self, entrant: str) -> float:
        mine, others = self.keys(self.best[entrant]), len(self.best) - 1
        worse = sum(self.keys(other) > mine for other in self.best.values())
        return round(100 * worse / others, 1) if others else 100.0


def _record(header: Header, seq: int, type: str, at: int) -> Record:
    link = sha256(f"{header.id}{seq}".encode()).hexdigest()
    return Record(header.id, seq, type, 1, 1, at, f"c{seq}", "{}", link)
