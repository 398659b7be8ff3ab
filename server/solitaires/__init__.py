"""The rules of the games, and nothing else: pure values, standard library only.

A new solitaire is one file beside this one and its rulesets in `SOLITAIRES` (see ``docs/adding-a-game.md``).

>>> read_code("sh1-c4-aaaaaj2").seed
'SH1:AAAAAJ2'
"""

from server.solitaires.codes import Code, parse_code
from server.solitaires.half_moon import HalfMoon
from server.solitaires.protocol import Solitaire
from server.solitaires.seahaven import Seahaven

SOLITAIRES: dict[str, Solitaire] = {
    solitaire.ruleset: solitaire for solitaire in (HalfMoon(), Seahaven(cells=4), Seahaven(cells=2), Seahaven(cells=1))
}
"""Every ruleset by its name: ``HM1-N``, ``SH1-C4``, ``SH1-C2``, ``SH1-C1``."""


def read_code(text: str) -> Code:
    """The deal code that ``text`` means; raises `codes.InvalidCode`. Reading is forgiving, see `codes`."""
    return parse_code(text, SOLITAIRES)
