"""Everything that can be asked about a sealed attempt, made from the table of routes.

A route, a parameter or a kind of message that is not known here raises `NotCovered`: whoever adds one says here
what to ask of it, and the two worlds are asked.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, get_args
from urllib.parse import urlencode

from server.api.endpoint import Access, Endpoint
from server.api.messages import ClientMessage, ServerMessage
from server.api.routes import ENDPOINTS

UNKNOWN: Final = "01937a6a-5c00-7000-8000-000000000000"
NONSENSE: Final = (UNKNOWN, "nonsense", "2026-02-30", "XX1-N", "HM1-N-AAAAAA")
WITH_EVERY: Final = ("nobody", "player", "rival", "forger")
"""Who asks: without a token, the attempt's player, another player, somebody with a token that is none."""


READING: Final = [endpoint for endpoint in ENDPOINTS if endpoint.method == "GET"]


class NotCovered(AssertionError):
    """There is something that the two worlds are not asked about."""


class Question(NamedTuple):
    """A request that changes nothing."""

    asker: str
    method: str
    target: str
    accept: str | None = None
    body: Any = None


class Names(NamedTuple):
    """What questions are about."""

    game: str
    player: str
    rival: str
    date: str
    ruleset: str
    codes: tuple[str, str]
    head: int
    cursors: tuple[str, ...]


def paths(path: str, names: Names) -> list[str]:
    """The paths that a route stands for, what is not there included."""
    values: dict[str, Sequence[str]] = {}
    if path.startswith("/v1/games/"):
        values = {"id": (names.game, UNKNOWN, "nonsense")}
    elif path.startswith("/v1/players/"):
        values = {"id": (names.player, names.rival)}
    elif path.startswith("/problems/"):
        values = {"code": ("sealed", "nothing")}
    elif "{code}" in path:
        values = {"code": (*names.codes, "HM1-N-AAAAAAB", "HM1-N-AAAAAA")}
    elif "{date}" in path:
        values = {"date": (names.date, "2026-02-30"), "ruleset": (names.ruleset, "XX1-N")}
    made = [path]
    for name, choices in values.items():
        made = [one.replace("{" + name + "}", choice) for one in made for choice in choices]
    made = list(dict.fromkeys(made))
    if any("{" in one for one in made):
        raise NotCovered(f"what stands for the parameters of {path}?")
    return made


def queries(fields: Sequence[str], names: Names) -> list[dict[str, str]]:
    """No query, each parameter with each of its values, and what belongs together."""
    values: Mapping[str, Sequence[str]] = {
        "at": ("1", str(names.head), str(names.head + 1), "0"),
        "legal": ("1", "2"),
        "after": ("0", str(names.head), str(names.head - 1), "9999"),
        "limit": ("1", "200", "0"),
        "wait": ("0", "25", "26"),
        "code": (*names.codes, "HM1-N-AAAAAA"),
        "ruleset": (names.ruleset, "XX1-N"),
        "status": ("playing", "dead_end", "won", "resigned", "expired"),
        "since": (f"{names.date}T00:00:00.000Z", "yesterday"),
        "until": (f"{names.date}T00:00:00.000Z",),
        "watching": ("public", "private"),
        "cursor": ("A" * 32, "nonsense", *names.cursors),
        "view": ("top", "around"),
        "by": ("moves", "luck"),
        "month": (names.date[:7], "2026-13"),
    }
    together = (
        {"at": "1", "legal": "1"},
        {"after": "1", "limit": "1"},
        *({"code": code, "limit": "1"} for code in names.codes),
        {"watching": "public", "code": names.codes[0]},
        {"watching": "public", "limit": "1"},
        {"view": "around", "by": "moves"},
    )
    if strange := set(fields) - set(values):
        raise NotCovered(f"what stands for the parameters {', '.join(sorted(strange))}?")
    alone = [{name: value} for name in fields for value in values[name]]
    return [{}, *alone, *(one for one in together if set(one) <= set(fields))]


def questions(names: Names) -> Iterator[Question]:
    """Every question, as each asker asks it."""
    for endpoint in READING:
        # The first path is the one that it is about; of the others one question each tells enough.
        first, *others = paths(endpoint.path, names)
        for path in (first, *others):
            for query in queries(endpoint.query.__struct_encode_fields__, names) if path is first else [{}]:
                for asker in askers(endpoint) if not query else askers(endpoint)[:3]:
                    for media in (None, *endpoint.others):
                        yield Question(asker, "GET", target_of(path, query), media)
        for method in ("HEAD", "OPTIONS", "BREW"):
            yield Question("player", method, first)
    yield Question("player", "GET", "/v1/nothing")
    yield Question("player", "GET", "/v1/games?nothing=1")


def some(names: Names, chance: random.Random, number: int) -> Iterator[Question]:
    """So many of the questions, every route as likely as the next."""
    for _ in range(number):
        endpoint = chance.choice(READING)
        path = chance.choice(paths(endpoint.path, names))
        query = chance.choice(queries(endpoint.query.__struct_encode_fields__, names))
        media = chance.choice([None, *endpoint.others])
        yield Question(chance.choice(askers(endpoint)), "GET", target_of(path, query), media)


def core(names: Names) -> list[Question]:
    """What a client asks all the time, and a thief first."""
    game = f"/v1/games/{names.game}"
    return [
        Question("player", "GET", f"{game}?legal=1"),
        Question("player", "GET", f"{game}/events?limit=200"),
        Question("player", "GET", f"{game}/receipt"),
        Question("rival", "GET", game),
    ]


def target_of(path: str, query: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(query)}" if query else path


def askers(endpoint: Endpoint[Any, Any]) -> tuple[str, ...]:
    return ("nobody",) if endpoint.access is Access.OPEN else WITH_EVERY


def require_acts(acts: Mapping[tuple[str, str], object]) -> None:
    """Raise `NotCovered` unless these are exactly the routes that change something."""
    changing = {(one.method, one.path) for one in ENDPOINTS if one.method != "GET"} | {("GET", "/v1/live")}
    if unlike := changing ^ set(acts):
        raise NotCovered(f"routes with no act, or acts with no route: {sorted(unlike)}")


CLIENT_KINDS: Final = frozenset(kind.__struct_config__.tag for kind in get_args(ClientMessage))
SERVER_KINDS: Final = frozenset(kind.__struct_config__.tag for kind in get_args(ServerMessage))
