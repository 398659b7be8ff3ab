"""Two deals that a player cannot tell apart while he plays: one for each of two worlds.

In Half Moon the cards that stay covered to the end of what is played are other ones. In Seahaven Towers every
card is seen, and in a Half Moon that is won every card has been, so there only the code is another. The code,
and with it every link of the log, is another one always.
"""

import random
from typing import Any, Literal, NamedTuple

import msgspec

from server.contest.solver import Won, solve
from server.play.codec import FIRST_LINK, seal
from server.play.commands import Command, Selection, decide, understand
from server.play.playthrough import Playthrough, begin, dealt_data, evolve
from server.play.refusals import Refusal
from server.solitaires import SOLITAIRES
from server.solitaires.codes import Code, draw_code
from server.solitaires.protocol import Searchable, Solitaire, State

Ending = Literal["open", "resigned", "won", "stuck"]

MOST_STEPS = 18
_POSITIONS = 300
"""A line is looked for this far; what is harder to win is left for another deal."""


class Step(NamedTuple):
    """A command without its id, and whether it makes an event."""

    fields: dict[str, Any]
    accepted: bool


class Twin(NamedTuple):
    """``codes`` and ``deals`` are those of the two worlds; ``steps`` go the same way in both."""

    ruleset: str
    codes: tuple[Code, Code]
    deals: tuple[State, State]
    steps: tuple[Step, ...]
    ending: Ending

    @property
    def differs_in_cards(self) -> bool:
        return self.deals[0] != self.deals[1]


def make_twin(ruleset: str, ending: Ending, chance: random.Random) -> Twin:
    """Draw a deal, play it in the mind to its ``ending``, and find it a twin."""
    solitaire = SOLITAIRES[ruleset]
    while True:
        code = draw_code(ruleset, chance.randbytes, sealed=True)
        state = solitaire.deal(code.body)
        line = winning(solitaire, state) if ending == "won" else []
        if line is not None:
            break
    mind = Mind(code, state)
    steps = mind.win(line, chance) if ending == "won" else mind.wander(ending, chance)
    other = draw_code(ruleset, chance.randbytes, sealed=True)
    return Twin(ruleset, (code, other), (state, swapped(solitaire, state, mind.lowest, chance)), tuple(steps), ending)


def winning(solitaire: Solitaire, state: State) -> list[dict[str, Any]] | None:
    """The wire fields of a winning line, or None where none is found soon."""
    assert isinstance(solitaire, Searchable)
    answer = solve(solitaire, state, positions=_POSITIONS)
    return [solitaire.move_fields(move) for move in answer.line] if isinstance(answer, Won) else None


def swapped(solitaire: Solitaire, state: State, lowest: list[int], chance: random.Random) -> State:
    """The deal with the cards that nobody has seen in another order, ``lowest`` being how far down each place went:
    two of them changed about, or all of them shuffled."""
    hidden = [
        (at, height)
        for at, place in enumerate(solitaire.places)
        if place.shows == "top"
        for height in range(lowest[at] - 1)
    ]
    piles = [bytearray(cards) for cards in state.places]
    spots = chance.sample(hidden, 2) if len(hidden) > 2 and chance.random() < 0.5 else hidden
    cards = [piles[at][height] for at, height in spots]
    chance.shuffle(cards)
    if len(spots) == 2:
        cards = [piles[at][height] for at, height in reversed(spots)]
    for (at, height), card in zip(spots, cards, strict=True):
        piles[at][height] = card
    return State(tuple(map(bytes, piles)))


class Mind:
    """A game played without a server, to know beforehand what each command will do."""

    def __init__(self, code: Code, state: State) -> None:
        self._dealt = dealt_data(code, state, owner="0" * 64, purpose="open", until=None)
        self._at = seal(FIRST_LINK, game="mind", seq=1, at=0, command_id="deal", data=self._dealt)
        self.playthrough: Playthrough = begin(self._at)
        self.lowest = [len(cards) for cards in state.places]

    def take(self, fields: dict[str, Any]) -> Step:
        """What this command does here."""
        command = msgspec.convert({"command_id": f"c{self.playthrough.seq}", **fields}, Command)
        try:
            decision = decide(self.playthrough, understand(self.playthrough.solitaire, command), now=0)
        except Refusal:
            return Step(fields, False)
        if isinstance(decision, Selection):
            return Step(fields, False)
        self.playthrough = evolve(self.playthrough, decision)
        self.lowest = list(map(min, self.lowest, map(len, self.playthrough.state.places)))
        return Step(fields, True)

    def win(self, line: list[dict[str, Any]], chance: random.Random) -> list[Step]:
        """The winning line, here and there taken back and done again."""
        steps = []
        for number, fields in enumerate(line):
            move = {"do": "move", **fields}
            steps.append(self.take(move))
            if number < len(line) - 1 and chance.random() < 0.05:
                steps += [self.take({"do": "undo"}), self.take(move)]
        assert self.playthrough.status == "won"
        return steps

    def wander(self, ending: Ending, chance: random.Random) -> list[Step]:
        """Legal moves at random, with undos, taps and nonsense between them; to a dead end if that is the ending."""
        steps: list[Step] = []
        most = MOST_STEPS if ending == "stuck" else chance.randrange(MOST_STEPS)
        while len(steps) < most and not (ending == "stuck" and self.playthrough.status == "dead_end"):
            legal = self.playthrough.solitaire.legal_moves(self.playthrough.state)
            if legal and chance.random() < (0.9 if ending == "stuck" else 0.55):
                move = {"do": "move", **self.playthrough.solitaire.move_fields(chance.choice(legal))}
                steps.append(self.take(move))
            else:
                steps.append(self.take(self._anything(chance)))
        return steps

    def _anything(self, chance: random.Random) -> dict[str, Any]:
        """A command that can be sent, and mostly makes no sense."""
        names = [*self.playthrough.solitaire.index, "Z9"]

        def some(most: int) -> list[str]:
            return [chance.choice(names) for _ in range(chance.randint(0, most))]

        return chance.choice(
            [
                {"do": "undo"},
                {"do": "tap", "place": chance.choice(names)},
                {"do": "tap", "place": chance.choice(names), "selection": some(2)},
                {"do": "double_tap", "place": chance.choice(names)},
                {"do": "move", "remove": some(4)},
                {"do": "move", "from": chance.choice(names), "to": chance.choice(names)},
                {"do": "move", "from": chance.choice(names), "to": chance.choice(names), "count": chance.randint(0, 3)},
            ]
        )
