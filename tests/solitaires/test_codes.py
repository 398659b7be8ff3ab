"""Deal codes: reading forgives a hand and nothing else, writing is canonical, drawing is uniform."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.solitaires import SOLITAIRES, read_code
from server.solitaires.codes import ALPHABET, PARTS, SEALED, SHORT, Code, InvalidCode, draw_code, parse_code

BODIES = st.sampled_from((SHORT, SEALED)).flatmap(lambda length: st.text(ALPHABET, min_size=length, max_size=length))
CODES = st.builds(lambda ruleset, body: f"{ruleset}-{body}", st.sampled_from(sorted(SOLITAIRES)), BODIES)
SEALED_BODY = "VKCWPZRURJVZ4LE7EMTMYWSZ33"


def test_a_code_says_its_ruleset_seed_and_length() -> None:
    code = read_code("SH1-C2-AAAAAJ2")
    assert code == Code("SH", 1, "C2", "AAAAAJ2")
    assert (code.ruleset, code.seed, code.short) == ("SH1-C2", "SH1:AAAAAJ2", True)
    assert not read_code(f"HM1-N-{SEALED_BODY}").short


@given(CODES)
def test_a_canonical_code_reads_back_as_itself(text: str) -> None:
    assert str(read_code(text)) == text


@given(CODES, st.randoms(use_true_random=False))
def test_case_hyphens_spaces_and_look_alikes_do_not_matter(text: str, random: Random) -> None:
    ruleset, body = text.rsplit("-", 1)
    choose = random.choice
    plain = ruleset.replace("-", "") + "".join(
        choose((char, dict(zip("OIB", "018", strict=True)).get(char, char))) for char in body
    )
    written = "".join(choose((char, char.lower())) + choose(("", "", "-", " ", " - ")) for char in plain)
    assert str(read_code(choose(("", " ", "\n\t")) + written + choose(("", "  ", "\r\n")))) == text


@pytest.mark.parametrize(
    ("text", "part"),
    [
        # what no code has in it, wherever it stands
        ("HM1-N-AAAAAÅB", "character"),
        ("\uff28M1-N-AAAAAAB", "character"),
        ("\u00a0HM1-N-AAAAAAB", "character"),
        ("HM1_N_AAAAAAB", "character"),
        ("HM1-N-AAAA\tAAB", "character"),
        ("HM1-N-AAAAAA\0", "character"),
        ("HM1-N-AAAAAA9", "character"),
        ("SH1-C4-9AAAAAA", "character"),
        ("ßH1-C4-AAAAAAB", "character"),
        # the game, then its version, then the length, then the variant
        ("", "game"),
        ("H", "game"),
        ("XX1-N-AAAAAAB", "game"),
        ("MH1-N-AAAAAAB", "game"),
        ("5H1-C4-AAAAAAB", "game"),
        ("HM", "version"),
        ("HM2-N-AAAAAAB", "version"),
        ("HM9-N-AAAAAAB", "version"),
        ("HMI-N-AAAAAAB", "version"),
        ("HM1", "length"),
        ("HM1-N-", "length"),
        ("HM1-N-AAAAAA", "length"),
        ("HM1-N-AAAAAABB", "length"),
        ("HM1-AAAAAAB", "length"),
        (f"HM1-N-{SEALED_BODY}A", "length"),
        ("SH1-C4-AAAAAA", "length"),
        ("HM1-N-" + "A" * 100_000, "length"),
        ("HM1-M-AAAAAAB", "variant"),
        ("HM1-9-AAAAAAB", "variant"),
        ("SH1-C3-AAAAAAB", "variant"),
        ("SH1-CA-AAAAAAB", "variant"),
        ("SH1-4C-AAAAAAB", "variant"),
        # where several fail, the first
        ("XX2-M-AAAAAA9", "character"),
        ("XX2-M-AAA", "game"),
        ("HM2-M-AAA", "version"),
        ("HM1-M-AAA", "length"),
    ],
)
def test_the_first_part_that_fails_is_named(text: str, part: str) -> None:
    with pytest.raises(InvalidCode) as refused:
        read_code(text)
    assert refused.value.part == part
    assert refused.value.detail == str(refused.value)
    assert len(refused.value.detail) < 120


@given(st.text(max_size=40))
def test_any_text_is_a_code_or_an_error_that_names_a_part(text: str) -> None:
    try:
        code = read_code(text)
    except InvalidCode as error:
        assert error.part in PARTS
    else:
        assert read_code(str(code)) == code


def test_look_alikes_are_mended_in_the_body_only() -> None:
    assert str(read_code("HM1-N-0A1A8AA")) == "HM1-N-OAIABAA"
    assert str(read_code("SH1-C1-1111111")) == "SH1-C1-IIIIIII"
    with pytest.raises(InvalidCode):
        read_code("SH1-CI-AAAAAAB")


def test_variants_of_several_widths_are_told_apart_by_the_length() -> None:
    rulesets = ["XX1-A", "XX1-LONG", "XX2-B2"]
    assert parse_code("xx1-a-aaaaaab", rulesets).variant == "A"
    assert parse_code("xx1-long-aaaaaab", rulesets).variant == "LONG"
    with pytest.raises(InvalidCode, match="no variant"):
        parse_code("XX2-A2-AAAAAAB", rulesets)


@pytest.mark.parametrize("ruleset", SOLITAIRES)
@pytest.mark.parametrize(("sealed", "length", "size"), [(False, SHORT, 5), (True, SEALED, 17)])
def test_a_drawn_body_is_the_number_of_the_entropy_in_base32(
    ruleset: str, sealed: bool, length: int, size: int
) -> None:
    asked: list[int] = []

    def entropy(count: int) -> bytes:
        asked.append(count)
        return (314).to_bytes(count, "big")

    code = draw_code(ruleset, entropy, sealed)
    assert code.body == "AAAAAJ2".rjust(length, "A")
    assert read_code(str(code)) == code
    assert code.ruleset == ruleset
    assert asked == [size]


@given(st.binary(min_size=17, max_size=17))
def test_every_bit_of_a_sealed_body_comes_from_the_entropy(source: bytes) -> None:
    body = draw_code("HM1-N", lambda size: source[:size], sealed=True).body
    number = sum(ALPHABET.index(char) << 5 * place for place, char in enumerate(reversed(body)))
    assert number == int.from_bytes(source, "big") % 2**130
