"""What the disk takes for the least that is durable."""

import os
from pathlib import Path
from time import perf_counter

from tests.bench.tables import percentile

BLOCK = bytes(4096)


def fdatasync_ms(folder: Path, times: int) -> tuple[float, float]:
    """Milliseconds, p50 and p99, of one ``fdatasync`` after 4 KiB that are appended to a file of this folder."""
    took = []
    path = folder / "fdatasync"
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    try:
        for _ in range(times):
            os.write(file, BLOCK)
            began = perf_counter()
            os.fdatasync(file)
            took.append((perf_counter() - began) * 1000)
    finally:
        os.close(file)
        path.unlink()
    return percentile(took, 50), percentile(took, 99)
