"""Whether this process lives, whether it can serve, and what it has counted."""

from typing import Literal

from msgspec import Struct
from sqlalchemy import Connection, text

from server.api.answers import Answer
from server.api.endpoint import Access, Call, Endpoint
from server.api.errors import ProblemError
from server.api.queries import Nothing
from server.metrics import CONTENT_TYPE


class Health(Struct, frozen=True):
    """All is well."""

    status: Literal["ok"] = "ok"


async def alive(call: Call[Nothing, Nothing]) -> Health:
    return Health()


async def ready(call: Call[Nothing, Nothing]) -> Health:
    if call.services.draining.is_set():
        raise ProblemError("unavailable", "this process is about to end", headers=[(b"retry-after", b"1")])
    await call.services.database.read(_ask)
    if call.services.drift.too_far:
        raise ProblemError(
            "unavailable",
            f"the clock of this machine is {abs(call.services.drift.ms)} ms from the database's",
            headers=[(b"retry-after", b"60")],
        )
    return Health()


def _ask(connection: Connection) -> None:
    connection.execute(text("SELECT 1"))


async def meters(call: Call[Nothing, Nothing]) -> Answer:
    call.services.readings.take()
    return Answer(call.services.metrics.exposition(), CONTENT_TYPE.encode())


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/healthz",
        handle=alive,
        summary="This process lives",
        group="Health",
        access=Access.OPEN,
        answer=Health,
        cost="none",
    ),
    Endpoint(
        method="GET",
        path="/readyz",
        handle=ready,
        summary="This process can serve: its storage answers, its clock is right",
        group="Health",
        access=Access.OPEN,
        answer=Health,
        cost="none",
    ),
    Endpoint(
        method="GET",
        path="/metrics",
        handle=meters,
        summary="Meters for Prometheus",
        group="Health",
        access=Access.OPEN,
        others={"text/plain": str},
        cost="none",
    ),
)
