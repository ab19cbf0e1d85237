"""Runs ``memory.py`` with the Python that ``react-mem`` is installed with.  Without ``react-mem`` nothing happens."""

import os
import shutil
import sys
from pathlib import Path

HOOK = Path(__file__).with_name("memory.py")


def main() -> None:
    command = shutil.which("react-mem")
    if command is None:
        print("react-mem: not found on the path, so nothing is recalled or kept: install trustgraph-react-mem", file=sys.stderr)
        return
    # pipx and uv link the command into another folder: its Python is beside the real one.
    folder = Path(command).resolve().parent
    suffix = ".exe" if os.name == "nt" else ""
    found = [folder / f"{name}{suffix}" for name in ("python", "python3")]
    python = next((str(path) for path in found if path.exists()), sys.executable)
    os.execv(python, [python, str(HOOK)])


if __name__ == "__main__":
    main()
