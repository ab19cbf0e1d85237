"""Connects a command to an agent: a deployment (``--bus``), the stack that `react-mem up` runs over this data directory, or an
embedded stack that lives as long as the command."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from ..bus.address import BusAddress
from ..bus.external_client import SERVICE_TIMEOUT_S, MemoryBus
from ..bus.port import Bus
from ..errors import BadRequest
from ..memory.requests import Request
from ..stack_state import is_stack_starting, running_stack
from .options import Options, Session

if TYPE_CHECKING:
    from ..embedded import EmbeddedStack
    from ..memory.trust.owner_seal import Purpose

Response = TypeVar("Response")

START_S = 120.0  # a first start downloads the embedding model
LOOK_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A broker.  ``who``: what it belongs to.  ``lease``: makes connections to it, if the stack is in this process."""

    address: BusAddress
    who: str
    lease: Callable[[], Bus] | None = None


@asynccontextmanager
async def connect(session: Session, *, model: bool = False) -> AsyncIterator[MemoryBus]:
    """A bus client.  ``model``: the command needs a language model.  Otherwise its own stack starts faster, without one."""
    options = session.options
    served = await wait_for_deployment(session)
    # REACT_MEM_MODEL applies to stacks that are started; only an explicit --model is an error
    if served is not None and options.model and options.model != os.environ.get("REACT_MEM_MODEL"):
        raise BadRequest(
            f"--model {options.model} has no effect: {served.who} uses the model it was started with; remove --model"
        )
    async with AsyncExitStack() as opened:
        if served is None:
            own = await opened.enter_async_context(start_stack(session, options.model if model else "none"))
            bus = await opened.enter_async_context(open_bus(own.address, options, own.lease()))
        else:
            bus = await opened.enter_async_context(open_bus(served.address, options))
            if not options.bus:
                lost = f"{served.who} ended: start it with react-mem up"
                bus.find_loss = lambda: "" if running_stack(options.data_dir) else lost
        await bus.check()
        yield bus


async def send(
    session: Session, request: Request[Response], *, model: bool = False, timeout_s: float = SERVICE_TIMEOUT_S
) -> Response:
    """Connect, and send one request.  ``model``: as in ``connect``.  Raises: as ``call``."""
    async with connect(session, model=model) as bus:
        return await call(session, bus, request, timeout_s)


async def call(session: Session, bus: MemoryBus, request: Request[Response], timeout_s: float = SERVICE_TIMEOUT_S) -> Response:
    """The response to a request in the scope of the session.

    Raises: BadRequest (it reads memories, and reading is switched off), and the errors of the operation.
    """
    response: Any = await bus.call(replace(request, **session.scope_fields), timeout_s)
    if request.access == "read" and response.stats.get("read") == "off":
        raise BadRequest("reading memory is switched off: `react-mem switch --read on [--conversation ID]` switches it on")
    return response  # type: ignore[no-any-return]


async def wait_for_deployment(session: Session) -> Served | None:
    """As ``find_deployment``, once a stack that is starting over this data directory serves it, or has ended."""
    options = session.options
    if not options.bus and is_stack_starting(options.data_dir):
        session.screen.note(f"waiting for the stack that is starting over {options.data_dir}")
        with suppress(TimeoutError):
            async with asyncio.timeout(START_S):
                while is_stack_starting(options.data_dir):  # noqa: ASYNC110 - another process starts it
                    await asyncio.sleep(LOOK_S)
    return find_deployment(options)


def find_deployment(options: Options) -> Served | None:
    """A running deployment or stack, or None."""
    if options.bus:
        return Served(address=options.address(options.bus), who=f"the deployment at {options.bus}")
    running = running_stack(options.data_dir)
    if running is None:
        return None
    return Served(address=running.address, who=f"the stack (process {running.pid}) that serves {options.data_dir}")


@asynccontextmanager
async def open_bus(address: BusAddress, options: Options, backend: Bus | None = None) -> AsyncIterator[MemoryBus]:
    """``backend``: as in ``MemoryBus.connect``.  Raises: EngineUnavailable (nothing answers at this address)."""
    async with await MemoryBus.connect(address, options.workspace, options.flow, backend) as bus:
        bus.find_operator_key = _own_operator_key
        yield bus


def _own_operator_key() -> bytes:
    from ..bootstrap import operator_key  # here: few commands need it
    from ..store_settings import StoreSettings

    return operator_key(StoreSettings())


def prove(session: Session, purpose: "Purpose", *texts: str) -> str:
    """A proof for the scope of the session with the master key of the data directory.  "": none is readable here."""
    from ..bootstrap import find_owner_key
    from ..memory.trust.owner_seal import OwnerSeal
    from ..store_settings import StoreSettings

    key = find_owner_key(StoreSettings())
    return OwnerSeal(key).prove(purpose, session.options.scope, *texts, at=datetime.now(UTC)) if key is not None else ""


def start_stack(session: Session, model: str, *, attach: BusAddress | None = None) -> "EmbeddedStack":
    """The embedded stack over the session's data directory.  It is ready once entered.

    Raises: BadRequest (``--bus`` names another deployment, and there is no ``attach``).
    """
    options = session.options
    if options.bus and attach is None:
        raise BadRequest(
            f"--bus {options.bus} (or REACT_MEM_BUS) names a remote deployment, but this command starts its own stack: "
            "remove it, or use `react-mem up --attach ADDRESS` to join a TrustGraph's flows"
        )
    from ..embedded import EmbeddedStack  # here: it takes long to load

    return EmbeddedStack(options.data_dir, model=model, attach=attach, progress=session.screen.progress)
