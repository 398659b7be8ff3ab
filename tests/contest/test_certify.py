"""Certified deals: what counts, what the budget allows, and a process that may die without harm to the server."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import shake_256
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from server.contest.certify import Budget, Certified, Failed, Uncertified, certify, replays, search
from server.contest.solver import Lost, solve
from server.solitaires import SOLITAIRES, read_code
from server.solitaires.codes import SEALED, Code, draw_code
from server.solitaires.half_moon import HalfMoon
from tests.parts.entropy import SeededEntropy

ROOT = Path(__file__).parents[2]
ONE_CELL = SOLITAIRES["SH1-C1"]
ENDLESS = ["--tries=1000000000", "--positions=1", "--seconds=60"]


class Recorded:
    """The draws of an entropy, counted."""

    def __init__(self) -> None:
        self._entropy = SeededEntropy("certify")
        self.draws = 0

    def __call__(self, size: int) -> bytes:
        self.draws += 1
        return self._entropy(size)


def drawn(ruleset: str, number: int) -> list[Code]:
    entropy = SeededEntropy("certify")
    return [draw_code(ruleset, entropy, sealed=True) for _ in range(number)]


@pytest.mark.parametrize("ruleset", SOLITAIRES)
def test_the_deal_is_sealed_and_the_rules_play_its_line_to_the_end(ruleset: str) -> None:
    game, entropy = SOLITAIRES[ruleset], Recorded()
    found = search(game, Budget(), entropy)
    assert isinstance(found, Certified)
    assert (found.code.ruleset, len(found.code.body)) == (ruleset, SEALED)
    assert found.tries == entropy.draws
    assert found.code == drawn(ruleset, found.tries)[-1]

    state = game.deal(found.code.body)
    for fields in found.line:
        move = game.parse_move(fields)
        state = game.apply(state, move, game.play(state, move).points)
    assert game.is_won(state)
    assert state.score == 520


def test_a_line_replays_only_whole_and_only_on_its_own_deal() -> None:
    game = SOLITAIRES["HM1-N"]
    found = search(game, Budget(), SeededEntropy())
    assert isinstance(found, Certified)
    code, line = found.code, found.line
    other = draw_code("HM1-N", SeededEntropy("other"), sealed=True)
    assert replays(game, code, line)
    assert not replays(game, code, line[:-1])
    assert not replays(game, code, line[1:])
    assert not replays(game, code, (*line, line[0]))
    assert not replays(game, code, (*line[:-1], {"remove": ["P1", "P1"]}))
    assert not replays(game, code, ({"from": "T1", "to": "T2", "count": 1}, *line))
    assert not replays(game, other, line)


def test_a_line_that_the_rules_refuse_does_not_count_and_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    class Garbling(HalfMoon):
        def move_fields(self, move: Any) -> dict[str, Any]:
            return {"remove": ["P1", "P2"]}

    found = search(Garbling(), Budget(tries=2, positions=1000), SeededEntropy())
    assert isinstance(found, Uncertified) and found.tries == 2
    assert "does not replay" in caplog.text
    assert str(found.code) not in caplog.text


def test_without_a_line_the_deal_is_never_one_that_is_known_to_be_lost() -> None:
    lost = drawn("SH1-C1", 3)
    assert all(isinstance(solve(ONE_CELL, ONE_CELL.deal(code.body)), Lost) for code in lost)
    found = search(ONE_CELL, Budget(tries=3), SeededEntropy("certify"))
    assert isinstance(found, Uncertified) and found.tries == 3
    assert found.code == drawn("SH1-C1", 4)[-1]


def test_without_a_line_the_first_deal_that_nobody_can_judge_is_taken() -> None:
    found = search(SOLITAIRES["SH1-C4"], Budget(tries=5, positions=1), SeededEntropy("certify"))
    assert found == Uncertified(drawn("SH1-C4", 1)[0], tries=5, positions=5)


def test_a_budget_of_nothing_still_gives_a_deal() -> None:
    for budget in (Budget(tries=0), Budget(seconds=0)):
        assert search(ONE_CELL, budget, SeededEntropy("certify")) == Uncertified(drawn("SH1-C1", 1)[0], 0, 0)


def test_the_search_stops_when_its_seconds_are_spent_even_within_a_deal() -> None:
    ticks = count()
    game = SOLITAIRES["SH1-C4"]
    found = search(game, Budget(seconds=30), SeededEntropy("certify"), clock=lambda: float(next(ticks)))
    assert isinstance(found, Uncertified) and found.tries == 1
    assert 20 <= found.positions <= 30


def test_a_solitaire_that_does_not_say_how_cannot_be_searched() -> None:
    silent: Any = SimpleNamespace(ruleset="TY1-N")
    with pytest.raises(TypeError, match="TY1-N cannot be searched"):
        search(silent, Budget())


# The process.


def program(source: str, *arguments: object) -> list[str]:
    return [sys.executable, "-c", source, *map(str, arguments)]


def saying(text: str) -> list[str]:
    return program("import sys; print(sys.argv[1])", text)


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


async def until(true: Callable[[], bool]) -> None:
    for _ in range(2000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError


@pytest.mark.parametrize("ruleset", SOLITAIRES)
async def test_a_process_finds_what_the_same_draws_find_here(ruleset: str) -> None:
    calls = count()
    here = search(
        SOLITAIRES[ruleset], Budget(), lambda size: shake_256(b"seed" + next(calls).to_bytes(8, "big")).digest(size)
    )
    assert isinstance(here, Certified)
    assert await certify(ruleset, seed=b"seed") == here


async def test_no_two_searches_draw_the_same_deal() -> None:
    short = Budget(tries=1, positions=1)
    one, other = await asyncio.gather(certify("HM1-N", short), certify("HM1-N", short))
    assert isinstance(one, Uncertified) and isinstance(other, Uncertified)
    assert one.code != other.code


async def test_a_process_without_a_line_gives_an_uncertified_deal() -> None:
    found = await certify("SH1-C1", Budget(tries=2, positions=1))
    assert isinstance(found, Uncertified)
    assert (found.code.ruleset, found.tries, found.positions) == ("SH1-C1", 2, 2)


@pytest.fixture
def stuck(tmp_path: Path) -> tuple[list[str], Path]:
    """A program that never answers, and the file in which it leaves its process id."""
    note = tmp_path / "pid"
    source = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"
    return program(source, note), note


async def test_to_cancel_ends_the_process_and_nothing_waits_meanwhile(stuck: tuple[list[str], Path]) -> None:
    command, note = stuck
    task = asyncio.create_task(certify("HM1-N", command=command))
    await until(lambda: note.exists() and note.read_text() != "")
    process = int(note.read_text())
    assert is_running(process) and not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not is_running(process)


async def test_a_process_that_says_nothing_is_ended_when_patience_is(stuck: tuple[list[str], Path]) -> None:
    command, note = stuck
    found = await certify("HM1-N", command=command, patience=0.7)
    assert found == Failed("the search gave no answer within 0.7 seconds")
    if note.exists():
        assert not is_running(int(note.read_text()))


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("import sys; print('{'); sys.exit('out of luck')", "the search ended with status 1: out of luck"),
        ("import os; os.kill(os.getpid(), 9)", "the search ended with status -9: it said nothing"),
        ("import sys; sys.exit(0)", "the word of the search cannot be read: DecodeError"),
    ],
)
async def test_a_process_that_dies_is_named_and_harms_nobody(source: str, error: str) -> None:
    assert await certify("HM1-N", command=program(source)) == Failed(error)


async def test_a_program_that_cannot_be_started_is_a_failure_like_others() -> None:
    found = await certify("HM1-N", command=["/nowhere/python"])
    assert isinstance(found, Failed) and "could not be started" in found.error


@pytest.mark.parametrize(
    ("word", "error"),
    [
        ('{"code": "HM1-N-NOCODE", "line": null, "tries": 1, "positions": 1}', "cannot be read: InvalidCode"),
        ('{"code": "HM1-N-AAAAAAB", "line": 7, "tries": 1, "positions": 1}', "cannot be read: ValidationError"),
        ('{"code": "SH1-C4-AAAAAAB", "line": null, "tries": 1, "positions": 1}', "found a deal of SH1-C4"),
        ('{"code": "HM1-N-AAAAAAB", "line": [], "tries": 1, "positions": 1}', "does not replay"),
    ],
)
async def test_the_word_of_the_process_is_not_believed_unchecked(word: str, error: str) -> None:
    found = await certify("HM1-N", command=saying(word))
    assert isinstance(found, Failed) and found.error.endswith(error)


async def test_what_the_process_complains_of_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    word = '{"code": "HM1-N-AAAAAAB", "line": null, "tries": 4, "positions": 9}'
    source = "import sys; print(sys.argv[1]); print('first\\nit is hot here', file=sys.stderr)"
    found = await certify("HM1-N", command=program(source, word))
    assert found == Uncertified(read_code("HM1-N-AAAAAAB"), tries=4, positions=9)
    assert "the search complained: it is hot here" in caplog.text


def test_the_process_steps_back_behind_others_and_ends_with_its_parent() -> None:
    arguments = [sys.executable, "-m", "server.contest.certify", "SH1-C1", "--leash", *ENDLESS]
    with subprocess.Popen(arguments, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        ours, end = os.getpriority(os.PRIO_PROCESS, 0), time.monotonic() + 20
        while os.getpriority(os.PRIO_PROCESS, process.pid) <= ours and ours < 19:
            assert time.monotonic() < end, "it never stepped back"
            time.sleep(0.01)
        assert process.poll() is None
        assert process.stdin
        process.stdin.close()
        assert process.wait(timeout=20) == 3
