"""The command line, ``react-mem``: every command talks to a stack over the bus, a running one or its own."""

import os
import sys


def main() -> None:
    """Entry point.  Leaves by ``os._exit``: the bus client's C++ threads may abort an ordinary interpreter exit."""
    from .commands import app  # here, so that the package's pure parts can be used without the engines

    code: object = 0
    try:
        app()
    except SystemExit as leaving:
        code = leaving.code
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1 if code else 0)
