"""The products that are compared, each with its environment under ``build/peers``."""

import asyncio
import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = Path("build/peers")
ADAPTERS = "bench.peers.adapters"
INSTALL_TIMEOUT_S = 1800.0


class NotInstalled(Exception):
    """The environment of a product could not be made."""


@dataclass(frozen=True, slots=True)
class Product:
    """``module``: the adapter.  ``requirements``: what to install; empty = the environment of this package."""

    name: str
    title: str
    module: str
    requirements: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Identifies the code that is measured."""
        parts = [(ROOT / f"{name.replace('.', '/')}.py").read_bytes() for name in (self.module, f"{ADAPTERS}.driver")]
        parts += [each.encode() for each in self.requirements]
        if not self.requirements:
            parts += [path.read_bytes() for path in sorted((ROOT / "trustgraph_react_mem").rglob("*.py"))]
        return hashlib.sha256(b"\0".join(parts)).hexdigest()


OURS = Product("ours", "this package", f"{ADAPTERS}.with_ours")
PRODUCTS = (
    OURS,
    Product(
        "mem0", "mem0, `infer=False`", f"{ADAPTERS}.with_mem0", ("mem0ai==2.2.1", "fastembed==0.9.1", "stop-words==2025.11.4")
    ),
    Product(
        "langgraph",
        "LangGraph `InMemoryStore`",
        f"{ADAPTERS}.with_langgraph",
        ("langgraph==1.2.22", "langchain-core==1.7.2", "numpy>=2,<3"),
    ),
    Product(
        "qdrant",
        "Qdrant hybrid",
        f"{ADAPTERS}.with_qdrant",
        ("qdrant-client==1.20.0", "fastembed==0.9.1", "stop-words==2025.11.4"),
    ),
    Product("mempalace", "MemPalace", f"{ADAPTERS}.with_mempalace", ("mempalace==3.11.0",)),
)


async def interpreter(product: Product) -> Path:
    """Its Python, after everything is installed.  Raises: NotInstalled."""
    if not product.requirements:
        return Path(sys.executable)
    folder = FOLDER / product.name
    python, stamp = folder / "bin" / "python", folder / ".installed"
    wanted = "\n".join(product.requirements)
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"{product.title}: installing {', '.join(product.requirements)} into {folder}", file=sys.stderr, flush=True)
        await _ran(product, sys.executable, "-m", "venv", "--clear", str(folder))
        await _ran(product, str(python), "-m", "pip", "install", "-q", *product.requirements)
        stamp.write_text(wanted, encoding="utf-8")
    return python


async def _ran(product: Product, *command: str) -> None:
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    try:
        _, errors = await asyncio.wait_for(process.communicate(), INSTALL_TIMEOUT_S)
    except TimeoutError:
        process.kill()
        raise NotInstalled(f"{product.title} was not installed within {INSTALL_TIMEOUT_S / 60:.0f} minutes") from None
    if process.returncode:
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        raise NotInstalled(f"{product.title} could not be installed: {' '.join(last) or f'exit code {process.returncode}'}")
