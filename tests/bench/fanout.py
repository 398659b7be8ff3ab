"""One game and its crowd: how fast a move reaches 1, 100 and 1,000 watchers, and what a stopped reader costs.

The player, the crowd and the server are three processes. *Flat out*, the player sends the next move when the last is
acked; *paced*, so many moves a second that the server is about half busy. ``spread`` is the time from the player's
ack to the last watcher's frame, ``all told`` the time from sending the move: what the slowest watcher waits. Both
include the reading of the crowd, which is one process for all: its share of a core is shown beside the server's. The
ack goes out behind the frames that were queued before it, so ``spread`` is about nothing, or below it.

A stopped reader is a process with some sockets that watch the same game, stopped by SIGSTOP; calm and troubled rounds
take turns.
"""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from server.store.migrate import upgrade
from tests.bench.line import LiveLine
from tests.bench.proc import cpu_s, memory_kib, sockets
from tests.bench.stored import Shelf, endless, put_games
from tests.bench.tables import median, percentile, show
from tests.parts.server_process import ServerProcess

CROWDS = (1, 100, 1000)
STOPPED = 20
"""Sockets that stop reading, where what one holds is found by dividing."""

Delay = tuple[float, float]
"""Milliseconds from a move's ack, and from its sending, to the last watcher's frame."""

MOST_HELD_KIB = 1024
GONE_WITHIN_S = 45.0
MOST_SLOWER = 1.25


class Spectators:
    """A crowd in a process of its own (`tests.bench.crowd`)."""

    def __init__(self, port: int, token: str, game: str, number: int) -> None:
        command = [sys.executable, "-m", "tests.bench.crowd", str(port), token, game, str(number)]
        self.number = number
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._asked, self._said = self._process.stdin, self._process.stdout
        if self._said.readline() != "ready\n":
            raise RuntimeError("the crowd could not watch")

    def report(self) -> dict[str, Any]:
        """What has been heard since the last report."""
        print(file=self._asked, flush=True)
        told: dict[str, Any] = json.loads(self._said.readline())
        return told

    def stop(self) -> None:
        """Stop the process: it exists, and reads no more."""
        self._process.send_signal(signal.SIGSTOP)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._asked.close()
        self._said.close()


class Mover:
    """The player, on a socket that does not watch; its moves have no end."""

    def __init__(self, port: int, shelf: Shelf, game: str) -> None:
        self._port = port
        self._token = shelf.token
        self._game = game
        self._moves = enumerate(endless(), 2)

    def play(self, moves: int, pause: float = 0.0) -> dict[int, tuple[float, float]]:
        """So many moves, one after another: when (s) each was sent and acked, by its seq."""
        times = {}
        with LiveLine(self._port, self._token) as line:
            for seq, move in islice(self._moves, moves):
                sent = time.perf_counter()
                line.say(t="command", game=self._game, command_id=f"c{seq}", **move)
                line.hear(b'{"t":"ack"')
                times[seq] = sent, time.perf_counter()
                if pause:
                    time.sleep(pause)
        return times


def run(short: bool) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    with TemporaryDirectory(prefix="moontide-bench-") as folder:
        database = f"sqlite:///{Path(folder) / 'games.db'}"
        upgrade(database)
        shelf = put_games(database, 8)
        with ServerProcess(database) as server:
            server.wait_ready()
            figures["crowds"] = _crowds(server, shelf, short)
            figures["stopped"] = _stopped(server, shelf, short)
    return figures


# -- crowds -----------------------------------------------------------------------------------------


def _crowds(server: ServerProcess, shelf: Shelf, short: bool) -> list[dict[str, Any]]:
    rounds, budget = (1, 2_000) if short else (5, 40_000)
    found: dict[int, list[tuple[dict[str, float], list[Delay]]]] = {}
    games = iter(shelf.games)
    with ExitStack() as stack:
        crowds = [stack.enter_context(crowd_of(server.port, shelf, next(games), number)) for number in CROWDS]
        for mover, crowd in crowds:
            _round(server, mover, crowd, moves=20)  # the first steps of everything are left out
        for _ in range(rounds):
            for mover, crowd in crowds:
                moves = max(20, min(500, budget // crowd.number))
                found.setdefault(crowd.number, []).append(_round(server, mover, crowd, moves))
    shown = [
        {
            "watchers": number,
            **{name: median([one[name] for one, _ in runs]) for name in runs[0][0]},
            **_percentiles([delay for _, delays in runs for delay in delays]),
        }
        for number, runs in found.items()
    ]
    show(
        (
            *("watchers", "frames a second", "server busy", "crowd busy", "µs a frame"),
            *("paced: spread p50 ms", "p99", "all told p50", "p99"),
        ),
        [tuple(one.values()) for one in shown],
    )
    return shown


def _round(server: ServerProcess, mover: Mover, crowd: Spectators, moves: int) -> tuple[dict[str, float], list[Delay]]:
    """What so many moves flat out have cost, and the delays of as many paced ones."""
    crowd.report()
    busy = cpu_s(server.process.pid)
    began = time.perf_counter()
    times = mover.play(moves)
    told = heard_by_all(crowd, moves)
    seconds = max(told["last"].values()) - began
    busy = cpu_s(server.process.pid) - busy
    flat_out = {
        "frames a second": told["frames"] / seconds,
        "server busy": busy / seconds,
        "crowd busy": told["cpu_s"] / seconds,
        "µs a frame": busy / told["frames"] * 1e6,
    }
    times = mover.play(moves, pause=seconds / moves)
    told = heard_by_all(crowd, moves)
    return flat_out, _delays(times, told["last"])


def heard_by_all(crowd: Spectators, moves: int) -> dict[str, Any]:
    """What the crowd has heard when all of it has heard all of the moves."""
    told: dict[str, Any] = {"last": {}, "frames": 0, "cpu_s": 0.0}
    deadline = time.monotonic() + 30
    while len(told["last"]) < moves:
        more = crowd.report()
        told["last"].update({int(seq): at for seq, at in more["last"].items()})
        told["frames"] += more["frames"]
        told["cpu_s"] += more["cpu_s"]
        if time.monotonic() > deadline:
            raise RuntimeError(f"only {len(told['last'])} of {moves} moves have reached everybody")
        time.sleep(0.01)
    return told


def _delays(times: dict[int, tuple[float, float]], last: dict[int, float]) -> list[Delay]:
    return [((last[seq] - acked) * 1000, (last[seq] - sent) * 1000) for seq, (sent, acked) in times.items()]


def _percentiles(delays: list[Delay]) -> dict[str, float]:
    spread, all_told = zip(*delays, strict=True)
    return {
        "spread p50 ms": percentile(spread, 50),
        "spread p99 ms": percentile(spread, 99),
        "all told p50 ms": percentile(all_told, 50),
        "all told p99 ms": percentile(all_told, 99),
    }


# -- stopped readers --------------------------------------------------------------------------------


def _stopped(server: ServerProcess, shelf: Shelf, short: bool) -> dict[str, Any]:
    rounds, moves, watchers = (1, 200, 20) if short else (7, 1000, 100)
    busy, quiet = shelf.games[-2:]
    calm: list[Delay] = []
    troubled: list[Delay] = []
    with crowd_of(server.port, shelf, busy, watchers) as (mover, crowd):
        for _ in range(rounds):
            calm += _flat_out(mover, crowd, moves)
            with _stopped_readers(server.port, shelf, busy, 1):
                troubled += _flat_out(mover, crowd, moves)
        without, beside = _percentiles(calm), _percentiles(troubled)
        spread, whole = "spread p99 ms", "all told p99 ms"
        times = beside[whole] / without[whole]
        show(
            (f"{watchers} watchers", "calm", "beside a stopped reader", "times", "at most"),
            [
                (spread, without[spread], beside[spread], "", ""),  # about nothing, so no ratio
                (whole, without[whole], beside[whole], times, MOST_SLOWER),
            ],
        )
        figures: dict[str, Any] = {"calm": without, "beside a stopped reader": beside, "times": times}
        before, memory = sockets(server.process.pid), memory_kib(server.process.pid)
        with (
            _stopped_readers(server.port, shelf, busy, STOPPED) as since,
            _stopped_readers(server.port, shelf, quiet, STOPPED),
        ):
            # until there is no room left for them, in the kernel, in the transport and in their queues
            for _ in range(2 if short else 3):
                _flat_out(mover, crowd, moves)
            held = memory_kib(server.process.pid) - memory
            figures["held for each, KiB"] = held / (2 * STOPPED)
            if not short:
                while sockets(server.process.pid) > before and time.monotonic() < since + 2 * GONE_WITHIN_S:
                    _flat_out(mover, crowd, 5)
                    time.sleep(0.1)
                figures["gone after, s"] = time.monotonic() - since
    limits = {"held for each, KiB": float(MOST_HELD_KIB), "gone after, s": GONE_WITHIN_S}
    rows = [(name, figures[name], most) for name, most in limits.items() if name in figures]
    show((f"{2 * STOPPED} stopped readers", "", "at most"), rows)
    return figures


def _flat_out(mover: Mover, crowd: Spectators, moves: int) -> list[Delay]:
    crowd.report()
    times = mover.play(moves)
    return _delays(times, heard_by_all(crowd, moves)["last"])


# -- processes --------------------------------------------------------------------------------------


@contextmanager
def crowd_of(port: int, shelf: Shelf, game: str, watchers: int) -> Iterator[tuple[Mover, Spectators]]:
    """A player of the game and so many watchers, for as long as the block lasts."""
    mover = Mover(port, shelf, game)
    crowd = Spectators(port, shelf.token, game, watchers)
    try:
        yield mover, crowd
    finally:
        crowd.end()


@contextmanager
def _stopped_readers(port: int, shelf: Shelf, game: str, number: int) -> Iterator[float]:
    """Readers that have stopped; since when (monotonic s)."""
    readers = Spectators(port, shelf.token, game, number)
    try:
        readers.stop()
        yield time.monotonic()
    finally:
        readers.end()
