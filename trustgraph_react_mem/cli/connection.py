"""The way to the agent and its memory: processors that run elsewhere (``--bus``), the stack that `react-mem up` runs over this
data directory, or an own one while a command lasts."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ..bus.address import BusAddress
from ..bus.external_client import MemoryBus
from ..embedded import EmbeddedStack, running_stack
from ..errors import BadRequest
from .options import Options, Session


@asynccontextmanager
async def connected(session: Session, *, model: bool = False) -> AsyncIterator[MemoryBus]:
    """A bus client.  ``model``: the command needs a language model; without, an own stack starts with none, and sooner."""
    options = session.options
    served = serving(options)
    if served is not None:
        address, who = served
        # a variable speaks of stacks that are started; only what this call asks for is refused
        if options.model and options.model != os.environ.get("REACT_MEM_MODEL"):
            raise BadRequest(
                f"--model {options.model} has no effect: {who} answers, with the model it was started with; leave --model out"
            )
        async with talking(address, options) as bus:
            await bus.check()
            yield bus
        return
    async with (
        stack(session, options.model if model else "none") as own,
        talking(BusAddress(url=own.pulsar_url), options) as bus,
    ):
        await bus.check()
        yield bus


def serving(options: Options) -> tuple[BusAddress, str] | None:
    """Who answers already, and in words; None: nobody."""
    if options.bus:
        return options.address(options.bus), f"the deployment at {options.bus}"
    running = running_stack(options.data_dir)
    if running is None:
        return None
    return options.address(running.pulsar_url), f"the stack (process {running.pid}) that serves {options.data_dir}"


@asynccontextmanager
async def talking(address: BusAddress, options: Options) -> AsyncIterator[MemoryBus]:
    """Raises: EngineUnavailable (no broker there)."""
    async with await MemoryBus.connect(address, workspace=options.workspace, flow=options.flow) as bus:
        yield bus


def stack(session: Session, model: str, *, attach: BusAddress | None = None) -> EmbeddedStack:
    """The embedded stack over the session's data directory; ready to answer once entered.

    Raises: BadRequest (``--bus`` names another place).
    """
    options = session.options
    if options.bus:
        raise BadRequest(
            f"--bus {options.bus} (or REACT_MEM_BUS) names processors that run elsewhere, and this command starts its own: "
            "leave it out; `react-mem up --attach ADDRESS` joins a TrustGraph's flows"
        )
    return EmbeddedStack(options.data_dir, model=model, attach=attach, progress=session.screen.note)
