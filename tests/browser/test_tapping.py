"""Taps, double taps and drags, as RULES, "Tapping" has them, and what is shown before the server has answered."""

from server.solitaires import SOLITAIRES, read_code
from server.solitaires.protocol import IllegalMove
from tests.browser.cable import Cable
from tests.browser.seat import Seat

MOTION = True

SEAHAVEN = "SH1-C4-AAAAAJ2"


def columns_that(*, tap: bool, double_tap: bool) -> list[str]:
    """Columns of the opening whose top card a tap, or a double tap, moves or not."""
    solitaire = SOLITAIRES["SH1-C4"]
    state = solitaire.deal(read_code(SEAHAVEN).body)

    def moves(what: str, place: str) -> bool:
        try:
            _ = solitaire.tap(state, (), place) if what == "tap" else solitaire.double_tap(state, place)
        except IllegalMove:
            return False
        return True

    names = [place.name for place in solitaire.places if place.role == "column"]
    return [name for name in names if moves("tap", name) == tap and moves("double_tap", name) == double_tap]


async def test_a_selection_and_a_removal_are_shown_before_the_answer(seat: Seat) -> None:
    cable = await Cable().lay(seat.page)
    await seat.enter()
    await seat.deal("HM1-N-AAAAAAB")
    await seat.page.wait_for_timeout(300)
    cable.hold()
    await seat.tap("P1")
    await seat.until_selected("P1")
    cable.release()
    await seat.page.wait_for_timeout(100)
    cable.hold()
    await seat.tap("P8")
    await seat.page.wait_for_function(
        "() => document.querySelector('[data-place=P8]').ariaLabel === 'pile 8: 7 cards'"
    )  # gone already, and what lies below is not known yet
    assert await seat.figure("score") == "0"
    cable.release()
    await seat.until("score", 10)
    assert await seat.label("P8") == "pile 8: jack of clubs, 7 cards"


async def test_one_command_is_in_flight_and_further_taps_wait_their_turn(seat: Seat) -> None:
    cable = await Cable().lay(seat.page)
    await seat.enter()
    await seat.deal("HM1-N-AAAAAAB")
    await seat.page.wait_for_timeout(300)
    cable.hold()
    for place in ("P1", "P8", "P8"):
        await seat.tap(place)
    await seat.page.wait_for_timeout(200)
    assert [(one["do"], one["place"]) for one in cable.sent] == [("tap", "P1")]
    cable.release()
    await seat.until("moves", 1)
    await seat.until_selected("P8")  # the jack that came up: the third tap was meant for whatever lies there
    assert [one["selection"] for one in cable.sent] == [[], ["P1"], []]
    assert len({one["command_id"] for one in cable.sent}) == 3


async def test_what_does_not_fit_is_explained_only_to_those_who_want_it(seat: Seat) -> None:
    await seat.enter()
    await seat.deal("HM1-N-AAAAAAB")
    await seat.tap("P1")
    await seat.tap("P3")
    await seat.page.wait_for_function(
        "() => document.querySelector('.voice').textContent.startsWith('A jack, a queen')"
    )
    await seat.until_selected()
    assert await seat.page.is_hidden(".notice")
    await seat.page.click(".bar-button.settings")
    await seat.page.check("[name=errors]")
    await seat.page.keyboard.press("Escape")
    await seat.tap("P3")
    await seat.tap("P12")
    assert await seat.notice() == "A jack, a queen and a king are needed"
    await seat.until_selected("P12")


async def test_placement_help_darkens_what_does_not_go_with_the_selected_card(seat: Seat) -> None:
    await seat.enter(help=True)
    await seat.deal("HM1-N-AAAAAAB")
    assert await seat.page.locator(".card.dark").count() == 0
    await seat.tap("P1")  # a five: two sixes are in sight
    await seat.page.wait_for_selector(".card.dark")
    assert await seat.page.locator(".card:not(.dark)").count() == 3
    await seat.tap("P1")
    await seat.page.wait_for_function("() => document.querySelectorAll('.card.dark').length === 0")


async def test_a_double_tap_is_sent_when_the_tap_moved_nothing(seat: Seat) -> None:
    (place, *_) = columns_that(tap=False, double_tap=True)
    cable = await Cable().lay(seat.page)
    await seat.enter(errors=True)
    await seat.deal(SEAHAVEN)
    await seat.double_tap(place)
    await seat.until("moves", 1)
    assert [(one["do"], one["place"]) for one in cable.sent] == [("tap", place), ("double_tap", place)]
    await seat.page.wait_for_timeout(350)
    assert await seat.page.is_hidden(".notice")  # the reason of the first touch is not told


async def test_the_second_touch_is_swallowed_when_the_first_moved_something(seat: Seat) -> None:
    (place, *_) = columns_that(tap=True, double_tap=True)
    cable = await Cable().lay(seat.page)
    await seat.enter()
    await seat.deal(SEAHAVEN)
    await seat.double_tap(place)
    await seat.until("moves", 1)
    await seat.page.wait_for_timeout(350)
    assert [(one["do"], one["place"]) for one in cable.sent] == [("tap", place)]
    assert await seat.figure("moves") == "1"


async def test_the_reason_of_a_single_touch_is_told_once_no_second_came(seat: Seat) -> None:
    (place, *_) = columns_that(tap=False, double_tap=True)
    await seat.enter(errors=True)
    await seat.deal(SEAHAVEN)
    await seat.tap(place)
    assert await seat.notice() == "Its foundation is not ready for it yet"


async def test_cards_that_may_not_go_there_fly_back(seat: Seat) -> None:
    await seat.enter(errors=True)
    await seat.deal(SEAHAVEN)
    before = await seat.labels()
    await seat.drag("T1", "T2")
    assert await seat.notice() == "It must go on the next higher card of its suit"
    await seat.drag("T1", "T2", 3)
    await seat.page.wait_for_function(
        "() => document.querySelector('.notice').textContent.startsWith('Only a sequence')"
    )
    assert await seat.labels() == before
    assert await seat.figure("moves") == "0"
    spots = await seat.page.evaluate(
        """() => {
            const box = document.querySelector('[data-place=T1]').getBoundingClientRect();
            return Promise.all(document.getAnimations().map((one) => one.finished)).then(() =>
                [...document.querySelectorAll('.card')].filter((card) => {
                    const { x, y, bottom } = card.getBoundingClientRect();
                    return Math.abs(x - box.x) < 1 && y > box.y - 1 && bottom < box.bottom + 1;
                }).length);
        }"""
    )
    assert spots == 5


async def test_cards_come_back_from_a_foundation_by_drag(seat: Seat) -> None:
    (place, *_) = columns_that(tap=True, double_tap=True)
    await seat.enter()
    await seat.deal(SEAHAVEN)
    await seat.tap(place)
    await seat.until("score", 10)
    labels = await seat.labels()
    (home,) = (name for name, label in labels.items() if name[0] == "F" and "empty" not in label)
    await seat.drag(home, "C3")
    await seat.until("moves", 2)
    assert await seat.figure("score") == "0"


async def test_a_finger_drags_and_taps_as_a_mouse_does(phone: Seat) -> None:
    await phone.enter()
    await phone.deal("HM1-N-AAAAAAB")
    devtools = await phone.page.context.new_cdp_session(phone.page)

    async def finger(kind: str, *at: float) -> None:
        points = [{"x": at[0], "y": at[1]}] if at else []
        await devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    start, end = [await phone.top_of(place) for place in ("P1", "P8")]
    await finger("touchStart", *start)
    for part in range(1, 5):
        await finger("touchMove", *[a + (b - a) * part / 4 for a, b in zip(start, end, strict=True)])
    await finger("touchEnd")
    await phone.until("moves", 1)
    await phone.page.touchscreen.tap(*end)
    await phone.until_selected("P8")
    await phone.page.touchscreen.tap(*await phone.top_of("P5"))
    await phone.until_selected("P5", "P8")
    await phone.page.touchscreen.tap(*await phone.top_of("P3"))
    await phone.until("score", 25)


async def test_everything_can_be_done_by_keyboard(seat: Seat) -> None:
    """Arrows, Enter, M to carry, U to undo."""
    await seat.enter()
    await seat.deal("HM1-N-AAAAAAB")
    keyboard = seat.page.keyboard
    await seat.page.focus("[data-place=P4]")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"):
        await keyboard.press(key)
    assert await seat.page.evaluate("document.activeElement.dataset.place") == "P8"
    await keyboard.press("Enter")
    await seat.until_selected("P8")
    await keyboard.press("Escape")
    await seat.until_selected()
    await keyboard.press("m")
    await seat.page.focus("[data-place=P1]")
    await keyboard.press("Enter")
    await seat.until("moves", 1)
    voice = await seat.page.inner_text(".voice")
    assert "5 of spades" in voice and "6 of diamonds" in voice and "Score 10" in voice
    await keyboard.press("u")
    await seat.until("moves", 0)
