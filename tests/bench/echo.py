"""The least that the same server can do: echo a WebSocket text and a JSON body. All else is held against it."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send


async def live(scope: Scope, receive: Receive, send: Send) -> None:
    """Every text comes back as it is."""
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})


class Live:
    """An ASGI application, so that Starlette adds nothing of its own to the socket."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await live(scope, receive, send)


async def body(request: Request) -> Response:
    """The JSON of the body, read and written."""
    return JSONResponse(await request.json())


def create_echo() -> Starlette:
    return Starlette(routes=[WebSocketRoute("/live", Live()), Route("/echo", body, methods=["POST"])])
