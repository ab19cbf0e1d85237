"""The graph engine keeps its symbols to itself: other native code in the process must not be bound to them.

Failed before: a language model that was loaded after the graph ended the process with std::bad_alloc.
"""

import subprocess
import sys

PROGRAM = """
import asyncio, ctypes
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph

async def main():
    graph = await LadybugGraph.open(":memory:")
    symbol = "_ZN4lbug14json_extension11JsonWrapperC1Ev"
    print("global" if hasattr(ctypes.CDLL(None), symbol) else "own")
    await graph.close()

asyncio.run(main())
"""


def test_the_engines_symbols_are_not_global() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "own", done.stderr
