"""What is counted, leased and noted for all processes together."""

import asyncio

from server.store import audit, counters, leases
from server.store.open import Store
from tests.store.records import new_id

HOUR = 3_600_000


async def test_an_address_gets_so_many_in_a_window_and_no_more(store: Store) -> None:
    address = new_id()
    hits = [await store.database.write(counters.hit, "players", address, 0, 3) for _ in range(5)]
    assert hits == [True, True, True, False, False]
    assert await store.database.write(counters.hit, "players", address, HOUR, 3)
    assert await store.database.write(counters.hit, "pairing", address, 0, 3)
    assert await store.database.write(counters.hit, "players", new_id(), 0, 3)
    assert not await store.database.write(counters.hit, "players", new_id(), 0, 0)


async def test_of_many_at_once_no_more_either(store: Store) -> None:
    address = new_id()
    hits = await asyncio.gather(*(store.database.write(counters.hit, "k", address, 0, 7) for _ in range(30)))
    assert sum(hits) == 7


async def test_what_counts_only_when_it_goes_wrong_is_given_back(store: Store) -> None:
    address = new_id()
    for _ in range(4):
        assert await store.database.write(counters.hit, "recovery", address, 0, 1)
        await store.database.write(counters.give_back, "recovery", address, 0)
    await store.database.write(counters.give_back, "recovery", address, 0)
    assert await store.database.write(counters.hit, "recovery", address, 0, 1)
    assert not await store.database.write(counters.hit, "recovery", address, 0, 1)


async def test_addresses_are_not_kept_longer_than_their_window_counts(store: Store) -> None:
    address = new_id()
    await store.database.write(counters.forget_before, 10 * HOUR)
    for window in (1, 2, 10):
        await store.database.write(counters.hit, "k", address, window * HOUR, 1)
    assert await store.database.write(counters.forget_before, 10 * HOUR) == 2
    assert not await store.database.write(counters.hit, "k", address, 10 * HOUR, 1)
    assert await store.database.write(counters.hit, "k", address, HOUR, 1)


async def test_a_lease_has_one_holder_until_it_is_given_back_or_over(store: Store) -> None:
    name = new_id()

    async def take(holder: str, now: int) -> bool:
        return await store.database.write(leases.take, name, holder, now=now, lasts_ms=100)

    assert await take("a", 0)
    assert not await take("b", 99)
    assert await take("a", 99)
    assert not await take("b", 198)
    assert await take("b", 199)
    await store.database.write(leases.release, name, "a")
    assert not await take("a", 200)
    await store.database.write(leases.release, name, "b")
    assert await take("a", 200)


async def test_of_many_who_take_a_lease_at_once_one_has_it(store: Store) -> None:
    name = new_id()
    takes = (store.database.write(leases.take, name, str(number), now=0, lasts_ms=100) for number in range(12))
    assert sum(await asyncio.gather(*takes)) == 1


async def test_deeds_are_listed_newest_first(store: Store) -> None:
    for number in range(3):
        await store.database.write(
            audit.record_deed, at=number, actor="ada", action="void", subject=f"game {number}", why="a test", n=number
        )
    newest = await store.database.read(audit.deeds, limit=2)
    assert [(one.at, one.actor, one.action, one.subject, one.detail) for one in newest] == [
        (number, "ada", "void", f"game {number}", {"why": "a test", "n": number}) for number in (2, 1)
    ]
    (oldest,) = await store.database.read(audit.deeds, limit=1, before=newest[-1].id)
    assert oldest.subject == "game 0"
