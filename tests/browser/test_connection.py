"""What the client does when the line, the server or the page goes away: nothing is lost, and nothing happens twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, WebSocketRoute

from tests.browser.cable import Cable
from tests.browser.conftest import stored
from tests.browser.seat import Seat, sit_down
from tests.parts.server_process import ServerProcess


@asynccontextmanager
async def other_device(browser: Browser, seat: Seat, game: str) -> AsyncIterator[Seat]:
    """The same player at another browser, at the same game."""
    state = await seat.page.context.storage_state()
    async with sit_down(browser, seat.url, storage_state=state) as other:
        await other.enter(f"/#/game/{game}")
        await other.at_table()
        yield other


async def test_a_game_goes_on_after_the_server_was_killed_and_started_again(browser: Browser, tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    with ServerProcess(database) as server:
        await asyncio.to_thread(server.wait_ready)
        async with sit_down(browser, server.url) as seat:
            await seat.enter()
            game = await seat.deal("HM1-N-AAAAAAB")
            await seat.tap("P1")
            await seat.tap("P8")
            await seat.until("score", 10)
            await asyncio.to_thread(server.kill)
            assert "trying again" in await seat.notice()
            await seat.tap("P8")  # jack, queen, king: said once there is someone to hear it
            await seat.tap("P5")
            await seat.tap("P3")
            server.start()
            await asyncio.to_thread(server.wait_ready)
            await seat.until("score", 25)
            await seat.page.wait_for_selector(".notice", state="hidden")
            assert [kind for kind, _ in stored(database, game)] == ["dealt", "moved", "moved"]


async def test_a_command_whose_answer_was_cut_off_is_said_again_and_taken_once(seat: Seat, database: Path) -> None:
    cable = await Cable().lay(seat.page)
    await seat.enter()
    game = await seat.deal("HM1-N-AAAAAAB")
    await seat.tap("P1")
    await seat.until_selected("P1")
    cable.cut_at_next("tap")
    await seat.tap("P8")
    await seat.until("score", 10)
    await seat.tap("P8")
    await seat.until_selected("P8")
    taps = [one for one in cable.sent if one["place"] == "P8" and one["selection"] == ["P1"]]
    assert cable.opened == 2
    assert len(taps) == 2
    assert taps[0] == taps[1]
    assert [kind for kind, _ in stored(database, game)] == ["dealt", "moved"]


async def test_events_missed_while_the_line_was_cut_are_caught_up(browser: Browser, seat: Seat) -> None:
    cable = await Cable().lay(seat.page)
    await seat.enter()
    game = await seat.deal("HM1-N-AAAAAAB")
    await seat.page.wait_for_timeout(200)
    async with other_device(browser, seat, game) as other:
        cable.hold()
        await other.tap("P1")
        await other.tap("P8")
        await other.until("score", 10)
        assert await seat.figure("score") == "0"
        cable.cut()
        cable.release()
        await seat.until("score", 10)
        assert await seat.labels() == await other.labels()


async def test_a_second_device_follows_every_move_and_may_play_on(browser: Browser, seat: Seat) -> None:
    await seat.enter()
    game = await seat.deal("SH1-C4-AAAAAJ2")
    async with other_device(browser, seat, game) as other:
        await seat.drag("T1", "C3")
        await other.until("moves", 1)
        await other.drag("C3", "C4")
        for each in (seat, other):
            await each.until("moves", 2)
        await seat.page.click(".bar .undo")
        for each in (seat, other):
            await each.until("moves", 1)
        assert await seat.labels() == await other.labels()


async def test_a_token_that_the_server_does_not_know_is_given_up_calmly(seat: Seat) -> None:
    await seat.enter()
    await seat.deal("HM1-N-AAAAAAB")
    token = await seat.token()
    made_up = "mt_" + "A" * 43
    await seat.page.evaluate(
        "token => { const me = JSON.parse(localStorage['moontide.player']); "
        "localStorage['moontide.player'] = JSON.stringify({ ...me, token }) }",
        made_up,
    )
    await seat.page.reload()
    assert "new guest" in await seat.notice()
    assert await seat.token() is None
    await seat.deal("HM1-N-AAAAAAC")
    assert await seat.token() not in (None, token, made_up)


async def test_a_game_that_is_not_there_leads_to_the_start_page(seat: Seat) -> None:
    await seat.enter()
    await seat.deal("HM1-N-AAAAAAB")
    await seat.enter("/#/game/01890000-0000-7000-8000-000000000000")
    assert "no such game" in await seat.notice()
    await seat.page.wait_for_selector("[name=code]")


async def test_a_game_opened_before_the_welcome_has_come_is_watched_too(seat: Seat) -> None:
    held = []

    async def hold_the_first_welcome(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        server.on_message(lambda frame: held.append((route, frame)) if not held else route.send(frame))

    await seat.page.route_web_socket("**/v1/live", hold_the_first_welcome)
    await seat.enter()
    first = await seat.deal("HM1-N-AAAAAAB")
    await seat.page.evaluate("location.hash = '#/'")
    second = await seat.deal("HM1-N-AAAAAAC")
    assert second != first
    await seat.page.evaluate("game => (location.hash = `#/game/${game}`)", first)
    await seat.page.wait_for_selector("[data-place]", state="detached")
    assert len(held) == 1
    [(route, welcome)] = held
    route.send(welcome)
    await seat.at_table()
    await seat.tap("P1")
    await seat.tap("P8")
    await seat.until("score", 10)
