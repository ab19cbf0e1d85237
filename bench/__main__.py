"""Run the benchmarks.

python -m bench [--only NAME] [--data LOCOMO_FILE]    a table of rows, also in build/bench.json
python -m bench COMMAND --help                        one of those below, for which the rows are too small

  recall FILE           coverage of the evidence on a LoCoMo file
  eval FILE FOLDER      all methods over LoCoMo or LongMemEval files, with seeds and a model's answers
  talk                  lives of several sessions: what memory brings into the prompt
  understand            how well a language model understands
  sessions              one user's memory over 100 sessions
  servers               turns on a real Pulsar and Neo4j (python -m tests.servers.servers run python -m bench servers)
  embedding             speed, similarities and floors of an embedding model
  instructions          fits and measures the recogniser of standing instructions
"""

import argparse
import asyncio
import importlib
import os
import sys
import time
import traceback
from collections.abc import Set
from pathlib import Path
from types import ModuleType

from trustgraph_react_mem.errors import MemoryServiceError

from .row import Row, keep, show

MODULES = ("rpc", "turn", "stack", "store", "jobs", "rerank", "recall")
COMMANDS = {
    "recall": "recall",
    "eval": "evaluate",
    "talk": "talk.command",
    "understand": "understand.command",
    "sessions": "sessions",
    "servers": "servers",
    "embedding": "embedding",
    "instructions": "instructions",
}
NEED_DATA = frozenset({"bench.recall"})
LARGE = "100k"  # in the names of rows that fill stores with 100,000 records


def measurements() -> list[ModuleType]:
    """The modules that measure rows.  Each has the ``NAMES`` of its rows and ``collect(names, data)``."""
    return [importlib.import_module(f"bench.{module}") for module in MODULES]


def _parser(program: str, description: str | None) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=program, description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def main() -> int:
    if len(sys.argv) > 1 and sys.argv[1] in COMMANDS:
        name = sys.argv.pop(1)
        command = importlib.import_module(f"bench.{COMMANDS[name]}")
        try:
            return command.main(_parser(f"python -m bench {name}", command.__doc__)) or 0
        except MemoryServiceError as error:
            print(error, file=sys.stderr)
            return 2
    parser = _parser("python -m bench", __doc__)
    parser.add_argument("--only", default="", help="name of one row")
    parser.add_argument("--data", type=Path, help="a LoCoMo file, needed for the recall rows")
    parser.add_argument("--out", type=Path, default=Path("build/bench.json"))
    arguments = parser.parse_args()
    names = [name for module in measurements() for name in module.NAMES]
    if arguments.only and arguments.only not in names:
        print(f"there is no row {arguments.only!r}; there are: {', '.join(names)}", file=sys.stderr)
        return 2
    if arguments.data is not None and not arguments.data.is_file():
        print(f"file {arguments.data} does not exist: DATA= must name a LoCoMo file", file=sys.stderr)
        return 2
    rows, failures = measured({arguments.only} if arguments.only else set(names), arguments.data)
    show(rows)
    keep(rows, arguments.out)
    for failure in failures:
        print(f"not measured: {failure}", file=sys.stderr)
    return 1 if failures or (arguments.only and not rows) else 0


def measured(wanted: Set[str], data: Path | None) -> tuple[list[Row], list[str]]:
    """Rows in the order in which they were measured, and the failures.

    Rows over 100,000 records come last, because filling the stores takes minutes on a slow machine.
    """
    rows: list[Row] = []
    failures: list[str] = []
    for large in (False, True):
        for module in measurements():
            names = {name for name in module.NAMES if name in wanted and (LARGE in name) == large}
            if not names or (module.__name__ in NEED_DATA and data is None):
                continue
            began, what = time.monotonic(), ", ".join(sorted(names))
            print(f"{module.__name__}: measuring {what}", file=sys.stderr, flush=True)
            try:
                rows += asyncio.run(module.collect(names, data))
            except Exception as error:  # broad because the other rows must still be measured
                traceback.print_exc()
                failures.append(f"{what}: {type(error).__name__}: {error}")
            print(f"{module.__name__}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return rows, failures


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the bus client's C++ threads may abort an ordinary interpreter exit
