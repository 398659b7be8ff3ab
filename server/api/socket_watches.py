"""The channels that one socket follows."""

from msgspec import UNSET

from server.api.errors import ProblemError, not_found, too_many
from server.api.messages import Resync, StateMessage, Watching, WatchRequest
from server.api.services import Services
from server.api.voice import Voice
from server.live.access import may_read
from server.live.watch import FILL_AT_MOST, Watch
from server.play.records import Header
from server.play.view import view

CHANNELS_AT_MOST = 64


class SocketWatches:
    """Watches for one socket's player, and what they tell goes through ``voice``."""

    def __init__(self, services: Services, player: str, voice: Voice) -> None:
        self._services = services
        self._player = player
        self._voice = voice
        self._watches: dict[str, Watch] = {}

    def unwatch(self, channel: str) -> None:
        watch = self._watches.pop(channel, None)
        if watch is not None:
            watch.stop()

    def stop(self) -> None:
        for watch in self._watches.values():
            watch.stop()

    async def watch(self, request: WatchRequest) -> None:
        try:
            await self._follow(request)
        except Exception as error:
            self._voice.refuse(error, channel=request.channel)

    async def _follow(self, request: WatchRequest) -> None:
        services, channel, player = self._services, request.channel, self._player
        if services.limits is not None:
            services.limits.read(player)
        kind, _, game_id = channel.partition(":")
        if kind != "game":
            raise ProblemError("invalid_body", f"no channel {channel!r}: it is 'game:' and the id of a game")
        old = self._watches.pop(channel, None)
        if old is not None:
            old.stop()
        if len(self._watches) >= CHANNELS_AT_MOST:
            raise too_many(1, f"a socket follows {CHANNELS_AT_MOST} channels at most")

        header = await services.referee.header(game_id, player)
        if header is None or not await services.may_read(header, player):
            raise not_found()
        on_board = not may_read(header, player, now=services.clock.now())  # nothing else lets him see it

        def still_allowed(header: Header) -> bool:
            return may_read(header, player, now=services.clock.now(), on_board=on_board)

        watch = Watch(
            header=header,
            hub=services.hub,
            games=services.referee,
            outbox=self._voice.outbox,
            legal=request.legal,
            allowed=still_allowed,
            tally=services.tally,
        )
        game = await services.referee.look(game_id)
        if game is None:
            raise not_found()
        head = game.playthrough.seq
        # From here to `follow` nothing waits, so no event can come between what is told and what is heard.
        if request.after is UNSET:
            state = view(game.header, game.playthrough, now=services.clock.now(), legal=request.legal)
            self._voice.say(StateMessage(channel, head, state))
            watch.follow(head)
        elif request.after == head:
            self._voice.say(Watching(channel, head))
            watch.follow(head)
        elif request.after > head or head - request.after > FILL_AT_MOST:
            services.tally.resyncs += 1
            self._voice.say(Resync(channel))
            return
        else:
            watch.fill(request.after, announce=True)
        self._watches[channel] = watch
