"""Settings come from the environment and the command line, and a wrong one says what would be right."""

from ipaddress import ip_network
from pathlib import Path

import pytest

from server.settings import InvalidSetting, Settings, describe


def test_nothing_set_gives_a_server_on_this_machine_alone() -> None:
    settings = Settings.from_env({})
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8000, 1)
    assert settings.sqlite_path == Path("data/moontide.db")
    assert settings == Settings()


def test_an_option_goes_before_its_variable_and_an_empty_variable_counts_as_not_set() -> None:
    env = {"MOONTIDE_PORT": "9000", "MOONTIDE_HOST": ""}
    assert Settings.from_env(env).port == 9000
    assert Settings.from_env(env, port="9001", host=None).port == 9001
    assert Settings.from_env(env).host == "127.0.0.1"


def test_every_kind_of_text_is_read() -> None:
    settings = Settings.from_env(
        {
            "MOONTIDE_LIMITS": "OFF",
            "MOONTIDE_TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8,::1",
            "MOONTIDE_NATS": "nats://a:4222,nats://b:4222",
            "MOONTIDE_COMMANDS_PER_SECOND": "2.5",
            "MOONTIDE_LOG_LEVEL": "Debug",
        }
    )
    assert settings.limits is False
    assert settings.trusted_proxies == tuple(map(ip_network, ("127.0.0.1/32", "10.0.0.0/8", "::1/128")))
    assert settings.nats == ("nats://a:4222", "nats://b:4222")
    assert settings.commands_per_second == 2.5
    assert settings.log_level == "debug"


@pytest.mark.parametrize("text", ["postgres://u@h/n", "postgresql://u@h/n", "postgresql+asyncpg://u@h/n"])
def test_the_usual_spellings_of_a_postgresql_address_mean_the_same(text: str) -> None:
    assert Settings.from_env({}, database=text).database == "postgresql+asyncpg://u@h/n"


WRONG = [
    ("PORT", "abc"),
    ("PORT", "65536"),
    ("PORT", "-1"),
    ("PORT", "8000 9000"),
    ("PORT", "٣"),
    ("HOST", "a b"),
    ("DATABASE", "games.db"),
    ("DATABASE", "sqlite://"),
    ("DATABASE", "sqlite:///"),
    ("DATABASE", "sqlite:///:memory:"),
    ("DATABASE", "mysql://u@h/n"),
    ("DATABASE", "postgresql+asyncpg://h"),
    ("DATABASE", "postgresql+asyncpg://u@h:port/n"),
    ("WORKERS", "0"),
    ("WORKERS", "two"),
    ("NATS", "localhost:4222"),
    ("LIMITS", "maybe"),
    ("TRUSTED_PROXIES", "10.0.0.1/8"),
    ("TRUSTED_PROXIES", "proxy.example"),
    ("LOG_LEVEL", "loud"),
    ("COMMANDS_PER_SECOND", "nan"),
    ("COMMANDS_PER_SECOND", "0"),
    ("HEARTBEAT_S", "inf"),
]


@pytest.mark.parametrize(("name", "text"), WRONG)
def test_a_wrong_value_names_the_variable_the_value_and_what_would_be_right(name: str, text: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        Settings.from_env({f"MOONTIDE_{name}": text})
    wanted = {one.variable: one.wanted for one in describe()}[f"MOONTIDE_{name}"]
    assert str(caught.value) == f"MOONTIDE_{name} is {text!r}, but must be {wanted}"


def test_a_wrong_option_is_named_as_it_was_typed() -> None:
    with pytest.raises(InvalidSetting, match=r"^--port is 'abc', but must be a whole number from 0 to 65535$"):
        Settings.from_env({}, port="abc")


def test_several_workers_need_postgresql() -> None:
    with pytest.raises(InvalidSetting, match=r"^workers is '2', but must be 1 with SQLite"):
        Settings.from_env({}, workers="2")
    assert Settings.from_env({}, workers="2", database="postgresql://h/n").workers == 2


def test_a_misspelt_variable_is_refused_and_a_strange_one_let_be() -> None:
    with pytest.raises(InvalidSetting, match=r"MOONTIDE_PROT is '1', but must be absent: did you mean MOONTIDE_PORT\?"):
        Settings.from_env({"MOONTIDE_PROT": "1"})
    Settings.from_env({"MOONTIDE_TOKEN": "mt_x", "MOONTIDE_SERVER": "http://x"})


def test_settings_survive_the_way_through_an_environment() -> None:
    settings = Settings(
        port=0,
        database="postgresql+asyncpg://u:p@h/n?ssl=require",
        workers=3,
        nats=("nats://a:4222", "nats://u:p@b:4222"),
        limits=False,
        trusted_proxies=(ip_network("10.0.0.0/8"),),
        heartbeat_s=0.25,
        reads_per_second=33.3333,
    )
    assert Settings.from_env(settings.as_env()) == settings


def test_a_password_is_shown_nowhere() -> None:
    settings = Settings(database="postgresql+asyncpg://u:secret@h/n", nats=("nats://u:secret@b:4222",))
    assert "secret" not in repr(settings)
    assert "secret" not in str(settings.shown())
    assert settings.shown()["MOONTIDE_DATABASE"] == "postgresql+asyncpg://u:…@h/n"
    with pytest.raises(InvalidSetting) as caught:
        Settings.from_env({"MOONTIDE_DATABASE": "mysql://u:secret@h/n"})
    assert "secret" not in str(caught.value)
