"""A game in progress as the fold of its log.

`evolve` takes a playthrough and the next event and gives the next playthrough. It trusts the event and
never refuses: what may happen is decided before (`decide`), what has happened is a fact. `replay` is the
same fold over a whole log, with the chain checked first.

The history of moves that can be undone holds what each move's places held before it, so undo is the same
code for every game.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from server.play.codec import CorruptLog, check_chain, read
from server.play.effects import EFFECTS, entry_before, move_of, take_back
from server.play.events import Dealt, Event, Moved, Purpose, Undone
from server.play.history import UNDO_DEPTH, History
from server.play.records import Record
from server.solitaires import SOLITAIRES
from server.solitaires.cards import cards_text, parse_cards
from server.solitaires.codes import Code
from server.solitaires.protocol import Solitaire, State

Status = Literal["playing", "dead_end", "won", "resigned", "expired"]
ENDED: frozenset[str] = frozenset({"won", "resigned", "expired"})


class Playthrough(Struct, frozen=True, gc=False):
    """One game after its event ``seq``, whose link is ``link``. Times are milliseconds UTC.

    ``undos`` counts undone events and never goes down. ``acted_at`` is the time of the last move or undo
    (None before the first): ranked time counts up to it. ``changed`` are the indices of the places that
    the newest event changed.
    """

    game: str
    solitaire: Solitaire
    code: str
    owner: str
    purpose: Purpose
    until: int | None
    seq: int
    link: str
    started_at: int
    at: int
    acted_at: int | None
    state: State
    status: Status
    undos: int
    history: History
    changed: tuple[int, ...]

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    @property
    def undo_left(self) -> int:
        return len(self.history)

    @property
    def elapsed_ms(self) -> int:
        """From the deal to the last event: a function of the log alone."""
        return self.at - self.started_at

    def status_at(self, now: int) -> Status:
        """The status at ``now`` (ms UTC): an open game past its ``until`` has expired, sweep or no sweep."""
        if self.until is not None and now >= self.until and self.status not in ENDED:
            return "expired"
        return self.status


def status_of(solitaire: Solitaire, state: State) -> Status:
    """What the cards alone say: won, dead end or playing."""
    if solitaire.is_won(state):
        return "won"
    return "dead_end" if solitaire.is_dead_end(state) else "playing"


def begin(event: Event) -> Playthrough:
    """The playthrough after a ``dealt`` event."""
    data, record = event.data, event.record
    assert isinstance(data, Dealt)
    solitaire = SOLITAIRES[ruleset_of(data.code)]
    places = tuple(parse_cards(data.places.get(place.name, ())) for place in solitaire.places)
    state = State(places)
    return Playthrough(
        game=record.game,
        solitaire=solitaire,
        code=data.code,
        owner=data.owner,
        purpose=data.purpose,
        until=data.until,
        seq=record.seq,
        link=record.link,
        started_at=record.at,
        at=record.at,
        acted_at=None,
        state=state,
        status=status_of(solitaire, state),
        undos=0,
        history=History(),
        changed=tuple(range(len(places))),
    )


def evolve(before: Playthrough, event: Event) -> Playthrough:
    """The playthrough after one more event. Trusts it; never refuses."""
    data, record = event.data, event.record
    solitaire, state, history, undos = before.solitaire, before.state, before.history, before.undos
    changed: tuple[int, ...] = ()
    acted_at: int | None = record.at
    status: Status
    if type(data) is Moved:
        move, points = move_of(data), data.points
        entry = entry_before(state.places, solitaire.index, record.seq, move, points)
        changed = entry[2::2]
        history = history.and_then(entry)
        state = solitaire.apply(state, move, points)
        status = status_of(solitaire, state)
    elif type(data) is Undone:
        entry = history.newest
        changed = entry[2::2]
        places = [*state.places]
        take_back(places, entry)
        state = State(tuple(places), state.score - entry[1], state.moves - 1)
        history = history.without_newest()
        undos += 1
        status = status_of(solitaire, state)
    else:
        acted_at = before.acted_at
        status = "resigned" if record.type == "resigned" else "expired"
    return Playthrough(
        before.game,
        solitaire,
        before.code,
        before.owner,
        before.purpose,
        before.until,
        record.seq,
        record.link,
        before.started_at,
        record.at,
        acted_at,
        state,
        status,
        undos,
        history,
        changed,
    )


def fold(events: Iterable[Event]) -> Playthrough:
    """The playthrough after all of these events, the first of which is ``dealt``."""
    steps = iter(events)
    return fold_on(begin(next(steps)), steps)


def fold_on(playthrough: Playthrough, events: Iterable[Event]) -> Playthrough:
    """The playthrough after these further events: what `evolve` gives one by one.

    All but the newest change cards and history only, so no playthrough is made of the steps on the way: a long
    log is replayed several times as fast.
    """
    solitaire, undos, acted_at = playthrough.solitaire, playthrough.undos, playthrough.acted_at
    state = playthrough.state
    places, score, moves = [*state.places], state.score, state.moves
    effect, index = EFFECTS[solitaire.move_type], solitaire.index
    history = deque(playthrough.history, UNDO_DEPTH)
    before = newest = None
    for event in events:
        if newest is not None:
            data = newest.data
            if type(data) is Moved:
                history.append(effect(places, index, newest.record.seq, data))
                score += data.points
                moves += 1
                acted_at = newest.record.at
            elif type(data) is Undone:
                entry = history.pop()
                take_back(places, entry)
                score -= entry[1]
                moves -= 1
                undos += 1
                acted_at = newest.record.at
        before, newest = newest, event
    if newest is None:
        return playthrough
    if before is not None:
        record = before.record
        playthrough = replace(
            playthrough,
            seq=record.seq,
            link=record.link,
            at=record.at,
            acted_at=acted_at,
            state=State(tuple(places), score, moves),
            undos=undos,
            history=History.of(history),
        )
    return evolve(playthrough, newest)


def replay(records: Sequence[Record]) -> Playthrough:
    """Check a stored log's chain, read it, fold it; raises `CorruptLog` and names the event.

    A record that can't be folded (an undo of nothing, a place that the ruleset does not have) can only come
    from a damaged or forged log; it is reported as such. Legality is `server.play.audit`'s question.
    """
    if not records:
        raise CorruptLog("?", 0, "the log is empty")
    check_chain(records)
    events = list(map(read, records))
    try:
        return fold(events)
    except (LookupError, ValueError, AssertionError):
        raise _first_that_fails(events) from None


def _first_that_fails(events: Sequence[Event]) -> CorruptLog:
    """Which event it was that could not be folded."""
    playthrough: Playthrough | None = None
    for event in events:
        try:
            playthrough = evolve(playthrough, event) if playthrough else begin(event)
        except (LookupError, ValueError, AssertionError) as error:
            return CorruptLog(event.record.game, event.record.seq, f"cannot be folded: {error!r}")
    raise AssertionError("a fold failed whose steps do not")


def catch_up(playthrough: Playthrough, records: Sequence[Record]) -> Playthrough:
    """The playthrough after these further records, checked against its own link; raises `CorruptLog`."""
    check_chain(records, seq=playthrough.seq, link=playthrough.link)
    return fold_on(playthrough, map(read, records))


def ruleset_of(code: str) -> str:
    """The ruleset of a canonical code.

    >>> ruleset_of("SH1-C4-AAAAAJ2")
    'SH1-C4'
    """
    return code.rsplit("-", 1)[0]


def dealt_data(code: Code, state: State, *, owner: str, purpose: Purpose, until: int | None) -> Dealt:
    """The first event's data for a deal: every place that can be dealt to, empty cells included."""
    solitaire = SOLITAIRES[code.ruleset]
    places = {
        place.name: list(cards_text(cards))
        for place, cards in zip(solitaire.places, state.places, strict=True)
        if place.role != "foundation"
    }
    return Dealt(code=str(code), owner=owner, places=places, purpose=purpose, until=until)
