"""The wire format: dataclasses of messages on the bus, and the names of their topics.  No logic.

Invariants:
- The type of a field is one of ``str int float bool``, ``D | None``, ``list[D]``, ``list[float]``, ``list[str]`` and
  ``dict[str, str]``, where ``D`` is a wire dataclass.  trustgraph-base decodes other types wrongly (``list[D] | None`` and
  ``dict[str, D]`` become plain dicts).
- Times are ISO 8601 strings in UTC.
- Every field has a default, so that messages of an older schema decode.
"""

from dataclasses import is_dataclass

from .agent import *
from .jobs import *
from .memory import *
from .services import *

# Importing this folder from the root of the repository would create a second copy of each class.
if __name__ != "trustgraph_react_mem.schema":
    raise ImportError("this folder belongs to a package: import trustgraph_react_mem.schema", name=__name__)

__all__ = sorted(name for name, each in globals().items() if is_dataclass(each) and each.__module__.startswith(__name__))
