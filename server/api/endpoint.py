"""One row of the table of routes, and how a request is taken through it.

    token -> limits -> query -> body -> the row's handler -> answer

What a row says is all there is: the router, the tests of access and the OpenAPI document are made from it.
Handlers get a `Call` with everything parsed, and give a value of the row's type, or raise a problem.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from msgspec import Struct
from starlette.types import Receive, Scope, Send

from server.api.addresses import client_address
from server.api.answers import NO_STORE, Answer, Stream, problem_answer
from server.api.auth import Identity, bearer, token_needed, unauthenticated
from server.api.bodies import MOST, BodyReader, read_body, require_json
from server.api.errors import ProblemError, as_problem
from server.api.queries import Nothing, read_query

if TYPE_CHECKING:
    from server.api.services import Services

Q = TypeVar("Q", bound=Struct)
B = TypeVar("B", bound=Struct)

_NOTHING = Nothing()


class Access(Enum):
    """Who may ask. A token that is given where one is looked at must be valid."""

    OPEN = "open"  # everybody; a token is not looked at
    READER = "reader"  # everybody, for what is open to them; with a token, also for what is one's own
    PLAYER = "player"  # a valid token is needed


class Call(Generic[Q, B]):
    """One request, parsed and authorised. ``player`` is the asking one's id, or None."""

    __slots__ = ("body", "identity", "player", "query", "receive", "scope", "services")

    def __init__(
        self, services: "Services", scope: Scope, receive: Receive, identity: Identity | None, query: Q, body: B
    ) -> None:
        self.services = services
        self.scope = scope
        self.receive = receive
        self.identity = identity
        self.player = None if identity is None else identity.player
        self.query = query
        self.body = body

    @property
    def me(self) -> Identity:
        """The asking player, on a route that needs one."""
        assert self.identity is not None
        return self.identity

    @property
    def address(self) -> str:
        """What limits for addresses are counted for."""
        return client_address(self.scope, self.services.settings.trusted_proxies)

    def path(self, name: str) -> str:
        """A parameter of the path."""
        value: str = self.scope["path_params"][name]
        return value

    async def disconnected(self) -> None:
        """Return when the client has gone. For requests whose body has been read, or has none."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    def accepts(self, media: str) -> bool:
        """Whether the client asks for this kind of answer by name."""
        return any(
            name == b"accept" and media in value.decode("latin-1").lower() for name, value in self.scope["headers"]
        )


Handler = Callable[[Call[Q, B]], Awaitable[Any]]


@dataclass(frozen=True, kw_only=True)
class Endpoint(Generic[Q, B]):
    """One method of one route.

    ``answer`` is the type of what comes back as JSON with ``status`` (None: nothing comes back), ``others``
    further media types and what they hold. ``problems`` are the codes that the handler itself may raise; those
    that follow from the rest of the row are added by `codes`. ``cost`` says which limit counts it.
    """

    method: str
    path: str
    handle: Handler[Q, B]
    summary: str
    group: str
    access: Access = Access.PLAYER
    parameters: Mapping[str, Any] = field(default_factory=dict)  # those of the path, with their types
    query: type[Q] = field(default=Nothing)  # type: ignore[assignment]
    body: type[B] | None = None
    at_most: int = MOST  # bytes of the body
    bodiless: bool = False  # whether the body may be left out
    unreadable: str = "invalid_body"
    status: int = 200
    answer: Any = None
    others: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    cost: Literal["read", "command", "none"] = "read"
    cache: tuple[bytes, bytes] = NO_STORE
    examples: Mapping[str, Any] = field(default_factory=dict)

    @property
    def codes(self) -> tuple[str, ...]:
        """Every code that this row can answer with."""
        codes = [*self.problems, "invalid_query", "unavailable", "internal"]
        if self.body is not None:
            codes += ["invalid_body", self.unreadable, "too_large", "unsupported_media_type"]
        if self.access is not Access.OPEN:
            codes.append("unauthenticated")
        if self.cost != "none":
            codes.append("too_many_requests")
        return tuple(dict.fromkeys(codes))


class Row:
    """An endpoint that is ready to be called."""

    def __init__(self, endpoint: Endpoint[Any, Any]) -> None:
        self.endpoint = endpoint
        self._reader = BodyReader(endpoint.body, endpoint.unreadable) if endpoint.body is not None else None

    async def answer(self, services: "Services", scope: Scope, receive: Receive) -> Answer | Stream:
        """What this request is answered with; raises problems and whatever else goes wrong."""
        endpoint = self.endpoint
        authorization = content_type = length = None
        for name, value in scope["headers"]:
            if name == b"authorization":
                authorization = value
            elif name == b"content-type":
                content_type = value
            elif name == b"content-length":
                length = value
        identity = None
        if endpoint.access is not Access.OPEN:
            identity = await _identify(services, scope, authorization, needed=endpoint.access is Access.PLAYER)
        if services.limits is not None and endpoint.cost != "none":
            _count(services, scope, endpoint.cost, identity)
        query = read_query(scope["query_string"], endpoint.query) if scope["query_string"] else endpoint.query()
        body: Any = _NOTHING
        if self._reader is not None:
            if content_type is not None or not endpoint.bodiless:
                require_json(content_type)
            raw = await read_body(receive, length, endpoint.at_most)
            body = self._reader.read(raw or b"{}" if endpoint.bodiless else raw)
        result = await endpoint.handle(Call(services, scope, receive, identity, query, body))
        if isinstance(result, Answer | Stream):
            return result
        if endpoint.answer is None:
            return Answer(status=endpoint.status, headers=(endpoint.cache,))
        return Answer.of(result, endpoint.status, (endpoint.cache,))


class Resource:
    """All methods of one path; an ASGI application."""

    def __init__(self, path: str, endpoints: Mapping[str, Endpoint[Any, Any]]) -> None:
        self.path = path
        self._rows = {method: Row(endpoint) for method, endpoint in endpoints.items()}
        if "GET" in self._rows:
            self._rows["HEAD"] = self._rows["GET"]
        self.methods = sorted([*self._rows, "OPTIONS"])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer: Answer | Stream
        try:
            row = self._rows.get(scope["method"])
            if row is not None:
                answer = await row.answer(scope["app"].state.services, scope, receive)
            elif scope["method"] == "OPTIONS":
                answer = Answer(status=204, headers=[(b"allow", ", ".join(self.methods).encode())])
            else:
                raise wrong_method(self.methods)
        except Exception as error:
            problem = as_problem(error)
            if problem is None:
                raise
            answer = problem_answer(problem, scope["request_id"])
        await answer(scope, receive, send)


async def _identify(services: "Services", scope: Scope, header: bytes | None, *, needed: bool) -> Identity | None:
    if header is None:
        if needed:
            raise token_needed()
        return None
    identity = await services.authenticate(bearer(header))
    if identity is None:
        if services.limits is not None:
            services.limits.read("refused " + client_address(scope, services.settings.trusted_proxies))
        raise unauthenticated("the token is malformed, unknown or revoked")
    return identity


def _count(services: "Services", scope: Scope, cost: str, identity: Identity | None) -> None:
    assert services.limits is not None
    if identity is not None and cost == "command":
        services.limits.command(identity.player)
    else:
        key = identity.player if identity else client_address(scope, services.settings.trusted_proxies)
        services.limits.read(key)


def wrong_method(known: Iterable[str]) -> ProblemError:
    """The problem of a method that a path does not know."""
    allow = ", ".join(known)
    return ProblemError("method_not_allowed", f"this route knows {allow}", headers=[(b"allow", allow.encode())])
