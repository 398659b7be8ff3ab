"""Many small worlds in which everything fails; in each, the promises hold. A seed that fails is a test case."""

import pytest

from tests.faults.scale import times
from tests.faults.simulation import Simulation

SEEDS = times(200, 20_000)
AT_ONCE = 20


@pytest.mark.timeout(SEEDS)
@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
async def test_exactly_once_in_order_and_the_same_for_all_whatever_fails(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        try:
            await Simulation(seed).run()
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
