"""What the embedded broker prints: kept in a bounded log file, its errors lifted into this program's log."""

import asyncio
import logging
import logging.handlers
import re
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

logger = logging.getLogger(__name__)

LOG_BYTES = 1_000_000
OLD_LOGS = 2
REPEAT_AFTER_S = 60.0
MOST_ERRORS = 100  # kinds of errors remembered, so that repetitions are not logged
#: Errors after which the broker does not store or deliver any more until it is started again.
_FAULT = re.compile(r"entrylog|No space left|While (?:appending|writing|open)|Corruption|missing entry|Background error", re.I)
_VARIES = re.compile(r"\d+")


class BrokerOutput:
    """``read`` consumes a stream until its end.  ``on_fault`` is called with the line of each fault of the broker's storage."""

    def __init__(self, path: Path, on_fault: Callable[[str], None]) -> None:
        self.newest: deque[str] = deque(maxlen=20)
        self._on_fault = on_fault
        self._logged: dict[str, float] = {}
        self._file = _QuietFile(path, maxBytes=LOG_BYTES, backupCount=OLD_LOGS, encoding="utf-8", delay=True)

    async def read(self, stream: asyncio.StreamReader) -> None:
        rest = b""
        while data := await stream.read(2**16):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._take(line.decode("utf-8", "replace").rstrip())
            rest = rest[-(2**16) :]
        if rest:
            self._take(rest.decode("utf-8", "replace"))

    def close(self) -> None:
        with suppress(OSError):  # a full disk: the lines that it still held are lost
            self._file.close()

    def _take(self, line: str) -> None:
        if not line:
            return
        self.newest.append(line)
        self._file.emit(logging.makeLogRecord({"msg": "%s", "args": (line,)}))
        if " ERROR " not in line and "panicked" not in line:
            return
        text = line.split("]", 1)[-1].strip() if line.startswith("[") else line
        if self._is_new(text):
            logger.error("the embedded broker reported an error: %s", text[:500])
        if _FAULT.search(text):
            self._on_fault(text)

    def _is_new(self, text: str) -> bool:
        """Whether no error like it was logged within a minute.  Numbers do not count: ports and offsets differ each time."""
        kind, now = _VARIES.sub("#", text), time.monotonic()
        if now - self._logged.get(kind, float("-inf")) < REPEAT_AFTER_S:
            return False
        if len(self._logged) >= MOST_ERRORS:
            self._logged.clear()
        self._logged[kind] = now
        return True


class _QuietFile(logging.handlers.RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """Nothing: on a full disk the line is lost here, but errors are in this program's log."""
