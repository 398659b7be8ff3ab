"""Ids sort by time, secrets are long enough, and what people copy by hand is read forgivingly."""

import re
from uuid import UUID

import pytest

from server.ids import Ids, read_pairing, read_recovery
from tests.parts.clock import ManualClock
from tests.parts.entropy import SeededEntropy


@pytest.fixture
def ids(clock: ManualClock, entropy: SeededEntropy) -> Ids:
    return Ids(clock, entropy)


def test_a_game_id_is_a_uuid_of_version_7_and_says_when_it_was_made(ids: Ids, clock: ManualClock) -> None:
    text = ids.game()
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", text)
    assert UUID(text).int >> 80 == clock.at


def test_game_ids_of_one_process_sort_as_they_were_made(ids: Ids, clock: ManualClock) -> None:
    made = [ids.game() for _ in range(10_000)]  # more than the counter of a millisecond holds
    clock.tick(-5_000)
    made += [ids.game() for _ in range(10)]
    clock.tick(60_000)
    made.append(ids.game())
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_ids_come_from_the_entropy_alone(clock: ManualClock) -> None:
    one, same, other = (Ids(clock, SeededEntropy(seed)) for seed in ("a", "a", "b"))
    for name in ("game", "player", "token", "recovery", "pairing", "salt", "request", "command"):
        drawn = getattr(one, name)()
        assert drawn == getattr(same, name)()
        assert drawn != getattr(other, name)()


def test_the_forms_that_clients_rely_on(ids: Ids) -> None:
    assert UUID(ids.player()).version == 4
    assert re.fullmatch(r"mt_[A-Za-z0-9_-]{43}", ids.token())
    assert re.fullmatch(r"([A-Z2-7]{4}-){6}[A-Z2-7]{4}", ids.recovery())
    assert re.fullmatch(r"[A-Z2-7]{8}", ids.pairing())
    assert len(ids.salt()) == 16
    assert re.fullmatch(r"[0-9a-f]{16}", ids.request())
    assert re.fullmatch(r"[0-9a-f]{32}", ids.command())


def test_requests_are_named_from_one_draw_of_entropy_and_none_like_another(clock: ManualClock) -> None:
    draws: list[int] = []

    def entropy(size: int) -> bytes:
        draws.append(size)
        return bytes(size)

    ids = Ids(clock, entropy)
    assert len({ids.request() for _ in range(10_000)}) == 10_000
    assert draws == [32]


def test_a_recovery_code_is_read_as_people_write_it(ids: Ids) -> None:
    code = ids.recovery()
    assert read_recovery(code) == code
    assert read_recovery(f"  {code.lower().replace('-', ' ')} ") == code
    assert read_recovery(code.replace("O", "0").replace("I", "1").replace("B", "8")) == code


def test_a_pairing_code_is_read_as_people_write_it(ids: Ids) -> None:
    code = ids.pairing()
    assert read_pairing(f"{code[:4]}-{code[4:]}".lower()) == code


@pytest.mark.parametrize("text", ["", "A" * 27, "A" * 29, "9" * 28, "\uff21" * 28, "A" * 100_000, "\0" * 28])
def test_what_is_no_recovery_code_is_none(text: str) -> None:
    assert read_recovery(text) is None
