"""Draws sealed deals until one is found that can be won: what "certified" means (DESIGN 9).

    certify()   in the server: starts a process of low priority, waits for its word, ends it when cancelled
    main()      in that process: `python -m server.contest.certify RULESET`, one JSON object on standard output
    search()    the work itself: draw, solve, and let the rules replay the line before it counts

A search keeps a processor busy for seconds, so it must not run where players wait for answers. The code and
the line are secret until the day closes: they pass through a pipe, never through a log or an argument.
"""

import argparse
import asyncio
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import shake_256
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from server.contest.solver import Unknown, Won, solve
from server.solitaires import SOLITAIRES, read_code
from server.solitaires.codes import Code, InvalidCode, draw_code
from server.solitaires.protocol import IllegalMove, InvalidMove, Searchable, Solitaire

log = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parents[2]
_COMMAND = (sys.executable, "-m", "server.contest.certify")
_NICENESS = 10
_ORPHANED = 3


class Budget(NamedTuple):
    """What a ruleset's search may cost.

    ``seconds`` are of processor time, so that a busy machine makes it later, not weaker. ``positions`` are
    those of one deal: one that takes longer is left for another (Seahaven's hardest wins take about 35,000).
    """

    seconds: float = 15.0
    tries: int = 10_000
    positions: int = 50_000


DAILY: Final = Budget()
"""Four of these are a minute of one processor; on most days the four take less than two seconds in all."""


class Certified(NamedTuple):
    """``line`` (the wire fields of its moves) wins the deal of ``code``, the last of ``tries`` that were drawn."""

    code: Code
    line: tuple[dict[str, Any], ...]
    tries: int
    positions: int


class Uncertified(NamedTuple):
    """The budget was spent without a line. The deal of ``code`` may be one to win or not: nobody knows."""

    code: Code
    tries: int
    positions: int


class Failed(NamedTuple):
    """There was no word from the search, and ``error`` says why: try again. Nothing was drawn that counts."""

    error: str


def search(
    game: Solitaire,
    budget: Budget,
    entropy: Callable[[int], bytes] = os.urandom,
    clock: Callable[[], float] = time.process_time,
) -> Certified | Uncertified:
    """Draw and solve until a deal's line is replayed to a won game, or until the budget is spent.

    Raises TypeError for a solitaire that does not say how to search it.
    """
    if not isinstance(game, Searchable):
        raise TypeError(f"{game.ruleset} cannot be searched")
    until = clock() + budget.seconds
    tries = positions = 0
    undecided: Code | None = None
    while tries < budget.tries and clock() < until:
        code = draw_code(game.ruleset, entropy, sealed=True)
        answer = solve(game, game.deal(code.body), positions=budget.positions, until=until, clock=clock)
        tries += 1
        positions += answer.positions
        if isinstance(answer, Won):
            line = tuple([game.move_fields(move) for move in answer.line])
            if replays(game, code, line):
                return Certified(code, line, tries, positions)
            log.error("a line of the search does not replay", extra={"ruleset": game.ruleset})
        elif isinstance(answer, Unknown):
            undecided = undecided or code
    # never a deal that is known to be lost
    return Uncertified(undecided or draw_code(game.ruleset, entropy, sealed=True), tries, positions)


def replays(game: Solitaire, code: Code, line: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the rules accept every move of ``line`` (wire fields) on the deal of ``code``, and it wins."""
    state = game.deal(code.body)
    try:
        for fields in line:
            move = game.parse_move(fields)
            state = game.apply(state, move, game.play(state, move).points)
    except (InvalidMove, IllegalMove):
        return False
    return game.is_won(state)


async def certify(
    ruleset: str,
    budget: Budget = DAILY,
    *,
    patience: float | None = None,
    seed: bytes | None = None,
    command: Sequence[str] = _COMMAND,
) -> Certified | Uncertified | Failed:
    """What `search` finds for ``ruleset``, in a process of its own; the event loop stays free.

    After ``patience`` seconds by the wall (at first ten times the budget and half a minute more, for machines that
    are busy with better things) the process is ended, and so it is when the caller is cancelled, or dies.
    ``seed`` is for tests, which want the same codes again; ``command`` is what is started. Raises KeyError for an
    unknown ruleset.
    """
    game = SOLITAIRES[ruleset]
    given = [f"--seconds={budget.seconds}", f"--tries={budget.tries}", f"--positions={budget.positions}"]
    if seed is not None:
        given.append(f"--seed={seed.hex()}")
    pipe = asyncio.subprocess.PIPE
    try:
        # a session of its own: the terminal's Ctrl-C is for the server, which then cancels
        process = await asyncio.create_subprocess_exec(
            *command,
            ruleset,
            "--leash",
            *given,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=_ROOT,
            start_new_session=True,
        )
    except OSError as error:
        return Failed(f"the search could not be started: {error}")
    assert process.stdin and process.stdout and process.stderr
    wait = 30 + 10 * budget.seconds if patience is None else patience
    try:
        async with asyncio.timeout(wait):
            output, errors = await asyncio.gather(process.stdout.read(), process.stderr.read())
            status = await process.wait()
    except TimeoutError:
        return Failed(f"the search gave no answer within {wait:g} seconds")
    finally:
        process.stdin.close()
        if process.returncode is None:
            process.kill()
            await process.wait()
    if status:
        return Failed(f"the search ended with status {status}: {_last_line(errors)}")
    if errors:
        log.warning("the search complained: %s", _last_line(errors), extra={"ruleset": ruleset})
    return _read(game, output)


class _Word(msgspec.Struct):
    """What the process prints; ``line`` is null where the deal is not certified."""

    code: str
    line: list[dict[str, Any]] | None
    tries: int
    positions: int


def _read(game: Solitaire, output: bytes) -> Certified | Uncertified | Failed:
    try:
        word = msgspec.json.decode(output, type=_Word)
        code = read_code(word.code)
    except (msgspec.DecodeError, InvalidCode) as error:
        return Failed(f"the word of the search cannot be read: {type(error).__name__}")
    if code.ruleset != game.ruleset:
        return Failed(f"the search was for {game.ruleset} and found a deal of {code.ruleset}")
    if word.line is None:
        return Uncertified(code, word.tries, word.positions)
    # the process runs the code that is on the disk, which an upgrade may have changed since we were started
    if not replays(game, code, word.line):
        return Failed("the line of the search does not replay")
    return Certified(code, tuple(word.line), word.tries, word.positions)


def _last_line(errors: bytes) -> str:
    return (errors.decode(errors="replace").strip().splitlines() or ["it said nothing"])[-1]


def _repeatable(seed: bytes) -> Callable[[int], bytes]:
    """As ``os.urandom``, but the same bytes for the same seed, in order."""
    calls = count()
    return lambda size: shake_256(seed + next(calls).to_bytes(8, "big")).digest(size)


def _follow_parent() -> None:
    """End with the server: it holds the other end of standard input, and writes nothing to it."""
    os.read(0, 1)
    os._exit(_ORPHANED)


def main(arguments: Sequence[str] | None = None) -> None:
    """Search as the arguments say and print what was found."""
    parser = argparse.ArgumentParser("python -m server.contest.certify", description=__doc__.splitlines()[0])
    parser.add_argument("ruleset", choices=list(SOLITAIRES))
    parser.add_argument("--seconds", type=float, default=DAILY.seconds, help="of processor time, %(default)s")
    parser.add_argument("--tries", type=int, default=DAILY.tries, help="deals at most, %(default)s")
    parser.add_argument("--positions", type=int, default=DAILY.positions, help="of one deal at most, %(default)s")
    parser.add_argument("--seed", type=bytes.fromhex, help="draw the same codes again: for tests, nothing is secret")
    parser.add_argument("--leash", action="store_true", help="end when standard input does")
    given = parser.parse_args(arguments)
    if given.leash:
        threading.Thread(target=_follow_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    entropy = os.urandom if given.seed is None else _repeatable(given.seed)
    found = search(SOLITAIRES[given.ruleset], Budget(given.seconds, given.tries, given.positions), entropy)
    line = found.line if isinstance(found, Certified) else None
    print(json.dumps({"code": str(found.code), "line": line, "tries": found.tries, "positions": found.positions}))


if __name__ == "__main__":
    main()
