"""From a fresh clone to a running program: makes ``.venv``, installs into it, and goes on inside it.

Standard library only, and no newer syntax than an old Python can read, for it must be able to say what is
missing. The first thing of every entry point is::

    from server.bootstrap import ensure

    ensure("test")  # the names of extras in pyproject.toml, or none

It returns at once in an environment that has all that is needed, whoever made it. Otherwise the process is
replaced by the same command in ``.venv``, which is made, or brought up to date, under a lock.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "moontide.json"
LOCK = ROOT / ".venv.lock"
PROJECT = ROOT / "pyproject.toml"
CONSTRAINTS = ROOT / "server" / "constraints.txt"

# the forms that our own pyproject.toml uses, a part of PEP 508: name[extras]>=1.2,<2; sys_platform == 'linux'
_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(\[(?P<extras>[\w,-]+)])?(?P<bounds>[<>=\d.,]*)"
    r"(; *sys_platform (?P<test>==|!=) '(?P<platform>\w+)')?"
)


class CannotInstall(Exception):
    """The environment cannot be made; the message is one line that says what to do."""


def ensure(*extras: str) -> None:
    """Return inside an environment that has the project's dependencies and those of ``extras``.

    May replace the running process (same arguments, same working directory). Where nothing helps, it prints
    one line and exits with 1.
    """
    if sys.version_info < (3, 11):  # noqa: UP036 (an old Python may well start this)
        sys.exit(f"moontide: needs Python 3.11 or newer; this is {sys.version.split()[0]}")
    inside = Path(sys.prefix).resolve() == VENV
    if inside and is_stamped(extras):
        return
    if not (inside and STAMP.exists()) and not missing(*extras):
        return
    try:
        if not is_stamped(extras):
            install(extras)
        enter()
    except CannotInstall as problem:
        sys.exit(f"moontide: {problem}")
    except KeyboardInterrupt:  # the next start goes on from what is there
        sys.exit(130)


def enter() -> NoReturn:
    """Go on inside ``.venv`` with the command that started this process."""
    if not os.access(PYTHON, os.X_OK):
        raise CannotInstall(f"{PYTHON} cannot be run by this user")
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(PYTHON, [str(PYTHON), *sys.orig_argv[1:]], clean(os.environ))


def clean(env: Mapping[str, str]) -> dict[str, str]:
    """The variables without those that would lead Python or pip into another environment."""
    leave = {"PYTHONHOME", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV", "PIP_USER", "PIP_TARGET", "PIP_PREFIX"}
    return {name: value for name, value in env.items() if name not in leave}


# what is there


def fingerprint() -> str:
    """What the environment depends on: the two files, and where the project stands."""
    digest = hashlib.sha256(str(ROOT).encode())
    for file in (PROJECT, CONSTRAINTS):
        digest.update(b"\0" + file.read_bytes())
    return digest.hexdigest()


def is_stamped(extras: tuple[str, ...]) -> bool:
    """Whether ``.venv`` was made by us, from the files as they are, with at least these extras."""
    stamp = read_stamp()
    return PYTHON.exists() and stamp["fingerprint"] == fingerprint() and set(extras) <= set(stamp["extras"].split(","))


def read_stamp() -> dict[str, str]:
    try:
        stamp = json.loads(STAMP.read_text())
        return {"fingerprint": str(stamp["fingerprint"]), "extras": str(stamp["extras"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {"fingerprint": "", "extras": ""}


def missing(*extras: str) -> list[str]:
    """The requirements of pyproject.toml that the running environment does not meet."""
    from importlib.metadata import PackageNotFoundError, version

    lacking = []
    for line in requirements(*extras):
        part = _REQUIREMENT.fullmatch(line)
        if part is None:
            raise ValueError(f"pyproject.toml: cannot read the requirement {line!r}")
        if part["platform"] and (part["platform"] == sys.platform) != (part["test"] == "=="):
            continue
        try:
            if not _within(version(part["name"]), part["bounds"]):
                lacking.append(line)
        except PackageNotFoundError:
            lacking.append(line)
    return lacking


def requirements(*extras: str) -> Iterator[str]:
    """The lines of pyproject.toml that stand for the project with these extras; extras may name others."""
    import tomllib

    project = tomllib.loads(PROJECT.read_text())["project"]
    optional = project["optional-dependencies"]
    yield from project["dependencies"]
    waiting = list(extras)
    while waiting:
        for line in optional[waiting.pop()]:
            own = re.fullmatch(re.escape(project["name"]) + r"\[([\w,-]+)]", line)
            if own:
                waiting += own[1].split(",")
            else:
                yield line


def _within(version: str, bounds: str) -> bool:
    have = _numbers(version)
    for bound in filter(None, bounds.split(",")):
        limit = _numbers(bound.lstrip("<>="))
        if (bound[0] == ">" and have < limit) or (bound[0] == "<" and have >= limit):
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", re.split(r"[^\d.]", version)[0]))


# making it


@contextmanager
def locked() -> Iterator[None]:
    """One process at a time, on this machine; ends with the process, however that ends."""
    import fcntl

    try:
        lock = os.open(LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        try:
            lock = os.open(LOCK, os.O_RDONLY)
        except OSError as error:
            raise CannotInstall(f"cannot write to {ROOT} ({error.strerror})") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def install(extras: tuple[str, ...]) -> None:
    """Make ``.venv``, or bring it up to date, and stamp it. Raises `CannotInstall`."""
    with locked():
        if is_stamped(extras):  # another process was first
            return
        before = read_stamp()
        if not before["fingerprint"] and _has_all(extras):
            return  # made by another tool, and complete
        if VENV.exists() and not os.access(VENV, os.W_OK):
            raise CannotInstall(f"{VENV} is out of date, and another user's; remove it, or start as that user")
        new = not _has_pip()
        print(f"moontide: {'making' if new else 'updating'} {VENV}, once; this takes a minute …", file=sys.stderr)
        if new:
            make()
        wanted = sorted({*extras, *filter(None, before["extras"].split(","))})
        STAMP.unlink(missing_ok=True)
        pip("install", "--constraint", str(CONSTRAINTS), "--editable", f".[{','.join(wanted)}]" if wanted else ".")
        fresh = STAMP.with_suffix(".new")
        fresh.write_text(json.dumps({"fingerprint": fingerprint(), "extras": ",".join(wanted)}))
        fresh.replace(STAMP)


def make() -> None:
    """An empty ``.venv`` with pip, in the place of whatever was there."""
    from importlib.util import find_spec

    if find_spec("ensurepip") is None:
        _install_ensurepip()
    try:
        run([sys.executable, "-m", "venv", "--clear", str(VENV)], "Python cannot make an environment")
    except CannotInstall:
        shutil.rmtree(VENV, ignore_errors=True)
        raise


def pip(*words: str) -> None:
    quiet = ["--quiet", "--no-input", "--disable-pip-version-check"]
    run([str(PYTHON), "-m", "pip", *words[:1], *quiet, *words[1:]], "pip could not install")


def run(command: list[str], failure: str) -> None:
    """Run a command that prints only when it fails; then what it said goes out before the one line."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=clean(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout.decode(errors="replace"))
        raise CannotInstall(f"{failure} (exit code {done.returncode} of: {' '.join(command)})")


def _has_pip() -> bool:
    return PYTHON.exists() and _asks(["-m", "pip", "--version"])


def _has_all(extras: tuple[str, ...]) -> bool:
    return PYTHON.exists() and _asks(["-m", "server.bootstrap", *extras])


def _asks(words: list[str]) -> bool:
    done = subprocess.run([str(PYTHON), *words], cwd=ROOT, env=clean(os.environ), capture_output=True, check=False)
    return done.returncode == 0


def _install_ensurepip() -> None:
    # Debian keeps ensurepip in a package of its own
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    line = f"apt-get install -y {package}"
    if shutil.which("apt-get") is None:
        raise CannotInstall("this Python has no ensurepip; install the package of your system that brings it")
    if os.geteuid() != 0:
        raise CannotInstall(f"this Python has no ensurepip; run: sudo {line}")
    print(f"moontide: {line}", file=sys.stderr)
    os.environ.setdefault("DEBIAN_FRONTEND", "noninteractive")
    run(["apt-get", "update", "-qq"], "the list of packages could not be read")
    run([*line.split(), "-qq", "--no-install-recommends"], f"{package} could not be installed")


if __name__ == "__main__":
    sys.exit(1 if missing(*sys.argv[1:]) else 0)
