"""What the handlers of the proxy share: settings, the connection to the endpoint, the kept answers, the state of flows."""

import asyncio
import os
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
from aiohttp import web
from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from ...bus.external_client import MemoryBus
from ...flow_settings import TYPE
from ...memory.requests import GetConversation
from ...memory.timefmt import parse_time
from ...models.endpoint import OPENAI_URL
from ...schema.topics import AGENT
from ...settings import AgentMemSettings, overlay
from ..access import Access
from ..application import ANSWERS, LISTENER
from ..settings import Variables
from .kept import ErasureWatch, KeptResponses

FRESH_S = 5.0  # for which the configuration of a flow is used before it is read again
IDLE = timedelta(hours=24)  # after which the same first words begin another conversation
MOST_CONVERSATIONS = 10_000
CONNECT_TIMEOUT_S = 10.0
FILE = "http-responses.sqlite"  # in the data directory


class ProxySettings(Variables):
    """Where requests are passed through to, and the limits of the interface, from ``REACT_MEM_PROXY_*``."""

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_PROXY_")

    url: str = Field(
        default="",
        pattern=r"^$|^https?://",
        description="Base address of the endpoint for models other than `agent/...`, such as http://127.0.0.1:11434/v1. "
        "Default: OPENAI_BASE_URL; if only OPENAI_API_KEY is set, OpenAI's.",
    )
    key: SecretStr = Field(default=SecretStr(""), description="API key of that endpoint. Default: OPENAI_API_KEY.")
    timeout_s: float = Field(default=600.0, gt=0, description="Seconds without a byte after which the endpoint is given up")
    max_body_mb: int = Field(default=32, ge=1, le=512, description="Maximum size of a request body in MB (images are in it)")
    keep_days: int = Field(
        default=30, ge=0, le=3650, description="Days for which answers of the Responses API are kept. 0: none is kept."
    )
    max_kept_mb: int = Field(
        default=1024, ge=1, description="Maximum size of the kept answers in MB. The oldest are deleted first."
    )
    keep_alive_s: float = Field(default=15.0, gt=0, description="Seconds between keep-alive comments in a silent stream")

    def upstream(self, env: Mapping[str, str] = os.environ) -> tuple[str, str]:
        """Address (without a final slash) and key of the endpoint.  ("", ""): none is configured."""
        if self.url:
            return self.url.rstrip("/"), self.key.get_secret_value()
        key = self.key.get_secret_value() or env.get("OPENAI_API_KEY", "")
        address = env.get("OPENAI_BASE_URL", "") or (OPENAI_URL if env.get("OPENAI_API_KEY") else "")
        return address.rstrip("/"), key if address else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowState:
    """``flows``: those of the workspace that have the agent.  ``settings``: of the flow."""

    settings: AgentMemSettings
    flows: tuple[str, ...]
    read_at: float


@dataclass(slots=True, kw_only=True)
class Proxy:
    """``request.app[PROXY]``."""

    settings: ProxySettings
    session: aiohttp.ClientSession
    kept: KeptResponses
    _flows: dict[tuple[str, str], FlowState] = field(default_factory=dict)
    _conversations: OrderedDict[tuple[str, str], tuple[str, datetime]] = field(default_factory=OrderedDict)

    async def flow_state(self, bus: MemoryBus) -> FlowState:
        """The configuration of a flow, at most ``FRESH_S`` old.  Raises: EngineUnavailable, ConfigurationError."""
        where, now = (bus.workspace, bus.flow), time.monotonic()
        known = self._flows.get(where)
        if known is None or now - known.read_at > FRESH_S:
            stored, agents = await bus.config_get(TYPE), await bus.config_get(f"processor:{AGENT}")
            flow = stored.get(bus.flow) if bus.flow != "default" else None
            settings = overlay(stored.get("default"), flow)
            known = self._flows[where] = FlowState(settings=settings, flows=tuple(sorted(agents)), read_at=now)
        return known

    async def continue_conversation(self, access: Access, base: str) -> str:
        """The conversation that a derived id stands for now: another one after ``IDLE`` without a request."""
        now, place = datetime.now(UTC), (access.scope.key, base)
        name, last = self._conversations.pop(place, ("", now))
        if not name:
            found = (await access.call(GetConversation(conversation_id=base, limit=1))).conversation
            name, last = base, parse_time(found.metadata.get("last_at")) or now if found else now
        if now - last > IDLE:
            name = f"{base}-{now:%Y%m%d%H}"
        self._conversations[place] = (name, now)
        if len(self._conversations) > MOST_CONVERSATIONS:
            self._conversations.popitem(last=False)
        return name


PROXY: web.AppKey[Proxy] = web.AppKey("proxy", Proxy)


def proxy_context(home: Path) -> Callable[[web.Application], AsyncIterator[None]]:
    """What the application opens for the proxy, for ``make_application``.  ``home``: the data directory."""
    settings = ProxySettings.load()

    async def context(app: web.Application) -> AsyncIterator[None]:
        timeout = aiohttp.ClientTimeout(total=None, connect=CONNECT_TIMEOUT_S, sock_read=settings.timeout_s)
        connector = aiohttp.TCPConnector(limit=0)
        kept = KeptResponses(home / FILE, days=settings.keep_days, most_mb=settings.max_kept_mb)
        jar = aiohttp.DummyCookieJar()  # a cookie that answers one user must not come with the request of another
        async with aiohttp.ClientSession(timeout=timeout, connector=connector, cookie_jar=jar) as session:
            app[PROXY] = Proxy(settings=settings, session=session, kept=kept)
            watch = ErasureWatch(app[LISTENER].buses, kept, app[ANSWERS].forget)
            watching = asyncio.create_task(watch.run(), name="erasure of kept answers")
            try:
                yield
            finally:
                watching.cancel()
                await asyncio.wait({watching})

    return context
