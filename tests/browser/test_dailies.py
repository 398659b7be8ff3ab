"""Sealed dailies in the browser: started explicitly, played without a code, proved and replayed after the close."""

import json
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from playwright.async_api import Browser, Route

from server.api.app import create_app
from server.contest.calendar import day
from server.contest.daily import commitment
from server.settings import Settings
from server.store import dailies as stored_dailies
from server.store.dailies import Daily
from tests.browser.conftest import stored, stored_status
from tests.browser.days import Days, found
from tests.browser.seat import PHONE, Seat, sit_down
from tests.parts.clock import ManualClock
from tests.parts.live_app import live_app
from tests.parts.server_process import ServerProcess


async def said_anywhere(seat: Seat) -> str:
    """All that the page and this browser hold: markup, storage, title, address."""
    return str(
        await seat.page.evaluate(
            "document.documentElement.outerHTML + JSON.stringify({ ...localStorage }) + document.title + location.href"
        )
    )


async def test_a_daily_is_started_by_an_explicit_word_and_shows_no_code_anywhere(
    browser: Browser, table: ServerProcess, days: Days, database: Path
) -> None:
    code, line = days.codes[days.today, "HM1-N"], days.lines[days.today, "HM1-N"]
    named = datetime.fromisoformat(days.today)
    short = f"{named:%b} {named.day}"
    posted: list[str] = []
    async with sit_down(browser, table.url, locale="en-US", permissions=["clipboard-read", "clipboard-write"]) as seat:
        page = seat.page
        page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
        await seat.enter()
        await page.wait_for_selector("[data-daily=HM1-N]")
        front = "details:not([open]) [data-daily], .today > .games > [data-daily]"
        assert await page.locator(".today > .games > [data-daily]").count() == 2
        assert await page.eval_on_selector_all(front, "all => all.map((one) => one.dataset.daily)") == [
            "HM1-N", "SH1-C4", "SH1-C2", "SH1-C1",
        ]  # fmt: skip
        assert not await page.is_visible("[data-daily=SH1-C2]")
        assert "a UTC day" in await page.inner_text(".today .when")
        assert "known to be winnable" in await page.inner_text("[data-daily=HM1-N]")

        await page.click("[data-daily=HM1-N] .main")
        await page.wait_for_selector(".sheet.begin .main:not([disabled])")
        told = await page.inner_text(".sheet.begin")
        for meaning in ("ranked", "one attempt", "never pauses", "public name", "known to be winnable"):
            assert meaning in told
        loaded = await page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
        assert sum("/cards/" in name for name in loaded) == 12  # before the clock starts
        assert posted == []
        await page.click(".sheet.begin .main")
        await seat.at_table()
        assert [url.rsplit("/", 1)[1] for url in posted] == ["players", "attempt"]

        game = await seat.game()
        assert (await page.inner_text(".figure.deal")).split("\n") == ["Daily", short]
        for number, move in enumerate(line[:3], 1):
            for place in move["remove"]:
                await seat.tap(place)
            await seat.until("moves", number)
        await page.reload()
        await seat.at_table()
        await seat.until("moves", 3)
        assert code not in await said_anywhere(seat)

        await page.click(".home")
        await page.click("[data-daily=HM1-N] a.main")  # go on playing
        await seat.until("moves", 3)
        await page.click(".bar-button.giveUp")
        assert "one attempt" in await page.inner_text(".sheet.give-up")
        await page.click(".sheet.give-up .main")
        await page.wait_for_selector(".sheet.daily-end .standing")
        end = await page.inner_text(".sheet.daily-end")
        score = await seat.figure("score")
        assert score in end and "provisional" in end
        assert re.search(r"The reveal comes in \d+:\d\d", end)
        await page.click(".sheet.daily-end .main")
        await seat.notice()
        text = await page.evaluate("navigator.clipboard.readText()")
        parts = rf"Moontide {short} · Half Moon 🌑 {score} · 0 undos · \d+:\d\d · #(\d+) of \d+"
        assert re.fullmatch(parts + rf"\n{re.escape(table.url)}/#/daily/{days.today}/HM1-N", text), text

        await page.click(".sheet.daily-end button:has-text('Board')")
        await page.wait_for_selector(".board .mine")
        assert "provisional" in await page.inner_text(".my-rank")
        assert await page.locator(".board .replay a").count() == 0
        assert commitment(code) in await page.inner_text(".proof")
        assert code not in await said_anywhere(seat)
        await page.click(".home")
        await page.wait_for_selector("[data-daily=HM1-N].finished .standing")
    assert [kind for kind, _ in stored(database, game)] == ["dealt", "moved", "moved", "moved", "resigned"]
    assert stored_status(database, game) == "resigned"


async def test_a_closed_day_shows_its_code_checks_it_here_and_plays_its_winning_line(seat: Seat, days: Days) -> None:
    code, line = days.codes[days.past, "HM1-N"], days.lines[days.past, "HM1-N"]
    page, path = seat.page, f"/#/daily/{days.past}/HM1-N"
    await seat.enter(path)
    await page.wait_for_selector(".check.right")
    assert await page.inner_text(".proof .code-text") == code
    assert "before the day began" in await page.inner_text(".check")
    await page.click(".proof summary")
    hashes = await page.locator(".proof .hash").all_inner_texts()
    assert hashes == [sha256(code.encode()).hexdigest()] * 2

    await page.click(f"a[href='#/line/{days.past}/HM1-N']")
    await seat.at_table()
    await page.keyboard.press("End")
    await seat.until("moves", len(line))
    assert all("empty" in label for label in (await seat.labels()).values())
    assert await seat.token() is None  # nothing was dealt for that


async def test_a_code_that_does_not_fit_its_seal_is_said_and_an_insecure_page_says_why(seat: Seat, days: Days) -> None:
    async def forge(route: Route) -> None:
        answer = await route.fetch()
        told = await answer.json()
        for item in told["items"]:
            item["commitment"] = "0" * 64
        await route.fulfill(response=answer, json=told)

    page = seat.page
    await page.route(f"**/v1/dailies/{days.past}", forge)
    await seat.enter(f"/#/daily/{days.past}/HM1-N")
    await page.wait_for_selector(".check.wrong")
    assert "does not fit" in await page.inner_text(".check")
    await page.unroute_all()
    await page.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined })")
    await page.reload()
    await page.wait_for_selector(".check:has-text('secure connection')")
    assert await page.locator(".check.right, .check.wrong").count() == 0


async def test_the_line_of_a_day_that_nobody_played_is_shown_without_leaving_a_trace_on_boards(
    seat: Seat, table: ServerProcess, days: Days, database: Path
) -> None:
    line = days.lines[days.past, "SH1-C4"]
    await seat.enter(f"/#/line/{days.past}/SH1-C4")
    await seat.at_table()
    await seat.page.keyboard.press("ArrowRight")
    await seat.until("moves", 1)
    assert await seat.page.is_visible("[data-control=play]")  # a step by hand stops the film
    await seat.page.keyboard.press("End")
    await seat.until("moves", len(line))
    labels = await seat.labels()
    for name, label in labels.items():
        assert label.endswith(": empty") if name[0] != "F" else ": king of " in label, label
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        (made,) = connection.execute(
            "SELECT ranked, status FROM games WHERE code = ?", (days.codes[days.past, "SH1-C4"],)
        ).fetchall()
    assert made == (0, "resigned")
    assert table.request("GET", f"/v1/boards/{days.codes[days.past, 'SH1-C4']}")[1]["players"] == 0


async def test_every_frame_of_a_replay_is_what_the_server_shows_at_that_event(
    seat: Seat, table: ServerProcess, days: Days
) -> None:
    """A won game with an undo in it, reached from the board of its day by its row."""
    page = seat.page
    await seat.enter(f"/#/daily/{days.past}/HM1-N")
    await page.click(".board tr:has-text('Linus') .replay a")
    await seat.at_table()
    frames = await page.evaluate(
        """async (game) => {
            const { film } = await import('/app/film.js');
            const ask = (path) => fetch(path).then((answer) => answer.json());
            const { items } = await ask('/v1/rulesets');
            const log = await ask(`/v1/games/${game}/events?limit=200`);
            return film(items.find((one) => one.ruleset === 'HM1-N').places, log.items);
        }""",
        days.games["Linus"],
    )
    assert len(frames) == 51
    for number, frame in enumerate(frames, 1):
        view = table.request("GET", f"/v1/games/{days.games['Linus']}?at={number}")[1]
        assert frame["places"] == view["places"], number
        for figure, name in (("score",) * 2, ("moves",) * 2, ("undos",) * 2, ("at", "elapsed_ms")):
            assert frame[figure] == view[name], (number, figure)
    await page.fill("input[type=range]", "3")
    await seat.until("moves", 1)
    await page.click("[data-control=next]")
    await seat.until("moves", 2)
    await page.click("[data-control=back]")
    await page.click("[data-control=back]")
    await seat.until("moves", 0)
    await page.click("[data-control=play]")
    await seat.until("moves", 1)
    shown = await seat.label("P1")
    await page.mouse.click(*await seat.top_of("P1"))  # a replay only shows
    assert await seat.label("P1") == shown


async def test_the_archive_leads_from_month_to_month_and_to_each_day(seat: Seat, days: Days) -> None:
    page = seat.page
    await seat.enter(f"/#/days/{days.today[:7]}")
    await page.wait_for_selector(f".days li.on a[href='#/daily/{days.today}/SH1-C1']")
    assert "today" in await page.inner_text(".days li.on")
    if days.past[:7] != days.today[:7]:
        await page.click(f"a[href='#/days/{days.past[:7]}']")
    await page.click(f".days a[href='#/daily/{days.past}/SH1-C2']")
    await page.wait_for_selector(".check.right")
    assert "Nobody has sailed this deal. Be first." in await page.inner_text(".board")
    await seat.enter("/#/days/2020-01")
    await page.wait_for_selector("text=No deals in this month.")


async def test_what_is_open_at_the_close_is_over_and_counts_as_it_is(browser: Browser, tmp_path: Path) -> None:
    """The client hears of it at its next tap, even where its own clock knows nothing of the hour."""
    date = datetime.now(UTC).date().isoformat()
    clock = ManualClock(day(date).opens_at + 36_000_000)
    settings = Settings(database=f"sqlite:///{tmp_path / 'games.db'}", port=0, limits=False, dailies=False)
    app = create_app(settings, clock=clock)
    deal = found("HM1-N", "coming")
    code = str(deal.code)
    seal = Daily(date, "HM1-N", code, commitment(code), clock.now(), True, json.dumps(deal.line), day(date).closes_at)
    async with live_app(app, settings) as live, sit_down(browser, live.url, viewport=PHONE) as seat:
        services = app.state.services
        assert await services.database.write(stored_dailies.add, seal)
        await seat.enter(f"/#/daily/{date}/HM1-N")
        await seat.page.click("[data-daily=HM1-N] .main")
        await seat.page.click(".sheet.begin .main:not([disabled])")
        await seat.at_table()
        clock.tick(5000)
        for place in deal.line[0]["remove"]:
            await seat.tap(place)
        await seat.until("moves", 1)
        clock.at = day(date).closes_at
        await seat.tap("P1")
        await seat.page.wait_for_selector(".sheet.over")
        assert "Time is up" in await seat.page.inner_text(".sheet.over h2")
        await services.dailies.sweep()
        await seat.page.click(".sheet.over button:has-text('Board')")
        await seat.page.wait_for_selector(".board .mine")
        assert await seat.page.inner_text(".proof .code-text") == code
        assert await seat.page.inner_text(".my-rank b") == "You: #1 of 1"
