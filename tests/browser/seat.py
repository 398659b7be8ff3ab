"""A player at the web client: what eyes and hands can do there, and nothing else."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, Page

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1440, "height": 900}

#: Chromium notes every answer of 4xx and 5xx on the console; what the client does about it is what tests look at.
EXPECTED = "Failed to load resource"


class Seat:
    """One page of the client. ``faults`` are the console errors, exceptions and policy violations seen so far."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.faults: list[str] = []
        self.elsewhere: list[str] = []
        page.on("console", lambda said: self._note(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self._note(str(error)))
        page.on("request", lambda request: self.elsewhere.append(request.url) if url not in request.url else None)

    def _note(self, text: str) -> None:
        if EXPECTED not in text and "WebSocket connection" not in text:
            self.faults.append(text)

    # -- getting there ------------------------------------------------------------------------------

    async def enter(self, path: str = "/", **settings: Any) -> None:
        """Open the client, with these settings already chosen in this browser."""
        if settings:
            chosen = json.dumps(json.dumps(settings))
            await self.page.add_init_script(f"localStorage['moontide.settings'] ??= {chosen}")
        await self.page.goto(self.url + path)

    async def deal(self, code: str) -> str:
        """Type a code on the start page and wait for the table; the id of the game."""
        await self.page.fill("[name=code]", code)
        await self.page.press("[name=code]", "Enter")
        await self.at_table()
        return await self.game()

    async def at_table(self) -> None:
        await self.page.wait_for_selector("[data-place][aria-label]")

    async def game(self) -> str:
        return str(await self.page.evaluate("location.hash.split('/').pop()"))

    async def token(self) -> str | None:
        saved = await self.page.evaluate("localStorage['moontide.player'] ?? null")
        return None if saved is None else str(json.loads(saved)["token"])

    # -- looking ------------------------------------------------------------------------------------

    async def figure(self, name: str) -> str:
        """What the banner says: ``time``, ``score``, ``moves`` or ``deal``."""
        return (await self.page.inner_text(f".figure.{name}")).split("\n")[-1]

    async def until(self, name: str, value: object) -> None:
        """Wait for the banner to say so."""
        await self.page.wait_for_function(
            "([name, value]) => document.querySelector(`.figure.${name} b`)?.textContent === value",
            arg=[name, str(value)],
        )

    async def label(self, place: str) -> str:
        """A place as a screen reader tells it."""
        return str(await self.page.get_attribute(f"[data-place={place}]", "aria-label"))

    async def labels(self) -> dict[str, str]:
        found = await self.page.eval_on_selector_all(
            "[data-place]", "all => all.map((one) => [one.dataset.place, one.getAttribute('aria-label')])"
        )
        return dict(found)

    async def selected(self) -> list[str]:
        found = await self.page.eval_on_selector_all(
            "[data-place][aria-pressed=true]", "all => all.map((one) => one.dataset.place)"
        )
        return list(found)

    async def until_selected(self, *places: str) -> None:
        await self.page.wait_for_function(
            """places => {
                const all = [...document.querySelectorAll('[data-place][aria-pressed=true]')];
                return all.map((one) => one.dataset.place).sort().join() === places;
            }""",
            arg=",".join(sorted(places)),
        )

    async def notice(self) -> str:
        """The line at the foot of the table, once there is one."""
        await self.page.wait_for_selector(".notice:not([hidden])")
        return await self.page.inner_text(".notice")

    # -- playing ------------------------------------------------------------------------------------

    async def tap(self, place: str) -> None:
        """A click where the place's top card lies, whatever is there."""
        await self.page.mouse.click(*await self.top_of(place))

    async def double_tap(self, place: str) -> None:
        await self.page.mouse.dblclick(*await self.top_of(place))

    async def top_of(self, place: str) -> tuple[float, float]:
        """A point on the top card of a place."""
        box = await self.page.evaluate(
            """(place) => {
                const { x, width, bottom } = document.querySelector(`[data-place=${place}]`).getBoundingClientRect();
                return [x + width / 2, bottom - width / 2];
            }""",
            place,
        )
        return box[0], box[1]

    async def drag(self, source: str, target: str, count: int = 1) -> None:
        """Take up the last ``count`` cards of a place and let them go over another one."""
        spot = await self.page.evaluate(
            """([source, target, count]) => {
                const box = (name) => document.querySelector(`[data-place=${name}]`).getBoundingClientRect();
                const card = parseFloat(document.querySelector('.table').style.getPropertyValue('--card-height'));
                const from = box(source), to = box(target);
                const cards = Math.max(1, document.querySelector(`[data-place=${source}]`).dataset.count);
                const step = cards > 1 ? (from.height - card) / (cards - 1) : 0;
                const grip = Math.max(4, Math.min(step || card, card) / 2);
                return {
                    from: [from.x + from.width / 2, from.y + step * (cards - count) + grip],
                    to: [to.x + to.width / 2, to.bottom - card + grip],
                };
            }""",
            [source, target, count],
        )
        mouse = self.page.mouse
        await mouse.move(*spot["from"])
        await mouse.down()
        await mouse.move(spot["from"][0] + 8, spot["from"][1] + 8)
        await mouse.move(*spot["to"], steps=2)
        await mouse.up()


@asynccontextmanager
async def sit_down(browser: Browser, url: str, **options: Any) -> AsyncIterator[Seat]:
    """A browser of one's own with one page. When it is left there must have been nothing to complain about."""
    context = await browser.new_context(**{"viewport": DESKTOP, "color_scheme": "dark", **options})
    try:
        page = await context.new_page()
        page.set_default_timeout(15_000)
        seat = Seat(page, url)
        yield seat
        assert seat.faults == [], seat.faults
        assert seat.elsewhere == [], seat.elsewhere
    finally:
        await context.close()
