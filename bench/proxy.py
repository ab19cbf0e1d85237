"""Chat completions passed through the listener, beside the same call passed through a server that only relays it.

What either adds is the difference to a call to the endpoint itself, a stand-in that answers at once.  Listener, stack, relay
and endpoint share one process, the client has its own.
"""

import json
import shutil
import time
from collections.abc import Set
from pathlib import Path

import aiohttp

from tests.doubles.upstream import RELAY
from tests.servers.proxy import running_proxy

from .row import Row, percentile

(PASSED,) = NAMES = ("proxy_overhead_p50",)
HOME = Path("build/bench/proxy")
WARM_UP, CALLS = 50, 400
BODY = {"model": "echo-1", "messages": [{"role": "user", "content": "How many legs has a spider?"}]}


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    if PASSED not in names:
        return []
    shutil.rmtree(HOME, ignore_errors=True)
    with running_proxy(HOME.resolve()) as stack:
        headers = {"Authorization": f"Bearer {stack.take()[1]}", "X-Memory": "off"}
        async with aiohttp.ClientSession(headers=headers) as session:
            urls = stack.upstream, f"{stack.upstream}{RELAY}", stack.url
            took = list[list[float]]([[], [], []])
            for number in range(WARM_UP + CALLS):  # in turn, so that all see the same machine
                for url, times in zip(urls, took, strict=True):
                    one = await _call(session, f"{url}/v1/chat/completions")
                    if number >= WARM_UP:
                        times.append(one)
    direct, relayed, passed = (percentile(times, 50) for times in took)
    note = (
        f"what passing a call through adds to its {direct:.2f} ms, without recall; baseline: what a bare aiohttp server and "
        "client add"
    )
    return [Row(PASSED, passed - direct, "ms", note, relayed - direct)]


async def _call(session: aiohttp.ClientSession, url: str) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    async with session.post(url, data=json.dumps(BODY), headers={"Content-Type": "application/json"}) as answer:
        if answer.status != 200:
            raise RuntimeError(f"the call was answered with {answer.status}: {(await answer.text())[:200]}")
        await answer.read()
    return 1000 * (time.perf_counter() - began)
