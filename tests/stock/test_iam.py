"""TrustGraph's API keys and tokens at our listener: as TrustGraph's own gateway judges them, and no longer than it does."""

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from trustgraph.schema import ApiKeyInput, IamRequest, UserInput

from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.errors import EngineUnavailable, NotPermitted
from trustgraph_react_mem.http.access import Buses
from trustgraph_react_mem.http.principal import Principal
from trustgraph_react_mem.http.trustgraph import iam as module
from trustgraph_react_mem.http.trustgraph.iam import TrustGraphIam

from .stand_ins import Iam

pytestmark = [pytest.mark.stock, pytest.mark.asyncio(loop_scope="module")]


class People:
    """The identity service, our resolver, and TrustGraph's own."""

    def __init__(self, iam: Iam, address: BusAddress, theirs: Any) -> None:
        self.iam = iam
        self.address = address
        self.theirs = theirs
        self.later = 0.0  # seconds that passed for our resolver alone
        self.buses = Buses(address)
        self.ours = TrustGraphIam(
            lambda: self.buses.open("default"),
            now=lambda: time.time() + self.later,
            elapsed=lambda: time.monotonic() + self.later,
        )

    async def ask(self, operation: str, **fields: Any) -> Any:
        answer = await self.iam.service.handle(IamRequest(operation=operation, **fields))
        assert answer.error is None, answer.error
        return answer

    async def add(self, name: str, *roles: str, workspace: str = "default") -> str:
        """The handle of a new user."""
        user = UserInput(username=name, password="p", roles=[*roles])
        return str((await self.ask("create-user", workspace=workspace, user=user)).user.id)

    async def key(self, handle: str, expires: str = "") -> tuple[str, str]:
        """A new API key and its id."""
        made = await self.ask("create-api-key", key=ApiKeyInput(user_id=handle, name="k", expires=expires))
        return made.api_key_plaintext, made.api_key.id

    async def judged(self, credential: str) -> tuple[str, str] | None:
        """The handle and workspace in TrustGraph's gateway, None if it refuses."""
        from aiohttp import web

        request: Any = type("Request", (), {"headers": {"Authorization": f"Bearer {credential}"}})()
        try:
            identity = await self.theirs.authenticate(request)
        except web.HTTPUnauthorized:
            return None
        return identity.handle, identity.default_workspace

    def minutes_pass(self) -> None:
        self.later += module.CACHE_S + 1
        self.theirs._key_cache.clear()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def people(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[People]:
    from trustgraph.base.pubsub import get_async_pubsub
    from trustgraph.gateway.auth import IamAuth

    folder: Path = tmp_path_factory.mktemp("iam")
    broker = PulsarLite(folder / "bus")
    await broker.start()
    shared = {"pulsar_host": broker.url, "pubsub_backend": "pulsar"}
    iam = Iam(id="iam-svc", concurrency=8, config_timeout=1, taskgroup=None, **shared)
    await iam.start()
    backend = get_async_pubsub(**shared)
    people = People(iam, BusAddress(url=broker.url), IamAuth(backend=backend))
    yield people
    await people.buses.close()
    await iam.stop()
    await backend.close()
    await broker.stop()


async def test_keys_and_tokens_are_judged_as_trustgraphs_gateway_does(people: People) -> None:
    handle = await people.add("ann", "reader")
    key, _ = await people.key(handle)
    expired, _ = await people.key(handle, expires="2020-01-01T00:00:00+00:00")
    token = (await people.ask("login", username="ann", password="p")).jwt
    head, body, signature = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    none = base64.urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=").decode()
    other = base64.urlsafe_b64encode(json.dumps({**claims, "sub": "root"}).encode()).rstrip(b"=").decode()
    good = [key, token]
    bad = [
        *(expired, key[:-1], "tg_", "tg_nonsense", "nonsense", "a.b.c", "..", "\u00fc.b.c"),
        *(
            f"{none}.{body}.",
            f"{none}.{body}.{signature}",
            f"{head}.{other}.{signature}",
            f"{head}.{body}.{signature[:-4]}AAAA",
        ),
    ]
    for credential in good:
        ours = await people.ours.resolve(credential)
        assert ours == Principal(key_id=f"iam:{handle}", kind="user", user=handle)
        assert await people.judged(credential) == (handle, "default")
    for credential in bad:
        assert await people.ours.resolve(credential) is None, credential
        assert await people.judged(credential) is None, credential


async def test_a_revoked_key_and_a_disabled_user_are_out_within_a_minute(people: People) -> None:
    handle = await people.add("bob", "writer")
    key, key_id = await people.key(handle)
    other, _ = await people.key(handle)
    token = (await people.ask("login", username="bob", password="p")).jwt
    for credential in (key, other, token):
        assert await people.ours.resolve(credential) is not None
    await people.ask("revoke-api-key", key_id=key_id)
    people.minutes_pass()
    assert await people.ours.resolve(key) is None
    assert await people.ours.resolve(other) is not None
    await people.ask("disable-user", user_id=handle)
    people.minutes_pass()
    assert await people.ours.resolve(other) is None
    with pytest.raises(NotPermitted):
        await people.ours.resolve(token)


async def test_the_workspace_must_be_permitted(people: People) -> None:
    reader, admin = await people.add("cy", "reader"), await people.add("di", "admin")
    for handle, allowed in ((reader, False), (admin, True)):
        principal = await people.ours.resolve((await people.key(handle))[0])
        assert principal is not None
        if allowed:
            there = await people.ours.enter_workspace(principal, "other")
            assert (there.workspace, there.user, there.key_id) == ("other", handle, f"iam:{handle}")
        else:
            with pytest.raises(NotPermitted):
                await people.ours.enter_workspace(principal, "other")
    with pytest.raises(NotPermitted):
        await people.ours.enter_workspace(Principal(key_id="k", kind="user", user="ann"), "other")


async def test_without_the_service_nobody_gets_in(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TIMEOUT_S", 0.2)
    handle = await people.add("hal", "reader")
    key, _ = await people.key(handle)
    released = asyncio.Event()

    async def silent(request: Any) -> Any:
        await released.wait()

    monkeypatch.setattr(people.iam, "answer", silent)
    with pytest.raises(EngineUnavailable):
        await people.ours.resolve(key)
    released.set()
