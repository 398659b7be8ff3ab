"""A real browser: Debian's Chromium, driven by playwright."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.parts.absent import Absent
from tests.parts.process import is_root

PACKAGES = ("chromium", "libatomic1")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

#: No sandbox, since root has none; and nothing that looks for hosts elsewhere.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find() -> Path | None:
    """The browser of this machine, or of ``CHROMIUM``, if there is one."""
    named = os.environ.get("CHROMIUM")
    if named:
        return Path(named)
    return next((Path(found) for name in _NAMES if (found := shutil.which(name))), None)


def program() -> Path:
    """The browser of this machine. Raises `Absent`, saying how it can be had."""
    found = find()
    if found is None:
        raise Absent(f"Chromium is not installed here; as root: apt-get install {' '.join(PACKAGES)}")
    return found


def bring() -> None:
    """Install the browser where that can be done without asking: as root, on a Debian. Says so; never fails."""
    if find() is not None or not is_root() or shutil.which("apt-get") is None:
        return
    print(f"tests: installing {' and '.join(PACKAGES)} for the browser tests, once …", file=sys.stderr, flush=True)
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
        done = subprocess.run(
            ["apt-get", "-q", *command], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            print(f"tests: apt-get {command[0]} failed: {done.stderr.strip()[-500:]}", file=sys.stderr)
            return
