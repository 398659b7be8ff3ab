"""nginx in front of server processes, with the very file that docker-compose.yml gives it."""

from pathlib import Path

from tests.parts.nginx import Nginx
from tests.parts.ports import free_port

FILE = Path(__file__).parents[2] / "server" / "nginx.conf"

_SERVER = "server server:8000 resolve"
_LISTEN = "listen 8080;"


def front(*ports: int) -> Nginx:
    """nginx on a free port before processes on these ports of this machine. May raise `Absent`."""
    port = free_port()
    return Nginx(http_block(port, *ports), port)


def http_block(listen: int, *ports: int) -> str:
    """The file's ``http`` block, with another port to listen on and other servers than the containers."""
    text = FILE.read_text()
    assert text.count(_SERVER) == text.count(_LISTEN) == 1, "the two lines that differ here"
    before, _, rest = text.partition(_SERVER)
    options, _, after = rest.partition(";")
    servers = "\n".join(f"        server 127.0.0.1:{port}{options};" for port in ports)
    text = before + servers.strip() + after.replace(_LISTEN, f"listen 127.0.0.1:{listen};", 1)
    return text.partition("\nhttp {")[2].rpartition("}")[0]
