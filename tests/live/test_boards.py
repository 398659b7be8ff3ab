"""Games on a board over the socket: everybody may watch them, whatever their player's policy says."""

from tests.live.player import Lobby

MOVE = {"do": "move", "remove": ["P1", "P8"]}


async def test_a_game_with_a_row_on_a_board_may_be_watched_by_all_and_commanded_by_nobody_else(lobby: Lobby) -> None:
    player, other = await lobby.player(), await lobby.player()
    game = await player.deal()
    async with player.socket() as socket, other.socket() as stranger:
        await stranger.say("watch", channel=f"game:{game}")
        assert (await stranger.hear())["problem"]["code"] == "not_found"
        await socket.command(game, "a", **MOVE)
        await socket.command(game, "b", do="resign")
        await stranger.say("watch", channel=f"game:{game}", after=0)
        events = [await stranger.until("event") for _ in range(3)]
        assert [event["event"]["type"] for event in events] == ["dealt", "moved", "resigned"]
        assert (await stranger.until("watching"))["seq"] == 3
        await player.call("PUT", f"/v1/games/{game}/watching", {"watching": "private"})
        await stranger.say("ping")
        await stranger.until("pong")  # no resync: the policy has no say here
        refused = await stranger.command(game, "c", do="undo")
        assert refused["problem"]["code"] == "forbidden"
