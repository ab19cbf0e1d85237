"""The bundle of the web page: it is that of its sources, small, and asks for nothing elsewhere."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
UI, STATIC = ROOT / "ui", ROOT / "trustgraph_react_mem" / "ui" / "static"
MOST_BYTES = 150_000
MANIFEST = json.loads((STATIC / "manifest.json").read_text("utf-8"))
OUTSIDE = re.compile(r"(?:https?:)?//[a-z0-9][a-z0-9.-]*\.[a-z]{2,}", re.IGNORECASE)
NAMESPACES = ("http://www.w3.org/",)  # names, never fetched


def digest_of_sources() -> str:
    """As ui/build.mjs computes it."""
    paths = [path for path in (UI / "src").rglob("*") if path.is_file()]
    paths += [UI / name for name in ("build.mjs", "package.json", "package-lock.json")]
    digest = hashlib.sha256()
    for name in sorted(path.relative_to(UI).as_posix() for path in paths):
        digest.update(name.encode() + b"\0" + (UI / name).read_bytes() + b"\0")
    return digest.hexdigest()


def test_the_bundle_was_made_from_these_sources() -> None:
    assert MANIFEST["sources"] == digest_of_sources(), "run make ui, and commit ui/ and trustgraph_react_mem/ui/static"


def test_the_bundle_has_its_files_and_is_small() -> None:
    assert sorted(path.name for path in STATIC.iterdir()) == sorted([*MANIFEST["files"], "manifest.json"])
    assert sum(len(gzip.compress((STATIC / name).read_bytes())) for name in MANIFEST["files"]) < MOST_BYTES
    index = (STATIC / "index.html").read_text("utf-8")
    linked = re.findall(r'(?:href|src)="/ui/([^"]+)"', index)
    assert sorted(linked) == sorted(name for name in MANIFEST["files"] if name.startswith(("app-", "icon")))


@pytest.mark.parametrize("name", sorted(name for name in MANIFEST["files"] if name != "licences.txt"))
def test_no_file_names_another_host(name: str) -> None:
    text = (STATIC / name).read_text("utf-8")
    for namespace in NAMESPACES:
        text = text.replace(namespace, "")
    assert OUTSIDE.findall(text) == []


def test_markup_is_never_made_from_text() -> None:
    """Preact escapes values; these would not."""
    ways = re.compile(r"dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(")
    found = [path.name for path in (UI / "src").rglob("*.js") if ways.search(path.read_text("utf-8"))]
    assert found == []
