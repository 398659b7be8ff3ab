"""The outermost layer of HTTP: a name for every request, CORS, meters, and the last resort for a fault of ours.

Origins are of no concern: there are no cookies, so a foreign page can do no more than any program.
"""

import logging
import time
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.api.answers import Answer, problem_answer
from server.api.endpoint import Resource
from server.api.errors import ProblemError
from server.api.meters import Counted, Timed
from server.api.switchboard import Switchboard
from server.ids import Ids
from server.logs import request_id as current_request
from server.metrics import Metrics

log = logging.getLogger("moontide.http")

_OPEN: Final = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"X-Request-Id, Retry-After, Location, ETag, Allow"),
    (b"x-content-type-options", b"nosniff"),
]
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_PREFLIGHT: Final = [
    (b"access-control-allow-methods", b"GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
    (b"access-control-allow-headers", b"Authorization, Content-Type, Accept"),
    (b"access-control-max-age", b"86400"),
    (b"vary", b"Access-Control-Request-Method"),
]


class Door:
    """Wraps the whole application. Takes what is in the table of routes straight there, and lets everything else
    (WebSockets, files, what is not there) through to Starlette."""

    def __init__(self, app: ASGIApp, *, ids: Ids, metrics: Metrics, switchboard: Switchboard[Resource]) -> None:
        self._app = app
        self._switchboard = switchboard
        self._ids = ids
        self._requests = Counted(metrics.requests)
        self._seconds = Timed(metrics.request_seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["request_id"] = request = self._ids.request()
        current_request.set(request)
        named = (b"x-request-id", request.encode())
        began = time.perf_counter()
        status = 0

        async def send_named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *_OPEN, named]
            await send(message)

        try:
            await self._way(scope)(scope, receive, send_named)
        except Exception:
            log.exception("a request failed", extra={"method": scope["method"], "route": _route(scope)})
            if status:
                raise  # half an answer has gone out: the server cuts the connection, so that it is not taken for whole
            fault = ProblemError("internal", "something went wrong on the server; it is logged")
            await problem_answer(fault, request)(scope, receive, send_named)
        finally:
            self._note(scope, status, time.perf_counter() - began)

    def _way(self, scope: Scope) -> ASGIApp:
        """Where a request goes."""
        if scope["method"] == "OPTIONS" and _is_preflight(scope):
            return Answer(status=204, headers=_PREFLIGHT)
        found = None if scope.get("root_path") else self._switchboard.find(scope["path"])
        if found is None:
            return self._app
        scope["endpoint"], scope["path_params"] = found
        return found[0]

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = _route(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._requests.add(method, route, str(status))
        self._seconds.add(seconds, route)
        if log.isEnabledFor(logging.DEBUG):
            log.debug("answered", extra={"method": scope["method"], "route": route, "status": status, "s": seconds})


def _route(scope: Scope) -> str:
    """The path with the names of its parameters, never their values: ids do not belong into meters."""
    resource = scope.get("endpoint")
    return resource.path if isinstance(resource, Resource) else "other"


def _is_preflight(scope: Scope) -> bool:
    return any(name == b"access-control-request-method" for name, _ in scope["headers"])
