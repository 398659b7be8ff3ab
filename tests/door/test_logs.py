"""A log line is one JSON object with the request's id, and no secret is in it."""

import io
import json
import logging
from collections.abc import Iterator

import pytest

from server import logs
from server.ids import Ids
from tests.parts.clock import ManualClock


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What was logged; the loggers of pytest are put back afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    logs.setup("info", "json", stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)


def test_a_line_carries_time_level_request_and_what_was_given_beside(lines: io.StringIO) -> None:
    marker = logs.request_id.set("abc123")
    logging.getLogger("moontide.test").warning("slow %s", "disk", extra={"game": "g1", "ms": 12})
    logs.request_id.reset(marker)
    line = json.loads(lines.getvalue())
    assert line.pop("at").endswith("Z")
    assert line == {
        "level": "warning",
        "logger": "moontide.test",
        "message": "slow disk",
        "request_id": "abc123",
        "game": "g1",
        "ms": 12,
    }


def test_an_exception_stays_on_one_line(lines: io.StringIO) -> None:
    try:
        raise OSError("disk full")
    except OSError:
        logging.getLogger("moontide.test").exception("cannot write")
    (text,) = lines.getvalue().splitlines()
    assert json.loads(text)["error"].endswith("OSError: disk full")


def test_what_json_cannot_hold_is_written_as_text(lines: io.StringIO) -> None:
    logging.getLogger("moontide.test").info("odd", extra={"thing": object, "broken": "\ud800"})
    assert "object" in json.loads(lines.getvalue())["thing"]


@pytest.mark.parametrize("form", ["json", "text"])
def test_secrets_are_blotted_out_wherever_they_stand(lines: io.StringIO, form: str, clock: ManualClock) -> None:
    logs.setup("info", form, lines)
    ids = Ids(clock)
    token, recovery = ids.token(), ids.recovery()
    address = "postgresql+asyncpg://moon:tide-secret@db/games"
    log = logging.getLogger("moontide.test")
    log.info("token %s", token, extra={"header": f"Bearer {token}", "recovery": recovery, "database": address})
    try:
        raise OSError(f"no route to {address}")
    except OSError:
        log.exception("lost")
    text = lines.getvalue()
    assert "lost" in text and "db/games" in text
    for secret in (token, recovery, "tide-secret"):
        assert secret not in text
