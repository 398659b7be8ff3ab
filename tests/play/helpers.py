"""Playing in the tests without a store: a deal, commands, and the log that they make."""

from typing import Any

import msgspec

from server.play import codec
from server.play.commands import Command, Selection, decide, understand
from server.play.events import Event
from server.play.playthrough import Playthrough, begin, dealt_data, evolve
from server.solitaires import SOLITAIRES, read_code

START = 1_796_000_000_000
GAME = "0193796a-5c00-7000-8000-000000000000"
OWNER = "8fc8abdd2e00de0a57f885dac80c38747120e314236bdfe5a9964b1b59a8d5a3"


class Table:
    """One game under way: the playthrough, its events, and a clock that steps by 1.5 s a command."""

    def __init__(self, code: str, *, until: int | None = None) -> None:
        read = read_code(code)
        state = SOLITAIRES[read.ruleset].deal(read.body)
        data = dealt_data(read, state, owner=OWNER, purpose="daily" if until else "open", until=until)
        event = codec.seal(codec.FIRST_LINK, game=GAME, seq=1, at=START, command_id="c0", data=data)
        self.now = START
        self.events: list[Event] = [event]
        self.playthrough: Playthrough = begin(event)

    def send(self, **fields: Any) -> Event | Selection:
        """Decide a command given as wire fields, and evolve by what it makes; raises refusals."""
        fields.setdefault("command_id", f"c{len(self.events)}")
        command = msgspec.convert(fields, Command)
        self.now += 1500
        decision = decide(self.playthrough, understand(self.playthrough.solitaire, command), self.now)
        if isinstance(decision, Event):
            self.events.append(decision)
            self.playthrough = evolve(self.playthrough, decision)
        return decision
