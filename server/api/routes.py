"""The one table of what can be asked over HTTP: the router, the document and the tests of access read it."""

from collections.abc import Iterable
from typing import Any, Final

from starlette.routing import Route

from server.api import (
    boards,
    dailies,
    daily_board,
    devices,
    documents,
    export,
    games,
    health,
    history,
    players,
    receipts,
    rulesets,
)
from server.api.endpoint import Endpoint, Resource

# The first is the one that is asked most; the router tries them in this order.
ENDPOINTS: Final[tuple[Endpoint[Any, Any], ...]] = (
    *games.ENDPOINTS,
    *history.ENDPOINTS,
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


def routes(endpoints: Iterable[Endpoint[Any, Any]] = ENDPOINTS) -> list[Route]:
    """A Starlette route for each path, behind which all of its methods stand."""
    by_path: dict[str, dict[str, Endpoint[Any, Any]]] = {}
    for endpoint in endpoints:
        by_path.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    return [_route(Resource(path, methods)) for path, methods in by_path.items()]


def _route(resource: Resource) -> Route:
    return Route(resource.path, resource, methods=resource.methods, name=resource.path)
