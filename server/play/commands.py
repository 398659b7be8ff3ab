"""What a player can ask of a game, and the decision on it.

`Command` is the wire's form, the same over HTTP and WebSocket. `understand` reads it against a ruleset
(`InvalidCommand` if that can't be done) and gives an `Order`; `decide` takes an order on a playthrough and
gives the event that it makes, or a new selection, or raises why not. Nothing here changes anything.
"""

from functools import lru_cache
from typing import Annotated, Any, Literal, final

from msgspec import UNSET, Meta, Struct, UnsetType, field

from server.play import codec
from server.play.events import EXPIRED_BY, Event, EventData, Expired, Moved, Resigned, Undone
from server.play.playthrough import Playthrough
from server.play.refusals import GameOver, IllegalCommand, InvalidCommand, Stale
from server.solitaires.cards import cards_text
from server.solitaires.protocol import IllegalMove, InvalidMove, Move, Removal, Selected, Solitaire

CommandId = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,64}$", description="Yours to choose, unique in its game")]
Seq = Annotated[int, Meta(ge=0, le=2**31 - 1)]
PlaceName = Annotated[str, Meta(max_length=64)]
Do = Literal["move", "tap", "double_tap", "undo", "resign"]


class Command(Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True):
    """One command on a game. Which fields go with which ``do`` is the ruleset's: see ``/v1/rulesets``.

    ``after`` is the seq that the player has seen; left out, the command is taken on the newest state.
    """

    command_id: CommandId
    do: Do
    after: Seq | UnsetType = UNSET
    remove: Annotated[list[PlaceName], Meta(max_length=64)] | UnsetType = UNSET
    source: PlaceName | UnsetType = field(default=UNSET, name="from")
    target: PlaceName | UnsetType = field(default=UNSET, name="to")
    count: Annotated[Any, Meta(description="How many cards; 1 where it is left out")] | UnsetType = UNSET
    selection: Annotated[list[PlaceName], Meta(max_length=64)] | UnsetType = UNSET
    place: PlaceName | UnsetType = UNSET


class Order(Struct, frozen=True, gc=False):
    """A command that could be read: ``move`` for a move, ``place`` and ``selection`` for the taps."""

    command_id: str
    do: Do
    after: int | None
    digest: str
    move: Move | None = None
    place: str | None = None
    selection: tuple[str, ...] = ()


@final  # so that its type alone tells it from an event's data
class Selection(Struct, frozen=True, gc=False):
    """The answer to a tap that removes nothing: what is selected now, what goes with it, and why not more."""

    selection: tuple[str, ...]
    fits: tuple[str, ...]
    reason: str | None


def _given(command: Command) -> dict[str, Any]:
    """The fields that say what to do, as they were sent."""
    fields: dict[str, Any] = {}
    if command.remove is not UNSET:
        fields["remove"] = command.remove
    if command.source is not UNSET:
        fields["from"] = command.source
    if command.target is not UNSET:
        fields["to"] = command.target
    if command.count is not UNSET:
        fields["count"] = command.count
    if command.selection is not UNSET:
        fields["selection"] = command.selection
    if command.place is not UNSET:
        fields["place"] = command.place
    return fields


def _malformed(detail: str) -> InvalidCommand:
    return InvalidCommand(detail, reason="malformed")


def understand(solitaire: Solitaire, command: Command) -> Order:
    """Read a command against a ruleset; raises `InvalidCommand` with the first reason of RULES, "Reasons"."""
    if command.command_id.endswith("\n"):  # the one character that a pattern's `$` lets pass
        raise _malformed("'command_id' ends in a line feed")
    fields, do = _given(command), command.do
    after = None if command.after is UNSET else command.after
    if do == "undo" or do == "resign":
        if fields:
            raise _malformed(f"{do!r} takes no further field, found {', '.join(map(repr, fields))}")
        return Order(command.command_id, do, after, codec.digest(f'{{"do":"{do}"}}'))
    if do not in solitaire.commands:
        raise _malformed(f"{solitaire.title} has no {do!r}; it has {', '.join(sorted(solitaire.commands))}")
    if do == "move":
        try:
            move = solitaire.parse_move(fields)
        except InvalidMove as error:
            raise InvalidCommand(error.detail, reason=error.reason) from None
        return Order(command.command_id, do, after, _move_digest(move), move)
    return _understand_tap(solitaire, command, fields, after)


def _understand_tap(solitaire: Solitaire, command: Command, fields: dict[str, Any], after: int | None) -> Order:
    allowed = {"place", "selection"} if solitaire.selects and command.do == "tap" else {"place"}
    if unknown := fields.keys() - allowed:
        raise _malformed(f"{command.do!r} in {solitaire.title} takes no {', '.join(map(repr, sorted(unknown)))}")
    if "place" not in fields:
        raise _malformed(f"{command.do!r} needs a 'place'")
    place, selection = fields["place"], fields.get("selection", [])
    for name in (*selection, place):
        if name not in solitaire.index:
            raise InvalidCommand(f"{solitaire.ruleset} has no place {name!r}", reason="no_such_place")
    told = {"do": command.do, "place": place}
    if "selection" in allowed:
        told["selection"] = sorted(selection)
    digest = codec.digest(codec.canonical(told))
    return Order(command.command_id, command.do, after, digest, None, place, tuple(selection))


@lru_cache(maxsize=2048)
def _move_digest(move: Move) -> str:
    """The digest of a move command: of its canonical JSON, ``remove`` in no order; place names need no escaping."""
    if isinstance(move, Removal):
        places = '","'.join(sorted(move.places))
        return codec.digest(f'{{"do":"move","remove":["{places}"]}}')
    return codec.digest(f'{{"count":{move.count},"do":"move","from":"{move.source}","to":"{move.target}"}}')


def decide(playthrough: Playthrough, order: Order, now: int) -> Event | Selection:
    """The event that an order makes on this state at ``now`` (ms UTC), or the selection that a tap makes.

    Raises, in this order of checks: `InvalidCommand` (``after`` beyond the head), `Stale`, `GameOver`,
    `IllegalCommand`.
    """
    after, seq = order.after, playthrough.seq
    if after is not None and after != seq:
        if after > seq:
            raise _malformed(f"'after' is {after}, the newest event is {seq}")
        raise Stale(f"decided after event {after}, the newest is {seq}", seq=seq)
    at = now if now > playthrough.at else playthrough.at
    status = playthrough.status_at(at)
    if status not in ("playing", "dead_end"):
        raise GameOver(f"the game is over: {status}", status=status)
    try:
        data = _act(playthrough, order)
    except IllegalMove as error:
        detail = f"not allowed now: {error.reason}"
        raise IllegalCommand(detail, reason=error.reason, places=list(error.places)) from None
    if type(data) is Selection:
        return data
    return codec.seal(
        playthrough.link,
        game=playthrough.game,
        seq=seq + 1,
        at=at,
        command_id=order.command_id,
        data=data,
        digest=order.digest,
    )


def expire(playthrough: Playthrough, now: int) -> Event:
    """The event that ends a game whose time has run out; its command id is the sweep's, so twice is once."""
    return codec.seal(
        playthrough.link,
        game=playthrough.game,
        seq=playthrough.seq + 1,
        at=max(now, playthrough.at),
        command_id=EXPIRED_BY,
        data=Expired(),
    )


def _act(playthrough: Playthrough, order: Order) -> EventData | Selection:
    """What the order does here; raises `IllegalMove`."""
    solitaire, state, move = playthrough.solitaire, playthrough.state, order.move
    if move is not None:
        return moved_data(move, *solitaire.play(state, move))
    if order.do == "undo":
        if not playthrough.history:
            raise IllegalMove("nothing_to_undo")
        seq, points, *_ = playthrough.history.newest
        return Undone(points=-points, undoes=seq)
    if order.do == "resign":
        return Resigned()
    if order.do == "tap":
        assert order.place is not None
        answer = solitaire.tap(state, order.selection, order.place)
        if isinstance(answer, Selected):
            return Selection(answer.selection, solitaire.fits(state, answer.selection), answer.reason)
        move = answer
    elif order.do == "double_tap":
        assert order.place is not None
        move = solitaire.double_tap(state, order.place)
    assert move is not None
    return moved_data(move, *solitaire.play(state, move))


# What moves is one card, a pair, a trio or a sequence: there are not many of them.
_names_of = lru_cache(maxsize=1024)(cards_text)


def moved_data(move: Move, cards: bytes, points: int) -> Moved:
    """What the log says of a move that takes these cards and brings these points."""
    names = _names_of(cards)
    if isinstance(move, Removal):
        return Moved(names, UNSET, UNSET, points, move.places)
    source, target, count = move
    return Moved(names, count, source, points, UNSET, target)
