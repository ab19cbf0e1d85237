"""Optional packages.  Check with ``require`` before an import, so that the error names the missing packages and the remedy."""

import importlib.util
import subprocess
import sys
from collections.abc import Mapping
from typing import Literal

from .errors import MissingPackage

Extra = Literal["local", "llm", "mcp", "gateway"]

# module -> the package that installs it
PACKAGES: Mapping[str, str] = {
    "qdrant_edge": "qdrant-edge-py",
    "ladybug": "ladybug",
    "onnxruntime": "onnxruntime",
    "tokenizers": "tokenizers",
    "ibis": "ibis",
    "jsonschema": "jsonschema",
    "xllamacpp": "xllamacpp",
    "mcp": "mcp",
    "trustgraph.gateway": "trustgraph-flow",
    "msgpack": "msgpack",
}
GRAPH = ("ladybug",)
VECTORS = ("qdrant_edge",)
EMBEDDINGS = ("onnxruntime", "tokenizers")
PROMPTS = ("ibis", "jsonschema")
CHAT = ("xllamacpp",)
IMPORT_TIMEOUT_S = 60.0
LOCAL = (*VECTORS, *GRAPH, *EMBEDDINGS, *PROMPTS)  # all modules of the extra [local]


def install_command(extra: Extra) -> str:
    """The pip command that installs an extra."""
    return f"pip install 'trustgraph-react-mem[{extra}]'"


def missing_packages(*modules: str) -> list[str]:
    """The names of the packages to install for those ``modules`` that cannot be imported."""
    return [PACKAGES[module] for module in modules if importlib.util.find_spec(module) is None]


def import_failure(module: str) -> str:
    """Why a module that is installed cannot be imported, or "".  In another process: an engine may crash its interpreter."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", f"import {module}"], capture_output=True, text=True, check=False, timeout=IMPORT_TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return f"not done in {IMPORT_TIMEOUT_S:g} s"
    if done.returncode == 0:
        return ""
    lines = done.stderr.strip().splitlines()
    return lines[-1][:200] if lines else f"exit status {done.returncode}"


def require(purpose: str, *modules: str, extra: Extra = "local", otherwise: str = "") -> None:
    """Check that modules can be imported.  ``otherwise``: an alternative to installing them, for the error message.

    Raises: MissingPackage.
    """
    missing = missing_packages(*modules)
    if missing:
        remedy = f"{install_command(extra)}, or {otherwise}" if otherwise else install_command(extra)
        raise MissingPackage(f"{purpose} needs {', '.join(missing)}: {remedy}")
