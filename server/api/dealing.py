"""New games over HTTP: of a code that is given, or of one that is drawn."""

from collections.abc import Callable

from msgspec import UNSET, Struct, UnsetType

from server.api.answers import NO_STORE, Answer
from server.api.endpoint import Call, Endpoint
from server.api.errors import FieldError, ProblemError
from server.api.games import seen
from server.api.queries import Nothing
from server.api.rulesets import readable_code
from server.api.wire import Code, Ruleset
from server.play.codec import canonical, digest
from server.play.commands import CommandId
from server.play.view import View
from server.solitaires import SOLITAIRES
from server.solitaires.codes import Code as DealCode
from server.solitaires.codes import draw_code


class NewGame(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Either ``code``, the deal to play, or ``ruleset``, of which a deal is drawn. ``command_id`` makes the request
    safe to send again; with ``ranked`` false the game stays off the boards."""

    code: Code | UnsetType = UNSET
    ruleset: Ruleset | UnsetType = UNSET
    command_id: CommandId | UnsetType = UNSET
    ranked: bool = True


async def deal(call: Call[Nothing, NewGame]) -> Answer:
    services, wanted = call.services, call.body
    code, told = chosen_deal(wanted, services.entropy)
    command_id = services.ids.command() if wanted.command_id is UNSET else wanted.command_id
    game = await services.referee.open(
        call.me.player,
        code,
        command_id=command_id,
        digest=digest(canonical({"do": "deal", "ranked": wanted.ranked, **told})),
        ranked=wanted.ranked,
    )
    location = (b"location", b"/v1/games/" + game.header.id.encode())
    return Answer.of(seen(call, game), 201, [NO_STORE, location])


def chosen_deal(wanted: NewGame, entropy: Callable[[int], bytes]) -> tuple[DealCode, dict[str, str]]:
    """The code to deal, and what of the request tells it from another one."""
    if (wanted.code is UNSET) == (wanted.ruleset is UNSET):
        raise ProblemError(
            "invalid_body", "give either 'code' or 'ruleset'", errors=[FieldError("", "either, not both")]
        )
    if wanted.code is not UNSET:
        code = readable_code(wanted.code)
        return code, {"code": str(code)}
    ruleset = wanted.ruleset
    assert ruleset is not UNSET
    if ruleset not in SOLITAIRES:
        error = FieldError("/ruleset", f"one of {', '.join(SOLITAIRES)}")
        raise ProblemError("invalid_body", f"there is no such ruleset; {error.detail}", errors=[error])
    return draw_code(ruleset, entropy), {"ruleset": ruleset}


ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/v1/games",
        handle=deal,
        summary="Deal a new game, of a code or of a ruleset",
        group="Games",
        body=NewGame,
        status=201,
        answer=View,
        problems=("invalid_code", "command_id_reused", "game_quarantined"),
        examples={"code": {"code": "HM1-N-AAAAAAB"}, "ruleset": {"ruleset": "SH1-C4"}},
    ),
)
