"""The interface of mem0: the paths of its platform.

A mem0 project is a collection here, a run is a conversation, and the user is the one of the key.  docs/http-peers.md has the
whole table.  Source: mem0ai 2.2.1 (Python) and mem0ai 3.3.1 (TypeScript).
"""

from .platform import routes

__all__ = ["routes"]
