"""Meters hang on the registry that is passed in, and several processes answer as one."""

import os
import subprocess
import sys
from pathlib import Path

from prometheus_client import CollectorRegistry

from server.metrics import SHARED_FOLDER, Metrics

ROOT = Path(__file__).parents[2]

COUNT = """
import sys
from server.metrics import Metrics
metrics = Metrics()
metrics.frames.inc(2)
metrics.sockets.set(3)
metrics.commit_appends.fill([0, 0, 2, *[0] * 8], 7)
sys.stdout.write("ready\\n" + (metrics.exposition().decode() if sys.argv[1:] else ""))
sys.stdout.flush()
sys.stdin.read()
"""


def test_two_sets_of_meters_in_one_process_do_not_meet() -> None:
    one, other = Metrics(), Metrics(CollectorRegistry())
    one.commands.labels("move", "accepted").inc(5)
    assert 'moontide_commands_total{answer="accepted",do="move"} 5.0' in one.exposition().decode()
    assert "answer=" not in other.exposition().decode()


def test_one_worker_answers_for_all_and_the_dead_hold_nothing_open(tmp_path: Path) -> None:
    env = {**os.environ, SHARED_FOLDER: str(tmp_path)}
    gone = subprocess.run([sys.executable, "-c", COUNT], env=env, cwd=ROOT, input="", text=True, capture_output=True)
    assert gone.returncode == 0, gone.stderr
    living = subprocess.Popen(
        [sys.executable, "-c", COUNT], env=env, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with living:
        assert living.stdout and living.stdout.readline() == "ready\n"
        asked = subprocess.run(
            [sys.executable, "-c", COUNT, "tell"], env=env, cwd=ROOT, input="", text=True, capture_output=True
        )
        assert living.stdin
        living.stdin.close()
    assert asked.returncode == 0, asked.stderr
    assert "moontide_frames_total 6.0" in asked.stdout  # what was counted stays
    appends = [line for line in asked.stdout.splitlines() if line.startswith("moontide_commit_appends_")]
    assert 'moontide_commit_appends_bucket{le="2.0"} 0.0' in appends
    assert 'moontide_commit_appends_bucket{le="4.0"} 6.0' in appends
    assert {"moontide_commit_appends_count 6.0", "moontide_commit_appends_sum 21.0"} <= set(appends)
    assert "moontide_sockets 6.0" in asked.stdout  # of the two that live
