"""The files of the page, which `make ui` bundles into the package.

Only names that the manifest of the bundle lists are served, so a path cannot name another file.
"""

import gzip
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ...errors import NotFound

INDEX = "index.html"
TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """``fixed``: its name changes with its content."""

    content: bytes
    compressed: bytes
    content_type: str
    fixed: bool


@cache
def static_files() -> dict[str, StaticFile]:
    """Name -> file.  Raises: NotFound (the package was installed from a checkout without the bundle)."""
    folder = files("trustgraph_react_mem") / "ui" / "static"
    try:
        names = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
        return {name: _read((folder / name).read_bytes(), name) for name in names}
    except OSError:
        raise NotFound("the web page is not part of this installation: run `make ui` in the checkout") from None


def _read(content: bytes, name: str) -> StaticFile:
    suffix = name[name.rindex(".") :]
    return StaticFile(content, gzip.compress(content, mtime=0), TYPES[suffix], name.startswith("app-"))
