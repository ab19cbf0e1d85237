"""TrustGraph's identity code behind a `react-mem serve` of its own process: its API keys and tokens on the interfaces."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.e2e.command import COMMAND
from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.http.keys import KeyFile
from trustgraph_react_mem.processors import embedded_config, prompt, text_completion
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing import HashedEmbedder, ScriptedModel

from .stand_ins import Iam
from .test_iam import People

pytestmark = [pytest.mark.stock, pytest.mark.asyncio]


@asynccontextmanager
async def serving(home: Path, bus: str) -> AsyncIterator[str]:
    """``react-mem serve`` over a broker.  Gives its address."""
    set_here = {"REACT_MEM_HOME": str(home), "REACT_MEM_HTTP_TRUSTGRAPH_IAM": "true", "REACT_MEM_HTTP_PORT": "0"}
    environment = {**{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}, **set_here}
    process = await asyncio.create_subprocess_exec(
        str(COMMAND), "serve", "--json", "--bus", bus, stdout=asyncio.subprocess.PIPE, env=environment
    )
    try:
        assert process.stdout is not None
        line = await process.stdout.readline()
        assert line, "serve ended before it was ready"
        yield json.loads(line)["http"]
    finally:
        process.terminate()
        await process.wait()


async def test_keys_and_tokens_of_trustgraph_open_memories_of_their_users(tmp_path: Path) -> None:
    shared = {"pulsar_host": "", "pubsub_backend": "pulsar", "taskgroup": None}
    async with PulsarLite(tmp_path / "bus") as broker, AsyncExitStack() as ending:
        shared["pulsar_host"] = broker.url
        path = str(tmp_path / "config.json")
        services: list[Any] = [
            embedded_config.Processor(**shared, id="config-svc", path=path, seed=True),
            prompt.Processor(**shared, id="prompt"),
            text_completion.Processor(**shared, id="text-completion", chat_model=ScriptedModel()),
        ]
        for service in services:
            await service.start()
            ending.push_async_callback(service.stop)
        settings = StoreSettings(keys=tmp_path / "keys")
        stack = await ending.enter_async_context(
            EmbeddedStack(tmp_path / "data", attach=BusAddress(url=broker.url), embeddings=HashedEmbedder(), settings=settings)
        )
        iam = Iam(id="iam-svc", concurrency=8, config_timeout=1, taskgroup=None, pulsar_host=broker.url)
        await iam.start()
        people = People(iam, stack.address, None)
        ann, bob = await people.add("ann", "writer"), await people.add("bob", "writer")
        key, key_id = await people.key(ann)
        token = (await people.ask("login", username="ann", password="p")).jwt
        other, _ = await people.key(bob)
        own = KeyFile(tmp_path / "home").create("user", user="cleo")[1]
        async with serving(tmp_path / "home", stack.address.url) as url, aiohttp.ClientSession(url) as session:

            async def call(credential: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
                sent = {"Authorization": f"Bearer {credential}"} | {k.replace("_", "-"): v for k, v in headers.items()}
                method = "GET" if body is None else "POST"
                async with session.request(method, path, json=body, headers=sent) as answer:
                    return answer.status, await answer.json(content_type=None)

            said = {"text": "Ann keeps bees in Bergen", "infer": False}
            assert (await call(key, "/v1/memories", said))[0] == 200
            question = {"query": "Who keeps bees?"}
            for credential, found in ((key, 1), (token, 1), (other, 0), (own, 0)):
                status, answer = await call(credential, "/v1/memories/search", question)
                assert (status, len(answer["results"])) == (200, found)
            assert (await call(token, "/v1/memories"))[1]["results"][0]["user_id"] == ann
            asked = {"model": "agent/default", "messages": [{"role": "user", "content": "Where are my bees?"}]}
            status, answer = await call(token, "/v1/chat/completions", asked)
            assert (status, "Bergen" in answer["choices"][0]["message"]["content"]) == (200, True)
            for credential in (key[:-1] + "x", "tg_nonsense", token[:-4] + "AAAA", "a.b.c"):
                assert (await call(credential, "/v1/memories"))[0] == 401
            assert (await call(key, f"/v1/memories?user_id={bob}"))[0] == 403
            assert (await call(key, "/v1/memories", X_Memory_User=bob))[0] == 403
            assert (await call(key, "/v1/memories", X_Memory_Workspace="other"))[0] == 403
            assert (await call(own, "/v1/memories", X_Memory_Workspace="other"))[0] == 403
            await people.ask("disable-user", user_id=bob)
            await people.ask("revoke-api-key", key_id=key_id)
            status, _ = await call(token, "/v1/memories/search", question)
            assert status == 200  # another credential of ann goes on
        async with serving(tmp_path / "home", stack.address.url) as url, aiohttp.ClientSession(url) as session:
            for credential in (key, other):  # without the minute for which answers of the service are used
                async with session.get("/v1/memories", headers={"X-API-Key": credential}) as refused:
                    assert refused.status in (401, 403), await refused.text()
        await iam.stop()
