"""What players may call themselves."""

import unicodedata

NAME_LENGTHS = range(2, 21)

_BESIDE_LETTERS = " -_'"
# Some scripts write vowels and tones as marks on a letter, two at most.
_MARKS_ON_A_LETTER = 2


def read_name(text: str) -> str:
    """The name that a player wrote, in its one form: NFKC, no spaces around it, one between words.

    2 to 20 letters, digits, spaces and ``-_'``, at least one of them a letter or digit. Raises ValueError with
    what is wrong. Not unique: a name is always shown with the player's tag.

    >>> read_name("  Ada   Lovelace ")
    'Ada Lovelace'
    """
    name = " ".join(part for part in unicodedata.normalize("NFKC", text).split(" ") if part)
    marks = 0
    for before, character in zip("\0" + name, name, strict=False):
        kind = unicodedata.category(character)
        if kind in ("Mn", "Mc"):
            marks += 1
            if marks > _MARKS_ON_A_LETTER or not (marks > 1 or unicodedata.category(before).startswith("L")):
                raise ValueError("has marks that belong to no letter")
            continue
        marks = 0
        if not (kind.startswith("L") or kind == "Nd" or character in _BESIDE_LETTERS):
            raise ValueError("may have letters, digits, spaces and - _ ' only")
    if len(name) not in NAME_LENGTHS:
        raise ValueError(f"must have {NAME_LENGTHS[0]} to {NAME_LENGTHS[-1]} characters")
    if not any(character.isalnum() for character in name):
        raise ValueError("must have a letter or a digit")
    return name
