"""Reaches the in-process bus of another process of the same account, over a Unix socket in the data directory.

A frame is a line of JSON and the bytes of a message, whose number the line names (``size``).  The other side needs no secret:
only the owner of the directory can open the socket.

Invariants:
- Another process sends requests and subscribes to replies and notifications.  Job topics and the topics that services subscribe
  to are not served.
- What a process has asked for ends with its connection: its subscriptions, and its requests that have not begun.
"""

import asyncio
import contextlib
import itertools
import json
import logging
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from ...errors import BadRequest, EngineUnavailable
from ...failure_log import describe_error
from .. import wire
from ..address import SOCKET
from ..port import REQUESTS, Closed, Message, Sender
from .in_process import InProcessBus, QueuedReceiver

logger = logging.getLogger(__name__)

FILE = "stack.sock"
LONGEST_PATH = 100  # bytes: the limit of the systems is 104 or 108
LONGEST_LINE = 2**20
ANSWER_S = 10.0
SUBSCRIBED = ("response:", "notify:")

_Frame = tuple[dict[str, Any], bytes]


async def _read(reader: asyncio.StreamReader) -> _Frame:
    """Raises: EOFError, ValueError (no frame)."""
    line = await reader.readline()
    if not line:
        raise EOFError
    head = json.loads(line)
    size = int(head.get("size", 0)) if isinstance(head, dict) else -1
    if size < 0:
        raise ValueError("not the head of a frame")
    if size > wire.MOST_BYTES:
        raise ValueError(f"a message of {size} bytes")
    return head, await reader.readexactly(size) if size else b""


def _write(writer: asyncio.StreamWriter, head: Mapping[str, Any], data: bytes = b"") -> None:
    writer.write(json.dumps({**head, "size": len(data)}).encode() + b"\n" + data)


class BusSocket:
    """Serves a bus to other processes.  Create it with ``open``."""

    def __init__(self, bus: InProcessBus, path: Path) -> None:
        self._bus, self.path = bus, path
        self._made: Path | None = None  # a directory for the socket alone
        self._server: asyncio.Server | None = None  # None: closed
        self._clients: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"{SOCKET}{self.path}"

    @classmethod
    async def open(cls, bus: InProcessBus, directory: Path) -> "BusSocket":
        """Raises: OSError."""
        path, made = directory / FILE, None
        if len(os.fsencode(path)) > LONGEST_PATH:
            made = Path(tempfile.mkdtemp(prefix="react-mem-", dir="/tmp"))  # a short path; only its owner can read it
            path = made / FILE
        path.unlink(missing_ok=True)
        self = cls(bus, path)
        self._made = made
        self._server = await asyncio.start_unix_server(self._accept, path, limit=LONGEST_LINE)
        path.chmod(0o600)
        return self

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._server is None:  # closed meanwhile
            return writer.close()
        task = asyncio.create_task(self._serve(reader, writer), name="client of the bus")
        self._clients.add(task)
        task.add_done_callback(self._clients.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = _Client(self._bus, writer)
        try:
            while True:
                await client.do(*await _read(reader))
        except (EOFError, OSError):
            return  # it ended
        except Exception as error:
            # Broad because whatever a client sends must cost its own connection only.
            logger.warning("a client of the bus sent what is no frame, and was disconnected: %s", describe_error(error))
        finally:
            await client.end()
            writer.close()

    async def close(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()
        for task in self._clients:
            task.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)
        self.path.unlink(missing_ok=True)
        if self._made is not None:
            self._made.rmdir()


class _Client:
    """What one connection has asked for."""

    def __init__(self, bus: InProcessBus, writer: asyncio.StreamWriter) -> None:
        self._bus, self._writer = bus, writer
        self._subscribed: dict[int, tuple[Any, asyncio.Task[None]]] = {}
        self._requests: set[str] = set()

    async def do(self, head: Mapping[str, Any], data: bytes) -> None:
        match head["do"]:
            case "send" if str(head["topic"]).startswith((REQUESTS, "notify:")):
                self._requests.add(str(head["headers"].get("id", "")))
                await self._bus.deliver(head["topic"], head["headers"], data)
            case "subscribe" if str(head["topic"]).startswith(SUBSCRIBED):
                consumer = await self._bus.create_consumer(head["topic"], f"{id(self)}-{head['number']}", bytes)
                forwarding = asyncio.create_task(self._forward(head["number"], consumer))
                self._subscribed[head["number"]] = (consumer, forwarding)
                _write(self._writer, {"number": head["number"]})
            case "unsubscribe":
                await self._unsubscribe(head["number"])
            case "forget":
                self._requests.discard(head["id"])
                self._bus.forget_request(head["id"])
            case _:
                raise BadRequest(f"{head['do']!r} of {head.get('topic')!r} is not served to other processes")

    async def _forward(self, number: int, consumer: Any) -> None:
        with contextlib.suppress(Closed, OSError):
            while True:
                message = await consumer.receive()
                _write(self._writer, {"number": number, "headers": message.properties()}, message.data())
                await self._writer.drain()

    async def _unsubscribe(self, number: int) -> None:
        consumer, forwarding = self._subscribed.pop(number)
        await consumer.close()
        forwarding.cancel()
        await asyncio.gather(forwarding, return_exceptions=True)

    async def end(self) -> None:
        for number in list(self._subscribed):
            await self._unsubscribe(number)
        for request_id in self._requests:
            self._bus.forget_request(request_id)


class SocketBus:
    """``Bus``, connected at its first use.  It has no job topics."""

    requests_may_be: ClassVar[str] = ""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opening = asyncio.Lock()
        self._writer: asyncio.StreamWriter | None = None
        self._receiving: asyncio.Task[None] | None = None
        self._numbers = itertools.count()
        self.consumers: dict[int, SocketConsumer] = {}

    @property
    def is_connected(self) -> bool:
        return self._receiving is not None and not self._receiving.done()

    async def connect(self) -> None:
        """Raises: EngineUnavailable."""
        async with self._opening:
            if self._writer is not None:
                return
            try:
                reader, self._writer = await asyncio.open_unix_connection(self._path, limit=LONGEST_LINE)
            except OSError as error:
                raise EngineUnavailable(
                    f"no stack answers at {self._path} ({error.strerror}): start it with react-mem up"
                ) from None
            self._receiving = asyncio.create_task(self._receive(reader), name="messages of the stack")

    async def _receive(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                head, data = await _read(reader)
                consumer = self.consumers.get(head["number"])
                if consumer is not None and "headers" not in head:
                    consumer.subscribed.set()
                elif consumer is not None:
                    consumer.waiting.put_nowait(Message(data, consumer.schema, head["headers"]))

    async def write(self, head: Mapping[str, Any], data: bytes = b"") -> None:
        """Raises: EngineUnavailable."""
        if self._writer is None or not self.is_connected:
            raise EngineUnavailable("the connection to the stack was lost: did it end?")
        try:
            _write(self._writer, head, data)
            await self._writer.drain()
        except OSError as error:
            raise EngineUnavailable(f"the connection to the stack was lost ({error.strerror or error}): did it end?") from None

    def lease(self) -> "SocketBus":
        return SocketBus(self._path)

    async def create_producer(self, topic: str, schema: type, **options: Any) -> Sender:
        await self.connect()
        return Sender(
            lambda data, properties, key: self.write({"do": "send", "topic": topic, "headers": dict(properties)}, data)
        )

    async def create_consumer(
        self, topic: str, subscription: str, schema: type, initial_position: str = "latest", **options: Any
    ) -> "SocketConsumer":
        await self.connect()
        number = next(self._numbers)
        consumer = self.consumers[number] = SocketConsumer(self, number, schema)
        await self.write({"do": "subscribe", "topic": topic, "number": number})
        try:
            async with asyncio.timeout(ANSWER_S):
                await consumer.subscribed.wait()
        except TimeoutError:
            raise EngineUnavailable(f"the stack did not subscribe to {topic}: did it end?") from None
        return consumer

    async def open_job_topic(self, workspace: str) -> None:
        raise EngineUnavailable("jobs are published by the process of the stack")

    async def create_job_consumer(self, workspace: str) -> "SocketConsumer":
        raise EngineUnavailable("jobs are run by the process of the stack")

    def forget_request(self, request_id: str) -> None:
        if self._writer is not None and self.is_connected:
            _write(self._writer, {"do": "forget", "id": request_id})

    async def close(self) -> None:
        if self._receiving is not None:
            self._receiving.cancel()
            await asyncio.gather(self._receiving, return_exceptions=True)
        if self._writer is not None:
            self._writer.close()


class SocketConsumer(QueuedReceiver):
    """A consumer of the other process."""

    def __init__(self, bus: SocketBus, number: int, schema: type) -> None:
        super().__init__(schema)
        self._bus, self._number = bus, number
        self.subscribed = asyncio.Event()

    def is_connected(self) -> bool:
        return self.is_open and self._bus.is_connected

    async def close(self) -> None:
        if self.is_open:
            self._bus.consumers.pop(self._number, None)
            await super().close()
            with contextlib.suppress(EngineUnavailable):  # it ended with the connection
                await self._bus.write({"do": "unsubscribe", "number": self._number})
