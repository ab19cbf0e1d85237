"""The agent manager with memory: ``processor`` is the process, the other modules are its parts."""

from .processor import Processor, default_ident, run

__all__ = ["Processor", "default_ident", "run"]
