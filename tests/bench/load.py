"""The load: many connections, one message under way on each, from a process of its own.

``python -m tests.bench.load`` reads a plan as JSON on standard input and prints its figures as JSON:

    kind        "ws" or "http"
    port, path                      where to
    openings, tokens                for each connection, what opens it, if anything has to
    messages    for each connection, what it sends
    again       whether that begins again at its end
    answer      the words that are in each good answer
    seconds     how long
    rate        messages a second on all connections together; without, each follows the answer to the last
    pid         the server's process, to see how busy it is

With a ``rate`` the messages are due evenly in time, on one connection after another, whatever has become of those
before; each is timed from the moment when it was due. If the server is slow, all that had to wait shows it, and none is
left out. So does this process: it looks what is due about once a millisecond, which is part of each time (5,000 echoes
a second, the server half asleep, take 1 ms each).

``load_busy`` is the time on a core of this process by time passed, ``server_busy`` that of the server, which has more
than one thread. A load that is busier than its server, or near 1, has measured itself.
"""

import asyncio
import json
import subprocess
import sys
from itertools import cycle
from time import perf_counter, process_time
from typing import Any

from tests.bench.connection import Connection, Kept, Run, Socket
from tests.bench.frames import UPGRADE, http_request, ws_frame
from tests.bench.proc import cpu_s
from tests.bench.tables import percentile

TICK_S = 0.001
TO_OPEN_S = 10
TO_END_S = 10
"""How long the answers to the last messages of a paced run are waited for."""

PARTS = ("50", "99", "99.9")


def load(plan: dict[str, Any]) -> dict[str, Any]:
    """The figures of a plan, run in a process of its own. RuntimeError if it cannot be kept."""
    command = [sys.executable, "-m", "tests.bench.load"]
    done = subprocess.run(command, input=json.dumps(plan), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the load has failed: {done.stderr.strip()}")
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


async def run(plan: dict[str, Any]) -> dict[str, Any]:
    state = Run(len(plan["messages"]), plan["answer"].encode(), paced="rate" in plan)
    connections = [await _open(plan, place, state) for place in range(len(plan["messages"]))]
    pid = plan.get("pid")
    began, busy, server = perf_counter(), process_time(), cpu_s(pid) if pid else 0.0
    if state.paced:
        await _pace(int(plan["seconds"] * plan["rate"]), plan["rate"], connections, state)
    else:
        await _flat_out(plan["seconds"], connections, state)
    elapsed, busy = perf_counter() - began, process_time() - busy
    took = sorted(state.took)
    return {
        "answers": len(took),
        "seconds": elapsed,
        "per_second": len(took) / elapsed,
        **{f"p{part}_ms": percentile(took, float(part)) * 1000 for part in PARTS if took},
        "load_busy": busy / elapsed,
        **({"server_busy": (cpu_s(pid) - server) / elapsed} if pid else {}),
    }


async def _open(plan: dict[str, Any], place: int, state: Run) -> Connection:
    messages = plan["messages"][place]
    around = cycle if plan.get("again") else iter
    if plan["kind"] == "ws":
        opening = [(UPGRADE.format(path=plan["path"]).encode(), b"\r\n\r\n")]
        if plan["openings"]:
            opening.append((ws_frame(plan["openings"][place]), b'"t":"welcome"'))
        made: Connection = Socket(state, around([ws_frame(message) for message in messages]), opening)
    else:
        token = plan["tokens"][place] if plan["tokens"] else ""
        asked = [http_request(one["path"], one["body"], token) for one in messages]
        made = Kept(state, around(asked), [])
    await asyncio.get_running_loop().create_connection(lambda: made, "127.0.0.1", plan["port"])
    async with asyncio.timeout(TO_OPEN_S):
        await made.open()
    return made


async def _flat_out(seconds: float, connections: list[Connection], state: Run) -> None:
    for connection in connections:
        connection.begin()
    await state.wait(seconds)
    state.over = True


async def _pace(number: int, rate: float, connections: list[Connection], state: Run) -> None:
    """Send so many; until all are answered."""
    began, sent = perf_counter(), 0
    while sent < number:
        now = perf_counter()
        while sent < number and (at := began + sent / rate) <= now:
            connections[sent % len(connections)].due(at)
            sent += 1
        await state.wait(TICK_S)
    async with asyncio.timeout(TO_END_S):
        while len(state.took) < number:
            await state.wait(TICK_S)


def main() -> None:
    import uvloop

    print(json.dumps(uvloop.run(run(json.load(sys.stdin)))))


if __name__ == "__main__":
    main()
