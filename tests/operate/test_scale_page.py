"""What docs/scale.md tells operators to look at is there."""

import re
from pathlib import Path

from server.metrics import Metrics

PAGE = (Path(__file__).parents[2] / "docs" / "scale.md").read_text()


def test_every_meter_that_the_page_names_is_there() -> None:
    meters = {name for family in Metrics().registry.collect() for name in (family.name, f"{family.name}_total")}
    named = set(re.findall(r"moontide_\w+", PAGE))
    assert named and named <= meters


def test_the_sums_are_those_of_the_figures() -> None:
    """Each row of the sums again, from the unit of load and the cost that the row itself names."""
    rows = dict(re.findall(r"^\| ([\w, ]+) \|([^\n]+)$", PAGE.partition("## The sums")[2].partition("###")[0], re.M))
    players = [1_000, 10_000, 100_000, 1_000_000]
    costs = {
        "server cores, moves": (303e-6 / 3, "303 µs"),
        "server cores, tokens looked up": (6e-6, "6 µs"),
        "PostgreSQL cores, moves": (50e-6 / 3, "50 µs"),
        "PostgreSQL cores, tokens looked up": (5e-6, "5 µs"),
        "NATS cores": (13e-6 / 3, "13 µs"),
        "nginx cores": (25e-6 / 3, "25 µs"),
        "commits a second": (1 / 3 / 7.5, "7.5"),
    }
    for name, (each, shown) in costs.items():
        by, *told = [cell.strip() for cell in rows[name].strip("| ").split("|")]
        assert shown in by
        for count, cell in zip(players, told, strict=True):
            assert abs(float(cell.replace(",", "")) - count * each) <= 0.05 * count * each + 0.006, (name, count)
