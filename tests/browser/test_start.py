"""The start page, the settings, the languages, and the sheets that end a game."""

import json
from typing import Any

from tests.browser.conftest import CASES
from tests.browser.seat import Seat
from tests.parts.server_process import ServerProcess


async def test_a_guest_is_made_at_the_first_deal_and_not_before(seat: Seat) -> None:
    made: list[str] = []
    seat.page.on(
        "request", lambda request: made.append(request.method) if request.url.endswith("/v1/players") else None
    )
    await seat.enter()
    await seat.page.wait_for_selector("[data-game=HM]")
    assert made == []
    assert await seat.token() is None
    await seat.page.click("[data-game=HM]")
    await seat.at_table()
    assert made == ["POST"]
    token = await seat.token()
    assert token is not None and token.startswith("mt_")
    await seat.page.click(".home")
    await seat.page.check("[value=SH1-C2]", force=True)
    await seat.page.click("[data-game=SH]")
    await seat.at_table()
    assert (await seat.figure("deal")).startswith("SH1-C2-")
    assert made == ["POST"]
    assert await seat.token() == token


async def test_running_games_are_listed_and_gone_on_with(seat: Seat) -> None:
    await seat.enter()
    first = await seat.deal("HM1-N-AAAAAAB")
    await seat.tap("P1")
    await seat.tap("P8")
    await seat.until("score", 10)
    await seat.page.click(".home")
    await seat.page.wait_for_selector(".running a")
    await seat.deal("SH1-C1-AAAAAJ2")
    await seat.page.click(".home")
    await seat.page.wait_for_selector(".running li:nth-child(2)")
    assert "SH1-C1-AAAAAJ2" in await seat.page.inner_text(".running li:nth-child(1)")
    await seat.page.click(f".running a[href$='{first}']")
    await seat.at_table()
    await seat.until("score", 10)


async def test_a_code_that_cannot_be_read_says_what_is_wrong_with_it(seat: Seat) -> None:
    await seat.enter()
    for code, says in (
        ("HM1-N-AAAA", "A code ends in 7"),
        ("XX1-N-AAAAAAB", "A code begins with its game"),
        ("HM7-N-AAAAAAB", "These rules are in version 1"),
        ("SH1-C3-AAAAAAB", "no such variant"),
        ("HM1-N-AAAA!AB", "only letters, digits and hyphens"),
    ):
        await seat.page.fill("[name=code]", code)
        await seat.page.press("[name=code]", "Enter")
        await seat.page.wait_for_function(
            "says => document.querySelector('.fault').textContent.includes(says)", arg=says
        )


async def test_a_dead_end_is_announced_with_what_one_can_do(seat: Seat) -> None:
    line = _shortest_dead_end()
    await seat.enter()
    await seat.deal(line["code"])
    steps = [step for step in line["steps"] if step["ok"]]
    for step in steps:
        for place in step["remove"]:
            await seat.tap(place)
        await seat.until("moves", step["moves"])
    await seat.page.wait_for_selector(".sheet.dead-end")
    assert await seat.page.locator(".sheet.dead-end .actions button").all_inner_texts() == [
        "Undo",
        f"Finish with {steps[-1]['score']}",
        "New",
    ]
    await seat.page.click(".sheet.dead-end .main")
    await seat.until("moves", len(steps) - 1)
    assert await seat.page.locator(".sheet").count() == 0
    for place in steps[-1]["remove"]:
        await seat.tap(place)
    await seat.page.click("text=Finish with")
    await seat.page.wait_for_selector(".sheet.over")
    assert "Given up" in await seat.page.inner_text(".sheet.over h2")
    assert await seat.page.is_disabled(".as-card.undo")


async def test_giving_up_asks_first(seat: Seat) -> None:
    await seat.enter()
    await seat.deal("SH1-C4-AAAAAJ2")
    await seat.page.click(".bar-button.giveUp")
    await seat.page.click("text=Keep playing")
    await seat.drag("T1", "C3")
    await seat.until("moves", 1)
    await seat.page.click(".bar-button.giveUp")
    await seat.page.click(".sheet .main")
    await seat.page.wait_for_selector(".sheet.over")
    await seat.page.click("text=Same deal again")
    await seat.until("moves", 0)
    assert await seat.figure("deal") == "SH1-C4-AAAAAJ2"


async def test_french_is_whole_down_to_the_letters_on_the_cards(phone: Seat) -> None:
    await phone.enter(language="fr", errors=True)
    await phone.deal("HM1-N-AAAAAAB")
    assert await phone.page.get_attribute("html", "lang") == "fr"
    assert await phone.label("P5") == "pile 5 : dame de cœur, 8 cartes"
    buttons = await phone.page.locator(".bar-button:visible").all_inner_texts()
    assert buttons == ["Annuler", "Nouvelle", "Réglages", "Abandonner"]
    assert await phone.page.inner_text(".figure.moves small") == "Coups"
    drawn = await phone.page.evaluate(
        """async () => {
            const { RANKS } = await import('/app/glyphs.js');
            const strokes = [...document.querySelectorAll('.card .rank')].map((one) => one.getAttribute('d'));
            return Object.keys(RANKS).filter((letter) => strokes.includes(RANKS[letter]));
        }"""
    )
    assert set("VDR") < set(drawn)
    assert not set("JQK") & set(drawn)
    await phone.tap("P1")
    await phone.tap("P2")
    assert await phone.notice() == "La somme doit être égale à 11"


async def test_a_setting_is_kept_and_works_at_once(seat: Seat) -> None:
    await seat.enter()
    await seat.page.click(".start .corner")
    await seat.page.select_option("[name=language]", "fr")
    await seat.page.wait_for_selector("text=Erreurs de mouvement")
    await seat.page.select_option("[name=theme]", "light")
    assert await seat.page.evaluate("getComputedStyle(document.body).color") == "rgb(18, 48, 61)"
    await seat.page.reload()
    await seat.page.wait_for_selector("text=Deux réussites au clair de lune")
    assert await seat.page.get_attribute("html", "data-theme") == "light"


async def test_every_language_says_everything_and_knows_every_reason(seat: Seat, table: ServerProcess) -> None:
    await seat.enter()
    said: dict[str, list[str]] = await seat.page.evaluate(
        """async () => {
            const { LANGUAGES } = await import('/app/texts.js');
            const paths = (words, prefix = '') => Object.entries(words).flatMap(([name, value]) =>
                value !== null && typeof value === 'object' ? paths(value, `${prefix}${name}.`) : [prefix + name]);
            const all = {};
            for (const code of Object.keys(LANGUAGES)) {
                all[code] = paths((await import(`/app/texts/${code}.js`)).default)
                    .filter((path) => !path.startsWith('letters.')).sort();
            }
            return all;
        }"""
    )
    assert len(said) >= 2
    for code, paths in said.items():
        assert paths == said["en"], code
    _, rulesets = table.request("GET", "/v1/rulesets")
    reasons = {reason for ruleset in rulesets["items"] for reason in ruleset["reasons"]}
    assert {f"reasons.{reason}" for reason in reasons} <= set(said["en"])


def _shortest_dead_end() -> dict[str, Any]:
    games = [json.loads(line) for line in CASES.read_text().splitlines()]
    return min((game for game in games if game["kind"] == "dead_end"), key=lambda game: len(game["steps"]))
