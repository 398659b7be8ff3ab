"""The line between a page and the server, with a hand on it: frames are seen, held back, or cut off."""

import asyncio
import json
from typing import Any

from playwright.async_api import Page, WebSocketRoute


class Cable:
    """All sockets of one page. `sent` are the commands that the page has said, in order."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.opened = 0
        self.holding = False
        self._held: list[tuple[WebSocketRoute, str | bytes]] = []
        self._cut_at: str | None = None
        self._cutting = False
        self._page_side: WebSocketRoute | None = None
        self._closing: set[asyncio.Task[None]] = set()

    async def lay(self, page: Page) -> "Cable":
        await page.route_web_socket("**/v1/live", self._connect)
        return self

    def hold(self) -> None:
        """From here on the page hears nothing."""
        self.holding = True

    def release(self) -> None:
        """The page hears all that was held back, and goes on hearing."""
        self.holding = False
        held, self._held = self._held, []
        for side, message in held:
            side.send(message)

    def cut_at_next(self, do: str) -> None:
        """Let the next such command through, and cut the line before its answer."""
        self._cut_at = do

    def cut(self) -> None:
        """The line breaks now."""
        assert self._page_side is not None
        closing = asyncio.ensure_future(self._page_side.close(code=3000))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def _connect(self, page_side: WebSocketRoute) -> None:
        self.opened += 1
        self._page_side = page_side
        server_side = page_side.connect_to_server()

        def said(message: str | bytes) -> None:
            frame = json.loads(message)
            if frame["t"] == "command":
                self.sent.append(frame)
                if frame["do"] == self._cut_at:
                    self._cut_at = None
                    self._cutting = True
            server_side.send(message)

        def heard(message: str | bytes) -> None:
            if self._cutting:
                self._cutting = False
                self.cut()
            elif self.holding:
                self._held.append((page_side, message))
            else:
                page_side.send(message)

        page_side.on_message(said)
        server_side.on_message(heard)
