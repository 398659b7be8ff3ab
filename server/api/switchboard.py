"""Finds what stands behind a path: one look-up a segment, however many routes there are.

Starlette's router tries one regular expression after another, which every request would pay for. Its table is
the same; here it is only looked up differently.
"""

from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

T = TypeVar("T")

Found = tuple[T, dict[str, str]]


class Switchboard(Generic[T]):
    """From paths like ``/v1/games/{id}`` to what stands behind them. A literal segment goes before a parameter."""

    def __init__(self, table: Iterable[tuple[str, T]]) -> None:
        self._root: _Node[T] = _Node()
        for path, target in table:
            self._root.add(path.split("/")[1:], target)

    def find(self, path: str) -> Found[T] | None:
        """What stands behind a path, and the parameters in it; None if nothing does."""
        return self._root.find(path.split("/"), 1, {})


class _Node(Generic[T]):
    __slots__ = ("_literal", "_name", "_parameter", "_target")

    def __init__(self) -> None:
        self._literal: dict[str, _Node[T]] = {}
        self._name = ""
        self._parameter: _Node[T] | None = None
        self._target: T | None = None

    def add(self, segments: list[str], target: T) -> None:
        if not segments:
            self._target = target
        elif segments[0].startswith("{"):
            self._name = segments[0][1:-1]
            self._parameter = self._parameter or _Node()
            self._parameter.add(segments[1:], target)
        else:
            self._literal.setdefault(segments[0], _Node()).add(segments[1:], target)

    def find(self, segments: list[str], at: int, parameters: Mapping[str, str]) -> Found[T] | None:
        if at == len(segments):
            return None if self._target is None else (self._target, dict(parameters))
        segment = segments[at]
        literal = self._literal.get(segment)
        if literal is not None and (found := literal.find(segments, at + 1, parameters)) is not None:
            return found
        if self._parameter is None or not segment:
            return None
        return self._parameter.find(segments, at + 1, {**parameters, self._name: segment})
