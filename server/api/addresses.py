"""Whose address a request counts for: the client's, not that of a proxy that is trusted to name it."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.types import Scope

Address = IPv4Address | IPv6Address


def client_address(scope: Scope, proxies: Sequence[IPv4Network | IPv6Network]) -> str:
    """The address that limits are counted for: of IPv6 the /64, for a household has a whole one.

    ``X-Forwarded-For`` is believed from a proxy of ``proxies`` only, and read from the right: the first
    address that no such proxy has written is the client's. A client behind no network is ``local``.
    """
    peer = scope.get("client")
    address = _read(peer[0]) if peer else None
    if address is None:
        return "local"
    if proxies and _within(address, proxies):
        for hop in reversed(_forwarded(scope)):
            known = _read(hop)
            if known is None:
                break
            address = known
            if not _within(address, proxies):
                break
    return _counted(address)


def _forwarded(scope: Scope) -> list[str]:
    lines = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    return [hop.strip() for hop in ",".join(lines).split(",")] if lines else []


def _read(text: str) -> Address | None:
    """An address as proxies write it, perhaps with a port."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address


def _within(address: Address, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    return any(address in network for network in networks)


def _counted(address: Address) -> str:
    if isinstance(address, IPv6Address):
        return str(ip_network((address, 64), strict=False))
    return str(address)
