"""The real command in a subprocess, over its own data directory, with a scripted language model."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.stack_state import running_stack

from . import warm

COMMAND = Path(sys.executable).with_name("react-mem")
SCRIPT = Path(__file__).with_name("script.json")
READY_TIMEOUT_S = 120.0  # the embedding model may have to be fetched
STOP_TIMEOUT_S = 120.0
EMBEDDINGS = "all-MiniLM-L6-v2-int8"  # the smallest one


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def value(self) -> dict[str, Any]:
        """The last JSON value."""
        return self.lines[-1]


class ReactMem:
    """``react-mem`` for one data directory and user; ``bus``: the address of a broker where processors run elsewhere."""

    def __init__(
        self, home: Path, user: str = "ana", *, bus: str = "", embeddings: str = EMBEDDINGS, keys: Path | None = None
    ) -> None:
        self.home = home
        self.user = user
        self.bus = bus
        self.embeddings = embeddings
        self.keys = keys or home / "keys"

    @property
    def environment(self) -> dict[str, str]:
        foreign = ("REACT_MEM_", "OPENAI_", "PULSAR_", "TRUSTGRAPH_")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
        cache = os.environ.get("REACT_MEM_MODELS")
        return {
            **kept,
            **({"REACT_MEM_MODELS": cache} if cache else {}),
            "REACT_MEM_HOME": str(self.home / "data"),
            "REACT_MEM_KEYS": str(self.keys),
            "REACT_MEM_USER": self.user,
            "REACT_MEM_EMBEDDINGS": self.embeddings,
            **({"REACT_MEM_BUS": self.bus} if self.bus else {}),
            "REACT_MEM_HTTP_PORT": "0",  # any free one: several stacks run at a time
            "COLUMNS": "160",
        }

    def run_program(self, program: str, folder: Path) -> str:
        """What a Python program, such as an example of the documentation, prints in ``folder``; fails if it ends badly."""
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            cwd=folder,
            env=self.environment,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def as_user(self, user: str) -> "ReactMem":
        return ReactMem(self.home, user, bus=self.bus, embeddings=self.embeddings, keys=self.keys)

    def run(self, *arguments: str, text: str | None = None, timeout_s: float = 120.0, **variables: str) -> Result:
        """The command in a process of its own, whose modules are loaded already."""
        done = warm.run(arguments, environment=self.environment | variables, text=text, timeout_s=timeout_s)
        return Result(done.returncode, done.stdout, done.stderr)

    def json(self, *arguments: str, text: str | None = None) -> dict[str, Any]:
        """The command's last JSON value; fails with what it wrote when it did not end well."""
        result = self.run(*arguments, "--json", text=text)
        assert result.code == 0, f"{arguments}: exit {result.code}\n{result.out}\n{result.err}"
        return result.value

    @contextmanager
    def up(self, script: Path = SCRIPT, *options: str, **variables: str) -> Iterator["RunningStack"]:
        """``react-mem up`` with these options and variables, ready; killed at the end if it still runs."""
        (self.home / "up.out").unlink(missing_ok=True)
        streams = {"stdin": Path(os.devnull), "stdout": self.home / "up.out", "stderr": self.home / "up.log"}
        arguments = ("up", "--json", "--model", f"scripted:{script}", *options)
        process = warm.start(arguments, environment=self.environment | variables, streams=streams)
        stack = RunningStack(process, self.home)
        try:
            stack.wait_ready()
            yield stack
        finally:
            stack.kill()


class RunningStack:
    """``react-mem up``.  In its home are ``up.out`` and ``up.log``, what it writes."""

    def __init__(self, process: ForkServerProcess, home: Path) -> None:
        self._process = process
        self._home = home
        self.ready: dict[str, Any] = {}

    def wait_ready(self) -> None:
        """As long as it runs: how long it takes is no fault."""
        while not (written := self._written()).endswith("\n"):
            ended = self._process.exitcode
            log = self._home / "up.log"
            assert ended is None, f"the stack ended with {ended} before it was ready: {log.read_text()[-3000:]}"
            time.sleep(0.05)
        self.ready = json.loads(written.splitlines()[0])
        assert self.ready["event"] == "ready"

    def _written(self) -> str:
        """The process creates the file."""
        out = self._home / "up.out"
        return out.read_text(encoding="utf-8") if out.exists() else ""

    @property
    def address(self) -> BusAddress:
        stack = running_stack(self._home / "data")
        assert stack is not None
        return stack.address

    def interrupt(self) -> int:
        """Ctrl-C, and the exit code."""
        return self._end(signal.SIGINT, STOP_TIMEOUT_S)

    def terminate(self) -> int:
        """As a service manager ends it, and the exit code."""
        return self._end(signal.SIGTERM, 2 * STOP_TIMEOUT_S)

    def kill(self) -> None:
        """kill -9."""
        if self._process.exitcode is None:
            assert self._process.pid is not None
            os.killpg(self._process.pid, signal.SIGKILL)
            warm.wait(self._process, STOP_TIMEOUT_S)

    def _end(self, number: signal.Signals, patience_s: float) -> int:
        assert self._process.pid is not None
        os.kill(self._process.pid, number)
        return warm.wait(self._process, patience_s)
