"""``verify``: fold stored games anew and say what differs from what they promise.

It only reads, may run while servers serve, and holds one game's state at a time, however many there are.
Exit code 0: every game verifies. 1: something differs, or the database cannot be used. 2: wrong usage.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import click
from msgspec.json import encode
from sqlalchemy import Connection

from server.operate.options import Failure, Id, database_option, json_option, load_settings, usable_database
from server.play.audit import Auditor, Finding
from server.play.outcome import result
from server.store import games as stored
from server.store import recount, scan
from server.store.database import Database
from server.store.errors import StoreUnavailable
from server.store.faults import is_damage, reason
from server.store.open import open_existing

#: Games that are read in one transaction: enough to make its round trips cheap, and it lasts a moment only.
GAMES_AT_ONCE = 50
BOARDS_AT_ONCE = 200


class Audited(NamedTuple):
    """What was found in one game; how many events it has."""

    game: str
    events: int
    findings: list[Finding]


@click.command()
@click.argument("games", nargs=-1, type=Id("game"), metavar="[GAME]...")
@click.option("--all", "everything", is_flag=True, help="Every stored game.")
@json_option
@database_option
def verify(games: tuple[str, ...], everything: bool, as_json: bool, database: str | None) -> None:
    """Fold stored games anew and say what differs.

    Checks each GAME by its id, or --all: the chain of links, that no event is missing, that the cards are those
    of the code, that every move and undo was legal in its state and its time, and that the game's row and its
    result say the same as its log; with --all also that every board is what the results come to. Reads only; a
    server may be serving.
    """
    if bool(games) is everything:
        raise click.UsageError("say which games by their ids, or --all")
    settings = load_settings(database=database)
    tell = _JsonReport() if as_json else _TextReport()
    with usable_database():
        asyncio.run(_verify(settings.database, list(dict.fromkeys(games)), tell))
    tell.close()
    if tell.differing:
        sys.exit(1)


async def _verify(url: str, wanted: list[str], tell: "_Report") -> None:
    store = await open_existing(url)
    try:
        if not wanted:
            await _verify_all(store.database, tell)
            return
        for game in wanted:
            (audited,) = await audit_games(store.database, [game])
            if audited.events == 0 and await store.log.header(game) is None:
                raise Failure(f"there is no game {game}")
            tell.of(audited)
    finally:
        await store.close()


async def _verify_all(database: Database, tell: "_Report") -> None:
    with progress("games", await database.read(scan.count_games)) as advance:
        async for page in every_game(database):
            for audited in await audit_games(database, page):
                tell.of(audited)
            advance(len(page))
    with progress("boards", await database.read(scan.count_boards)) as advance:
        last = None
        while page := await database.snapshot(recount.next_boards, last, BOARDS_AT_ONCE):
            for board in page:
                tell.of_board(await database.snapshot(recount.check, board))
            advance(len(page))
            last = page[-1]


async def every_game(database: Database) -> AsyncIterator[list[str]]:
    """The ids of all stored games, some at a time."""
    last = None
    while page := await database.snapshot(scan.next_games, last, GAMES_AT_ONCE):
        yield page
        last = page[-1]


async def audit_games(database: Database, games: Sequence[str]) -> list[Audited]:
    """What is wrong with each of these games. One that the database cannot even read is itself a finding, and the
    others are read all the same; raises `StoreUnavailable` where nothing can be read."""
    try:
        return await database.snapshot(_audit_games, games)
    except Exception as error:
        unreadable = _unreadable(error)
        if unreadable is None:
            raise
    if len(games) == 1:
        finding = Finding(games[0], 0, "event", f"it cannot be read: {unreadable}")
        return [Audited(games[0], 0, [finding])]
    return [one for game in games for one in await audit_games(database, [game])]


def _audit_games(connection: Connection, games: Sequence[str]) -> list[Audited]:
    return [_audit_game(connection, game) for game in games]


def _audit_game(connection: Connection, game: str) -> Audited:
    auditor, count = Auditor(game), 0
    findings: list[Finding] = []
    for record in scan.records_of(connection, game):
        findings += auditor.take(record)
        count += 1
    header = stored.header(connection, game)
    findings += auditor.close(header)
    if not findings and header is not None and auditor.playthrough is not None:
        expected = result(header, auditor.playthrough)
        for detail in recount.result_differences(connection, header, expected):
            findings.append(Finding(game, 0, "result", detail))
    return Audited(game, count, findings)


def _unreadable(error: Exception) -> str | None:
    """Why what is stored of a game cannot be read; None if that is not what the error says."""
    origin = error.__cause__ if isinstance(error, StoreUnavailable) else error
    if origin is not None and is_damage(origin):
        return reason(origin)
    if isinstance(error, TypeError | ValueError):  # a value of a type that its column cannot have
        return str(error)
    return None


# -- telling ----------------------------------------------------------------------------------------


class _Report:
    """What is said while games are checked, and at the end; nothing of it is kept."""

    def __init__(self) -> None:
        self.games = self.events = self.boards = self.differing = 0

    def of(self, audited: Audited) -> None:
        self.games += 1
        self.events += audited.events
        self.differing += bool(audited.findings)
        for finding in audited.findings:
            self.say(finding)

    def of_board(self, differences: Sequence[recount.Difference]) -> None:
        self.boards += 1
        self.differing += bool(differences)
        for difference in differences:
            self.say(difference)

    def say(self, finding: Finding | recount.Difference) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class _TextReport(_Report):
    def say(self, finding: Finding | recount.Difference) -> None:
        if isinstance(finding, recount.Difference):
            where = f"board {finding.board}"
        else:
            where = f"game {finding.game}, event {finding.seq}" if finding.seq else f"game {finding.game}"
        _clear_line()
        click.echo(f"{where}: {finding.check}: {finding.detail}")

    def close(self) -> None:
        checked = [(self.games, "game"), (self.events, "event")] + [(self.boards, "board")] * bool(self.boards)
        told = ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in checked)
        click.echo(f"{told}: {f'{self.differing} differ' if self.differing else 'all verify'}")


class _JsonReport(_Report):
    """One JSON object, written as it comes: ``{"findings":[…],"games":…,"events":…,"boards":…,"differing":…}``."""

    def __init__(self) -> None:
        super().__init__()
        self._before = '{"findings":['

    def say(self, finding: Finding | recount.Difference) -> None:
        told = finding._asdict() if isinstance(finding, recount.Difference) else finding
        click.echo(self._before + encode(told).decode(), nl=False)
        self._before = ","

    def close(self) -> None:
        if not self.differing:
            click.echo(self._before, nl=False)
        counts = {name: getattr(self, name) for name in ("games", "events", "boards", "differing")}
        click.echo("]," + encode(counts).decode().removeprefix("{"))


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    with click.progressbar(length=total, label=f"Verifying {what}", file=sys.stderr) as bar:
        yield bar.update


def _clear_line() -> None:
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
