"""The handlers of background jobs.  Importing this module registers all of them."""

import importlib
import pkgutil
from collections.abc import Mapping

from .. import erasure, migration
from ..jobs.delivery import Handler, JobOutcome
from ..jobs.payload import read_text
from ..jobs.registry import job_types, partition_key
from ..memory.ports import Job, JobKind
from . import handlers
from .context import HandlerContext

# The registry is complete only after this module was imported, so other packages import these two names from here.
__all__ = ["build_handlers", "job_types", "partition_key"]

# A handler registers itself (``jobs.registry.job_handler``), so a new one needs no entry here.
for package in (handlers, erasure, migration):
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)


def build_handlers(context: HandlerContext) -> Mapping[JobKind, Handler]:
    """Create one handler for each registered kind."""
    made = {each: each.create(context) for each in job_types() if each.create is not None}
    return {each.kind: _skip_if_off(handler, context) if each.obeys_switch else handler for each, handler in made.items()}


def _skip_if_off(handler: Handler, context: HandlerContext) -> Handler:
    async def run(job: Job) -> JobOutcome:
        conversation_id = read_text(job, "conversation_id", needed=True)
        if not (await context.core.graph.switches.get(job.scope, conversation_id)).write:
            return JobOutcome(counts={"switched_off": 1})
        return await handler(job)

    return run
