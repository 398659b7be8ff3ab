"""Receipts over HTTP: the proof of a finished game, and checking one."""

import asyncio
from typing import Any

from server.api.endpoint import Access, Call, Endpoint
from server.api.errors import ProblemError
from server.api.games import GAME, readable
from server.api.queries import Nothing
from server.contest.receipts import Receipt, Verdict, check_itself, check_manifest, daily_of, receipt
from server.play.playthrough import replay
from server.play.secrecy import is_sealed
from server.play.view import sealed_params
from server.store import dailies

RECEIPT_BYTES = 1024 * 1024
"""A receipt holds a whole log, which a long game makes longer than other bodies."""


async def give(call: Call[Nothing, Nothing]) -> Receipt:
    header = await readable(call)
    if is_sealed(header, call.services.clock.now()):
        raise ProblemError("sealed", "the receipt comes with the reveal", until=sealed_params(header)["until"])
    game = await call.services.referee.look(header.id)
    if game is None or not game.playthrough.ended:
        raise ProblemError("not_finished", "there is a receipt once the game has ended")
    records = await call.services.referee.records(header.id)
    return receipt(game.header, records, replay(records))


async def verify(call: Call[Nothing, Receipt]) -> Verdict:
    given, services = call.body, call.services
    verdict = await asyncio.to_thread(check_itself, given)
    if not verdict.valid:
        return verdict
    header = await services.referee.header(given.game)
    if header is None or is_sealed(header, services.clock.now()):
        return Verdict(False, "manifest")
    if (daily := daily_of(given, header)) is not None:
        committed = await services.database.read(dailies.get, *daily)
        manifest = await services.database.read(dailies.manifest, *daily)
        if committed is None or manifest is None:
            return Verdict(False, "manifest")
        return check_manifest(given, manifest, committed.commitment)
    newest = (await services.referee.records(given.game, after=len(given.events) - 1))[-1:]
    return Verdict(True) if [record.link for record in newest] == [given.link] else Verdict(False, "manifest")


ENDPOINTS: tuple[Endpoint[Any, Any], ...] = (
    Endpoint(
        method="GET",
        path="/v1/games/{id}/receipt",
        handle=give,
        summary="The proof of a finished game: its whole log, what opens its owner, its result",
        group="Fairness",
        access=Access.READER,
        parameters=GAME,
        answer=Receipt,
        problems=("not_found", "sealed", "not_finished", "game_quarantined"),
    ),
    Endpoint(
        method="POST",
        path="/v1/verify",
        handle=verify,
        summary="Whether a receipt holds, and which link of the proof fails",
        group="Fairness",
        access=Access.OPEN,
        body=Receipt,
        at_most=RECEIPT_BYTES,
        answer=Verdict,
    ),
)
