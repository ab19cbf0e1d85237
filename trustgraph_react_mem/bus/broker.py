"""The embedded broker: pulsar-lite as a supervised child process.

Invariants:
- It listens on the loopback interface only.
- It keeps one port for its whole life, so that clients reconnect by themselves after a restart.
- Confirmed messages are in its data directory.
- It never outlives its parent process.
- It is started again after every end, and after every fault of its storage once the disk has room.  Before each start, what an
  earlier full disk left torn is removed (``storage/entry_log.py``).
"""

import asyncio
import contextlib
import ctypes
import errno
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from ..directories import PRIVATE_UMASK, make_private_directory
from ..disk import DiskSpace
from ..errors import ConfigurationError, DiskFull, EngineUnavailable
from ..extras import BROKER, install_command, require
from .storage.entry_log import mend_entry_logs
from .storage.output import BrokerOutput

logger = logging.getLogger(__name__)

READY_TIMEOUT_S = 15.0
STOP_TIMEOUT_S = 5.0
RESTART_PAUSES_S = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0)
FAULT_PAUSES_S = (0.0, 1.0, 5.0, 30.0)  # before a restart because of a fault of the storage
START_PAUSES_S = (0.3, 1.0, None)
STEADY_AFTER_S = 30.0
ROOM_EVERY_S = 0.5  # how often free space is measured while a fault waits for room

UNREADABLE = "; what it stored is damaged: run `react-mem repair bus`, which moves the jobs that can be read"
CONFIGURATION = """\
[metrics]
enabled = false
"""
"""Turns off the broker's metrics page, which would be open to the network."""


class EmbeddedBroker:
    """``async with EmbeddedBroker(directory) as broker: broker.url``.  ``disk``: when the disk has room."""

    def __init__(self, directory: Path, *, port: int = 0, disk: DiskSpace | None = None) -> None:
        self.directory = directory
        self.port = port
        self._disk = disk
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._output = BrokerOutput(directory / "broker.log", self.report_fault)
        self._stopping = False
        self._faulty = asyncio.Event()

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
            DiskFull: there is no room for its files.
            ConfigurationError: pulsar-lite is not installed.
        """
        self.port = self.port or _free_port()
        for pause_s in START_PAUSES_S:
            try:
                await self._launch()
                break
            except (EngineUnavailable, OSError) as error:
                # A broker that was killed a moment ago may still hold its files, so the start is retried.
                if pause_s is None:
                    if isinstance(error, OSError):
                        if error.errno in (errno.ENOSPC, errno.EDQUOT):
                            raise DiskFull(
                                f"disk full: {self.directory} has no room for the broker: free some space"
                            ) from error
                        raise EngineUnavailable(
                            f"the embedded broker cannot start with {self.directory}: {error}: check space and permissions"
                        ) from error
                    raise
                await asyncio.sleep(pause_s)
        self._watch = asyncio.create_task(self._supervise(), name="broker")

    async def stop(self) -> None:
        """Stop the broker, by force after ``STOP_TIMEOUT_S`` seconds."""
        self._stopping = True
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        await self._end_process()
        self._output.close()

    async def renew(self, action: Callable[[], None]) -> None:
        """Stop the broker, run ``action`` on its directory, and start it again on the same port.

        Raises: what ``action`` raises; EngineUnavailable (it does not start: it is tried again in the background).
        """
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        try:
            await self._end_process()
            await asyncio.to_thread(action)
            await self._launch()
        finally:
            self._watch = asyncio.create_task(self._supervise(), name="broker")

    def report_fault(self, what: str) -> None:
        """Start the broker again, once the disk has room: it neither stores nor delivers until then."""
        if not self._faulty.is_set():
            logger.error("the storage of the embedded broker failed, restarting it once the disk has room: %s", what[:200])
        self._faulty.set()

    async def _end_process(self) -> None:
        process = self._process
        if process is not None and process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), STOP_TIMEOUT_S)
            except TimeoutError:
                process.kill()
                await process.wait()
        if self._reader is not None:
            await asyncio.gather(self._reader, return_exceptions=True)

    async def _launch(self) -> None:
        """Raises: EngineUnavailable, ConfigurationError, OSError."""
        if not _is_free(self.port):
            raise EngineUnavailable(
                f"port {self.port} on 127.0.0.1, meant for the embedded broker, is in use by another program"
            )
        await asyncio.to_thread(prepare_broker_directory, self.directory)
        self._output.newest.clear()
        self._process = process = await asyncio.create_subprocess_exec(
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
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, "RUST_BACKTRACE": "0"},
            preexec_fn=_die_with_parent(),
            umask=PRIVATE_UMASK,
            # Ctrl-C must reach the parent only: the parent stops the broker last.
            start_new_session=True,
        )
        assert process.stdout is not None
        self._reader = asyncio.create_task(self._output.read(process.stdout), name="broker log")
        await self._wait_until_ready(process)

    async def _wait_until_ready(self, process: asyncio.subprocess.Process) -> None:
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
        if self._reader is not None:
            await self._reader
        words = "\n".join(self._output.newest)[-600:].strip()
        raise EngineUnavailable(
            f"the embedded broker did not start on port {self.port} with {self.directory} (exit {process.returncode}): "
            f"{words or 'its log is empty'}" + (UNREADABLE if "orruption" in words else "")
        )

    async def _supervise(self) -> None:
        """Restart the broker on the same port whenever it exits, or stores and delivers no more."""
        loop = asyncio.get_running_loop()
        failures = 0
        while not self._stopping:
            started = loop.time()
            pauses = FAULT_PAUSES_S if await self._until_broken() else RESTART_PAUSES_S
            failures = 1 if loop.time() - started > STEADY_AFTER_S else failures + 1
            logger.error("the embedded broker on port %d failed (failure %d in a row), restarting it", self.port, failures)
            await asyncio.sleep(pauses[min(failures - 1, len(pauses) - 1)])
            try:
                await self._end_process()
                self._faulty.clear()
                await self._launch()
            except Exception as error:
                # Broad because nothing else would start the broker again: no directory, no free file or process, no rights.
                logger.error("restarting the embedded broker failed, will retry: %s: %s", type(error).__name__, error)

    async def _until_broken(self) -> bool:
        """Wait until the process ends (False), or until it reported a fault and the disk has room (True)."""
        if self._process is None:
            return False
        ended = asyncio.ensure_future(self._process.wait())
        faulty = asyncio.ensure_future(self._faulty.wait())
        try:
            await asyncio.wait((ended, faulty), return_when=asyncio.FIRST_COMPLETED)
            while not ended.done():
                if self._disk is None or self._disk.has_room():
                    return True
                await asyncio.wait((ended,), timeout=ROOM_EVERY_S)
            return False
        finally:
            ended.cancel()
            faulty.cancel()


def prepare_broker_directory(directory: Path) -> None:
    """Create a fresh broker directory, or make an existing one ready for a start.  No broker may be using it.

    Raises: ConfigurationError, OSError.
    """
    make_private_directory(directory)
    file = directory / "broker.toml"
    if not file.exists() or file.read_text("utf-8") != CONFIGURATION:
        draft = file.with_suffix(".new")  # never an empty file on a full disk: it would open the metrics page
        draft.write_text(CONFIGURATION, "utf-8")
        draft.replace(file)
    mend_entry_logs(directory)


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
