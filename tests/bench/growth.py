"""Whether a server stays as fast and as small as it was: what grows, and by how much.

*Events*: moves on a log of ten million events beside the same moves on an empty one, in turn, and the opening of
cold games of 100 events (cold to the server; the kernel has the file in memory). *Memory*: of a connection that
watches and of a game in the cache, as the difference of the resident memory of a server process; that the cache is
bounded shows in a second lot of games, which adds nothing. *The collector*: the slowest moves of a server with 5,000
games in its cache beside those of one with 64, and the longest pause that the collector makes over so many.
"""

import gc
import json
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import islice
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace

from server.live.cache import Cache, Cached
from server.play.codec import read
from server.play.playthrough import evolve, replay
from server.store.migrate import upgrade
from tests.bench.line import Line, LiveLine
from tests.bench.load import load
from tests.bench.player import CONNECTIONS, winning_line
from tests.bench.proc import cpu_s, memory_kib
from tests.bench.stored import Shelf, a_log, endless, put_crowd, put_games
from tests.bench.tables import median, percentile, show
from tests.parts.postgres import Postgres
from tests.parts.server_process import ServerProcess

EVENTS = 10_000_000
CODE = "HM1-N-AAAAAAB"
MOVES = 100
"""Moves of the games that are opened or kept in memory."""

CACHED = 5_000
MOST_TIMES = 1.2
MOST_COLD_MS = 2.0
MOST_KIB = 40.0
MOST_P999_MS = 20.0


def run(short: bool) -> dict[str, Any]:
    events = 200_000 if short else EVENTS
    figures: dict[str, Any] = {}
    with TemporaryDirectory(prefix="moontide-bench-") as folder:
        figures["sqlite"] = _events(f"sqlite:///{folder}/empty.db", f"sqlite:///{folder}/full.db", events, short)
    if not short:
        with Postgres(durable=True) as postgres:
            figures["postgresql"] = _events(postgres.new_database(), postgres.new_database(), events, short)
    with TemporaryDirectory(prefix="moontide-bench-") as folder:
        few, many = f"sqlite:///{folder}/few.db", f"sqlite:///{folder}/many.db"
        upgrade(many)
        shelf = put_games(many, 200 if short else CACHED, moves=MOVES)
        figures["memory"] = _memory(many, shelf, short)
        figures["collector"] = _collector(few, many, shelf, short)
    return figures


# -- events -----------------------------------------------------------------------------------------


class Side:
    """One of the two databases: its server, the games to play on, and those to open."""

    def __init__(self, url: str, rounds: int, each: int, cold: int) -> None:
        upgrade(url)
        games = rounds * CONNECTIONS * each
        self.fresh = _Pile(put_games(url, games + rounds * each, code=CODE, seed=1, newest=True), each)
        self.old = _Pile(put_games(url, games, code=CODE, seed=2), each)
        self.to_open = put_games(url, cold, moves=MOVES - 1, seed=3)
        self.url = url
        self.server: ServerProcess

    def play(self, pile: "_Pile", connections: int) -> dict[str, float]:
        """Whole games of a pile, one after another on each connection."""
        messages = [pile.take() for _ in range(connections)]
        busy = cpu_s(self.server.process.pid)
        done = _load(self.server.port, pile.shelf, messages)
        busy = cpu_s(self.server.process.pid) - busy
        return {"ms": done["p50_ms"], "per_second": done["per_second"], "cpu_us": busy / done["answers"] * 1e6}


class _Pile:
    """Games that are only dealt, each to be played once."""

    def __init__(self, shelf: Shelf, each: int) -> None:
        self.shelf = shelf
        self._each = each
        self._rest = iter(shelf.games)

    def take(self) -> list[str]:
        """The winning lines of the next few, one after another."""
        line = winning_line(CODE)
        games = islice(self._rest, self._each)
        return [_command(game, f"c{at}", after=at + 1, **move) for game in games for at, move in enumerate(line)]


def _events(empty: str, full: str, events: int, short: bool) -> dict[str, Any]:
    rounds, each, cold = (1, 1, 40) if short else (7, 4, 600)
    sides = Side(empty, rounds + 1, each, cold), Side(full, rounds + 1, each, cold)
    stored = put_crowd(full, events)
    with ExitStack() as stack:
        for side in sides:
            side.server = stack.enter_context(ServerProcess(side.url)).wait_ready()
        measured: dict[str, list[tuple[float, float]]] = {}
        for number in range(rounds + 1):
            order = sides if number % 2 else sides[::-1]
            loaded = {side: side.play(side.fresh, CONNECTIONS) for side in order}
            anywhere = {side: side.play(side.old, CONNECTIONS) for side in order}
            alone = {side: side.play(side.fresh, 1) for side in order}
            if number == 0:
                continue  # the first steps of everything are left out
            for name, runs, key in (
                ("a move alone, ms", alone, "ms"),
                (f"a move of {CONNECTIONS} at once, ms", loaded, "ms"),
                ("the same on games of any age, ms", anywhere, "ms"),
                ("processor time of a move, µs", loaded, "cpu_us"),
            ):
                measured.setdefault(name, []).append((runs[sides[0]][key], runs[sides[1]][key]))
        opened = [_open_cold(side, cold) for side in sides]
    figures: dict[str, Any] = {"events": stored}
    rows: list[tuple[object, ...]] = []
    for name, pairs in measured.items():
        before, after = median([one for one, _ in pairs]), median([one for _, one in pairs])
        times = median([after / before for before, after in pairs])
        figures[name] = {"empty": before, "full": after, "times": times}
        rows.append((name, before, after, times, f"{MOST_TIMES} times"))
    for name in opened[0]:
        before, after = opened[0][name], opened[1][name]
        figures[name] = {"empty": before, "full": after}
        rows.append((name, before, after, after / before, f"{MOST_COLD_MS} ms" if "p50" in name else ""))
    database = "SQLite" if full.startswith("sqlite") else "PostgreSQL"
    show((database, "empty", f"{stored:,} events", "times", "at most"), rows)
    return figures


def _open_cold(side: Side, cold: int) -> dict[str, float]:
    """Milliseconds to the view over HTTP, and to the ``state`` on a socket, of games that the server does not have."""
    shelf, port, pid = side.to_open, side.server.port, side.server.process.pid
    games = iter(shelf.games)
    over_http, over_socket = [], []
    with Line(port) as line, LiveLine(port, shelf.token) as live:
        for game in islice(games, cold // 10):  # the first steps of everything are left out
            line.get(f"/v1/games/{game}", shelf.token)
        busy = cpu_s(pid)
        for game in islice(games, cold // 2):
            over_http.append(_ms(lambda game=game: line.get(f"/v1/games/{game}", shelf.token)))
        busy = cpu_s(pid) - busy
        for game in games:
            over_socket.append(_ms(lambda game=game: live.watch(game)))
            live.say(t="unwatch", channel=f"game:{game}")
    opening = f"opening a game of {MOVES} events"
    return {
        f"{opening}, HTTP, ms, p50": percentile(over_http, 50),
        f"{opening}, HTTP, ms, p99": percentile(over_http, 99),
        f"{opening}, socket, ms, p50": percentile(over_socket, 50),
        f"{opening}, socket, ms, p99": percentile(over_socket, 99),
        f"processor time of {opening}, ms": busy / len(over_http) * 1000,
    }


# -- memory -----------------------------------------------------------------------------------------


def _memory(url: str, shelf: Shelf, short: bool) -> dict[str, float]:
    connections, warm, more = (100, 60, 60) if short else (1000, 1000, 2000)
    games = iter(shelf.games)
    # one reader, so that SQLite's own cache is as large as it gets when the first games have been read
    env = {"MOONTIDE_CACHED_GAMES": str(warm + more), "MOONTIDE_DATABASE_CONNECTIONS": "1"}
    with ServerProcess(url, env=env) as server, ExitStack() as stack:
        server.wait_ready()

        def watch(number: int) -> None:
            for _ in range(number):
                stack.enter_context(LiveLine(server.port, shelf.token)).watch(shelf.games[0])

        def opened(number: int) -> None:
            with Line(server.port) as line:
                for game in islice(games, number):
                    line.get(f"/v1/games/{game}", shelf.token)

        opened(warm)
        cached = _added_kib(server, lambda: opened(more)) / more
        beyond = _added_kib(server, lambda: opened(more)) / more
        watch(connections // 10)
        connection = _added_kib(server, lambda: watch(connections)) / connections
    figures = {
        "an idle connection that watches, KiB": connection,
        f"a cached game with {MOVES} moves, KiB": cached,
        "each game beyond the cache's bound, KiB": beyond,
    }
    show(("memory", "", "at most"), [(name, value, MOST_KIB) for name, value in figures.items()])
    return figures


def _added_kib(server: ServerProcess, work: Callable[[], None]) -> float:
    before = memory_kib(server.process.pid)
    work()
    return memory_kib(server.process.pid) - before


# -- the collector ----------------------------------------------------------------------------------


def _collector(few: str, many: str, shelf: Shelf, short: bool) -> dict[str, Any]:
    rounds, size = (1, 16) if short else (9, 64)
    connections = 16
    sizes = size, len(shelf.games)
    found: dict[int, list[dict[str, Any]]] = {}
    upgrade(few)
    shelves = {few: put_games(few, size, moves=MOVES), many: shelf}
    with ExitStack() as stack:
        sides = []
        for url, one in shelves.items():
            server = stack.enter_context(ServerProcess(url)).wait_ready()
            sides.append((len(one.games), one, server))
        for number in range(rounds + 1):
            for size, shelf, server in sides:
                each = sizes[-1] // size
                messages = [
                    _idle(shelf.games[at::connections], MOVES + number * each, each) for at in range(connections)
                ]
                done = _load(server.port, shelf, messages)
                if number:  # the first round fills the cache
                    found.setdefault(size, []).append(done)
    shown = {
        size: {key: median([one[key] for one in runs]) for key in ("p50_ms", "p99_ms", "p99.9_ms")}
        for size, runs in found.items()
    }
    rows = [
        (f"{size:,} games", *one.values(), MOST_P999_MS if size == sizes[-1] else "") for size, one in shown.items()
    ]
    show((f"moves, {connections} at once, with a cache of", "p50 ms", "p99 ms", "p99.9 ms", "at most"), rows)
    pause = _pause_ms(sizes[-1])
    print(f"One collection over {sizes[-1]:,} games that have just had a move: {pause:.1f} ms on a core\n", flush=True)
    return {"moves": shown, "one collection, ms": pause}


def _pause_ms(games: int) -> float:
    """The longest that the collector can take over so many games, each with tuples that it has not seen yet (ms of
    processor time, so that others on the machine do not count)."""
    header, records = a_log(MOVES + 1)
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        cache = Cache(games)
        for number in range(games):
            before = replay(records[:-1])
            seen = {f"{number}-{record.command_id}": record.seq for record in records}
            cache.put(Cached(replace(header, id=f"{header.id}-{number}"), before, seen))
        gc.collect()
        event = read(records[-1])
        for game in [f"{header.id}-{number}" for number in range(games)]:
            cached = cache.get(game)
            assert cached is not None
            cached.playthrough = evolve(cached.playthrough, event)
        began = time.process_time()
        gc.collect()
        return (time.process_time() - began) * 1000
    finally:
        gc.enable()
        gc.unfreeze()


# -- plans ------------------------------------------------------------------------------------------


def _load(port: int, shelf: Shelf, messages: list[list[str]]) -> dict[str, Any]:
    """Send all of these, a list for each connection: what `load` has found. RuntimeError unless all are acked."""
    hello = json.dumps({"t": "hello", "token": shelf.token})
    plan = {"kind": "ws", "port": port, "path": "/v1/live", "answer": '"t":"ack"'}
    done = load({**plan, "messages": messages, "openings": [hello] * len(messages), "seconds": 60})
    wanted = sum(map(len, messages))
    if done["answers"] != wanted:
        raise RuntimeError(f"only {done['answers']} of {wanted} moves were acked in time")
    return done


def _idle(games: Sequence[str], first: int, laps: int) -> list[str]:
    """A move on each of these games in turn, then the next on each: such as `endless` goes on with."""
    moves = enumerate(islice(endless(), first, first + laps), first)
    return [_command(game, f"c{number}", **move) for number, move in moves for game in games]


def _command(game: str, command_id: str, **what: Any) -> str:
    return json.dumps({"t": "command", "game": game, "command_id": command_id, **what})


def _ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000
