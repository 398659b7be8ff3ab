"""Deal codes: which game, which version of its rules, which variant, and which of all the deals.

    HM1-N-AAAAAAB                          game HM, rules version 1, variant N, body AAAAAAB
    SH1-C4-VKCWPZRURJVZ4LE7EMTMYWSZ33      a sealed body: nobody can find it by trying all codes

A body is a number in base32 (A-Z 2-7, big-endian, no padding): 7 characters (35 bits) for the codes that
people type, 26 (130 bits) for sealed deals. Reading forgives what a hand or a screen does to a code (case,
hyphens, spaces, and in the body 0 for O, 1 for I, 8 for B) and nothing else; writing is always canonical.

>>> str(parse_code(" hm1 n aaaaaa8 ", ["HM1-N"]))
'HM1-N-AAAAAAB'
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
SHORT, SEALED = 7, 26
PARTS = ("character", "game", "version", "length", "variant")
"""What can be wrong with a code, in the order in which it is judged."""

_WRITTEN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_UNSPACED = str.maketrans("", "", "- ")
_LOOKALIKES = str.maketrans("018", "OIB")


class InvalidCode(ValueError):
    """Text that is no code. ``part`` is one of `PARTS`, ``detail`` a sentence that says what is wrong."""

    def __init__(self, part: str, detail: str) -> None:
        super().__init__(detail)
        self.part = part
        self.detail = detail


class Code(NamedTuple):
    """A deal code that was read or drawn; ``str`` is its canonical text."""

    game: str
    version: int
    variant: str
    body: str

    @property
    def ruleset(self) -> str:
        """What stands before the body: which rules, ``HM1-N``."""
        return f"{self.game}{self.version}-{self.variant}"

    @property
    def seed(self) -> str:
        """The text that the shuffle starts from; without the variant, so variants share their card order."""
        return f"{self.game}{self.version}:{self.body}"

    @property
    def short(self) -> bool:
        """Whether the body is one that people type, not a sealed one."""
        return len(self.body) == SHORT

    def __str__(self) -> str:
        return f"{self.ruleset}-{self.body}"


def split_ruleset(ruleset: str) -> tuple[str, int, str]:
    """The game, version and variant of a ruleset's name.

    >>> split_ruleset("SH1-C4")
    ('SH', 1, 'C4')
    """
    return ruleset[:2], int(ruleset[2]), ruleset[4:]


def parse_code(text: str, rulesets: Collection[str]) -> Code:
    """The code that ``text`` means among these rulesets; raises `InvalidCode` with the first part that fails."""
    known = [split_ruleset(ruleset) for ruleset in rulesets]
    if not text.isascii():
        raise InvalidCode("character", f"a code has only letters and digits: {_quoted(text)}")
    written = text.strip().upper().translate(_UNSPACED)
    game, version, rest = written[:2], written[2:3], written[3:]

    # What can be no variant of the game is body, even where the rest of the text is wrong too.
    variants = {variant for of, _, variant in known if of == game} or {variant for _, _, variant in known}
    widest = max(map(len, variants), default=0)
    strange = set(written) - _WRITTEN or set(rest[widest:].translate(_LOOKALIKES)) - set(ALPHABET)
    if strange:
        raise InvalidCode("character", f"{min(strange)!r} is no character of a code: {_quoted(text)}")
    if all(of != game for of, _, _ in known):
        raise InvalidCode("game", f"no game {game!r}: {_quoted(text)}")
    if all((of, str(number)) != (game, version) for of, number, _ in known):
        raise InvalidCode("version", f"{game} has no rules version {version!r}: {_quoted(text)}")

    variants = {variant for of, number, variant in known if (of, str(number)) == (game, version)}
    widths = [width for width in set(map(len, variants)) if len(rest) - width in (SHORT, SEALED)]
    if not widths:
        raise InvalidCode("length", f"a code ends in {SHORT} or {SEALED} characters: {_quoted(text)}")
    for width in widths:
        if rest[:width] in variants:
            return Code(game, int(version), rest[:width], rest[width:].translate(_LOOKALIKES))
    raise InvalidCode("variant", f"{game}{version} has no variant {rest[: widths[0]]!r}: {_quoted(text)}")


def draw_code(ruleset: str, entropy: Callable[[int], bytes], sealed: bool = False) -> Code:
    """A new code; ``entropy(n)`` gives n random bytes, ``sealed`` asks for a body that cannot be guessed.

    >>> str(draw_code("HM1-N", lambda size: (314).to_bytes(size, "big")))
    'HM1-N-AAAAAJ2'
    """
    length = SEALED if sealed else SHORT
    number = int.from_bytes(entropy((length * 5 + 7) // 8), "big")
    body = "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(length)))
    return Code(*split_ruleset(ruleset), body)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")
