"""``settings``: every setting, what it is here, and what it means."""

import click
from msgspec.json import encode

from server.operate.options import json_option, load_settings
from server.settings import describe


@click.command()
@json_option
def settings(as_json: bool) -> None:
    """List every setting, its value here and its meaning.

    Values come from MOONTIDE_* variables; those that may hold a password are shown without it.
    """
    here = load_settings().shown()
    if as_json:
        rows = [{**one._asdict(), "value": here[one.variable]} for one in describe()]
        click.echo(encode(rows).decode())
        return
    for one in describe():
        click.echo(f"{one.variable}={here[one.variable]}")
        click.echo(f"    {one.meaning}\n    {one.wanted}; {one.default or 'empty'} if not set")
