"""Days of dailies for a database that a real server then serves: one long closed, and today with the next two.

They are made as they would have come to be, by the application itself at a clock of ours: committed to two days ahead,
played, closed, swept. The deals are real sealed ones with a line that wins, the same in every run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import shake_256
from itertools import count
from pathlib import Path
from typing import Any

from server.contest.calendar import DAY_MS, day
from server.contest.certify import DAILY, Certified, search
from server.play.codec import canonical
from server.solitaires import SOLITAIRES
from tests.api.client import Table
from tests.contest.conftest import World, world
from tests.parts.clock import ManualClock

Line = Sequence[dict[str, Any]]
RULESETS = ("HM1-N", "SH1-C4", "SH1-C2", "SH1-C1")


@dataclass(frozen=True)
class Days:
    """``past`` and ``today`` are dates, ``codes`` and ``lines`` are by date and ruleset, ``games`` those of the past
    day's players by name."""

    past: str
    today: str
    codes: dict[tuple[str, str], str]
    lines: dict[tuple[str, str], Line]
    games: dict[str, str]


@cache
def found(ruleset: str, seed: str) -> Certified:
    """A sealed deal that can be won; drawn from a seed, so that it is the same every time."""
    calls = count()
    answer = search(
        SOLITAIRES[ruleset], DAILY, lambda size: shake_256(f"{seed} {ruleset} {next(calls)}".encode()).digest(size)
    )
    assert isinstance(answer, Certified)
    return answer


async def lay_days(database: Path) -> Days:
    """Make the days around now."""
    now = datetime.now(UTC)
    past, *others = [(now + timedelta(days=ahead)).date().isoformat() for ahead in (-3, 0, 1, 2)]
    clock = ManualClock(day(past).opens_at - 2 * DAY_MS + 123)
    codes: dict[tuple[str, str], str] = {}
    lines: dict[tuple[str, str], Line] = {}

    async def commit(here: World, date: str, rulesets: Sequence[str] = RULESETS) -> None:
        for ruleset in rulesets:
            deal = found(ruleset, "past" if date == past else "coming")
            codes[date, ruleset], lines[date, ruleset] = str(deal.code), deal.line
            await here.commit(date, str(deal.code), canonical(list(deal.line)))

    async with world(f"sqlite:///{database}", clock) as here:
        await commit(here, past)
        clock.at = day(past).opens_at + 9 * 3_600_000
        games = await _play(here, past, lines[past, "HM1-N"])
        clock.at = day(past).closes_at + 5000
        assert await here.services.dailies.sweep() == len(RULESETS)
        for date in others:
            clock.at = day(date).opens_at - 2 * DAY_MS + 4321
            await commit(here, date)
    return Days(past, others[0], codes, lines, games)


async def _play(here: World, date: str, line: Line) -> dict[str, str]:
    """Half Moon of a day: Ada and Grace win alike, Linus undoes once, Mira gives up, a guest is never done."""
    games = {}
    for name, pace, undos, moves in (
        ("Ada", 3000, 0, 48), ("Grace", 3000, 0, 48), ("Linus", 2000, 1, 48), ("Mira", 4000, 0, 21), (None, 5000, 0, 9),
    ):  # fmt: skip
        player = await here.player(**({"name": name} if name else {}))
        answer = await player.ask("POST", f"/v1/dailies/{date}/HM1-N/attempt", {})
        assert answer.status_code == 201, answer.text
        table = Table(player, answer.json())
        games[name or "guest"] = table.id
        for _ in range(undos):
            here.clock.tick(pace)
            await table.send("move", **line[0])
            here.clock.tick(pace)
            await table.send("undo")
        for move in line[:moves]:
            here.clock.tick(pace)
            done = await table.send("move", **move)
            assert done.status_code == 200, done.text
        if name == "Mira":
            await table.send("resign")
    return games
