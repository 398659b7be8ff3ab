#!/usr/bin/env python3
"""Check a Moontide receipt offline: Python's standard library, no server, no trust.

    python3 clients/verify.py receipt.json
    python3 clients/verify.py receipt.json --manifest manifest.json --commitment 3f…   (a daily)
    … --previous the-manifest-before.json                                              (its place in the row)

What is proved, link by link; the first that fails is named, and the exit code is 1:

    deal        the cards in the log are those that the code deals
    owner       the owner in the log is the hash of the receipt's player and salt
    chain       no event was changed, dropped, added or moved: each link follows from the one before
    legality    every event could follow on the state before it, under the rules
    result      the last state comes to the result that is claimed
    manifest    the published manifest has this game with this last link (and names the manifest before)
    commitment  the code is the one that was committed to before the day

Get the files from GET /v1/games/{id}/receipt, GET /v1/dailies/{date}/{ruleset}/manifest, and the commitment from
anybody who noted it before the day opened (GET /v1/dailies/{date}). Keep the manifest's bytes as they came.
"""

import argparse
import json
import sys
from hashlib import sha256, shake_256
from itertools import pairwise
from typing import Any

SUITS, RANKS = "SHDC", "A23456789TJQK"
HALF_MOON_DECK = """
AS 7S 2S 6D 3S 8S 9S TS JS QS KS 2H 3H 4H 6H 8H 9H AD 4D 5D 8D 5H 9D JD 5S QD KD 2C 3C 5C 6C 7C QH 8C 9C AH QC KC AS
2S 3S 4S 6S 7S KH 8S 9S TS JS QS KS AH 6S 2D 5S 2H 3H 4H 5H 6H 7H TD 4S 8H 7D 9H TH TC JH QH AD 2D 3D 4D AC 5D 6D 7D
8D JH 9D TD JD QD KD AC 2C 3C JC 4C 5C 6C 7C KH 8C 9C 7H TC 4C 3D TH JC QC KC
""".split()
SEAHAVEN_DECK = [rank + suit for suit in SUITS for rank in RANKS]
UNDO_DEPTH = 100


class Broken(Exception):
    """The link of the proof that fails, at which event (None: at none in particular), and what is wrong there."""

    def __init__(self, failed: str, seq: int | None, detail: str) -> None:
        super().__init__(detail)
        self.failed = failed
        self.seq = seq
        self.detail = detail


def value(card: str) -> int:
    return RANKS.index(card[0]) + 1


# -- the deal ----------------------------------------------------------------------------------------


def shuffle(seed: str, deck: list[str]) -> list[str]:
    """Fisher-Yates from the end, over SHAKE-256 of the seed read as big-endian 16-bit numbers."""
    cards, stream, at = list(deck), shake_256(seed.encode()).digest(1 << 16), 0
    for i in range(len(cards) - 1, 0, -1):
        while True:
            number = int.from_bytes(stream[at : at + 2], "big")
            at += 2
            if number < 65536 - 65536 % (i + 1):
                break
        j = number % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def deal(code: str) -> dict[str, list[str]]:
    """The places that a code deals to, top card last."""
    game, variant, body = code.split("-")
    if game == "HM1" and variant == "N":
        cards = shuffle(f"HM1:{body}", HALF_MOON_DECK)
        piles = {f"P{pile + 1}": cards[pile * 8 : pile * 8 + 8] for pile in range(12)}
        return piles | {f"R{spot + 1}": [cards[96 + spot]] for spot in range(8)}
    if game == "SH1" and variant in ("C4", "C2", "C1"):
        cards, cells = shuffle(f"SH1:{body}", SEAHAVEN_DECK), int(variant[1])
        table = {f"T{column + 1}": cards[column * 5 : column * 5 + 5] for column in range(10)}
        table |= {f"C{cell + 1}": [] for cell in range(cells)}
        table["C1"].append(cards[50])
        table["C2" if cells > 1 else "T2"].append(cards[51])
        return table
    raise Broken("deal", 1, f"no ruleset that this program knows: {code}")


# -- the rules ---------------------------------------------------------------------------------------


def remove(table: dict[str, list[str]], places: list[str]) -> tuple[list[str], int]:
    """Half Moon: a pair that sums to 11 or a trio of jack, queen and king; the cards and the points."""
    if len(set(places)) != len(places) or any(not table.get(place) for place in places):
        raise ValueError("a place twice, or with no card")
    cards = [table[place][-1] for place in places]
    values = sorted(map(value, cards))
    if len(values) == 2 and values[1] <= 10 and sum(values) == 11:
        points = 10
    elif values == [11, 12, 13]:
        points = 15
    else:
        raise ValueError(f"{' '.join(cards)} do not go together")
    for place in places:
        table[place].pop()
    return cards, points


def transfer(table: dict[str, list[str]], source: str, target: str, count: int) -> tuple[list[str], int]:
    """Seahaven Towers: the cards that move and the points they are worth, before the floor of zero."""
    held, onto = table[source], table[target]
    kinds = source[0] + target[0]
    if source == target or not 1 <= count <= len(held) or (count > 1 and kinds != "TT"):
        raise ValueError("no such cards to move")
    cards = held[-count:]
    if any(low[1] != high[1] or value(low) + 1 != value(high) for high, low in pairwise(cards)):
        raise ValueError(f"{' '.join(cards)} is no sequence")
    if kinds == "FF":
        raise ValueError("from foundation to foundation")
    if target[0] == "F" and (cards[0][1] != target[1] or value(cards[0]) != len(onto) + 1):
        raise ValueError(f"{cards[0]} is not next on {target}")
    if target[0] == "C" and onto:
        raise ValueError(f"{target} is taken")
    if target[0] == "T":
        if onto and (onto[-1][1] != cards[0][1] or value(onto[-1]) != value(cards[0]) + 1):
            raise ValueError(f"{cards[0]} does not go on {onto[-1]}")
        if not onto and value(cards[0]) != 13:
            raise ValueError(f"{cards[0]} on an empty column")
        cells = sum(not table[place] for place in table if place[0] == "C")
        columns = sum(not table[place] for place in table if place[0] == "T" and place != target)
        if count > (cells + 1) << columns:
            raise ValueError(f"{count} cards at once are too many")
    del held[-count:]
    onto.extend(cards)
    return cards, 10 if target[0] == "F" else -15 if source[0] == "F" else 0


class Game:
    """A log, replayed event by event; nothing in it is trusted."""

    def __init__(self, dealt: dict[str, Any]) -> None:
        self.table = {place: list(cards) for place, cards in dealt["data"]["places"].items()}
        if dealt["data"]["code"].startswith("SH"):
            self.table |= {"F" + suit: [] for suit in SUITS}
        self.started_at = self.at = dealt["at"]
        self.until = dealt["data"]["until"]
        self.acted_at: int | None = None
        self.score = self.moves = self.undos = 0
        self.status = "playing"
        self.history: list[tuple[int, int, dict[str, list[str]]]] = []

    def follow(self, event: dict[str, Any]) -> None:
        """Replay one event; raises ValueError or KeyError for what could not have happened."""
        data, kind = event["data"], event["type"]
        if event["at"] < self.at:
            raise ValueError("time runs backwards")
        if self.status in ("won", "resigned", "expired"):
            raise ValueError(f"it comes after the end: {self.status}")
        if (self.until is not None and event["at"] >= self.until) is not (kind == "expired"):
            raise ValueError("on the wrong side of the end of its time")
        self.at = event["at"]
        if kind == "moved":
            before = {place: list(cards) for place, cards in self.table.items()}
            if "remove" in data:
                cards, worth = remove(self.table, data["remove"])
            else:
                cards, worth = transfer(self.table, data["from"], data["to"], data["count"])
            points = max(worth, -self.score)
            if (cards, points) != (data["cards"], data["points"]):
                raise ValueError("its cards or points are not what the rules give")
            self.history = [*self.history[1 - UNDO_DEPTH :], (event["seq"], points, before)]
            self.score, self.moves, self.acted_at = self.score + points, self.moves + 1, self.at
            left = sum(len(cards) for place, cards in self.table.items() if place[0] != "F")
            self.status = "playing" if left else "won"
        elif kind == "undone":
            if not self.history:
                raise ValueError("nothing to undo")
            seq, points, self.table = self.history.pop()
            if (data["undoes"], data["points"]) != (seq, -points):
                raise ValueError("it undoes another move or another score")
            self.score, self.moves, self.undos, self.acted_at = (
                self.score - points,
                self.moves - 1,
                self.undos + 1,
                self.at,
            )
        elif kind in ("resigned", "expired"):
            self.status = kind
        else:
            raise ValueError(f"an event of no known type: {kind}")

    def result(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "won": self.status == "won",
            "score": self.score,
            "undos": self.undos,
            "moves": self.moves,
            "seconds": 0 if self.acted_at is None else (self.acted_at - self.started_at) // 1000,
        }


# -- the proof ---------------------------------------------------------------------------------------


def check_receipt(receipt: dict[str, Any]) -> Game:
    """Raise `Broken` unless the receipt follows from itself; the game as it ended."""
    events = receipt["events"]
    dealt = events[0]
    if dealt["type"] != "dealt" or dealt["data"]["code"] != receipt["code"]:
        raise Broken("deal", 1, "the log was not dealt by the receipt's code")
    if dealt["data"]["places"] != deal(receipt["code"]):
        raise Broken("deal", 1, "the cards are not those of the code")
    if receipt["player"] is not None:
        owner = sha256(bytes.fromhex(receipt["salt"]) + receipt["player"].encode()).hexdigest()
        if owner != dealt["data"]["owner"]:
            raise Broken("owner", 1, "the owner is not the hash of this salt and player")
    link = sha256(b"moontide-log-1").hexdigest()
    for seq, event in enumerate(events, 1):
        record = {name: event[name] for name in ("at", "command_id", "data", "game", "seat", "seq", "type", "v")}
        text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        link = sha256(bytes.fromhex(link) + text.encode()).hexdigest()
        if (event["seq"], event["game"], event["link"]) != (seq, receipt["game"], link):
            raise Broken("chain", seq, "it does not follow from the event before")
    if link != receipt["link"]:
        raise Broken("chain", len(events), "the receipt's link is not the last one of its log")
    game, ids = Game(dealt), set()
    for event in events:
        if event["command_id"] in ids or event["v"] != 1 or event["seat"] != 1:
            raise Broken("legality", event["seq"], "a command taken twice, or an event of another version or seat")
        ids.add(event["command_id"])
        if event is not dealt:
            try:
                game.follow(event)
            except (ValueError, KeyError, TypeError, IndexError) as error:
                raise Broken("legality", event["seq"], str(error)) from None
    if game.result() != receipt["result"]:
        raise Broken("result", len(events), f"the log comes to {game.result()}")
    return game


def check_manifest(receipt: dict[str, Any], game: Game, manifest: bytes, previous: bytes | None) -> None:
    """Raise `Broken` unless the manifest has this game as the receipt has it, and follows on the one before."""
    published = json.loads(manifest)
    canonical = json.dumps(published, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    if canonical != manifest.strip():
        raise Broken("manifest", None, "its bytes are not canonical JSON: keep the file as it came")
    if previous is not None and published["previous"] != sha256(previous.strip()).hexdigest():
        raise Broken("manifest", None, "it does not name the manifest before by its hash")
    row = next((row for row in published["rows"] if row["game"] == receipt["game"]), None)
    if row is None:
        if game.acted_at is None:
            return  # an attempt without a move makes no row
        raise Broken("manifest", None, "it has no row of this game")
    owner = receipt["events"][0]["data"]["owner"]
    keys = {name: int(receipt["result"][name]) for name in row["keys"]}
    if (row["link"], row["owner"], row["keys"]) != (receipt["link"], owner, keys):
        raise Broken("manifest", None, "its row of this game says something else")
    if published["code"] != receipt["code"]:
        raise Broken("commitment", None, "its code is not the receipt's")
    if published["commitment"] != sha256(receipt["code"].encode()).hexdigest():
        raise Broken("commitment", None, "its commitment is not the hash of the code")


def check(
    receipt: Any, *, manifest: bytes | None = None, previous: bytes | None = None, commitment: str | None = None
) -> None:
    """The whole proof; raises `Broken` with the first link that fails."""
    try:
        game = check_receipt(receipt)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise Broken("chain", None, f"this is no receipt: {error!r}") from None
    if manifest is not None:
        try:
            check_manifest(receipt, game, manifest, previous)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Broken("manifest", None, f"this is no manifest: {error!r}") from None
    if commitment is not None and commitment.lower() != sha256(receipt["code"].encode()).hexdigest():
        raise Broken("commitment", None, "the code is not the one that was committed to")


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("receipt", help="a receipt as it was served (- for standard input)")
    parser.add_argument("--manifest", help="the manifest of the daily, byte for byte")
    parser.add_argument("--previous", help="the manifest before, byte for byte")
    parser.add_argument("--commitment", help="what was published before the day opened, in hex")
    given = parser.parse_args(words)

    def read(path: str) -> bytes:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()

    try:
        receipt = json.loads(read(given.receipt))
        manifest, previous = (None if path is None else read(path) for path in (given.manifest, given.previous))
    except (OSError, ValueError) as error:
        print(f"cannot read: {error}", file=sys.stderr)
        return 2
    try:
        check(receipt, manifest=manifest, previous=previous, commitment=given.commitment)
    except Broken as broken:
        where = "" if broken.seq is None else f" at event {broken.seq}"
        print(f"NOT VALID: {broken.failed}{where}: {broken.detail}")
        return 1
    result = receipt["result"]
    proved = (
        "deal, owner, chain, legality, result"
        + (", manifest" if manifest else "")
        + (", commitment" if given.commitment else "")
    )
    print(f"valid: {receipt['code']} {result['status']}, score {result['score']} in {result['moves']} moves ({proved})")
    if manifest is None:
        print("not proved: that this log is the one that counted; a daily's manifest proves that")
    return 0


if __name__ == "__main__":
    sys.exit(main())
