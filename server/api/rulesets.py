"""What can be played: the rulesets, with their tables, and what a deal code means."""

from typing import Literal

from msgspec import Struct

from server.api.answers import PUBLIC
from server.api.endpoint import Access, Call, Endpoint
from server.api.errors import ProblemError
from server.api.queries import Nothing
from server.api.wire import Code
from server.play.history import UNDO_DEPTH
from server.play.playthrough import Status, status_of
from server.play.view import PlaceView, place_views
from server.solitaires import SOLITAIRES, read_code
from server.solitaires.codes import Code as DealCode
from server.solitaires.codes import InvalidCode
from server.solitaires.protocol import Removal, Role, Solitaire


class RulesetPlace(Struct, frozen=True):
    """One place of the table, and where it is drawn: ``x`` and ``y`` are grid coordinates in cards, from 1, ``drop``
    is how deep it hangs in the bow of the arc (0 to 1). ``shows`` says which cards one may see; those of a
    ``fanned`` place overlap downwards."""

    name: str
    role: Role
    x: float
    y: float
    drop: float
    shows: Literal["top", "all"]
    fanned: bool


class RulesetView(Struct, frozen=True):
    """One ruleset. ``commands`` are the values of ``do``; ``selects`` says whether a tap carries a selection, ``move``
    which form a move has. ``ranked_by`` are the keys of its boards, the first that differs counts; ``lenses`` are
    further orders. ``reasons`` are those of ``illegal_move``, the first that applies is given."""

    ruleset: str
    game: str
    version: int
    variant: str
    title: str
    commands: list[str]
    selects: bool
    move: Literal["removal", "transfer"]
    undo_depth: int
    daily: bool
    ranked_by: list[str]
    lenses: list[str]
    reasons: list[str]
    places: list[RulesetPlace]


class Rulesets(Struct, frozen=True):
    """Every ruleset that this server knows."""

    items: list[RulesetView]


class OpeningView(Struct, frozen=True):
    """The table right after the deal, as a player sees it."""

    status: Status
    score: int
    moves: int
    places: list[PlaceView]


class DealView(Struct, frozen=True):
    """What a code means. ``code`` is its canonical form; ``sealed`` says that it is one that nobody can guess."""

    code: str
    ruleset: str
    game: str
    version: int
    variant: str
    title: str
    sealed: bool
    view: OpeningView


def readable_code(text: str) -> DealCode:
    """The code that a client means; raises ``invalid_code``."""
    try:
        return read_code(text)
    except InvalidCode as error:
        raise ProblemError("invalid_code", error.detail, part=error.part) from None


def ruleset_view(solitaire: Solitaire) -> RulesetView:
    return RulesetView(
        ruleset=solitaire.ruleset,
        game=solitaire.game,
        version=solitaire.version,
        variant=solitaire.variant,
        title=solitaire.title,
        commands=[*sorted(solitaire.commands), "undo", "resign"],
        selects=solitaire.selects,
        move="removal" if solitaire.move_type is Removal else "transfer",
        undo_depth=UNDO_DEPTH,
        daily=solitaire.daily,
        ranked_by=["won", *solitaire.ranked_by],
        lenses=list(solitaire.lenses),
        reasons=[*solitaire.reasons, "nothing_to_undo"],
        places=[
            RulesetPlace(place.name, place.role, place.x, place.y, place.drop, place.shows, place.fanned)
            for place in solitaire.places
        ],
    )


async def list_rulesets(call: Call[Nothing, Nothing]) -> Rulesets:
    return Rulesets([ruleset_view(solitaire) for solitaire in SOLITAIRES.values()])


async def show_deal(call: Call[Nothing, Nothing]) -> DealView:
    code = readable_code(call.path("code"))
    solitaire = SOLITAIRES[code.ruleset]
    state = call.services.deal(code)
    opening = OpeningView(status_of(solitaire, state), state.score, state.moves, place_views(solitaire, state))
    return DealView(
        code=str(code),
        ruleset=code.ruleset,
        game=code.game,
        version=code.version,
        variant=code.variant,
        title=solitaire.title,
        sealed=not code.short,
        view=opening,
    )


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/rulesets",
        handle=list_rulesets,
        summary="Games, variants, places and their layout, ranking keys, reasons",
        group="Rules",
        access=Access.OPEN,
        answer=Rulesets,
        cache=PUBLIC,
    ),
    Endpoint(
        method="GET",
        path="/v1/deals/{code}",
        handle=show_deal,
        summary="What a deal code means, and its opening view",
        group="Rules",
        access=Access.OPEN,
        parameters={"code": Code},
        answer=DealView,
        problems=("invalid_code",),
        cache=PUBLIC,
    ),
)
