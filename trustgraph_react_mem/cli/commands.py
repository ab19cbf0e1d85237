"""All commands.  Importing a module registers its commands on ``app``."""

from . import ask as asking
from . import demo, install, jobs, learn, memories, settings, transfer
from . import up as running
from . import why as learning
from .application import app

__all__ = ["app", "asking", "demo", "install", "jobs", "learn", "learning", "memories", "running", "settings", "transfer"]
