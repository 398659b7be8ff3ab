"""Whether a stored game is what it says: its log against the chain, the rules and the game's row.

`evolve` trusts events; here nothing is trusted. Each event is checked against the state before it, as if
it had to be decided again. An `Auditor` takes one game's records as they come from a database or a receipt
and holds no more than the state, so a log may be as long as it likes. Pure, as all of this floor.

What is wrong is told as a `Finding`; its ``check`` says what kind of promise is broken:

    chain      the events are not all there, or a link does not follow from the one before and the record
    event      an event cannot be read: unknown type or version, or data in another form than ours
    deal       the cards that were dealt are not those of the code
    legality   what happened could not have happened: a move, an undo, a time, a command taken twice
    owner      the log's owner is not the row's player
    row        the game's row says something else than its log
    result     what is kept of a finished game for boards is not what its log comes to (found where that is kept)

No detail names a code or a covered card, so that whoever runs a check learns nothing of a sealed deal.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import asdict

from server.play.codec import FIRST_LINK, CorruptLog, canonical, next_link, owner_of, read, record_text
from server.play.commands import moved_data
from server.play.events import EXPIRED_BY, Dealt, Event, Expired, Moved, Resigned, Undone
from server.play.playthrough import Playthrough, begin, dealt_data, evolve, ruleset_of
from server.play.records import Header, Record
from server.solitaires import SOLITAIRES, read_code
from server.solitaires.codes import InvalidCode
from server.solitaires.protocol import IllegalMove, InvalidMove

Check = Literal["chain", "event", "deal", "legality", "owner", "row", "result"]

_LINK = re.compile("[0-9a-f]{64}")
_COMMAND_ID = re.compile("[A-Za-z0-9_-]{1,64}")


class Finding(Struct, frozen=True):
    """One thing that is wrong: in which game, at which event (0: in its row, or no event at all), what."""

    game: str
    seq: int
    check: Check
    detail: str


class _Wrong(Exception):
    """The event breaks this promise, in these words."""

    def __init__(self, check: Check, detail: str) -> None:
        super().__init__(detail)
        self.check: Check = check
        self.detail = detail


def audit(records: Iterable[Record], header: Header) -> list[Finding]:
    """All that is wrong with a game, given whole: its records in the order of seq, and its row."""
    auditor = Auditor(header.id)
    found = [finding for record in records for finding in auditor.take(record)]
    return found + auditor.close(header)


class Auditor:
    """Checks one game, record by record; `close` compares what came out with the row.

    After an event that is missing, unreadable or not legal the state is not known any more: later events are
    then checked against the chain only, so that one cause is one finding.
    """

    def __init__(self, game: str) -> None:
        self.game = game
        self.seq = 0
        self._links = {FIRST_LINK}
        self._opened: Record | None = None
        self._playthrough: Playthrough | None = None
        self._blind = False
        self._seen: dict[str, int] = {}

    def take(self, record: Record) -> list[Finding]:
        """What is wrong with the next record."""
        if (fault := _malformed(record)) is not None:
            self.seq += 1
            self._blind, self._links = True, set()
            return [Finding(self.game, self.seq, "event", fault)]
        wrong = [*self._off_the_chain(record)]
        if not self._blind:
            try:
                self._playthrough = self._follow(record)
            except _Wrong as one:
                self._blind = True
                wrong.append(one)
        return [Finding(self.game, record.seq, one.check, one.detail) for one in wrong]

    def close(self, header: Header | None) -> list[Finding]:
        """What is wrong with the log as a whole and with the row, once all records have been taken."""
        if self.seq == 0:
            return [Finding(self.game, 0, "chain", "the log is empty")]
        if header is None:
            return [Finding(self.game, 0, "row", "there is a log, but no row of this game")]
        if (fault := _malformed(header)) is not None:
            return [Finding(self.game, 0, "row", fault)]
        return [Finding(self.game, 0, one.check, one.detail) for one in self._off_the_row(header)]

    @property
    def playthrough(self) -> Playthrough | None:
        """What the log comes to so far; None where that cannot be known any more."""
        return None if self._blind else self._playthrough

    # -- the chain ----------------------------------------------------------------------------------

    def _off_the_chain(self, record: Record) -> Iterator[_Wrong]:
        expected, self.seq = self.seq + 1, record.seq
        if record.seq != expected:
            self._blind = True
            self._links = {record.link}
            yield _Wrong("chain", f"expected event {expected}, found {record.seq}")
            return
        text = record_text(record)
        links = {next_link(link, text) for link in self._links if _LINK.fullmatch(link)}
        if record.link in links or not links:
            self._links = {record.link}
            return
        # Either the record was changed or its link: the next one follows from what is stored or from what
        # should be, and is not blamed for this one.
        self._links = {record.link, *links}
        yield _Wrong("chain", "the link does not follow from the record and the link before")

    # -- the events ---------------------------------------------------------------------------------

    def _follow(self, record: Record) -> Playthrough:
        """The playthrough after this record; raises `_Wrong` with the first promise that it breaks."""
        event, before = _understood(self.game, record), self._playthrough
        self._take_command_id(record)
        if before is None:
            _judge_deal(event)
            self._opened = record
            return begin(event)
        _judge(before, event)
        return evolve(before, event)

    def _take_command_id(self, record: Record) -> None:
        name = record.command_id
        if (name == EXPIRED_BY) is not (record.type == "expired"):
            raise _Wrong("legality", f"a {record.type!r} event with the command id {name!r}")
        if name != EXPIRED_BY and not _COMMAND_ID.fullmatch(name):
            raise _Wrong("event", "a command id that no client can send")
        first = self._seen.setdefault(name, record.seq)
        if first != record.seq:
            raise _Wrong("legality", f"its command was taken already, as event {first}")

    # -- the row ------------------------------------------------------------------------------------

    def _off_the_row(self, header: Header) -> Iterator[_Wrong]:
        playthrough, opened = self._playthrough, self._opened
        if playthrough is None or opened is None:
            return
        for name in differing(header, playthrough):
            yield _Wrong("row", f"its {name} is not what the log says")
        if header.command_id != opened.command_id:
            yield _Wrong("row", "its command_id is not that of the dealt event")
        if not self._blind and header.status != playthrough.status:
            yield _Wrong("row", f"its status is {header.status!r}, the log comes to {playthrough.status!r}")
        if (header.player is None) is not (header.salt is None):
            yield _Wrong("owner", "of player and salt only one is there")
        elif header.player is not None and header.salt is not None:
            if _owner(header.player, header.salt) != playthrough.owner:
                yield _Wrong("owner", "the owner in the log is not the hash of the row's salt and player")


def differing(header: Header, playthrough: Playthrough) -> list[str]:
    """The fields of a game's row that contradict its log. Its status aside, which is written later than it is read
    where several processes write."""
    said = {
        "code": playthrough.code,
        "ruleset": ruleset_of(playthrough.code),
        "owner": playthrough.owner,
        "purpose": playthrough.purpose,
        "until": playthrough.until,
        "created_at": playthrough.started_at,
    }
    return [name for name, value in said.items() if getattr(header, name) != value]


def _malformed(stored: Record | Header) -> str | None:
    """What is wrong with the types of what a damaged database gives, which a struct takes as they come."""
    try:
        msgspec.convert(asdict(stored), type(stored))
    except msgspec.ValidationError as error:
        return str(error)
    return None


def _understood(game: str, record: Record) -> Event:
    """What the record means; raises `_Wrong` where it is not in the one form that we write."""
    try:
        event = read(record)
    except CorruptLog as error:
        raise _Wrong("event", error.detail) from None
    if canonical(msgspec.json.decode(record.data)) != record.data:
        raise _Wrong("event", "its data is not canonical JSON")
    if record.game != game:
        raise _Wrong("event", "it belongs to another game")
    if record.seat != 1:
        raise _Wrong("event", f"seat {record.seat} in a game of one")
    return event


def _judge_deal(event: Event) -> None:
    """Raise `_Wrong` unless this is a game's first event, with the cards of its code."""
    data = event.data
    if not isinstance(data, Dealt):
        raise _Wrong("legality", f"{event.type!r} before the cards were dealt")
    try:
        code = read_code(data.code)
    except InvalidCode as error:
        raise _Wrong("deal", f"its code cannot be read: {error.part}") from None
    if str(code) != data.code:
        raise _Wrong("deal", "its code is not in its canonical form")
    state = SOLITAIRES[code.ruleset].deal(code.body)
    right = dealt_data(code, state, owner=data.owner, purpose=data.purpose, until=data.until)
    names = {*right.places, *data.places}
    if wrong := sorted(name for name in names if right.places.get(name) != data.places.get(name)):
        raise _Wrong("deal", f"not what the code deals: {' '.join(wrong[:20])}")
    if data.until is not None and event.at >= data.until:
        raise _Wrong("legality", "dealt when its time was over")


def _judge(before: Playthrough, event: Event) -> None:
    """Raise `_Wrong` unless this event could follow on that state."""
    data = event.data
    if event.at < before.at:
        raise _Wrong("legality", f"its time is {before.at - event.at} ms before that of the event before")
    if before.ended:
        raise _Wrong("legality", f"it comes after the end: the game is {before.status}")
    over = before.until is not None and event.at >= before.until
    if over is not isinstance(data, Expired):
        raise _Wrong("legality", "it was taken when the game's time was over" if over else "expired before its time")
    match data:
        case Moved():
            _judge_move(before, data)
        case Undone():
            _judge_undo(before, data)
        case Dealt():
            raise _Wrong("legality", "dealt a second time")
        case Resigned() | Expired():
            pass


def _judge_move(before: Playthrough, data: Moved) -> None:
    solitaire = before.solitaire
    told: dict[str, Any] = {"remove": data.remove, "from": data.source, "to": data.target, "count": data.count}
    try:
        move = solitaire.parse_move({name: value for name, value in told.items() if value is not UNSET})
        played = solitaire.play(before.state, move)
    except InvalidMove as error:
        raise _Wrong("legality", f"no move of {solitaire.ruleset}: {error.reason}") from None
    except IllegalMove as error:
        raise _Wrong("legality", f"an illegal move: {error}") from None
    right = moved_data(move, *played)
    if data.cards != right.cards:
        raise _Wrong("legality", f"it says cards {' '.join(data.cards)}, play gives {' '.join(right.cards)}")
    if data.points != right.points:
        raise _Wrong("legality", f"it says {data.points} points, play gives {right.points}")
    if data != right:
        raise _Wrong("event", "the move is not told as it is told in a log")


def _judge_undo(before: Playthrough, data: Undone) -> None:
    if not before.history:
        raise _Wrong("legality", "an undo with nothing to undo")
    seq, points, *_ = before.history.newest
    if data.undoes != seq:
        raise _Wrong("legality", f"it undoes event {data.undoes}, the last move is event {seq}")
    if data.points != -points:
        raise _Wrong("legality", f"it says {data.points} points, the move taken back gave {points}")


def _owner(player: str, salt: str) -> str | None:
    try:
        return owner_of(player, bytes.fromhex(salt))
    except ValueError:
        return None
