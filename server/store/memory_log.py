"""The log in memory: for tests and for playing about. It keeps the whole contract but the disk."""

from collections.abc import Sequence

from msgspec.structs import replace

from server.play.records import Header, Record
from server.store.eventlog import Append, Appended, Conflict, Failed, OneByOne, Won


class MemoryLog(OneByOne):
    """See `EventLog`."""

    def __init__(self) -> None:
        super().__init__()
        self._records: dict[str, list[Record]] = {}
        self._headers: dict[str, Header] = {}
        self._opened: dict[tuple[str, str], str] = {}

    async def append(self, batch: Sequence[Append]) -> list[Appended]:
        answers: list[Appended] = []
        broken: set[str] = set()
        for append in batch:
            answer = Conflict() if append.record.game in broken else self._append(append)
            if not isinstance(answer, Won):
                broken.add(append.record.game)
            answers.append(answer)
        return answers

    async def read(self, game: str, after: int = 0, limit: int | None = None, until: int | None = None) -> list[Record]:
        found = [one for one in self._records.get(game, []) if one.seq > after and (until is None or one.seq <= until)]
        return found[:limit]

    async def head(self, games: Sequence[str]) -> dict[str, tuple[int, str]]:
        return {game: (records[-1].seq, records[-1].link) for game in games if (records := self._records.get(game))}

    async def header(self, game: str) -> Header | None:
        return self._headers.get(game)

    async def opened(self, player: str, command_id: str) -> Header | None:
        game = self._opened.get((player, command_id))
        return None if game is None else self._headers[game]

    def _append(self, append: Append) -> Appended:
        record, header, outcome = append.record, append.header, append.outcome
        if record.seq < 1 or not _is_text(record.data) or not _is_text(record.command_id):
            return Failed("no database would take this record", unknown=False)
        records = self._records.setdefault(record.game, [])
        if any(one.seq == record.seq for one in records):
            return Conflict()
        if header is not None:
            if header.id in self._headers or (header.player or "", header.command_id) in self._opened:
                return Conflict()
            self._headers[header.id] = header
            if header.player is not None:
                self._opened[header.player, header.command_id] = header.id
        records.append(record)
        records.sort(key=lambda one: one.seq)
        if outcome is not None and outcome.game in self._headers:
            self._headers[outcome.game] = replace(self._headers[outcome.game], status=outcome.status)
        return Won()


def _is_text(text: str) -> bool:
    """Whether it is text: a lone surrogate is none (nor has PostgreSQL a way to store a NUL)."""
    try:
        return "\0" not in text.encode().decode()
    except UnicodeEncodeError:
        return False
