"""Reading a request's query: the parameters that the route has, each at most once, each of its type."""

from typing import TypeVar
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct

from server.api.errors import ProblemError

T = TypeVar("T", bound=Struct)

_MOST = 32


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """No parameters, or no body."""


def read_query(text: bytes, kind: type[T]) -> T:
    """The query as a value of ``kind``; raises ``invalid_query`` and names the first parameter that is wrong."""
    try:
        pairs = parse_qsl(text.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST)
    except ValueError:
        raise ProblemError("invalid_query", "the query is not readable", name=None) from None
    known = kind.__struct_encode_fields__
    values: dict[str, str] = {}
    for name, value in pairs:
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise _wrong(name, f"this route has no parameter {_short(name)!r}; {has}")
        if name in values:
            raise _wrong(name, f"{name!r} stands twice")
        values[name] = value
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        detail, _, place = str(error).partition(" - at `$.")
        name = place.rstrip("`") or next(name for name in known if name not in values)
        raise _wrong(name, f"{name!r}: {detail}") from None


def _wrong(name: str, detail: str) -> ProblemError:
    return ProblemError("invalid_query", detail, name=_short(name))


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "…"
