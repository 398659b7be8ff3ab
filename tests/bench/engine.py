"""What one move costs in the engine, and what a replay costs: no server, no disk.

A whole move is: validate, decide, dead end, undo stack, chain, and the frame for the watchers. Each figure is
the best of many rounds over a whole won game, in microseconds: the machine's noise only ever adds.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import msgspec

from server.play.commands import Command, decide, understand
from server.play.events import Event
from server.play.frames import encode_frame, event_frame
from server.play.outcome import outcome
from server.play.playthrough import evolve, fold, replay
from server.play.records import Header
from tests.bench.tables import show
from tests.golden import lines
from tests.play.helpers import GAME, START, Table

WIRE = ("do", "remove", "from", "to", "count")


def run(short: bool) -> dict[str, dict[str, float]]:
    rounds = 20 if short else 200
    wins = [game for game in lines("cases/games.jsonl") if game["kind"] == "win"]
    chosen = {
        "Half Moon": next(game for game in wins if game["code"] == "HM1-N-AAAAAAB"),
        "Seahaven": max(
            (game for game in wins if game["code"].startswith("SH1-C4")), key=lambda game: len(game["steps"])
        ),
    }
    figures = {name: _measure(game, rounds) for name, game in chosen.items()}
    show(
        ["", *figures],
        [[what, *(one[what] for one in figures.values())] for what in next(iter(figures.values()))],
    )
    return figures


def _measure(game: dict[str, Any], rounds: int) -> dict[str, float]:
    table = Table(game["code"])
    first = table.playthrough
    solitaire = first.solitaire
    header = Header(
        id=GAME,
        code=game["code"],
        ruleset=solitaire.ruleset,
        owner="",
        salt=None,
        player=None,
        command_id="",
        created_at=0,
    )
    steps = [{name: step[name] for name in WIRE if name in step} for step in game["steps"] if step["ok"]]
    commands = [
        msgspec.convert({**step, "command_id": f"0193796a-5c00-7000-8000-{number:012d}"}, Command)
        for number, step in enumerate(steps)
    ]
    orders = [understand(solitaire, command) for command in commands]
    events: list[Event] = []
    playthroughs = [first]
    for order in orders:
        event = decide(playthroughs[-1], order, START)
        assert isinstance(event, Event)
        events.append(event)
        playthroughs.append(evolve(playthroughs[-1], event))
    records = [table.events[0].record, *(event.record for event in events)]
    replayed = [table.events[0], *events]
    moves = [order.move for order in orders]

    def whole() -> None:
        before = first
        for order in orders:
            event = decide(before, order, START)
            assert isinstance(event, Event)
            after = evolve(before, event)
            outcome(header, before, after)
            encode_frame(event_frame(header, event, after, now=0))
            before = after

    def reading() -> None:
        for command in commands:
            understand(solitaire, command)

    def play() -> None:
        for before, move in zip(playthroughs, moves, strict=False):
            solitaire.play(before.state, move)  # type: ignore[arg-type]

    def dead_end() -> None:
        for after in playthroughs[1:]:
            solitaire.is_dead_end(after.state)

    def legal() -> None:
        for after in playthroughs[:-1]:
            solitaire.legal_moves(after.state)

    count = len(orders)
    parts: dict[str, tuple[Callable[[], object], int]] = {
        "a whole move, µs": (whole, count),
        "reading a command, µs": (reading, count),
        "play (validate), µs": (play, count),
        "dead end, µs": (dead_end, count),
        "legal list, µs": (legal, count),
        "fold of the game's events, µs": (lambda: fold(replayed), 1),
        "replay (chain, reading, fold), µs": (lambda: replay(records), 1),
    }
    figures = {}
    for name, (work, divisor) in parts.items():
        best = min(_timed(work) for _ in range(rounds))
        figures[name] = best * 1e6 / divisor
    return {"moves": float(count), **figures}


def _timed(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began
