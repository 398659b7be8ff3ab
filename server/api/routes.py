"""The one table of what can be asked over HTTP: the router, the document and the tests of access read it."""

from collections.abc import Iterable
from typing import Any, Final

from starlette.routing import Route

from server.api import (
    boards,
    dailies,
    daily_board,
    dealing,
    devices,
    documents,
    export,
    game_list,
    games,
    health,
    history,
    pictures,
    players,
    receipts,
    rulesets,
)
from server.api.endpoint import Endpoint, Resource

ENDPOINTS: Final[tuple[Endpoint[Any, Any], ...]] = (
    *games.ENDPOINTS,
    *dealing.ENDPOINTS,
    *game_list.ENDPOINTS,
    *history.ENDPOINTS,
    *pictures.ENDPOINTS,
    *players.ENDPOINTS,
    *export.ENDPOINTS,
    *devices.ENDPOINTS,
    *rulesets.ENDPOINTS,
    *boards.ENDPOINTS,
    *dailies.ENDPOINTS,
    *daily_board.ENDPOINTS,
    *receipts.ENDPOINTS,
    *documents.ENDPOINTS,
    *health.ENDPOINTS,
)


def resources(endpoints: Iterable[Endpoint[Any, Any]]) -> list[Resource]:
    """What stands behind each path, all of its methods together."""
    by_path: dict[str, dict[str, Endpoint[Any, Any]]] = {}
    for endpoint in endpoints:
        by_path.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    return [Resource(path, methods) for path, methods in by_path.items()]


def route_to(resource: Resource) -> Route:
    """The same for Starlette and for tools that read its routes."""
    return Route(resource.path, resource, methods=resource.methods, name=resource.path)
