"""The scalar types of the wire, as the documents tell them: ids, times, codes, names.

What is said here of the form is for the documents and for clients; what is decoded through it is checked by
msgspec, so ``extra_json_schema`` carries what reading forgives (codes may be typed in many ways).
"""

import re
from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta

from server.api.cursors import PATTERN as CURSOR_PATTERN
from server.solitaires import SOLITAIRES

_BODY: Final = "([A-Z2-7]{7}|[A-Z2-7]{26})"
_UUID: Final = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"

RULESETS: Final = tuple(SOLITAIRES)

GameId = Annotated[str, Meta(pattern=_UUID, description="A game's id, a UUIDv7")]
PlayerId = Annotated[str, Meta(pattern=_UUID, description="A player's id, a UUIDv4")]
TokenId = Annotated[str, Meta(pattern=_UUID, description="The id of a token: not the secret itself")]

Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"}, examples=["2026-11-30T10:00:00.000Z"])]

Ruleset = Annotated[str, Meta(description="A ruleset, see `/v1/rulesets`", extra_json_schema={"enum": list(RULESETS)})]

Code = Annotated[
    str,
    Meta(
        max_length=200,
        description="A deal code. Case, hyphens and spaces do not matter, nor 0, 1 and 8 for O, I and B in the body",
        examples=["HM1-N-AAAAAAB", "SH1-C4-AAAAAJ2"],
        extra_json_schema={"pattern": f"^({'|'.join(RULESETS)})-{_BODY}$"},
    ),
]

Card = Annotated[str, Meta(pattern="^[A2-9TJQK][SHDC]$", description="Rank, then suit: TH is the ten of hearts")]

Flag = Annotated[Literal["0", "1", "false", "true"], Meta(description="1 for yes")]
Limit = Annotated[int, Meta(ge=1, le=200, description="How many items at most")]
CursorText = Annotated[
    str, Meta(description="The `next` of the answer before", extra_json_schema={"pattern": CURSOR_PATTERN})
]


_is_uuid = re.compile(_UUID[:-1]).fullmatch


def is_id(text: str) -> bool:
    """Whether ``text`` has the form of an id, so that the database may be asked for it."""
    return _is_uuid(text) is not None


def is_yes(flag: str) -> bool:
    return flag in ("1", "true")


def given(value: Any) -> Any:
    """A field of a request, None where it was left out."""
    return None if value is UNSET else value
