"""Compares memories on LoCoMo or LongMemEval files: ``python -m bench.peers FILE[,FILE...]`` (``make peers``).

Every product stores the same turns and answers the same questions, with the same embedding model and without a language model.
Each runs in an environment of its own under build/peers, where it is installed at the first run.  A finished product is not run
again for the same file and version.  One that cannot be installed or fails is named at the end, and the others stand.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.cached_embedder import open_embedder
from bench.transcripts import read_asked_transcripts
from trustgraph_react_mem.errors import BadRequest, MemoryServiceError
from trustgraph_react_mem.memory.ports import Embedder

from .endpoint import serving_embeddings
from .measured import File, NotMeasured, figures, measured
from .page import tables, write
from .picture import draw
from .products import PRODUCTS, NotInstalled, Product
from .workload import workload


def read_files(names: str, titles: str, dialogues: int) -> list[File]:
    """``dialogues``: the first of each file; 0 = all.  Raises: BadRequest."""
    paths = [Path(name) for name in names.split(",")]
    wanted = titles.split(",") if titles else [path.stem for path in paths]
    if len(wanted) != len(paths) or len(set(wanted)) != len(wanted):
        raise BadRequest(f"--names {titles}: give a different name for each of the {len(paths)} files, with commas between")
    files = [
        File(name, workload(read_asked_transcripts(path)[: dialogues or None]))
        for name, path in zip(wanted, paths, strict=True)
    ]
    for file, path in zip(files, paths, strict=True):
        if not file.questions:
            raise BadRequest(f"{path} has no question with evidence, so nothing can be measured")
    return files


async def compare(
    products: Sequence[Product], files: Sequence[File], embedder: Embedder
) -> tuple[dict[str, dict[str, dict[str, Any]]], list[str]]:
    """Figures by file and product, and what could not be measured."""
    found: dict[str, dict[str, dict[str, Any]]] = {file.name: {} for file in files}
    missing = []
    async with serving_embeddings(embedder) as url:
        for product in products:
            for file in files:
                try:
                    written = await measured(product, file, url, embedder.profile.name)
                except (NotInstalled, NotMeasured) as error:
                    missing.append(f"{file.name}: {error}")
                    print(missing[-1], file=sys.stderr, flush=True)
                else:
                    found[file.name][product.name] = figures(product, file, written)
    return found, missing


def chosen(names: str) -> list[Product]:
    """Raises: BadRequest."""
    by_name = {product.name: product for product in PRODUCTS}
    wanted = names.split(",") if names else list(by_name)
    if unknown := [name for name in wanted if name not in by_name]:
        raise BadRequest(f"--only {names}: {unknown[0]!r} is not one of {', '.join(by_name)}")
    return [by_name[name] for name in wanted]


async def _main(arguments: argparse.Namespace) -> int:
    files = read_files(arguments.data, arguments.names, arguments.dialogues)
    products = chosen(arguments.only)
    async with open_embedder(arguments.embeddings) as embedder:
        found, missing = await compare(products, files, embedder)
    if arguments.json:
        bare = {
            file: {name: {key: value for key, value in each.items() if key != "each"} for name, each in by_name.items()}
            for file, by_name in found.items()
        }
        print(json.dumps({"files": bare, "not measured": missing}, indent=1))
    else:
        print(tables(files, found, embedder.profile.name, missing))
    if arguments.write and not missing:
        write(tables(files, found, embedder.profile.name, missing))
        draw(files, found)
    return 1 if missing else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", help="LoCoMo or LongMemEval file, or several with commas between them")
    parser.add_argument("--names", default="", help="what the files are called in the tables; default: their own names")
    parser.add_argument("--only", default="", help=f"some of {','.join(product.name for product in PRODUCTS)}")
    parser.add_argument("--dialogues", type=int, default=0, help="the first dialogues of each file (default: all)")
    parser.add_argument("--embeddings", default="", help="name in the catalogue; default: the model that the stack would use")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", action="store_true", help="update docs/comparison.md and its picture")
    arguments = parser.parse_args()
    try:
        return asyncio.run(_main(arguments))
    except MemoryServiceError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
