"""What lies in a database before a bench begins: whole games with their links, and millions of events beside them.

Games under way at the same time have their events mixed in the table, as players make them, so that those of one
game lie on many pages. Ids are spread over a year: a bench plays on games from everywhere in the index, where a
server's players are mostly at its newest end.
"""

import asyncio
import random
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import chain, cycle, islice
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from msgspec.structs import asdict, replace
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine

from server.clock import SystemClock
from server.ids import Ids
from server.play import codec
from server.play.commands import Command, decide, understand
from server.play.events import Dealt, Event, EventData
from server.play.playthrough import begin, dealt_data, evolve
from server.play.records import Header, Record
from server.solitaires import SOLITAIRES, read_code
from server.store.games import add_headers
from server.store.migrate import on_connection
from server.store.players import create_player
from server.store.secrets import secret_hash
from server.store.tables import events
from server.store.tokens import add_token
from server.store.urls import database_url, sqlite_path
from tests.bench.player import winning_line
from tests.golden import lines

SEAHAVEN = "SH1-C4-PZVT7B3"
FIRST = 1_780_000_000_000
YEAR = 365 * 86_400_000

AT_ONCE = 1000
"""Games under way at the same time, of those put in by the million."""

Move = dict[str, Any]


class Shelf(NamedTuple):
    """Games of one player that are in a database: the token opens them."""

    token: str
    games: list[str]


def endless(real: int = 80) -> Iterator[Move]:
    """Moves of Seahaven without end: first of a winning line, then one card from cell to cell."""
    line = winning_line(SEAHAVEN)[:real]
    column = next(move["to"] for move in reversed(line) if move["to"].startswith("T"))
    there, back = {"from": "C1", "to": "C2"}, {"from": "C2", "to": "C1"}
    return ({"do": "move", **move} for move in chain(line, [{"from": column, "to": "C1"}], cycle((there, back))))


def put_games(
    url: str, number: int, *, code: str = SEAHAVEN, moves: int = 0, seed: int = 0, newest: bool = False
) -> Shelf:
    """Put in games of a new player with so many moves made (`endless` ones), ready to be played on. Their ids are from
    all of the year, or, with ``newest``, of a minute after it, as those of a server's players mostly are."""
    ids = Ids(SystemClock())
    player, token = ids.player(), ids.token()
    chance = random.Random(seed)
    since, within = (FIRST + YEAR, 60_000) if newest else (FIRST, YEAR)
    headers = [_header(_game_id(chance, since + within * at // number), code, player) for at in range(number)]
    said = _played(code, list(islice(endless(), moves)))
    logs = [_log(header, said) for header in headers]

    def put(connection: Connection) -> None:
        create_player(connection, id=player, name=None, recovery_hash=secret_hash(ids.recovery()), now=FIRST)
        add_token(connection, id=ids.player(), player=player, hash=secret_hash(token), label=None, now=FIRST)
        add_headers(connection, headers)
        for under_way in range(0, number, AT_ONCE):
            mixed = chain.from_iterable(zip(*logs[under_way : under_way + AT_ONCE], strict=True))
            connection.execute(events.insert(), [_row(record) for record in mixed])

    on_connection(database_url(url), put)
    return Shelf(token, [header.id for header in headers])


def a_log(moves: int) -> tuple[Header, list[Record]]:
    """A game that is in no database, with so many moves made."""
    header = _header(_game_id(random.Random("one"), FIRST), SEAHAVEN, Ids(SystemClock()).player())
    return header, _log(header, _played(SEAHAVEN, list(islice(endless(), moves))))


def _row(record: Record) -> dict[str, Any]:
    row = asdict(record)
    row["game_id"] = row.pop("game")
    return row


def _header(game: str, code: str, player: str) -> Header:
    return Header(
        id=game,
        code=code,
        ruleset=read_code(code).ruleset,
        owner=codec.owner_of(player, bytes(16)),
        salt=bytes(16).hex(),
        player=player,
        watching="link",
        command_id=game,
        created_at=FIRST,
    )


def _played(code: str, moves: Sequence[Move]) -> list[EventData]:
    """What the events say that the moves make after the deal; as good for any game of this code."""
    read = read_code(code)
    solitaire = SOLITAIRES[read.ruleset]
    data = dealt_data(read, solitaire.deal(read.body), owner="", purpose="open", until=None)
    playthrough = begin(codec.seal(codec.FIRST_LINK, game="", seq=1, at=FIRST, command_id="", data=data))
    said: list[EventData] = [data]
    for move in moves:
        event = decide(playthrough, understand(solitaire, msgspec.convert({**move, "command_id": "c"}, Command)), FIRST)
        assert isinstance(event, Event)
        playthrough = evolve(playthrough, event)
        said.append(event.data)
    return said


def _log(header: Header, said: Sequence[EventData]) -> list[Record]:
    """The same events as this game's own: with its owner, its times, and its chain."""
    link, log = codec.FIRST_LINK, []
    for seq, data in enumerate(said, 1):
        if isinstance(data, Dealt):
            data = replace(data, owner=header.owner)
        event = codec.seal(
            link,
            game=header.id,
            seq=seq,
            at=header.created_at + 1500 * (seq - 1),
            command_id=header.command_id if seq == 1 else f"{seq:032x}",  # as long as those that clients draw
            data=data,
            digest=f"{seq:016x}",
        )
        link = event.record.link
        log.append(event.record)
    return log


# -- by the million ---------------------------------------------------------------------------------


def put_crowd(url: str, number: int) -> int:
    """Put in so many events, and the rows of their games: of the right size and order, with random links. How many
    it were in the end: whole games."""
    log = next(log for log in lines("cases/logs.jsonl") if log["code"] == SEAHAVEN)["events"]
    steps = [(event["seq"], event["type"], codec.canonical(event["data"])) for event in log]
    chance = random.Random("crowd")
    games = -(-number // len(steps))
    made = [(_game_id(chance, FIRST + YEAR * at // games), at // AT_ONCE) for at in range(games)]
    where = database_url(url)
    if url.startswith("sqlite"):
        _fill_sqlite(sqlite3.connect(sqlite_path(where)), steps, made)
    else:
        asyncio.run(_fill_postgres(url, steps, made))
    return games * len(steps)


Steps = list[tuple[int, str, str]]
Games = list[tuple[str, int]]

_GAMES = f"""
INSERT INTO games (id, code, ruleset, owner, purpose, ranked, watching, status, command_id, created_at)
SELECT id, '{SEAHAVEN}', 'SH1-C4', %s, 'open', true, 'private', 'won', id, {FIRST} FROM filled
"""
_EVENTS = f"""
INSERT INTO events (game_id, seq, type, v, seat, at, command_id, data, link, digest)
SELECT id, seq, type, 1, 1, {FIRST} + 3000 * seq, %s, data, %s, %s
FROM step CROSS JOIN filled WHERE block = %s ORDER BY seq
"""


def _fill_sqlite(connection: sqlite3.Connection, steps: Steps, games: Games) -> None:
    with connection:
        # nobody else is there yet, and what a power cut would spoil is made anew
        connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-500000")
        connection.execute("CREATE TEMP TABLE step (seq INTEGER PRIMARY KEY, type, data)")
        connection.executemany("INSERT INTO step VALUES (?, ?, ?)", steps)
        connection.execute("CREATE TEMP TABLE filled (id, block)")
        connection.executemany("INSERT INTO filled VALUES (?, ?)", games)
        connection.execute("CREATE INDEX temp.blocks ON filled (block, id)")
        connection.execute(_GAMES % "lower(hex(randomblob(32)))")
        drawn = ("lower(hex(randomblob(16)))", "lower(hex(randomblob(32)))", "lower(hex(randomblob(8)))")
        for block in range(games[-1][1] + 1):
            connection.execute(_EVENTS % (*drawn, "?"), (block,))
    connection.execute("DROP TABLE step")
    connection.close()


async def _fill_postgres(url: str, steps: Steps, games: Games) -> None:
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        await driver.execute("CREATE TEMP TABLE step (seq int, type text, data text)")
        await driver.copy_records_to_table("step", records=steps)
        await driver.execute("CREATE TEMP TABLE filled (id uuid, block int)")
        await driver.copy_records_to_table("filled", records=[(UUID(game), block) for game, block in games])
        await driver.execute("ANALYZE filled")
        link = "encode(sha256(id::text::bytea), 'hex')"
        await driver.execute(_GAMES % link)
        drawn = (
            "md5(id::text || seq)",
            "md5(id::text || seq) || md5(seq || id::text)",
            "substr(md5(id::text), 1, 16)",
        )
        for block in range(games[-1][1] + 1):
            await driver.execute(_EVENTS % (*drawn, "$1"), block)
    await engine.dispose()
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.exec_driver_sql("VACUUM ANALYZE")
        await connection.exec_driver_sql("CHECKPOINT")
    await engine.dispose()


def _game_id(chance: random.Random, at: int) -> str:
    """A UUIDv7 of that time (ms)."""
    return str(UUID(int=at << 80 | 7 << 76 | chance.getrandbits(12) << 64 | 0b10 << 62 | chance.getrandbits(62)))
