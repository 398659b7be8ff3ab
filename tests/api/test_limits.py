"""Limits: buckets in memory, counts in the database, and whose address it is."""

from ipaddress import ip_network

import httpx2
import pytest

from server.api.addresses import client_address
from server.api.limits import Buckets
from tests.api.client import client_of, join
from tests.api.conftest import MakeApp
from tests.parts.clock import ManualClock


class Stopwatch:
    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    now = Stopwatch()
    buckets = Buckets(2.0, 3, now=now)
    assert [buckets.take("ada") for _ in range(4)] == [0, 0, 0, pytest.approx(0.5)]
    assert buckets.take("bob") == 0
    now.at = 0.5
    assert [buckets.take("ada"), buckets.take("ada")] == [0, pytest.approx(0.5)]
    now.at = 100.0
    assert [buckets.take("ada") for _ in range(4)] == [0, 0, 0, pytest.approx(0.5)]


def test_full_buckets_are_forgotten_and_empty_ones_kept() -> None:
    now = Stopwatch()
    buckets = Buckets(1.0, 2, now=now, at_most=10)
    for number in range(10):
        buckets.take(f"old {number}")
    now.at = 1.0
    buckets.take("busy"), buckets.take("busy")
    assert len(buckets) == 1
    assert buckets.take("busy") > 0


def test_inventing_keys_does_not_grow_the_table_nor_free_the_busiest() -> None:
    buckets = Buckets(1.0, 2, now=Stopwatch(), at_most=10)
    buckets.take("busy"), buckets.take("busy")
    for number in range(1000):
        buckets.take(f"key {number}")
    assert len(buckets) <= 10
    assert buckets.take("busy") > 0


async def test_too_many_commands_of_a_player_wait(make_app: MakeApp) -> None:
    app = await make_app(limits=True, commands_per_second=0.01, commands_burst=3)
    async with client_of(app) as http:
        ada, bob = await join(http), await join(http)
        table = await ada.deal()
        answers = [await table.send("tap", place="P1") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert answers[3].json()["code"] == "too_many_requests"
        assert 90 <= int(answers[3].headers["retry-after"]) <= 100
        assert (await ada.get(table.path)).status_code == 200
        assert (await (await bob.deal()).send("tap", place="P1")).status_code == 200


async def test_too_many_reads_of_an_address_or_a_player_wait(make_app: MakeApp) -> None:
    app = await make_app(limits=True, reads_per_second=0.01, reads_burst=3)
    async with client_of(app) as http, client_of(app, address="198.51.100.7") as elsewhere:
        assert [(await http.get("/v1/rulesets")).status_code for _ in range(4)] == [200, 200, 200, 429]
        assert (await elsewhere.get("/v1/rulesets")).status_code == 200
        assert (await http.get("/healthz")).status_code == 200
        ada = await join(elsewhere)
        assert [(await ada.get("/v1/players/me")).status_code for _ in range(4)] == [200, 200, 200, 429]


async def test_guessing_tokens_is_slowed_down(make_app: MakeApp) -> None:
    app = await make_app(limits=True, reads_per_second=0.01, reads_burst=3)
    async with client_of(app) as http:
        headers = [{"authorization": "Bearer mt_" + character * 43} for character in "ABCD"]
        answers = [(await http.get("/v1/players/me", headers=one)).status_code for one in headers]
        assert answers == [401, 401, 401, 429]


async def test_an_address_makes_so_many_players_an_hour(make_app: MakeApp, clock: ManualClock) -> None:
    app = await make_app(limits=True, players_per_hour=3, clock=clock)
    async with client_of(app) as http, client_of(app, address="198.51.100.7") as elsewhere:
        answers = [await http.post("/v1/players", json={}) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [201, 201, 201, 429]
        assert answers[3].headers["retry-after"] == "3600"
        assert (await elsewhere.post("/v1/players", json={})).status_code == 201
        clock.tick(3_600_000)
        assert (await http.post("/v1/players", json={})).status_code == 201


async def test_a_body_that_is_refused_counts_for_nothing(make_app: MakeApp) -> None:
    app = await make_app(limits=True, players_per_hour=1)
    async with client_of(app) as http:
        assert (await http.post("/v1/players", json={"name": "!"})).status_code == 400
        assert (await http.post("/v1/players", json={})).status_code == 201


async def test_wrong_codes_are_counted_per_address_and_right_ones_are_not(
    make_app: MakeApp, clock: ManualClock
) -> None:
    app = await make_app(limits=True, clock=clock)
    async with client_of(app) as http, client_of(app, address="198.51.100.7") as elsewhere:
        ada = await join(http)

        async def right(client: httpx2.AsyncClient) -> int:
            return (await client.post("/v1/recoveries", json={"recovery": ada.recovery})).status_code

        for _ in range(7):
            assert await right(http) == 201
        wrong = [("/v1/pairings", {"code": "AAAAAAAA"}), ("/v1/recoveries", {"recovery": "no"})]
        answers = [await http.post(path, json=body) for path, body in (wrong * 3)]
        assert [answer.status_code for answer in answers] == [404] * 5 + [429]
        assert answers[5].headers["retry-after"] == "600"
        assert await right(http) == 429
        assert await right(elsewhere) == 201
        clock.tick(600_000)
        assert await right(http) == 201


async def test_without_limits_nothing_is_counted(make_app: MakeApp) -> None:
    app = await make_app(limits=False, players_per_hour=1, commands_burst=1, commands_per_second=0.01)
    async with client_of(app) as http:
        players = [await join(http) for _ in range(3)]
        table = await players[0].deal()
        assert [(await table.send("tap", place="P1")).status_code for _ in range(5)] == [200] * 5
        answers = [await http.post("/v1/pairings", json={"code": "AAAAAAAA"}) for _ in range(7)]
        assert {answer.status_code for answer in answers} == {404}


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("192.0.2.1", [], "192.0.2.1"),
        ("192.0.2.1", ["203.0.113.9"], "192.0.2.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["203.0.113.9:4711"], "203.0.113.9"),
        ("10.0.0.1", ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["203.0.113.9, 10.0.0.2"], "203.0.113.9"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", ["nonsense, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["[2001:db8:1:2:3::4]:443"], "2001:db8:1:2::/64"),
        ("2001:db8:1:2:3::4", [], "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", [], "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", [], "192.0.2.1"),
        ("::ffff:10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("fe80::1%eth0", [], "fe80::/64"),
        (None, ["203.0.113.9"], "local"),
        ("/run/moontide.sock", [], "local"),
    ],
)
def test_whose_address_it_is(peer: str | None, forwarded: list[str], address: str) -> None:
    scope = {
        "client": None if peer is None else (peer, 40000),
        "headers": [(b"x-forwarded-for", line.encode()) for line in forwarded],
    }
    assert client_address(scope, [ip_network("10.0.0.0/8")]) == address


def test_without_trusted_proxies_nothing_is_believed() -> None:
    scope = {"client": ("10.0.0.1", 40000), "headers": [(b"x-forwarded-for", b"203.0.113.9")]}
    assert client_address(scope, []) == "10.0.0.1"
