"""The handlers of background jobs.  Importing this module registers all of them."""

import importlib
import pkgutil
from collections.abc import Mapping

from .. import erasure, migration
from ..jobs.delivery import Handler
from ..jobs.registry import job_types, partition_key
from ..memory.ports import JobKind
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
    return {each.kind: each.create(context) for each in job_types() if each.create is not None}
