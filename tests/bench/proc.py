"""What the kernel knows of a process (Linux): its memory, its time on a core, its sockets."""

import os
from contextlib import suppress
from pathlib import Path

_PAGE_KIB = os.sysconf("SC_PAGE_SIZE") / 1024


def memory_kib(pid: int) -> float:
    """Resident memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_KIB


def cpu_s(pid: int) -> float:
    """Seconds on a core so far, of all the threads that it has now."""
    ns = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError):
            ns += int((task / "schedstat").read_text().split()[0])
    return ns / 1e9


def sockets(pid: int) -> int:
    """How many sockets it has open."""
    count = 0
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            count += os.readlink(file).startswith("socket:")
    return count
