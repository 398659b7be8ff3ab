"""The composition root: everything is wired here, once, by constructors."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send

from server.api.answers import PROBLEM, problem_answer
from server.api.documents import Documents
from server.api.door import Door
from server.api.endpoint import wrong_method
from server.api.errors import ProblemError, not_found
from server.api.routes import ENDPOINTS, resources, route_to
from server.api.services import Seams, open_services
from server.api.site import Site
from server.api.socket import LiveEndpoint
from server.api.switchboard import Switchboard
from server.clock import Clock, SystemClock
from server.ids import Ids
from server.metrics import Metrics
from server.settings import Settings
from server.solitaires import SOLITAIRES
from server.solitaires.codes import Code
from server.solitaires.protocol import State
from server.store.exclusive import exclusively
from server.store.open import Store, open_store


def create_app(
    settings: Settings,
    *,
    clock: Clock | None = None,
    ids: Ids | None = None,
    entropy: Callable[[int], bytes] | None = None,
    deal: Callable[[Code], State] | None = None,
    store: Store | None = None,
) -> Starlette:
    """The application. The five seams are for tests: what tells the time, what makes ids, what draws codes, what
    deals them, and a store that is open already (and stays open). Nothing is opened before its start-up.

    Start-up raises the `StoreError`s of a database that cannot be used.
    """
    clock = clock or SystemClock()
    seams = Seams(
        clock=clock,
        ids=ids or Ids(clock, entropy or os.urandom),
        entropy=entropy or os.urandom,
        deal=deal or dealt_by_the_rules,
    )
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with _opened(settings, store) as opened, open_services(settings, seams, opened, metrics) as services:
            app.state.services = services
            app.state.drain = services.drain
            app.state.retire = services.retire
            yield

    table = resources(ENDPOINTS)
    switchboard = Switchboard((resource.path, resource) for resource in table)
    app = Starlette(
        routes=[*map(route_to, table), WebSocketRoute("/v1/live", _Live())],
        middleware=[Middleware(Door, ids=seams.ids, metrics=metrics, switchboard=switchboard)],
        exception_handlers={HTTPException: told_as_problem},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.router.default = Site()
    app.state.documents = Documents(ENDPOINTS)
    return app


def dealt_by_the_rules(code: Code) -> State:
    """The deal of a code, as DESIGN 4 has it."""
    return SOLITAIRES[code.ruleset].deal(code.body)


@asynccontextmanager
async def _opened(settings: Settings, store: Store | None) -> AsyncIterator[Store]:
    if store is not None:
        yield store
        return
    with exclusively(settings.database):
        store = await open_store(settings)
        try:
            yield store
        finally:
            await store.close()


class _Live:
    """The WebSocket's route: knows the services once they are there."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await LiveEndpoint(scope["app"].state.services)(scope, receive, send)


async def told_as_problem(request: Request, error: Exception) -> Response:
    """What Starlette itself refuses (no such route, no such method), in the form of everything else."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        problem = not_found()
    elif error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "").split(", ")
        problem = wrong_method(sorted(allowed))
    else:
        problem = ProblemError("invalid_body", error.detail)
    answer = problem_answer(problem, request.scope["request_id"])
    headers = {name.decode(): value.decode() for name, value in answer.headers}
    return Response(answer.body, answer.status, headers, PROBLEM.decode())
