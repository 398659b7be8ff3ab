"""Boards in the browser: of a code that somebody typed, after a game, with my row, lenses and a public name."""

from typing import Any

from tests.browser.seat import Seat
from tests.parts.server_process import ServerProcess

CODE = "SH1-C4-AAAAAJ2"
MOVE = {"do": "move", "from": "T1", "to": "C3", "count": 1}


def others(table: ServerProcess, code: str, moves: list[dict[str, Any]], names: list[str]) -> None:
    """Players who make these moves and give up."""
    for name in names:
        token = table.request("POST", "/v1/players", {"name": name})[1]["token"]
        game = table.request("POST", "/v1/games", {"code": code}, token)[1]["id"]
        for number, command in enumerate([*moves, {"do": "resign"}]):
            status, _ = table.request(
                "POST", f"/v1/games/{game}/commands", {"command_id": f"c{number}", **command}, token
            )
            assert status == 200


async def test_a_board_is_empty_at_first_and_has_my_row_after_a_game(seat: Seat, table: ServerProcess) -> None:
    page = seat.page
    await seat.enter()
    await page.fill("[name=code]", "sh1 c4 aaaa aj2")
    await page.click(".board-of")
    await page.wait_for_selector(".board .nobody")
    assert await page.inner_text(".board .nobody") == "Nobody has sailed this deal. Be first."
    assert await page.inner_text(".code-text") == CODE
    others(table, CODE, [MOVE], ["Ada", "Grace"])
    others(table, CODE, [MOVE, {**MOVE, "to": "C4"}], ["Linus"])

    await page.click(".page .main")  # play this deal
    await seat.at_table()
    await seat.drag("T1", "C3")
    await seat.until("moves", 1)
    await page.click(".bar-button.giveUp")
    await page.click(".sheet .main")
    await page.click(".sheet.over button:has-text('Board')")
    await page.wait_for_selector(".board .mine")
    rows = await page.locator(".board tbody tr").all_inner_texts()
    assert len(rows) == 4
    assert "1st try" in await page.inner_text(".board .mine")
    assert "of 4" in await page.inner_text(".my-rank")

    # by moves Linus is last, however slow a mouse is
    await page.click("[data-pick=by-moves]")
    await page.wait_for_selector("[data-pick=by-moves][aria-pressed=true]")
    assert "better than 33.3 % of the others" in await page.inner_text(".my-rank")
    assert "score, moves, time" in await page.inner_text(".board .order")
    assert "Linus" in (await page.locator(".board tbody tr").all_inner_texts())[-1]
    await page.click("[data-pick=around]")
    await page.wait_for_selector("[data-pick=around][aria-pressed=true]")
    assert await page.locator(".board .mine").count() == 1
    await page.click(".board .mine .replay a")
    await seat.at_table()
    await page.keyboard.press("End")
    await seat.until("moves", 1)


async def test_equal_results_share_a_rank_and_say_so(
    seat: Seat, table: ServerProcess, winning: dict[str, list[dict[str, Any]]]
) -> None:
    """All within one second of their deal."""
    code = "HM1-N-IDVWTFK"
    others(table, code, [], ["Nobody"])  # a game without a move makes no row
    others(table, code, [{"do": "move", "remove": winning[code][0]["remove"]}], ["Ada", "Grace"])
    await seat.enter(f"/#/board/{code}")
    await seat.page.wait_for_selector(".board tbody tr")
    ranks = await seat.page.locator(".board .rank").all_inner_texts()
    assert ranks == ["1 =", "1 ="]
    assert await seat.page.locator(".choices .pill").count() == 0  # nobody to be around, no lens
    assert await seat.token() is None


async def test_a_public_name_is_chosen_where_boards_are_shown(seat: Seat, table: ServerProcess) -> None:
    page, code = seat.page, "HM1-N-TANGPVY"
    await seat.enter()
    await seat.deal(code)
    await seat.enter(f"/#/board/{code}")
    await page.click(".naming button")
    await page.fill("[name=name]", "x")
    await page.press("[name=name]", "Enter")
    await page.wait_for_selector(".naming .fault")
    assert "2 to 20 letters" in await page.inner_text(".naming .fault")
    await page.fill("[name=name]", "Ada-Lou")
    await page.press("[name=name]", "Enter")
    await page.wait_for_selector(".naming b:has-text('Ada-Lou')")
    me = table.request("GET", "/v1/players/me", None, await seat.token())[1]
    assert me["name"] == "Ada-Lou"
    assert me["tag"] in await page.inner_text(".naming")
