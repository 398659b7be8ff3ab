"""Whole won games of both kinds, played with a mouse in a real browser and found in the database afterwards."""

from pathlib import Path
from typing import Any

from server.solitaires import SOLITAIRES, read_code
from server.solitaires.protocol import IllegalMove, Move, Solitaire, State, Transfer
from tests.browser.conftest import stored, stored_status
from tests.browser.seat import Seat

Line = list[dict[str, Any]]

SEAHAVEN = "SH1-C4-WU3PBEJ"


async def test_half_moon_is_played_to_its_end(seat: Seat, database: Path, winning: dict[str, Line]) -> None:
    """All 48 moves of the published deal by clicks, with a movement error, a drag, an undo and a reload."""
    line = winning["HM1-N-AAAAAAB"]
    await seat.enter(errors=True)
    game = await seat.deal("hm1 n aaaa aab")
    assert await seat.figure("deal") == "HM1-N-AAAAAAB"
    assert await seat.label("P1") == "pile 1: 5 of spades, 8 cards"

    await seat.tap("P1")
    await seat.tap("P2")
    assert await seat.notice() == "The sum must be 11"
    await seat.until_selected()

    await seat.drag("P1", "P8")  # the first move of the line
    await seat.until("score", 10)
    assert await seat.label("P8") == "pile 8: jack of clubs, 7 cards"
    await seat.page.click(".as-card.undo")
    await seat.until("score", 0)
    assert await seat.label("P1") == "pile 1: 5 of spades, 8 cards"

    for number, step in enumerate(line):
        for place in step["remove"]:
            await seat.tap(place)
        await seat.until("moves", step["moves"])
        if number == 23:
            before = await seat.labels()
            await seat.page.reload()
            await seat.at_table()
            await seat.until("score", step["score"])
            assert await seat.labels() == before

    await seat.page.wait_for_selector(".sheet.won")
    assert await seat.figure("score") == "520"
    assert "Victory" in await seat.page.inner_text(".sheet.won")
    events = list(stored(database, game))
    assert [kind for kind, _ in events] == ["dealt", "moved", "undone", *["moved"] * 48]
    assert [data["remove"] for _, data in events[3:]] == [step["remove"] for step in line]
    assert stored_status(database, game) == "won"


async def test_seahaven_is_played_to_its_end(seat: Seat, database: Path, winning: dict[str, Line]) -> None:
    """A whole line with taps, double taps and drags, groups of ten cards among them, and a reload in the middle."""
    line = winning[SEAHAVEN]
    solitaire = SOLITAIRES["SH1-C4"]
    state = solitaire.deal(read_code(SEAHAVEN).body)
    await seat.enter()
    game = await seat.deal(SEAHAVEN)
    hands = {"tap": 0, "double_tap": 0, "drag": 0}
    touched = ""

    for number, step in enumerate(line):
        move = Transfer(step["from"], step["to"], step["count"])
        # a place that was just touched is dragged from: a tap could be the second touch of a double tap
        hand = "drag" if move.source == touched else _hand_for(solitaire, state, move)
        hands[hand] += 1
        touched = move.source
        if hand == "tap":
            await seat.tap(move.source)
        elif hand == "double_tap":
            await seat.double_tap(move.source)
        else:
            await seat.drag(move.source, move.target, move.count)
        await seat.until("moves", step["moves"])
        state = solitaire.apply(state, move, solitaire.play(state, move).points)
        if number == 40:
            await seat.page.reload()
            await seat.at_table()
            await seat.until("score", step["score"])

    await seat.page.wait_for_selector(".sheet.won")
    assert await seat.figure("score") == "520"
    assert min(hands.values()) >= 5, hands
    events = list(stored(database, game))
    assert [kind for kind, _ in events] == ["dealt", *["moved"] * len(line)]
    assert [(data["from"], data["to"], data["count"]) for _, data in events[1:]] == [
        (step["from"], step["to"], step["count"]) for step in line
    ]
    assert stored_status(database, game) == "won"


def _hand_for(solitaire: Solitaire, state: State, move: Transfer) -> str:
    """The least that does this move: a tap, a double tap, or a drag."""

    def means(touch: Move | object) -> bool:
        return touch == move

    try:
        if means(solitaire.tap(state, (), move.source)):
            return "tap"
    except IllegalMove:
        pass
    try:
        if means(solitaire.double_tap(state, move.source)):
            return "double_tap"
    except IllegalMove:
        pass
    return "drag"
