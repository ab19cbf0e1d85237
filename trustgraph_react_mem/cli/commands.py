"""All commands, put together: each of the imported modules registers its own."""

from . import asking, demo, install, jobs, learn, learning, memories, running, settings, transfer
from .application import app

__all__ = ["app", "asking", "demo", "install", "jobs", "learn", "learning", "memories", "running", "settings", "transfer"]
