"""A real stack with a real listener, and callers with keys, whose answers are compared with the OpenAPI document."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from jsonschema import Draft202012Validator

from tests.integration.conftest import plain_stack
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.http.keys import KeyFile
from trustgraph_react_mem.http.native import ROUTES
from trustgraph_react_mem.http.native.openapi import document
from trustgraph_react_mem.http.server import HttpServer, listen
from trustgraph_react_mem.http.settings import HttpSettings
from trustgraph_react_mem.testing.scripted_model import ScriptedModel


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Any
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass
class Caller:
    """Sends requests with one key.  Each answer is compared with the OpenAPI document."""

    url: str
    key: str
    session: aiohttp.ClientSession
    headers: dict[str, str] = field(default_factory=dict)

    async def __call__(self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str) -> Answer:
        sent = {**({"Authorization": f"Bearer {self.key}"} if self.key else {}), **self.headers}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        content = raw if raw is not None else None if body is None else json.dumps(body).encode()
        async with self.session.request(method, self.url + path, data=content, headers=sent) as response:
            answer = Answer(response.status, response.headers, await response.text())
        check(method, path, answer.status, answer.headers.get("Content-Type", ""), answer.text)
        return answer

    async def add(self, text: str, **fields: Any) -> str:
        """Store a memory.  Returns its id."""
        answer = await self("POST", "/v1/memories", {"text": text, "infer": False, **fields})
        assert answer.status == 200, answer.text
        return str(answer.json["results"][0]["id"])

    async def ids(self, path: str = "/v1/memories") -> list[str]:
        answer = await self("GET", path)
        assert answer.status == 200, answer.text
        return [each["id"] for each in answer.json["results"]]


@dataclass
class Served:
    home: Path
    stack: EmbeddedStack
    server: HttpServer
    session: aiohttp.ClientSession

    @property
    def keys(self) -> KeyFile:
        return KeyFile(self.home / "data")

    def caller(self, key: str = "", **headers: str) -> Caller:
        return Caller(self.server.url, key, self.session, headers)

    def user(self, name: str, **options: Any) -> Caller:
        return self.caller(self.keys.create("user", user=name, **options)[1])

    def service(self, **options: Any) -> Caller:
        return self.caller(self.keys.create("service", **options)[1])

    def admin(self) -> Caller:
        return self.caller(self.keys.create("admin")[1])


@asynccontextmanager
async def serve(home: Path, model: ScriptedModel | None = None, **settings: Any) -> AsyncIterator[Served]:
    with environment(home):
        chosen = HttpSettings(port=0, **settings)
        async with (
            plain_stack(home, model or "none") as stack,
            listen(stack.address, stack.home, chosen, lease=stack.lease) as server,
            aiohttp.ClientSession() as session,
        ):
            yield Served(home, stack, server, session)


@contextmanager
def environment(home: Path) -> Iterator[None]:
    """The listener finds the master key of the stack where its settings say."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REACT_MEM_KEYS", str(home / "keys"))
        yield


DOCUMENT: dict[str, Any] = json.loads(json.dumps(document(ROUTES)))
PATTERNS = [(re.compile(re.sub(r"{\w+}", "[^/]+", path)), path) for path in DOCUMENT["paths"]]


def find_operation(method: str, path: str) -> dict[str, Any] | None:
    """The description of a route; None for a path that is none."""
    plain = path.partition("?")[0]
    if plain.startswith("/v1/memories") and plain.endswith("/"):
        return None  # mem0's clients ask, and get its shapes
    plain = plain.rstrip("/")
    found = [name for pattern, name in PATTERNS if pattern.fullmatch(plain)]
    best = min(found, key=lambda name: name.count("{"), default=None)
    described: dict[str, Any] | None = DOCUMENT["paths"][best].get(method.lower()) if best else None
    return described


def check(method: str, path: str, status: int, content_type: str, text: str) -> None:
    """Fails unless the status is described, and the body as its schema says."""
    operation = find_operation(method, path)
    if operation is None:
        return
    described = operation["responses"]
    assert str(status) in described, f"{method} {path} answered {status}, which is not in the document: {text[:300]}"
    [(kind, content)] = described[str(status)]["content"].items()
    assert content_type.partition(";")[0] == kind, f"{method} {path} answered {content_type}, not {kind}"
    if kind.endswith(("/json", "+json")):
        schema = {**content["schema"], "components": DOCUMENT["components"]}
        errors = [error.message for error in Draft202012Validator(schema).iter_errors(json.loads(text))]
        assert errors == [], f"{method} {path}: {errors[:3]}"
