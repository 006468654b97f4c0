"""The reference of the HTTP API, written from its OpenAPI description."""

from __future__ import annotations

import tempfile
from typing import Any

import vidence.app.job_kinds as job_kinds
import vidence.app.moments as moments
import vidence.app.timeline as timeline
import vidence.schema.jobs as schema_jobs
from vidence.app import open_workspace
from vidence.web import jobs, library, stories, topics, videos
from vidence.web.server import create_app

__all__ = ["api_reference"]


def api_reference() -> str:
    """Return every route with its parameters, body and reply, as Markdown."""
    with tempfile.TemporaryDirectory() as home, open_workspace(home=home) as workspace:
        described = create_app(workspace).openapi()
    groups: dict[str, list[str]] = {}
    for path, methods in described["paths"].items():
        for method, route in methods.items():
            groups.setdefault(route.get("tags", ["server"])[0], []).append(_route(method, path, route))
    parts = [f"\n## {name.capitalize()}\n{''.join(routes)}" for name, routes in groups.items()]
    schemas = described["components"]["schemas"]
    own = _own_shapes()
    shapes = "".join(_shape(name, schema) for name, schema in sorted(schemas.items()) if name in own)
    return f"{''.join(parts)}\n## Shapes\n{shapes}"


def _own_shapes() -> set[str]:
    """Return the shapes that only the API has; the others are those of the Python results."""
    modules = (job_kinds, jobs, library, moments, schema_jobs, stories, timeline, topics, videos)
    return {
        name
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__
    }


def _route(method: str, path: str, route: dict[str, Any]) -> str:
    lines = [f"\n### `{method.upper()} {path}`\n\n{route.get('description', '').strip()}\n"]
    parameters = [one for one in route.get("parameters", ()) if one["in"] != "path"]
    if parameters:
        lines.append("\n| parameter | type | meaning |\n|---|---|---|\n")
        lines += [
            f"| `{one['name']}`{' (header)' if one['in'] == 'header' else ''} | {_type(one['schema'])} | "
            f"{one.get('description', '')} |\n"
            for one in parameters
        ]
    body = route.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body:
        lines.append(f"\nBody: {_type(body)}.")
    for status, reply in route["responses"].items():
        schema = reply.get("content", {}).get("application/json", {}).get("schema")
        if status != "422" and schema:
            lines.append(f"{' ' if body else chr(10)}Reply ({status}): {_type(schema)}.")
    return "".join(lines).rstrip() + "\n"


def _shape(name: str, schema: dict[str, Any]) -> str:
    head = " ".join(schema.get("description", "").split())
    lines = [f"\n### {name}\n\n{head}\n" if head else f"\n### {name}\n"]
    fields = schema.get("properties", {})
    if fields:
        lines.append("\n| field | type |\n|---|---|\n")
        lines += [f"| `{field}` | {_type(one)} |\n" for field, one in fields.items()]
    return "".join(lines)


def _type(schema: dict[str, Any]) -> str:
    """Return a type in words, with links to the shapes."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})" if name in _own_shapes() else f"`{name}`"
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(_type(one) for one in schema[key]))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    if schema.get("type") == "array":
        inner = schema.get("items") or (schema.get("prefixItems") or [{}])[0]
        return f"list of {_type(inner)}"
    return str(schema.get("type", "any"))
