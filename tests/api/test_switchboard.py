"""Paths lead where Starlette's own router would lead them."""

import pytest
from starlette.routing import Match, Route

from server.api.routes import ENDPOINTS, resources, route_to
from server.api.switchboard import Switchboard

RESOURCES = resources(ENDPOINTS)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/v1/games", ("games", {})),
        ("/v1/games/7", ("game", {"id": "7"})),
        ("/v1/games/me", ("me", {})),
        ("/v1/games/me/events", ("events", {"id": "me"})),
        ("/v1/games/me/tokens", ("tokens", {})),
        ("/v1/games/a%2Fb/events", ("events", {"id": "a%2Fb"})),
        ("/v1/games/", None),
        ("/v1/games//events", None),
        ("/v1/games/7/", None),
        ("/v1/games/7/events/8", None),
        ("/v1", None),
        ("/", None),
        ("", None),
        ("v1/games", None),
    ],
)
def test_a_literal_goes_before_a_parameter_and_a_dead_end_is_left_again(path: str, found: object) -> None:
    board = Switchboard(
        [
            ("/v1/games", "games"),
            ("/v1/games/{id}", "game"),
            ("/v1/games/{id}/events", "events"),
            ("/v1/games/me", "me"),
            ("/v1/games/me/tokens", "tokens"),
        ]
    )
    assert board.find(path) == found


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: one.path)
def test_the_board_and_starlette_agree_on_every_route(resource) -> None:  # type: ignore[no-untyped-def]
    board = Switchboard((one.path, one) for one in RESOURCES)
    path = (
        resource.path.replace("{id}", "x1").replace("{code}", "x2").replace("{date}", "x3").replace("{ruleset}", "x4")
    )
    routes: list[Route] = [route_to(one) for one in RESOURCES]
    scope = {"type": "http", "method": resource.methods[0], "path": path}
    first = next(route for route in routes if route.matches(scope)[0] is Match.FULL)
    found = board.find(path)
    assert found is not None and found[0] is resource
    assert first.path == resource.path
    assert first.matches(scope)[1]["path_params"] == found[1]
