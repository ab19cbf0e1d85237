"""A Pulsar broker for tests: pulsar-lite as a child process.  ``make test-servers`` uses a real Pulsar besides."""

import asyncio
import contextlib
import ctypes
import signal
import socket
import sys
from pathlib import Path

READY_S = 30.0


class PulsarLite:
    """``async with PulsarLite(directory) as broker: broker.url``.  It keeps its port and its data when it starts again."""

    def __init__(self, directory: Path, *, port: int = 0) -> None:
        self.directory = directory
        self.port = port or _free_port()
        self._process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"pulsar://127.0.0.1:{self.port}"

    async def __aenter__(self) -> "PulsarLite":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        from pulsar_lite.binary_finder import find_pulsar_lite_binary

        self.directory.mkdir(parents=True, exist_ok=True)
        settings = self.directory / "broker.toml"
        settings.write_text("[metrics]\nenabled = false\n", "utf-8")
        self._process = await asyncio.create_subprocess_exec(
            find_pulsar_lite_binary(),
            *("--config", str(settings), "--addr", f"127.0.0.1:{self.port}"),
            *("--db-path", str(self.directory / "data"), "--log-level", "warn"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )
        async with asyncio.timeout(READY_S):
            while True:
                with contextlib.suppress(OSError):
                    _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                    writer.close()
                    return await writer.wait_closed()
                assert self._process.returncode is None, f"pulsar-lite ended with {self._process.returncode}"
                await asyncio.sleep(0.02)

    async def stop(self) -> None:
        await self._end(signal.SIGTERM)

    async def kill(self) -> None:
        """Kill -9, and a new start."""
        await self._end(signal.SIGKILL)
        await self.start()

    async def _end(self, how: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(how)
            try:
                async with asyncio.timeout(5.0):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
                await self._process.wait()


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def _die_with_parent() -> None:
    assert _prctl is not None
    _prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
