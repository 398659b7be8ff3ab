"""Reading a request's body: bounded, JSON, and exactly the type that the route takes.

Whatever comes in, the answer is a problem of the 4xx kind. Names that stand twice in an object are refused
as well: readers disagree on which of the two counts.
"""

import json
import re
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import astuple
from starlette.types import Receive

from server.api.errors import FieldError, ProblemError

MOST: Final = 64 * 1024
"""The largest body of most routes, in bytes (DESIGN 8)."""

T = TypeVar("T", bound=Struct)

_PLACE = re.compile(r"^(?P<detail>.*?)(?: - at `\$(?P<path>.*)`)?$", re.DOTALL)
_STEP = re.compile(r"\.(?P<name>[^.\[\]]+)|\[(?P<index>\d+|\.\.\.)\]")
_FIELD = re.compile(r"^Object (?:contains unknown|missing required) field `(?P<name>.*)`$", re.DOTALL)


async def read_body(receive: Receive, declared: bytes | None, at_most: int = MOST) -> bytes:
    """The whole body; ``declared`` is its Content-Length. Raises ``too_large``, before reading where it can."""
    if declared is not None and declared.isdigit() and (len(declared) > 9 or int(declared) > at_most):
        raise _too_large(at_most)
    body: bytes = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ProblemError("invalid_body", "the connection ended before the body did")
        part: bytes = message.get("body", b"")
        body += part
        if len(body) > at_most:
            raise _too_large(at_most)
        if not message.get("more_body"):
            return body


def require_json(content_type: bytes | None) -> None:
    """Raises ``unsupported_media_type`` for anything but JSON in UTF-8."""
    if content_type == b"application/json":
        return
    kind, _, rest = (content_type or b"").lower().partition(b";")
    if kind.strip() != b"application/json" or rest.replace(b'"', b"").strip() not in (b"", b"charset=utf-8"):
        raise ProblemError("unsupported_media_type", "send the body as JSON, with Content-Type: application/json")


class BodyReader:
    """Reads bodies of one type. ``unreadable`` is the code for JSON that is not of that type."""

    def __init__(self, kind: type[T], unreadable: str = "invalid_body") -> None:
        self._decode = msgspec.json.Decoder(kind).decode
        self._fields = kind.__struct_fields__
        self._written = kind.__struct_encode_fields__
        self._unreadable = unreadable

    def read(self, body: bytes) -> Any:
        """The value; raises the problem ``invalid_body``, or the route's own for JSON of another shape."""
        try:
            value = self._decode(body)
        except msgspec.ValidationError as error:
            # The text may be broken behind the place where it stopped fitting the type.
            _require_wellformed(body)
            raise self._refused(_field_error(str(error))) from None
        except (msgspec.DecodeError, RecursionError) as error:
            raise _broken(error) from None
        if b"\\" in body:
            self._require_no_final_newline(value)
        # With as many colons as fields that were given no name can stand twice.
        if body.count(b":") != len(self._fields) - astuple(value).count(UNSET):
            _require_wellformed(body)
        return value

    def _require_no_final_newline(self, value: Struct) -> None:
        # The `$` of a pattern lets one pass, and in a body it can only stand escaped.
        for name, written in zip(self._fields, self._written, strict=True):
            text = getattr(value, name)
            if isinstance(text, str) and text.endswith("\n"):
                raise self._refused(FieldError("/" + written, "ends in a line feed"))

    def _refused(self, error: FieldError) -> ProblemError:
        where = f"{error.pointer}: " if error.pointer else ""
        if self._unreadable == "invalid_command":
            return ProblemError("invalid_command", where + error.detail, errors=[error], reason="malformed")
        return ProblemError(self._unreadable, where + error.detail, errors=[error])


def _require_wellformed(body: bytes) -> None:
    """Raises ``invalid_body`` for broken JSON and for names that stand twice."""
    try:
        msgspec.json.decode(body)
        json.loads(body, object_pairs_hook=_once)
    except _Twice as twice:
        raise ProblemError(
            "invalid_body", f"a name stands twice in an object: {twice.name!r}", errors=[FieldError("", str(twice))]
        ) from None
    except msgspec.ValidationError:
        return  # numbers beyond what can be held: the caller says where
    except (ValueError, RecursionError) as error:
        raise _broken(error) from None


class _Twice(Exception):
    def __init__(self, name: str) -> None:
        super().__init__("every name may stand once in an object")
        self.name = name if len(name) <= 40 else name[:40] + "…"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for name, value in pairs:
        if name in names:
            raise _Twice(name)
        names[name] = value
    return names


def _broken(error: Exception) -> ProblemError:
    detail = "too deeply nested" if isinstance(error, RecursionError) else f"not JSON: {error}"
    return ProblemError("invalid_body", detail, errors=[FieldError("", detail)])


def _field_error(message: str) -> FieldError:
    """What msgspec says, with the place as a JSON pointer.

    >>> _field_error("Expected `str`, got `int` - at `$.remove[0]`")
    FieldError(pointer='/remove/0', detail='Expected `str`, got `int`')
    """
    found = _PLACE.match(message)
    assert found is not None
    steps = [step["name"] or step["index"] for step in _STEP.finditer(found["path"] or "")]
    if (field := _FIELD.match(found["detail"])) is not None:
        steps.append(field["name"])
    pointer = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
    return FieldError(pointer, found["detail"])


def _too_large(at_most: int) -> ProblemError:
    return ProblemError("too_large", f"this body may have {at_most} bytes", limit=at_most)
