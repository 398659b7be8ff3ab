"""``python3 -m server [COMMAND]``: the table of commands. Without a command, it serves.

Each command is a `click.Command` in a module of this package, which is imported only when it is asked for,
so that a server starts without the tools and a tool without the server. A new command is one line in
`COMMANDS`; what commands share stands in ``options.py``.
"""

from importlib import import_module
from typing import Any, NamedTuple

import click

from server import __version__


class Entry(NamedTuple):
    """Where a command is (``module:attribute`` of this package) and what it does in one line."""

    where: str
    what: str


COMMANDS = {
    "serve": Entry("serve:serve", "Serve players: HTTP and WebSocket (what runs without a command)."),
    "games": Entry("games:games", "List stored games by player, deal, status, time and more."),
    "show": Entry("games:show", "Show a game as its player sees it, now or after an event."),
    "events": Entry("games:events", "List the events of a game, as they are stored."),
    "replay": Entry("games:replay_game", "Play a game again, event by event."),
    "verify": Entry("verify:verify", "Fold stored games anew and say what differs."),
    "settings": Entry("settings:settings", "List every setting, its value here and its meaning."),
}


class Commands(click.Group):
    """The group that looks commands up in a table of names."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name].where.partition(":")
        command: click.Command = getattr(import_module(f"server.operate.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.what) for name, entry in COMMANDS.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in ("--help", "--version")):
            args = ["serve", *args]
        return super().parse_args(ctx, args)


@click.group(cls=Commands, context_settings={"max_content_width": 100})
@click.version_option(__version__, prog_name="moontide", message="%(prog)s %(version)s")
def command_line() -> None:
    """Moontide, a game server for solitaires.

    Without a command it serves; `serve --help` tells the options for that.
    """


def main(args: list[str] | None = None) -> Any:
    """Run the command that the arguments name; ends the process with the command's exit code."""
    return command_line.main(args, prog_name="python3 -m server")
