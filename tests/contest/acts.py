"""What else can be done about a sealed attempt: one act for each route that changes something.

No act changes what is sealed or how far the attempt has come; what it must not do, it tries, and guesses with the
very codes that are sealed are among it.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from server.contest.receipts import Receipt, receipt
from server.play.playthrough import replay
from tests.contest.person import Person
from tests.contest.questions import CLIENT_KINDS, NONSENSE, UNKNOWN, NotCovered
from tests.contest.world import PLAYERS_PER_HOUR, World

if TYPE_CHECKING:
    from tests.contest.visit import Visit

Act = Callable[["Visit"], Awaitable[None]]


async def commands(visit: "Visit") -> None:
    path, ask = f"{visit.path}/commands", visit.worlds.ask
    if visit.ended:
        await visit.player.ask("POST", path, {"command_id": "late", "do": "undo"})
    move = {"command_id": "x", "do": "move", "remove": ["P1", "P2"]}
    for token in (None, visit.rival.token, "mt_" + "A" * 43):
        await ask("POST", path, token=token, body=move)
    for body in (
        {"command_id": "s", "do": "resign", "after": 0},
        {"command_id": "s", "do": "resign", "after": max(0, visit.head - 1)} if visit.head > 1 else {},
        {"command_id": "s", "do": "resign", "after": visit.head + 5},
        {"command_id": "c1", "do": "double_tap", "place": "Z9", "selection": []},
        {"command_id": "start", "do": "resign"},
        {"command_id": "s", "do": "tap", "place": "P1", "at": 5},
        {"command_id": "s", "do": "peek"},
        {"command_id": "s", "do": "tap", "place": "P1", "selection": ["P1", "P1"]},
        {"command_id": "s", "do": "move", "from": "T1", "to": "T1"},
    ):
        await visit.player.ask("POST", path, body)
    for raw, media in ((b"{", "application/json"), (b"x" * 70_000, "application/json"), (b"{}", "text/plain")):
        await ask("POST", path, token=visit.player.token, raw=raw, media=media)
    await while_the_storage_fails(visit)


async def while_the_storage_fails(visit: "Visit") -> None:
    """A disk that is full, then a log that does not verify, then all is well again."""
    both, ask = visit.worlds.tell, visit.player.ask
    try:
        both(lambda world: setattr(world.log, "full", True))
        for do in ("undo", "resign"):
            if not visit.ended:
                await ask("POST", f"{visit.path}/commands", {"command_id": "f", "do": do})
        both(lambda world: setattr(world.log, "full", False))
        both(lambda world: setattr(world.log, "spoilt", True))
        await ask("POST", f"{visit.path}/commands", {"command_id": "f", "do": "resign", "after": 0})
        for part in ("", "?at=1", "/events", "/receipt"):
            await ask("GET", visit.path + part)
    finally:
        both(lambda world: setattr(world.log, "full", False))
        both(lambda world: setattr(world.log, "spoilt", False))


async def deal(visit: "Visit") -> None:
    """Guess: open games of both codes, one of which is sealed in each world, to their ends and onto their boards."""
    codes = visit.names.codes
    await visit.worlds.ask("POST", "/v1/games", body={"code": codes[0]})
    for body in ({"code": codes[0][:-1]}, {"ruleset": visit.twin.ruleset}, {"code": codes[1], "ruleset": "HM1-N"}):
        await visit.rival.ask("POST", "/v1/games", body)
    if visit.game != UNKNOWN:
        await visit.player.ask("POST", "/v1/games", {"code": codes[0], "command_id": "start"})
    for person in (visit.player, visit.rival) if visit.whole else [visit.chance.choice([visit.player, visit.rival])]:
        for code in codes:
            opened = await person.ask("POST", "/v1/games", {"code": code})
            path = f"/v1/games/{opened.json['id']}"
            legal = (await person.ask("GET", f"{path}?legal=1")).json["legal"]
            await person.ask("POST", f"{path}/commands", {"command_id": "m", "do": "move", **legal[0]})
            await person.ask("GET", f"{path}/receipt")
            await person.ask("POST", f"{path}/commands", {"command_id": "r", "do": "resign"})
            await person.ask("GET", f"{path}/events")
            listed = await person.ask("GET", f"/v1/games?code={code}&limit=1")
            while listed.json["next"]:
                listed = await person.ask("GET", f"/v1/games?code={code}&limit=1&cursor={listed.json['next']}")
            await person.ask("GET", f"/v1/boards/{code}?view=around")
            for other in (visit.player, visit.rival):
                await other.ask("POST", f"{path}/commands", {"command_id": "z", "do": "undo"})
    await visit.player.ask("GET", "/v1/games?limit=200")


async def watching(visit: "Visit") -> None:
    """Let everybody watch, which nobody can before the reveal; private again afterwards."""
    for who in ("public", "link", "everybody", "private"):
        await visit.player.ask("PUT", f"{visit.path}/watching", {"watching": who})
        if who in ("public", "link"):
            for token in (None, visit.rival.token):
                for target in (visit.path, f"{visit.path}/events", "/v1/games?watching=public&limit=1"):
                    await visit.worlds.ask("GET", target, token=token)
    await visit.rival.ask("PUT", f"{visit.path}/watching", {"watching": "public"})
    await visit.worlds.ask("PUT", f"{visit.path}/watching", body={"watching": "public"})


async def players(visit: "Visit") -> None:
    """Players by the dozen from one address."""
    for _ in range(PLAYERS_PER_HOUR + 1):
        await visit.worlds.ask("POST", "/v1/players", body={}, address="198.51.100.7")
    await visit.worlds.ask("POST", "/v1/players", body={"name": "\u202eadA"})


async def rename(visit: "Visit") -> None:
    for name in ("Grace", None, "x"):
        await visit.player.ask("PATCH", "/v1/players/me", {"name": name})
    await visit.worlds.ask("GET", f"/v1/players/{visit.player.id}")


async def erase(visit: "Visit") -> None:
    """Somebody else starts the daily, gives up and is erased."""
    leaver = await Person.join(visit.worlds, address=f"203.0.113.{visit.chance.randrange(256)}")
    await leaver.ask("POST", f"{visit.daily}/attempt")
    games = (await leaver.ask("GET", "/v1/games")).json["items"]
    for game in games:
        await leaver.ask("POST", f"/v1/games/{game['id']}/commands", {"command_id": "r", "do": "resign"})
    await leaver.ask("DELETE", "/v1/players/me")
    await leaver.ask("GET", "/v1/players/me/export")
    for game in games:
        for path in (f"/v1/games/{game['id']}", f"/v1/games/{game['id']}/events", f"/v1/games/{game['id']}/receipt"):
            await visit.player.ask("GET", path)
            await leaver.ask("GET", path)
    await visit.player.ask("GET", f"{visit.daily}/board")


async def devices(visit: "Visit") -> None:
    """A second device, by pairing and by the recovery code, sees what the first one sees, until it is locked out."""
    code = (await visit.player.ask("POST", "/v1/players/me/pairings")).json["code"]
    for claim in ("AAAAAAAA", code, code):
        paired = await visit.worlds.ask("POST", "/v1/pairings", body={"code": claim})
        if paired.status == 201:
            await look_from(visit, paired.json["token"])
    recovered = await visit.worlds.ask("POST", "/v1/recoveries", body={"recovery": visit.player.recovery})
    if recovered.status == 201:
        await look_from(visit, recovered.json["token"])
    await visit.worlds.ask("POST", "/v1/recoveries", body={"recovery": "AAAA-AAAA"})


async def look_from(visit: "Visit", token: str) -> None:
    held = (await visit.worlds.ask("GET", "/v1/players/me/tokens", token=token)).json["items"]
    await visit.worlds.ask("GET", f"{visit.path}/events", token=token)
    mine = next(device["id"] for device in held if device["current"])
    for asking in (visit.rival.token, visit.player.token, token):
        await visit.worlds.ask("DELETE", f"/v1/players/me/tokens/{mine}", token=asking)
    await visit.worlds.ask("GET", visit.path, token=token)


async def attempt(visit: "Visit") -> None:
    """The same attempt again, and attempts that are none."""
    for body in (None, {"command_id": "again"}, {"command_id": "~expired"}, {"at": 1}):
        await visit.player.ask("POST", f"{visit.daily}/attempt", body)
    await visit.worlds.ask("POST", f"{visit.daily}/attempt")
    for path in ("2026-02-30/HM1-N", f"{visit.day.date}/XX1-N", "1970-01-01/SH1-C4"):
        await visit.player.ask("POST", f"/v1/dailies/{path}/attempt")


async def verify(visit: "Visit") -> None:
    """Receipts by somebody who knows everything about one world: before the reveal they are nothing."""
    for world in visit.worlds.both:
        for known in await forged(visit, world):
            await visit.worlds.ask("POST", "/v1/verify", body=known)
    await visit.worlds.ask("POST", "/v1/verify", body={"code": visit.names.codes[0]})


async def forged(visit: "Visit", world: World) -> list[Receipt]:
    """What the receipt of the attempt will be, and with other codes and other games in it."""
    referee = world.services.referee
    header = await referee.header(visit.game)
    if header is None:
        return []
    records = await referee.records(visit.game)
    true = receipt(header, records, replay(records))
    codes = [msgspec.structs.replace(true, code=code) for code in visit.names.codes]
    return [*codes, msgspec.structs.replace(true, game=UNKNOWN)]


# -- on the socket -----------------------------------------------------------------------------------

ANSWERS = ("state", "watching", "resync", "refused", "ack", "selected", "pong", "websocket.close")


def sayings(visit: "Visit", person: Person) -> dict[str, list[dict[str, Any]]]:
    """By kind, what a client may say about the attempt; ``unwatch`` is not answered."""
    channel, command = f"game:{visit.game}", {"t": "command", "game": visit.game, "command_id": "s"}
    return {
        "hello": [{"t": "hello", "token": person.token}],
        "watch": [
            {"t": "watch", "channel": channel, **more}
            for more in (
                {},
                {"legal": True},
                {"after": 0},
                {"after": 0, "legal": True},
                {"after": visit.head},
                {"after": 99},
            )
        ]
        + [{"t": "watch", "channel": name} for name in (f"game:{UNKNOWN}", f"daily:{visit.day.date}", *NONSENSE)],
        "command": [
            {**command, **more}
            for more in (
                {"do": "tap", "place": "Z9"},
                {"do": "tap", "place": "R8"},
                {"do": "undo", "after": 0},
                {"do": "resign", "after": visit.head + 1},
                {"do": "double_tap", "place": "Z9", "command_id": "c1"},
                {"do": "tap", "place": "P1", "at": 1},
                {"do": "move", "game": UNKNOWN},
            )
        ],
        "unwatch": [{"t": "unwatch", "channel": channel}],
        "ping": [{"t": "ping"}],
    }


async def on_the_socket(visit: "Visit") -> None:
    """Everything that can be said on the socket, as the player and as another; then what ends a connection."""
    for person in (visit.player, visit.rival):
        said = sayings(visit, person)
        if unlike := set(said) ^ CLIENT_KINDS:
            raise NotCovered(f"what is said with {sorted(unlike)}?")
        async with visit.worlds.line() as line:
            resumed = {"resume": [{"channel": f"game:{visit.game}", "after": 0}]}
            await line.say(person.hello(**resumed), *ANSWERS)
            for messages in said.values():
                for message in messages:
                    line.whisper(msgspec.json.encode(message).decode())
                    if message["t"] == "unwatch":
                        line.whisper('{"t":"ping"}')
                    await line.hear(str(message), *ANSWERS)
            for text in ("{", '{"t":"nothing"}', '{"t":"watch"}', '{"t":"command","command_id":"q"}'):
                await line.say(text, *ANSWERS)
            await line.say("x" * 9000, "websocket.close")
    for text in ('{"t":"ping"}', '{"t":"hello","token":"mt_' + "A" * 43 + '"}'):
        async with visit.worlds.line() as line:
            await line.say(text, "websocket.close")


SOCKET: Final = ("GET", "/v1/live")

ACTS: Final[dict[tuple[str, str], Act]] = {
    ("POST", "/v1/games/{id}/commands"): commands,
    ("POST", "/v1/games"): deal,
    ("PUT", "/v1/games/{id}/watching"): watching,
    ("POST", "/v1/players"): players,
    ("PATCH", "/v1/players/me"): rename,
    ("DELETE", "/v1/players/me"): erase,
    ("POST", "/v1/players/me/pairings"): devices,
    ("POST", "/v1/pairings"): devices,
    ("POST", "/v1/recoveries"): devices,
    ("DELETE", "/v1/players/me/tokens/{id}"): devices,
    ("POST", "/v1/dailies/{date}/{ruleset}/attempt"): attempt,
    ("POST", "/v1/verify"): verify,
    SOCKET: on_the_socket,
}
"""By the route that it is about."""
