"""Nothing of a sealed deal gets out: two worlds that differ in nothing else cannot be told apart (DESIGN 5).

What is compared, and how, stands in `world` and `visit`; `questions` and `acts` are what is asked and done.
"""

import logging
import random
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import pytest
from msgspec.structs import replace
from sqlalchemy import true

from server.api.answers import NO_STORE, Answer
from server.api.errors import PROBLEMS, ProblemError
from server.api.games import seen, stale_problem
from server.api.meters import Counted
from server.contest.daily import daily_rulesets
from server.play.frames import event_frame
from server.play.outcome import outcome
from server.play.secrecy import sealed_dealt
from server.play.view import PlaceView, event_view, legal_views, place_view, view
from server.solitaires.cards import cards_text
from server.store.games import _CONDITIONS
from tests.contest import acts, questions, worlds
from tests.contest.questions import NotCovered, require_acts
from tests.contest.twins import Ending, make_twin
from tests.contest.visit import Visit, kind_of_pair
from tests.contest.world import Different, Worlds, two_worlds

PAIRS = 300


@pytest.fixture(scope="module")
async def both() -> AsyncIterator[Worlds]:
    with TemporaryDirectory(prefix="moontide-worlds-", dir=worlds.memory()) as folder:
        async with two_worlds(Path(folder)) as made:
            yield made


_numbers = count()


def a_visit(both: Worlds, ruleset: str, ending: Ending, **how: Any) -> Visit:
    """A pair that no other test has."""
    number = next(_numbers)
    chance = random.Random(number)
    return Visit(both, make_twin(ruleset, ending, chance), number, chance, **how)


@pytest.mark.timeout(600)
async def test_300_pairs_of_sealed_attempts_cannot_be_told_apart() -> None:
    with TemporaryDirectory(prefix="moontide-worlds-", dir=worlds.memory()) as folder:
        compared = await worlds.compare(PAIRS, Path(folder), seed="suite", progress=lambda done: None)
    assert compared.told["status 200"] > 10 * PAIRS and compared.told["t event"] > 2 * PAIRS


def test_the_pairs_are_of_every_ruleset_and_ending_and_where_cards_are_covered_they_are_others() -> None:
    kinds, differing = set(), 0
    for number in range(PAIRS):
        chance = random.Random(f"suite/{number}")
        ruleset, ending = kind_of_pair(number, chance)
        kinds.add((ruleset, ending))
        if ending != "won":
            twin = make_twin(ruleset, ending, chance)
            assert twin.codes[0] != twin.codes[1]
            differing += twin.differs_in_cards
    endings = {"open", "resigned", "stuck"}
    assert kinds == {(ruleset, ending) for ruleset in daily_rulesets() for ending in endings} | {
        ("HM1-N", "won"),
        ("SH1-C4", "won"),
    }
    assert differing >= 100


@pytest.mark.parametrize(("ruleset", "ending"), [("HM1-N", "resigned"), ("SH1-C4", "won")])
async def test_every_route_parameter_and_message_is_asked_about_before_during_and_after_an_attempt(
    both: Worlds, ruleset: str, ending: Ending
) -> None:
    require_acts(acts.ACTS)
    both.told.clear()
    await a_visit(both, ruleset, ending, whole=True).run()
    codes = {kind.removeprefix("code ") for kind in both.told if kind.startswith("code ")}
    assert set(PROBLEMS) - codes == {"internal"}, "every problem that is not a fault of ours is among what was compared"
    kinds = {kind.removeprefix("t ") for kind in both.told if kind.startswith("t ")}
    assert questions.SERVER_KINDS - kinds <= {"draining", "selected"}


async def test_a_process_that_ends_says_so_alike() -> None:
    with TemporaryDirectory(prefix="moontide-worlds-", dir=worlds.memory()) as folder:
        async with two_worlds(Path(folder)) as ending:
            visit = a_visit(ending, "HM1-N", "open")
            await visit.prepare()
            async with ending.line() as line:
                await line.say(visit.player.hello(), "welcome")
                await line.say(visit.player.watch(visit.game), "state")
                for world in ending.both:
                    await world.app.state.drain()
                await line.hear("draining", "draining")
            assert (await ending.ask("GET", "/readyz")).status == 503


# -- leaks that are planted ---------------------------------------------------------------------------

Plant = Callable[[pytest.MonkeyPatch], None]


def put(patch: pytest.MonkeyPatch, right: Callable[..., Any], wrong: Callable[..., Any]) -> None:
    """Put ``wrong`` in the place of ``right``, wherever in the server it is used."""
    places = [
        (module, name)
        for path, module in list(sys.modules.items())
        if path.startswith("server.")
        for name, value in list(vars(module).items())
        if value is right
    ]
    assert places
    for module, name in places:
        patch.setattr(module, name, wrong)


def mark(header: Any) -> int:
    """A number that hangs on the sealed code."""
    return crc32(header.code.encode())


def the_code_in_a_view(patch: pytest.MonkeyPatch) -> None:
    put(patch, view, lambda header, *rest, **more: replace(view(header, *rest, **more), code=header.code))


def a_link_in_an_event(patch: pytest.MonkeyPatch) -> None:
    put(patch, event_view, lambda header, record, **now: replace(event_view(header, record, **now), link=record.link))


def a_hash_of_the_code_in_the_deal(patch: pytest.MonkeyPatch) -> None:
    put(patch, sealed_dealt, lambda header: {**sealed_dealt(header), "check": mark(header) & 0xFF})


def an_order_of_legal_moves_that_hangs_on_covered_cards(patch: pytest.MonkeyPatch) -> None:
    def by_covered(playthrough: Any, now: int) -> list[Any]:
        covered = b"".join(playthrough.state.places)
        return sorted(legal_views(playthrough, now), key=lambda move: crc32(covered + repr(move).encode()))

    put(patch, legal_views, by_covered)


def covered_cards_in_a_place(patch: pytest.MonkeyPatch) -> None:
    put(patch, place_view, lambda place, cards: PlaceView(place.name, place.role, len(cards), cards_text(cards)))


def a_tag_of_the_state_as_a_header(patch: pytest.MonkeyPatch) -> None:
    def tagged(call: Any, game: Any, *, legal: bool = False) -> Answer:
        value = view(game.header, game.playthrough, now=call.services.clock.now(), legal=legal)
        return Answer.of(value, 200, [NO_STORE, (b"etag", b'"' + game.playthrough.link.encode() + b'"')])

    put(patch, seen, tagged)


def a_figure_in_a_frame(patch: pytest.MonkeyPatch) -> None:
    def marked(header: Any, *rest: Any, **more: Any) -> Any:
        return replace(event_frame(header, *rest, **more), elapsed_ms=mark(header))

    put(patch, event_frame, marked)


def a_word_in_the_detail_of_an_error(patch: pytest.MonkeyPatch) -> None:
    def telling(header: Any, stale: Any, *, now: int) -> ProblemError:
        return ProblemError("stale", f"{stale.detail} of deal {mark(header)}", **stale.params | {"missed": None})

    put(patch, stale_problem, telling)


def a_receipt_before_the_reveal(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("server.api.receipts.is_sealed", lambda *anything: False)


def the_link_of_a_row_on_the_board(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("server.api.daily_board.replace", lambda row, **changes: row)


def a_page_that_counts_sealed_games_of_a_code(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(_CONDITIONS, "open_at", lambda now: true())


def a_line_in_the_log(patch: pytest.MonkeyPatch) -> None:
    def logged(header: Any, *rest: Any) -> Any:
        logging.getLogger("moontide.games").debug("an event of deal %d", mark(header))
        return outcome(header, *rest)

    put(patch, outcome, logged)


def a_label_of_a_meter(patch: pytest.MonkeyPatch) -> None:
    add, told = Counted.add, [0]

    def remember(header: Any, *rest: Any, **more: Any) -> Any:
        told[0] = mark(header)
        return view(header, *rest, **more)

    put(patch, view, remember)
    patch.setattr(Counted, "add", lambda self, *labels: add(self, *labels[:-1], f"{labels[-1]} {told}"))


async def the_board(visit: Visit) -> None:
    await visit.player.ask("GET", f"{visit.daily}/board")


async def the_meters(visit: Visit) -> None:
    await visit.worlds.ask("GET", "/metrics")


LEAKS: list[tuple[Plant, Sequence[acts.Act]]] = [
    (the_code_in_a_view, ()),
    (a_link_in_an_event, ()),
    (a_hash_of_the_code_in_the_deal, ()),
    (an_order_of_legal_moves_that_hangs_on_covered_cards, ()),
    (covered_cards_in_a_place, ()),
    (a_tag_of_the_state_as_a_header, ()),
    (a_figure_in_a_frame, ()),
    (a_word_in_the_detail_of_an_error, (acts.commands,)),
    (a_receipt_before_the_reveal, ()),
    (the_link_of_a_row_on_the_board, (the_board,)),
    (a_page_that_counts_sealed_games_of_a_code, (acts.deal,)),
    (a_line_in_the_log, ()),
    (a_label_of_a_meter, (the_meters,)),
]


@pytest.mark.parametrize(("plant", "always"), LEAKS, ids=lambda one: getattr(one, "__name__", ""))
async def test_a_planted_leak_is_found(
    both: Worlds, monkeypatch: pytest.MonkeyPatch, plant: Plant, always: Sequence[acts.Act]
) -> None:
    plant(monkeypatch)
    with pytest.raises(Different):
        for _ in range(3):
            await a_visit(both, "HM1-N", "resigned", always=always).run()


# -- what is asked keeps up with what there is --------------------------------------------------------


def test_a_route_a_parameter_or_a_query_that_nobody_has_thought_of_is_not_covered() -> None:
    names = questions.Names("g", "p", "r", "2026-11-30", "HM1-N", ("A", "B"), 1, ())
    with pytest.raises(NotCovered):
        require_acts({route: act for route, act in acts.ACTS.items() if route != ("POST", "/v1/verify")})
    with pytest.raises(NotCovered):
        questions.paths("/v1/races/{id}", names)
    with pytest.raises(NotCovered):
        questions.queries(["peek"], names)


def test_the_command_compares_as_many_pairs_as_one_likes(capsys: pytest.CaptureFixture[str]) -> None:
    worlds.main(["2", "seed"])
    assert "2 pairs of seed seed:" in capsys.readouterr().err
