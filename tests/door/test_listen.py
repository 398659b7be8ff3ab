"""The socket that players connect to: when a port may be had, and when it may not."""

import socket
import threading

import pytest

from server.operate import listen
from server.operate.options import Failure
from server.settings import Settings


def held() -> socket.socket:
    """A port that is taken, and at which nobody answers: what a killed process leaves for a moment."""
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    return sock


def test_a_port_that_a_killed_process_still_holds_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    sock = held()
    port = sock.getsockname()[1]
    asked = threading.Event()
    answered = listen._is_answered
    monkeypatch.setattr(listen, "_is_answered", lambda *where: (answered(*where), asked.set())[0])
    threading.Thread(target=lambda: (asked.wait(), sock.close())).start()
    with listen.bind(Settings(port=port)) as bound:
        assert bound.getsockname()[1] == port
    assert asked.is_set()


def test_it_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listen, "HELD_ON_S", 0.1)
    with held() as sock, pytest.raises(Failure, match="already in use"):
        listen.bind(Settings(port=sock.getsockname()[1]))


def test_a_port_at_which_somebody_answers_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listen, "HELD_ON_S", 3600.0)
    with held() as sock, pytest.raises(Failure, match="already in use"):
        sock.listen()
        listen.bind(Settings(port=sock.getsockname()[1]))
