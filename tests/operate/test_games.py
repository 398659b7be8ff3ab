"""``games``, ``show``, ``events`` and ``replay`` tell what is stored, and no more than its player may know."""

import pytest
from msgspec.structs import replace

from server.clock import SystemClock
from server.play.codec import utc_text
from server.play.records import Header, Record
from server.store.open import Store
from server.store.players import delete_player
from tests.operate.forging import PLAYER, header_of, owned, records_of
from tests.operate.running import run
from tests.operate.stored import game_id, honest, moved_to, store_game
from tests.play.helpers import START, Table

HOUR_MS = 3_600_000


def daily(until: int) -> tuple[Header, list[Record]]:
    """An attempt at a daily that ends at ``until``: one move."""
    table = Table("HM1-N-AAAAAAB", until=until)
    table.send(do="move", remove=["P1", "P8"])
    game = game_id()
    records = moved_to(owned(records_of(table)), game)
    return replace(header_of(records), id=game, date="2026-11-30", command_id=f"open-{game}"), records


def soon() -> int:
    return SystemClock().now() + HOUR_MS


async def ids(url: str, *words: str) -> list[str]:
    """The games that ``games`` lists."""
    done = await run(url, "games", "--json", *words)
    assert done.code == 0, done.err
    return [one["id"] for one in done.json["items"]]


async def test_games_are_found_by_any_filter_newest_first(url: str, store: Store) -> None:
    playing, over = honest(), honest({"do": "resign"})
    seahaven = honest(code="SH1-C4-AAAAAJ2")
    seahaven = (replace(seahaven[0], created_at=START + 1000, watching="public"), seahaven[1])
    late = daily(START + HOUR_MS)  # its time is long over, and nobody has swept it
    for row, records in (playing, over, seahaven, late):
        await store_game(store, row, records)
    newest_first = [seahaven[0].id, late[0].id, over[0].id, playing[0].id]
    assert await ids(url) == newest_first
    assert await ids(url, "--limit", "2") == newest_first[:2]
    assert await ids(url, "--code", "hm1 n aaaaaab") == newest_first[1:]
    assert await ids(url, "--ruleset", "SH1-C4", "--player", PLAYER) == [seahaven[0].id]
    assert await ids(url, "--player", game_id()) == []
    assert await ids(url, "--status", "playing") == [seahaven[0].id, playing[0].id]
    assert await ids(url, "--status", "resigned") == [over[0].id]
    assert await ids(url, "--status", "expired") == [late[0].id]
    assert await ids(url, "--purpose", "daily", "--date", "2026-11-30") == [late[0].id]
    assert await ids(url, "--watching", "public") == [seahaven[0].id]
    assert await ids(url, "--since", utc_text(START + 1)) == [seahaven[0].id]
    assert await ids(url, "--until", utc_text(START + 1000)) == newest_first[1:]
    listed = (await run(url, "games")).out.splitlines()
    assert [line.split()[0] for line in listed] == newest_first
    assert f"{over[0].id}  {utc_text(START)}  resigned  HM1-N-AAAAAAB     {PLAYER}" in listed


async def test_a_long_list_is_read_in_pages(url: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [await store_game(store, *honest()) for _ in range(7)]
    for rows in (1, 2, 7):
        monkeypatch.setattr("server.store.search.ROWS_AT_ONCE", rows)
        assert await ids(url) == made[::-1]


async def test_show_is_the_view_now_or_after_an_event(url: str, store: Store) -> None:
    row, records = honest()
    await store_game(store, row, records)
    now = (await run(url, "show", row.id, "--json")).json
    assert (now["seq"], now["score"], now["undos"], now["player"]) == (5, 20, 1, PLAYER)
    then = (await run(url, "show", row.id, "--at", "2", "--json")).json
    assert (then["seq"], then["score"], then["places"][0]["cards"]) == (2, 10, ["7H"])
    told = (await run(url, "show", row.id)).out
    assert "playing after event 5" in told and "20 in 2 moves, 1 undone" in told and "\nR1        1  TH\n" in told
    done = await run(url, "show", row.id, "--at", "6")
    assert (done.code, done.err) == (1, f"moontide: game {row.id} has 5 events\n")


async def test_events_are_told_as_they_are_stored(url: str, store: Store) -> None:
    row, records = honest()
    await store_game(store, row, records)
    items = (await run(url, "events", row.id, "--json")).json["items"]
    assert [(one["seq"], one["type"], one["link"]) for one in items] == [(r.seq, r.type, r.link) for r in records]
    assert items[1]["data"] == {"cards": ["5S", "6D"], "points": 10, "remove": ["P1", "P8"]}
    assert [one["seq"] for one in (await run(url, "events", row.id, "--after", "3", "--json")).json["items"]] == [4, 5]
    assert (await run(url, "events", row.id)).out.splitlines()[3].endswith('{"points":-15,"undoes":3}')


async def test_a_replay_tells_what_each_event_changed(url: str, store: Store) -> None:
    row, records = honest({"do": "resign"})
    await store_game(store, row, records)
    items = (await run(url, "replay", row.id, "--json")).json["items"]
    assert [(one["seq"], one["score"], one["status"]) for one in items] == [
        *((1, 0, "playing"), (2, 10, "playing"), (3, 25, "playing")),
        *((4, 10, "playing"), (5, 20, "playing"), (6, 20, "resigned")),
    ]
    assert [(place["name"], place["cards"]) for place in items[1]["places"]] == [("P1", ["7H"]), ("P8", ["JC"])]
    lines = (await run(url, "replay", row.id)).out.splitlines()
    assert len(lines) == 6 and lines[1].endswith("moved       10  playing   P1:7H P8:JC")


async def test_nothing_that_is_sealed_is_told(url: str, store: Store) -> None:
    row, records = daily(soon())
    await store_game(store, row, records)
    secrets = ("AAAAAAB", row.owner, records[0].link, records[1].link, '"P2":["TH"')
    for words in (["games"], ["show", row.id], ["events", row.id], ["replay", row.id]):
        for form in ([], ["--json"]):
            done = await run(url, *words, *form)
            assert done.code == 0 and done.out, done
            assert not any(secret in done.out for secret in secrets), (words, form)
    assert await ids(url, "--code", "HM1-N-AAAAAAB") == []
    assert await ids(url, "--purpose", "daily") == [row.id]


async def test_the_games_of_an_erased_player_are_nobodys(url: str, store: Store) -> None:
    row, records = honest()
    await store_game(store, row, records)
    assert await store.database.write(delete_player, PLAYER)
    assert PLAYER not in (await run(url, "games")).out
    assert "(erased)" in (await run(url, "show", row.id)).out
    assert (await run(url, "show", row.id, "--json")).json["player"] is None


@pytest.mark.parametrize("name", ["show", "events", "replay"])
async def test_a_log_that_does_not_verify_is_not_told(url: str, store: Store, name: str) -> None:
    row, records = honest()
    await store_game(store, row, [*records[:3], replace(records[3], link="0" * 64), records[4]])
    done = await run(url, name, row.id)
    assert done.code == 1 and done.out == "" and f"game {row.id}, event 4" in done.err and "verify" in done.err


@pytest.mark.parametrize("name", ["show", "events", "replay"])
async def test_a_game_that_is_not_there_and_a_text_that_is_no_id(url: str, store: Store, name: str) -> None:
    unknown = game_id()
    done = await run(url, name, unknown)
    assert (done.code, done.err) == (1, f"moontide: there is no game {unknown}\n")
    assert (await run(url, name, "HM1-N-AAAAAAB")).code == 2


@pytest.mark.parametrize(
    "words",
    [["--code", "XX1-N-AAAAAAB"], ["--status", "lost"], ["--since", "yesterday"], ["--player", "me"], ["--limit", "0"]],
    ids=" ".join,
)
async def test_a_filter_that_cannot_be_read_is_wrong_usage(url: str, store: Store, words: list[str]) -> None:
    assert (await run(url, "games", *words)).code == 2
