"""Receipts: what a player can show of a finished game, and whether it holds.

A receipt carries its own proof up to its last link: the deal follows from the code, the owner from player and
salt, each link from the one before, each state from the rules, the result from the last state. That the link is
the one that counted follows from its publication: in a manifest for a daily, in the stored log for an open game.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from server.play.audit import Auditor, Check, Finding
from server.play.codec import CorruptLog, canonical, owner_of, read
from server.play.outcome import seconds
from server.play.playthrough import Playthrough, fold, ruleset_of
from server.play.records import Header, Record

Failure = Literal["deal", "owner", "chain", "legality", "result", "manifest", "commitment"]


class ReceiptEvent(Struct, frozen=True, forbid_unknown_fields=True):
    """A record of the log, ``at`` in milliseconds UTC, with its link."""

    at: int
    command_id: str
    data: Raw
    game: str
    link: str
    seat: int
    seq: int
    type: str
    v: int


class ReceiptResult(Struct, frozen=True, forbid_unknown_fields=True):
    """What the game came to; ``seconds`` is the ranked time."""

    status: str
    won: bool
    score: int
    undos: int
    moves: int
    seconds: int


class Receipt(Struct, frozen=True, forbid_unknown_fields=True):
    """A finished game with all that is needed to check it. ``player`` and ``salt`` (hex) open the owner in the log;
    they are null once the player has been erased. ``link`` is the last one."""

    code: str
    game: str
    player: str | None
    salt: str | None
    result: ReceiptResult
    events: list[ReceiptEvent]
    link: str


class Verdict(Struct, frozen=True):
    """Whether a receipt holds; if not, the first link of the proof that fails, and at which event (or null)."""

    valid: bool
    failed: Failure | None = None
    seq: int | None = None


def receipt(header: Header, records: Sequence[Record], playthrough: Playthrough) -> Receipt:
    """The receipt of a finished game."""
    return Receipt(
        code=playthrough.code,
        game=header.id,
        player=header.player,
        salt=header.salt,
        result=result_of(playthrough),
        events=[
            ReceiptEvent(
                one.at, one.command_id, Raw(one.data.encode()), one.game, one.link, one.seat, one.seq, one.type, one.v
            )
            for one in records
        ],
        link=playthrough.link,
    )


def result_of(playthrough: Playthrough) -> ReceiptResult:
    return ReceiptResult(
        status=playthrough.status,
        won=playthrough.status == "won",
        score=playthrough.state.score,
        undos=playthrough.undos,
        moves=playthrough.state.moves,
        seconds=seconds(playthrough),
    )


def check_itself(given: Receipt) -> Verdict:
    """Whether a receipt follows from itself: deal, owner, chain, legality, result, in this order."""
    try:
        records = [_record(event) for event in given.events]
    except (msgspec.DecodeError, ValueError, RecursionError):
        return Verdict(False, "chain")
    auditor = Auditor(given.game)
    found = [finding for record in records for finding in auditor.take(record)]
    found += [finding for finding in auditor.close(None) if finding.check == "chain"]
    try:
        playthrough = fold(map(read, records))
    except (CorruptLog, LookupError, ValueError, AssertionError, StopIteration, RuntimeError):
        return _first(found, ("deal", "chain", "event", "legality")) or Verdict(False, "chain")
    if verdict := _first(found, ("deal",)):
        return verdict
    if playthrough.code != given.code:
        return Verdict(False, "deal", 1)
    if (given.player is None) is not (given.salt is None) or not _owns(given, playthrough.owner):
        return Verdict(False, "owner", 1)
    if verdict := _first(found, ("chain", "event")):
        return verdict
    if playthrough.link != given.link:
        return Verdict(False, "chain", playthrough.seq)
    if verdict := _first(found, ("legality",)):
        return verdict
    if not playthrough.ended or result_of(playthrough) != given.result:
        return Verdict(False, "result", playthrough.seq)
    return Verdict(True)


def check_manifest(given: Receipt, manifest: str, commitment: str) -> Verdict:
    """Whether the published manifest of a daily has this very game, and the commitment its code."""
    published: dict[str, Any] = msgspec.json.decode(manifest)
    if published["code"] != given.code or published["commitment"] != commitment:
        return Verdict(False, "commitment")
    if sha256(given.code.encode()).hexdigest() != commitment:
        return Verdict(False, "commitment")
    row = next((row for row in published["rows"] if row["game"] == given.game), None)
    playthrough = fold(read(_record(event)) for event in given.events)
    if row is None:
        # An attempt without a move makes no row, and nothing is claimed for it.
        return Verdict(playthrough.acted_at is None, None if playthrough.acted_at is None else "manifest")
    keys = {name: int(getattr(given.result, name)) for name in row["keys"]}
    if (row["link"], row["owner"], row["keys"]) != (given.link, playthrough.owner, keys):
        return Verdict(False, "manifest")
    return Verdict(True)


def daily_of(given: Receipt, header: Header) -> tuple[str, str] | None:
    """Date and ruleset of the daily that a receipt is of, by this server's own row; None for an open game."""
    return (header.date, ruleset_of(given.code)) if header.purpose == "daily" and header.date else None


def _record(event: ReceiptEvent) -> Record:
    """The record that was hashed: its data in canonical form, whatever spaces the receipt was sent with."""
    data = canonical(msgspec.json.decode(event.data))
    return Record(event.game, event.seq, event.type, event.v, event.seat, event.at, event.command_id, data, event.link)


def _first(found: Sequence[Finding], checks: tuple[Check, ...]) -> Verdict | None:
    """The verdict of the first finding of the first of these checks that has any."""
    for check in checks:
        for finding in found:
            if finding.check == check:
                return Verdict(False, "chain" if check in ("chain", "event") else check, finding.seq or None)  # type: ignore[arg-type]
    return None


def _owns(given: Receipt, owner: str) -> bool:
    if given.player is None or given.salt is None:
        return True
    try:
        return owner_of(given.player, bytes.fromhex(given.salt)) == owner
    except ValueError:
        return False
