"""The agent manager with memory: one process, its parts beside it."""

from .processor import Processor, default_ident, run

__all__ = ["Processor", "default_ident", "run"]
