"""Chat completions passed through the listener, beside the same call to the endpoint itself.

The endpoint is a stand-in that answers at once.  Listener, stack and endpoint share one process, the client has its own.
"""

import json
import shutil
import time
from collections.abc import Set
from pathlib import Path

import aiohttp

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
            direct, passed = list[float](), list[float]()
            for number in range(WARM_UP + CALLS):  # in turn, so that both see the same machine
                for times, url in ((direct, f"{stack.upstream}/v1"), (passed, f"{stack.url}/v1")):
                    took = await _call(session, f"{url}/chat/completions")
                    if number >= WARM_UP:
                        times.append(took)
    middle = percentile(passed, 50), percentile(direct, 50)
    note = f"what passing a call through adds, without recall; the call itself: {middle[0]:.2f} ms; baseline: it, direct"
    return [Row(PASSED, middle[0] - middle[1], "ms", note, middle[1])]


async def _call(session: aiohttp.ClientSession, url: str) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    async with session.post(url, data=json.dumps(BODY), headers={"Content-Type": "application/json"}) as answer:
        if answer.status != 200:
            raise RuntimeError(f"the call was answered with {answer.status}: {(await answer.text())[:200]}")
        await answer.read()
    return 1000 * (time.perf_counter() - began)
