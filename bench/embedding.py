"""Speed and cosine similarities of an embedding model: ``python -m bench.embedding [NAME]``.

Measures the time of a question and the rate of a large number of texts in both forms of the model, and the cosines of related
and unrelated texts.  NAME: a model of the catalogue.  Default: the model that the stack would use.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence

import numpy as np

from trustgraph_react_mem.memory.ports import Embedder
from trustgraph_react_mem.models.calibration import PARAPHRASES, UNRELATED, unrelated_mean
from trustgraph_react_mem.models.embedder import embedder_of, open_embedding_model
from trustgraph_react_mem.models.onnx_embedder import OnnxEmbedder
from trustgraph_react_mem.models.store import models_folder

from .row import percentile
from .sentences import questions, sentences

# The texts of each pair share nearly all words but differ in meaning: a duplicate threshold must keep them apart.
NEAR_MISSES = (
    ("Maria is allergic to peanuts.", "Maria is allergic to shellfish."),
    ("Tom moved to Lisbon in 2019.", "Tom moved to Madrid in 2021."),
    ("The user prefers answers in German.", "The user prefers answers in bullet points."),
    ("Sam has two cats called Miso and Udon.", "Sam has a dog called Ramen."),
    ("The meeting was moved from Monday to Wednesday.", "The meeting on Monday was cancelled."),
    ("The invoice must be paid within 30 days.", "The invoice was paid after 12 days."),
    ("Ana works as a nurse in a children's hospital.", "Ana works as a teacher in a primary school."),
    ("The nightly backup failed because the disk was full.", "The nightly backup succeeded after the disk was replaced."),
)


ASKED, BANK = 100, 400


async def times(embedder: Embedder) -> tuple[float, float]:
    """Median milliseconds for a question, and texts per second for many texts."""
    took = []
    for question in questions(ASKED + 10, seed=9):
        began = time.perf_counter()
        await embedder.embed([question], role="query")
        took.append((time.perf_counter() - began) * 1000)
    texts = [f"{said.speaker}: {said.text}" for said in sentences(BANK, seed=9)]
    began = time.perf_counter()
    await embedder.embed(texts, role="passage")
    return percentile(took[10:], 50), BANK / (time.perf_counter() - began)


async def cosines(embedder: Embedder) -> tuple[float, Sequence[float], Sequence[float]]:
    """Mean cosine of unrelated texts, cosines of paraphrases, and cosines of texts with similar words but other meaning."""
    rows = await embedder.embed(list(UNRELATED), role="passage")
    alike = []
    for group in (PARAPHRASES, NEAR_MISSES):
        found = await embedder.embed([text for pair in group for text in pair], role="passage")
        alike.append(np.einsum("nd,nd->n", found[::2], found[1::2]).tolist())
    return unrelated_mean(rows), alike[0], alike[1]


async def run(name: str) -> None:
    model = await open_embedding_model(name or None)
    embedder = embedder_of(model)
    unrelated, same, near = await cosines(embedder)
    print(
        f"{embedder.profile.name}: unrelated {unrelated:.2f}, same in other words {min(same):.2f} to {max(same):.2f}, ", end=""
    )
    print(f"nearly the same words {min(near):.2f} to {max(near):.2f}")
    forms = [model]
    folder = models_folder() / embedder.profile.name
    if isinstance(model, OnnxEmbedder) and "int8" in model.where and (folder / "model.onnx").is_file():
        forms.append(OnnxEmbedder(embedder.profile, folder / "model.onnx", folder / "tokenizer.json"))
    for form in forms:
        question, rate = await times(embedder_of(form))
        print(f"{form.where}: a question {question:.1f} ms, {rate:.0f} texts per second in batches")
        await form.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.embedding", description=__doc__)
    parser.add_argument("name", nargs="?", default="", help="a name of the catalogue")
    asyncio.run(run(parser.parse_args().name))


if __name__ == "__main__":
    main()
