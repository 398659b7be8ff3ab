"""Lists of games: newest first, page by page, with filters; and who may watch."""

import pytest
from msgspec.structs import replace
from sqlalchemy.exc import IntegrityError

from server.play.records import Header
from server.store import games
from server.store.eventlog import Append, Won
from server.store.open import Store
from tests.store.records import add_player, header, new_id, record

NOW = 1_796_000_000_000


async def played(store: Store, *changes: dict[str, object]) -> tuple[str, list[Header]]:
    """A player with one game for each set of changes, a second apart."""
    player = new_id()
    await store.database.write(add_player, player)
    made = []
    for number, change in enumerate(changes):
        row = replace(header(new_id(), player), **{"created_at": NOW + 1000 * number, **change})
        made.append(row)
    answers = await store.log.append([Append(record(row.id, 1), row) for row in made])
    assert answers == [Won()] * len(made)
    return player, made


async def test_a_row_comes_back_as_it_was(store: Store) -> None:
    every = {
        "purpose": "daily",
        "ranked": False,
        "date": "2026-11-30",
        "race": new_id(),
        "until": NOW + 5,
        "watching": "link",
        "status": "dead_end",
    }
    _, (row, plain) = await played(store, every, {})
    assert await store.database.read(games.header, row.id) == row
    assert await store.database.read(games.header, plain.id) == plain
    assert plain.ranked is True and plain.date is None


async def test_mine_are_listed_newest_first_page_by_page_each_once(store: Store) -> None:
    """Also where several were opened in the same millisecond."""
    player, made = await played(store, *({"created_at": NOW + number // 3} for number in range(10)))
    await played(store, {})
    seen: list[Header] = []
    cursor = None
    while page := await store.database.read(games.of_player, player, limit=4, cursor=cursor):
        seen += page
        cursor = page[-1].created_at, page[-1].id
    assert seen == sorted(made, key=lambda row: (row.created_at, row.id), reverse=True)


@pytest.mark.parametrize("of_all", [False, True], ids=["of_player", "public"])
async def test_filters(store: Store, of_all: bool) -> None:
    differences = (
        {},
        {"code": "SH1-C4-AAAAAJ2", "ruleset": "SH1-C4"},
        {"status": "won"},
        {"status": "won", "ruleset": "X"},
    )
    player, made = await played(store, *({**fields, "watching": "public"} for fields in differences))

    async def found(**filters: object) -> list[int]:
        if of_all:
            rows = await store.database.read(games.public, limit=200, **filters)  # type: ignore[arg-type]
            return sorted(made.index(row) for row in rows if row.player == player)
        rows = await store.database.read(games.of_player, player, limit=9, **filters)  # type: ignore[arg-type]
        return sorted(made.index(row) for row in rows)

    assert await found() == [0, 1, 2, 3]
    assert await found(code="SH1-C4-AAAAAJ2") == [1]
    assert await found(ruleset="HM1-N") == [0, 2]
    assert await found(status="won") == [2, 3]
    assert await found(status="won", ruleset="HM1-N") == [2]
    assert await found(since=NOW + 1000) == [1, 2, 3]
    assert await found(until=NOW + 1000) == [0]
    assert await found(since=NOW + 1000, until=NOW + 3000) == [1, 2]


async def test_only_public_games_are_listed_for_all(store: Store) -> None:
    _, made = await played(store, {"watching": "public"}, {"watching": "link"}, {}, {"watching": "public"})
    listed = await store.database.read(games.public, limit=200)
    assert [row for row in listed if row in made] == [made[3], made[0]]
    newest = listed[0]
    rest = await store.database.read(games.public, limit=200, cursor=(newest.created_at, newest.id))
    assert rest == listed[1:]


async def test_who_may_watch_can_be_changed(store: Store) -> None:
    _, (row,) = await played(store, {})
    assert await store.database.write(games.set_watching, row.id, "public")
    assert await store.database.read(games.header, row.id) == replace(row, watching="public")
    assert not await store.database.write(games.set_watching, new_id(), "public")
    with pytest.raises(IntegrityError):
        await store.database.write(games.set_watching, row.id, "friends")
