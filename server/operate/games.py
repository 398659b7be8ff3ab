"""``games``, ``show``, ``events``, ``replay``: what is stored of games, as their players may see it.

What is sealed stays sealed: an operator is told no more of a running daily than its player. With ``--json`` each
answers with one object, whose items have the form that they have over HTTP and on the socket.
"""

import asyncio
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, NamedTuple, TypeVar, get_args

import click
from msgspec import to_builtins
from msgspec.json import encode
from sqlalchemy import Connection

from server.api.games import Watching, summary
from server.clock import SystemClock, parse_time
from server.operate.options import Failure, Id, database_option, json_option, load_settings, usable_database
from server.play.codec import CorruptLog, check_chain, read, utc_text
from server.play.events import Event, Purpose
from server.play.frames import event_frame
from server.play.playthrough import Playthrough, Status, begin, evolve, replay
from server.play.records import Header, Record
from server.play.secrecy import is_sealed
from server.play.view import event_view, view
from server.solitaires import SOLITAIRES, read_code
from server.solitaires.codes import InvalidCode
from server.store import games as stored
from server.store import scan
from server.store.open import open_existing
from server.store.search import Wanted, find_games

T = TypeVar("T")


class Game(NamedTuple):
    """A game as it is stored, of one moment."""

    header: Header
    records: list[Record]


class Time(click.ParamType[int]):
    """A time with its zone, as ms UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return value if isinstance(value, int) else parse_time(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Code(click.ParamType[str]):
    """A deal code, in whatever way it is written."""

    name = "code"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return str(read_code(value))
        except InvalidCode as error:
            self.fail(error.detail, param, ctx)


@click.command()
@click.option("--player", type=Id("player"), metavar="ID", help="Of this player.")
@click.option("--code", type=Code(), help="Of this deal; sealed games are left out.")
@click.option("--ruleset", type=click.Choice(list(SOLITAIRES)), help="Of this ruleset.")
@click.option("--status", type=click.Choice(get_args(Status)), help="With this status now.")
@click.option("--purpose", type=click.Choice(get_args(Purpose)), help="Dealt for this.")
@click.option("--date", metavar="YYYY-MM-DD", help="Of this day's dailies.")
@click.option("--watching", type=click.Choice(get_args(Watching)), help="Open to these.")
@click.option("--since", type=Time(), help="Dealt at this time or later (2026-11-30T10:00:00Z).")
@click.option("--until", type=Time(), help="Dealt before this time.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="So many at most.")
@json_option
@database_option
def games(limit: int, as_json: bool, database: str | None, **wanted: Any) -> None:
    """List stored games, newest first."""
    now = SystemClock().now()

    def find(connection: Connection) -> list[Header]:
        found = find_games(connection, Wanted(**wanted), now=now)
        # Asking for a code must not tell that a sealed game has it.
        shown = (one for one in found if not (wanted["code"] and is_sealed(one, now)))
        return list(islice(shown, limit))

    items = [(summary(header, now=now), header.player) for header in _ask(database, find)]
    if as_json:
        _say_items({**to_builtins(one), "player": player} for one, player in items)
        return
    for one, player in items:
        code = one.code or f"{one.ruleset} (sealed)"
        click.echo(f"{one.id}  {one.started_at}  {one.status:<8}  {code:<16}  {player or '(erased)'}")


@click.command()
@click.argument("game", type=Id("game"))
@click.option("--at", "seq", type=click.IntRange(1), metavar="SEQ", help="As it was after this event.")
@json_option
@database_option
def show(game: str, seq: int | None, as_json: bool, database: str | None) -> None:
    """Show a game as its player sees it, now or after an event."""
    header, records = _game(database, game)
    if seq is not None and seq > len(records):
        raise Failure(f"game {game} has {len(records)} events")
    seen = view(header, _checked(lambda: replay(records[:seq])), now=SystemClock().now())
    if as_json:
        click.echo(encode({**to_builtins(seen), "player": header.player}))
        return
    about = {
        "game": seen.id,
        "deal": seen.code or f"{seen.ruleset} (sealed)",
        "player": header.player or "(erased)",
        "dealt": f"{seen.started_at} ({seen.purpose})",
        "now": f"{seen.status} after event {seen.seq}",
        "score": f"{seen.score} in {seen.moves} moves, {seen.undos} undone, {seen.undo_left} can be undone",
    }
    for name, text in about.items():
        click.echo(f"{name:<7} {text}")
    for place in seen.places:
        click.echo(f"{place.name:<7} {place.count:>3}  {' '.join(place.cards)}".rstrip())


@click.command()
@click.argument("game", type=Id("game"))
@click.option("--after", type=click.IntRange(0), default=0, metavar="SEQ", help="Only events after this one.")
@json_option
@database_option
def events(game: str, after: int, as_json: bool, database: str | None) -> None:
    """List the events of a game, as they are stored."""
    header, records = _game(database, game)
    now = SystemClock().now()
    _checked(lambda: check_chain(records))
    items = [event_view(header, record, now=now) for record in records[after:]]
    if as_json:
        _say_items(items)
        return
    for one in items:
        click.echo(f"{one.seq:>4}  {one.at}  {one.type:<8}  {one.command_id}  {bytes(one.data).decode()}")


@click.command("replay")
@click.argument("game", type=Id("game"))
@json_option
@database_option
def replay_game(game: str, as_json: bool, database: str | None) -> None:
    """Play a game again, event by event: what each changed, and what it came to."""
    header, records = _game(database, game)
    now = SystemClock().now()
    steps = _checked(lambda: list(_steps(records)))
    frames = [event_frame(header, event, after, now=now) for event, after in steps]
    if as_json:
        _say_items(frames)
        return
    for frame, (event, after) in zip(frames, steps, strict=True):
        changed = " ".join(f"{place.name}:{''.join(place.cards[-1:]) or '-'}" for place in frame.places)
        told = f"{frame.seq:>4}  {utc_text(event.at)}  {event.type:<8}  {frame.score:>4}  {frame.status:<8}"
        click.echo(f"{told}  {changed if after.seq > 1 else ''}".rstrip())


def _steps(records: Iterable[Record]) -> Iterable[tuple[Event, Playthrough]]:
    """Each event with the playthrough after it; raises `CorruptLog`."""
    known = list(records)
    replay(known)
    playthrough: Playthrough | None = None
    for record in known:
        event = read(record)
        playthrough = begin(event) if playthrough is None else evolve(playthrough, event)
        yield event, playthrough


def _game(database: str | None, game: str) -> Game:
    """A stored game; raises `Failure` where there is none."""

    def read_it(connection: Connection) -> Game | None:
        header = stored.header(connection, game)
        return None if header is None else Game(header, list(scan.records_of(connection, game)))

    found = _ask(database, read_it)
    if found is None:
        raise Failure(f"there is no game {game}")
    return found


def _ask(database: str | None, question: Callable[[Connection], T]) -> T:
    """The answer of the database to one question, of one moment."""
    url = load_settings(database=database).database

    async def ask() -> T:
        store = await open_existing(url)
        try:
            return await store.database.snapshot(question)
        finally:
            await store.close()

    with usable_database():
        return asyncio.run(ask())


def _checked(make: Callable[[], T]) -> T:
    try:
        return make()
    except CorruptLog as error:
        raise Failure(f"{error}; `verify {error.game}` says more") from None


def _say_items(items: Iterable[Any]) -> None:
    click.echo(encode({"items": list(items)}))
