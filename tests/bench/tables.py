"""Tables and medians for the benches."""

from collections.abc import Sequence
from statistics import median

__all__ = ["median", "percentile", "show"]


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which so many percent of the values lie; 0.0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else 0.0


def show(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under their heads, numbers to the right."""
    texts = [list(head), *[[_text(value) for value in row] for row in rows]]
    widths = [max(len(row[column]) for row in texts) for column in range(len(head))]
    for number, row in enumerate(texts):
        first, *rest = row
        print(
            first.ljust(widths[0]), *(text.rjust(width) for text, width in zip(rest, widths[1:], strict=True)), sep="  "
        )
        if number == 0:
            print("-" * (sum(widths) + 2 * (len(widths) - 1)))
    print(flush=True)


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
