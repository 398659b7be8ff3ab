"""Pages to read, rendered from the OpenAPI document: no script, nothing from elsewhere."""

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from server.api.errors import Kind

STYLE = """\
:root { color-scheme: dark light; --ground: #0A1624; --panel: #152A3C; --text: #E9F1F4; --muted: #A3B8C4;
  --moon: #F2D98B; --line: #6F93A8; }
@media (prefers-color-scheme: light) {
  :root { --ground: #F3ECDB; --panel: #FFFDF7; --text: #12303D; --muted: #3F5A66; --moon: #7A4E00; --line: #4F7380; } }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 3rem; color: var(--moon); }
a { color: var(--moon); } code, pre { font: 14px/1.45 ui-monospace, monospace; }
section { background: var(--panel); border-radius: 10px; padding: .25rem 1.25rem 1rem; margin: 1rem 0; }
section h3 { display: flex; gap: .75rem; flex-wrap: wrap; align-items: baseline; font-size: 1rem; }
.method { color: var(--moon); } .access, .muted { color: var(--muted); font-weight: normal; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th { text-align: left; color: var(--muted); font-weight: normal; }
td, th { padding: .25rem .75rem .25rem 0; vertical-align: top; border-top: 1px solid var(--line); }
pre { overflow-x: auto; background: var(--ground); border-radius: 6px; padding: .75rem; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--muted); }
"""

_ACCESS = {0: "open to all", 1: "with a token", 2: "a token shows more"}


def reference_page(document: dict[str, Any]) -> str:
    """The whole document as one page: routes by group, then the types."""
    info = document["info"]
    return _page(f"{info['title']} {info['version']}", "".join(_reference(document)))


def problem_page(code: str, kind: Kind) -> str:
    """What a client developer reads at a problem's ``type``."""
    body = (
        f"<h1>{escape(kind.title)}</h1><p><code>{code}</code>, HTTP status {kind.status}</p>"
        f"<p>{_prose(kind.meaning)}</p><p><a href='/docs'>All routes</a></p>"
    )
    return _page(kind.title, body)


def _page(title: str, body: str) -> str:
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"<title>{escape(title)}</title><meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<link rel='stylesheet' href='/docs/style.css'></head>"
        f"<body><main>{body}</main></body></html>"
    )


def _reference(document: dict[str, Any]) -> Iterator[str]:
    yield f"<h1>{escape(document['info']['title'])}</h1>"
    for paragraph in document["info"]["description"].split("\n\n"):
        yield f"<p>{_prose(paragraph)}</p>"
    yield "<p>For programs: <a href='/openapi.json'>/openapi.json</a>, <a href='/asyncapi.json'>/asyncapi.json</a></p>"
    groups: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            groups.setdefault(operation["tags"][0], []).append("".join(_operation(path, method, operation)))
    for group, operations in groups.items():
        yield f"<h2 id='{escape(group)}'>{escape(group)}</h2>" + "".join(operations)
    yield "<h2 id='types'>Types</h2>"
    for name, schema in document["components"]["schemas"].items():
        yield f"<section id='{name}'><h3>{name}</h3><p>{_prose(schema.get('description', ''))}</p>"
        yield _fields(schema) + "</section>"


def _operation(path: str, method: str, operation: dict[str, Any]) -> Iterator[str]:
    access = _ACCESS[len(operation["security"])]
    yield f"<section id='{operation['operationId']}'><h3><code class='method'>{method.upper()}</code>"
    yield f"<code>{escape(path)}</code><span class='access'>{access}</span></h3><p>{_prose(operation['summary'])}</p>"
    parameters = operation.get("parameters", [])
    if parameters:
        rows = [(one["name"], one["schema"], one.get("description", "")) for one in parameters]
        yield _table(rows)
    if "requestBody" in operation:
        content = operation["requestBody"]["content"]["application/json"]
        yield f"<p>Body: {_kind(content['schema'])}</p>"
        for example in content.get("examples", {}).values():
            yield f"<pre>{escape(json.dumps(example['value']))}</pre>"
    problems: list[str] = []
    for status, answer in operation["responses"].items():
        content = answer.get("content", {})
        if "application/problem+json" in content:
            codes = content["application/problem+json"]["schema"]["allOf"][1]["properties"]["code"]["enum"]
            problems += [f"<a href='/problems/{code}'>{code}</a> {status}" for code in codes]
            continue
        kinds = [f"{_kind(one['schema'])} as <code>{media}</code>" for media, one in content.items()]
        yield f"<p>{status}: {', or '.join(kinds) or 'nothing'}</p>"
    yield f"<details><summary>Problems</summary><p>{', '.join(problems)}</p></details></section>"


def _fields(schema: dict[str, Any]) -> str:
    required = schema.get("required", [])
    rows = [
        (name if name in required else f"{name}?", one, one.get("description", ""))
        for name, one in schema.get("properties", {}).items()
    ]
    return _table(rows) if rows else ""


def _table(rows: list[tuple[str, dict[str, Any], str]]) -> str:
    lines = [
        f"<tr><td><code>{escape(name)}</code></td><td>{_kind(schema)}</td><td>{_prose(text)}</td></tr>"
        for name, schema, text in rows
    ]
    return f"<table><tr><th>name</th><th>type</th><th></th></tr>{''.join(lines)}</table>"


def _kind(schema: dict[str, Any]) -> str:
    """A schema in a few words, types linked."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"<a href='#{name}'>{name}</a>"
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(_kind(one) for one in schema[several])
    if "enum" in schema:
        return " ".join(f"<code>{escape(json.dumps(value))}</code>" for value in schema["enum"])
    if "const" in schema:
        return f"<code>{escape(json.dumps(schema['const']))}</code>"
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    words = escape(" or ".join(kind) if isinstance(kind, list) else kind)
    bounds = [f"{word} {schema[key]}" for key, word in _BOUNDS.items() if key in schema]
    return words + (f" <span class='muted'>{escape(', '.join(bounds))}</span>" if bounds else "")


_BOUNDS = {"format": "", "minimum": "from", "maximum": "to", "minLength": "length from", "maxLength": "length to"}


def _prose(text: str) -> str:
    """Text with `code` in backticks."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text, quote=False))
