"""nginx in the benches: the static answers behind every front, and the plain hop beside ours."""

import json
from collections.abc import Mapping
from pathlib import Path

from tests.bench.proxy_peers import CHAT, SAID

PIECES = 3


def conf(folder: Path, name: str, http: str, workers: int = 1) -> Path:
    """A configuration."""
    path = folder / f"{name}.conf"
    path.write_text(
        f"daemon off; worker_processes {workers}; pid {folder}/{name}.pid; error_log stderr crit;\n"
        "events { worker_connections 4096; }\n"
        f"http {{ access_log off; keepalive_requests 100000000; client_body_temp_path {folder};"
        f" proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder};"
        f" scgi_temp_path {folder}; default_type application/json;\n{http}\n}}\n"
    )
    return path


def static_upstream(port: int, store: int, answers: Mapping[str, bytes], search: bytes) -> str:
    """Lists, searches and pings are answered at once; what is left goes to the real store."""
    parts = {owner: pieces(body) for owner, body in answers.items()}
    maps = "".join(
        f"map $arg_user_id $listed{n} {{ default '';"
        + "".join(f" {owner} '{said[n]}';" for owner, said in parts.items()) + " }\n"
        for n in range(PIECES)
    )  # fmt: skip
    sets = "".join(f" set $found{n} '{piece}';" for n, piece in enumerate(pieces(search)))
    listed, found = ("".join(f"${name}{n}" for n in range(PIECES)) for name in ("listed", "found"))
    on = f"proxy_http_version 1.1; proxy_set_header Connection ''; proxy_pass http://store{port};"
    return (
        f"map_hash_bucket_size 8192; map_hash_max_size 4096;\n{maps}"
        f"upstream store{port} {{ server 127.0.0.1:{store}; keepalive 64; }}\n"
        f"server {{ listen 127.0.0.1:{port};\n"
        f"  location = /search {{{sets} return 200 {found}; }}\n"
        f"  location = /memories {{ if ($listed0 != '') {{ return 200 {listed}; }} {on} }}\n"
        '  location = /v1/ping/ { return 200 \'{"status":"ok"}\'; }\n'
        f"  location = {CHAT} {{ return 200 '{json.dumps(SAID)}'; }}\n"
        f"  location / {{ {on} }}\n}}"
    )


def pieces(body: bytes) -> list[str]:
    """A body in parts that nginx takes as one word of its configuration (4 KiB)."""
    text, step = body.decode(), 3000
    return [text[n * step : (n + 1) * step] for n in range(PIECES)]


def hop(port: int, upstream: int) -> str:
    """A plain reverse proxy."""
    return (
        f"upstream store {{ server 127.0.0.1:{upstream}; keepalive 64;"
        " keepalive_requests 100000000; }\n"
        f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_http_version 1.1;"
        " proxy_set_header Connection ''; proxy_pass http://store; } }"
    )
