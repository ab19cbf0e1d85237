"""All commands, put together: each of the imported modules registers its own."""

from . import ask as asking
from . import demo, install, jobs, learn, memories, settings, transfer
from . import up as running
from . import why as learning
from .application import app

__all__ = ["app", "asking", "demo", "install", "jobs", "learn", "learning", "memories", "running", "settings", "transfer"]
