"""What an operator can choose: one frozen value, read from ``MOONTIDE_*`` variables and the command line.

Each field says what it means and how its text is read. ``python3 -m server settings`` prints `describe`,
``docs/settings.md`` tells the same to people; a test compares the two.
"""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Generic, NamedTuple, Self, TypeVar
from urllib.parse import urlsplit

PREFIX = "MOONTIDE_"

#: What the wire fixes and no operator changes (DESIGN 8): the largest frame and the largest body that come in.
FRAME_BYTES = 8 * 1024
BODY_BYTES = 64 * 1024

T = TypeVar("T")
Network = IPv4Network | IPv6Network


class InvalidSetting(ValueError):
    """A setting that cannot be used. The message names the setting, its value, and what would be right."""

    def __init__(self, name: str, value: object, wanted: str) -> None:
        super().__init__(f"{name} is {_without_password(str(value))!r}, but must be {wanted}")
        self.name = name
        self.value = value
        self.wanted = wanted


class Kind(NamedTuple, Generic[T]):
    """How the text of a setting is read: ``read`` raises ValueError for text that is not what is ``wanted``."""

    wanted: str
    read: Callable[[str], T]


def _whole(low: int, high: int) -> Kind[int]:
    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else -1
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return Kind(f"a whole number from {low} to {high}", read)


def _number(low: float, high: float) -> Kind[float]:
    def read(text: str) -> float:
        number = float(text)
        if math.isnan(number) or not low <= number <= high:
            raise ValueError(text)
        return number

    return Kind(f"a number from {low:g} to {high:g}", read)


def _choice(*words: str) -> Kind[str]:
    def read(text: str) -> str:
        if text.lower() not in words:
            raise ValueError(text)
        return text.lower()

    return Kind(" or ".join(words), read)


def _read_switch(text: str) -> bool:
    return {"on": True, "off": False}[text.lower()]


def _read_host(text: str) -> str:
    if not text or any(character.isspace() or character in "/@" for character in text):
        raise ValueError(text)
    return text


def _read_database(text: str) -> str:
    scheme, _, rest = text.partition("://")
    if scheme == "sqlite" and len(rest) > 1 and rest.startswith("/") and "?" not in rest and ":memory:" not in rest:
        return text
    # both spellings that other tools write mean the same database
    if scheme in ("postgresql+asyncpg", "postgresql", "postgres"):
        parts = urlsplit(text)
        if (parts.hostname or "host=" in parts.query) and parts.path.strip("/") and parts.port != 0:
            return f"postgresql+asyncpg://{rest}"
    raise ValueError(text)


def _read_nats(text: str) -> tuple[str, ...]:
    addresses = tuple(part.strip() for part in text.split(",") if part.strip())
    for address in addresses:
        parts = urlsplit(address)
        if parts.scheme not in ("nats", "tls") or not parts.hostname or parts.port == 0:
            raise ValueError(text)
    return addresses


def _read_networks(text: str) -> tuple[Network, ...]:
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


_SWITCH = Kind("on or off", _read_switch)
_HOST = Kind("a host name or an address", _read_host)
_DATABASE = Kind("sqlite:///path/to/games.db or postgresql+asyncpg://user@host/name", _read_database)
_NATS = Kind("one or more of nats://host:4222, with commas between", _read_nats)
_NETWORKS = Kind("addresses or networks like 10.0.0.0/8, with commas between", _read_networks)


def _setting(default: T, kind: Kind[T], meaning: str, *, secret: bool = False) -> T:
    return field(default=default, repr=not secret, metadata={"kind": kind, "meaning": meaning})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that can be chosen. Made from an environment by `from_env`, or directly from checked values."""

    host: str = _setting("127.0.0.1", _HOST, "Address to listen on; 0.0.0.0 is every one of the machine's.")
    port: int = _setting(8000, _whole(0, 65535), "Port to listen on; 0 takes a free one.")
    database: str = _setting(
        "sqlite:///data/moontide.db",
        _DATABASE,
        "Where everything is stored: a SQLite file (its folder is made) or a PostgreSQL database.",
        secret=True,
    )
    workers: int = _setting(1, _whole(1, 256), "Server processes that share the port. More than one needs PostgreSQL.")
    nats: tuple[str, ...] = _setting(
        (), _NATS, "NATS servers that carry news between processes; empty for a single process.", secret=True
    )
    limits: bool = _setting(
        True, _SWITCH, "Rate limits and hourly counts. Off is for tests, benches and bots of your own."
    )
    trusted_proxies: tuple[Network, ...] = _setting(
        (), _NETWORKS, "Proxies whose X-Forwarded-For is believed; empty for none."
    )
    log_level: str = _setting(
        "info", _choice("debug", "info", "warning", "error"), "The least important lines that are logged."
    )
    log_format: str = _setting("json", _choice("json", "text"), "One JSON object a line, or text for reading along.")
    commands_per_second: float = _setting(
        20.0, _number(0.01, 1e6), "Commands that a player may send each second, for long; per process."
    )
    commands_burst: int = _setting(60, _whole(1, 1_000_000), "Commands that a player may send at once; per process.")
    reads_per_second: float = _setting(
        50.0, _number(0.01, 1e6), "Other requests that a player or an address may send each second; per process."
    )
    reads_burst: int = _setting(200, _whole(1, 1_000_000), "Other requests that may come at once; per process.")
    players_per_hour: int = _setting(
        60, _whole(1, 1_000_000), "New players from one address (one /64 of IPv6) in an hour."
    )
    dailies: bool = _setting(
        True, _SWITCH, "Make the sealed dailies two days ahead (a search of low priority) and sweep those that close."
    )
    cached_games: int = _setting(5000, _whole(1, 1_000_000), "Games that a process keeps in memory, at most.")
    heartbeat_s: float = _setting(
        20.0, _number(0.1, 3600), "Seconds between the pings that a WebSocket client is asked to send."
    )
    drain_s: float = _setting(
        8.0, _number(0, 600), "Seconds that a process told to end (SIGTERM) may take to finish what it has accepted."
    )
    database_connections: int = _setting(
        8, _whole(1, 1000), "Connections that a process keeps to PostgreSQL, or readers of a SQLite file, at most."
    )

    def __post_init__(self) -> None:
        if self.workers > 1 and self.is_sqlite:
            raise InvalidSetting(
                "workers", self.workers, "1 with SQLite; several processes need a PostgreSQL --database"
            )

    @classmethod
    def from_env(cls, env: Mapping[str, str], **overrides: Any) -> Self:
        """The settings of an environment; ``overrides`` go before it, where they are not None.

        An override may be text, as on a command line, or the value itself. A variable that is empty counts as
        not set. Raises `InvalidSetting`, also for a variable that looks like a setting misspelt.
        """
        known = {field.name: field for field in fields(cls)}
        _refuse_typo(env, known)
        values: dict[str, Any] = {}
        for name, one in known.items():
            given = overrides.pop(name, None)
            shown = f"--{name.replace('_', '-')}"
            if given is None:
                given, shown = env.get(PREFIX + name.upper()) or None, PREFIX + name.upper()
            if given is not None:
                values[name] = _read(shown, given, one.metadata["kind"]) if isinstance(given, str) else given
        if overrides:
            raise TypeError(f"no such setting: {', '.join(overrides)}")
        return cls(**values)

    @property
    def is_sqlite(self) -> bool:
        return self.database.startswith("sqlite:")

    @property
    def sqlite_path(self) -> Path:
        """The database file; ValueError where the database is not SQLite."""
        if not self.is_sqlite:
            raise ValueError("this database is no file")
        return Path(self.database.removeprefix("sqlite:///"))

    def as_env(self) -> dict[str, str]:
        """The variables that `from_env` reads these settings from again; secrets included."""
        return {PREFIX + one.name.upper(): _text(getattr(self, one.name)) for one in fields(self)}

    def shown(self) -> dict[str, str]:
        """The same for people and logs: without passwords."""
        return {variable: _without_password(text) for variable, text in self.as_env().items()}


def _without_password(text: str) -> str:
    return re.sub(r"(//[^/:@,]*):[^/@,]*@", r"\1:…@", text)


class Described(NamedTuple):
    """One setting as documentation: its variable, the text of its default, what it must be, what it means."""

    variable: str
    default: str
    wanted: str
    meaning: str


def describe() -> Iterator[Described]:
    """Every setting, in the order of the fields."""
    for one in fields(Settings):
        yield Described(
            PREFIX + one.name.upper(), _text(one.default), one.metadata["kind"].wanted, one.metadata["meaning"]
        )


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _read(shown: str, text: str, kind: Kind[Any]) -> object:
    try:
        return kind.read(text.strip())
    except (ValueError, KeyError):
        raise InvalidSetting(shown, text, kind.wanted) from None


def _refuse_typo(env: Mapping[str, str], known: Collection[str]) -> None:
    # other names with the prefix are let be: clients have variables of their own
    for variable in env:
        name = variable.removeprefix(PREFIX).lower()
        if variable.startswith(PREFIX) and name not in known and (near := get_close_matches(name, known, 1, 0.74)):
            raise InvalidSetting(variable, env[variable], f"absent: did you mean {PREFIX}{near[0].upper()}?")
