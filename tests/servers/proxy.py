"""The HTTP listener over an embedded stack with a stand-in endpoint behind it, in a process of its own.

``python -m tests.servers.proxy HOME`` prints one line of JSON: the addresses, and a key of each user of ``USERS``, "gateway" (a
service key) and "reader" (a key of ana that may only read).  It ends when its standard input is closed.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[2]
USERS = tuple(f"user-{number}" for number in range(200))
UPSTREAM_KEY = "key-of-the-endpoint"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyStack:
    """The running listener.  ``keys``: by user.  ``unused``: users that no test has taken yet."""

    url: str
    upstream: str
    keys: dict[str, str]
    home: Path
    pid: int
    unused: list[str]

    def take(self) -> tuple[str, str]:
        """A user and its key."""
        user = self.unused.pop()
        return user, self.keys[user]

    def client(self, key: str, **headers: str) -> httpx.Client:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx.Client(
            base_url=f"{self.url}/v1", headers={"Authorization": f"Bearer {key}", **named}, timeout=60.0, trust_env=False
        )

    def tell(self, *replies: dict[str, Any]) -> None:
        """How the endpoint answers the next requests."""
        httpx.post(f"{self.upstream}/control", json={"replies": replies}, trust_env=False).raise_for_status()

    def seen(self) -> list[dict[str, Any]]:
        """The requests that the endpoint got since ``tell``."""
        found: list[dict[str, Any]] = httpx.get(f"{self.upstream}/control", trust_env=False).json()["seen"]
        return found


@contextlib.contextmanager
def running_proxy(home: Path, python: str = sys.executable) -> Iterator[ProxyStack]:
    env = {**os.environ, "REACT_MEM_KEYS": str(home / "keys"), "REACT_MEM_PROXY_KEEP_ALIVE_S": "0.3"}
    command = [python, "-m", "tests.servers.proxy", str(home)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=ROOT, text=True)
    try:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        yield ProxyStack(home=home, pid=process.pid, unused=list(USERS), **said)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)


def make_keys(home: Path, keys: Any) -> dict[str, str]:
    """The keys of the directory, the same after each start.  ``keys``: a ``KeyFile``."""
    known = home / "secrets.json"
    if not known.exists():
        secrets = {user: keys.create("user", user=user)[1] for user in USERS}
        secrets["gateway"] = keys.create("service")[1]
        secrets["reader"] = keys.create("user", user=USERS[0], writes=False)[1]
        known.write_text(json.dumps(secrets))
    found: dict[str, str] = json.loads(known.read_text())
    return found


async def serve(home: Path) -> None:
    from aiohttp import web  # here, because clients of other environments import this module

    from tests.doubles.upstream import Upstream
    from trustgraph_react_mem.embedded import EmbeddedStack
    from trustgraph_react_mem.http.keys import KeyFile
    from trustgraph_react_mem.http.server import listen
    from trustgraph_react_mem.http.settings import HttpSettings
    from trustgraph_react_mem.testing import HashedEmbedder, Rule, ScriptedModel

    home.mkdir(parents=True, exist_ok=True)
    runner = web.AppRunner(Upstream().application(), handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    upstream = f"http://127.0.0.1:{runner.addresses[0][1]}"
    os.environ |= {"REACT_MEM_PROXY_URL": f"{upstream}/v1", "REACT_MEM_PROXY_KEY": UPSTREAM_KEY}
    data, model = home / "data", ScriptedModel(rules=(Rule(when="Question: The engine fails", error="unavailable"),))
    async with EmbeddedStack(data, model=model, embeddings=HashedEmbedder(256)) as stack:
        keys = KeyFile(data)
        secrets = make_keys(home, keys)
        async with listen(stack.address, data, HttpSettings(port=0)) as server:
            print(json.dumps({"url": server.url, "upstream": upstream, "keys": secrets}), flush=True)
            await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
