"""Imports go down only (DESIGN 3): each module is read with ``ast``."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FLOORS = {"solitaires": 0, "play": 1, "store": 2, "live": 3, "contest": 4, "api": 5, "operate": 5}

#: Beside the floors: whom each may be told of. ``__main__`` dispatches, so it knows the command line.
BESIDE = {"__main__", "bootstrap", "clock", "ids", "logs", "metrics", "settings"}

#: Packages from elsewhere, for the floors that do without.
ELSEWHERE: dict[str, set[str]] = {"solitaires": set(), "play": {"msgspec"}, "bootstrap": set()}

MODULES = sorted((ROOT / "server").rglob("*.py"))


def imports(source: str, package: tuple[str, ...]) -> Iterator[str]:
    """The dotted names that a module imports, wherever in it; relative ones resolved against its package."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            parts = [*base, *filter(None, [node.module])]
            yield from (".".join([*parts, alias.name]) for alias in node.names)


def faults(path: tuple[str, ...], source: str) -> list[str]:
    """What a module under ``server`` imports and may not; ``path`` is its place, as ("server", "play", "view")."""
    room = path[1] if len(path) > 1 else "__init__"
    wrong = []
    for name in imports(source, path[:-1]):
        top, _, rest = name.partition(".")
        target = rest.partition(".")[0]
        if top == "server":
            if room == "__main__":
                fine = target in {"bootstrap", "operate"}
            elif room in FLOORS:
                fine = FLOORS.get(target, 99) <= FLOORS[room] or target in BESIDE - {"__main__"} or target[:2] == "__"
                # the two pure floors are told of nothing that touches the world outside
                fine = fine and not (FLOORS[room] <= 1 and target in BESIDE)
            else:
                fine = target in BESIDE - {"__main__"}
        elif room in ELSEWHERE:
            fine = top in sys.stdlib_module_names or top in ELSEWHERE[room]
        else:
            fine = top not in {"tests", "clients"}
        if not fine:
            wrong.append(name)
    return wrong


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_module_imports_only_what_stands_below_it(file: Path) -> None:
    path = file.relative_to(ROOT).with_suffix("").parts
    assert faults(path, file.read_text()) == []


def test_every_room_of_the_server_has_its_floor() -> None:
    rooms = {folder.name for folder in (ROOT / "server").iterdir() if folder.is_dir() and any(folder.glob("*.py"))}
    files = {file.stem for file in (ROOT / "server").glob("*.py")} - {"__init__"}
    assert rooms <= FLOORS.keys()
    assert files <= BESIDE


@pytest.mark.parametrize("file", sorted((ROOT / "clients").rglob("*.py")), ids=lambda file: file.name)
def test_a_client_knows_the_wire_and_nothing_of_the_server(file: Path) -> None:
    path = file.relative_to(ROOT).with_suffix("").parts
    assert [name for name in imports(file.read_text(), path[:-1]) if name.split(".")[0] in {"server", "tests"}] == []


@pytest.mark.parametrize(
    ("place", "line", "caught"),
    [
        ("server.solitaires.cards", "import msgspec", True),
        ("server.solitaires.cards", "from server.play import view", True),
        ("server.solitaires.cards", "import hashlib", False),
        ("server.play.view", "from server.solitaires import SOLITAIRES", False),
        ("server.play.view", "from ..store import tables", True),
        ("server.play.view", "def late():\n    import sqlalchemy", True),
        ("server.play.view", "from server import ids", True),
        ("server.store.players", "from server.api.errors import Problem", True),
        ("server.live.hub", "from server.contest import daily", True),
        ("server.contest.daily", "from server.live.referee import Referee", False),
        ("server.api.app", "from server.operate.doctor import check", False),
        ("server.settings", "from server.store import database", True),
        ("server.live.hub", "import tests.parts", True),
        ("server.__main__", "from server.bootstrap import ensure", False),
        ("server.__main__", "from server.api.app import create_app", True),
    ],
)
def test_the_reader_of_imports_sees_what_is_wrong(place: str, line: str, caught: bool) -> None:
    assert bool(faults(tuple(place.split(".")), line)) is caught
