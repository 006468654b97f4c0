"""The reference of the HTTP API, written from its OpenAPI description."""

from __future__ import annotations

import tempfile
from typing import Any

from vidence.app import open_workspace
from vidence.web.server import create_app

__all__ = ["api_page"]

_HEAD = '''# The HTTP API

Generated from the OpenAPI description (`/api/openapi.json` of a running `vidence serve`) by `make docs`; do not edit.

Requests and replies are JSON with the shapes of the [Python](python-api.md) results. Long work (indexing, asking, a
story, a topic) is a job: the request answers 202 with the job, `GET /api/jobs/{job_id}/events` streams what it tells as
server-sent events, and `GET /api/jobs/{job_id}` has its result when it is done. Jobs survive a restart of the server. A
broken stream resumes after the event named in the header `Last-Event-ID`. Errors are `application/problem+json`; `detail`
says in one line what was wrong. Lists are paged with `offset` and `limit`. A server with a token wants the header
`Authorization: Bearer TOKEN`. `GET /healthz` says that it is up, `GET /metrics` has figures for Prometheus.

With curl, on the sample video of a checkout:

```bash
BASE=http://127.0.0.1:8765
VIDEO=$(curl -s $BASE/api/videos -H 'content-type: application/json' -d "{\\"path\\": \\"$PWD/samples/vidence_sample.mp4\\"}" \\
  | python3 -c 'import json, sys; print(json.load(sys.stdin)["videos"][0]["video_id"])')
JOB=$(curl -s $BASE/api/ask -H 'content-type: application/json' \\
  -d "{\\"question\\": \\"What is said about the rocket?\\", \\"videos\\": [\\"$VIDEO\\"]}" \\
  | python3 -c 'import json, sys; print(json.load(sys.stdin)["job_id"])')
curl -sN $BASE/api/jobs/$JOB/events
```

With Python's standard library:

```python
import json
import urllib.request

BASE = "http://127.0.0.1:8765"


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


added = call("/api/videos", {"path": "samples/vidence_sample.mp4"})
job = call("/api/ask", {"question": "What is said about the rocket?", "videos": [added["videos"][0]["video_id"]]})
with urllib.request.urlopen(f"{BASE}/api/jobs/{job['job_id']}/events") as stream:
    for line in stream:  # ends when the job does
        if line.startswith(b"event: "):
            print(line.decode().strip())
done = call(f"/api/jobs/{job['job_id']}")
print(done["result"]["answer"]["answer"])
for claim in done["result"]["proofs"]:
    for moment in claim["moments"]:
        print(claim["verdict"], moment["start_time"], moment["end_time"], moment["line"])
```
'''


def api_page() -> str:
    """Return the page: every route with its parameters, body and reply."""
    with tempfile.TemporaryDirectory() as home, open_workspace(home=home) as workspace:
        described = create_app(workspace).openapi()
    groups: dict[str, list[str]] = {}
    for path, methods in described["paths"].items():
        for method, route in methods.items():
            groups.setdefault(route.get("tags", ["server"])[0], []).append(_route(method, path, route))
    parts = [f"\n## {name.capitalize()}\n{''.join(routes)}" for name, routes in groups.items()]
    schemas = described["components"]["schemas"]
    shapes = "".join(_shape(name, schema) for name, schema in sorted(schemas.items()) if _is_ours(name))
    return f"{_HEAD}{''.join(parts)}\n## Shapes\n{shapes}"


def _is_ours(name: str) -> bool:
    return name not in ("HTTPValidationError", "ValidationError")


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
        return f"[{name}](#{name.lower()})"
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
