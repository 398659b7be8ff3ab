"""One attempt on a sealed daily, from the day before to the reveal, in both worlds at once."""

import random
from collections.abc import Sequence
from typing import Any

import msgspec

from server.contest.calendar import Day, day
from server.contest.daily import commitment
from server.play.playthrough import dealt_data
from server.solitaires import SOLITAIRES
from server.store import dailies as stored
from server.store.dailies import Daily
from tests.contest.acts import ACTS, Act
from tests.contest.person import Person
from tests.contest.questions import UNKNOWN, Names, Question, core, questions, some
from tests.contest.twins import Ending, Step, Twin, make_twin
from tests.contest.wire import Answer
from tests.contest.world import Line, World, Worlds

RULESETS = tuple(SOLITAIRES)
SAMPLE = 2
"""How many questions of all are asked at each stop, besides those that are always asked."""
ACTS_AT_A_STOP = 0.2
"""How many acts of all are done at each stop, on the average."""
SELDOM = 4
"""Every so many pairs there is a stop on the day before, and a sweep at the end."""
METERS_EVERY = 10
"""Meters only ever grow, so what they tell of one pair they still tell some pairs later."""


async def visit(worlds: Worlds, number: int, chance: random.Random) -> Twin:
    """Play pair ``number``, asking samples; raises `Different`."""
    twin = make_twin(*kind_of_pair(number, chance), chance)
    await Visit(worlds, twin, number, chance).run()
    return twin


def kind_of_pair(number: int, chance: random.Random) -> tuple[str, Ending]:
    """Every other pair is of Half Moon, which has cards to hide; the rest goes round."""
    ruleset = RULESETS[0] if number % 2 == 0 else RULESETS[1 + number // 2 % (len(RULESETS) - 1)]
    if ruleset in ("HM1-N", "SH1-C4") and chance.random() < 0.07:
        return ruleset, "won"
    return ruleset, chance.choice(["open", "open", "resigned", "resigned", "resigned", "stuck", "stuck"])


def month_of(number: int) -> Day:
    """A day in a month of its own, not its first, so that no list shows what other pairs have revealed."""
    year, month = divmod(number, 12)
    return day(f"{2027 + year}-{month + 1:02d}-{2 + number * 5 % 26:02d}")


class Visit:
    """The story of one pair. ``whole``: ask and do everything at every stop, not a sample; ``always`` is done at every
    stop in any case."""

    def __init__(
        self,
        worlds: Worlds,
        twin: Twin,
        number: int,
        chance: random.Random,
        *,
        whole: bool = False,
        always: Sequence[Act] = (),
    ) -> None:
        self.worlds = worlds
        self.twin = twin
        self.number = number
        self.day = month_of(number)
        self.chance = chance
        self.whole = whole
        self.always = always
        self.game = UNKNOWN
        self.head = 1
        self.ended = False
        self.commands = 0
        self.cursors: tuple[str, ...] = ()
        self.player: Person
        self.rival: Person

    @property
    def path(self) -> str:
        return f"/v1/games/{self.game}"

    @property
    def daily(self) -> str:
        return f"/v1/dailies/{self.day.date}/{self.twin.ruleset}"

    @property
    def names(self) -> Names:
        codes = (str(self.twin.codes[0]), str(self.twin.codes[1]))
        return Names(
            self.game,
            self.player.id,
            self.rival.id,
            self.day.date,
            self.twin.ruleset,
            codes,
            self.head,
            self.cursors,
        )

    async def run(self) -> None:
        clock = self.worlds.clock
        await self.prepare()
        async with self.worlds.line() as line:
            await line.say(self.player.hello(), "welcome")
            await line.say(self.player.watch(self.game, legal=True), "state")
            await self.play(line)
        clock.at = self.day.closes_at - 1 if self.whole else self.chance.choice([clock.at, self.day.closes_at - 1])
        await self.stop()
        if self.whole or self.number % METERS_EVERY == 0:
            await self.question(Question("nobody", "GET", "/metrics"))
        clock.at = self.day.closes_at
        await self.reveal()

    async def prepare(self) -> None:
        """Up to the start: on the day before, the daily is committed to, and players come."""
        clock = self.worlds.clock
        clock.at = self.day.opens_at - self.chance.randrange(1, 24 * 3_600_000)
        await self.commit()
        self.player = await Person.join(self.worlds, name="Ada" if self.chance.random() < 0.5 else None)
        self.rival = await Person.join(self.worlds)
        if self.whole or self.number % SELDOM == 0:
            await self.stop()
        late = self.chance.random() < 0.2
        clock.at = self.day.last_start_at - 1 if late else self.day.opens_at + self.chance.randrange(3_600_000)
        await self.start()

    async def commit(self) -> None:
        """The day's daily: the same commitment, another code and another line behind it."""
        codes = [str(code) for code in self.twin.codes]
        for code, state in zip(codes, self.twin.deals, strict=True):
            self.worlds.deals[code] = state
        for world in self.worlds.both:
            line = [{"remove": ["P1", f"P{2 + world.side}"]}]
            row = Daily(
                date=self.day.date,
                ruleset=self.twin.ruleset,
                code=codes[world.side],
                commitment=commitment(codes[0]),
                committed_at=self.worlds.clock.now(),
                certified=True,
                line=msgspec.json.encode(line).decode(),
                closes_at=self.day.closes_at,
            )
            assert await world.services.database.write(stored.add, row)

    async def start(self) -> None:
        """Start the attempt; sometimes the rival has one of his own."""
        started = await self.player.ask("POST", f"{self.daily}/attempt", {"command_id": "start"})
        assert started.status == 201, started
        self.game = started.json["id"]
        if self.whole or self.chance.random() < 0.3:
            await self.rival.ask("POST", f"{self.daily}/attempt")

    # -- playing ------------------------------------------------------------------------------------

    async def play(self, line: Line) -> None:
        """Every step, over HTTP or on the socket; halfway a stop to look around."""
        halfway = self.chance.randrange(len(self.twin.steps) + 1)
        for number, step in enumerate(self.twin.steps):
            if number == halfway:
                await self.stop()
            self.worlds.clock.tick(self.chance.randrange(3000))
            await self.take(step, line)
        if self.twin.ending == "resigned":
            await self.take(Step({"do": "resign"}, True), line)
        self.ended = self.twin.ending in ("resigned", "won")

    async def take(self, step: Step, line: Line) -> None:
        """Send one command; raises AssertionError where it does something else than it did in the mind."""
        self.commands += 1
        command = {"command_id": f"c{self.commands}", **step.fields}
        if self.chance.random() < 0.5:
            command["after"] = self.head
        if self.chance.random() < 0.3:
            said = msgspec.json.encode({"t": "command", "game": self.game, **command}).decode()
            heard = await line.say(said, "ack", "selected", "refused")
            accepted = msgspec.json.decode(heard[-1]["text"])["t"] == "ack"
        else:
            poll = self.poll() if step.accepted and self.chance.random() < 0.2 else None
            answer = await self.player.ask("POST", f"{self.path}/commands", command, meanwhile=poll)
            accepted = answer.status == 200 and bool(answer.json["events"])
            if self.chance.random() < 0.3:
                await line.say('{"t":"ping"}', "pong")
        assert accepted is step.accepted, (self.twin, step)
        self.head += accepted

    def poll(self) -> str:
        return f"{self.path}/events?after={self.head}&wait=25"

    # -- looking around -----------------------------------------------------------------------------

    async def stop(self) -> None:
        """Ask about everything, or a sample of it, and do what else can be done."""
        sample = [*core(self.names), *some(self.names, self.chance, SAMPLE)]
        for question in questions(self.names) if self.whole else sample:
            await self.question(question)
        every = list(dict.fromkeys([*ACTS.values(), *self.always]))
        for act in every:
            if self.whole or act in self.always or self.chance.random() < ACTS_AT_A_STOP / len(every):
                await act(self)

    async def question(self, question: Question) -> Answer:
        token = {"nobody": None, "player": self.player.token, "rival": self.rival.token, "forger": "mt_" + "A" * 43}
        answer = await self.worlds.ask(
            question.method, question.target, token=token[question.asker], accept=question.accept, body=question.body
        )
        if question.method == "GET" and b'"next":"' in answer.body:
            self.cursors = (answer.json["next"],)
        return answer

    # -- the reveal ---------------------------------------------------------------------------------

    async def reveal(self) -> None:
        """From the close on each world tells its own code, cards and links, and, once swept, ranks and receipts."""
        for world in self.worlds.both:
            await self.revealed(world)
            if self.whole or self.number % SELDOM == 0:
                await self.swept(world)
        self.worlds.forget_lines()

    async def told(self, world: World, path: str) -> Any:
        """What one world tells the player."""
        answer = await world.ask("GET", path, headers=[("authorization", f"Bearer {self.player.token}")])
        assert answer.status == 200, (path, answer)
        return answer.json

    async def revealed(self, world: World) -> None:
        code, state = self.twin.codes[world.side], self.twin.deals[world.side]
        assert (await self.told(world, self.path))["code"] == str(code)
        dealt = (await self.told(world, f"{self.path}/events?limit=1"))["items"][0]
        places = dealt_data(code, state, owner="", purpose="daily", until=None).places
        assert (dealt["data"]["code"], dealt["data"]["places"]) == (str(code), places)
        assert dealt["link"] is not None

    async def swept(self, world: World) -> None:
        code = str(self.twin.codes[world.side])
        shown = (await self.told(world, f"/v1/dailies/{self.day.date}"))["items"]
        item = next(one for one in shown if one["ruleset"] == self.twin.ruleset)
        assert item["code"] == code and item["line"] == [{"remove": ["P1", f"P{2 + world.side}"]}]
        await world.services.dailies.sweep()
        manifest, receipt = [
            await self.told(world, path) for path in (f"{self.daily}/manifest", f"{self.path}/receipt")
        ]
        assert manifest["code"] == receipt["code"] == code
        if moved := any(step.accepted for step in self.twin.steps):
            assert receipt["link"] in {row["link"] for row in manifest["rows"]}
            board = await self.told(world, f"{self.daily}/board")
            assert board["code"] == code and board["me"]["link"] == receipt["link"]
        stranger = await world.ask("GET", self.path)
        assert (stranger.status == 200) is moved
