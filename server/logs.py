"""What the server tells its operator while it runs: one JSON object a line, on standard error.

Every line carries the id of the request that it belongs to (`request_id`), and whatever was given as
``extra``: ``log.info("game opened", extra={"game": game})``. Secrets never belong into a line; what looks
like one all the same is blotted out (`redacted`).
"""

import json
import logging
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, TextIO

#: The id of the request that this task works on; "" outside of one.
request_id: ContextVar[str] = ContextVar("request_id", default="")

# what a LogRecord has of itself; all else came in as `extra`
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}

_SECRETS = re.compile(
    r"mt_[A-Za-z0-9_-]{43}"  # a token
    r"|\b(?:[A-Z2-7]{4}-){6}[A-Z2-7]{4}\b"  # a recovery code
    r"|(?<=//)[^\s/:@]+:[^\s/@]+(?=@)"  # user and password of an address
    r"|(?<=[Bb]earer )[^\s\"']+"
)


def redacted(text: str) -> str:
    """The text without tokens, recovery codes, and passwords of addresses.

    >>> redacted("lost postgresql://moon:tide@db/games")
    'lost postgresql://[secret]@db/games'
    """
    return _SECRETS.sub("[secret]", text)


class JsonLines(logging.Formatter):
    """``{"at", "level", "logger", "message", "request_id"?, … extra …, "error"?}`` on one line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": _at(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request := request_id.get():
            line["request_id"] = request
        line.update((name, value) for name, value in vars(record).items() if name not in _OWN)
        if error := _error(self, record):
            line["error"] = error
        return redacted(json.dumps(line, default=str))


class TextLines(logging.Formatter):
    """The same for a person who reads along: time, level, message, then ``name=value``."""

    def format(self, record: logging.LogRecord) -> str:
        extra = {name: value for name, value in vars(record).items() if name not in _OWN}
        if request := request_id.get():
            extra["request_id"] = request
        words = " ".join([record.getMessage(), *(f"{name}={value}" for name, value in extra.items())])
        line = f"{_at(record)} {record.levelname.lower():<7} {words}"
        error = _error(self, record)
        return redacted(f"{line}\n{error}" if error else line)


def _at(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _error(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    parts = [formatter.formatException(record.exc_info)] if record.exc_info else []
    if record.stack_info:
        parts.append(record.stack_info)
    return "\n".join(parts)


FORMATS: dict[str, type[logging.Formatter]] = {"json": JsonLines, "text": TextLines}


def setup(level: str, form: str, stream: TextIO | None = None) -> None:
    """Send every logger's lines to one place (standard error), in one of `FORMATS`. Again: the last one counts."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(FORMATS[form]())
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level.upper())
    # a client's bad bytes are no error of ours: uvicorn closes with 1007 and need not show where it noticed
    logging.getLogger("uvicorn.error").addFilter(_is_ours)
    # they tell of themselves at "info" what only their own developers ask for
    for name in ("uvicorn", "uvicorn.error", "websockets", "nats", "alembic", "sqlalchemy", "asyncio"):
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))


def _is_ours(record: logging.LogRecord) -> bool:
    return record.msg != "Invalid UTF-8 sequence received from client."
