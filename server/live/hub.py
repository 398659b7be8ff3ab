"""The hub: who listens to which channel in this process, and telling them.

`publish` is a plain function and waits for nobody: every listener has a bounded queue of its own, and one
that can't keep up is that listener's affair (see `server.live.outbox`). The text of a frame is encoded
once, however many listen.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

from server.play.records import Header

PRESENCE_EVERY_S = 1.0
"""At most one ``presence`` a channel and second, however many come and go."""


class Frame:
    """One message of a channel. ``seq`` orders the frames of a log channel; ``legal`` is the text for
    those who asked for legal moves, made when the first of them hears it."""

    __slots__ = ("_legal", "_make_legal", "channel", "seq", "text")

    def __init__(self, channel: str, seq: int, text: str, make_legal: Callable[[], str] | None = None) -> None:
        self.channel = channel
        self.seq = seq
        self.text = text
        self._make_legal = make_legal
        self._legal: str | None = None

    @property
    def legal(self) -> str:
        if self._legal is None:
            self._legal = self._make_legal() if self._make_legal else self.text
        return self._legal


class Listener(Protocol):
    """Somebody on a channel. None of these may wait or raise."""

    def hear(self, frame: Frame) -> None: ...

    def see(self, channel: str, watchers: int) -> None:
        """How many watch the channel now."""

    def change(self, header: Header) -> None:
        """The row of the channel's game has changed (who may watch it)."""


class Hub:
    """The listeners of every channel of this process."""

    def __init__(self) -> None:
        self._listeners: dict[str, dict[Listener, None]] = {}
        self._presence_due: dict[str, asyncio.TimerHandle] = {}
        self._elsewhere: dict[str, int] = {}
        self.on_first: Callable[[str], None] | None = None
        self.on_last: Callable[[str], None] | None = None
        self.on_count: Callable[[str, int], None] | None = None

    def listen(self, channel: str, listener: Listener) -> None:
        listeners = self._listeners.get(channel)
        if listeners is None:
            listeners = self._listeners[channel] = {}
            if self.on_first:
                self.on_first(channel)
        listeners[listener] = None
        self._count_changed(channel)

    def leave(self, channel: str, listener: Listener) -> None:
        listeners = self._listeners.get(channel)
        if listeners is None or listener not in listeners:
            return
        del listeners[listener]
        if not listeners:
            del self._listeners[channel]
            if self.on_last:
                self.on_last(channel)
        self._count_changed(channel)

    def publish(self, frame: Frame) -> None:
        """Tell everybody on the frame's channel; waits for nobody."""
        listeners = self._listeners.get(frame.channel)
        if listeners:
            for listener in tuple(listeners):
                listener.hear(frame)

    def announce(self, header: Header) -> None:
        """Tell everybody on a game's channel that its row has changed."""
        for listener in tuple(self._listeners.get("game:" + header.id, ())):
            listener.change(header)

    def has(self, channel: str) -> bool:
        """Whether anybody in this process listens to the channel."""
        return channel in self._listeners

    def channels(self) -> list[str]:
        return list(self._listeners)

    def __len__(self) -> int:
        """How many listen in this process, on all channels together."""
        return sum(map(len, self._listeners.values()))

    def here(self, channel: str) -> int:
        """How many listen in this process."""
        return len(self._listeners.get(channel, ()))

    def watchers(self, channel: str) -> int:
        """How many listen here and, as far as is known, in the other processes."""
        return self.here(channel) + self._elsewhere.get(channel, 0)

    def set_elsewhere(self, channel: str, count: int) -> None:
        """What the other processes say of a channel; approximate, never stored."""
        if count == self._elsewhere.get(channel, 0):
            return
        if count:
            self._elsewhere[channel] = count
        else:
            self._elsewhere.pop(channel, None)
        self._tell_presence(channel)

    def _count_changed(self, channel: str) -> None:
        if self.on_count:
            self.on_count(channel, self.here(channel))
        self._tell_presence(channel)

    def _tell_presence(self, channel: str) -> None:
        """Tell at the end of this turn of the loop, then at most once a second."""
        if channel not in self._presence_due:
            self._presence_due[channel] = asyncio.get_running_loop().call_later(0, self._presence, channel, -1)

    def _presence(self, channel: str, told: int) -> None:
        """Tell the count if it is not the one told last; look again in a second if something was told."""
        watchers = self.watchers(channel)
        if watchers == told or channel not in self._listeners:
            del self._presence_due[channel]
            return
        for listener in tuple(self._listeners[channel]):
            listener.see(channel, watchers)
        loop = asyncio.get_running_loop()
        self._presence_due[channel] = loop.call_later(PRESENCE_EVERY_S, self._presence, channel, watchers)
