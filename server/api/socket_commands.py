"""The commands of one socket: side by side for different games, in their order for one game."""

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Any

from msgspec import Struct

from server.api.errors import ProblemError, not_found
from server.api.games import stale_problem
from server.api.messages import CommandMessage, Selected
from server.api.services import Services
from server.api.voice import Voice
from server.live.access import may_play
from server.live.referee import Chosen, Taken
from server.play.records import Header
from server.play.refusals import Refusal, Stale

UNDER_WAY_AT_MOST = 16
"""With so many commands unanswered, a socket is not read any further."""


class SocketCommands:
    """Takes the commands that one socket's player sends, and answers through ``voice``."""

    def __init__(self, services: Services, player: str, voice: Voice) -> None:
        self._services = services
        self._player = player
        self._voice = voice
        self._under_way = 0
        self._room: asyncio.Future[None] | None = None
        self._waiting: dict[str, asyncio.Task[None]] = {}

    def stop(self) -> None:
        """Wait for nothing any more; what was decided is stored all the same."""
        for task in self._waiting.values():
            task.cancel()

    async def settled(self) -> None:
        """Wait until no command is under way."""
        while self._under_way:
            await self._an_answer()

    async def start(self, message: CommandMessage) -> None:
        """Begin a command beside those under way; reading goes on, unless too many are."""
        while not self.start_now(message):
            await self._an_answer()

    async def _an_answer(self) -> None:
        """Wait until one more command has been answered."""
        self._room = asyncio.get_running_loop().create_future()
        await self._room

    def start_now(self, message: CommandMessage) -> bool:
        """Begin a command; False, and nothing has happened, while too many are under way.

        Most are decided at once. Those that have to wait for something before get a task each, one after another
        for one game, so that the order in which they were sent is kept.
        """
        if self._under_way >= UNDER_WAY_AT_MOST:
            return False
        game, player = message.game, self._player
        self._under_way += 1
        reply = _Reply(self, message, perf_counter())
        try:
            if self._services.limits is not None:
                self._services.limits.command(player)
            if game not in self._waiting and self._services.referee.command_now(game, player, message, reply):
                return True
        except Exception as error:
            reply(error)
            return True
        task = asyncio.create_task(self._command(message, self._waiting.get(game), reply))
        self._waiting[game] = task
        task.add_done_callback(lambda done: self._waiting.pop(game) if self._waiting.get(game) is done else None)
        return True

    async def _command(
        self, message: CommandMessage, before: asyncio.Task[None] | None, reply: Callable[[Any], None]
    ) -> None:
        """A command that cannot be decided at once, after the one ``before`` it."""
        header: Header | None = None
        if before is not None:
            await asyncio.wait([before])
        try:
            header = await self._services.referee.header(message.game, self._player)
            if header is None or not await self._services.may_read(header, self._player):
                raise not_found()
            if not may_play(header, self._player):
                raise ProblemError("forbidden", "this game may be watched, but it is another player's")
            answer = await self._services.referee.command(header, message)
        except Exception as error:
            if isinstance(error, Stale) and header is not None:
                error = stale_problem(header, error, now=self._services.clock.now())
            reply(error)
        else:
            reply(answer)

    def answer(self, to: CommandMessage, answer: Taken | Chosen | BaseException, seconds: float) -> None:
        """Say what became of a command, ``seconds`` after it came."""
        self._under_way -= 1
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        command_id = to.command_id
        if isinstance(answer, Taken):
            self._voice.outbox.put(f'{{"t":"ack","command_id":"{command_id}","seq":{answer.event.record.seq}}}')
        elif isinstance(answer, Chosen):
            chosen = answer.selection
            self._voice.say(Selected(command_id, answer.seq, chosen.selection, chosen.fits, chosen.reason))
        else:
            self._voice.refuse(answer, command_id=command_id)
        if (told := _told(answer)) is not None:
            self._services.tally.answered(to.do, told, seconds)


class _Reply(Struct, gc=False):
    """What the referee calls with the answer to a command, once."""

    commands: SocketCommands
    message: CommandMessage
    began: float

    def __call__(self, answer: Taken | Chosen | BaseException) -> None:
        self.commands.answer(self.message, answer, perf_counter() - self.began)


def _told(answer: Taken | Chosen | BaseException) -> str | None:
    """How a command's answer is counted; None for what the referee was never asked."""
    if isinstance(answer, Taken):
        return "accepted"
    if isinstance(answer, Chosen):
        return "selected"
    return answer.code if isinstance(answer, Refusal) else None
