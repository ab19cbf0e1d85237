"""The embedded broker: pulsar-lite as a supervised child process.

Invariants:
- It listens on the loopback interface only.
- It keeps one port for its whole life, so that clients reconnect by themselves after a restart.
- Confirmed messages are in its data directory.
- It never outlives its parent process.
"""

import asyncio
import contextlib
import ctypes
import logging
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from ..directories import PRIVATE_UMASK, make_private_directory
from ..errors import ConfigurationError, EngineUnavailable
from ..extras import BROKER, install_command, require

logger = logging.getLogger(__name__)

READY_TIMEOUT_S = 15.0
STOP_TIMEOUT_S = 5.0
RESTART_PAUSES_S = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0)
START_PAUSES_S = (0.3, 1.0, None)
STEADY_AFTER_S = 30.0

CONFIGURATION = """\
[metrics]
enabled = false
"""
"""Turns off the broker's metrics page, which would be open to the network."""


class EmbeddedBroker:
    """``async with EmbeddedBroker(directory) as broker: broker.url``."""

    def __init__(self, directory: Path, *, port: int = 0) -> None:
        self.directory = directory
        self.port = port
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._stopping = False

    @property
    def url(self) -> str:
        return f"pulsar://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """0 while it is not running."""
        return self._process.pid if self._process is not None and self._process.returncode is None else 0

    async def __aenter__(self) -> "EmbeddedBroker":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Return when the broker accepts connections.

        Raises:
            EngineUnavailable: the broker did not start.  The message holds the end of its log.
            ConfigurationError: pulsar-lite is not installed.
        """
        make_private_directory(self.directory)
        (self.directory / "broker.toml").write_text(CONFIGURATION, encoding="utf-8")
        self.port = self.port or _free_port()
        for pause_s in START_PAUSES_S:
            try:
                await self._launch()
                break
            except EngineUnavailable:
                # A broker that was killed a moment ago may still hold its files, so the start is retried.
                if pause_s is None:
                    raise
                await asyncio.sleep(pause_s)
        self._watch = asyncio.create_task(self._supervise(), name="broker")

    async def stop(self) -> None:
        """Stop the broker, by force after ``STOP_TIMEOUT_S`` seconds."""
        self._stopping = True
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), STOP_TIMEOUT_S)
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _launch(self) -> None:
        if not _is_free(self.port):
            raise EngineUnavailable(
                f"port {self.port} on 127.0.0.1, meant for the embedded broker, is in use by another program"
            )
        log = self.directory / "broker.log"
        with log.open("wb") as output:
            self._process = await asyncio.create_subprocess_exec(
                _find_binary(),
                "--config",
                str(self.directory / "broker.toml"),
                "--addr",
                f"127.0.0.1:{self.port}",
                "--db-path",
                str(self.directory / "data"),
                "--log-level",
                "warn",
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                preexec_fn=_die_with_parent(),
                umask=PRIVATE_UMASK,
                # Ctrl-C must reach the parent only: the parent stops the broker last.
                start_new_session=True,
            )
        await self._wait_until_ready(self._process, log)

    async def _wait_until_ready(self, process: asyncio.subprocess.Process, log: Path) -> None:
        deadline = asyncio.get_running_loop().time() + READY_TIMEOUT_S
        while asyncio.get_running_loop().time() < deadline:
            if process.returncode is not None:
                break
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                await writer.wait_closed()
                return
            await asyncio.sleep(0.02)
        if process.returncode is None:
            process.kill()
            await process.wait()
        words = (await asyncio.to_thread(log.read_text, "utf-8", "replace"))[-600:].strip()
        raise EngineUnavailable(
            f"the embedded broker did not start on port {self.port} with {self.directory} (exit {process.returncode}): "
            f"{words or 'its log is empty'}"
        )

    async def _supervise(self) -> None:
        """Restart the broker on the same port whenever it exits."""
        loop = asyncio.get_running_loop()
        failures = 0
        while not self._stopping:
            started = loop.time()
            if self._process is not None:
                await self._process.wait()
            failures = 1 if loop.time() - started > STEADY_AFTER_S else failures + 1
            logger.error("the embedded broker on port %d failed (failure %d in a row), restarting it", self.port, failures)
            await asyncio.sleep(RESTART_PAUSES_S[min(failures - 1, len(RESTART_PAUSES_S) - 1)])
            try:
                await self._launch()
            except EngineUnavailable as error:
                logger.error("restarting the embedded broker failed, will retry: %s", error)


def _find_binary() -> str:
    require("the embedded broker", *BROKER, otherwise="name a Pulsar by its address")
    from pulsar_lite.binary_finder import find_pulsar_lite_binary

    try:
        found: str = find_pulsar_lite_binary()
    except FileNotFoundError:
        raise ConfigurationError(
            f"pulsar-lite is installed without its binary, probably because this platform is not supported: run "
            f"{install_command('local')} again, or name a Pulsar by its address"
        ) from None
    return found


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _is_free(port: int) -> bool:
    """Whether the port is free.  Another program that listens there would look like a broker that is ready."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _die_with_parent() -> Callable[[], None] | None:
    """``preexec_fn`` that makes the Linux kernel kill the broker when its parent ends, even by SIGKILL.  Else None."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl  # looked up before the fork: the child of a threaded process must do little
    set_parent_death_signal = 1  # PR_SET_PDEATHSIG

    def before_exec() -> None:
        # SIGKILL, not SIGTERM: the next stack may start at once and needs the port.  Confirmed messages survive a kill.
        prctl(set_parent_death_signal, signal.SIGKILL)

    return before_exec
