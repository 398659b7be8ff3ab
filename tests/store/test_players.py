"""Players, their devices and pairing codes; and what is left of a player who goes."""

import asyncio

from server.store import games, pairings, players, tokens
from server.store.eventlog import Won
from server.store.open import Store
from server.store.pairings import LIFETIME_MS
from server.store.players import Player
from server.store.secrets import secret_hash
from tests.store.records import add_player, move, new_id, opening

NOW = 1_796_000_000_000


async def someone(store: Store, name: str | None = None) -> Player:
    id = new_id()
    return await store.database.write(
        players.create_player, id=id, name=name, recovery_hash=secret_hash(f"recovery of {id}"), now=NOW
    )


async def device(store: Store, player: Player, *, at: int = NOW, label: str | None = None) -> tuple[str, str]:
    """A new device: the id and the hash of its token."""
    id, hash = new_id(), secret_hash(new_id())
    await store.database.write(tokens.add_token, id=id, player=player.id, hash=hash, label=label, now=at)
    return id, hash


async def test_a_player_is_found_by_id_and_by_recovery(store: Store) -> None:
    ada = await someone(store, "Ada")
    assert ada == Player(ada.id, "Ada", players.tag_of(ada.id), NOW) and len(ada.tag) == 4
    assert await store.database.read(players.player_by_id, ada.id) == ada
    assert await store.database.read(players.player_by_recovery, secret_hash(f"recovery of {ada.id}")) == ada
    assert await store.database.read(players.player_by_recovery, secret_hash("else")) is None
    assert await store.database.read(players.player_by_id, new_id()) is None
    guest = await someone(store)
    assert await store.database.read(players.players_by_id, [ada.id, guest.id, new_id()]) == {
        ada.id: ada,
        guest.id: guest,
    }


def test_a_tag_is_the_same_for_ever() -> None:
    assert players.tag_of("0b9d1c1e-6d2c-4a35-9d5e-2f5b8f9a7c11") == "PZB4"


async def test_a_name_can_be_given_and_taken_back(store: Store) -> None:
    guest = await someone(store)
    assert await store.database.write(players.rename, guest.id, "Grace") == Player(guest.id, "Grace", guest.tag, NOW)
    assert await store.database.write(players.rename, guest.id, None) == guest
    assert await store.database.write(players.rename, new_id(), "Nobody") is None


class TestTokens:
    async def test_a_token_leads_to_its_player_until_it_is_revoked(self, store: Store) -> None:
        ada = await someone(store, "Ada")
        (one, one_hash), (other, other_hash) = await device(store, ada), await device(store, ada, label="phone")
        assert await store.database.read(tokens.find_by_token_hash, one_hash) == tokens.Known(one, ada)
        assert await store.database.read(tokens.find_by_token_hash, secret_hash("else")) is None
        assert await store.database.write(tokens.revoke, ada.id, one, NOW + 5)
        assert await store.database.read(tokens.find_by_token_hash, one_hash) is None
        assert await store.database.read(tokens.find_by_token_hash, other_hash) == tokens.Known(other, ada)
        assert not await store.database.write(tokens.revoke, ada.id, one, NOW + 6)

    async def test_nobody_revokes_the_token_of_another(self, store: Store) -> None:
        ada, eve = await someone(store), await someone(store)
        id, hash = await device(store, ada)
        assert not await store.database.write(tokens.revoke, eve.id, id, NOW)
        assert await store.database.read(tokens.find_by_token_hash, hash) is not None

    async def test_devices_are_listed_newest_first_without_the_revoked(self, store: Store) -> None:
        ada = await someone(store)
        ids = [(await device(store, ada, at=NOW + number, label=f"d{number}"))[0] for number in range(3)]
        await device(store, await someone(store))
        await store.database.write(tokens.revoke, ada.id, ids[1], NOW + 9)
        assert await store.database.read(tokens.list_tokens, ada.id) == [
            tokens.Token(ids[2], "d2", NOW + 2, None),
            tokens.Token(ids[0], "d0", NOW, None),
        ]

    async def test_one_query_tells_which_open_sockets_must_close(self, store: Store) -> None:
        ada, eve = await someone(store), await someone(store)
        good, bad = (await device(store, ada))[0], (await device(store, ada))[0]
        gone = (await device(store, eve))[0]
        await store.database.write(tokens.revoke, ada.id, bad, NOW)
        await store.database.write(players.delete_player, eve.id)
        assert await store.database.read(tokens.tokens_revoked, [good, bad, gone]) == {bad, gone}
        assert await store.database.read(tokens.tokens_revoked, []) == set()


class TestPairings:
    async def test_a_code_adds_one_device_within_ten_minutes(self, store: Store) -> None:
        ada = await someone(store, "Ada")
        code = secret_hash(new_id())
        made = await store.database.write(pairings.create_pairing, player=ada.id, code_hash=code, now=NOW)
        assert made == NOW + LIFETIME_MS == NOW + 600_000
        assert await store.database.write(pairings.claim_pairing, secret_hash("else"), NOW) is None
        assert await store.database.write(pairings.claim_pairing, code, NOW + LIFETIME_MS - 1) == ada
        assert await store.database.write(pairings.claim_pairing, code, NOW + LIFETIME_MS - 1) is None

    async def test_a_code_is_over_on_the_millisecond(self, store: Store) -> None:
        ada = await someone(store)
        code = secret_hash(new_id())
        await store.database.write(pairings.create_pairing, player=ada.id, code_hash=code, now=NOW)
        assert await store.database.write(pairings.claim_pairing, code, NOW + LIFETIME_MS) is None

    async def test_a_new_code_replaces_the_one_before(self, store: Store) -> None:
        ada = await someone(store)
        old, new = secret_hash(new_id()), secret_hash(new_id())
        for code in (old, new):
            await store.database.write(pairings.create_pairing, player=ada.id, code_hash=code, now=NOW)
        assert await store.database.write(pairings.claim_pairing, old, NOW) is None
        assert await store.database.write(pairings.claim_pairing, new, NOW) == ada

    async def test_of_many_who_claim_at_once_one_gets_it(self, store: Store) -> None:
        ada = await someone(store)
        code = secret_hash(new_id())
        await store.database.write(pairings.create_pairing, player=ada.id, code_hash=code, now=NOW)
        claims = (store.database.write(pairings.claim_pairing, code, NOW) for _ in range(12))
        assert [one for one in await asyncio.gather(*claims) if one is not None] == [ada]


class TestGoing:
    async def test_of_an_erased_player_only_logs_stay_which_say_nothing(self, store: Store) -> None:
        ada, eve = await someone(store, "Ada"), await someone(store, "Eve")
        mine, hers = new_id(), new_id()
        batch = [opening(mine, ada.id), opening(hers, eve.id), move(mine, 2)]
        assert await store.log.append(batch) == [Won()] * 3
        log = await store.log.read(mine)
        _, hash = await device(store, ada)
        code = secret_hash(new_id())
        await store.database.write(pairings.create_pairing, player=ada.id, code_hash=code, now=NOW)

        assert await store.database.write(players.delete_player, ada.id)
        assert not await store.database.write(players.delete_player, ada.id)
        assert await store.database.read(players.player_by_id, ada.id) is None
        assert await store.database.read(tokens.find_by_token_hash, hash) is None
        assert await store.database.write(pairings.claim_pairing, code, NOW) is None
        row, other = await store.log.header(mine), await store.log.header(hers)
        assert row is not None and (row.player, row.salt) == (None, None) and row.owner
        assert other is not None and other.player == eve.id and other.salt is not None
        assert await store.log.read(mine) == log
        assert await store.log.append([move(mine, 3)]) == [Won()]

    async def test_several_erased_players_may_have_used_the_same_command_id(self, store: Store) -> None:
        for _ in range(2):
            player = await someone(store)
            assert await store.log.append([opening(new_id(), player.id, command_id="first")]) == [Won()]
            assert await store.database.write(players.delete_player, player.id)

    async def test_an_export_holds_all_that_is_stored_and_no_secret(self, store: Store) -> None:
        ada = await someone(store, "Ada")
        id, _ = await device(store, ada, label="phone")
        game = new_id()
        await store.log.append([opening(game, ada.id, command_id="c")])
        row = await store.log.header(game)
        assert row is not None
        assert await store.database.read(players.export_player, ada.id) == {
            "player": {"id": ada.id, "name": "Ada", "tag": ada.tag, "created_at": NOW},
            "tokens": [{"id": id, "label": "phone", "created_at": NOW, "revoked_at": None}],
            "games": [{field: getattr(row, field) for field in row.__struct_fields__}],
        }
        assert await store.database.read(players.export_player, new_id()) is None


async def test_a_player_of_games_is_deleted_by_hand_or_not_at_all(store: Store) -> None:
    """The row cannot vanish and leave its id and its salts in the rows of games."""
    import pytest
    from sqlalchemy import delete
    from sqlalchemy.exc import IntegrityError

    from server.store.tables import players as table

    player, game = new_id(), new_id()
    await store.database.write(add_player, player)
    await store.log.append([opening(game, player)])
    with pytest.raises(IntegrityError):
        await store.database.write(lambda one: one.execute(delete(table).where(table.c.id == player)).rowcount)
    assert await store.database.read(games.header, game) is not None
