"""Whatever is sent: cards are kept, undo restores, a replay is the live game, and text reads back as written."""

import json
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.play import codec
from server.play.audit import audit
from server.play.commands import Command, understand
from server.play.events import Event
from server.play.frames import event_frame
from server.play.playthrough import begin, evolve, fold_on, replay
from server.play.refusals import Refusal
from server.solitaires import SOLITAIRES
from server.solitaires.codes import ALPHABET
from tests.play.helpers import START, Table
from tests.play.test_view import header

CODES = st.builds(
    lambda ruleset, body: f"{ruleset}-{body}",
    st.sampled_from(sorted(SOLITAIRES)),
    st.text(ALPHABET, min_size=7, max_size=7),
)
# A number a step: what is done, and which of the possible ones.
STEPS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 10_000)), max_size=60)

LOOSE = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def play(table: Table, steps: list[tuple[int, int]]) -> None:
    """Legal moves mostly, undos and taps between them, and now and then anything at all."""
    solitaire = table.playthrough.solitaire
    names = list(solitaire.index)
    for kind, which in steps:
        fields: dict[str, Any]
        legal = solitaire.legal_moves(table.playthrough.state)
        if kind < 6 and legal:
            fields = {"do": "move", **solitaire.move_fields(legal[which % len(legal)])}
        elif kind == 6:
            fields = {"do": "undo"}
        elif kind == 7:
            fields = {"do": "tap", "place": names[which % len(names)]}
        elif kind == 8 and "double_tap" in solitaire.commands:
            fields = {"do": "double_tap", "place": names[which % len(names)]}
        else:
            fields = {"do": "move", "from": names[which % len(names)], "to": names[which // 7 % len(names)]}
        before = table.playthrough
        try:
            table.send(**fields)
        except Refusal:
            assert table.playthrough is before


@LOOSE
@given(CODES, STEPS)
def test_a_log_replays_to_the_live_game_and_passes_the_audit(code: str, steps: list[tuple[int, int]]) -> None:
    table = Table(code)
    dealt = sorted(b"".join(table.playthrough.state.places))
    play(table, steps)
    records = [event.record for event in table.events]
    assert replay(records) == table.playthrough
    middle = len(records) // 2
    begun = begin(table.events[0])
    assert fold_on(fold_on(begun, table.events[1:middle]), table.events[max(1, middle) :]) == table.playthrough
    state = table.playthrough.state
    removed = 104 - len(b"".join(state.places)) if code.startswith("HM") else 0
    assert len(b"".join(state.places)) + removed == len(dealt)
    row = header(code, owner=table.playthrough.owner, salt=None, player=None, status=table.playthrough.status)
    assert audit(records, row) == []


@LOOSE
@given(CODES, STEPS)
def test_undoing_all_that_can_be_undone_goes_back_state_by_state(code: str, steps: list[tuple[int, int]]) -> None:
    table = Table(code)
    states = [table.playthrough.state]
    solitaire = table.playthrough.solitaire
    for _, which in steps[:40]:
        legal = solitaire.legal_moves(table.playthrough.state)
        if not legal or table.playthrough.ended:
            break
        table.send(do="move", **solitaire.move_fields(legal[which % len(legal)]))
        states.append(table.playthrough.state)
    if table.playthrough.ended:
        return
    while table.playthrough.undo_left:
        states.pop()
        table.send(do="undo")
        assert table.playthrough.state == states[-1]
    assert states == [table.playthrough.state]


@LOOSE
@given(CODES, STEPS)
def test_every_record_is_canonical_json_that_reads_back_and_frames_change_only_what_changed(
    code: str, steps: list[tuple[int, int]]
) -> None:
    table = Table(code)
    play(table, steps)
    playthrough = begin(table.events[0])
    row = header(code)
    for event in table.events[1:]:
        record = event.record
        text = codec.record_text(record)
        assert json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) == text
        assert codec.read(record) == event
        after = evolve(playthrough, event)
        frame = event_frame(row, event, after, now=START)
        changed = {place.name for place in frame.places}
        for index, place in enumerate(after.solitaire.places):
            same = playthrough.state.places[index] == after.state.places[index]
            assert same or place.name in changed
        playthrough = after


@LOOSE
@given(CODES, st.data())
def test_a_command_is_understood_the_same_after_a_round_trip_through_json(code: str, data: st.DataObject) -> None:
    table = Table(code)
    solitaire = table.playthrough.solitaire
    legal = solitaire.legal_moves(table.playthrough.state)
    if legal:
        move = data.draw(st.sampled_from(list(legal)))
        fields = {"command_id": "c1", "do": "move", **solitaire.move_fields(move)}
        command = msgspec.json.decode(json.dumps(fields), type=Command)
        assert understand(solitaire, command).move == move
        event = table.send(**fields)
        assert isinstance(event, Event)
