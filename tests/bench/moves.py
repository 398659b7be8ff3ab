"""Durable moves a second, how long they take, and what they are held against: all of one run.

Whole won games of both solitaires with everything on, on SQLite (``synchronous=FULL``) and on a PostgreSQL that syncs.

*Flat out*: 64 connections, one move under way on each, held against a bare echo of the same uvicorn, and against one
transaction of an ORM a move (`tests.bench.orm`). *At half load*: half as many moves a second as there were flat out
in the same round, due evenly in time (`tests.bench.load`); beside them as many echoes, whose times are those of the
machine and the load. *Unloaded*: one connection, held against one ``fdatasync`` on the same disk.

The kinds take turns in each round. What is shown is the median of the rounds, and for ratios the median of the ratio
within each. ``load`` and ``server`` say how busy the two processes were: the load should be less so than the server.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.bench import plans
from tests.bench.disk import fdatasync_ms
from tests.bench.load import load
from tests.bench.plans import Plan
from tests.bench.player import CONNECTIONS, GAMES
from tests.bench.tables import median, show
from tests.bench.target import Target, target
from tests.parts.postgres import Postgres

DATABASES = ("SQLite", "PostgreSQL")
SOCKET_RATE, HTTP_RATE, ORM_RATE, UNLOADED_RATE = 24_000, 12_000, 6_000, 3_000
"""More moves a second than there will be: so many are made ready."""

LEAST = {"WebSocket": 0.33, "HTTP": 0.35}
LEAST_TIMES_ORM = 15
MOST_P99_MS = 10.0
MOST_OVER_SYNC_MS = 0.6


class Length(NamedTuple):
    """Rounds, the seconds of each run in them, and how often the disk is synced before each unloaded one."""

    rounds: int
    seconds: float
    syncs: int


SHORT, FULL = Length(1, 0.3, 30), Length(5, 1.5, 200)

Figures = dict[str, float]


class Side(NamedTuple):
    """What runs on one database."""

    name: str
    ours: Target
    orm: Target


def run(short: bool, databases: tuple[str, ...] = DATABASES) -> dict[str, dict[str, Figures]]:
    length = SHORT if short else FULL
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="moontide-bench-")))
        echo = stack.enter_context(target("echo"))
        sides = [_side(name, folder, stack) for name in databases]
        rounds = [_round(echo, sides, folder, length) for _ in range(length.rounds)]
    figures = {
        part: {name: _middle([one[part][name] for one in rounds]) for name in measured}
        for part, measured in rounds[0].items()
    }
    _show(figures)
    return figures


def _side(name: str, folder: Path, stack: ExitStack) -> Side:
    if name == "SQLite":
        urls = [f"sqlite:///{folder}/{of}.db" for of in ("ours", "orm")]
    else:
        postgres = stack.enter_context(Postgres(durable=True))
        urls = [postgres.new_database() for _ in range(2)]
    ours, orm = (stack.enter_context(target(*pair)) for pair in zip(("moontide", "orm"), urls, strict=True))
    return Side(name, ours, orm)


def _middle(runs: list[Figures]) -> Figures:
    return {key: median([one[key] for one in runs]) for key in runs[0]}


# -- measuring --------------------------------------------------------------------------------------


def _round(echo: Target, sides: list[Side], folder: Path, length: Length) -> dict[str, dict[str, Figures]]:
    seconds = length.seconds
    flat_out: dict[str, Figures] = {}
    code = GAMES["Half Moon"]

    def measure(name: str, plan: Plan) -> Figures:
        return flat_out.setdefault(name, load({**plan, "seconds": seconds}))

    bare = measure("WebSocket echo", plans.socket_echo(echo, code))
    for side in sides:
        orm = measure(f"{side.name}, an ORM, WebSocket", plans.orm_moves(side.orm, code, int(ORM_RATE * seconds)))
        orm["of_echo"] = orm["per_second"] / bare["per_second"]
        for game, code in GAMES.items():
            plan = plans.socket_moves(side.ours, code, int(SOCKET_RATE * seconds))
            one = measure(f"{side.name}, WebSocket, {game}", plan)
            one["of_echo"] = one["per_second"] / bare["per_second"]
            one["times_orm"] = one["per_second"] / orm["per_second"]
    bare = measure("HTTP JSON echo", plans.http_echo(echo, code))
    for side, game, code in _games(sides):
        one = measure(f"{side.name}, HTTP, {game}", plans.http_moves(side.ours, code, int(HTTP_RATE * seconds)))
        one["of_echo"] = one["per_second"] / bare["per_second"]

    rate = flat_out[f"{sides[0].name}, WebSocket, Half Moon"]["per_second"] / 2
    half = {"WebSocket echo": load({**plans.socket_echo(echo, code), "seconds": seconds, "rate": rate})}
    for side, game, code in _games(sides):
        rate = flat_out[f"{side.name}, WebSocket, {game}"]["per_second"] / 2
        plan = plans.socket_moves(side.ours, code, int(rate * seconds) + CONNECTIONS)
        half[f"{side.name}, {game}"] = load({**plan, "seconds": seconds, "rate": rate})

    alone: dict[str, Figures] = {}
    for side, game, code in _games(sides):
        plan = plans.socket_moves(side.ours, code, int(UNLOADED_RATE * seconds), 1)
        sync, sync_p99 = fdatasync_ms(folder, length.syncs)
        one = alone[f"{side.name}, {game}"] = load({**plan, "seconds": seconds})
        one.update({"fdatasync_p50_ms": sync, "fdatasync_p99_ms": sync_p99, "over_ms": one["p50_ms"] - sync})
    return {"flat out": flat_out, "half load": half, "unloaded": alone}


def _games(sides: list[Side]) -> Iterator[tuple[Side, str, str]]:
    return ((side, game, code) for side in sides for game, code in GAMES.items())


# -- showing ----------------------------------------------------------------------------------------


def _show(figures: dict[str, dict[str, Figures]]) -> None:
    times = ("p50_ms", "p99_ms", "p99.9_ms")
    busy = ("load_busy", "server_busy")
    heads = ("p50 ms", "p99 ms", "p99.9 ms")
    ratios = ("of_echo", "times_orm")
    alone = ("p50_ms", "p99_ms", "fdatasync_p50_ms", "fdatasync_p99_ms", "over_ms")
    show(
        (f"flat out, {CONNECTIONS} at once", "a second", "of the echo", "times the ORM", *heads, "load", "server"),
        [
            (name, one["per_second"], *(one.get(key, "") for key in ratios), *(one[key] for key in (*times, *busy)))
            for name, one in figures["flat out"].items()
        ],
    )
    show(
        ("at half of that load", "a second", *heads, "p99 at most", "load", "server"),
        [
            (name, one["per_second"], *(one[key] for key in times), MOST_P99_MS, *(one[key] for key in busy))
            for name, one in figures["half load"].items()
        ],
    )
    show(
        ("one alone", "p50 ms", "p99 ms", "fdatasync p50 ms", "p99 ms", "p50 over p50", "at most"),
        [
            (name, *(one[key] for key in alone), MOST_OVER_SYNC_MS if name.startswith("SQLite") else "")
            for name, one in figures["unloaded"].items()
        ],
    )
    print(
        f"Wanted: of the echo {LEAST['WebSocket']} over WebSocket and {LEAST['HTTP']} over HTTP at least; "
        f"{LEAST_TIMES_ORM} times the ORM. load, server: time on a core by time passed.\n",
        flush=True,
    )
