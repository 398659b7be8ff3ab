"""Moontide: a game server for the solitaires Half Moon and Seahaven Towers.

Imports go down only (``tests/static/test_floors.py`` reads them)::

    api  operate      HTTP and WebSocket; the command line       floor 5
    contest           dailies, races, boards of competitors      floor 4
    live              the referee, the hub, the broker           floor 3
    store             SQL: the log, players, queries             floor 2
    play              one played game as a log; pure             floor 1
    solitaires        the rules; standard library only           ground

Beside them: ``__main__``, ``bootstrap``, ``settings``, ``clock``, ``ids``, ``logs``, ``metrics``.
"""

__version__ = "0.1.0"
