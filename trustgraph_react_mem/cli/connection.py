"""The way to a stack: the one that `react-mem up` runs over this data directory, or an own one while a command lasts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ..bus.client import MemoryBus
from ..embedded import EmbeddedStack, running_stack
from ..errors import BadRequest
from .options import Session


@asynccontextmanager
async def connected(session: Session, *, model: bool = False) -> AsyncIterator[MemoryBus]:
    """A bus client.  ``model``: the command needs a language model; without, an own stack starts with none, and sooner."""
    options = session.options
    running = running_stack(options.data_dir)
    if running is not None:
        if options.model:
            raise BadRequest(
                f"--model {options.model} has no effect: a stack (process {running.pid}) already serves {options.data_dir}; "
                "stop it and start `react-mem up --model ...`, or leave --model out"
            )
        async with await MemoryBus.connect(running.pulsar_url, workspace=options.workspace, flow=options.flow) as bus:
            yield bus
        return
    wanted = options.model if model else "none"
    async with (
        stack(session, wanted) as own,
        await MemoryBus.connect(own.pulsar_url, workspace=options.workspace, flow=options.flow) as bus,
    ):
        yield bus


def stack(session: Session, model: str, *, attach: str = "") -> EmbeddedStack:
    """The embedded stack over the session's data directory; ready to answer once entered."""
    return EmbeddedStack(session.options.data_dir, model=model, attach=attach, progress=session.screen.note)
