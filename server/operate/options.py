"""What the commands of the operator share: how they read settings, and how they fail in one line."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from server.settings import InvalidSetting, Settings, describe

F = TypeVar("F", bound=Callable[..., Any])

_MEANING = {one.variable: one for one in describe()}


class Failure(click.ClickException):
    """What an operator can mend: printed as one line on standard error, exit code 1."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        click.echo(f"moontide: {self.message}", file=file or sys.stderr)


def setting_option(name: str, metavar: str = "TEXT") -> Callable[[F], F]:
    """``--name`` for the setting of that name: text, or None where it was not given; `load_settings` reads it."""
    one = _MEANING[f"MOONTIDE_{name.upper()}"]
    shown = f"{one.meaning} [{one.variable}; {one.default}]"
    return click.option(f"--{name.replace('_', '-')}", name, metavar=metavar, default=None, help=shown)


def database_option(command: F) -> F:
    """``--database URL``, as every command that opens the database takes it."""
    return setting_option("database", "URL")(command)


def json_option(command: F) -> F:
    """``--json``, passed on as ``as_json``: the answer as JSON on standard output and nothing else there."""
    return click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")(command)


class Id(click.ParamType[str]):
    """The id of a ``game`` or a ``player``, as ``games`` lists it."""

    _form = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value).strip().lower()
        if not self._form.fullmatch(text):
            self.fail(f"{value!r} is not the id of a {self.name}.", param, ctx)
        return text


def load_settings(**given: str | None) -> Settings:
    """The settings of the environment, the options of the command before it. Raises `Failure`."""
    try:
        return Settings.from_env(os.environ, **given)
    except InvalidSetting as problem:
        raise Failure(str(problem)) from None


@contextmanager
def usable_database() -> Iterator[None]:
    """Turn what the store says of a database that cannot be used into one line."""
    from server.store.errors import StoreError

    try:
        yield
    except StoreError as problem:
        raise Failure(str(problem)) from problem
