"""The web client: the files of ``clients/web``, at the root of the server."""

import os
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from server.api.files import File

FOLDER: Final = Path(__file__).parents[2] / "clients" / "web"

MEDIA: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}
"""What is served of the folder; whatever else lies there (a README, a licence) is not."""


class Site:
    """Serves the files that were there when it was made: a path is looked up, never built into another one.

    A file that changes on the disk is read again, so that the client can be worked on beside a running server.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        found = sorted(folder.rglob("*")) if folder.is_dir() else []
        self._paths = {
            "/" + path.relative_to(folder).as_posix(): path
            for path in found
            if path.suffix in MEDIA and path.is_file() and folder.resolve() in path.resolve().parents
        }
        if (index := self._paths.get("/index.html")) is not None:
            self._paths["/"] = index
        self._read: dict[str, tuple[int, File]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "not_found"})
            return
        file = self._file(scope["path"])
        if file is None:
            raise HTTPException(404)
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        await file.answer(scope)(scope, receive, send)

    def _file(self, name: str) -> File | None:
        path = self._paths.get(name)
        if path is None:
            return None
        try:
            changed = os.stat(path).st_mtime_ns
            known = self._read.get(name)
            if known is None or known[0] != changed:
                known = self._read[name] = (changed, File(path.read_bytes(), MEDIA[path.suffix]))
        except OSError:
            return None
        return known[1]
