"""Where the listener of a data directory is: ``http.json`` in it, while one runs."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from ...directories import replace_private_file
from ...local_url import local_url

FILE = "http.json"
PROBE_S = 3.0


@contextmanager
def announced(home: Path, url: str, bus: str) -> Iterator[None]:
    """Write down where the listener is, and the broker it serves, until the block ends.  A later listener replaces it."""
    path, text = home / FILE, json.dumps({"pid": os.getpid(), "url": local_url(url), "bus": bus})
    with suppress(OSError):  # `react-mem ui` then says that it finds none
        replace_private_file(path, text)
    try:
        yield
    finally:
        with suppress(OSError):
            if path.read_text("utf-8") == text:
                path.unlink()


async def find_listener(home: Path, bus: str) -> str:
    """The URL of the listener of this data directory that serves the broker ``bus``; "" if none answers."""
    try:
        found = json.loads((home / FILE).read_text("utf-8"))
        url = str(found["url"])
        if found["bus"] != bus:
            return ""
        async with httpx.AsyncClient(trust_env=False, timeout=PROBE_S) as client:
            alive = (await client.get(f"{url}/health/live")).is_success
    except (OSError, ValueError, KeyError, TypeError, httpx.HTTPError, httpx.InvalidURL):
        return ""
    return url if alive else ""
