"""What every answer has in common: CORS, methods, heads, request ids, problems, and faults that are not shown."""

import logging
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette

from server.api.door import Door
from server.api.routes import ENDPOINTS
from server.api.site import MEDIA, Site
from server.api.switchboard import Switchboard
from server.ids import Ids
from server.metrics import Metrics
from server.store.errors import StoreUnavailable
from tests.api.client import Player
from tests.parts.clock import ManualClock

ROOT = Path(__file__).parents[2]
PATHS = sorted({endpoint.path for endpoint in ENDPOINTS})


@pytest.mark.parametrize("path", ["/v1/games", "/nowhere", "/"])
async def test_any_origin_may_ask(path: str, http: httpx2.AsyncClient) -> None:
    headers = {"origin": "https://elsewhere.example", "access-control-request-method": "PUT"}
    preflight = await http.options(path, headers=headers)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == "*"
    assert "PUT" in preflight.headers["access-control-allow-methods"]
    assert "authorization" in preflight.headers["access-control-allow-headers"].lower()
    assert "access-control-allow-credentials" not in preflight.headers
    response = await http.get(path, headers={"origin": "https://elsewhere.example"})
    assert response.headers["access-control-allow-origin"] == "*"
    assert {"X-Request-Id", "Retry-After"} <= set(response.headers["access-control-expose-headers"].split(", "))
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize("path", PATHS)
async def test_a_method_that_a_route_does_not_know_is_refused_with_those_it_knows(
    path: str, http: httpx2.AsyncClient
) -> None:
    known = {endpoint.method for endpoint in ENDPOINTS if endpoint.path == path} | {"OPTIONS"}
    known |= {"HEAD"} if "GET" in known else set()
    for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"):
        if method not in known:
            response = await http.request(method, path)
            assert response.status_code == 405, method
            assert set(response.headers["allow"].split(", ")) == known
            if method != "HEAD":
                assert response.json()["code"] == "method_not_allowed"
    options = await http.options(path)
    assert (options.status_code, set(options.headers["allow"].split(", "))) == (204, known)


@pytest.mark.parametrize("path", ["/healthz", "/v1/rulesets", "/openapi.json", "/docs", "/v1/players/me", "/"])
async def test_a_head_is_the_answer_without_its_body(path: str, http: httpx2.AsyncClient) -> None:
    whole, head = await http.get(path), await http.head(path)
    assert head.content == b""
    assert head.status_code == whole.status_code
    for name in ("content-type", "content-length", "cache-control", "etag"):
        assert head.headers.get(name) == whole.headers.get(name) or path == "/v1/players/me"


@pytest.mark.parametrize(
    "path", ["/nowhere", "/v1", "/v1/", "/v1/games/", "/v2/games", "/index.php", "/app/../../pyproject.toml"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_what_is_not_there_is_a_problem(method: str, path: str, http: httpx2.AsyncClient) -> None:
    response = await http.request(method, path)
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert response.headers["content-type"] == "application/problem+json"


async def test_every_request_has_an_id_of_its_own(http: httpx2.AsyncClient) -> None:
    assert len({(await http.get("/healthz")).headers["x-request-id"] for _ in range(20)}) == 20


async def test_answers_of_players_are_kept_by_nobody(ada: Player) -> None:
    for path in ("/v1/players/me", "/v1/games", "/v1/players/me/export"):
        assert (await ada.get(path)).headers["cache-control"] == "no-store"


# -- faults of ours ---------------------------------------------------------------------------------


class Breaking:
    """An application that fails in the way it is told to."""

    def __init__(self, error: Exception, *, after_start: bool = False) -> None:
        self.error = error
        self.after_start = after_start

    async def __call__(self, scope: dict, receive: object, send) -> None:  # type: ignore[no-untyped-def]
        if self.after_start:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        raise self.error


def door_to(app: Breaking) -> Door:
    return Door(app, ids=Ids(ManualClock()), metrics=Metrics(), switchboard=Switchboard(()))


async def test_a_fault_of_ours_is_logged_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    door = door_to(Breaking(RuntimeError("the secret of the house")))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(door), base_url="http://t") as http:
        response = await http.get("/v1/games")
    assert (response.status_code, response.json()["code"]) == (500, "internal")
    assert response.headers["content-type"] == "application/problem+json"
    assert "secret" not in response.text and "Traceback" not in response.text
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.exc_info is not None and "secret of the house" in str(record.exc_info[1])


async def test_half_an_answer_is_never_made_to_look_whole() -> None:
    door = door_to(Breaking(RuntimeError("late"), after_start=True))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(door), base_url="http://t") as http:
        with pytest.raises(RuntimeError, match="late"):
            await http.get("/v1/games")


async def test_a_storage_that_fails_is_503_and_says_when_to_try_again(
    app: Starlette, ada: Player, http: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise StoreUnavailable("disk I/O error on /secret/path")

    monkeypatch.setattr(app.state.services.database, "read", fails)
    for path in ("/readyz", f"/v1/players/{ada.id}", "/v1/games?watching=public"):
        response = await http.get(path)
        assert (response.status_code, response.json()["code"]) == (503, "unavailable"), path
        assert int(response.headers["retry-after"]) >= 1
        assert "secret" not in response.text
    assert (await http.get("/healthz")).status_code == 200


async def test_a_process_that_is_about_to_end_is_not_ready(make_app, http: httpx2.AsyncClient) -> None:  # type: ignore[no-untyped-def]
    app = await make_app()
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://t") as client:
        assert (await client.get("/readyz")).status_code == 200
        await app.state.drain()
        assert (await client.get("/readyz")).status_code == 503
        assert (await client.get("/healthz")).status_code == 200


async def test_meters_name_routes_and_never_ids(ada: Player, http: httpx2.AsyncClient) -> None:
    table = await ada.deal()
    await table.send("tap", place="P1")
    await http.request("BREW", "/v1/games")
    metrics = await http.get("/metrics")
    assert metrics.headers["content-type"].startswith("text/plain")
    assert 'moontide_http_requests_total{method="POST",route="/v1/games/{id}/commands",status="200"}' in metrics.text
    assert 'moontide_commands_total{answer="selected",do="tap"}' in metrics.text
    assert table.id not in metrics.text and ada.id not in metrics.text and "BREW" not in metrics.text


# -- files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json"])
async def test_what_has_not_changed_is_not_sent_again(path: str, http: httpx2.AsyncClient) -> None:
    first = await http.get(path)
    assert first.headers["cache-control"] == "no-cache"
    again = await http.get(path, headers={"if-none-match": f'"other", {first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    plain = await http.get(path, headers={"accept-encoding": "gzip;q=0"})
    assert "content-encoding" not in plain.headers
    assert plain.content == first.content
    assert (first.headers["content-encoding"], first.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert plain.headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize("path", ["/", "/docs", "/problems/stale"])
async def test_a_page_loads_nothing_from_elsewhere_and_runs_no_inline_script(
    path: str, http: httpx2.AsyncClient
) -> None:
    page = await http.get(path)
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'self';") and "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "http://" not in page.text and "https://" not in page.text
    assert "<style" not in page.text and " style=" not in page.text and "<script>" not in page.text


async def test_every_file_of_the_web_client_is_served_and_nothing_beside_it(http: httpx2.AsyncClient) -> None:
    folder = ROOT / "clients" / "web"
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.name == "index.html" for path in files)
    for path in files:
        response = await http.get("/" + path.relative_to(folder).as_posix())
        if path.suffix in MEDIA:
            assert (response.status_code, response.headers["content-type"]) == (200, MEDIA[path.suffix])
            assert response.content == path.read_bytes()
        else:
            assert response.status_code == 404


async def test_a_file_that_changes_is_read_again_and_a_link_out_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "secret.js").write_text("secret")
    page, link = tmp_path / "web" / "index.html", tmp_path / "web" / "link.js"
    page.write_text("one")
    link.symlink_to(tmp_path / "secret.js")
    site = Site(tmp_path / "web")
    assert site._file("/") is not None and site._file("/").body == b"one"  # type: ignore[union-attr]
    page.write_text("two, later")
    import os

    os.utime(page, ns=(1, 1))
    assert site._file("/index.html").body == b"two, later"  # type: ignore[union-attr]
    assert site._file("/link.js") is None
    assert site._file("/../secret.js") is None
    page.unlink()
    assert site._file("/") is None
    assert Site(tmp_path / "nowhere")._file("/") is None
