"""Runs ``react-mem`` in processes that have its modules loaded already: they are forked from a server that has imported them.

A command takes two seconds of computing to start, nearly all of it for imports.  A forked one is a process like any other:
with its own arguments, environment, standard streams and exit code.
"""

import multiprocessing
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from unittest.mock import patch

from trustgraph_react_mem import cli

STREAMS = ("stdin", "stdout", "stderr")


@cache
def _server() -> ForkServerContext:
    """It ends with this process."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *(each.name for each in pkgutil.walk_packages(cli.__path__, f"{cli.__name__}."))])
    with patch.dict(os.environ, OPENBLAS_NUM_THREADS="1"):
        forkserver.ensure_running()
    return context


def run(
    arguments: Sequence[str], *, environment: Mapping[str, str], text: str | None, timeout_s: float
) -> "subprocess.CompletedProcess[str]":
    """As ``subprocess.run`` does.  Raises: TimeoutError."""
    with tempfile.TemporaryDirectory(prefix="react-mem-warm-") as folder:
        files = {name: Path(folder) / name for name in STREAMS}
        files["stdin"].write_text(text or "", encoding="utf-8")
        code = wait(start(arguments, environment=environment, streams=files), timeout_s)
        out, err = (files[name].read_text(encoding="utf-8") for name in STREAMS[1:])
        return subprocess.CompletedProcess(list(arguments), code, out, err)


def start(arguments: Sequence[str], *, environment: Mapping[str, str], streams: Mapping[str, Path]) -> ForkServerProcess:
    """The command with files as its standard streams; what it writes is appended.  It leads a process group of its own."""
    process = _server().Process(target=_become, args=(list(arguments), dict(environment), [streams[name] for name in STREAMS]))
    process.start()
    return process


def wait(process: ForkServerProcess, timeout_s: float) -> int:
    """The exit code.  Raises: TimeoutError."""
    process.join(timeout_s)
    if process.exitcode is None:
        raise TimeoutError(f"process {process.pid} did not end within {timeout_s:g} s")
    return process.exitcode


def _become(arguments: Sequence[str], environment: Mapping[str, str], streams: Sequence[Path]) -> None:
    """Run the command in this process, which ends with it."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    for number, path in enumerate(streams):
        descriptor = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(descriptor, number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - until the process ends
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["react-mem", *arguments]
    cli.main()
