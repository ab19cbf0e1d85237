"""The command line, ``react-mem``.  Every command talks to a stack over the bus: a running one, or one it starts."""

import os
import sys

from trustgraph_react_mem.allocator import limit_arenas


def main() -> None:
    """Entry point.  Exits with ``os._exit``: the bus client's C++ threads may abort a normal interpreter exit."""
    code: object = 0
    limit_arenas()
    try:
        # imported late: it takes a second, and Ctrl-C during it must not print a traceback
        if _serves_mcp(sys.argv[1:]):  # hosts start it at each session, so it must not wait for the other commands
            from .application import app
            from .edges import mcp  # noqa: F401  # adds its commands to the application
        else:
            from .commands import app

        app()
    except KeyboardInterrupt:
        code = 130
    except SystemExit as leaving:
        code = leaving.code
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1 if code else 0)


def _serves_mcp(arguments: list[str]) -> bool:
    """Whether ``react-mem mcp`` is called without another sub-command."""
    rest = arguments[1:]
    serves = not rest or rest[0] == "serve" or (rest[0].startswith("-") and "--help" not in rest)
    return arguments[:1] == ["mcp"] and serves
