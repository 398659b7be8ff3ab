"""The page itself: how much it weighs, what it may load, and that everything fits every window without scrolling."""

import gzip
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.browser.days import Days
from tests.browser.seat import Seat
from tests.parts.server_process import ServerProcess

MOTION = True

WEB = Path(__file__).parents[2] / "clients" / "web"
WINDOWS = [
    (390, 844), (844, 390), (768, 1024), (1440, 900), (390, 664), (360, 560), (320, 454), (844, 326), (1920, 1080),
]  # fmt: skip


def test_the_whole_client_weighs_less_than_250_kb_gzipped() -> None:
    files = [path for path in WEB.rglob("*") if path.is_file() and path.suffix != ".md"]
    assert len(files) > 20
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < 250_000


def test_the_client_names_no_address_outside_itself() -> None:
    """`w3.org` is the name of SVG, not a place that is asked."""
    for path in WEB.rglob("*"):
        if path.suffix in {".js", ".css", ".html", ".svg", ".webmanifest"}:
            text = path.read_text().replace("http://www.w3.org/2000/svg", "")
            assert "http://" not in text and "https://" not in text, path


async def test_nothing_inline_is_allowed_and_nothing_is_loaded_from_elsewhere(seat: Seat) -> None:
    """Chromium reports every violation of the policy as a console error, which no seat forgives."""
    answer = await seat.page.goto(seat.url + "/")
    assert answer is not None
    policy = (await answer.all_headers())["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    await seat.page.wait_for_selector("[data-game=HM]")
    await seat.deal("HM1-N-AAAAAAB")
    await seat.page.wait_for_timeout(300)
    assert seat.elsewhere == []


async def test_every_table_fits_every_window(seat: Seat, table: ServerProcess) -> None:
    """By the layout alone: inside the frame, nothing on top of anything else, columns of 18 cards included."""
    _, known = table.request("GET", "/v1/rulesets")
    await seat.enter()
    for ruleset, (width, height) in product(known["items"], WINDOWS):
        places = ruleset["places"]
        found: list[dict[str, Any]] = await seat.page.evaluate(
            """async ([places, width, height]) => {
                const { layOut, stepOf } = await import('/app/layout.js');
                const area = { width, height, top: 0, right: 0, bottom: 0, left: 0 };
                const { frame, card, slots, undo } = layOut(places, area);
                const boxes = places.map(({ name, fanned }) => {
                    const { x, y } = slots.get(name);
                    const step = fanned ? stepOf(slots.get(name), 18, card.height) : 0;
                    return { name, x, y, right: x + card.width, bottom: y + card.height + 17 * step, step, fanned };
                });
                const { width: wide, height: tall } = card;
                if (undo) boxes.push({ ...undo, name: 'undo', right: undo.x + wide, bottom: undo.y + tall });
                boxes.push({ name: 'frame', x: frame.x, y: frame.y, right: width, bottom: frame.y + frame.height });
                return boxes;
            }""",
            [places, width, height],
        )
        frame = found.pop()
        for box in found:
            where = f"{box['name']} of {ruleset['ruleset']} at {width}x{height}"
            assert box["x"] >= 0 and box["right"] <= width, where
            assert box["y"] >= frame["y"] and box["bottom"] <= frame["bottom"], where
            assert not box.get("fanned") or box["step"] >= 11, where
        for at, one in enumerate(found):
            for other in found[at + 1 :]:
                across = min(one["right"], other["right"]) - max(one["x"], other["x"])
                down = min(one["bottom"], other["bottom"]) - max(one["y"], other["y"])
                # on phones the cards of an arc overlap by 6 px, a fan
                assert across <= 6.5 or down <= 0, f"{one['name']} on {other['name']} at {width}x{height}"


@pytest.mark.parametrize("code", ["HM1-N-AAAAAAB", "SH1-C4-AAAAAJ2"])
async def test_nothing_overlaps_and_nothing_scrolls_on_the_real_page(seat: Seat, code: str) -> None:
    await seat.enter(language="fr")  # the longer words
    await seat.deal(code)
    for width, height in WINDOWS:
        await seat.page.set_viewport_size({"width": width, "height": height})
        await seat.page.wait_for_function(
            "width => document.querySelector('.scene').viewBox.baseVal.width === width", arg=width
        )
        faults: list[str] = await seat.page.evaluate(
            """() => {
                const shown = (one) => one.getClientRects().length && getComputedStyle(one).visibility === 'visible';
                const all = (query) => [...document.querySelectorAll(query)].filter(shown);
                const faults = [];
                const root = document.scrollingElement;
                if (root.scrollHeight > innerHeight || root.scrollWidth > innerWidth) faults.push('the page scrolls');
                const controls = [...all('.banner > *'), ...all('.bar > *')];
                const places = all('[data-place]');
                const name = (one) => one.dataset.place ?? one.className;
                const boxes = new Map([...controls, ...places].map((one) => [one, one.getBoundingClientRect()]));
                for (const [one, box] of boxes) {
                    const { left, top, right, bottom } = box;
                    if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1)
                        faults.push(`${name(one)} sticks out`);
                }
                for (const one of controls) for (const other of [...controls, ...places]) {
                    if (one === other) continue;
                    const [a, b] = [boxes.get(one), boxes.get(other)];
                    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                    if (across > 0.5 && down > 0.5) faults.push(`${name(one)} on ${name(other)}`);
                }
                for (const one of all('.banner *, .bar *, .as-card *')) {
                    const size = parseFloat(getComputedStyle(one).fontSize);
                    if (one.textContent && size < 12) faults.push(`${one.className} is too small`);
                }
                return faults;
            }"""
        )
        assert faults == [], (width, height)


async def test_no_page_is_wider_than_its_window_and_nothing_on_it_is_too_small(
    seat: Seat, table: ServerProcess, days: Days
) -> None:
    """In French, which is longer, down to the smallest phone; pages may be longer than a window, never wider."""
    name = table.request("POST", "/v1/players", {"name": "WWWWWWWWWWWWWWWWWWWW"})[1]["token"]
    game = table.request("POST", "/v1/games", {"code": "SH1-C2-AAAAAJ2"}, name)[1]["id"]
    move = table.request("GET", f"/v1/games/{game}?legal=1", None, name)[1]["legal"][0]
    for command in ({"command_id": "a", "do": "move", **move}, {"command_id": "b", "do": "resign"}):
        assert table.request("POST", f"/v1/games/{game}/commands", command, name)[0] == 200
    await seat.enter(language="fr")
    for path, there in (
        ("#/", "[data-daily]"),
        (f"#/daily/{days.past}/HM1-N", ".board tbody tr"),
        (f"#/daily/{days.today}/SH1-C1", ".proof"),
        (f"#/days/{days.today[:7]}", ".days li"),
        ("#/board/SH1-C2-AAAAAJ2", ".board tbody tr"),
        (f"#/replay/{days.games['Ada']}", ".controls:not([hidden])"),
    ):
        await seat.page.evaluate("path => { location.hash = path }", path)
        await seat.page.wait_for_selector(there)
        for width, height in ((320, 454), (390, 844), (844, 390), (1440, 900)):
            await seat.page.set_viewport_size({"width": width, "height": height})
            await seat.page.wait_for_function(
                "width => document.querySelector('.scene').viewBox.baseVal.width === width", arg=width
            )
            faults: list[str] = await seat.page.evaluate(
                """() => {
                    const shown = (one) => one.getClientRects().length && !one.closest('.voice, .cards');
                    const root = document.querySelector('.start, .play');
                    const wide = root.scrollWidth > innerWidth ? ['the page is too wide'] : [];
                    const all = [...root.querySelectorAll('*')].filter(shown);
                    const texts = all.filter((one) => one.tagName !== 'svg' && !one.children.length && one.textContent);
                    const small = texts.filter((one) => parseFloat(getComputedStyle(one).fontSize) < 12);
                    const out = all.filter((one) => {
                        const { left, right } = one.getBoundingClientRect();
                        return one.matches('a, button, td, dd, p, input') && (right > innerWidth + 1 || left < -1);
                    });
                    return [...wide, ...small.map((one) => `${one.className} is too small`),
                        ...out.map((one) => `${one.tagName} ${one.className} ${one.textContent} sticks out`)];
                }"""
            )
            assert faults == [], (path, width, height)
