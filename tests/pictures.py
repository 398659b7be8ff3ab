"""``python3 -m tests.pictures``: pictures of the web client, from a real browser at a real server.

The one for the README goes to ``docs/pictures``, all of them to ``data/pictures`` (ignored by git), to be looked at.
Games are brought to where they are interesting over HTTP, along the lines of the golden cases.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from server.bootstrap import ensure

ROOT = Path(__file__).parents[1]
README = ROOT / "docs" / "pictures"
EVERYTHING = ROOT / "data" / "pictures"
CASES = ROOT / "tests" / "golden" / "cases" / "games.jsonl"

PHONE, LYING, TABLET, DESKTOP = (390, 844), (844, 390), (768, 1024), (1440, 900)
HALF_MOON, DEAD_END, SEAHAVEN = "HM1-N-AAAAAAB", "HM1-N-KYXO5V5", "SH1-C4-LF5JUAQ"


@dataclass(frozen=True)
class Picture:
    """One picture: a window, the game after so many moves of its line, and what is done then."""

    name: str
    window: tuple[int, int]
    code: str | None = None
    moves: int = 0
    theme: str = "dark"
    settings: dict[str, Any] = field(default_factory=dict)
    taps: tuple[str, ...] = ()
    click: str | None = None


PICTURES = (
    Picture("table", (1280, 800), HALF_MOON, 14),
    Picture("start", DESKTOP),
    Picture("start-phone", PHONE, theme="light"),
    Picture("half-moon", DESKTOP, HALF_MOON, theme="light"),
    Picture("half-moon-help", DESKTOP, HALF_MOON, 14, settings={"help": True}, taps=("P2",)),
    Picture("half-moon-phone", PHONE, HALF_MOON, 14),
    Picture("half-moon-phone-light", PHONE, HALF_MOON, 14, "light", {"help": True}, ("P2",)),
    Picture("half-moon-lying", LYING, HALF_MOON, 14),
    Picture("half-moon-tablet", TABLET, HALF_MOON, 20),
    Picture("half-moon-small", (320, 454), HALF_MOON, 14),
    Picture("movement-error", PHONE, HALF_MOON, 0, "dark", {"errors": True}, ("P1", "P2")),
    Picture("seahaven", DESKTOP, SEAHAVEN, 50),
    Picture("seahaven-light", DESKTOP, SEAHAVEN, 20, "light"),
    Picture("seahaven-phone", PHONE, SEAHAVEN, 60),
    Picture("seahaven-lying", LYING, SEAHAVEN, 30),
    Picture("seahaven-tablet", TABLET, SEAHAVEN, 40),
    Picture("seahaven-french", PHONE, SEAHAVEN, 0, settings={"language": "fr"}),
    Picture("dead-end-phone", PHONE, DEAD_END, 99),
    Picture("dead-end", DESKTOP, DEAD_END, 99, "light"),
    Picture("won-phone", PHONE, HALF_MOON, 48),
    Picture("won", DESKTOP, SEAHAVEN, 999),
    Picture("new-game", DESKTOP, HALF_MOON, 3, click=".bar-button.new"),
    Picture("settings", PHONE, HALF_MOON, 3, click=".bar-button.settings"),
)


def main() -> None:
    ensure("test")
    from tests.parts import chromium

    chromium.bring()
    asyncio.run(draw_all())


async def draw_all() -> None:
    from playwright.async_api import async_playwright

    from tests.parts import chromium
    from tests.parts.server_process import ServerProcess

    for folder in (README, EVERYTHING):
        folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="moontide-pictures-") as folder, ServerProcess(Path(folder) / "games.db") as server:
        await asyncio.to_thread(server.wait_ready)
        token = server.request("POST", "/v1/players", {})[1]["token"]

        def ask(path: str, body: object) -> Any:
            return server.request("POST", path, body, token)[1]

        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium.program(), args=chromium.ARGUMENTS)
            for picture in PICTURES:
                await draw(picture, browser, server.url, token, ask)
                print(f"{picture.name}.png", file=sys.stderr)
            await browser.close()
    (README / "table.png").write_bytes((EVERYTHING / "table.png").read_bytes())


async def draw(picture: Picture, browser: Any, url: str, token: str, ask: Callable[[str, object], Any]) -> None:
    """Bring the game there, sit down, and take the picture."""
    from tests.browser.seat import sit_down

    width, height = picture.window
    path = "/"
    if picture.code is not None:
        game = ask("/v1/games", {"code": picture.code})["id"]
        for step in line_of(picture.code)[: picture.moves]:
            ask(f"/v1/games/{game}/commands", {"command_id": f"m{step['moves']}", **move_of(step)})
        path = f"/#/game/{game}"
    window = {"width": width, "height": height}
    async with sit_down(browser, url, viewport=window, color_scheme=picture.theme, has_touch=width < 600) as seat:
        player = json.dumps(json.dumps({"token": token}))
        await seat.page.add_init_script(f"localStorage['moontide.player'] = {player}")
        await seat.enter(path, **{"language": "en", **picture.settings})
        await seat.page.wait_for_selector("[data-place][aria-label]" if picture.code else ".running, [data-game=HM]")
        acts: list[Awaitable[object]] = [seat.tap(place) for place in picture.taps]
        if picture.click:
            acts.append(seat.page.click(picture.click))
        await seat.page.wait_for_timeout(900)
        for act in acts:
            await act
        await seat.page.wait_for_timeout(400)
        await seat.page.screenshot(path=EVERYTHING / f"{picture.name}.png")


def line_of(code: str) -> list[dict[str, Any]]:
    """The moves of the line that the cases have for this code."""
    games = (json.loads(line) for line in CASES.read_text().splitlines())
    steps = next(game["steps"] for game in games if game["code"] == code)
    return [step for step in steps if step["ok"]]


def move_of(step: dict[str, Any]) -> dict[str, Any]:
    return {name: step[name] for name in ("do", "remove", "from", "to", "count") if name in step}


if __name__ == "__main__":
    main()
