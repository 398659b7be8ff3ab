"""What each part of a cluster spends on a move: the sums of docs/scale.md start from these figures.

One, two and three server processes on a durable PostgreSQL and NATS, behind nginx; 64 connections, one move under way
on each, whole won games. All of it and the load share the cores of one machine, so moves a second say little about
several processes; time on a core a move, part by part, says how many cores of each kind a load takes. With watchers,
each game is followed on one socket, in whichever process nginx has put it.
"""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.frames import UPGRADE, ws_frame
from tests.bench.load import load
from tests.bench.player import CONNECTIONS, GAMES, Player, seats
from tests.bench.proc import cpu_s, memory_kib
from tests.bench.tables import show
from tests.faults.cluster import Cluster

CHANNELS = 64
"""That one socket may watch."""


def run(short: bool) -> dict[str, Any]:
    seconds, games = (2.0, 4) if short else (8.0, 16)
    figures: dict[str, Any] = {}
    for processes in (1, 3) if short else (1, 2, 3):
        with Cluster(processes, durable=True) as cluster:
            for watched in (False, True):
                name = f"{processes} process{'es' * (processes > 1)}{', watched' * watched}"
                figures[name] = _measure(cluster, seconds, games, watched=watched)
            figures["storage"] = _storage(cluster)
    parts = ("server", "postgresql", "nats", "nginx")
    show(
        ["µs on a core a move", *parts, "moves/s", "events a commit", "WAL bytes a move"],
        [
            [name, *(one[part] for part in parts), one["per_second"], one["batch"], one["wal"]]
            for name, one in figures.items()
            if name != "storage"
        ],
    )
    show(["bytes in PostgreSQL", ""], list(figures["storage"].items()))
    return figures


def _measure(cluster: Cluster, seconds: float, games: int, *, watched: bool) -> dict[str, float]:
    player = Player(cluster.port)
    commands = [
        pair
        for place, code in enumerate(GAMES.values())
        for pair in [seat.commands for seat in seats(cluster.port, code, games // 2, of=player)][place :: len(GAMES)]
    ]
    messages = [[json.dumps({"t": "command", "game": game, **command}) for game, command in some] for some in commands]
    hello = json.dumps({"t": "hello", "token": player.token})
    plan = {"kind": "ws", "port": cluster.port, "path": "/v1/live", "answer": '"t":"ack"'}
    dealt = {game for some in commands for game, _ in some}
    with _watching(cluster.port, player.token, sorted(dealt) if watched else []):
        before, commits, wal = _on_core(cluster), _commits(cluster), _wal(cluster)
        done = load({**plan, "messages": messages, "openings": [hello] * len(messages), "seconds": seconds})
        spent = {part: (after - before[part]) / done["answers"] * 1e6 for part, after in _on_core(cluster).items()}
    assert len(messages) == CONNECTIONS
    return {
        **spent,
        **done,
        "batch": done["answers"] / max(1, _commits(cluster) - commits),
        "wal": (_wal(cluster) - wal) / done["answers"],
        "memory_kib": memory_kib(cluster.servers[0].process.pid),
    }


def _on_core(cluster: Cluster) -> dict[str, float]:
    """Seconds on a core so far, of every part and its children."""
    processes = {
        "server": [server.process.pid for server in cluster.servers],
        "postgresql": [cluster.postgres.process.pid],
        "nats": [cluster.nats.process.pid],
        "nginx": [cluster.nginx.process.pid],
    }
    return {part: sum(cpu_s(one) for pid in pids for one in _family(pid)) for part, pids in processes.items()}


def _family(pid: int) -> Iterator[int]:
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from _family(int(child))


def _commits(cluster: Cluster) -> int:
    # Backends tell what they have counted once a second at most; one that idles, at once.
    cluster.sql("SELECT pg_sleep(1.1)")
    return int(cluster.sql("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"))


def _wal(cluster: Cluster) -> int:
    return int(cluster.sql("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"))


def _storage(cluster: Cluster) -> dict[str, float]:
    sizes = json.loads(
        cluster.sql(
            "SELECT json_object_agg(relname, pg_total_relation_size(oid)) FROM pg_class"
            " WHERE relname IN ('events', 'games') AND relkind = 'r'"
        )
    )
    counts = {table: int(cluster.sql(f"SELECT count(*) FROM {table}")) for table in ("events", "games")}
    index = int(cluster.sql("SELECT pg_indexes_size('events')"))
    return {
        "an event, indices included": sizes["events"] / counts["events"],
        "of that, the index": index / counts["events"],
        "the row of a game, indices included": sizes["games"] / counts["games"],
    }


@contextmanager
def _watching(port: int, token: str, games: list[str]) -> Iterator[None]:
    """Sockets that watch all these games, and throw away what they hear, while the block lasts."""
    ready, over = threading.Event(), threading.Event()

    async def watch() -> None:
        writers = []
        for at in range(0, len(games), CHANNELS):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writers.append(writer)
            writer.write(UPGRADE.format(path="/v1/live").encode())
            await reader.readuntil(b"\r\n\r\n")
            some = games[at : at + CHANNELS]
            resume = [{"channel": f"game:{game}", "after": 1} for game in some]
            writer.write(ws_frame(json.dumps({"t": "hello", "token": token, "resume": resume}, separators=(",", ":"))))
            for _ in some:
                await reader.readuntil(b'"t":"watching"')
            reader._transport.get_protocol().data_received = lambda data: None  # type: ignore[attr-defined]
        ready.set()
        await asyncio.to_thread(over.wait)
        for writer in writers:
            writer.close()

    thread = threading.Thread(target=lambda: asyncio.run(watch()), daemon=True)
    thread.start()
    if not ready.wait(60):
        raise RuntimeError("the games could not be watched")
    try:
        yield
    finally:
        over.set()
        thread.join(10)
