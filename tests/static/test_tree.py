"""What stands in the repository, and what must not."""

import re
import subprocess
from pathlib import Path

import pytest

from server import bootstrap

ROOT = Path(__file__).parents[2]

TOP = {"pyproject.toml", "server", "migrations", "clients", "tests", "docker-compose.yml", "README.md"}
ALSO = {"docs", "LICENSE", "CHANGELOG.md"}

# a file of a package, or the page of a simple index: what lock files carry
REGISTRY = re.compile(rb"https?://[^\s\"'<>]+?(\.whl|\.tgz|\.tar\.gz|/simple/|/-/)", re.IGNORECASE)


def committed() -> list[Path]:
    """The files under version control; skips where there is none (an unpacked archive)."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"not a git repository here: {done.stderr.strip()}")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_the_top_level_holds_what_the_design_names_and_nothing_else() -> None:
    names = {file.relative_to(ROOT).parts[0] for file in committed()}
    assert {name for name in names if not name.startswith(".")} <= TOP | ALSO


def test_no_committed_file_carries_the_address_of_a_registry() -> None:
    assert [str(file) for file in committed() if REGISTRY.search(file.read_bytes())] == []


def test_the_constraints_name_releases_and_no_places() -> None:
    lines = (ROOT / "server" / "constraints.txt").read_text().splitlines()
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[\w.+!]+( ; .+)?", line)] == []


def test_every_requirement_is_pinned_to_a_release_that_meets_it() -> None:
    lines = (ROOT / "server" / "constraints.txt").read_text().splitlines()
    pins = dict(line.partition(" ;")[0].split("==") for line in lines)
    for line in bootstrap.requirements("test"):
        part = bootstrap._REQUIREMENT.fullmatch(line)
        assert part, line
        name = re.sub(r"[-_.]+", "-", part["name"]).lower()
        assert bootstrap._within(pins[name], part["bounds"]), line
