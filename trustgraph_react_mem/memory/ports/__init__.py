"""Interfaces to engines, models, clock and bus.  The implementations are in ``stores`` and ``bus``.

Every method that touches records takes a Scope and sees only that scope.  Every method can raise ``EngineUnavailable``;
the docstrings do not repeat it.  Each port has one conformance suite in ``tests/integration``, which runs against all
implementations.
"""

from .base import *
from .graph import *
from .jobs import *
from .scopes import *
from .vectors import *
