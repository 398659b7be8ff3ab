"""The examples in the docstrings of the ground floor are true."""

import doctest
from importlib import import_module
from pkgutil import iter_modules

import pytest

import server.solitaires

MODULES = [
    "server.solitaires",
    *(f"server.solitaires.{module.name}" for module in iter_modules(server.solitaires.__path__)),
]
WITHOUT = {"server.solitaires.protocol"}


@pytest.mark.parametrize("name", MODULES)
def test_every_example_gives_what_it_says(name: str) -> None:
    failed, tried = doctest.testmod(import_module(name))
    assert failed == 0
    assert (tried > 0) is (name not in WITHOUT)
