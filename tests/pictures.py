"""``python3 -m tests.pictures``: pictures of the web client, from a real browser at a real server.

The one for the README goes to ``docs/pictures``, all of them to ``data/pictures`` (ignored by git), to be looked at.
Games are brought to where they are interesting over HTTP, along the lines of the golden cases; the dailies are
those of the browser tests.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from server.bootstrap import ensure

if TYPE_CHECKING:
    from tests.browser.days import Days
    from tests.parts.server_process import ServerProcess

Ask = Callable[[str, object], Any]
"""POST as the player of the pictures: the path and the body, to the answer."""

ROOT = Path(__file__).parents[1]
README = ROOT / "docs" / "pictures"
EVERYTHING = ROOT / "data" / "pictures"
CASES = ROOT / "tests" / "golden" / "cases" / "games.jsonl"

PHONE, LYING, TABLET, DESKTOP = (390, 844), (844, 390), (768, 1024), (1440, 900)
BOARD_CODE = "SH1-C4-WU3PBEJ"
HALF_MOON, DEAD_END, SEAHAVEN = "HM1-N-AAAAAAB", "HM1-N-KYXO5V5", "SH1-C4-LF5JUAQ"


@dataclass(frozen=True)
class Picture:
    """One picture: a window, the game after so many moves of its line, or a page once ``there`` is something, and
    what is done then. In ``page`` stand {past}, {today}, {mine} and {won}; ``guest``: nobody has played here yet."""

    name: str
    window: tuple[int, int]
    code: str | None = None
    moves: int = 0
    theme: str = "dark"
    settings: dict[str, Any] = field(default_factory=dict)
    taps: tuple[str, ...] = ()
    click: str | None = None
    page: str = "#/"
    there: str = "[data-daily]"
    guest: bool = False


DAY: dict[str, Any] = {"page": "#/daily/{past}/HM1-N", "there": ".check.right"}
TODAY: dict[str, Any] = {"page": "#/daily/{today}/HM1-N", "there": ".board .mine"}
DAYS: dict[str, Any] = {"page": "#/days", "there": ".days li"}
BOARD: dict[str, Any] = {"page": f"#/board/{BOARD_CODE}", "there": ".board tbody tr"}
REPLAY: dict[str, Any] = {"page": "#/replay/{won}", "there": ".controls:not([hidden])"}
BEGIN: dict[str, Any] = {"guest": True, "click": "[data-daily=HM1-N] .main"}

PICTURES = (
    Picture("table", (1280, 800), HALF_MOON, 14),
    Picture("start", DESKTOP),
    Picture("start-light", DESKTOP, theme="light", guest=True),
    Picture("start-phone", PHONE, theme="light"),
    Picture("start-phone-guest", PHONE, guest=True),
    Picture("begin", DESKTOP, theme="light", **BEGIN),
    Picture("begin-phone", PHONE, **BEGIN),
    Picture("daily", DESKTOP, **TODAY),
    Picture("daily-phone", PHONE, theme="light", settings={"language": "fr"}, **TODAY),
    Picture("daily-end-phone", PHONE, page="#/game/{mine}", there=".daily-end .standing"),
    Picture("daily-end", DESKTOP, theme="light", page="#/game/{mine}", there=".daily-end .standing"),
    Picture("reveal", DESKTOP, theme="light", **DAY),
    Picture("reveal-phone", PHONE, **DAY),
    Picture("archive", DESKTOP, **DAYS),
    Picture("archive-phone", PHONE, theme="light", settings={"language": "fr"}, **DAYS),
    Picture("board", DESKTOP, theme="light", **BOARD),
    Picture("board-phone", PHONE, **BOARD),
    Picture("board-empty-phone", PHONE, theme="light", page="#/board/HM1-N-AAAAAAC", there=".nobody"),
    Picture("replay", DESKTOP, **REPLAY),
    Picture("replay-phone", PHONE, theme="light", **REPLAY),
    Picture("replay-lying", LYING, **REPLAY),
    Picture("line", DESKTOP, theme="light", page="#/line/{past}/SH1-C4", there=".controls:not([hidden])"),
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
    from tests.browser.days import lay_days
    from tests.parts.server_process import ServerProcess

    for folder in (README, EVERYTHING):
        folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="moontide-pictures-") as made:
        database = Path(made) / "games.db"
        days = await lay_days(database)
        with ServerProcess(database) as server:
            await asyncio.to_thread(server.wait_ready)
            await draw_from(server, days)
    (README / "table.png").write_bytes((EVERYTHING / "table.png").read_bytes())


async def draw_from(server: "ServerProcess", days: "Days") -> None:
    from playwright.async_api import async_playwright

    from tests.parts import chromium

    def asking(name: str) -> tuple[str, Ask]:
        token = server.request("POST", "/v1/players", {"name": name})[1]["token"]
        return token, lambda path, body: server.request("POST", path, body, token)[1]

    line = days.lines[days.today, "HM1-N"]
    places = {"past": days.past, "today": days.today, "won": days.games["Linus"]}
    board = line_of(BOARD_CODE)
    for number, name in enumerate(("Ada", "Grace", "Linus", "Mira", "Odile")):
        token, ask = asking(name)
        daily = ask(f"/v1/dailies/{days.today}/HM1-N/attempt", {})["id"]
        play(ask, daily, line[: 48 - 9 * number], resign=number > 0)
        code = ask("/v1/games", {"code": BOARD_CODE})["id"]
        play(ask, code, board[: len(board) - 12 * number], resign=number > 0)
        places["mine"] = daily

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium.program(), args=chromium.ARGUMENTS)
        for picture in PICTURES:
            await draw(picture, browser, server.url, token, ask, places)
            print(f"{picture.name}.png", file=sys.stderr)
        await browser.close()


async def draw(picture: Picture, browser: Any, url: str, token: str, ask: Ask, places: dict[str, str]) -> None:
    """Bring the game there, sit down, and take the picture."""
    from tests.browser.seat import sit_down

    width, height = picture.window
    path, there = picture.page.format(**places), picture.there
    if picture.code is not None:
        game = ask("/v1/games", {"code": picture.code})["id"]
        play(ask, game, line_of(picture.code)[: picture.moves])
        path, there = f"#/game/{game}", "[data-place][aria-label]"
    window = {"width": width, "height": height}
    async with sit_down(browser, url, viewport=window, color_scheme=picture.theme, has_touch=width < 600) as seat:
        if not picture.guest:
            player = json.dumps(json.dumps({"token": token}))
            await seat.page.add_init_script(f"localStorage['moontide.player'] = {player}")
        await seat.enter("/" + path, **{"language": "en", **picture.settings})
        await seat.page.wait_for_selector(there)
        acts: list[Awaitable[object]] = [seat.tap(place) for place in picture.taps]
        if picture.click:
            acts.append(seat.page.click(picture.click))
        await seat.page.wait_for_timeout(900)
        for act in acts:
            await act
        await seat.page.wait_for_timeout(400)
        await seat.page.screenshot(path=EVERYTHING / f"{picture.name}.png")


def play(ask: Ask, game: str, moves: Iterable[Mapping[str, Any]], *, resign: bool = False) -> None:
    """Make these moves, and give up if that is wanted."""
    for number, step in enumerate(moves):
        ask(f"/v1/games/{game}/commands", {"command_id": f"m{number}", **move_of(step)})
    if resign:
        ask(f"/v1/games/{game}/commands", {"command_id": "end", "do": "resign"})


def line_of(code: str) -> list[dict[str, Any]]:
    """The moves of the line that the cases have for this code."""
    games = (json.loads(line) for line in CASES.read_text().splitlines())
    steps = next(game["steps"] for game in games if game["code"] == code)
    return [step for step in steps if step["ok"]]


def move_of(step: Mapping[str, Any]) -> dict[str, Any]:
    return {"do": "move", **{name: step[name] for name in ("remove", "from", "to", "count") if name in step}}


if __name__ == "__main__":
    main()
