"""The benches work: what they put in can be played, and what they count is what was sent. How fast it is, is another
matter: ``python3 -m tests.bench`` (with ``--short``, all of them in about two minutes) runs them whole."""

from itertools import islice
from pathlib import Path

from server.play.codec import check_chain
from server.store.migrate import upgrade
from tests.bench import moves
from tests.bench.fanout import crowd_of, heard_by_all
from tests.bench.line import Line, LiveLine
from tests.bench.player import GAMES
from tests.bench.proc import cpu_s, memory_kib, sockets
from tests.bench.stored import a_log, endless, put_crowd, put_games
from tests.bench.tables import percentile
from tests.parts.server_process import ServerProcess


def test_a_log_of_a_bench_is_one_that_a_server_reads() -> None:
    header, records = a_log(100)
    check_chain(records)
    assert len(records) == 101 and {record.game for record in records} == {header.id}


def test_percentiles_are_of_the_values_given() -> None:
    assert percentile(range(1000), 99.9) == 999 and percentile([3.0, 1.0, 2.0], 50) == 2.0 and percentile([], 99) == 0.0


def test_games_among_many_events_are_opened_watched_and_played_on(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    upgrade(url)
    shelf = put_games(url, 3, moves=90)
    assert put_crowd(url, 1000) == 1068
    moves, watchers = 25, 4
    with ServerProcess(url).wait_ready() as server:
        pid = server.process.pid
        with Line(server.port) as line, LiveLine(server.port, shelf.token) as live:
            assert b'"seq":91' in line.get(f"/v1/games/{shelf.games[0]}", shelf.token)
            assert b'"seq":91' in live.watch(shelf.games[1])
            for number, move in enumerate(islice(endless(), 90, 95)):
                live.say(t="command", game=shelf.games[1], command_id=f"c{number}", **move)
                live.hear(b'{"t":"ack"')
            before = sockets(pid)
            fresh = deal(server, shelf.token)
            with crowd_of(server.port, shelf, fresh, watchers) as (mover, crowd):
                assert sockets(pid) == before + watchers
                times = mover.play(moves)
                told = heard_by_all(crowd, moves)
        assert told["frames"] == watchers * moves
        assert {int(seq) for seq in told["last"]} == set(times) == set(range(2, moves + 2))
        assert memory_kib(pid) > 10_000 and cpu_s(pid) > 0


def test_moves_are_counted_paced_and_held_against_echo_orm_and_disk() -> None:
    figures = moves.run(short=True, databases=("SQLite",))
    assert {part: len(measured) for part, measured in figures.items()} == {"flat out": 7, "half load": 3, "unloaded": 2}
    for part in figures.values():
        for one in part.values():
            assert one["answers"] > 0 and 0 < one["p50_ms"] <= one["p99_ms"]
            assert 0 < one["load_busy"] < 1 and one["server_busy"] > 0
    for game in GAMES:
        flat_out, half = figures["flat out"][f"SQLite, WebSocket, {game}"], figures["half load"][f"SQLite, {game}"]
        assert half["answers"] == int(flat_out["per_second"] / 2 * moves.SHORT.seconds) and flat_out["times_orm"] > 1
    for one in figures["unloaded"].values():
        assert one["p50_ms"] > one["over_ms"] == one["p50_ms"] - one["fdatasync_p50_ms"]


def deal(server: ServerProcess, token: str) -> str:
    """A game that the player deals while the server runs."""
    status, view = server.request("POST", "/v1/games", {"code": "SH1-C4-PZVT7B3"}, token)
    assert status == 201
    return str(view["id"])
