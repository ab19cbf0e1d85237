"""Play cases with a language model, and print what it understood rightly and what that cost.

python -m bench understand --model NAME --cases FILE [--json]

NAME is that of a model, as in REACT_MEM_MODEL.  The cases are played
through the product: each session is stored with its dates, the model reads it in the background, and what memory holds
afterwards is compared.  `bench/understand/cases.py` describes the file.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.models.chat import ChatModel
from trustgraph_react_mem.models.embedding_model import EmbeddingModel
from trustgraph_react_mem.models.endpoint import choose_chat_model

from ..talk.client import talking
from .cases import Case, read_cases
from .metered import Metered
from .played import play_case
from .replayed import read_conversations, replay
from .report import as_text, summarise

SETTINGS = {"small-model": False}  # also of a small model: this is what is measured


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", required=True, help="model to measure, as REACT_MEM_MODEL")
    parser.add_argument("--cases", type=Path, required=True, help="JSON file of the cases")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    arguments = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    report = asyncio.run(run(arguments.model, arguments.cases))
    print(json.dumps(report, ensure_ascii=False, indent=1) if arguments.json else as_text(report))


async def run(wanted: str, path: Path) -> dict[str, Any]:
    """Raises: BadRequest (the cases), ConfigurationError and ModelUnavailable (the model)."""
    cases = read_cases(path)
    model = await choose_chat_model(wanted, option="--model")
    if model is None:
        raise MemoryServiceError(f"--model {wanted} names no model: there is nothing to measure")
    try:
        return await measure(model, cases)
    finally:
        await model.close()


async def measure(model: ChatModel, cases: Sequence[Case], *, embeddings: "str | EmbeddingModel" = "") -> dict[str, Any]:
    """The report on a model: the cases, then the conversations of ``replayed``."""
    meter = Metered(model)
    rows = []
    with tempfile.TemporaryDirectory() as home:
        async with talking(Path(home), meter, embeddings=embeddings) as client:
            await client.configure(SETTINGS)
            for case in cases:
                rows.append(await play_case(client, meter, case))
                wrong = sum(not each.right for each in rows[-1].judged)
                print(f"{case.id}: {f'{wrong} wrong' if wrong else 'holds'}", file=sys.stderr, flush=True)
            replayed = await replay(client, meter, read_conversations())
    return summarise(model.name, rows, replayed)
