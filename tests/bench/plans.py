"""What is asked of the servers: plans for `tests.bench.load`, one for each way to ask.

Each takes the server and the code of the games; those of moves, of which none can be said twice, the number of
messages that are wanted at the least as well.
"""

import json
from typing import Any
from uuid import uuid4

from tests.bench.player import CONNECTIONS, Commands, commands_of, seats, winning_line
from tests.bench.target import Target

Plan = dict[str, Any]

ACK = '"t":"ack"'


def socket_moves(at: Target, code: str, messages: int, connections: int = CONNECTIONS) -> Plan:
    """Whole won games over WebSocket."""
    taken = seats(at.port, code, _games(code, messages, connections), connections)
    plan = _socket(at, "/v1/live", [json.dumps({"t": "hello", "token": seat.token}) for seat in taken], ACK)
    return {**plan, "messages": [_said(seat.commands) for seat in taken]}


def http_moves(at: Target, code: str, messages: int) -> Plan:
    """Whole won games over HTTP."""
    taken = seats(at.port, code, _games(code, messages, CONNECTIONS))
    asked = [
        [{"path": f"/v1/games/{game}/commands", "body": json.dumps(body)} for game, body in seat.commands]
        for seat in taken
    ]
    return {**_http(at, [seat.token for seat in taken]), "messages": asked}


def orm_moves(at: Target, code: str, messages: int) -> Plan:
    """The same moves as those of `socket_moves`, of games that nobody has dealt: the baseline has no rules."""
    games = _games(code, messages, CONNECTIONS)
    said = [_said(commands_of([str(uuid4()) for _ in range(games)], code)) for _ in range(CONNECTIONS)]
    return {**_socket(at, "/live", [], '"t": "ack"'), "messages": said}


def socket_echo(at: Target, code: str) -> Plan:
    """The texts of a game's moves over WebSocket, again and again, to come back as they are."""
    said = _said(commands_of([str(uuid4())], code))
    return {**_socket(at, "/live", [], '"t": "command"'), "messages": [said] * CONNECTIONS, "again": True}


def http_echo(at: Target, code: str) -> Plan:
    """The bodies of a game's moves over HTTP, again and again, to be read and written as JSON."""
    said = [{"path": "/echo", "body": json.dumps(body)} for _, body in commands_of([""], code)]
    return {**_http(at, []), "messages": [said] * CONNECTIONS, "again": True}


def _socket(at: Target, path: str, openings: list[str], answer: str) -> Plan:
    return {"kind": "ws", "port": at.port, "pid": at.pid, "path": path, "openings": openings, "answer": answer}


def _http(at: Target, tokens: list[str]) -> Plan:
    return {"kind": "http", "port": at.port, "pid": at.pid, "tokens": tokens, "answer": "HTTP/1.1 200"}


def _said(commands: Commands) -> list[str]:
    return [json.dumps({"t": "command", "game": game, **command}) for game, command in commands]


def _games(code: str, messages: int, connections: int) -> int:
    return -(-messages // (connections * len(winning_line(code))))
