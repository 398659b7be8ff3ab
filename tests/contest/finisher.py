"""A process that ends games as fast as it can, several in a batch, of players whom other processes have too.

``python -m tests.contest.finisher URL SEED GAMES CODE PLAYER...``: deals its games, prints ``ready``, waits for a
line, ends them, prints how many seconds that took. Ends with an error if any game was not stored.
"""

import asyncio
import random
import sys
import time
from collections.abc import Sequence

from server.store.database import Database
from server.store.eventlog import Won
from server.store.open import log_of
from tests.contest.finishing import dealt, ending, opening, result_of

DEALT_AT_ONCE = 200
ENDED_AT_ONCE = 6


async def finish(url: str, chance: random.Random, number: int, code: str, players: list[str]) -> None:
    database = await Database.open(url, connections=2)
    log = log_of(database)
    headers = [dealt(code, chance.choice(players)) for _ in range(number)]
    for first in range(0, number, DEALT_AT_ONCE):
        must_win(await log.append([opening(one) for one in headers[first : first + DEALT_AT_ONCE]]))
    print("ready", flush=True)
    sys.stdin.readline()
    began = time.perf_counter()
    while headers:
        size = chance.randint(1, ENDED_AT_ONCE)
        batch = [
            ending(
                header,
                result_of(
                    header,
                    won=chance.random() < 0.7,
                    undos=chance.randrange(3),
                    moves=chance.randrange(48, 52),
                    seconds=chance.randrange(250, 262),
                ),
            )
            for header in headers[:size]
        ]
        must_win(await log.append(batch))
        del headers[:size]
    print(time.perf_counter() - began)
    await database.close()


def must_win(answers: Sequence[object]) -> None:
    if lost := [answer for answer in answers if not isinstance(answer, Won)]:
        raise SystemExit(repr(lost))


if __name__ == "__main__":
    where, seed, games, which, *who = sys.argv[1:]
    asyncio.run(finish(where, random.Random(int(seed)), int(games), which, who))
