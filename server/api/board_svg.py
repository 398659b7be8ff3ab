"""A picture of a table, made from a view alone: it can show nothing that a view does not.

    banner    a moon that fills as the cards leave, the deal, the score
    table     places where the ruleset puts them, in a grid; one card is 100 wide

Dark ground, colours and faces as the web client has them, everything as paths but the words of the banner.
"""

from collections.abc import Iterator
from functools import lru_cache
from html import escape
from typing import Final, NamedTuple

from server.api.glyphs import RANKS, SUITS
from server.play.view import PlaceView, View
from server.solitaires import SOLITAIRES
from server.solitaires.protocol import Place

WIDTH, HEIGHT, RADIUS = 100, 150, 8
PITCH_X, PITCH_Y = 112, 166
BOW: Final = 66
"""How much lower a place hangs whose ``drop`` is 1."""
MARGIN, BANNER = 28, 84
STEP: Final = 42
"""How much of a fanned card stays visible below the next."""

COLOURS: Final = {"S": "#14202B", "H": "#B3202C", "D": "#0B5FA5", "C": "#1B6B3A"}
FACE, TEXT, MUTED, MOON, EMPTY, DARK = "#FBF7EC", "#E9F1F4", "#A3B8C4", "#F2D98B", "#6F93A8", "#123248"
_STATUS = {"dead_end": "dead end", "resigned": "given up"}


class Spot(NamedTuple):
    """Where a place is drawn: its upper left corner."""

    x: float
    y: float


def board_svg(view: View) -> str:
    """The picture of a game as an SVG document."""
    places = SOLITAIRES[view.ruleset].places
    spots = [_spot(place) for place in places]
    drawn = list(zip(places, spots, view.places, strict=True))
    width = max(spot.x for spot in spots) + WIDTH + MARGIN
    height = max(spot.y + _height(place, held) for place, spot, held in drawn) + MARGIN
    parts = [*_head(view, width, height), *_banner(view, width)]
    for place, spot, held in drawn:
        parts += _place(place, spot, held)
    return "".join([*parts, "</svg>"])


def _spot(place: Place) -> Spot:
    return Spot(
        MARGIN + (place.x - 1) * PITCH_X,
        BANNER + (place.y - 1) * PITCH_Y + place.drop * BOW,
    )


def _height(place: Place, held: PlaceView) -> float:
    return HEIGHT + (STEP * max(0, len(held.cards) - 1) if place.fanned else 0)


def _head(view: View, width: float, height: float) -> Iterator[str]:
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">'
    yield f"<title>{escape(_words(view))}</title><defs>"
    yield '<linearGradient id="sky" x2="0" y2="1"><stop stop-color="#0A1624"/>'
    yield f'<stop offset="1" stop-color="{DARK}"/></linearGradient>'
    shown = {card for place in view.places for card in place.cards}
    for rank in sorted({card[0] for card in shown}):
        yield f'<path id="r{rank}" d="{RANKS[rank]}" fill="none" stroke-width="135" stroke-linejoin="round"/>'
    for suit in sorted({card[1] for card in shown}):
        yield f'<path id="s{suit}" d="{SUITS[suit]}"/>'
    yield f'</defs><rect width="{width:g}" height="{height:g}" fill="url(#sky)"/>'


def _words(view: View) -> str:
    """The picture in words, for those who do not see it."""
    name = view.code or (f"daily of {view.daily.date}" if view.daily else "sealed deal")
    moves = "1 move" if view.moves == 1 else f"{view.moves} moves"
    status = _STATUS.get(view.status, view.status)
    return f"{SOLITAIRES[view.ruleset].title} · {name} · {view.score} points · {moves} · {status}"


def _banner(view: View, width: float) -> Iterator[str]:
    radius, x, y = 18, MARGIN + 20, BANNER / 2 - 6
    yield f'<circle cx="{x}" cy="{y:g}" r="{radius}" fill="{DARK}" stroke="{MOON}" stroke-opacity=".5"/>'
    gone = _total(view.ruleset) - sum(place.count for place in view.places if place.role != "foundation")
    if lit := gone / _total(view.ruleset):
        across = radius * abs(1 - 2 * lit)
        edge = f"A{across:.1f} {radius} 0 0 {int(lit > 0.5)} 0-{radius}"
        shape = f"M0-{radius}A{radius} {radius} 0 0 1 0 {radius}{edge}Z"
        yield f'<path transform="translate({x} {y:g})" d="{shape}" fill="{MOON}"/>'
    yield f'<text x="{x + 34}" y="{y + 7:g}" font-family="system-ui, sans-serif" font-size="20" fill="{TEXT}">'
    yield f"{escape(_words(view))}</text>"


def _place(place: Place, spot: Spot, held: PlaceView) -> Iterator[str]:
    if not held.cards:
        yield (
            f'<rect x="{spot.x + 1:g}" y="{spot.y + 1:g}" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="{RADIUS}"'
            f' fill="none" stroke="{EMPTY}" stroke-dasharray="5 5"/>'
        )
        return
    if place.fanned:
        for number, card in enumerate(held.cards):
            yield _card(card, spot.x, spot.y + number * STEP)
        return
    if held.count > 1:
        # The edge of the card below, and how many there are.
        yield _blank(spot.x + 3, spot.y + 4, MUTED)
    yield _card(held.cards[-1], spot.x, spot.y)
    if held.count > 1:
        yield _badge(held.count, spot)


def _blank(x: float, y: float, fill: str) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="{RADIUS}" fill="{fill}"'
        f' stroke="{DARK}" stroke-width="1.5"/>'
    )


def _card(card: str, x: float, y: float) -> str:
    rank, suit = card[0], card[1]
    colour = COLOURS[suit]
    return (
        f'<g><title>{card}</title>{_blank(x, y, FACE)}<g transform="translate({x:g} {y:g})" fill="{colour}"'
        f' stroke="{colour}"><use href="#r{rank}" transform="translate(24 24) scale(.034)"/>'
        f'<g stroke="none"><use href="#s{suit}" transform="translate(74 22) scale(.026)"/>'
        f'<use href="#s{suit}" transform="translate(50 96) scale(.066)"/></g></g></g>'
    )


def _badge(count: int, spot: Spot) -> str:
    x, y = spot.x + WIDTH - 17, spot.y + HEIGHT - 17
    return (
        f'<rect x="{x - 15:g}" y="{y - 12:g}" width="30" height="24" rx="12" fill="{DARK}"/>'
        f'<text x="{x:g}" y="{y + 6:g}" font-family="system-ui, sans-serif" font-size="17" text-anchor="middle"'
        f' fill="#FFFFFF">{count}</text>'
    )


@lru_cache(maxsize=64)
def _total(ruleset: str) -> int:
    """How many cards the game is played with."""
    return sum(map(len, SOLITAIRES[ruleset].deal("AAAAAAA").places))
