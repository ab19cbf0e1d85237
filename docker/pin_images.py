"""Writes the digest of every image into the container files, behind its tag: ``name:tag@sha256:...``

    python docker/pin_images.py          # needs a registry, and skopeo, crane or docker

A digest that is there is replaced.  Exit code 2: nothing was written, because no program or registry answers.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

DOCKER = Path(__file__).resolve().parent
OURS = "trustgraph-react-mem"  # built here, so it has no digest of a registry
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
IMAGE = re.compile(r"^(?P<before>\s*image: |FROM )(?P<name>[\w./-]+:[\w.-]+)(?:@sha256:[0-9a-f]{64})?", re.MULTILINE)
BASE = re.compile(r"^(?P<before>ARG PYTHON=)(?P<name>[\w.-]+)(?:@sha256:[0-9a-f]{64})?", re.MULTILINE)
PROGRAMS: dict[str, Callable[[str], list[str]]] = {
    "skopeo": lambda image: ["skopeo", "inspect", "--format", "{{.Digest}}", f"docker://docker.io/{image}"],
    "crane": lambda image: ["crane", "digest", image],
    "docker": lambda image: ["docker", "buildx", "imagetools", "inspect", image],
}


class NotPinned(Exception):
    """What is missing, and the remedy."""


def main() -> int:
    try:
        command = find_program()
        written = {path: pinned(path.read_text("utf-8"), command) for path in files()}
    except NotPinned as missing:
        print(f"not pinned: {missing}", file=sys.stderr)
        return 2
    for path, text in written.items():
        path.write_text(text, "utf-8")
        print(f"{path.name}: {len(DIGEST.findall(text))} digests")
    return 0


def files() -> Iterator[Path]:
    yield from sorted(DOCKER.glob("compose*.yaml"))
    yield from sorted(DOCKER.glob("Dockerfile*"))


def find_program() -> Callable[[str], list[str]]:
    for name, command in PROGRAMS.items():
        if shutil.which(name):
            return command
    raise NotPinned(f"none of {', '.join(PROGRAMS)} is installed: install one, or run this where one is")


def pinned(text: str, command: Callable[[str], list[str]]) -> str:
    def with_digest(found: "re.Match[str]", prefix: str) -> str:
        name = found["name"]
        if name.startswith(OURS):
            return found[0]
        return f"{found['before']}{name}@{digest_of(prefix + name, command)}"

    text = IMAGE.sub(lambda found: with_digest(found, ""), text)
    return BASE.sub(lambda found: with_digest(found, "python:"), text)


def digest_of(image: str, command: Callable[[str], list[str]]) -> str:
    done = subprocess.run(command(image), capture_output=True, text=True, check=False, timeout=120)
    found = DIGEST.search(done.stdout)
    if done.returncode or not found:
        reason = (done.stderr.strip().splitlines() or ["no digest in its output"])[-1][:200]
        raise NotPinned(f"the registry gave no digest of {image} ({reason}): check the network and the name")
    return found[0]


if __name__ == "__main__":
    sys.exit(main())
