"""Optional packages.  Each is asked for before it is imported, so that the error names what is missing and the remedy."""

import importlib.util
from collections.abc import Mapping
from typing import Literal

from .errors import MissingPackage

Extra = Literal["local", "llm"]

# module -> the package that installs it
PACKAGES: Mapping[str, str] = {
    "pulsar_lite": "pulsar-lite",
    "qdrant_edge": "qdrant-edge-py",
    "ladybug": "ladybug",
    "onnxruntime": "onnxruntime",
    "tokenizers": "tokenizers",
    "ibis": "ibis",
    "jsonschema": "jsonschema",
    "xllamacpp": "xllamacpp",
}
BROKER = ("pulsar_lite",)
GRAPH = ("ladybug",)
VECTORS = ("qdrant_edge",)
EMBEDDINGS = ("onnxruntime", "tokenizers")
PROMPTS = ("ibis", "jsonschema")
CHAT = ("xllamacpp",)


def install_command(extra: Extra) -> str:
    return f"pip install 'trustgraph-react-mem[{extra}]'"


def missing_packages(*modules: str) -> list[str]:
    """The packages of these modules that are not installed."""
    return [PACKAGES[module] for module in modules if importlib.util.find_spec(module) is None]


def require(purpose: str, *modules: str, extra: Extra = "local", otherwise: str = "") -> None:
    """Raises: MissingPackage.  ``otherwise``: what helps instead of an installation."""
    missing = missing_packages(*modules)
    if missing:
        remedy = f"{install_command(extra)}, or {otherwise}" if otherwise else install_command(extra)
        raise MissingPackage(f"{purpose} needs {', '.join(missing)}: {remedy}")
