"""The documents: OpenAPI and AsyncAPI, the routes as a page to read, and a page for each problem."""

from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any

from msgspec import Meta

from server.api.answers import Answer, encode
from server.api.asyncapi import asyncapi
from server.api.endpoint import Access, Call, Endpoint
from server.api.errors import PROBLEMS, not_found
from server.api.files import File
from server.api.pages import STYLE, problem_page, reference_page
from server.api.queries import Nothing
from server.api.schema import openapi

_HTML = "text/html; charset=utf-8"


class Documents:
    """What is served under /openapi.json, /docs and /problems. Made when the first of them is asked for."""

    def __init__(self, endpoints: Iterable[Endpoint[Any, Any]]) -> None:
        self._endpoints = tuple(endpoints)

    @cached_property
    def openapi(self) -> dict[str, Any]:
        return openapi(self._endpoints)

    def file(self, path: str) -> File | None:
        return self._files.get(path)

    @cached_property
    def _files(self) -> dict[str, File]:
        return {
            "/openapi.json": File(encode(self.openapi), "application/json"),
            "/asyncapi.json": File(encode(asyncapi()), "application/json"),
            "/docs": File(reference_page(self.openapi).encode(), _HTML),
            "/docs/style.css": File(STYLE.encode(), "text/css; charset=utf-8"),
            **{f"/problems/{code}": File(problem_page(code, kind).encode(), _HTML) for code, kind in PROBLEMS.items()},
        }


async def show(call: Call[Nothing, Nothing]) -> Answer:
    documents: Documents = call.scope["app"].state.documents
    file = documents.file(call.scope["path"])
    if file is None:
        raise not_found()
    return file.answer(call.scope)


def _document(path: str, summary: str, media: str, kind: Any, **more: Any) -> Endpoint[Nothing, Nothing]:
    return Endpoint(
        method="GET",
        path=path,
        handle=show,
        summary=summary,
        group="Documents",
        access=Access.OPEN,
        others={media: kind},
        cost="none",
        **more,
    )


ENDPOINTS = (
    _document("/openapi.json", "This document", "application/json", dict[str, Any]),
    _document("/asyncapi.json", "The WebSocket at /v1/live, as AsyncAPI", "application/json", dict[str, Any]),
    _document("/docs", "This document as a page to read", "text/html", str),
    _document("/docs/style.css", "How the pages look", "text/css", str),
    _document(
        "/problems/{code}",
        "What a problem means",
        "text/html",
        str,
        parameters={"code": Annotated[str, Meta(extra_json_schema={"enum": list(PROBLEMS)})]},
        problems=("not_found",),
    ),
)
