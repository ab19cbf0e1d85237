"""The command line, ``react-mem``.  Every command talks to a stack over the bus: a running one, or one it starts."""

import contextlib
import errno
import gc
import io
import os
import sys

from trustgraph_react_mem.allocator import limit_arenas


def main() -> None:
    """Entry point.  Exits with ``os._exit``: the bus client's C++ threads may abort a normal interpreter exit."""
    code: object = 0
    prepare_streams()
    limit_arenas()
    try:
        gc.disable()  # modules stay: collecting while they load takes a tenth of a second and frees nothing
        # imported late: it takes a second, and Ctrl-C during it must not print a traceback
        if _serves_mcp(sys.argv[1:]):  # hosts start it at each session, so it must not wait for the other commands
            from . import mcp  # noqa: F401  # adds its commands to the application
            from .application import app
        else:
            from .commands import app

        gc.enable()
        app()
    except KeyboardInterrupt:
        code = 130
    except SystemExit as leaving:
        code = leaving.code
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        code = 3  # a full disk behind standard output
        with contextlib.suppress(OSError):
            print(f"error: the output cannot be written ({error.strerror})", file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code if isinstance(code, int) else 1 if code else 0)


def prepare_streams() -> None:
    """Make the standard streams usable whatever the caller did to them.

    A closed one would be replaced by the next file that is opened.  A character that an encoding does not have is escaped.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - until the process ends
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _serves_mcp(arguments: list[str]) -> bool:
    """Whether ``react-mem mcp`` is called without another sub-command."""
    rest = arguments[1:]
    serves = not rest or rest[0] == "serve" or (rest[0].startswith("-") and "--help" not in rest)
    return arguments[:1] == ["mcp"] and serves
