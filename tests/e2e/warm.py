"""Runs ``react-mem``, or another program, in processes that have its modules loaded already: each is forked from one that has
imported them.

A command takes two seconds of computing to start, nearly all of it for imports.  A forked one is a process like any other:
with its own arguments, environment, standard streams and exit code.
"""

import atexit
import importlib
import json
import os
import pkgutil
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

COMMANDS = "trustgraph_react_mem.cli"
BACKLOG = 64
STREAMS = ("stdin", "stdout", "stderr")


class WarmCommand:
    """The process that forks.  It ends with this one.  ``program``: a module whose ``main`` is run; "" = ``react-mem``."""

    def __init__(self, program: str = "") -> None:
        self._socket = Path(tempfile.mkdtemp(prefix="react-mem-warm-")) / "socket"
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(self._socket), program],
            stdin=subprocess.PIPE,  # its end tells the process that this one is gone
            stdout=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        atexit.register(self.close)
        assert self._process.stdout is not None
        assert self._process.stdout.readline(), "the commands could not be imported"

    def close(self) -> None:
        """Then the processor time of ended commands counts as that of children of this process."""
        if self._process.poll() is None:
            self._process.communicate()
        shutil.rmtree(self._socket.parent, ignore_errors=True)

    def run(
        self, arguments: Sequence[str], *, environment: Mapping[str, str], text: str | None, timeout_s: float
    ) -> "subprocess.CompletedProcess[str]":
        """As ``subprocess.run`` does.  Raises: TimeoutError."""
        with tempfile.TemporaryDirectory(prefix="react-mem-warm-") as folder:
            files = {name: Path(folder) / name for name in STREAMS}
            files["stdin"].write_text(text or "", encoding="utf-8")
            code = self.start(arguments, environment=environment, streams=files).wait(timeout_s)
            out, err = (files[name].read_text(encoding="utf-8") for name in STREAMS[1:])
            return subprocess.CompletedProcess(list(arguments), code, out, err)

    def start(self, arguments: Sequence[str], *, environment: Mapping[str, str], streams: Mapping[str, Path]) -> "WarmProcess":
        """The command with files as its standard streams; what it writes is appended.  It leads a process group of its own."""
        request = {
            "arguments": list(arguments),
            "environment": dict(environment),
            "folder": str(Path.cwd()),
            "streams": [str(streams[name]) for name in STREAMS],
        }
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(self._socket))
        connection.sendall(json.dumps(request).encode() + b"\n")
        return WarmProcess(connection)


class WarmProcess:
    """A command that was started.  As ``subprocess.Popen``."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._replies = connection.makefile("rb", buffering=0)  # what is read ahead would be hidden from select
        self._code: int | None = None
        self.pid = self._reply()

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        with suppress(TimeoutError):
            return self.wait(0)
        return None

    def wait(self, timeout_s: float) -> int:
        """The exit code.  Raises: TimeoutError."""
        if self._code is None:
            if not select.select([self._connection], [], [], timeout_s)[0]:
                raise TimeoutError(f"process {self.pid} did not end within {timeout_s:g} s")
            self._code = self._reply()
            self._connection.close()
        return self._code

    def _reply(self) -> int:
        reply = self._replies.readline()
        assert reply, "the process of the command ended without an exit code"
        return int(reply)


@cache
def warm_command(program: str = "") -> WarmCommand:
    return WarmCommand(program)


def serve(path: str, program: str) -> None:
    main = importlib.import_module(program or COMMANDS).main
    if not program:
        package = importlib.import_module(COMMANDS)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(BACKLOG)
        print("ready", flush=True)
        while listener in select.select([listener, sys.stdin], [], [])[0]:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _handle(connection, main)
            connection.close()
            _reap()
    _reap()


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _handle(connection: socket.socket, main: Callable[[], None]) -> None:
    """Run one command in a child of this process, report its exit code, and end."""
    with connection:
        request = json.loads(connection.makefile("rb").readline())
        child = os.fork()
        if child == 0:
            connection.close()
            _become(request, main)
        connection.sendall(f"{child}\n".encode())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(BrokenPipeError):
            connection.sendall(f"{code}\n".encode())
    os._exit(0)


def _become(request: dict[str, Any], main: Callable[[], None]) -> None:
    """Run the command in this process, which ends with it."""
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        for number, path in enumerate(request["streams"]):
            descriptor = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(descriptor, number)
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        sys.argv = ["react-mem", *request["arguments"]]
        main()
        sys.stdout.flush()
        os._exit(0)
    finally:  # only after an error: ``main`` of the commands ends the process
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        os._exit(70)


if __name__ == "__main__":
    serve(*sys.argv[1:])
